/* Inputs: values that are worth asking for, of each class, from the seed. A quarter or more are edges. */
#include "common/vgpu/differential/differential.h"

static uint64_t pick_value(Rng *rng, const uint64_t *values, size_t n)
{
    return values[rng_below(rng, n)];
}
#define PICK(rng, values) pick_value(rng, values, sizeof(values) / sizeof(values)[0])

static uint64_t make_integer(Rng *rng)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     ~(uint64_t)0,
                                     0x7F,
                                     0x80,
                                     0xFF,
                                     0x7FFF,
                                     0x8000,
                                     0xFFFF,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     (uint64_t)1 << 63,
                                     INT64_MAX,
                                     0x100000000,
                                     0x80808080,
                                     0x7F80FF01};
    const uint64_t kind = rng_below(rng, 4);
    if (kind == 0)
        return PICK(rng, edges);
    if (kind == 1)
        return rng_below(rng, 80);
    const uint64_t bits = rng_next(rng);
    return kind == 2 ? bits >> rng_below(rng, 64) : bits;
}

/* A float of the given mantissa and exponent bits: edges, values near 1, any bits. NaNs have any payload. */
static uint64_t make_float(Rng *rng, int mantissa, int exponent)
{
    const uint64_t sign = rng_below(rng, 2) << (mantissa + exponent);
    const uint64_t top = ((uint64_t)1 << exponent) - 1, fraction = ((uint64_t)1 << mantissa) - 1;
    const uint64_t bits = rng_next(rng) & fraction;
    switch (rng_below(rng, 8)) {
    case 0: { /* zero, least and greatest subnormal, least and greatest normal, one, infinity, NaN */
        const uint64_t edges[] = {0,
                                  1,
                                  fraction,
                                  fraction + 1,
                                  (top - 1) << mantissa | fraction,
                                  (top >> 1) << mantissa,
                                  top << mantissa,
                                  top << mantissa | (bits ? bits : 1)};
        return sign | PICK(rng, edges);
    }
    case 1:
        return sign | bits; /* subnormal */
    case 2:
    case 3:
        return sign | rng_below(rng, top) << mantissa | bits;
    case 4: /* few bits: ties */
        return sign | ((top >> 1) - 4 + rng_below(rng, 9)) << mantissa | (bits & ~(fraction >> 3));
    default:
        return sign | ((top >> 1) - 3 + rng_below(rng, 7)) << mantissa | bits;
    }
}

static uint64_t make_value(Rng *rng, Class class)
{
    switch (class) {
    case CLASS_F:
        return make_float(rng, 23, 8);
    case CLASS_E:
        return make_float(rng, 52, 11);
    case CLASS_G:
        return make_float(rng, 10, 5);
    case CLASS_X: {
        const uint64_t low = make_float(rng, 10, 5);
        return low | make_float(rng, 10, 5) << 16;
    }
    case CLASS_P:
        return rng_below(rng, 2);
    default:
        return make_integer(rng);
    }
}

void inputs_make(uint64_t seed, Family family, uint64_t in[N_CLASSES * N_INPUTS][THREADS],
                 uint64_t own[OWN_BYTES / 8])
{
    Rng rng = {rng_mix(seed * N_FAMILIES + (uint64_t)family + 0x1234567)};
    for (int i = 0; i < N_CLASSES * N_INPUTS; i++)
        for (int t = 0; t < THREADS; t++)
            in[i][t] = make_value(&rng, (Class)(i / N_INPUTS));
    for (int i = 0; i < OWN_BYTES / 8; i++)
        own[i] = make_integer(&rng);
}
