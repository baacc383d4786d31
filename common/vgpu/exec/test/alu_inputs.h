/* alu_inputs: the sources that a GPU and the handlers both ran on: ALU_N_INPUTS rows of four 64-bit values
 * for each kind.
 *
 * Half of the values are ones that break things (zeros, ends of ranges, NaNs, subnormals, shift counts past
 * the width), the rest is random. The numbers must never change, or alu_cases.def must be recorded again
 * (record_alu.cu). Plain C that is also C++.
 */
#ifndef COMMON_VGPU_EXEC_TEST_ALU_INPUTS_H
#define COMMON_VGPU_EXEC_TEST_ALU_INPUTS_H

#include <stdint.h>
#include <string.h>

enum { ALU_N_INPUTS = 1024 };

typedef enum AluInputs {
    INPUTS_I16,
    INPUTS_I32,
    INPUTS_I64,
    INPUTS_SHIFT16, /* a value, then counts */
    INPUTS_SHIFT32,
    INPUTS_SHIFT64,
    INPUTS_NTH, /* fns: mask, base, offset */
    INPUTS_F32,
    INPUTS_MODERATE, /* f32 of at most 32 */
    INPUTS_F64,
    INPUTS_HALF,    /* any 16 bits four times */
    INPUTS_SHUFFLE, /* value, lane, clamp and segment */
    INPUTS_FEW,     /* values that lanes share */
} AluInputs;

#define ALU_PICK(rng, array) (array)[alu_random(rng) % (sizeof(array) / sizeof((array)[0]))]

/* SplitMix64 */
static inline uint64_t alu_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t alu_integer(uint64_t *rng, unsigned bits)
{
    static const uint64_t edges[] = {0,  1,  2,   3,           7,           31,     32,     33,
                                     63, 64, 100, 0x55555555u, 0xAAAAAAAAu, 0x8000, 0xFFFF, 0x10000};
    const uint64_t top = (uint64_t)1 << (bits - 1), all = top | (top - 1);
    const uint64_t ends[] = {top - 1, top, top + 1, all, all - 1, top >> 1, all >> (bits / 2)};
    const uint64_t choice = alu_random(rng) % 5;
    if (choice == 0)
        return ALU_PICK(rng, edges) & all;
    if (choice < 3)
        return ALU_PICK(rng, ends);
    const uint64_t any = alu_random(rng) & all;
    return choice == 3 ? any >> alu_random(rng) % bits : any;
}

/* Shift counts and field positions: mostly near the widths; under 256 where wider ones are not defined. */
static inline uint64_t alu_count(uint64_t *rng, int any)
{
    static const uint64_t near_width[] = {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255};
    static const uint64_t wide[] = {256, 0x120, 0x80000000u, 0xFFFFFFFFu};
    const uint64_t r = alu_random(rng) % 8;
    if (r < 3)
        return ALU_PICK(rng, near_width);
    if (r == 3 && any)
        return ALU_PICK(rng, wide);
    return alu_random(rng) % 66;
}

static inline uint64_t alu_f32(uint64_t *rng, int moderate)
{
    static const uint32_t edges[] = {
        0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FFFFFFF,
        0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFABCDEF, 0x00000001, 0x80000001, 0x007FFFFF,
        0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F000000, 0xBF000000,
        0x3FC00000, 0x40200000, 0xC0200000, 0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x4F800000,
        0x5F000000, 0xDF000000, 0x5F800000, 0x34000000, 0x33800000, 0x3F7FFFFF, 0x3F800001,
        0x7E800000, 0x7F000000, 0xFE900000, 0x42FE0000, 0x43000000, 0xC3150000, 0x477FE000,
        0x477FF000, 0x33000000, 0x33000001, 0x38800000, 0x387FE000, 0x4B000001, 0x4AFFFFFD};
    const uint64_t r = alu_random(rng) % 16;
    const uint32_t mantissa = (uint32_t)alu_random(rng) & 0x807FFFFFu;
    if (r < (moderate ? 3u : 7u))
        return ALU_PICK(rng, edges);
    if (r < 10 && !moderate)
        return alu_random(rng) & 0xFFFFFFFFu;
    return mantissa | (uint32_t)(115 + alu_random(rng) % (moderate ? 16 : 24)) << 23;
}

