/* Loads and stores. Checked first (access.c), then told to observers, then done in one piece where the
 * pattern allows. */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/alu/alu_table.h"
#include "common/vgpu/exec/hot_table.h"
#include "common/vgpu/exec/schedule.h"

#include <string.h>

/* The element of each active lane, at byte `at` of its address, into register lanes: memory type M, register
 * type R. */
#define DEFINE_LOAD(M, R)                                                                                    \
    EXEC_INLINE void load_##M##_##R(const Request *r, uint32_t at, void *dst)                                \
    {                                                                                                        \
        R *d = dst;                                                                                          \
        uint32_t mask = r->mask;                                                                             \
        const uint8_t *from = request_first_host(r) + at;                                                    \
        if (r->pattern == PATTERN_OTHER || r->lane_stride || r->host) {                                      \
            for (uint32_t left = mask; left; left &= left - 1)                                               \
                d[first_lane(left)] = (R)(*(const M *)(request_host(r, first_lane(left)) + at));             \
        } else if (r->pattern == PATTERN_UNIFORM) {                                                          \
            R value = (R)(*(const M *)from);                                                                 \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                d[i] = mask >> i & 1 ? value : d[i];                                                         \
        } else if (mask == FULL_MASK && r->bytes == sizeof(M)) {                                             \
            const M *s = (const M *)from;                                                                    \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                d[i] = (R)s[i];                                                                              \
        } else {                                                                                             \
            for (uint32_t left = mask; left; left &= left - 1)                                               \
                d[first_lane(left)] =                                                                        \
                    (R)(*(const M *)(from + (size_t)(first_lane(left) - r->first) * r->bytes));              \
        }                                                                                                    \
    }
#define EACH_LOAD(X)                                                                                         \
    X(U8, U16) X(U8, U32) X(U8, U64) X(S8, S16) X(S8, S32) X(S8, S64)                                        \
    X(U16, U16) X(U16, U32) X(U16, U64) X(S16, S32) X(S16, S64)                                              \
    X(U32, U32) X(U32, U64) X(S32, S64) X(U64, U64)
EACH_LOAD(DEFINE_LOAD)

#define DEFINE_STORE(M, R)                                                                                   \
    EXEC_INLINE void store_##M##_##R(const Request *r, uint32_t at, const void *src)                         \
    {                                                                                                        \
        const R *s = src;                                                                                    \
        uint8_t *to = request_first_host(r) + at;                                                            \
        if (r->pattern == PATTERN_OTHER || r->lane_stride || r->host) {                                      \
            for (uint32_t left = r->mask; left; left &= left - 1)                                            \
                *(M *)(request_host(r, first_lane(left)) + at) = (M)s[first_lane(left)];                     \
        } else if (r->pattern == PATTERN_UNIFORM) { /* of lanes with one address the last one wins */        \
            *(M *)to = (M)s[31 - __builtin_clz(r->mask)];                                                    \
        } else if (r->mask == FULL_MASK && r->bytes == sizeof(M)) {                                          \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                ((M *)to)[i] = (M)s[i];                                                                      \
        } else {                                                                                             \
            for (uint32_t left = r->mask; left; left &= left - 1)                                            \
                *(M *)(to + (size_t)(first_lane(left) - r->first) * r->bytes) = (M)s[first_lane(left)];      \
        }                                                                                                    \
    }
#define EACH_STORE(X)                                                                                        \
    X(U8, U16) X(U8, U32) X(U8, U64) X(U16, U16) X(U16, U32) X(U16, U64) X(U32, U32) X(U32, U64) X(U64, U64)
EACH_STORE(DEFINE_STORE)

/* What to do for a memory type (bytes, signed) and a register's bytes. The sign counts where a register is wider. */
#define CASE(bytes, is_signed, reg) ((bytes)*64 + ((is_signed) && (bytes) < (reg)) * 32 + (reg))
#define IS_SIGNED(M)                ((M)-1 < (M)1)

EXEC_INLINE void load_element(const Request *r, uint32_t bytes, bool is_signed, uint32_t at,
                              uint32_t reg_bytes, void *dst)
{
    switch (CASE(bytes, is_signed, reg_bytes)) {
#define X(M, R)                                                                                              \
    case CASE(sizeof(M), IS_SIGNED(M), sizeof(R)):                                                           \
        load_##M##_##R(r, at, dst);                                                                          \
        break;
        EACH_LOAD(X)
#undef X
    case CASE(16, 0, 16): /* low halves, then high halves */
        load_U64_U64(r, at, dst);
        load_U64_U64(r, at + 8, (U64 *)dst + WARP_LANES);
        break;
    default:
        break; /* memory_handler lets no other through */
    }
}

