/* atom and red: PTX ISA 9.7.13.5 and .6. The lanes of a warp take effect in ascending order.
 *
 * Words in global memory are changed by compare and exchange when other workers may change them at the same
 * time. Operations that commute and whose result nobody reads need no turn; all others wait for it (exec.h).
 */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/alu/half.h"
#include "common/vgpu/exec/schedule.h"

#include <string.h>

/* A subnormal number becomes zero with its sign: atom.add.f32 on global memory. */
static uint32_t flush(uint32_t bits)
{
    return bits & 0x7F800000u ? bits : bits & 0x80000000u;
}

static uint32_t add_f32(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&a, &x, 4);
    return x != x ? 0x7FFFFFFFu : a;
}

static uint32_t add_f32_flushed(uint32_t a, uint32_t b)
{
    return flush(add_f32(flush(a), flush(b)));
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return x != x ? 0x7FFFFFFFFFFFFFFFu : a;
}

static uint16_t add_half(HalfFormat f, uint16_t a, uint16_t b)
{
    return half_from_f64(f, half_to_f64(f, a) + half_to_f64(f, b), ROUND_RN);
}

static uint32_t add_halves(HalfFormat f, uint32_t a, uint32_t b)
{
    uint32_t high = add_half(f, (uint16_t)(a >> 16), (uint16_t)(b >> 16));
    return high << 16 | add_half(f, (uint16_t)a, (uint16_t)b);
}

