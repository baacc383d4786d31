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
    uint64_t *addr; /* [32] */
    uint32_t mask;
    uint32_t bytes; /* of a lane */
    uint32_t align;
    uint8_t kind, space, pattern; /* ExecAccessKind, IrSpace (not generic), ExecPattern */
    bool solid;                   /* unit stride without a hole in the mask */
    int first;                    /* active lane */
    uint64_t span; /* uniform, unit stride: bytes from the first lane's to the end of the last one's */
    /* where: host address = delta + address + lane * lane_stride, or host[lane] when allocations differ */
    uintptr_t delta;
    uint64_t lane_stride;
    uint8_t **host;
    MemAlloc *alloc; /* global: of all lanes, or NULL */
    uint8_t *hosts[WARP_LANES];
} Request;

EXEC_INLINE uint8_t *request_host(const Request *r, int lane)
{
    if (r->host)
        return r->host[lane];
    return (uint8_t *)(r->delta + r->addr[lane] + (uint64_t)lane * r->lane_stride);
}

/* Fills addr with base + offset in all lanes. */
EXEC_INLINE void request_addresses(const ExecWarp *w, const IrInst *inst, uint64_t add, uint64_t *addr)
{
    uint64_t offset = (uint64_t)inst->offset + add;
    const IrOperand *o = &inst->src[0];
    if (o->kind == IR_NONE) {
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = offset;
    } else if (o->bytes == 8) {
        const U64 *base = warp_src(w, o);
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = base[i] + offset;
    } else {
        const U32 *base = warp_src(w, o); /* 32-bit addresses wrap: s[n - i] is a negative register plus an offset */
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = (uint32_t)(base[i] + (uint32_t)offset);
    }
}

/* Tells the pattern of the active lanes. */
EXEC_INLINE void request_classify(Request *r)
{
    const uint64_t *addr = r->addr;
    uint32_t mask = r->mask;
    int first = first_lane(mask), last = 31 - __builtin_clz(mask);
    uint64_t low = addr[first], origin = low - (uint64_t)first * r->bytes, differ = 0, stride = 0;
    r->first = first;
    if (mask == FULL_MASK) {
        for (int i = 0; i < WARP_LANES; i++) {
            differ |= addr[i] ^ low;
            stride |= addr[i] ^ (origin + (uint64_t)i * r->bytes);
        }
    } else {
        for (int i = 0; i < WARP_LANES; i++) {
            uint64_t on = 0 - (uint64_t)(mask >> i & 1);
            differ |= (addr[i] ^ low) & on;
            stride |= (addr[i] ^ (origin + (uint64_t)i * r->bytes)) & on;
        }
    }
    uint32_t shifted = mask >> first;
    r->solid = (shifted & (shifted + 1)) == 0;
    r->pattern = !differ ? PATTERN_UNIFORM : !stride ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;
    r->span = !differ ? r->bytes : (uint64_t)(last - first + 1) * r->bytes;
}

/* Checks all lanes; false: a fault was raised, or the instruction will be run again. */
bool request_check(Request *r);
/* Tells the observers. */
void request_tell(Request *r, const uint8_t *const *value, uint32_t n_values, uint32_t value_stride);
/* The bytes count as written. Global only. */
void request_mark_init(Request *r);
/* The space of a generic address, and its address there. */
uint8_t request_window(uint64_t addr, uint64_t *offset);

/* Runs `effect` for the lanes of a memory instruction, once a space when a generic address leads them to
 * several. */
typedef void (*RequestEffect)(Request *r);
void request_generic(Request *r, RequestEffect effect);

#endif
