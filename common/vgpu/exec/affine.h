/* affine: what blocks (wide_value.c) and plans (plan_value.c) know in common of the arithmetic of affine values: of
 * base + x * step[0] + y * step[1] + ..., seen as a number from `low` to `high`, and of predicates that are 1, 0 or -1 (not
 * known). */
#ifndef COMMON_VGPU_EXEC_AFFINE_H
#define COMMON_VGPU_EXEC_AFFINE_H

#include "common/vgpu/exec/exec_internal.h"

static inline bool affine_is_signed(uint8_t type)
{
    return type == PTX_TYPE_S16 || type == PTX_TYPE_S32 || type == PTX_TYPE_S64;
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

/* and, or, not of predicates: one known side may decide. */
static inline int affine_logic(uint16_t opcode, int a, int b)
{
    if (opcode == PTX_NOT)
        return a < 0 ? -1 : !a;
    const int decides = opcode == PTX_OR; /* the value of one side that does */
    if (a == decides || b == decides)
        return decides;
    return a < 0 || b < 0 ? -1 : !decides;
}

#endif
