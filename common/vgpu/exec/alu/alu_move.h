/* alu_move: handlers written by hand: moves, selections, packs, predicate logic, addresses, tests (PTX
 * ISA 9.7.3.1, 9.7.6, 9.7.8, 9.7.9). */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_MOVE_H
#define COMMON_VGPU_EXEC_ALU_ALU_MOVE_H

#include "common/vgpu/exec/alu/alu_bits.h"
#include "common/vgpu/exec/alu/alu_compare.h"
#include "common/vgpu/mem/mem.h"

/* mov between registers of one width. */
#define DEFINE_COPY(bytes, T)                                                                                \
    static const AluShape shape_copy##bytes = {1, bytes, {bytes}, false};                                    \
    static void copy##bytes(ExecWarp *warp, const IrInst *inst, uint32_t mask)                               \
    {                                                                                                        \
        const T *src = warp_src(warp, &inst->src[0]);                                                        \
        T *dst = warp_dst(warp, &inst->dst);                                                                 \
        if (mask == FULL_MASK)                                                                               \
            LANES(lane) dst[lane] = src[lane];                                                               \
        else                                                                                                 \
            lane_blend(dst, src, mask, bytes);                                                               \
    }
DEFINE_COPY(2, LaneU16)
DEFINE_COPY(4, LaneU32)
DEFINE_COPY(8, LaneU64)
#undef DEFINE_COPY

static const AluShape shape_copy16 = {1, 16, {16}, false};
static const AluShape shape_any1 = {.n_src = 1, .any_width = true};
static const AluShape shape_any2 = {.n_src = 2, .any_width = true};
static const AluShape shape_vector = {.n_src = 0, .any_width = true};

/* A 128-bit register is u64[2][32]: low halves first. */
static void copy16(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU64 *src = warp_src(warp, &inst->src[0]);
    LaneU64 *dst = warp_dst(warp, &inst->dst);
    lane_blend(dst, src, mask, 8);
    lane_blend(dst + WARP_LANES, src + WARP_LANES, mask, 8);
}

/* The lanes of a register of 2, 4 or 8 bytes, zero-extended. */
static __attribute__((noinline)) void lane_widen(const void *src, unsigned bytes, uint64_t *out)
{
    const LaneU16 *s2 = src;
    const LaneU32 *s4 = src;
    const LaneU64 *s8 = src;
    if (bytes == 2)
        LANES(lane) out[lane] = s2[lane];
    else if (bytes == 4)
        LANES(lane) out[lane] = s4[lane];
    else
        LANES(lane) out[lane] = s8[lane];
}

/* The low `bytes` of each element, to a register of that width, in the lanes of mask. */
static __attribute__((noinline)) void lane_narrow(void *dst, unsigned bytes, const uint64_t *in,
                                                  uint32_t mask)
{
    uint16_t n2[WARP_LANES];
    uint32_t n4[WARP_LANES];
    if (bytes == 2) {
        LANES(lane) n2[lane] = (uint16_t)in[lane];
        lane_blend(dst, n2, mask, 2);
    } else if (bytes == 4) {
        LANES(lane) n4[lane] = (uint32_t)in[lane];
        lane_blend(dst, n4, mask, 4);
    } else {
        lane_blend(dst, in, mask, 8);
    }
}

static inline unsigned type_bits(PtxType type)
{
    static const uint8_t bits[PTX_N_TYPES] = {
#define X(name, text, width, class) [PTX_TYPE_##name] = width,
#include "common/vgpu/ptx/types.def"
#undef X
    };
    return bits[type];
}

/* x cut to the type, and extended to 64 bits by its sign. */
static inline uint64_t extend_to_type(uint64_t x, PtxType type)
{
    const unsigned unused = 64 - type_bits(type);
    const bool is_signed =
        type == PTX_TYPE_S8 || type == PTX_TYPE_S16 || type == PTX_TYPE_S32 || type == PTX_TYPE_S64;
    return is_signed ? (uint64_t)((int64_t)(x << unused) >> unused) : x << unused >> unused;
}

/* mov whose registers are not as wide as its type (PTX ISA 9.4.1). */
static void copy_resized(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    uint64_t value[WARP_LANES];
    lane_widen(warp_src(warp, &inst->src[0]), inst->src[0].bytes, value);
    LANES(lane) value[lane] = extend_to_type(value[lane], inst->type);
    lane_narrow(warp_dst(warp, &inst->dst), inst->dst.bytes, value, mask);
}

/* One element of a vector operand inside its scalar of `total` bytes: lane l, element i of `size` bytes. */
static inline uint8_t *vector_element(uint8_t *scalar, unsigned total, unsigned size, unsigned i, int lane)
{
    const unsigned at = i * size;
    if (total == 16)
        return scalar + (at / 8) * 8 * WARP_LANES + 8 * (unsigned)lane + at % 8;
    return scalar + total * (unsigned)lane + at;
}

