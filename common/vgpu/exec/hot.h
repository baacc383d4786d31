/* hot: the loads and stores that programs do most. Weak, scalar, of 4 or 8 bytes with a register as wide, in
 * global, shared or local memory, all lanes active (of loads: some of them, too), one allocation. Everything else,
 * faults included, is memory.c's: a handler here that meets something unusual starts that one from the
 * beginning, before anything was done.
 *
 * Included by hot_base.c, hot_avx2.c and hot_avx512.c, which first say for which instruction set (a target
 * pragma) and what the table is called (HOT_HANDLER).
 */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/hot_table.h"

#include <string.h>

typedef struct Hot {
    ExecWarp *w;
    const IrInst *inst;
    const uint64_t *addr; /* [32] */
    uintptr_t host;       /* of address 0, in lane 0 */
    uint64_t lane_stride; /* local: from lane to lane */
    MemAlloc *alloc;      /* global */
    int group;            /* lanes that go together; 0: none do */
    ExecPattern pattern;  /* of each group */
} Hot;

/* Fills addr, and tells which lanes go together; bytes: of a lane. */
#define DEFINE_CLASSIFY(name, T)                                                                             \
    EXEC_INLINE void name(const T *values, T offset, T bytes, uint64_t *addr, Hot *h)                        \
    {                                                                                                        \
        T differ = 0, stray = 0;                                                                             \
        const T head0 = values[0], head1 = values[16];                                                       \
        for (int i = 0; i < WARP_LANES; i++)                                                                 \
            stray |= values[i] ^ (T)(head0 + (T)i * bytes);                                                  \
        if (!stray) {                                                                                        \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                addr[i] = (T)(head0 + offset + (T)i * bytes);                                                \
            h->group = 32;                                                                                   \
            h->pattern = PATTERN_UNIT_STRIDE;                                                                \
            return;                                                                                          \
        }                                                                                                    \
        stray = 0;                                                                                           \
        for (int i = 0; i < 16; i++) {                                                                       \
            differ |= (values[i] ^ head0) | (values[i + 16] ^ head1);                                        \
            stray |= (values[i] ^ (head0 + (T)i * bytes)) | (values[i + 16] ^ (head1 + (T)i * bytes));       \
        }                                                                                                    \
        for (int i = 0; i < WARP_LANES; i++)                                                                 \
            addr[i] = (T)(values[i] + offset);                                                               \
        const T rows = head1 - head0;                                                                        \
        h->group = rows == (differ ? 16 * bytes : 0) ? 32 : 16;                                              \
        h->pattern = differ ? PATTERN_UNIT_STRIDE : PATTERN_UNIFORM;                                         \
        if (!differ || !stray)                                                                               \
            return;                                                                                          \
        differ = stray = 0;                                                                                  \
        for (int g = 0; g < WARP_LANES; g += 8)                                                              \
            for (int i = 0; i < 8; i++) {                                                                    \
                differ |= values[g + i] ^ values[g];                                                         \
                stray |= values[g + i] ^ (values[g] + (T)i * bytes);                                         \
            }                                                                                                \
        h->group = differ && stray ? 0 : 8;                                                                  \
        h->pattern = !differ ? PATTERN_UNIFORM : !stray ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;               \
    }
DEFINE_CLASSIFY(classify4, uint32_t)
DEFINE_CLASSIFY(classify8, uint64_t)

/* All lanes lie in [base, base + size), and are aligned. */
EXEC_INLINE bool is_inside(const Hot *h, uint64_t base, uint64_t size, uint64_t bytes)
{
    uint64_t odd = 0, outside = 0;
    uint64_t length = h->pattern == PATTERN_UNIT_STRIDE && h->group ? bytes * (uint64_t)h->group : bytes;
    if (size < length)
        return false;
    if (h->group == 32) {
        odd = h->addr[0];
        outside = h->addr[0] - base > size - length;
    } else if (h->group) {
        for (int g = 0; g < WARP_LANES; g += h->group) {
            odd |= h->addr[g];
            outside |= h->addr[g] - base > size - length;
        }
    } else {
        for (int i = 0; i < WARP_LANES; i++) {
            odd |= h->addr[i];
            outside |= h->addr[i] - base > size - bytes;
        }
    }
    return !outside && !(odd & (bytes - 1));
}

