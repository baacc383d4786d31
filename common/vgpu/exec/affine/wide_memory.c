/* Loads and stores of all warps of a block at once, at addresses that are a form of the thread's index.
 *
 * The ends of the range are compared with one allocation, or with the block's shared memory; then the
 * observers are told, and the bytes moved, row by row: the lanes of a warp that go up in x together. Weak
 * accesses of 4 or 8 bytes an element only. What does not pass is left to the warps' own handlers, faults
 * included.
 */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/affine/wide.h"

#include <string.h>

const IrOperand *wide_register(const IrInst *inst, uint32_t k)
{
    return inst->vec ? &inst->vec[k] : inst->opcode == PTX_ST ? &inst->src[1] : &inst->dst;
}

bool wide_elements(const IrInst *inst, WideSpan *s)
{
    uint32_t element = ptx_type_bits((PtxType)inst->type) / 8;
    if ((element != 4 && element != 8) || inst->n_vec < 1 || inst->n_vec > 4)
        return false;
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = wide_register(inst, k);
        if (o->kind != IR_NONE && o->bytes != element)
            return false;
    }
    s->element = element;
    s->bytes = element * inst->n_vec;
    return true;
}

/* The addresses, if they are known and no thread's wraps. */
static bool find_span(const Wide *v, const IrInst *inst, WideSpan *s)
{
    const IrOperand *o = &inst->src[0];
    bool narrow = o->kind != IR_NONE && o->bytes == 4;
    AffineValue room = {0};
    const AffineValue *at = o->kind == IR_NONE ? &room : affine_known(&v->affine, o, &room);
    int64_t below, above;
    if (!v->n_first || !at || !wide_elements(inst, s))
        return false;
    uint64_t base = at->base + (uint64_t)inst->offset;
    s->at.base = narrow ? (uint32_t)base : base;
    for (int i = 0; i < 3; i++) {
        s->at.step[i] = at->step[i];
        s->most[i] = v->whole ? v->affine.most[i] : i == 0 ? v->n_first - 1 : 0;
    }
    if (!affine_range(&s->at, s->most, AFFINE_BLOCK, false, narrow ? 4 : 8, &below, &above))
        return false;
    s->low = s->at.base + (uint64_t)below;
    s->end = s->at.base + (uint64_t)above + s->bytes;
    return true;
}

static bool find_bytes(ExecBlock *b, WideSpan *s, uint8_t space)
{
    Wide *v = b->wide;
    s->alloc = NULL;
    if (space == SPACE_SHARED) {
        s->host = b->shared + s->at.base;
        return s->end <= b->run->shared_bytes;
    }
    MemAlloc **known = &v->code->pcs[v->pc].alloc, *a = *known;
    if (!a || a->freed || s->low < a->addr || s->end - a->addr > a->bytes) {
        a = exec_find_alloc(&b->warps[0].base, s->low, s->end - s->low);
        if (!a)
            return false;
        *known = a;
    }
    s->alloc = a;
    s->host = a->host + (s->at.base - a->addr);
    return a->kind != MEM_CONST_VAR;
}

/* ---- telling the observers ---- */

static uint64_t address_of(const WideSpan *s, const ExecWarp *w, int lane)
{
    uint64_t at = s->at.base;
    for (int i = 0; i < 3; i++)
        at += (uint64_t)s->at.step[i] * w->tid[i][lane];
    return at;
}

/* The addresses of a warp's threads, row by row. */
EXEC_INLINE void fill_addresses(const WideSpan *s, const ExecWarp *w, uint32_t row, uint64_t *addr)
{
    for (uint32_t at = 0; at < WARP_LANES; at += row) {
        const uint64_t first = address_of(s, w, (int)at), step = (uint64_t)s->at.step[0];
        for (uint32_t lane = 0; lane < row; lane++)
            addr[at + lane] = first + lane * step;
    }
}

/* The pattern of a warp whose lanes are all active, as request_classify_values would find it. False: it is to
 * look. */
EXEC_INLINE bool know_pattern(const WideSpan *s, uint32_t row, Request *r)
{
    bool alike = s->at.step[0] == 0;
    if (r->mask != FULL_MASK || row < WARP_LANES / 2 || (!alike && (uint64_t)s->at.step[0] != s->bytes))
        return false;
    uint64_t rows = r->addr[WARP_LANES / 2] - r->addr[0];
    bool one = rows == (alike ? 0 : (uint64_t)WARP_LANES / 2 * s->bytes);
    r->group_lanes = one ? WARP_LANES : WARP_LANES / 2;
    r->group_pattern = alike ? PATTERN_UNIFORM : PATTERN_UNIT_STRIDE;
    r->pattern = one ? r->group_pattern : PATTERN_OTHER;
    r->low = r->addr[0];
    r->solid = true;
    r->span = alike ? s->bytes : (uint64_t)WARP_LANES * s->bytes;
    return true;
}

