/* Target exec: any bytes as a module; or, when the first one is 0, as the choices of which a random kernel is
 * made (kernels.h), so that most of what a fuzzer does to them is another valid kernel. What decodes is
 * bound, put into memory, and each of its first kernels launched under an instruction budget, warp by warp
 * and with all warps of a block at once. The two must agree where nothing depends on the order of threads
 * (both.h). Parameters are a buffer's addresses, each of a part of its own, so that loads and stores find
 * something. The shape of the blocks and who looks on is drawn from the bytes. Modules that want more than a
 * small device has are left out. */
#include "common/base/rng.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/fuzz/both/both.h"
#include "common/vgpu/fuzz/fuzz.h"
#include "common/vgpu/fuzz/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUDGET = 2000, /* warp instructions of a launch: of any module, and of one that is made here */
    BUDGET_MADE = 50000,
    KERNELS_MAX = 3,
    PART_BYTES = KERNEL_IN_BYTES, /* of the buffer: a parameter's */
    PARTS = 4,
    NUMBER = 50, /* parameters that are too short for an address */
    GLOBALS_MAX = 64,
    GLOBAL_MAX = 1 << 16, /* bytes of one */
    SHARED_MAX = 48 << 10,
    PARAM_MAX = 4096,
    REGISTERS_MAX = 1 << 20,
    MEMORY_BYTES = 8 << 20,
};

static uint64_t refuse_alloc(void *self, uint64_t bytes, uint64_t site)
{
    (void)self, (void)bytes, (void)site;
    return 0;
}

static bool refuse_free(void *self, uint64_t addr)
{
    (void)self, (void)addr;
    return false;
}

static void ignore_text(void *self, const char *text, size_t length)
{
    (void)self, (void)text, (void)length;
}

static bool is_small(const IrModule *m)
{
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].bytes > GLOBAL_MAX)
            return false;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        const IrFunction *f = &m->functions[i];
        if (f->static_shared_bytes > SHARED_MAX || f->param_bytes > PARAM_MAX ||
            f->reg_bytes > REGISTERS_MAX || f->frame_bytes > GLOBAL_MAX)
            return false;
    }
    return m->n_globals <= GLOBALS_MAX;
}

/* Places for the module's variables; false when memory is full. */
static bool place_globals(const IrModule *m, Mem *mem, MemAlloc **allocs, uint64_t *places)
{
    for (uint32_t i = 0; i < m->n_globals; i++) {
        const IrGlobal *g = &m->globals[i];
        if (g->space == SPACE_SHARED || !g->bytes)
            continue;
        allocs[i] =
            mem_alloc(mem, g->bytes, g->space == SPACE_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0, g->name);
        if (!allocs[i])
            return false;
        places[i] = allocs[i]->addr;
        memset(allocs[i]->host, 0, allocs[i]->bytes);
    }
    return true;
}

typedef struct Shape {
    uint32_t grid[2], dim[3];
} Shape;

/* Most modules look at the thread's index alone: blocks beside one another would race. From four blocks on a
 * launch may be planned. */
static const Shape shapes[] = {{{1, 1}, {48, 1, 1}}, {{1, 1}, {32, 1, 1}},  {{1, 1}, {16, 4, 1}},
                               {{1, 1}, {5, 7, 3}},  {{6, 1}, {100, 1, 1}}, {{3, 2}, {64, 1, 1}},
                               {{1, 1}, {20, 1, 1}}, {{4, 2}, {16, 4, 2}}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* What a module's kernels run in. */
typedef struct Device {
    Mem *mem;
    CheckSet *check;
    uint64_t drawn;   /* from the bytes */
    const char *made; /* the text of a module that was made of them; else NULL */
    uint64_t buffer;
    MemAlloc *allocs[GLOBALS_MAX + 1];
} Device;

static void fill_params(const IrFunction *f, uint64_t buffer, uint8_t *params)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const uint64_t part = buffer + i % PARTS * PART_BYTES;
        const uint32_t bytes = f->params[i].bytes;
        for (uint32_t at = 0; at + 8 <= bytes; at += 8)
            memcpy(params + f->params[i].offset + at, &part, 8);
        if (bytes > 0 && bytes < 8)
            params[f->params[i].offset] = NUMBER;
    }
}

