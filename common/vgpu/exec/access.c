/* Checking the addresses of one memory instruction, and finding the bytes.
 *
 * First the pattern of the active lanes' addresses is told: all alike (uniform), each `bytes` after the one
 * before (unit stride), or other. Then the ends of the range, or all lanes, are compared with the allocation
 * that the same instruction last used. Only when that fails are lanes looked at one by one, and faults told
 * apart.
 */
#include "common/base/page.h"
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/schedule.h"

#include <string.h>

enum { NULL_PAGES = 1 << 20, DEVICES_MAX = 64 };

/* Where the bytes of a space lie that is one piece of memory. */
typedef struct Piece {
    uint64_t base, bytes;
    uint8_t *host;
    uint64_t lane_stride;
} Piece;

static Piece piece_of(const ExecWarp *w, uint8_t space)
{
    ExecBlock *b = w->block;
    const ExecRun *run = b->run;
    switch (space) {
    case SPACE_SHARED:
        return (Piece){.bytes = run->shared_bytes, .host = b->shared};
    case SPACE_PARAM:
        return (Piece){.bytes = run->entry->param_bytes, .host = (uint8_t *)(uintptr_t)run->launch->params};
    default: /* the lane's stack, as far as it is used */
        return (Piece){.bytes = (uint64_t)w->frame_base + w->frame->function->frame_bytes,
                       .host = b->local ? b->local + (size_t)w->index * WARP_LANES * run->local_bytes : NULL,
                       .lane_stride = run->local_bytes};
    }
}

/* Lanes whose address is not in [base, base + bytes) with all of its bytes. */
static uint32_t lanes_outside(const Request *r, uint64_t base, uint64_t bytes)
{
    uint32_t outside = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t at = r->addr[lane] - base;
        bool bad = at >= bytes || bytes - at < r->bytes;
        outside |= bad ? r->mask & (1u << lane) : 0;
    }
    return outside;
}

/* All lanes lie in [base, base + bytes): the usual answer, in a few vector operations. */
EXEC_CLONES static bool all_inside(const Request *r, uint64_t base, uint64_t bytes)
{
    if (bytes < r->bytes)
        return false;
    uint64_t most = bytes - r->bytes, outside = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        outside |= (uint64_t)(r->addr[lane] - base > most) & (uint64_t)(r->mask >> lane & 1);
    return !outside;
}

EXEC_CLONES static bool all_aligned(const Request *r)
{
    uint64_t odd = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        odd |= r->addr[lane] & (0 - (uint64_t)(r->mask >> lane & 1));
    return !(odd & (r->align - 1));
}

static uint32_t lanes_misaligned(const Request *r)
{
    uint32_t bad = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        bad |= r->addr[lane] & (r->align - 1) ? r->mask & (1u << lane) : 0;
    return bad;
}

static void access_fill(Request *r)
{
    if (!r->filled)
        request_fill(r);
}

static bool raise(Request *r, ExecFaultKind kind, uint32_t lanes)
{
    access_fill(r);
    uint64_t shown[WARP_LANES];
    memcpy(shown, r->addr, sizeof shown);
    exec_fault(r->w, r->inst,
               (ExecFault){.kind = (uint8_t)kind,
                           .access = r->kind,
                           .space = r->space,
                           .mask = lanes,
                           .bytes = r->bytes,
                           .addr = shown});
    return false;
}

static bool mapped_in_host(const ExecLaunch *l, uint64_t addr)
{
    if (l->host && l->host->is_host)
        return l->host->is_host(l->host->self, addr);
    return page_is_mapped(addr);
}

static bool in_other_window(uint64_t addr)
{
    return addr - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES || addr - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES ||
           addr - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES;
}