EXEC_INLINE void store_element(const Request *r, uint32_t bytes, uint32_t at, uint32_t reg_bytes,
                               const void *src)
{
    switch (CASE(bytes, 0, reg_bytes)) {
#define X(M, R)                                                                                              \
    case CASE(sizeof(M), 0, sizeof(R)):                                                                      \
        store_##M##_##R(r, at, src);                                                                         \
        break;
        EACH_STORE(X)
#undef X
    case CASE(16, 0, 16):
        store_U64_U64(r, at, src);
        store_U64_U64(r, at + 8, (const U64 *)src + WARP_LANES);
        break;
    default:
        break;
    }
}

static uint32_t type_bytes(uint8_t type)
{
    return ptx_type_bits((PtxType)type) / 8;
}

static bool is_signed_type(uint8_t type)
{
    return ptx_type_class((PtxType)type) == PTX_TYPES_SIGNED;
}

/* Bytes of an element and whether it is signed, without calls: the hot path asks for each instruction. */
EXEC_INLINE uint32_t element_bytes(const IrInst *inst)
{
    switch (inst->type) {
    case PTX_TYPE_F32:
    case PTX_TYPE_U32:
    case PTX_TYPE_S32:
    case PTX_TYPE_B32:
        return 4;
    case PTX_TYPE_F64:
    case PTX_TYPE_U64:
    case PTX_TYPE_S64:
    case PTX_TYPE_B64:
        return 8;
    default:
        return type_bytes(inst->type);
    }
}

EXEC_CLONES static void load_effect(Request *r)
{
    ExecWarp *w = r->w;
    const IrInst *inst = r->inst;
    uint32_t bytes = r->bytes / inst->n_vec;
    bool is_signed =
        bytes != 4 || (!inst->vec && inst->dst.bytes != 4) || inst->vec ? is_signed_type(inst->type) : false;
    if (inst->sem != SEM_WEAK && inst->sem != SEM_NC)
        hang_poll(w, r->space, r->low, r->bytes);
    if (w->block->run->n_watchers && r->space != SPACE_FRAME && r->space != SPACE_PARAM)
        request_tell(r, NULL, 0, 0);
    if (!inst->vec) {
        load_element(r, bytes, is_signed, 0, inst->dst.bytes, warp_dst(w, &inst->dst));
        return;
    }
    for (uint32_t k = 0; k < inst->n_vec; k++)
        if (inst->vec[k].kind == IR_REG)
            load_element(r, bytes, is_signed, k * bytes, inst->vec[k].bytes, warp_dst(w, &inst->vec[k]));
}

static void tell_store(Request *r, uint32_t bytes)
{
    const uint8_t *value[8];
    const IrInst *inst = r->inst;
    const IrOperand *first = inst->vec ? &inst->vec[0] : &inst->src[1];
    for (uint32_t k = 0; k < inst->n_vec; k++)
        value[k] = warp_src(r->w, inst->vec ? &inst->vec[k] : first);
    request_tell(r, value, bytes == 16 ? 0 : inst->n_vec, first->bytes);
}

EXEC_CLONES static void store_effect(Request *r)
{
    ExecWarp *w = r->w;
    const IrInst *inst = r->inst;
    uint32_t bytes = r->bytes / inst->n_vec;
    if (w->block->run->n_watchers && r->space != SPACE_FRAME)
        tell_store(r, bytes);
    if (r->space == SPACE_GLOBAL || r->space == SPACE_SHARED)
        w->polls = 0;
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = inst->vec ? &inst->vec[k] : &inst->src[1];
        store_element(r, bytes, k * bytes, o->bytes, warp_src(w, o));
    }
    if (r->space == SPACE_GLOBAL)
        request_mark_init(r);
}

/* What a load sees, or whom a store reaches, depends on the order of blocks: it waits for its turn. */
static bool is_ordered(const Request *r)
{
    return r->space == SPACE_GLOBAL && r->inst->sem != SEM_WEAK && r->inst->sem != SEM_NC;
}

EXEC_INLINE void request_init(Request *r, ExecWarp *w, const IrInst *inst, uint32_t mask, uint8_t kind,
                              uint8_t space, uint64_t *addr)
{
    r->w = w;
    r->inst = inst;
    r->addr = addr;
    r->mask = mask;
    r->kind = kind;
    r->space = space;
    r->offset = (uint64_t)inst->offset + (space == SPACE_FRAME ? w->frame_base : 0);
    r->bytes = r->align = element_bytes(inst) * inst->n_vec;
}

EXEC_INLINE void access_space(ExecWarp *w, const IrInst *inst, uint32_t mask, uint8_t kind, uint8_t space,
                              RequestEffect effect)
{
    uint64_t addr[WARP_LANES] __attribute__((aligned(64)));
    Request r;
    request_init(&r, w, inst, mask, kind, space, addr);
    request_classify(&r);
    if (!request_check(&r) || (is_ordered(&r) && !exec_turn(w)))
        return;
    effect(&r);
}

