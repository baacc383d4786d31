/* Single-precision sums, differences, products and fused multiply-adds of a whole block, from registers or
 * straight from memory: see plan.h. Round to nearest, no flush to zero; every NaN is the one (alu_float.h).
 */
#include "common/vgpu/exec/affine/plan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float __attribute__((may_alias)) F32;
typedef float V8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t I8 __attribute__((vector_size(32), aligned(4), may_alias));

/* Vectors are passed to functions that are part of their caller. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define NAN_BITS ((I8){0} + 0x7FFFFFFF)

PlanFloatOp plan_float_op(const IrInst *inst)
{
    if (inst->type != PTX_TYPE_F32 || inst->round > ROUND_RN || inst->ftz || inst->sat || inst->vec ||
        inst->dst.kind != IR_REG)
        return PLAN_NO_FLOAT;
    switch (inst->opcode) {
    case PTX_ADD:
        return PLAN_ADD;
    case PTX_SUB:
        return PLAN_SUB;
    case PTX_MUL:
        return PLAN_MUL;
    case PTX_FMA:
    case PTX_MAD:
        return PLAN_FMA;
    default:
        return PLAN_NO_FLOAT;
    }
}

/* Where a row of a source begins, and how far it is to the next row, and to the next warp's first one. */
typedef struct Stream {
    const uint8_t *at;
    int64_t row, warp;
} Stream;

typedef struct Job {
    Stream src[PLAN_SOURCES];
    uint8_t *dst;
    size_t dst_warp;
    uint32_t n_warps;
} Job;

typedef void RunOp(PlanFloatOp op, Job *j, bool half, bool a_alike, bool b_alike);

EXEC_INLINE V8 multiply_add_base(V8 a, V8 b, V8 c)
{
    V8 x;
    for (int i = 0; i < 8; i++)
        x[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return x;
}

/* do_rows: n lanes a row; of a source that is alike the first element is that of all. The rest picks
 * constants for it. Built for more than one instruction set: TARGET says which. */
#define DEFINE_RUN(name, TARGET, multiply_add)                                                               \
    TARGET EXEC_INLINE V8 name##_compute(PlanFloatOp op, V8 a, V8 b, V8 c)                                   \
    {                                                                                                        \
        V8 x;                                                                                                \
        if (op == PLAN_ADD)                                                                                  \
            x = a + b;                                                                                       \
        else if (op == PLAN_SUB)                                                                             \
            x = a - b;                                                                                       \
        else if (op == PLAN_MUL)                                                                             \
            x = a * b;                                                                                       \
        else                                                                                                 \
            x = multiply_add(a, b, c);                                                                       \
        const I8 number = x == x;                                                                            \
        return (V8)(((I8)x & number) | (NAN_BITS & ~number));                                                \
    }                                                                                                        \
    TARGET EXEC_INLINE void name##_rows(PlanFloatOp op, int n, bool a_alike, bool b_alike, Job *j)           \
    {                                                                                                        \
        Stream a = j->src[0], b = j->src[1], c = j->src[2];                                                  \
        uint8_t *to = j->dst;                                                                                \
        for (uint32_t w = 0; w < j->n_warps; w++, to += j->dst_warp - WARP_LANES * 4) {                      \
            for (int at = 0; at < WARP_LANES; at += n, to += n * 4) {                                        \
                const V8 a0 = *(const F32 *)a.at - (V8){0}, b0 = *(const F32 *)b.at - (V8){0};               \
                for (int i = 0; i < n * 4; i += 32)                                                          \
                    *(V8 *)(to + i) = name##_compute(op, a_alike ? a0 : *(const V8 *)(a.at + i),             \
                                                     b_alike ? b0 : *(const V8 *)(b.at + i),                 \
                                                     op == PLAN_FMA ? *(const V8 *)(c.at + i) : (V8){0});    \
                a.at += a.row, b.at += b.row, c.at += c.row;                                                 \
            }                                                                                                \
            a.at += a.warp, b.at += b.warp, c.at += c.warp;                                                  \
        }                                                                                                    \
    }                                                                                                        \
    TARGET EXEC_INLINE void name##_alike(PlanFloatOp op, int n, bool a_alike, bool b_alike, Job *j)          \
    {                                                                                                        \
        if (a_alike && b_alike)                                                                              \
            name##_rows(op, n, true, true, j);                                                               \
        else if (a_alike)                                                                                    \
            name##_rows(op, n, true, false, j);                                                              \
        else if (b_alike)                                                                                    \
            name##_rows(op, n, false, true, j);                                                              \
        else                                                                                                 \
            name##_rows(op, n, false, false, j);                                                             \
    }                                                                                                        \
    TARGET EXEC_INLINE void name##_op(PlanFloatOp op, int n, bool a_alike, bool b_alike, Job *j)             \
    {                                                                                                        \
        if (op == PLAN_ADD)                                                                                  \
            name##_alike(PLAN_ADD, n, a_alike, b_alike, j);                                                  \
        else if (op == PLAN_SUB)                                                                             \
            name##_alike(PLAN_SUB, n, a_alike, b_alike, j);                                                  \
        else if (op == PLAN_MUL)                                                                             \
            name##_alike(PLAN_MUL, n, a_alike, b_alike, j);                                                  \
        else                                                                                                 \
            name##_alike(PLAN_FMA, n, a_alike, b_alike, j);                                                  \
    }                                                                                                        \
    TARGET static void name(PlanFloatOp op, Job *j, bool half, bool a_alike, bool b_alike)                   \
    {                                                                                                        \
        if (half)                                                                                            \
            name##_op(op, WARP_LANES / 2, a_alike, b_alike, j);                                              \
        else                                                                                                 \
            name##_op(op, WARP_LANES, a_alike, b_alike, j);                                                  \
    }

DEFINE_RUN(run_base, , multiply_add_base)
#if defined(__x86_64__)
DEFINE_RUN(run_v3, __attribute__((target("avx2,fma"))), (V8)_mm256_fmadd_ps)
#endif

/* What this machine can run. */
static RunOp *best_run(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return run_v3;
#endif
    return run_base;
}

static Stream stream_of(const ExecBlock *b, const PlanSource *s, const int64_t *shifts, int64_t row_bytes)
{
    if (s->kind == IR_CONST)
        return (Stream){b->warps[0].base.pool + s->off, row_bytes, -WARP_LANES * 4};
    if (s->kind == IR_REG)
        return (Stream){b->regs + s->off, row_bytes, (int64_t)b->wide->reg_stride - WARP_LANES * 4};
    const uintptr_t at = s->at + (uintptr_t)shifts[s->move] + (s->shared ? (uintptr_t)b->shared : 0);
    return (Stream){(const uint8_t *)at, s->row_step, 0};
}

void plan_float(const ExecBlock *b, const PlanStep *step, const int64_t *shifts)
{
    const bool half = b->wide->row_lanes == WARP_LANES / 2;
    const PlanSource *s = step->src;
    Job j = {.dst = b->regs + step->off, .dst_warp = b->wide->reg_stride, .n_warps = b->wide->n_warps};
    for (int k = 0; k < PLAN_SOURCES; k++)
        j.src[k] = stream_of(b, &s[k], shifts, half ? WARP_LANES * 2 : WARP_LANES * 4);
    best_run()((PlanFloatOp)step->op, &j, half, s[0].alike, s[1].alike);
}