/* Why no live allocation holds the bytes at addr. */
static ExecFaultKind classify_fault(const ExecLaunch *l, uint64_t addr)
{
    const Mem *m = l->mem;
    if (addr < NULL_PAGES)
        return FAULT_NULL;
    if (in_other_window(addr))
        return FAULT_WRONG_SPACE;
    const MemAlloc *near = mem_find_nearest(m, addr);
    bool inside = near && addr - near->addr < near->bytes;
    if (inside)
        return near->freed ? FAULT_FREED : FAULT_OUT_OF_BOUNDS;
    if (mem_in_window(m, addr) || addr - mem_window_base(m) < MEM_GLOBAL_STRIDE)
        return FAULT_OUT_OF_BOUNDS;
    if (addr - MEM_GLOBAL_BASE < DEVICES_MAX * MEM_GLOBAL_STRIDE)
        return FAULT_OTHER_DEVICE;
    return mapped_in_host(l, addr) ? FAULT_HOST_POINTER : FAULT_OUT_OF_BOUNDS;
}

static bool holds(const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - a->addr;
    return !a->freed && at < a->bytes && a->bytes - at >= bytes;
}

/* The live allocation with these bytes, on this device or one whose memory it may access. */
MemAlloc *exec_find_alloc(const ExecWarp *w, uint64_t addr, uint64_t bytes)
{
    const ExecLaunch *l = w->block->run->launch;
    MemAlloc *a = mem_find(l->mem, addr);
    if (!a && l->host && l->host->memory_of) {
        const Mem *other = l->host->memory_of(l->host->self, addr);
        a = other ? mem_find(other, addr) : NULL;
    }
    return a && holds(a, addr, bytes) ? a : NULL;
}

/* Constants are for ld.const and generic loads; nothing else is. */
static bool allowed(Request *r, const MemAlloc *a, uint32_t lanes)
{
    if (r->space == SPACE_CONST && a->kind != MEM_CONST_VAR)
        return raise(r, FAULT_WRONG_SPACE, lanes);
    if (a->kind == MEM_CONST_VAR && r->kind != ACCESS_LOAD)
        return raise(r, FAULT_READ_ONLY, lanes);
    return true;
}

static void use_alloc(Request *r, MemAlloc *a)
{
    r->alloc = a;
    r->delta = (uintptr_t)a->host - a->addr;
    r->w->pcs[r->w->pc].alloc = a;
}

/* Lanes one by one: allocations may differ. */
static bool check_lanes(Request *r)
{
    MemAlloc *a = NULL, *common = NULL;
    bool one = true;
    access_fill(r);
    for (uint32_t left = r->mask; left; left &= left - 1) {
        int lane = first_lane(left);
        if (!a || !holds(a, r->addr[lane], r->bytes))
            a = exec_find_alloc(r->w, r->addr[lane], r->bytes);
        if (!a) {
            ExecFaultKind kind = classify_fault(r->w->block->run->launch, r->addr[lane]);
            uint32_t bad = 0;
            for (uint32_t rest = left; rest; rest &= rest - 1)
                if (!exec_find_alloc(r->w, r->addr[first_lane(rest)], r->bytes) &&
                    classify_fault(r->w->block->run->launch, r->addr[first_lane(rest)]) == kind)
                    bad |= 1u << first_lane(rest);
            return raise(r, kind, bad);
        }
        if (!allowed(r, a, 1u << lane))
            return false;
        one &= !common || common == a;
        common = a;
        r->hosts[lane] = a->host + (r->addr[lane] - a->addr);
    }
    if (one) {
        use_alloc(r, common);
        return true;
    }
    r->alloc = NULL;
    r->host = r->hosts;
    return true;
}

static bool check_global(Request *r)
{
    MemAlloc *a = r->w->pcs[r->w->pc].alloc;
    if (!a || a->freed)
        return check_lanes(r);
    uint64_t low = r->low - a->addr;
    bool inside;
    if (r->pattern == PATTERN_OTHER)
        inside = all_inside(r, a->addr, a->bytes);
    else
        inside = low < a->bytes && a->bytes - low >= r->span;
    bool fits = a->kind == MEM_CONST_VAR ? r->kind == ACCESS_LOAD : r->space != SPACE_CONST; /* see allowed() */
    if (!inside || !fits)
        return check_lanes(r);
    r->alloc = a;
    r->delta = (uintptr_t)a->host - a->addr;
    return true;
}

