/* Faults of exec as notes: what the memory and the sync checker find, and what ends a launch. */
#include "common/vgpu/check/check_internal.h"

#include <stdio.h>
#include <string.h>

/* Rows: fault, finding, the tool it belongs to (0: always told, for the launch ends with it). */
static const struct {
    uint8_t finding;
    unsigned tool;
} fault_findings[] = {
    [FAULT_OUT_OF_BOUNDS] = {FINDING_OUT_OF_BOUNDS, CHECK_MEMORY},
    [FAULT_FREED] = {FINDING_USE_AFTER_FREE, CHECK_MEMORY},
    [FAULT_NULL] = {FINDING_NULL_POINTER, CHECK_MEMORY},
    [FAULT_HOST_POINTER] = {FINDING_HOST_POINTER, CHECK_MEMORY},
    [FAULT_WRONG_SPACE] = {FINDING_WRONG_SPACE, CHECK_MEMORY},
    [FAULT_MISALIGNED] = {FINDING_MISALIGNED, CHECK_MEMORY},
    [FAULT_READ_ONLY] = {FINDING_READ_ONLY, CHECK_MEMORY},
    [FAULT_OTHER_DEVICE] = {FINDING_OTHER_DEVICE, CHECK_MEMORY},
    [FAULT_BAD_CALL] = {FINDING_BAD_CALL, 0},
    [FAULT_STACK] = {FINDING_STACK_OVERFLOW, 0},
    [FAULT_ASSERT] = {FINDING_ASSERT, 0},
    [FAULT_TRAP] = {FINDING_TRAP, 0},
    [FAULT_TIMEOUT] = {FINDING_TIMEOUT, 0},
    [FAULT_DEADLOCK] = {FINDING_DEADLOCK, 0},
    [FAULT_INTERRUPTED] = {FINDING_INTERRUPTED, 0},
    [FAULT_UNSUPPORTED] = {FINDING_UNSUPPORTED, 0},
    [FAULT_BARRIER_EXITED] = {FINDING_BARRIER_EXITED, CHECK_SYNC},
    [FAULT_BARRIER_DIVERGENT] = {FINDING_BARRIER_DIVERGENT, CHECK_SYNC},
    [FAULT_SYNC_MASK] = {FINDING_SYNC_MASK, CHECK_SYNC},
    [FAULT_SHUFFLE_SOURCE] = {FINDING_SHUFFLE_SOURCE, CHECK_SYNC},
    [FAULT_SHUFFLE_UNNAMED] = {FINDING_SHUFFLE_UNNAMED, CHECK_SYNC},
    [FAULT_MATRIX_ALIGNMENT] = {FINDING_MATRIX_ALIGNMENT, CHECK_MEMORY},
    [FAULT_SURFACE_BOUNDS] = {FINDING_SURFACE_BOUNDS, CHECK_MEMORY},
    [FAULT_TEXTURE_UNKNOWN] = {FINDING_BAD_TEXTURE, CHECK_MEMORY},
    [FAULT_TEXTURE_MISUSED] = {FINDING_BAD_TEXTURE, CHECK_MEMORY},
};

static bool is_memory_fault(uint8_t kind)
{
    return kind <= FAULT_OTHER_DEVICE || kind == FAULT_SURFACE_BOUNDS;
}

/* The array that is meant, else shared memory as an allocation, so that the distance from it can be told. */
static MemAlloc shared_as_alloc(const CheckEvent *e)
{
    MemAlloc array;
    return array_find(e, &array) ? array : (MemAlloc){.bytes = e->block->shared_bytes};
}

/* The allocation of a pointer that the launch was given and that f indexes by the number of its thread,
 * beyond the end.
 *
 * A kernel that forgets its guard reads p[i] far behind a small array, where some other allocation may lie
 * nearer:
 *
 *      p: 1 element      others          p[224]
 *      [.]               [.] [.]         ^ nearest is not what the student wrote
 */
static const MemAlloc *indexed_by_thread(const CheckEvent *e, const ExecFault *f)
{
    const ExecLaunch *l = e->set->launch;
    const IrFunction *fn = &l->instance->module->functions[l->function];
    uint64_t index = (uint64_t)e->who->block[0] * l->block[0] + f->thread[0];
    if (!l->params || index == 0)
        return NULL;
    for (uint32_t i = 0; i < fn->n_params; i++) {
        uint64_t pointer;
        if (fn->params[i].bytes != sizeof pointer)
            continue;
        memcpy(&pointer, l->params + fn->params[i].offset, sizeof pointer);
        const MemAlloc *a = f->address == pointer + index * f->bytes ? mem_find(l->mem, pointer) : NULL;
        if (a && f->address >= a->addr + a->bytes)
            return a;
    }
    return NULL;
}

/* The allocation that parameter i of the launch leads to; NULL: to none. */
static const MemAlloc *array_of_parameter(const CheckEvent *e, uint32_t i)
{
    const ExecLaunch *l = e->set->launch;
    const IrParam *p = &l->instance->module->functions[l->function].params[i];
    uint64_t pointer;
    if (!l->params || !l->mem || p->bytes != sizeof pointer)
        return NULL;
    memcpy(&pointer, l->params + p->offset, sizeof pointer);
    const MemAlloc *a = mem_find_nearest(l->mem, pointer);
    return a && !a->freed && pointer >= a->addr && pointer <= a->addr + a->bytes ? a : NULL; /* its end, as of a part that has nothing */
}