/* mov.b64 d, {a, b}: the first element is the lowest. */
static void pack_elements(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const unsigned total = inst->dst.bytes, size = total / inst->n_vec;
    for (unsigned i = 0; i < inst->n_vec; i++) {
        const uint8_t *element = warp_src(warp, &inst->vec[i]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (mask >> lane & 1)
                memcpy(vector_element(warp_dst(warp, &inst->dst), total, size, i, lane),
                       element + inst->vec[i].bytes * (unsigned)lane, size);
    }
}

/* mov.b64 {a, b}, s; an element that is '_' is left out. */
static void unpack_elements(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const unsigned total = inst->src[0].bytes, size = total / inst->n_vec;
    uint8_t copy[16 * WARP_LANES];
    memcpy(copy, warp_src(warp, &inst->src[0]),
           (size_t)total * WARP_LANES); /* s may be one of the elements' registers */
    for (unsigned i = 0; i < inst->n_vec; i++) {
        if (inst->vec[i].kind != IR_REG)
            continue;
        uint8_t *element = warp_dst(warp, &inst->vec[i]);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            uint64_t value = 0;
            memcpy(&value, vector_element(copy, total, size, i, lane), size);
            if (mask >> lane & 1)
                memcpy(element + inst->vec[i].bytes * (unsigned)lane, &value, inst->vec[i].bytes);
        }
    }
}

/* The common vectors, whole lanes at a time: a whole of two parts, each of `bits` bits. */
#define DEFINE_PAIR(size, Whole, Part, bits)                                                                 \
    static void pack_2x##size(ExecWarp *warp, const IrInst *inst, uint32_t mask)                             \
    {                                                                                                        \
        const Part *low = warp_src(warp, &inst->vec[0]), *high = warp_src(warp, &inst->vec[1]);              \
        Whole value[WARP_LANES];                                                                             \
        LANES(lane) value[lane] = (Whole)((Whole)high[lane] << bits | low[lane]);                            \
        lane_store(warp, inst, value, mask, 2 * size);                                                       \
    }                                                                                                        \
    static void unpack_2x##size(ExecWarp *warp, const IrInst *inst, uint32_t mask)                           \
    {                                                                                                        \
        const Whole *src = warp_src(warp, &inst->src[0]);                                                    \
        Part low[WARP_LANES], high[WARP_LANES];                                                              \
        LANES(lane) low[lane] = (Part)src[lane];                                                             \
        LANES(lane) high[lane] = (Part)(src[lane] >> bits);                                                  \
        if (inst->vec[0].kind == IR_REG)                                                                     \
            lane_blend(warp_dst(warp, &inst->vec[0]), low, mask, size);                                      \
        if (inst->vec[1].kind == IR_REG)                                                                     \
            lane_blend(warp_dst(warp, &inst->vec[1]), high, mask, size);                                     \
    }
DEFINE_PAIR(4, LaneU64, LaneU32, 32)
DEFINE_PAIR(2, LaneU32, LaneU16, 16)
#undef DEFINE_PAIR

/* selp d, a, b, p. */
#define DEFINE_SELECT(size, T, bit)                                                                          \
    static const AluShape shape_select##size = {3, size, {size, size, 0}, false};                            \
    static void select##size(ExecWarp *warp, const IrInst *inst, uint32_t mask)                              \
    {                                                                                                        \
        const T *a = warp_src(warp, &inst->src[0]), *b = warp_src(warp, &inst->src[1]);                      \
        const uint32_t p = warp_pred(warp, &inst->src[2]);                                                   \
        T masked[WARP_LANES];                                                                                \
        T *dst = mask == FULL_MASK ? (T *)warp_dst(warp, &inst->dst) : masked;                               \
        LANES(lane) dst[lane] = p & bit[lane] ? a[lane] : b[lane];                                           \
        if (mask != FULL_MASK)                                                                               \
            lane_blend(warp_dst(warp, &inst->dst), masked, mask, size);                                      \
    }
DEFINE_SELECT(2, LaneU16, lane_bit32)
DEFINE_SELECT(4, LaneU32, lane_bit32)
DEFINE_SELECT(8, LaneU64, lane_bit64)
#undef DEFINE_SELECT

/* Predicates: whole warps at a time. */
static const AluShape shape_pred1 = {1, 0, {0}, false};
static const AluShape shape_pred2 = {2, 0, {0, 0}, false};

static void pred_copy(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    warp_set_pred(warp, &inst->dst, warp_pred(warp, &inst->src[0]), mask);
}

static void pred_not(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    warp_set_pred(warp, &inst->dst, ~warp_pred(warp, &inst->src[0]), mask);
}

static void pred_and(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    warp_set_pred(warp, &inst->dst, warp_pred(warp, &inst->src[0]) & warp_pred(warp, &inst->src[1]), mask);
}