/* Groups of a fixed number of lanes, so that each copy has a fixed size. */
#define DEFINE_MOVES(T, LANES)                                                                               \
    EXEC_INLINE void load_groups_##T##_##LANES(const Hot *h, T *dst)                                         \
    {                                                                                                        \
        for (int g = 0; g < WARP_LANES; g += LANES) {                                                        \
            const T *from = (const T *)(h->host + h->addr[g]);                                               \
            if (h->pattern == PATTERN_UNIFORM) {                                                             \
                const T value = *from;                                                                       \
                for (int i = 0; i < LANES; i++)                                                              \
                    dst[g + i] = value;                                                                      \
            } else {                                                                                         \
                memcpy(dst + g, from, LANES * sizeof(T));                                                    \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    EXEC_INLINE void store_groups_##T##_##LANES(const Hot *h, const T *src)                                  \
    {                                                                                                        \
        for (int g = 0; g < WARP_LANES; g += LANES) {                                                        \
            T *to = (T *)(h->host + h->addr[g]);                                                             \
            if (h->pattern == PATTERN_UNIFORM) /* of lanes with one address the last one wins */             \
                *to = src[g + LANES - 1];                                                                    \
            else                                                                                             \
                memcpy(to, src + g, LANES * sizeof(T));                                                      \
        }                                                                                                    \
    }
#define DEFINE_MOVE(T)                                                                                       \
    DEFINE_MOVES(T, 32)                                                                                      \
    DEFINE_MOVES(T, 16)                                                                                      \
    DEFINE_MOVES(T, 8)                                                                                       \
    EXEC_INLINE void load_##T(const Hot *h, T *dst)                                                          \
    {                                                                                                        \
        if (h->lane_stride)                                                                                  \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                dst[i] = *(const T *)(h->host + (uint64_t)i * h->lane_stride + h->addr[i]);                  \
        else if (h->group == 32)                                                                             \
            load_groups_##T##_32(h, dst);                                                                    \
        else if (h->group == 16)                                                                             \
            load_groups_##T##_16(h, dst);                                                                    \
        else if (h->group == 8)                                                                              \
            load_groups_##T##_8(h, dst);                                                                     \
        else                                                                                                 \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                dst[i] = *(const T *)(h->host + h->addr[i]);                                                 \
    }                                                                                                        \
    EXEC_INLINE void store_##T(const Hot *h, const T *src)                                                   \
    {                                                                                                        \
        if (h->lane_stride)                                                                                  \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                *(T *)(h->host + (uint64_t)i * h->lane_stride + h->addr[i]) = src[i];                        \
        else if (h->group == 32)                                                                             \
            store_groups_##T##_32(h, src);                                                                   \
        else if (h->group == 16)                                                                             \
            store_groups_##T##_16(h, src);                                                                   \
        else if (h->group == 8)                                                                              \
            store_groups_##T##_8(h, src);                                                                    \
        else                                                                                                 \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                *(T *)(h->host + h->addr[i]) = src[i];                                                       \
    }
DEFINE_MOVE(U32)
DEFINE_MOVE(U64)

EXEC_INLINE void mark_written(const Hot *h, uint64_t bytes)
{
    const MemAlloc *a = h->alloc;
    if (!a->init)
        return;
    if (h->pattern != PATTERN_OTHER) {
        uint64_t length = h->pattern == PATTERN_UNIT_STRIDE && h->group ? bytes * (uint64_t)h->group : bytes;
        for (int g = 0; g < WARP_LANES; g += h->group) {
            uint64_t at = h->addr[g] - a->addr;
            if (at % 8 == 0 && length == 128)
                memset(a->init + at / 8, 0xFF, 16);
            else
                mem_mark_init(h->alloc, h->addr[g], length, true);
        }
        return;
    }
    for (int i = 0; i < WARP_LANES; i++) {
        uint64_t at = h->addr[i] - a->addr; /* aligned: the bits lie in one byte of the bitmap */
        uint8_t bits = (uint8_t)(((1u << bytes) - 1) << at % 8);
        if ((__atomic_load_n(&a->init[at / 8], __ATOMIC_RELAXED) & bits) != bits)
            __atomic_fetch_or(&a->init[at / 8], bits, __ATOMIC_RELAXED);
    }
}

EXEC_INLINE void tell(const Hot *h, uint8_t kind, uint8_t space, uint32_t bytes, uint32_t mask)
{
    const uint8_t *value[1] = {kind == ACCESS_STORE ? warp_src(h->w, &h->inst->src[1]) : NULL};
    const bool one = h->group == 32 || mask != FULL_MASK;
    const int first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask);
    const bool solid = one && (h->pattern == PATTERN_UNIFORM ||
                               (h->pattern == PATTERN_UNIT_STRIDE && mask >> first == FULL_MASK >> (31 - last + first)));
    const ExecAccess access = {.kind = kind,
                               .space = space,
                               .pattern = one ? (uint8_t)h->pattern : PATTERN_OTHER,
                               .sem = h->inst->sem,
                               .scope = h->inst->scope,
                               .bytes = bytes,
                               .mask = mask,
                               .addr = h->addr,
                               .alloc = h->alloc,
                               .low = h->addr[first],
                               .solid_bytes = !solid ? 0 : h->pattern == PATTERN_UNIFORM ? bytes : bytes * (uint32_t)(last - first + 1),
                               .host0 = (uint8_t *)(h->host + (uint64_t)first * h->lane_stride + h->addr[first]),
                               .lane_stride = h->lane_stride,
                               .value = value,
                               .n_values = kind == ACCESS_STORE,
                               .value_stride = (uint8_t)bytes,
                               .group_lanes = (uint8_t)h->group,
                               .group_pattern = mask == FULL_MASK ? (uint8_t)h->pattern : PATTERN_OTHER};
    exec_tell_access(h->w, h->inst, &access);
}

EXEC_INLINE bool find_bytes(Hot *h, uint8_t space, uint32_t bytes)
{
    if (space == SPACE_SHARED) {
        const ExecBlock *b = h->w->block;
        h->alloc = NULL;
        h->host = (uintptr_t)b->shared;
        return is_inside(h, 0, b->run->shared_bytes, bytes);
    }
    if (space == SPACE_LOCAL) {
        const ExecBlock *b = h->w->block;
        h->lane_stride = b->run->local_bytes;
        h->host = (uintptr_t)b->local + (uintptr_t)h->w->index * WARP_LANES * h->lane_stride;
        return is_inside(h, 0, (uint64_t)h->w->frame_base + h->w->frame->function->frame_bytes, bytes);
    }
    MemAlloc *a = h->w->pcs[h->w->pc].alloc;
    if (!a || a->freed || a->kind == MEM_CONST_VAR)
        return false;
    h->alloc = a;
    h->host = (uintptr_t)a->host - a->addr;
    return is_inside(h, a->addr, a->bytes, bytes);
}

/* Fills addr; a lane that is not active is beside the first active one, whose address is good if any is. */
#define DEFINE_FILL_PART(name, T)                                                                            \
    EXEC_INLINE void name(const T *values, T offset, uint32_t bytes, uint32_t mask, uint64_t *addr, Hot *h)  \
    {                                                                                                        \
        const int first = __builtin_ctz(mask);                                                               \
        const T low = values[first], origin = low - (T)first * bytes;                                        \
        T differ = 0, stray = 0;                                                                             \
        for (int i = 0; i < WARP_LANES; i++) {                                                               \
            const T on = 0 - (T)(mask >> i & 1), value = (values[i] & on) | (low & ~on);                     \
            differ |= value ^ low;                                                                           \
            stray |= (value ^ (origin + (T)i * bytes)) & on;                                                 \
            addr[i] = (T)(value + offset);                                                                   \
        }                                                                                                    \
        h->group = 0;                                                                                        \
        h->pattern = !differ ? PATTERN_UNIFORM : !stray ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;               \
    }
DEFINE_FILL_PART(fill_part4, uint32_t)
DEFINE_FILL_PART(fill_part8, uint64_t)

#define DEFINE_LOAD_PART(T)                                                                                  \
    EXEC_INLINE void load_part_##T(const Hot *h, uint32_t mask, T *dst)                                      \
    {                                                                                                        \
        T value[WARP_LANES];                                                                                 \
        for (int i = 0; i < WARP_LANES; i++)                                                                 \
            value[i] = *(const T *)(h->host + (uint64_t)i * h->lane_stride + h->addr[i]);                    \
        for (int i = 0; i < WARP_LANES; i++) {                                                               \
            const T on = 0 - (T)(mask >> i & 1);                                                             \
            dst[i] = (value[i] & on) | (dst[i] & ~on);                                                       \
        }                                                                                                    \
    }
DEFINE_LOAD_PART(U32)
DEFINE_LOAD_PART(U64)

/* False: nothing was done. */
EXEC_INLINE bool load_part(Hot *h, uint64_t *addr, uint32_t mask, uint8_t space, uint32_t bytes,
                           uint32_t addr_bytes)
{
    const void *values = warp_src(h->w, &h->inst->src[0]);
    if (addr_bytes == 4)
        fill_part4(values, (uint32_t)h->inst->offset, bytes, mask, addr, h);
    else
        fill_part8(values, (uint64_t)h->inst->offset, bytes, mask, addr, h);
    if (!find_bytes(h, space, bytes))
        return false;
    if (h->w->block->run->n_watchers)
        tell(h, ACCESS_LOAD, space, bytes, mask);
    if (bytes == 4)
        load_part_U32(h, mask, warp_dst(h->w, &h->inst->dst));
    else
        load_part_U64(h, mask, warp_dst(h->w, &h->inst->dst));
    return true;
}

EXEC_INLINE void hot_access(ExecWarp *w, const IrInst *inst, uint32_t mask, uint8_t kind, uint8_t space,
                            uint32_t bytes, uint32_t addr_bytes)
{
    uint64_t addr[WARP_LANES] __attribute__((aligned(64)));
    Hot h = {.w = w, .inst = inst, .addr = addr};
    if (mask != FULL_MASK) {
        if (kind != ACCESS_LOAD || !load_part(&h, addr, mask, space, bytes, addr_bytes))
            exec_memory_general(w, inst, mask);
        return;
    }
    if (addr_bytes == 4)
        classify4(warp_src(w, &inst->src[0]), (uint32_t)inst->offset, bytes, addr, &h);
    else
        classify8(warp_src(w, &inst->src[0]), (uint64_t)inst->offset, bytes, addr, &h);
    if (!find_bytes(&h, space, bytes)) {
        exec_memory_general(w, inst, mask);
        return;
    }
    if (w->block->run->n_watchers)
        tell(&h, kind, space, bytes, FULL_MASK);
    if (kind == ACCESS_LOAD) {
        if (bytes == 4)
            load_U32(&h, warp_dst(w, &inst->dst));
        else
            load_U64(&h, warp_dst(w, &inst->dst));
        return;
    }
    if (space != SPACE_LOCAL)
        w->polls = 0;
    if (bytes == 4)
        store_U32(&h, warp_src(w, &inst->src[1]));
    else
        store_U64(&h, warp_src(w, &inst->src[1]));
    if (space == SPACE_GLOBAL)
        mark_written(&h, bytes);
}

#define DEFINE_HOT(name, kind, space, bytes, addr_bytes)                                                     \
    static void name(ExecWarp *w, const IrInst *inst, uint32_t mask)                                         \
    {                                                                                                        \
        hot_access(w, inst, mask, kind, space, bytes, addr_bytes);                                           \
    }
#define DEFINE_HOT_SPACE(kind, space)                                                                        \
    DEFINE_HOT(kind##_##space##_4_4, ACCESS_##kind, SPACE_##space, 4, 4)                                     \
    DEFINE_HOT(kind##_##space##_4_8, ACCESS_##kind, SPACE_##space, 4, 8)                                     \
    DEFINE_HOT(kind##_##space##_8_4, ACCESS_##kind, SPACE_##space, 8, 4)                                     \
    DEFINE_HOT(kind##_##space##_8_8, ACCESS_##kind, SPACE_##space, 8, 8)
DEFINE_HOT_SPACE(LOAD, GLOBAL)
DEFINE_HOT_SPACE(LOAD, SHARED)
DEFINE_HOT_SPACE(STORE, GLOBAL)
DEFINE_HOT_SPACE(STORE, SHARED)
DEFINE_HOT_SPACE(LOAD, LOCAL)
DEFINE_HOT_SPACE(STORE, LOCAL)

IrHandler HOT_HANDLER(bool store, HotSpace space, bool wide, bool wide_addr)
{
    static const IrHandler handlers[2][3][2][2] = {
        {{{LOAD_GLOBAL_4_4, LOAD_GLOBAL_4_8}, {LOAD_GLOBAL_8_4, LOAD_GLOBAL_8_8}},
         {{LOAD_SHARED_4_4, LOAD_SHARED_4_8}, {LOAD_SHARED_8_4, LOAD_SHARED_8_8}},
         {{LOAD_LOCAL_4_4, LOAD_LOCAL_4_8}, {LOAD_LOCAL_8_4, LOAD_LOCAL_8_8}}},
        {{{STORE_GLOBAL_4_4, STORE_GLOBAL_4_8}, {STORE_GLOBAL_8_4, STORE_GLOBAL_8_8}},
         {{STORE_SHARED_4_4, STORE_SHARED_4_8}, {STORE_SHARED_8_4, STORE_SHARED_8_8}},
         {{STORE_LOCAL_4_4, STORE_LOCAL_4_8}, {STORE_LOCAL_8_4, STORE_LOCAL_8_8}}},
    };
    return handlers[store][space][wide][wide_addr];
}
