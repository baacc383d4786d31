/* access: one memory instruction of a warp in one space: which lanes, which addresses, and where the bytes
 * are. */
#ifndef COMMON_VGPU_EXEC_ACCESS_H
#define COMMON_VGPU_EXEC_ACCESS_H

#include "common/vgpu/exec/exec_internal.h"

/* Registers and memory are read as whatever type the instruction names. */
typedef uint8_t __attribute__((may_alias)) U8;
typedef uint16_t __attribute__((may_alias)) U16;
typedef uint32_t __attribute__((may_alias)) U32;
typedef uint64_t __attribute__((may_alias)) U64;
typedef int8_t __attribute__((may_alias)) S8;
typedef int16_t __attribute__((may_alias)) S16;
typedef int32_t __attribute__((may_alias)) S32;
typedef int64_t __attribute__((may_alias)) S64;

typedef struct Request {
    ExecWarp *w;
    const IrInst *inst;
    uint64_t *addr;  /* [32], filled when the pattern is other, or when asked for */
    uint64_t offset; /* added to the base register */
    bool filled;
    uint32_t mask;
    uint32_t bytes; /* of a lane */
    uint32_t align;
    uint8_t kind, space, pattern;       /* ExecAccessKind, IrSpace (not generic), ExecPattern */
    uint8_t group_lanes, group_pattern; /* as in ExecAccess */
    bool solid;                         /* unit stride without a hole in the mask */
    int first;                          /* active lane */
    uint64_t low;                       /* its address */
    uint64_t span; /* uniform, unit stride: bytes from the first lane's to the end of the last one's */
    /* where: host address = delta + address + lane * lane_stride, or host[lane] when allocations differ */
    uintptr_t delta;
    uint64_t lane_stride;
    uint8_t **host;
    MemAlloc *alloc; /* global: of all lanes, or NULL */
    uint8_t *hosts[WARP_LANES];
} Request;

/* Host address of a lane's bytes; addr must be filled. */
EXEC_INLINE uint8_t *request_host(const Request *r, int lane)
{
    if (r->host)
        return r->host[lane];
    return (uint8_t *)(r->delta + r->addr[lane] + (uint64_t)lane * r->lane_stride);
}

/* The same for the first active lane, filled or not. */
EXEC_INLINE uint8_t *request_first_host(const Request *r)
{
    if (r->host)
        return r->host[r->first];
    return (uint8_t *)(r->delta + r->low + (uint64_t)r->first * r->lane_stride);
}

/* The active lanes' bytes are `span` from `low` on. */
EXEC_INLINE bool request_is_solid(const Request *r)
{
    return r->pattern == PATTERN_UNIFORM || (r->pattern == PATTERN_UNIT_STRIDE && r->solid);
}

/* Fills addr with base + offset in all lanes. 32-bit addresses wrap: s[n - i] is a negative register plus an
 * offset. */
EXEC_INLINE void request_fill(Request *r)
{
    const IrOperand *o = &r->inst->src[0];
    uint64_t *addr = r->addr, offset = r->offset;
    r->filled = true;
    if (o->kind == IR_NONE) {
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = offset;
    } else if (o->bytes == 8) {
        const U64 *base = warp_src(r->w, o);
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = base[i] + offset;
    } else {
        const U32 *base = warp_src(r->w, o);
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = (uint32_t)(base[i] + (uint32_t)offset);
    }
}

/* Whether each group of `lanes` values is all alike, or each goes up by 1 << shift. */
EXEC_INLINE void classify_groups(const U64 *values, int lanes, int shift, bool *alike, bool *stride)
{
    uint64_t differ = 0, stray = 0;
    for (int g = 0; g < WARP_LANES; g += lanes)
        for (int i = 0; i < lanes; i++) {
            differ |= values[g + i] ^ values[g];
            stray |= values[g + i] ^ (values[g] + ((uint64_t)i << shift));
        }
    *alike = differ == 0;
    *stride = stray == 0;
}

