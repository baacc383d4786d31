/* alu_int: the integer operations that are more than one C expression. All are defined for any bits. */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_INT_H
#define COMMON_VGPU_EXEC_ALU_ALU_INT_H

#include "common/vgpu/exec/alu/alu_lane.h"

typedef unsigned __int128 Wide128;
typedef __int128 SignedWide128;

static inline int32_t clamp_s32(int64_t x)
{
    return (int32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

/* Two 16-bit sums in one word: the top bits are added without their carry. */
static inline uint32_t add_u16x2(uint32_t a, uint32_t b)
{
    return ((a & 0x7FFF7FFFu) + (b & 0x7FFF7FFFu)) ^ ((a ^ b) & 0x80008000u);
}

static inline uint32_t pack_u16x2(uint32_t low, uint32_t high)
{
    return (low & 0xFFFFu) | high << 16;
}

static inline int32_t half_s16(uint32_t x, int i)
{
    return (int16_t)(x >> 16 * i);
}

static inline uint32_t min_s16x2(uint32_t a, uint32_t b)
{
    const int32_t low = half_s16(a, 0) < half_s16(b, 0) ? half_s16(a, 0) : half_s16(b, 0);
    const int32_t high = half_s16(a, 1) < half_s16(b, 1) ? half_s16(a, 1) : half_s16(b, 1);
    return pack_u16x2((uint32_t)low, (uint32_t)high);
}

static inline uint32_t max_s16x2(uint32_t a, uint32_t b)
{
    const int32_t low = half_s16(a, 0) > half_s16(b, 0) ? half_s16(a, 0) : half_s16(b, 0);
    const int32_t high = half_s16(a, 1) > half_s16(b, 1) ? half_s16(a, 1) : half_s16(b, 1);
    return pack_u16x2((uint32_t)low, (uint32_t)high);
}

static inline uint32_t min_u16x2(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xFFFFu) < (b & 0xFFFFu) ? a : b;
    const uint32_t high = a >> 16 < b >> 16 ? a >> 16 : b >> 16;
    return pack_u16x2(low, high);
}

static inline uint32_t max_u16x2(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xFFFFu) > (b & 0xFFFFu) ? a : b;
    const uint32_t high = a >> 16 > b >> 16 ? a >> 16 : b >> 16;
    return pack_u16x2(low, high);
}

/* Division. By zero PTX leaves the result open; here it is what hardware gives, for quotient and remainder of
 * every type: all ones, and never a trap. The smallest integer over -1 wraps: it is itself, remainder 0. */
static inline uint32_t div_u32(uint32_t a, uint32_t b)
{
    return b ? a / b : UINT32_MAX;
}

static inline uint32_t rem_u32(uint32_t a, uint32_t b)
{
    return b ? a % b : UINT32_MAX;
}

static inline int32_t div_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}

static inline int32_t rem_s32(int32_t a, int32_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

static inline uint64_t div_u64(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t rem_u64(uint64_t a, uint64_t b)
{
    return b ? a % b : UINT64_MAX;
}

static inline int64_t div_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}

static inline int64_t rem_s64(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

/* Low 24 bits, zero- and sign-extended. */
static inline uint64_t low24(uint32_t x)
{
    return x & 0xFFFFFFu;
}

static inline int64_t low24_signed(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

static inline uint32_t byte_of(uint32_t x, int i)
{
    return x >> 8 * i & 0xFFu;
}

static inline int32_t byte_signed(uint32_t x, int i)
{
    return (int8_t)(x >> 8 * i);
}

/* One 8-bit (dp4a) or 16-bit (dp2a) element as a signed number; is_signed is a constant. */
static inline int32_t element8(uint32_t x, int i, bool is_signed)
{
    return is_signed ? byte_signed(x, i) : (int32_t)byte_of(x, i);
}

static inline int32_t element16(uint32_t x, int i, bool is_signed)
{
    return is_signed ? half_s16(x, i) : (int32_t)(x >> 16 * i & 0xFFFFu);
}

static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
    for (int i = 0; i < 4; i++)
        c += (uint32_t)(element8(a, i, a_signed) * element8(b, i, b_signed));
    return c;
}

static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed, int first)
{
    for (int i = 0; i < 2; i++)
        c += (uint32_t)(element16(a, i, a_signed) * element8(b, first + i, b_signed));
    return c;
}

#endif