static void pred_or(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    warp_set_pred(warp, &inst->dst, warp_pred(warp, &inst->src[0]) | warp_pred(warp, &inst->src[1]), mask);
}

static void pred_xor(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    warp_set_pred(warp, &inst->dst, warp_pred(warp, &inst->src[0]) ^ warp_pred(warp, &inst->src[1]), mask);
}

/* prmt and lop3: what the mode means is worked out once a warp, not in the loop. */
static const AluShape shape_prmt = {3, 4, {4, 4, 4}, false};
static const AluShape shape_logic3_bool = {4, 4, {4, 4, 4, 0}, false};

static void permute(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *a = warp_src(warp, &inst->src[0]), *b = warp_src(warp, &inst->src[1]);
    const LaneU32 *c = warp_src(warp, &inst->src[2]);
    uint32_t result[WARP_LANES];
    if (inst->mode == PRMT_DEFAULT)
        LANES(lane) result[lane] = permute_bytes(a[lane], b[lane], c[lane]);
    else
        LANES(lane) result[lane] = permute_bytes(a[lane], b[lane], permute_selector(inst->mode, c[lane]));
    lane_store(warp, inst, result, mask, 4);
}

static inline void logic3_lanes(const ExecWarp *warp, const IrInst *inst, uint32_t *result)
{
    const LaneU32 *a = warp_src(warp, &inst->src[0]), *b = warp_src(warp, &inst->src[1]);
    const LaneU32 *c = warp_src(warp, &inst->src[2]);
    uint32_t term[8];
    for (int i = 0; i < 8; i++)
        term[i] = 0u - (inst->mode >> i & 1u);
    LANES(lane) result[lane] = logic3(a[lane], b[lane], c[lane], term);
}

static void logic3_table(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    uint32_t result[WARP_LANES];
    logic3_lanes(warp, inst, result);
    lane_store(warp, inst, result, mask, 4);
}

/* lop3.BoolOp d|p, a, b, c, table, q: p = (d != 0) BoolOp q. */
static void logic3_bool(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    uint32_t result[WARP_LANES], bits = 0;
    logic3_lanes(warp, inst, result);
    for (int lane = 0; lane < WARP_LANES; lane++)
        bits |= result[lane] ? lane_bit32[lane] : 0;
    const uint32_t q = warp_pred(warp, &inst->src[3]);
    const uint32_t p = inst->boolean == BOOL_AND ? bits & q : inst->boolean == BOOL_OR ? bits | q : bits ^ q;
    if (inst->dst.kind == IR_REG)
        lane_store(warp, inst, result, mask, 4);
    warp_set_pred(warp, &inst->dst2, p, mask);
}

/* cvta: distance between a space's addresses and generic ones. */
static inline uint64_t generic_window(IrSpace space)
{
    switch (space) {
    case SPACE_SHARED:
        return MEM_SHARED_WINDOW;
    case SPACE_LOCAL:
        return MEM_LOCAL_WINDOW;
    case SPACE_PARAM:
        return MEM_PARAM_WINDOW;
    default:
        return 0; /* global and const addresses are generic ones */
    }
}

static void convert_address(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU64 *a = warp_src(warp, &inst->src[0]);
    const uint64_t window = generic_window(inst->space), distance = inst->to ? 0 - window : window;
    uint64_t result[WARP_LANES];
    LANES(lane) result[lane] = a[lane] + distance;
    lane_store(warp, inst, result, mask, 8);
}

static const AluShape shape_isspacep = {1, 0, {8}, false};

/* isspacep: in the space's window; global is all that lies in no window. */
static void is_in_space(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU64 *a = warp_src(warp, &inst->src[0]);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t window = generic_window(inst->space);
        const bool other = a[lane] - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES ||
                           a[lane] - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES ||
                           a[lane] - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES;
        const bool inside = window ? a[lane] - window < MEM_WINDOW_BYTES : !other;
        bits |= (uint32_t)inside << lane;
    }
    warp_set_pred(warp, &inst->dst, bits, mask);
}

/* testp.class p, a. */
static const AluShape shape_testp4 = {1, 0, {4}, false};
static const AluShape shape_testp8 = {1, 0, {8}, false};

static void test_f32(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU32 *a = warp_src(warp, &inst->src[0]);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        bits |= (uint32_t)testp_class(a[lane] & 0x7FFFFFFFu, 0x7F800000u, 0x00800000u, inst->mode) << lane;
    warp_set_pred(warp, &inst->dst, bits, mask);
}

static void test_f64(ExecWarp *warp, const IrInst *inst, uint32_t mask)
{
    const LaneU64 *a = warp_src(warp, &inst->src[0]);
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t magnitude = a[lane] & 0x7FFFFFFFFFFFFFFFu;
        bits |= (uint32_t)testp_class(magnitude, 0x7FF0000000000000u, 0x0010000000000000u, inst->mode)
                << lane;
    }
    warp_set_pred(warp, &inst->dst, bits, mask);
}

#endif
