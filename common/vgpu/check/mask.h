/* Mask: a set of the 128 bytes of a line. */
#ifndef COMMON_VGPU_CHECK_MASK_H
#define COMMON_VGPU_CHECK_MASK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Mask {
    uint64_t low, high;
} Mask;

/* Bytes [from, from + n), n > 0. */
static inline Mask mask_range(unsigned from, unsigned n)
{
    unsigned to = from + n;
    Mask m = {0};
    if (from < 64)
        m.low = (to >= 64 ? UINT64_MAX : ((uint64_t)1 << to) - 1) & UINT64_MAX << from;
    if (to > 64)
        m.high = (to >= 128 ? UINT64_MAX : ((uint64_t)1 << (to - 64)) - 1) &
                 UINT64_MAX << (from > 64 ? from - 64 : 0);
    return m;
}

static inline Mask mask_and(Mask a, Mask b)
{
    return (Mask){a.low & b.low, a.high & b.high};
}

static inline Mask mask_or(Mask a, Mask b)
{
    return (Mask){a.low | b.low, a.high | b.high};
}

static inline Mask mask_without(Mask a, Mask b)
{
    return (Mask){a.low & ~b.low, a.high & ~b.high};
}

static inline bool mask_empty(Mask m)
{
    return !(m.low | m.high);
}

/* The lowest byte of a mask that is not empty. */
static inline unsigned mask_first(Mask m)
{
    return m.low ? (unsigned)__builtin_ctzll(m.low) : 64 + (unsigned)__builtin_ctzll(m.high);
}

#endif