/* Observers that want it warp by warp (a bit each). */
EXEC_CLONES static void tell_warp(ExecBlock *b, const IrInst *inst, const WideSpan *s, ExecWarp *w,
                                  uint32_t observers)
{
    const Wide *v = b->wide;
    uint64_t addr[WARP_LANES] __attribute__((aligned(64))) = {0};
    const uint32_t row = v->row_lanes;
    bool store = inst->opcode == PTX_ST;
    const uint8_t *value[4];
    Request r; /* the rest of it is for accesses that are not all in one piece */
    r.w = w;
    r.inst = inst;
    r.addr = addr;
    r.filled = true;
    r.mask = v->active[w->index];
    r.bytes = s->bytes;
    r.kind = store ? ACCESS_STORE : ACCESS_LOAD;
    r.space = inst->space;
    r.first = 0;
    r.delta = (uintptr_t)s->host - s->at.base;
    r.lane_stride = 0;
    r.alloc = s->alloc;
    r.host = NULL;
    for (uint32_t k = 0; store && k < inst->n_vec; k++)
        value[k] = warp_src(w, wide_register(inst, k));
    if (row == WARP_LANES)
        fill_addresses(s, w, WARP_LANES, addr);
    else
        fill_addresses(s, w, row, addr);
    if (!know_pattern(s, row, &r))
        request_classify_values(&r, addr, 0);
    for (; observers; observers &= observers - 1)
        request_tell_one(&r, &b->run->watchers[first_lane(observers)], store ? value : NULL,
                         store ? inst->n_vec : 0, store ? s->element : 0);
}

/* Fills value; false: the values of a store are partly registers and partly constants. */
static bool point_at_values(ExecBlock *b, const IrInst *inst, const uint8_t **value, size_t *stride)
{
    bool alike = true;
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = wide_register(inst, k);
        value[k] = warp_src(&b->warps[0].base, o);
        alike = alike && o->kind == wide_register(inst, 0)->kind;
    }
    *stride = wide_register(inst, 0)->kind == IR_CONST ? 0 : b->wide->reg_stride;
    return alike;
}

static ExecWideAccess describe(const ExecBlock *b, const IrInst *inst, const WideSpan *s)
{
    return (ExecWideAccess){.kind = inst->opcode == PTX_ST ? ACCESS_STORE : ACCESS_LOAD,
                            .space = inst->space,
                            .sem = inst->sem,
                            .bytes = s->bytes,
                            .n_threads = b->wide->n_first,
                            .base = s->at.base,
                            .step = {s->at.step[0], s->at.step[1], s->at.step[2]},
                            .low = s->low,
                            .end = s->end,
                            .alloc = s->alloc,
                            .host = s->host - (s->at.base - s->low),
                            .n_blocks = 1};
}

uint32_t wide_tell_row(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t n_blocks,
                       int64_t block_step)
{
    const ExecRun *run = b->run;
    ExecWideAccess access = describe(b, inst, s);
    uint32_t told = 0;
    const int64_t reach = block_step * (int64_t)(n_blocks - 1);
    access.n_blocks = n_blocks;
    access.block_step = block_step;
    access.low += reach < 0 ? (uint64_t)reach : 0;
    access.end += reach < 0 ? 0 : (uint64_t)reach;
    access.host += reach < 0 ? reach : 0;
    for (unsigned i = 0; i < run->n_watchers; i++) {
        const ExecWatcher *to = &run->watchers[i];
        if (to->takes_rows && to->access_wide && (access.kind == ACCESS_STORE || !to->writes_only) &&
            to->access_wide(to->self, exec_who(&b->warps[0].base, run->entry, inst), &access))
            told |= 1u << i;
    }
    return told;
}

uint32_t wide_tell(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t told)
{
    const ExecRun *run = b->run;
    bool store = inst->opcode == PTX_ST;
    const uint8_t *value[4];
    uint32_t left = 0;
    ExecWideAccess access = describe(b, inst, s);
    if (store) {
        access.value = value;
        access.n_values = inst->n_vec;
        access.value_stride = (uint8_t)s->element;
    }
    bool alike = !store || point_at_values(b, inst, value, &access.warp_stride);
    for (unsigned i = 0; i < run->n_watchers; i++) {
        const ExecWatcher *to = &run->watchers[i];
        if ((!store && to->writes_only) || told >> i & 1)
            continue;
        if (!alike || !to->access_wide ||
            !to->access_wide(to->self, exec_who(&b->warps[0].base, run->entry, inst), &access))
            left |= 1u << i;
    }
    return left;
}

/* ---- moving the bytes ---- */