/* The number of the parameter of the kernel that the access's address is worked out from, 1 is the first, and the array it leads to, which lives; 0: not
 * known. */
static uint32_t parameter_of(const CheckEvent *e, const ExecFault *f, const MemAlloc **array)
{
    const ExecLaunch *l = e->set->launch;
    const IrFunction *kernel = &l->instance->module->functions[l->function];
    bool outside = f->kind == FAULT_OUT_OF_BOUNDS || f->kind == FAULT_FREED || f->kind == FAULT_HOST_POINTER; /* behind managed memory lies the host's */
    bool global = f->space == SPACE_GLOBAL || f->space == SPACE_GENERIC;
    int i = outside && global && e->who->function == kernel ? check_base_parameter(kernel, e->who->inst) : -1;
    *array = i < 0 ? NULL : array_of_parameter(e, (uint32_t)i);
    return *array ? (uint32_t)i + 1 : 0;
}

/* Text of a note, which lives as long as the launch's notes. */
static void set_detail(const CheckEvent *e, Note *n, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = pool_alloc(&e->worker->pool, length);
    if (copy)
        n->detail = memcpy(copy, text, length);
}

/* Whose memory it is, and what lies there. */
static void add_foreign(const CheckEvent *e, Note *n, const ExecFault *f)
{
    const CheckOptions *o = &e->set->options;
    unsigned owner = 0;
    const MemAlloc *a = o->locate ? o->locate(o->self, f->address, &owner) : NULL;
    char text[80] = "another device";
    if (a) {
        n->alloc = *a;
        n->has_alloc = true;
        snprintf(text, sizeof text, "device %u, by a kernel that runs on device %u", owner, o->device);
    }
    set_detail(e, n, text);
}

static void add_alloc(const CheckEvent *e, Note *n, const ExecFault *f)
{
    if (f->kind == FAULT_NULL || f->kind == FAULT_HOST_POINTER || f->kind == FAULT_WRONG_SPACE ||
        f->kind == FAULT_SURFACE_BOUNDS)
        return;
    if (f->space == SPACE_SHARED) {
        n->alloc = shared_as_alloc(e);
        n->has_alloc = true;
        return;
    }
    if (f->space != SPACE_GLOBAL && f->space != SPACE_GENERIC && f->space != SPACE_CONST)
        return;
    if (f->kind == FAULT_OTHER_DEVICE) {
        add_foreign(e, n, f);
        return;
    }
    const Mem *mem = e->set->launch->mem;
    const MemAlloc *a = mem && f->kind == FAULT_OUT_OF_BOUNDS ? indexed_by_thread(e, f) : NULL;
    if (!a && mem)
        a = mem_find_nearest(mem, f->address);
    if (a) {
        n->alloc = *a;
        n->has_alloc = true;
    }
}

static uint32_t linear_thread(const CheckEvent *e, const uint32_t thread[3])
{
    const uint32_t *dim = e->who->block_dim;
    return thread[0] + dim[0] * (thread[1] + dim[1] * thread[2]);
}

static void observe(const CheckEvent *e, const ExecFault *f, const MemAlloc *array, uint32_t parameter)
{
    bool memory = is_memory_fault(f->kind);
    NoteKey key = {
        .kind = parameter ? FINDING_OUT_OF_BOUNDS : fault_findings[f->kind].finding, /* an index led into memory that was freed before */
        .space = memory ? (f->space == SPACE_GENERIC ? SPACE_GLOBAL : f->space) : 0,
        .access = memory ? f->access : 0,
        .place = check_place(e->set, e->who),
        .other = NO_PLACE,
    };
    uint64_t count = f->mask ? (uint64_t)__builtin_popcount(f->mask) : 1;
    Note *n = check_note(e, &key, linear_thread(e, f->thread), count);
    if (!n)
        return;
    n->address = f->address;
    n->bytes = memory ? f->bytes : 0;
    n->mask = f->mask;
    n->lane = f->lane;
    n->parameter = parameter;
    if (array) {
        n->alloc = *array;
        n->has_alloc = true;
    } else if (memory) {
        add_alloc(e, n, f);
    }
    if (f->detail)
        set_detail(e, n, f->detail);
}

void fault_observe(const CheckEvent *e, const ExecFault *f)
{
    if (f->kind >= sizeof fault_findings / sizeof *fault_findings)
        return;
    unsigned tool = fault_findings[f->kind].tool;
    if (tool && !check_has(e->set, tool))
        return;
    if (f->kind == FAULT_SHUFFLE_UNNAMED)
        undefined_shuffle(e, f->mask);
    const MemAlloc *array;
    uint32_t parameter = parameter_of(e, f, &array);
    observe(e, f, array, parameter);
}

void fault_observe_array(const CheckEvent *e, const ExecFault *f, const MemAlloc *array)
{
    observe(e, f, array, 0);
}