static bool check_piece(Request *r)
{
    Piece p = piece_of(r->w, r->space);
    bool inside = r->pattern != PATTERN_OTHER && r->low < p.bytes && p.bytes - r->low >= r->span;
    if (!inside)
        access_fill(r);
    uint32_t outside = inside || all_inside(r, 0, p.bytes) ? 0 : lanes_outside(r, 0, p.bytes);
    if (outside)
        return raise(r, FAULT_OUT_OF_BOUNDS, outside);
    if (r->space == SPACE_PARAM && r->kind != ACCESS_LOAD)
        return raise(r, FAULT_READ_ONLY, r->mask);
    r->delta = (uintptr_t)p.host;
    r->lane_stride = p.lane_stride;
    return true;
}

bool request_check(Request *r)
{
    r->alloc = NULL;
    r->host = NULL;
    r->lane_stride = 0;
    bool aligned = r->pattern == PATTERN_OTHER ? all_aligned(r) : (r->low & (r->align - 1)) == 0;
    if (!aligned) {
        access_fill(r);
        return raise(r, FAULT_MISALIGNED, lanes_misaligned(r));
    }
    if (r->space == SPACE_GLOBAL || r->space == SPACE_CONST)
        return check_global(r);
    return check_piece(r);
}

uint8_t request_window(uint64_t addr, uint64_t *offset)
{
    static const struct {
        uint64_t base;
        uint8_t space;
    } windows[] = {
        {MEM_SHARED_WINDOW, SPACE_SHARED}, {MEM_LOCAL_WINDOW, SPACE_LOCAL}, {MEM_PARAM_WINDOW, SPACE_PARAM}};
    *offset = addr;
    for (int i = 0; i < 3; i++) {
        if (addr - windows[i].base >= MEM_WINDOW_BYTES)
            continue;
        *offset = addr - windows[i].base;
        return windows[i].space;
    }
    return SPACE_GLOBAL;
}

void exec_tell_access(ExecWarp *w, const IrInst *inst, const ExecAccess *access)
{
    const ExecRun *run = w->block->run;
    const ExecWho *who = exec_who(w, w->frame->function, inst);
    if (atomic_load_explicit(&run->watching, memory_order_relaxed))
        hang_watch(w, access);
    for (unsigned i = 0; i < run->n_watchers; i++)
        if (access->kind != ACCESS_LOAD || !run->watchers[i].writes_only)
            run->watchers[i].access(run->watchers[i].self, who, access);
    if (w->follow)
        exec_look_followed(w);
}

static ExecAccess describe(Request *r, const uint8_t *const *value, uint32_t n_values, uint32_t value_stride)
{
    access_fill(r);
    return (ExecAccess){.kind = r->kind,
                         .space = r->space == SPACE_FRAME ? SPACE_LOCAL : r->space,
                         .pattern = r->pattern,
                         .sem = r->inst->sem,
                         .scope = r->inst->scope,
                         .bytes = r->bytes,
                         .mask = r->mask,
                         .addr = r->addr,
                         .alloc = r->alloc,
                         .low = r->low,
                         .solid_bytes = request_is_solid(r) ? (uint32_t)r->span : 0,
                         .host0 = request_host(r, r->first),
                         .lane_stride = r->lane_stride,
                         .host = r->host,
                         .value = value,
                         .n_values = (uint8_t)n_values,
                         .value_stride = (uint8_t)value_stride,
                         .group_lanes = r->group_lanes,
                         .group_pattern = r->group_pattern};
}

void request_tell(Request *r, const uint8_t *const *value, uint32_t n_values, uint32_t value_stride)
{
    const ExecAccess access = describe(r, value, n_values, value_stride);
    exec_tell_access(r->w, r->inst, &access);
}