#define X(op, type, bits, expression)                                                                        \
    static bool op_##op##_##type(const Request *r, const void *b_lanes, const void *c_lanes,                 \
                                 void *out_lanes, bool contended)                                            \
    {                                                                                                        \
        const U##bits *bs = b_lanes, *cs = c_lanes;                                                          \
        U##bits *out = out_lanes;                                                                            \
        bool changed = false;                                                                                \
        for (uint32_t left = r->mask; left; left &= left - 1) {                                              \
            int lane = first_lane(left);                                                                     \
            U##bits *p = (U##bits *)request_host(r, lane);                                                   \
            U##bits b = bs[lane], c = cs[lane], old, now;                                                    \
            (void)b, (void)c;                                                                                \
            if (contended) {                                                                                 \
                old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                  \
                do                                                                                           \
                    now = (U##bits)(expression);                                                             \
                while (                                                                                      \
                    !__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));  \
            } else {                                                                                         \
                old = *p;                                                                                    \
                *p = now = (U##bits)(expression);                                                            \
            }                                                                                                \
            changed |= now != old;                                                                           \
            if (out)                                                                                         \
                out[lane] = old;                                                                             \
        }                                                                                                    \
        return changed;                                                                                      \
    }
#include "common/vgpu/exec/atomic.def"
#undef X

/* A row of the table; bit-sized types stand for integers of their size too. */
typedef struct AtomicRow {
    uint8_t op, type, bits;
    bool is_float;
    ExecLaneOp run;
} AtomicRow;

static bool is_float_row(uint8_t type)
{
    PtxTypeClass c = ptx_type_class((PtxType)type);
    return c == PTX_TYPES_FLOAT || c == PTX_TYPES_PACKED;
}

static ExecLaneOp find_op(const IrInst *inst, uint32_t *bits)
{
    static const AtomicRow rows[] = {
#define X(operation, name, width, expression)                                                                \
    {.op = ATOM_##operation, .type = PTX_TYPE_##name, .bits = width, .run = op_##operation##_##name},
#include "common/vgpu/exec/atomic.def"
#undef X
    };
    uint32_t wanted = ptx_type_bits((PtxType)inst->type);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool same = rows[i].type == inst->type;
        bool bitwise = ptx_type_class((PtxType)rows[i].type) == PTX_TYPES_BITS && rows[i].bits == wanted;
        if (rows[i].op != inst->mode || !(same || bitwise))
            continue;
        *bits = rows[i].bits;
        return rows[i].run;
    }
    return NULL;
}

/* Somebody reads the old value. */
static bool is_read(const IrInst *inst)
{
    return inst->opcode == PTX_ATOM && inst->dst.kind != IR_NONE && !inst->result_unused;
}

/* The result depends on which block, or warp, comes first. */
bool exec_atomic_is_ordered(const IrInst *inst)
{
    switch (inst->mode) {
    case ATOM_EXCH:
    case ATOM_CAS:
    case ATOM_INC:
    case ATOM_DEC:
        return true;
    default:
        return is_read(inst) || is_float_row(inst->type);
    }
}

static ExecLaneOp op_of(const ExecWarp *w, const IrInst *inst)
{
    ExecPc *p = &w->pcs[w->pc];
    uint32_t bits;
    if (!p->atomic)
        p->atomic = find_op(inst, &bits);
    return p->atomic;
}

/* Many lanes that add to one word, and do not ask what it was: one lane adds their sum. */
static bool is_sum(const Request *r)
{
    return r->pattern == PATTERN_UNIFORM && r->kind == ACCESS_REDUCTION && r->inst->mode == ATOM_ADD &&
           (r->inst->type == PTX_TYPE_U32 || r->inst->type == PTX_TYPE_S32) && !r->host && !r->lane_stride;
}

static bool add_sum(const Request *r, ExecLaneOp op, const U32 *b, bool contended)
{
    Request one = *r;
    uint32_t sum[WARP_LANES] = {0};
    one.mask = 1u << r->first;
    for (uint32_t left = r->mask; left; left &= left - 1)
        sum[r->first] += b[first_lane(left)];
    return op(&one, sum, sum, NULL, contended);
}

/* The same of lanes all over memory while other workers are there: one instruction of the host each, not a
 * loop around a comparison. */
static bool is_plain_sum(const Request *r)
{
    return r->kind == ACCESS_REDUCTION && r->inst->mode == ATOM_ADD && !r->host && !r->lane_stride &&
           (r->inst->type == PTX_TYPE_U32 || r->inst->type == PTX_TYPE_S32);
}

static bool add_each(const Request *r, const U32 *b)
{
    uint32_t any = 0;
    for (uint32_t left = r->mask; left; left &= left - 1) {
        int lane = first_lane(left);
        __atomic_fetch_add((U32 *)(r->delta + r->addr[lane]), b[lane], __ATOMIC_SEQ_CST);
        any |= b[lane];
    }
    return any;
}

static void atomic_effect(Request *r)
{
    ExecWarp *w = r->w;
    const IrInst *inst = r->inst;
    const ExecRun *run = w->block->run;
    ExecLaneOp op = op_of(w, inst);
    bool contended = r->space == SPACE_GLOBAL && (run->n_workers > 1 || run->launch->shares_memory);
    const void *b = warp_src(w, &inst->src[1]);
    const void *c = inst->src[2].kind == IR_NONE ? b : warp_src(w, &inst->src[2]);
    if (run->n_watchers)
        request_tell(r, NULL, 0, 0);
    bool changed = is_sum(r) ? add_sum(r, op, b, contended)
                   : contended && is_plain_sum(r)
                       ? add_each(r, b)
                       : op(r, b, c, inst->dst.kind == IR_NONE ? NULL : warp_dst(w, &inst->dst), contended);
    if (changed)
        w->polls = 0;
    else if (r->kind == ACCESS_ATOMIC) /* a reduction shows the program nothing that it could wait for */
        hang_poll(w, r->space, r->low, r->bytes);
    if (r->space == SPACE_GLOBAL)
        request_mark_init(r);
}

EXEC_CLONES static void atomic(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint64_t addr[WARP_LANES] __attribute__((aligned(64)));
    Request r = {.w = w,
                 .inst = inst,
                 .addr = addr,
                 .mask = mask,
                 .space = inst->space,
                 .offset = (uint64_t)inst->offset,
                 .kind = is_read(inst) ? ACCESS_ATOMIC : ACCESS_REDUCTION};
    r.bytes = r.align = ptx_type_bits((PtxType)inst->type) / 8;
    if (inst->space != SPACE_SHARED && exec_atomic_is_ordered(inst) && !exec_turn(w))
        return;
    request_fill(&r);
    if (inst->space == SPACE_GENERIC) {
        request_generic(&r, atomic_effect);
        return;
    }
    request_classify_values(&r, addr, 0);
    if (request_check(&r))
        atomic_effect(&r);
}

IrHandler exec_atomic_handler(const IrInst *inst)
{
    uint32_t bits;
    bool space_fits =
        inst->space == SPACE_GENERIC || inst->space == SPACE_GLOBAL || inst->space == SPACE_SHARED;
    bool operands_fit = inst->n_vec <= 1 && inst->src[1].kind != IR_NONE &&
                        (inst->mode != ATOM_CAS || inst->src[2].kind != IR_NONE);
    if (!space_fits || !operands_fit || !find_op(inst, &bits) || inst->src[1].bytes * 8u < bits ||
        (inst->dst.kind != IR_NONE && inst->dst.bytes * 8u < bits))
        return NULL;
    return atomic;
}