/* Row after row: where the next one's first thread has its bytes. */
typedef struct Cursor {
    uint8_t *at;
    uint32_t x, y;
} Cursor;

EXEC_INLINE Cursor cursor_at(const WideSpan *s, const ExecWarp *w, uint8_t *host)
{
    return (Cursor){host + (address_of(s, w, 0) - s->at.base), w->tid[0][0], w->tid[1][0]};
}

EXEC_INLINE void next_row(const WideSpan *s, const uint32_t *dim, uint32_t row, Cursor *c)
{
    c->at += (int64_t)row * s->at.step[0];
    c->x += row;
    if (c->x != dim[0])
        return;
    c->x = 0;
    c->at += s->at.step[1] - (int64_t)dim[0] * s->at.step[0];
    if (++c->y != dim[1])
        return;
    c->y = 0;
    c->at += s->at.step[2] - (int64_t)dim[1] * s->at.step[1];
}

typedef enum Stride { STRIDE_UNIT, STRIDE_NONE, STRIDE_OTHER } Stride;

/* A row of n lanes between registers and memory. n and stride are constants where this is in a loop that is
 * worth it. */
#define DEFINE_ROW(T)                                                                                        \
    EXEC_INLINE void load_row_##T(T *restrict to, const uint8_t *restrict from, int64_t step, Stride stride, \
                                  uint32_t n)                                                                \
    {                                                                                                        \
        if (stride == STRIDE_UNIT)                                                                           \
            for (uint32_t lane = 0; lane < n; lane++)                                                        \
                to[lane] = ((const T *)from)[lane];                                                          \
        else if (stride == STRIDE_NONE)                                                                      \
            for (uint32_t lane = 0; lane < n; lane++)                                                        \
                to[lane] = *(const T *)from;                                                                 \
        else                                                                                                 \
            for (uint32_t lane = 0; lane < n; lane++)                                                        \
                to[lane] = *(const T *)(from + (int64_t)lane * step);                                        \
    }                                                                                                        \
    EXEC_INLINE void store_row_##T(const T *restrict from, uint8_t *restrict to, int64_t step,               \
                                   Stride stride, uint32_t n)                                                \
    {                                                                                                        \
        if (stride == STRIDE_UNIT)                                                                           \
            for (uint32_t lane = 0; lane < n; lane++)                                                        \
                ((T *)to)[lane] = from[lane];                                                                \
        else if (stride == STRIDE_NONE) /* of threads with one address the last one wins */                  \
            *(T *)to = from[n - 1];                                                                          \
        else                                                                                                 \
            for (uint32_t lane = 0; lane < n; lane++)                                                        \
                *(T *)(to + (int64_t)lane * step) = from[lane];                                              \
    }
DEFINE_ROW(U32)
DEFINE_ROW(U64)