static inline uint64_t alu_f64(uint64_t *rng)
{
    static const uint64_t edges[] = {0,
                                     0x8000000000000000u,
                                     0x3FF0000000000000u,
                                     0xBFF0000000000000u,
                                     0x7FF0000000000000u,
                                     0xFFF0000000000000u,
                                     0x7FFFFFFFFFFFFFFFu,
                                     0x7FF8000000000000u,
                                     0xFFF8000000000000u,
                                     0x7FF0000000000001u,
                                     0xFFF80000DEADBEEFu,
                                     0x0000000000000001u,
                                     0x8000000000000001u,
                                     0x000FFFFFFFFFFFFFu,
                                     0x0010000000000000u,
                                     0x7FEFFFFFFFFFFFFFu,
                                     0xFFEFFFFFFFFFFFFFu,
                                     0x3FE0000000000000u,
                                     0xBFE0000000000000u,
                                     0x3FF8000000000000u,
                                     0x4004000000000000u,
                                     0x41E0000000000000u,
                                     0x41DFFFFFFFC00000u,
                                     0xC1E0000000000000u,
                                     0xC1E0000000200000u,
                                     0x41F0000000000000u,
                                     0x43E0000000000000u,
                                     0xC3E0000000000000u,
                                     0x43F0000000000000u,
                                     0x47EFFFFFE0000000u,
                                     0x47EFFFFFF0000000u,
                                     0x47F0000000000000u,
                                     0x36A0000000000000u,
                                     0x3690000000000000u,
                                     0x3690000000000001u,
                                     0x380FFFFFFFFFFFFFu,
                                     0x3FF0000010000000u,
                                     0x3FF0000030000000u,
                                     0x40EFFC0000000000u,
                                     0x40EFFE0000000000u,
                                     0x0008000000000000u,
                                     0x3E6FFFFFFFFFFFFFu,
                                     0x40DFFFE000000000u,
                                     0x40E0000000000000u,
                                     0x406FE00000000000u,
                                     0x4070000000000000u};
    const uint64_t r = alu_random(rng) % 16;
    if (r < 7)
        return ALU_PICK(rng, edges);
    if (r < 10)
        return alu_random(rng);
    const uint64_t mantissa = alu_random(rng) & 0x800FFFFFFFFFFFFFu;
    return mantissa | (983 + alu_random(rng) % 80) << 52;
}

static inline uint64_t alu_half(uint64_t *rng)
{
    static const uint16_t edges[] = {0,      0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7FFF,
                                     0xFE00, 0x7C01, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x7BFF,
                                     0xFBFF, 0x3800, 0x3E00, 0x4100, 0x3F80, 0xBF80, 0x7F80, 0xFF80,
                                     0x7FC0, 0x7F81, 0x0080, 0x007F, 0x807F, 0x7F7F, 0xFF7F, 0x4300};
    uint64_t four = 0;
    for (int i = 0; i < 4; i++)
        four = four << 16 | (alu_random(rng) % 5 < 2 ? ALU_PICK(rng, edges) : alu_random(rng) & 0xFFFF);
    return four;
}

static inline uint64_t alu_shuffle_input(uint64_t *rng, int column)
{
    static const uint64_t clamps[] = {0, 31, 0x181F, 0x1C1F, 0x1E1F, 0x1800, 0x1C00};
    const uint64_t r = alu_random(rng);
    if (column == 0)
        return alu_random(rng);
    if (column == 1)
        return r % 3 ? alu_random(rng) % 34 : alu_random(rng);
    return r % 3 ? ALU_PICK(rng, clamps) : alu_random(rng) & 0x1FFF;
}

static inline uint64_t alu_nth_input(uint64_t *rng, int column)
{
    const uint64_t first = alu_random(rng);
    if (column == 1)
        return first & 31;
    if (column > 1)
        return (first % 17 - 8) & 0xFFFFFFFFu;
    const uint64_t second = alu_random(rng), third = alu_random(rng);
    return first & (second | third) & 0xFFFFFFFFu;
}

static inline uint64_t alu_input(AluInputs kind, int column, uint64_t *rng)
{
    switch (kind) {
    case INPUTS_I16:
    case INPUTS_I32:
    case INPUTS_I64:
        return alu_integer(rng, 16u << (kind - INPUTS_I16));
    case INPUTS_SHIFT16:
    case INPUTS_SHIFT32:
    case INPUTS_SHIFT64: {
        const unsigned bits = 16u << (kind - INPUTS_SHIFT16);
        /* bfi's second source is a value too */
        return column == 0 || (column == 1 && alu_random(rng) % 4 == 0 && bits == 32)
                   ? alu_integer(rng, bits)
                   : alu_count(rng, bits < 64);
    }
    case INPUTS_NTH:
        return alu_nth_input(rng, column);
    case INPUTS_F32:
        return alu_f32(rng, 0);
    case INPUTS_MODERATE:
        return alu_f32(rng, 1);
    case INPUTS_F64:
        return alu_f64(rng);
    case INPUTS_HALF:
        return alu_half(rng);
    case INPUTS_SHUFFLE:
        return alu_shuffle_input(rng, column);
    default:
        return alu_random(rng) % 8 ? 5 : alu_random(rng) % 8;
    }
}

/* Every fourth warp's lanes share one value, for instructions that compare lanes. */
static inline void alu_make_inputs(AluInputs kind, uint64_t rows[ALU_N_INPUTS][4])
{
    uint64_t rng = 0x5EED0000u + (uint64_t)kind;
    for (int row = 0; row < ALU_N_INPUTS; row++)
        for (int column = 0; column < 4; column++) {
            const uint64_t value = alu_input(kind, column, &rng);
            const int shared = kind == INPUTS_FEW && row / 32 % 4 == 0 && row % 32 != 0;
            rows[row][column] = shared ? rows[row - 1][column] : value;
        }
}

/* FNV-1a over all results of a case. */
static inline uint64_t alu_hash(const uint64_t *results, int n)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (int i = 0; i < n; i++)
        for (int byte = 0; byte < 8; byte++)
            h = (h ^ (results[i] >> 8 * byte & 0xFF)) * 0x100000001B3u;
    return h;
}

#endif