/* Lanes of a generic access that lead to one space. */
static uint32_t lanes_in_space(const uint64_t *addr, uint32_t mask, uint8_t space, uint64_t *offsets)
{
    uint32_t lanes = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t offset;
        if (request_window(addr[lane], &offset) != space)
            continue;
        lanes |= mask & (1u << lane);
        offsets[lane] = offset;
    }
    return lanes;
}

/* Whether all active lanes lead to the space of the first one, as nearly always; their addresses there. */
EXEC_CLONES static bool is_one_space(Request *r)
{
    uint64_t offset, first = r->addr[__builtin_ctz(r->mask)];
    uint32_t inside = 0;
    r->space = request_window(first, &offset);
    if (r->space == SPACE_GLOBAL) {
        for (int lane = 0; lane < WARP_LANES; lane++) {
            uint64_t at = r->addr[lane];
            bool elsewhere = (at - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES) | (at - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES) |
                             (at - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES);
            inside |= (uint32_t)!elsewhere << lane;
        }
        return (inside & r->mask) == r->mask;
    }
    for (int lane = 0; lane < WARP_LANES; lane++)
        inside |= (uint32_t)(r->addr[lane] - (first - offset) < MEM_WINDOW_BYTES) << lane;
    if ((inside & r->mask) != r->mask)
        return false;
    for (int lane = 0; lane < WARP_LANES; lane++)
        r->addr[lane] -= first - offset;
    return true;
}

static void generic_in_one(Request *r, RequestEffect effect)
{
    bool plain = r->kind == ACCESS_LOAD || r->kind == ACCESS_STORE; /* atomics have a rule of their own */
    r->filled = true;
    request_classify_values(r, r->addr, 0);
    if (request_check(r) && (!plain || !is_ordered(r) || exec_turn(r->w)))
        effect(r);
}

void request_generic(Request *r, RequestEffect effect)
{
    if (is_one_space(r)) {
        generic_in_one(r, effect);
        return;
    }
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
    Request parts[4];
    uint64_t addr[4][WARP_LANES];
    int n = 0;
    for (int i = 0; i < 4; i++) { /* all are checked before any takes effect */
        uint32_t lanes = lanes_in_space(r->addr, r->mask, spaces[i], addr[i]);
        if (!lanes)
            continue;
        Request *part = &parts[n++];
        *part = *r;
        part->mask = lanes;
        part->space = spaces[i];
        part->addr = addr[i];
        part->filled = true;
        request_classify_values(part, addr[i], 0);
        if (!request_check(part))
            return;
    }
    bool plain = r->kind == ACCESS_LOAD || r->kind == ACCESS_STORE; /* atomics have a rule of their own */
    if (plain && is_ordered(&parts[0]) && !exec_turn(r->w))
        return;
    for (int i = 0; i < n; i++)
        effect(&parts[i]);
}

EXEC_INLINE void access_generic(ExecWarp *w, const IrInst *inst, uint32_t mask, uint8_t kind,
                                RequestEffect effect)
{
    uint64_t addr[WARP_LANES] __attribute__((aligned(64)));
    Request r;
    request_init(&r, w, inst, mask, kind, SPACE_GENERIC, addr);
    request_fill(&r);
    memset(r.hosts, 0, sizeof r.hosts);
    request_generic(&r, effect);
}

#define DEFINE_SPACE(name, space)                                                                            \
    EXEC_CLONES static void load_##name(ExecWarp *w, const IrInst *inst, uint32_t mask)                      \
    {                                                                                                        \
        access_space(w, inst, mask, ACCESS_LOAD, space, load_effect);                                        \
    }                                                                                                        \
    EXEC_CLONES static void store_##name(ExecWarp *w, const IrInst *inst, uint32_t mask)                     \
    {                                                                                                        \
        access_space(w, inst, mask, ACCESS_STORE, space, store_effect);                                      \
    }
DEFINE_SPACE(global, SPACE_GLOBAL)
DEFINE_SPACE(shared, SPACE_SHARED)
DEFINE_SPACE(local, SPACE_LOCAL)
DEFINE_SPACE(frame, SPACE_FRAME)
DEFINE_SPACE(param, SPACE_PARAM)
DEFINE_SPACE(const, SPACE_CONST)

static void load_generic(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    access_generic(w, inst, mask, ACCESS_LOAD, load_effect);
}

static void store_generic(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    access_generic(w, inst, mask, ACCESS_STORE, store_effect);
}

