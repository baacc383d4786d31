/* affine: values that are one formula in all threads. Theory of operation:
 *
 *   base + x * step[0] + y * step[1] + z * step[2]                                    of a block: thread (x, y, z)
 *        + X * step[3] + Y * step[4] + Z * step[5]                                    of a grid: and block (X, Y, Z)
 *
 * Blocks whose warps go together (wide.h) know registers as the first, plans (plan.h) as the second: the arithmetic is
 * the same, over three steps or six. It is modulo the register's width, as the threads' own is; sums and products with
 * what all threads have keep the form. Where a value is looked at as a number (comparisons, wider results, addresses),
 * no thread's may wrap, which the ends of its range show.
 */
#ifndef COMMON_VGPU_EXEC_AFFINE_AFFINE_H
#define COMMON_VGPU_EXEC_AFFINE_AFFINE_H

#include "common/vgpu/exec/exec_internal.h"

enum { AFFINE_BLOCK = 3, AFFINE_GRID = 6 }; /* how many steps are in use */

/* Largest number that is looked at: sums of a few more stay within 64 bits. */
#define AFFINE_MAX ((int64_t)1 << 60)

typedef struct AffineValue {
    uint64_t base; /* no more bits than the register */
    int64_t step[AFFINE_GRID];
} AffineValue;

/* What a register holds. */
enum {
    HELD_NOTHING = 0, /* never written, reads as 0 */
    HELD_LANES = 1,   /* the warps' register files hold it, as always */
    HELD_AFFINE = 2,  /* it has an affine value; register files need not hold it, unless HELD_LANES is there as well */
    HELD_FALSE = 2,   /* predicates: all threads have this one */
    HELD_TRUE = 4,
};

/* What is known of the registers of a function. */
typedef struct AffineState {
    const ExecRun *run;
    const uint8_t *pool;
    uint8_t *held;              /* HELD_...: by a register's offset in the file / 4 */
    AffineValue *values;        /* by offset / 64 */
    int dims;                   /* AFFINE_BLOCK or AFFINE_GRID */
    uint32_t most[AFFINE_GRID]; /* largest index */
} AffineState;

static inline bool affine_is_uniform(const AffineValue *x, int dims)
{
    int64_t steps = 0;
    for (int i = 0; i < dims; i++)
        steps |= x->step[i];
    return steps == 0;
}

/* Whether all threads' values are multiples of `bytes`, a power of two. */
static inline bool affine_is_aligned(const AffineValue *x, const uint32_t *most, int dims, unsigned bytes)
{
    uint64_t odd = x->base;
    for (int i = 0; i < dims; i++)
        odd |= most[i] ? (uint64_t)x->step[i] : 0;
    return (odd & (bytes - 1)) == 0;
}

/* The value as a number: cut to a register's width, with its sign. */
EXEC_INLINE int64_t affine_cut(uint64_t x, unsigned bytes)
{
    return bytes == 4 ? (int32_t)x : bytes == 2 ? (int16_t)x : (int64_t)x;
}

/* What the threads of a block add to the base, at least and at most. False: some thread's value in the block or the grid
 * may not be the number that the formula gives. */
EXEC_INLINE bool affine_range(const AffineValue *x, const uint32_t *most, int dims, bool is_signed,
                              unsigned bytes, int64_t *below, int64_t *above)
{
    const int64_t base = is_signed ? affine_cut(x->base, bytes) : (int64_t)x->base;
    uint64_t low = 0, high = 0;
    bool large = base < -AFFINE_MAX || base > AFFINE_MAX;
    *below = *above = 0;
    for (int i = 0; i < dims; i++) {
        int64_t reach;
        large |= __builtin_mul_overflow(x->step[i], (int64_t)most[i], &reach);
        large |= reach < -AFFINE_MAX || reach > AFFINE_MAX;
        low += (uint64_t)(reach < 0 ? reach : 0);
        high += (uint64_t)(reach < 0 ? 0 : reach);
        if (i == AFFINE_BLOCK - 1) {
            *below = (int64_t)low;
            *above = (int64_t)high;
        }
    }
    const int64_t least = base + (large ? 0 : (int64_t)low), greatest = base + (large ? 0 : (int64_t)high);
    if (large || least < (is_signed ? -AFFINE_MAX : 0) || greatest > AFFINE_MAX)
        return false;
    return bytes == 8 || (is_signed ? least >= INT32_MIN && greatest <= INT32_MAX : greatest <= UINT32_MAX);
}

/* Where a - b must be for a comparison of a with b to come out as it does in all threads. */
typedef struct AffineSide {
    bool decided, outcome;
    bool from, to; /* low >= at_least, high <= at_most */
    int64_t at_least, at_most;
} AffineSide;

/* low, high: of a - b. */
EXEC_INLINE AffineSide affine_side(uint8_t cmp, int64_t low, int64_t high)
{
    const bool less = high < 0, more = low > 0;
    switch (cmp) {
    case CMP_EQ:
    case CMP_NE:
        if (low == 0 && high == 0)
            return (AffineSide){true, cmp == CMP_EQ, true, true, 0, 0};
        return (AffineSide){less || more, cmp == CMP_NE, more, less, 1, -1};
    case CMP_LT:
    case CMP_LO:
        return (AffineSide){less || low >= 0, less, !less, less, 0, -1};
    case CMP_LE:
    case CMP_LS:
        return (AffineSide){more || high <= 0, !more, more, !more, 1, 0};
    case CMP_GT:
    case CMP_HI:
        return (AffineSide){more || high <= 0, more, more, !more, 1, 0};
    case CMP_GE:
    case CMP_HS:
        return (AffineSide){less || low >= 0, !less, !less, less, 0, -1};
    default:
        return (AffineSide){0};
    }
}

/* and, or, not of predicates (1, 0; -1: not known): one known side may decide. */
static inline int affine_logic(uint16_t opcode, int a, int b)
{
    if (opcode == PTX_NOT)
        return a < 0 ? -1 : !a;
    const int decides = opcode == PTX_OR; /* the value of one side that does */
    if (a == decides || b == decides)
        return decides;
    return a < 0 || b < 0 ? -1 : !decides;
}

/* The operand's value, NULL if it has none that is known. A constant is put into room. */
const AffineValue *affine_known(const AffineState *s, const IrOperand *o, AffineValue *room);
/* 1 or 0 when the predicate is the same in all threads, else -1. */
int affine_predicate(const AffineState *s, const IrOperand *o);
/* A register, or a predicate (bytes 0: bit 0), becomes the same in all threads. */
void affine_set_uniform(AffineState *s, const IrOperand *o, uint64_t bits);
/* A register becomes thread index 0, 1, 2 (x, y, z) or block index 3, 4, 5. */
void affine_set_index(AffineState *s, const IrOperand *o, int dim);
/* Of a comparison: d is a - b as numbers, and below and above what the threads of a block add to its base. False: not
 * known, or one of them might wrap. */
bool affine_difference(const AffineState *s, const IrInst *inst, AffineValue *d, int64_t *below,
                       int64_t *above);
/* Does an instruction on known values: all with a form but special registers, and comparisons of a grid, whose outcome
 * depends on the block. False: nothing was done. */
bool affine_compute(AffineState *s, const IrInst *inst);
/* Does an instruction whose sources are the same in all threads, by its handler, in this warp alone. there: HELD_ flags of
 * what the warp's register file holds already. False: nothing was done. */
bool affine_compute_once(AffineState *s, const IrInst *inst, ExecWarp *warp, uint8_t there);

#endif
