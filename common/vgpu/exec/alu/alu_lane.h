/* alu_lane: arrays of 32 lanes, and loops over them that the compiler vectorises.
 *
 * A register is an array of 32 elements. A handler's loop reads lane i of its sources and writes lane i of
 * its destination, which may be the very array of a source, so iterations never depend on each other: LANES
 * tells the compiler. The element types may alias: one register is read as u32 here and as f32 there.
 *
 * Under a partial mask a handler computes all 32 lanes into a local array and blends it: 224 million warp
 * instructions a second against 59 million when lanes are picked one by one. So every operation must be
 * defined for any bits in the lanes that are off.
 *
 * Included by the alu_*.c variants after their target pragma, so that each gets helpers of its own.
 */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_LANE_H
#define COMMON_VGPU_EXEC_ALU_ALU_LANE_H

#include "common/vgpu/exec/alu/warp.h"

#include <string.h>

#define LANE_TYPE(Name, type) typedef type Name __attribute__((may_alias))
LANE_TYPE(LaneU16, uint16_t);
LANE_TYPE(LaneS16, int16_t);
LANE_TYPE(LaneU32, uint32_t);
LANE_TYPE(LaneS32, int32_t);
LANE_TYPE(LaneU64, uint64_t);
LANE_TYPE(LaneS64, int64_t);
LANE_TYPE(LaneF32, float);
LANE_TYPE(LaneF64, double);
/* Types without a C type of their own are bits. */
typedef LaneU16 LaneB16, LaneF16, LaneBF16;
typedef LaneU32 LaneB32, LaneF16X2, LaneBF16X2, LaneU16X2, LaneS16X2, LaneTF32;
typedef LaneU64 LaneB64;
#undef LANE_TYPE

/* clang does not know the pragma, and looks while the program runs whether arrays overlap. */
#ifdef __clang__
#define LANES_ALONE
#else
#define LANES_ALONE _Pragma("GCC ivdep")
#endif
#define LANES(lane) LANES_ALONE for (int lane = 0; lane < WARP_LANES; lane++)
/* The halves of a warp: 32, or 64 when packed. */
#define HALVES(i, count) LANES_ALONE for (int i = 0; i < (count); i++)

/* Of a function that a rounding mode is set around: no arithmetic leaves it. */
#ifdef __clang__
#define LANES_APART __attribute__((noinline))
#else
#define LANES_APART __attribute__((noipa))
#endif

/* lane_bit32[i] == 1 << i: a table, because a vector of shift counts costs more than a load. */
#define BITS4(w, i) (w)1 << (i), (w)1 << ((i) + 1), (w)1 << ((i) + 2), (w)1 << ((i) + 3)
#define BITS32(w)                                                                                            \
    BITS4(w, 0), BITS4(w, 4), BITS4(w, 8), BITS4(w, 12), BITS4(w, 16), BITS4(w, 20), BITS4(w, 24),           \
        BITS4(w, 28)
static const uint32_t lane_bit32[WARP_LANES] = {BITS32(uint32_t)};
static const uint64_t lane_bit64[WARP_LANES] = {BITS32(uint64_t)};
#undef BITS32
#undef BITS4

/* dst[i] = src[i] in the lanes of mask, for elements of 2, 4 and 8 bytes. */
static inline void lane_blend2(void *dst, const void *src, uint32_t mask)
{
    LaneU16 *d = dst;
    const LaneU16 *s = src;
    LANES(i) d[i] = mask & lane_bit32[i] ? s[i] : d[i];
}

static inline void lane_blend4(void *dst, const void *src, uint32_t mask)
{
    LaneU32 *d = dst;
    const LaneU32 *s = src;
    LANES(i) d[i] = mask & lane_bit32[i] ? s[i] : d[i];
}

static inline void lane_blend8(void *dst, const void *src, uint32_t mask)
{
    LaneU64 *d = dst;
    const LaneU64 *s = src;
    LANES(i) d[i] = mask & lane_bit64[i] ? s[i] : d[i];
}

/* Out of line: one copy serves every handler, and the full mask never gets here. */
static __attribute__((noinline)) void lane_blend(void *dst, const void *src, uint32_t mask, unsigned bytes)
{
    if (bytes == 2)
        lane_blend2(dst, src, mask);
    else if (bytes == 4)
        lane_blend4(dst, src, mask);
    else
        lane_blend8(dst, src, mask);
}

/* Writes a finished array to the destination, in the lanes of mask. */
static inline void lane_store(const ExecWarp *warp, const IrInst *inst, const void *result, uint32_t mask,
                              unsigned bytes)
{
    if (mask == FULL_MASK)
        memcpy(warp_dst(warp, &inst->dst), result, (size_t)bytes * WARP_LANES);
    else
        lane_blend(warp_dst(warp, &inst->dst), result, mask, bytes);
}

/* Reinterpretation of bits. */
static inline float f32_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bits_of_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint64_t bits_of_f64(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