/* All warps of s->warps, which follow each other: the last one may have fewer lanes. */
#define DEFINE_ROWS(move, T)                                                                                 \
    EXEC_INLINE void move##_rows_##T(ExecBlock *b, const WideSpan *s, const IrOperand *o, uint8_t *host,     \
                                     uint32_t row, Stride stride)                                            \
    {                                                                                                        \
        const Wide *v = b->wide;                                                                             \
        const uint32_t *dim = b->run->launch->block;                                                         \
        Cursor c = cursor_at(s, &b->warps[first_lane(s->warps)].base, host);                                 \
        for (uint32_t left = s->warps; left; left &= left - 1) {                                             \
            const ExecWarp *w = &b->warps[first_lane(left)].base;                                            \
            const uint32_t n = WARP_LANES - (uint32_t)__builtin_clz(v->active[w->index]);                    \
            T *lanes = (T *)((o->kind == IR_CONST ? (uintptr_t)w->pool : (uintptr_t)w->regs) + o->off);      \
            for (uint32_t at = 0; at < n; at += row, next_row(s, dim, row, &c)) {                            \
                if (n - at >= row)                                                                           \
                    move##_row_##T(lanes + at, c.at, s->at.step[0], stride, row);                            \
                else                                                                                         \
                    move##_row_##T(lanes + at, c.at, s->at.step[0], stride, n - at);                         \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    EXEC_CLONES static void move##_##T(ExecBlock *b, const WideSpan *s, const IrOperand *o, uint8_t *host)   \
    {                                                                                                        \
        const uint32_t row = b->wide->row_lanes;                                                             \
        const bool unit = s->at.step[0] == sizeof(T);                                                        \
        if (unit && row == WARP_LANES)                                                                       \
            move##_rows_##T(b, s, o, host, WARP_LANES, STRIDE_UNIT);                                         \
        else if (unit && row == WARP_LANES / 2)                                                              \
            move##_rows_##T(b, s, o, host, WARP_LANES / 2, STRIDE_UNIT);                                     \
        else if (!s->at.step[0] && row == WARP_LANES)                                                        \
            move##_rows_##T(b, s, o, host, WARP_LANES, STRIDE_NONE);                                         \
        else if (!s->at.step[0] && row == WARP_LANES / 2)                                                    \
            move##_rows_##T(b, s, o, host, WARP_LANES / 2, STRIDE_NONE);                                     \
        else                                                                                                 \
            move##_rows_##T(b, s, o, host, row, STRIDE_OTHER);                                               \
    }
DEFINE_ROWS(load, U32)
DEFINE_ROWS(load, U64)
DEFINE_ROWS(store, U32)
DEFINE_ROWS(store, U64)

/* Every byte from low to end is written. */
static bool is_dense(const WideSpan *s)
{
    uint64_t length = s->bytes;
    for (int i = 0; i < 3; i++) {
        if (s->most[i] && (uint64_t)s->at.step[i] != length)
            return false;
        length *= s->most[i] + 1;
    }
    return true;
}

static void mark_written(ExecBlock *b, const WideSpan *s)
{
    const Wide *v = b->wide;
    if (!s->alloc || !s->alloc->init)
        return;
    if (is_dense(s)) {
        mem_mark_init(s->alloc, s->low, s->end - s->low, true);
        return;
    }
    uint32_t row = s->at.step[0] == s->bytes ? v->row_lanes : 1;
    for (uint32_t left = v->warps; left; left &= left - 1) {
        const ExecWarp *w = &b->warps[first_lane(left)].base;
        uint32_t n = WARP_LANES - (uint32_t)__builtin_clz(v->active[w->index]);
        for (uint32_t at = 0; at < n; at += row)
            mem_mark_init(s->alloc, address_of(s, w, (int)at),
                          (uint64_t)s->bytes * (n - at < row ? n - at : row), true);
    }
}

void wide_tell_warps(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t observers)
{
    for (uint32_t left = observers ? b->wide->warps : 0; left; left &= left - 1)
        tell_warp(b, inst, s, &b->warps[first_lane(left)].base, observers);
}

void wide_load_rows(ExecBlock *b, const WideSpan *s, const IrOperand *o, uint8_t *host)
{
    if (s->element == 4)
        load_U32(b, s, o, host);
    else
        load_U64(b, s, o, host);
}

static void load(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t observers)
{
    Wide *v = b->wide;
    wide_tell_warps(b, inst, s, observers);
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = wide_register(inst, k);
        uint8_t *host = s->host + (size_t)k * s->element;
        if (o->kind != IR_REG)
            continue;
        if (v->whole && affine_is_uniform(&s->at, AFFINE_BLOCK)) {
            uint64_t bits = 0;
            memcpy(&bits, host, s->element);
            affine_set_uniform(&v->affine, o, bits);
            continue;
        }
        if (!v->whole)
            wide_spread(b, o);
        wide_load_rows(b, s, o, host);
        v->affine.held[o->off / 4] = HELD_LANES;
    }
}

static void store_warps(ExecBlock *b, const IrInst *inst, const WideSpan *s)
{
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = wide_register(inst, k);
        uint8_t *host = s->host + (size_t)k * s->element;
        if (s->element == 4)
            store_U32(b, s, o, host);
        else
            store_U64(b, s, o, host);
    }
}

/* An observer that is told of a warp's store sees in memory what the warps before have stored. */
void wide_store(ExecBlock *b, const IrInst *inst, WideSpan *s, uint32_t observers)
{
    uint32_t warps = s->warps;
    b->warps[0].base.polls = 0;
    for (uint32_t left = observers ? warps : 0; left; left &= left - 1) {
        s->warps = left & (0 - left);
        tell_warp(b, inst, s, &b->warps[first_lane(left)].base, observers);
        store_warps(b, inst, s);
    }
    s->warps = warps;
    if (!observers)
        store_warps(b, inst, s);
    mark_written(b, s);
}

WideAccess wide_access(ExecBlock *b, const IrInst *inst)
{
    WideSpan s;
    if (!find_span(b->wide, inst, &s))
        return WIDE_BY_WARP;
    if (!affine_is_aligned(&s.at, s.most, AFFINE_BLOCK, s.bytes) || !find_bytes(b, &s, inst->space))
        return WIDE_ODD;
    s.warps = b->wide->warps;
    for (uint32_t k = 0; inst->opcode == PTX_ST && k < inst->n_vec; k++)
        wide_spread(b, wide_register(inst, k));
    uint32_t observers = b->run->n_watchers ? wide_tell(b, inst, &s, 0) : 0;
    if (inst->opcode == PTX_ST)
        wide_store(b, inst, &s, observers);
    else
        load(b, inst, &s, observers);
    return WIDE_DONE;
}