/* params: of their size and no more, so that a sanitizer sees a read past their end. */
static void launch_kernel(const IrInstance *instance, uint32_t function, const uint8_t *params, Device *d)
{
    static const ExecHost host = {.print = ignore_text, .heap_alloc = refuse_alloc, .heap_free = refuse_free};
    const IrFunction *f = &instance->module->functions[function];
    const Shape *shape = &shapes[d->drawn % N_SHAPES];
    const ExecLaunch l = {.instance = instance,
                          .function = function,
                          .grid = {shape->grid[0], shape->grid[1], 1},
                          .block = {shape->dim[0], shape->dim[1], shape->dim[2]},
                          .dynamic_shared = 256,
                          .params = params,
                          .mem = d->mem,
                          .max_instructions = d->made ? BUDGET_MADE : BUDGET,
                          .stack_limit = 1024,
                          .n_sms = 2,
                          .jobs = 1,
                          .host = &host};
    const BothWatch watch = d->drawn / N_SHAPES % BOTH_N_WATCHES;
    BothVerdict verdict;
    const char *what;
    if (both_run(&l, (BothMemory){d->allocs, GLOBALS_MAX + 1}, watch, d->check, &verdict, &what) !=
            STATUS_OK ||
        verdict != BOTH_DIFFER)
        return;
    fprintf(stderr,
            "exec: %s: warp by warp and with all warps of a block at once differ: %s (%u x %u blocks of %u x "
            "%u x %u, watch %d)\n",
            f->name, what, shape->grid[0], shape->grid[1], shape->dim[0], shape->dim[1], shape->dim[2],
            watch);
    if (d->made)
        fputs(d->made, stderr);
    abort();
}

static void run_kernels(IrModule *m, Device *d)
{
    uint64_t places[GLOBALS_MAX] = {0};
    IrInstance *instance = NULL;
    MemAlloc *buffer = d->allocs[GLOBALS_MAX] = mem_alloc(d->mem, PARTS * PART_BYTES, MEM_DEVICE, 0, NULL);
    if (!buffer || !place_globals(m, d->mem, d->allocs, places) ||
        ir_instantiate(m, places, &instance) != STATUS_OK)
        return;
    d->buffer = buffer->addr;
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (d->allocs[i])
            ir_global_init(instance, i, d->allocs[i]->host);
    int n = 0;
    for (uint32_t i = 0; i < m->n_functions && n < KERNELS_MAX; i++) {
        const IrFunction *f = &m->functions[i];
        uint8_t *params = f->is_entry && !f->is_extern ? calloc(f->param_bytes + !f->param_bytes, 1) : NULL;
        if (!params)
            continue;
        fill_params(f, d->buffer, params);
        launch_kernel(instance, i, params, d);
        free(params);
        n++;
    }
    ir_instance_free(instance);
}

static uint64_t draw_number(const uint8_t *data, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 0x100000001B3u;
    return rng_mix(hash) >> 8;
}

static void run_module(const char *text, size_t length, Device *d)
{
    PtxModule *parsed = NULL;
    IrModule *module = NULL;
    Diag diag = {0};
    if (ptx_parse(text, length, "fuzz.ptx", &parsed, &diag) != STATUS_OK)
        return;
    if (ir_decode(&parsed, 1, &module, &diag) == STATUS_OK && is_small(module) &&
        mem_create(0, MEMORY_BYTES, 1, &d->mem) == STATUS_OK &&
        check_create(&(CheckOptions){.tools = CHECK_RACE | CHECK_INIT | CHECK_SYNC}, &d->check) ==
            STATUS_OK) {
        exec_bind(module, NULL);
        run_kernels(module, d);
    }
    mem_destroy(d->mem);
    check_destroy(d->check);
    ir_module_free(module);
    ptx_module_free(parsed);
}

/* The second byte is the shape and who looks on, the third a seed for what the others, the choices, leave
 * open. */
static void run_made(const uint8_t *data, size_t size)
{
    const uint32_t *dim = shapes[data[1] % N_SHAPES].dim;
    StrBuf text = {0};
    kernel_write(&text, (KernelChoices){.bytes = data + 3, .n = size - 3, .rng = {data[2]}},
                 dim[0] * dim[1] * dim[2] % WARP_LANES == 0);
    run_module(text.text, text.length, &(Device){.drawn = data[1], .made = text.text});
    strbuf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 3 && data[0] == 0)
        run_made(data, size);
    else
        run_module((const char *)data, size, &(Device){.drawn = draw_number(data, size)});
    return 0;
}