/* A kernel's parameter: one value for all lanes, at a place that the instruction names. */
#define DEFINE_PARAM(name, T)                                                                                \
    static void name(ExecWarp *w, const IrInst *inst, uint32_t mask)                                         \
    {                                                                                                        \
        const ExecRun *run = w->block->run;                                                                  \
        uint64_t at = (uint64_t)inst->offset;                                                                \
        T value, *dst = warp_dst(w, &inst->dst);                                                             \
        if (at % sizeof value || run->entry->param_bytes < sizeof value ||                                   \
            at > run->entry->param_bytes - sizeof value) {                                                   \
            load_param(w, inst, mask);                                                                       \
            return;                                                                                          \
        }                                                                                                    \
        memcpy(&value, run->launch->params + at, sizeof value);                                              \
        if (mask == FULL_MASK)                                                                               \
            for (int lane = 0; lane < WARP_LANES; lane++)                                                    \
                dst[lane] = value;                                                                           \
        else                                                                                                 \
            for (int lane = 0; lane < WARP_LANES; lane++)                                                    \
                dst[lane] = mask >> lane & 1 ? value : dst[lane];                                            \
    }
DEFINE_PARAM(load_param_4, U32)
DEFINE_PARAM(load_param_8, U64)

static const struct {
    IrHandler load, store;
} by_space[] = {
    [SPACE_GENERIC] = {load_generic, store_generic}, [SPACE_GLOBAL] = {load_global, store_global},
    [SPACE_SHARED] = {load_shared, store_shared},    [SPACE_LOCAL] = {load_local, store_local},
    [SPACE_CONST] = {load_const, store_const},       [SPACE_PARAM] = {load_param, store_param},
    [SPACE_FRAME] = {load_frame, store_frame},
};

void exec_memory_general(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    bool store = inst->opcode == PTX_ST;
    (store ? by_space[inst->space].store : by_space[inst->space].load)(w, inst, mask);
}

/* hot.h's handler, where the instruction is one of its kind, in the best variant that this machine runs. */
static IrHandler hot_handler(const IrInst *inst, const IrOperand *value)
{
    uint32_t bytes = type_bytes(inst->type);
    if (inst->space == SPACE_PARAM && inst->opcode == PTX_LD && inst->src[0].kind == IR_NONE && !inst->vec &&
        inst->sem == SEM_WEAK && (bytes == 4 || bytes == 8) && value->bytes == bytes)
        return bytes == 4 ? load_param_4 : load_param_8;
    bool usual = !inst->vec && (bytes == 4 || bytes == 8) && value->bytes == bytes &&
                 inst->src[0].kind != IR_NONE && (inst->sem == SEM_WEAK || inst->sem == SEM_NC) &&
                 (inst->space == SPACE_GLOBAL || inst->space == SPACE_SHARED || inst->space == SPACE_LOCAL);
    if (!usual)
        return NULL;
    bool store = inst->opcode == PTX_ST;
    HotSpace space = inst->space == SPACE_GLOBAL ? HOT_GLOBAL : inst->space == SPACE_SHARED ? HOT_SHARED : HOT_LOCAL;
    switch (alu_variant_best()) {
    case ALU_AVX512:
        return hot_handler_avx512(store, space, bytes == 8, inst->src[0].bytes == 8);
    case ALU_AVX2:
        return hot_handler_avx2(store, space, bytes == 8, inst->src[0].bytes == 8);
    default:
        return hot_handler_base(store, space, bytes == 8, inst->src[0].bytes == 8);
    }
}

/* Whether each register can take, or give, an element of the type. */
static bool widths_fit(const IrInst *inst, const IrOperand *scalar)
{
    uint32_t bytes = type_bytes(inst->type);
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        const IrOperand *o = inst->vec ? &inst->vec[k] : scalar;
        if (o->kind != IR_NONE && (o->bytes < bytes || o->bytes == 0 || (bytes == 16) != (o->bytes == 16)))
            return false;
    }
    return bytes > 0 && inst->n_vec >= 1 && inst->n_vec <= 8 && inst->space <= SPACE_FRAME;
}

static void do_nothing(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)w, (void)inst, (void)mask;
}

IrHandler exec_memory_handler(const IrInst *inst)
{
    IrHandler hot;
    switch (inst->opcode) {
    case PTX_LD:
    case PTX_LDU:
        if (!widths_fit(inst, &inst->dst))
            return NULL;
        hot = hot_handler(inst, &inst->dst);
        return hot ? hot : by_space[inst->space].load;
    case PTX_ST:
        if (!widths_fit(inst, &inst->src[1]))
            return NULL;
        hot = hot_handler(inst, &inst->src[1]);
        return hot ? hot : by_space[inst->space].store;
    case PTX_ATOM:
    case PTX_RED:
        return exec_atomic_handler(inst);
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
        return do_nothing;
    default:
        return NULL;
    }
}