/* The pattern when all lanes are active: of rows of 16 lanes first, as two of them often make a whole. */
EXEC_INLINE void request_classify_full(Request *r, const U64 *values, int shift)
{
    bool alike, stride;
    uint64_t rows = values[WARP_LANES / 2] - values[0];
    r->group_lanes = WARP_LANES / 2;
    classify_groups(values, WARP_LANES / 2, shift, &alike, &stride);
    if ((alike && rows == 0) || (stride && rows == (uint64_t)(WARP_LANES / 2) << shift))
        r->group_lanes = WARP_LANES;
    if (!alike && !stride) {
        r->group_lanes = WARP_LANES / 4;
        classify_groups(values, WARP_LANES / 4, shift, &alike, &stride);
    }
    if (!alike && !stride)
        r->group_lanes = 0;
    r->group_pattern = alike ? PATTERN_UNIFORM : stride ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;
    r->pattern = r->group_lanes == WARP_LANES ? r->group_pattern : PATTERN_OTHER;
}

EXEC_INLINE void request_classify_part(Request *r, const U64 *values, int shift)
{
    uint32_t mask = r->mask;
    uint64_t low = values[r->first], origin = low - ((uint64_t)r->first << shift), differ = 0, stride = 0;
    for (int i = 0; i < WARP_LANES; i++) {
        uint64_t on = 0 - (uint64_t)(mask >> i & 1);
        differ |= (values[i] ^ low) & on;
        stride |= (values[i] ^ (origin + ((uint64_t)i << shift))) & on;
    }
    r->group_lanes = 0;
    r->group_pattern = PATTERN_OTHER;
    r->pattern = !differ ? PATTERN_UNIFORM : !stride ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;
}

/* Tells the pattern of the active lanes' values, which are their addresses less `offset`. */
EXEC_INLINE void request_classify_values(Request *r, const U64 *values, uint64_t offset)
{
    uint32_t mask = r->mask;
    int last = 31 - __builtin_clz(mask), shift = __builtin_ctz(r->bytes);
    r->first = first_lane(mask);
    uint32_t shifted = mask >> r->first;
    r->low = values[r->first] + offset;
    r->solid = (shifted & (shifted + 1)) == 0;
    if (mask == FULL_MASK)
        request_classify_full(r, values, shift);
    else
        request_classify_part(r, values, shift);
    r->span = r->pattern == PATTERN_UNIFORM ? r->bytes : (uint64_t)(last - r->first + 1) << shift;
}

/* Tells the pattern of the active lanes; fills addr only where it will be looked at lane by lane. */
EXEC_INLINE void request_classify(Request *r)
{
    const IrOperand *o = &r->inst->src[0];
    r->filled = false;
    if (o->kind == IR_NONE) {
        r->first = first_lane(r->mask);
        r->low = r->offset;
        r->pattern = r->group_pattern = PATTERN_UNIFORM;
        r->group_lanes = r->mask == FULL_MASK ? WARP_LANES : 0;
        r->span = r->bytes;
    } else if (o->bytes == 8) {
        request_classify_values(r, warp_src(r->w, o), r->offset);
    } else {
        request_fill(r);
        request_classify_values(r, r->addr, 0);
    }
    if (!r->filled && (r->pattern == PATTERN_OTHER || r->space == SPACE_LOCAL || r->space == SPACE_FRAME))
        request_fill(r);
}

/* Checks all lanes; false: a fault was raised, or the instruction will be run again. */
bool request_check(Request *r);
/* Tells the observers. */
void request_tell(Request *r, const uint8_t *const *value, uint32_t n_values, uint32_t value_stride);
void request_tell_one(Request *r, const ExecWatcher *to, const uint8_t *const *value, uint32_t n_values,
                      uint32_t value_stride);
/* The bytes count as written. Global only. */
void request_mark_init(Request *r);
/* The space of a generic address, and its address there. */
uint8_t request_window(uint64_t addr, uint64_t *offset);

/* Runs `effect` for the lanes of a memory instruction, once a space when a generic address leads them to
 * several. */
typedef void (*RequestEffect)(Request *r);
void request_generic(Request *r, RequestEffect effect);

#endif
