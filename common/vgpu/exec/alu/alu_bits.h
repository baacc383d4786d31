/* alu_bits: shifts, bit fields, permutes and counts (PTX ISA 9.7.1, 9.7.8). PTX shifts clamp where C leaves
 * them undefined. */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_BITS_H
#define COMMON_VGPU_EXEC_ALU_ALU_BITS_H

#include "common/base/bits.h"
#include "common/vgpu/exec/alu/alu_int.h"

/* shf: the 64-bit value b:a shifted by n (0 to 32); left gives the upper word, right the lower. */
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* The lowest n bits, n from 0 to 64. */
static inline uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* bfe: len bits of a from pos on; beyond the top, and above len, the sign bit of the field (0 when unsigned
 * or empty). */
static inline uint64_t extract_field(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed)
{
    pos &= 0xFF;
    len &= 0xFF;
    const uint32_t last = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    const uint64_t sign = is_signed && len ? a >> last & 1 : 0;
    const uint32_t available = pos < width ? width - pos : 0, taken = len < available ? len : available;
    const uint64_t field = pos < 64 ? a >> pos & low_bits(taken) : 0;
    return sign ? field | ~low_bits(taken) : field;
}

/* bfi: b with len bits from pos on replaced by the lowest of a; what falls off the top is lost. */
static inline uint64_t insert_field(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
    pos &= 0xFF;
    len &= 0xFF;
    const uint64_t field = pos < 64 ? low_bits(len) << pos : 0;
    return (b & ~field) | ((pos < 64 ? a << pos : 0) & field);
}

/* bfind: place of the highest bit that is not a copy of the sign, counted from bit 0; all ones when there is
 * none. */
static inline uint32_t find_bit32(uint32_t a)
{
    return a ? 31u - (uint32_t)__builtin_clz(a) : UINT32_MAX;
}

static inline uint32_t find_bit64(uint64_t a)
{
    return a ? 63u - (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

/* bfind.shiftamt: the shift that would bring it to the top. */
static inline uint32_t shift_to_top(uint32_t found, uint32_t width)
{
    return found == UINT32_MAX ? found : width - 1 - found;
}

static inline uint32_t reverse_bits32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    x = (x >> 8 & 0x00FF00FFu) | (x & 0x00FF00FFu) << 8;
    return x >> 16 | x << 16;
}

static inline uint64_t reverse_bits64(uint64_t x)
{
    return (uint64_t)reverse_bits32((uint32_t)x) << 32 | reverse_bits32((uint32_t)(x >> 32));
}

static inline uint32_t count_bits64(uint64_t x)
{
    return bits_count((uint32_t)x) + bits_count((uint32_t)(x >> 32));
}

/* fns: the n-th set bit of mask from base on, upwards when n > 0, downwards when n < 0; n = 0 asks for base
 * itself. */
static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    base &= 31;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    const int step = n > 0 ? 1 : -1;
    uint32_t left = n > 0 ? (uint32_t)n : 0u - (uint32_t)n;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* bmsk: b ones from bit a on. Counts of 32 and more mean "everything above" (clamp), or are taken modulo 32
 * (wrap). */
static inline uint32_t make_mask(uint32_t a, uint32_t b, bool clamp)
{
    const uint32_t start = a & 31, end = start + (b & 31);
    const uint32_t from = clamp && a >= 32 ? 0 : UINT32_MAX << start;
    const uint32_t above = end >= 32 || (clamp && (a >= 32 || b >= 32)) ? 0 : UINT32_MAX << (end & 31);
    return from & ~above;
}

/* szext: the lowest b bits of a, extended by zeros or by their top bit. */
static inline uint32_t extend_low(uint32_t a, uint32_t b, bool clamp, bool is_signed)
{
    const uint32_t n = b & 31;
    const bool whole = clamp && b >= 32;
    const uint32_t above = whole ? 0 : UINT32_MAX << n;
    const bool sign = is_signed && n && !whole && a >> ((n - 1) & 31) & 1;
    return (a & ~above) | (sign ? above : 0);
}

/* prmt: any four of the eight bytes of b:a. The other modes are the default one with a selector made from two
 * bits. */
static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t pick = selector >> 4 * i & 0xF;
        const uint32_t byte = (uint32_t)(bytes >> 8 * (pick & 7)) & 0xFF;
        const uint32_t sign = (0u - (byte >> 7)) & 0xFF;
        d |= (pick & 8 ? sign : byte) << 8 * i;
    }
    return d;
}

/* The selectors of the modes, for control bits 0 to 3 (PTX ISA, table of prmt modes). */
static inline uint32_t permute_selector(IrPrmt mode, uint32_t c)
{
    static const uint16_t selectors[][4] = {
        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    return mode == PRMT_DEFAULT ? c : selectors[mode][c & 3];
}

/* lop3: any function of three bits; bit 4a + 2b + c of the table is its value. */
static inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, const uint32_t term[8])
{
    return (~a & ~b & ~c & term[0]) | (~a & ~b & c & term[1]) | (~a & b & ~c & term[2]) |
           (~a & b & c & term[3]) | (a & ~b & ~c & term[4]) | (a & ~b & c & term[5]) |
           (a & b & ~c & term[6]) | (a & b & c & term[7]);
}

#endif
