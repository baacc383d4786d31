/* Rng: a small seeded generator, the same numbers on every machine.
 *
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 */
#ifndef COMMON_BASE_RNG_H
#define COMMON_BASE_RNG_H

#include <stdint.h>

typedef struct Rng {
    uint64_t state;
} Rng;

static inline uint64_t rng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t rng_next(Rng *r)
{
    r->state += 0x9E3779B97F4A7C15u;
    return rng_mix(r->state);
}

/* Uniform in [0, bound); bound > 0. */
static inline uint64_t rng_below(Rng *r, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)rng_next(r) * bound) >> 64);
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_unit(Rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

#endif