void request_tell_one(Request *r, const ExecWatcher *to, const uint8_t *const *value, uint32_t n_values,
                      uint32_t value_stride)
{
    const ExecAccess access = describe(r, value, n_values, value_stride);
    to->access(to->self, exec_who(r->w, r->w->frame->function, r->inst), &access);
    if (r->w->follow)
        exec_look_followed(r->w);
}

static void mark_lane(MemAlloc *a, uint64_t addr, uint32_t bytes)
{
    uint64_t at = addr - a->addr;
    if (bytes >= 8) {
        mem_mark_init(a, addr, bytes, true);
        return;
    }
    uint8_t bits = (uint8_t)(((1u << bytes) - 1) << at % 8); /* aligned: within one byte of the bitmap */
    if ((__atomic_load_n(&a->init[at / 8], __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(&a->init[at / 8], bits, __ATOMIC_RELAXED);
}

/* Most were marked before. */
static void mark_words(MemAlloc *a, const uint64_t *addr, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t at = addr[first_lane(left)] - a->addr;
        uint8_t *byte = &a->init[at / 8], bits = (uint8_t)(0xF << at % 8);
        if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & bits) != bits)
            __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    }
}

void request_mark_init(Request *r)
{
    if (r->alloc && request_is_solid(r)) {
        mem_mark_init(r->alloc, r->low, r->span, true);
        return;
    }
    MemAlloc *a = r->alloc;
    if (a && !a->init)
        return;
    access_fill(r);
    if (a && r->bytes == 4) {
        mark_words(a, r->addr, r->mask);
        return;
    }
    for (uint32_t left = r->mask; left; left &= left - 1) {
        int lane = first_lane(left);
        if (!r->alloc)
            a = exec_find_alloc(r->w, r->addr[lane], r->bytes);
        if (a && a->init)
            mark_lane(a, r->addr[lane], r->bytes);
    }
}

size_t exec_peek(ExecWarp *w, int lane, uint64_t addr, void *to, size_t n)
{
    uint64_t at;
    uint8_t space = request_window(addr, &at);
    if (space == SPACE_GLOBAL) {
        MemAlloc *a = exec_find_alloc(w, addr, 1);
        uint64_t left = a ? a->bytes - (addr - a->addr) : 0;
        n = n < left ? n : left;
        if (n)
            memcpy(to, a->host + (addr - a->addr), n);
        return n;
    }
    Piece p = piece_of(w, space);
    uint64_t left = at < p.bytes ? p.bytes - at : 0;
    n = n < left ? n : left;
    if (n)
        memcpy(to, p.host + p.lane_stride * (uint64_t)lane + at, n);
    return n;
}

bool exec_poke(ExecWarp *w, const IrInst *inst, int lane, uint64_t addr, const void *from, size_t n)
{
    uint64_t at, addrs[WARP_LANES] = {0};
    uint8_t space = request_window(addr, &at), *host;
    MemAlloc *a = space == SPACE_GLOBAL ? exec_find_alloc(w, addr, (uint32_t)n) : NULL;
    if (space == SPACE_GLOBAL) {
        host = a ? a->host + (addr - a->addr) : NULL;
    } else {
        Piece p = piece_of(w, space);
        host = at < p.bytes && p.bytes - at >= n ? p.host + p.lane_stride * (uint64_t)lane + at : NULL;
    }
    if (!host)
        return false;
    addrs[lane] = at;
    const ExecAccess access = {.kind = ACCESS_STORE,
                               .space = space,
                               .pattern = PATTERN_UNIFORM,
                               .sem = SEM_WEAK,
                               .bytes = (uint32_t)n,
                               .mask = 1u << lane,
                               .addr = addrs,
                               .alloc = a,
                               .host0 = host};
    exec_tell_access(w, inst, &access);
    memcpy(host, from, n);
    if (a)
        mem_mark_init(a, addr, n, true);
    return true;
}

bool exec_is_const(ExecWarp *w, uint64_t addr)
{
    const MemAlloc *a = exec_find_alloc(w, addr, 1);
    return a && a->kind == MEM_CONST_VAR;
}
