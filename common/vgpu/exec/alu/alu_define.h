/* alu_define: the row macros of the .def tables, expanded to handlers and their shapes. alu_list.h expands
 * them again, to the rows of the table. EXPR reads the sources as a, b, c and e (PTX's fourth, d).
 *
 *   one loop over integers or bits
 *     ALU1 ALU2 ALU3 (OP, TYPE, SEL, EXPR)             d and all sources have TYPE
 *     ALU1X .. ALU4X (OP, TYPE, SEL, TD, TA.., EXPR)   a type for each operand
 *     ALU1T ALU3T (OP, TYPE, TYPE2, SEL, TD, TA.., EXPR)   instructions with a second type
 *     ALU2O (OP, TYPE, SEL, OPTIONAL, TD, TA, TB, EXPR)    EXPR looks at the modifiers in OPTIONAL, in inst
 *     ALU_CARRY (OP, TYPE, LANE, SEL, N, WIDE, EXPR)   EXPR in the type WIDE: its low bits are d, the bit
 *                                                      above is the carry out; `carry` is the carry in
 *   the handler of a row above
 *     ALU_ALIAS (OP, TYPE, SEL, OP0, TYPE0, SEL0), ALU_ALIAS_T (OP, TYPE, TYPE2, SEL, OP0, TYPE0, SEL0)
 *   floating point with N sources
 *     ALU_F32 (OP, N, EXPR)          .rn with every choice of .ftz and .sat; .rz .rm .rp of each
 *     ALU_F32_TWICE (OP, N, EXPR, TWICE)         the same; TWICE is twice the result, rounded once: tells
 *                                    .ftz what is too small
 *     ALU_F32_ROUND (OP, N, EXPR)    as ALU_F32 without .sat
 *     ALU_F32_FREE (OP, SEL, SEL_FTZ, N, EXPR)   no rounding mode: without and with .ftz
 *     ALU_F64 (OP, N, EXPR)          .rn; .rz .rm .rp
 *     ALU_F64_FREE (OP, SEL, N, EXPR)            one row
 *     ALU_HALF (OP, SEL, N, OPTIONAL, EXPR)      f16 and bf16, single and packed: EXPR on doubles, rounded
 *                                    once to the format; modifiers in OPTIONAL are applied as it runs
 *     ALU_HALF_BITS (OP, N, OPTIONAL, EXPR)      the same types: EXPR on 16 bits; f is the format
 *   setp
 *     ALU_COMPARE (TYPE, BITS, CMP, EXPR), ALU_COMPARE_F32 and ALU_COMPARE_F64 (CMP, EXPR)
 *   a handler written by hand
 *     ALU_HANDLER (OP, TYPE, TYPE2, SEL, OPTIONAL, SHAPE, FUNCTION)
 */

#define ALU_FUNCTION(OP, TYPE, SEL)                                                                          \
    static void alu_##OP##_##TYPE##_##SEL(ExecWarp *warp, const IrInst *inst, uint32_t mask)
#define ALU_SHAPE(OP, TYPE, SEL, ...) static const AluShape shape_##OP##_##TYPE##_##SEL = {__VA_ARGS__};
#define ALU_WIDTHS(TYPE)                                                                                     \
    {                                                                                                        \
        sizeof(Lane##TYPE), sizeof(Lane##TYPE), sizeof(Lane##TYPE), sizeof(Lane##TYPE)                       \
    }

/* Opens a handler: the loop's destination is the register, or a local array under a partial mask. */
#define ALU_OPEN(TD)                                                                                         \
    Lane##TD masked[WARP_LANES];                                                                             \
    Lane##TD *dst = mask == FULL_MASK ? (Lane##TD *)warp_dst(warp, &inst->dst) : masked;
#define ALU_CLOSE(TD)                                                                                        \
    if (mask != FULL_MASK)                                                                                   \
        lane_blend(warp_dst(warp, &inst->dst), masked, mask, sizeof(Lane##TD));
#define ALU_SRC(name, T, i) const Lane##T *name##_lanes = warp_src(warp, &inst->src[i]);
#define ALU_GET(name, T)    const Lane##T name __attribute__((unused)) = name##_lanes[lane];

#define ALU1X(OP, TYPE, SEL, TD, TA, EXPR)                                                                   \
    ALU_SHAPE(OP, TYPE, SEL, 1, sizeof(Lane##TD), {sizeof(Lane##TA)}, false)                                 \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        ALU_OPEN(TD)                                                                                         \
        ALU_SRC(a, TA, 0)                                                                                    \
        LANES(lane)                                                                                          \
        {                                                                                                    \
            ALU_GET(a, TA)                                                                                   \
            dst[lane] = (Lane##TD)(EXPR);                                                                    \
        }                                                                                                    \
        ALU_CLOSE(TD)                                                                                        \
    }

#define ALU2X(OP, TYPE, SEL, TD, TA, TB, EXPR)                                                               \
    ALU_SHAPE(OP, TYPE, SEL, 2, sizeof(Lane##TD), {sizeof(Lane##TA), sizeof(Lane##TB)}, false)               \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        ALU_OPEN(TD)                                                                                         \
        ALU_SRC(a, TA, 0)                                                                                    \
        ALU_SRC(b, TB, 1)                                                                                    \
        LANES(lane)                                                                                          \
        {                                                                                                    \
            ALU_GET(a, TA)                                                                                   \
            ALU_GET(b, TB)                                                                                   \
            dst[lane] = (Lane##TD)(EXPR);                                                                    \
        }                                                                                                    \
        ALU_CLOSE(TD)                                                                                        \
    }

#define ALU3X(OP, TYPE, SEL, TD, TA, TB, TC, EXPR)                                                           \
    ALU_SHAPE(OP, TYPE, SEL, 3, sizeof(Lane##TD), {sizeof(Lane##TA), sizeof(Lane##TB), sizeof(Lane##TC)},    \
              false)                                                                                         \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        ALU_OPEN(TD)                                                                                         \
        ALU_SRC(a, TA, 0)                                                                                    \
        ALU_SRC(b, TB, 1)                                                                                    \
        ALU_SRC(c, TC, 2)                                                                                    \
        LANES(lane)                                                                                          \
        {                                                                                                    \
            ALU_GET(a, TA)                                                                                   \
            ALU_GET(b, TB)                                                                                   \
            ALU_GET(c, TC)                                                                                   \
            dst[lane] = (Lane##TD)(EXPR);                                                                    \
        }                                                                                                    \
        ALU_CLOSE(TD)                                                                                        \
    }

#define ALU4X(OP, TYPE, SEL, TD, TA, TB, TC, TE, EXPR)                                                       \
    ALU_SHAPE(OP, TYPE, SEL, 4, sizeof(Lane##TD),                                                            \
              {sizeof(Lane##TA), sizeof(Lane##TB), sizeof(Lane##TC), sizeof(Lane##TE)}, false)               \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        ALU_OPEN(TD)                                                                                         \
        ALU_SRC(a, TA, 0)                                                                                    \
        ALU_SRC(b, TB, 1)                                                                                    \
        ALU_SRC(c, TC, 2)                                                                                    \
        ALU_SRC(e, TE, 3)                                                                                    \
        LANES(lane)                                                                                          \
        {                                                                                                    \
            ALU_GET(a, TA)                                                                                   \
            ALU_GET(b, TB)                                                                                   \
            ALU_GET(c, TC)                                                                                   \
            ALU_GET(e, TE)                                                                                   \
            dst[lane] = (Lane##TD)(EXPR);                                                                    \
        }                                                                                                    \
        ALU_CLOSE(TD)                                                                                        \
    }

#define ALU1(OP, TYPE, SEL, EXPR)                         ALU1X(OP, TYPE, SEL, TYPE, TYPE, EXPR)
#define ALU2(OP, TYPE, SEL, EXPR)                         ALU2X(OP, TYPE, SEL, TYPE, TYPE, TYPE, EXPR)
#define ALU3(OP, TYPE, SEL, EXPR)                         ALU3X(OP, TYPE, SEL, TYPE, TYPE, TYPE, TYPE, EXPR)
#define ALU3T(OP, TYPE, TYPE2, SEL, TD, TA, TB, TC, EXPR) ALU3X(OP, TYPE##_##TYPE2, SEL, TD, TA, TB, TC, EXPR)
#define ALU1T(OP, TYPE, TYPE2, SEL, TD, TA, EXPR)         ALU1X(OP, TYPE##_##TYPE2, SEL, TD, TA, EXPR)
#define ALU2O(OP, TYPE, SEL, OPTIONAL, TD, TA, TB, EXPR)  ALU2X(OP, TYPE, SEL, TD, TA, TB, EXPR)
#define ALU_ALIAS(OP, TYPE, SEL, OP0, TYPE0, SEL0)
#define ALU_ALIAS_T(OP, TYPE, TYPE2, SEL, OP0, TYPE0, SEL0)
#define ALU_HANDLER(OP, TYPE, TYPE2, SEL, OPTIONAL, SHAPE, FUNCTION)

/* Sources by number, each seen through VIEW (.ftz flushes them). */
#define ALU_SRCS_1(T)       ALU_SRC(a, T, 0)
#define ALU_SRCS_2(T)       ALU_SRCS_1(T) ALU_SRC(b, T, 1)
#define ALU_SRCS_3(T)       ALU_SRCS_2(T) ALU_SRC(c, T, 2)
#define ALU_VIEW_1(T, VIEW) const T a = VIEW(a_lanes[lane]);
#define ALU_VIEW_2(T, VIEW) ALU_VIEW_1(T, VIEW) const T b = VIEW(b_lanes[lane]);
#define ALU_VIEW_3(T, VIEW) ALU_VIEW_2(T, VIEW) const T c = VIEW(c_lanes[lane]);

#define ALU_CARRY(OP, TYPE, LANE, SEL, N, WIDE, EXPR)                                                        \
    ALU_SHAPE(OP, TYPE, SEL, N, sizeof(Lane##LANE), ALU_WIDTHS(LANE), false)                                 \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        ALU_OPEN(LANE)                                                                                       \
        ALU_SRCS_##N(LANE) uint32_t carries = 0;                                                             \
        for (int lane = 0; lane < WARP_LANES; lane++) {                                                      \
            ALU_VIEW_##N(WIDE, (WIDE)) const WIDE carry __attribute__((unused)) = warp->carry >> lane & 1;   \
            const WIDE wide = (EXPR);                                                                        \
            dst[lane] = (Lane##LANE)wide;                                                                    \
            carries |= (uint32_t)(wide >> 8 * sizeof(Lane##LANE) & 1) << lane;                               \
        }                                                                                                    \
        ALU_CLOSE(LANE)                                                                                      \
        if (ALU_SEL_##SEL & ALU_CARRY_OUT)                                                                   \
            warp->carry = (warp->carry & ~mask) | (carries & mask);                                          \
    }

/* A floating-point handler: VIEW on each source, FINISH on the result. Not inlined, so that the rounding mode
 * that ALU_DIRECTED_ROW sets around the call covers exactly the loop. */
#define ALU_FLOAT_ROW(OP, TYPE, SEL, N, CTYPE, VIEW, FINISH, EXPR)                                           \
    ALU_SHAPE(OP, TYPE, SEL, N, sizeof(Lane##TYPE), ALU_WIDTHS(TYPE), false)                                 \
    LANES_APART ALU_FUNCTION(OP, TYPE, SEL)                                                                  \
    {                                                                                                        \
        ALU_OPEN(TYPE)                                                                                       \
        ALU_SRCS_##N(TYPE) LANES(lane)                                                                       \
        {                                                                                                    \
            ALU_VIEW_##N(CTYPE, VIEW) dst[lane] = FINISH(EXPR);                                              \
        }                                                                                                    \
        ALU_CLOSE(TYPE)                                                                                      \
    }

#define ALU_DIRECTED_ROW(OP, TYPE, SEL, SEL0, N)                                                             \
    ALU_SHAPE(OP, TYPE, SEL, N, sizeof(Lane##TYPE), ALU_WIDTHS(TYPE), false)                                 \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        const unsigned before = round_enter(inst->round);                                                    \
        alu_##OP##_##TYPE##_##SEL0(warp, inst, mask);                                                        \
        round_leave(before);                                                                                 \
    }

#define ALU_F32_ROWS(OP, N, EXPR, EXPR_FTZ)                                                                  \
    ALU_F32_ROUND_ROWS(OP, N, EXPR, EXPR_FTZ)                                                                \
    ALU_FLOAT_ROW(OP, F32, SAT, N, float, f32_keep, f32_finish_sat, EXPR)                                    \
    ALU_FLOAT_ROW(OP, F32, FTZ_SAT, N, float, f32_flush, f32_finish_ftz_sat, EXPR_FTZ)                       \
    ALU_DIRECTED_ROW(OP, F32, DIRECTED_SAT, SAT, N)                                                          \
    ALU_DIRECTED_ROW(OP, F32, DIRECTED_FTZ_SAT, FTZ_SAT, N)

#define ALU_F32_ROUND_ROWS(OP, N, EXPR, EXPR_FTZ)                                                            \
    ALU_FLOAT_ROW(OP, F32, NONE, N, float, f32_keep, f32_finish, EXPR)                                       \
    ALU_FLOAT_ROW(OP, F32, FTZ, N, float, f32_flush, f32_finish_ftz, EXPR_FTZ)                               \
    ALU_DIRECTED_ROW(OP, F32, DIRECTED, NONE, N)                                                             \
    ALU_DIRECTED_ROW(OP, F32, DIRECTED_FTZ, FTZ, N)

#define ALU_F32(OP, N, EXPR)              ALU_F32_ROWS(OP, N, EXPR, EXPR)
#define ALU_F32_TWICE(OP, N, EXPR, TWICE) ALU_F32_ROWS(OP, N, EXPR, f32_flush_tiny(EXPR, TWICE))
#define ALU_F32_ROUND(OP, N, EXPR)        ALU_F32_ROUND_ROWS(OP, N, EXPR, EXPR)

#define ALU_F32_FREE(OP, SEL, SEL_FTZ, N, EXPR)                                                              \
    ALU_FLOAT_ROW(OP, F32, SEL, N, float, f32_keep, f32_finish, EXPR)                                        \
    ALU_FLOAT_ROW(OP, F32, SEL_FTZ, N, float, f32_flush, f32_finish_ftz, EXPR)

#define ALU_F64_FINISH_1(r) f64_finish1((r), a)
#define ALU_F64_FINISH_2(r) f64_finish2((r), a, b)
#define ALU_F64_FINISH_3(r) f64_finish3((r), a, b, c)

/* Which NaN a result is costs more than the result: looked at only where some lane's is one. */
#define ALU_F64_ROW(OP, SEL, N, EXPR)                                                                        \
    ALU_SHAPE(OP, F64, SEL, N, sizeof(LaneF64), ALU_WIDTHS(F64), false)                                      \
    LANES_APART ALU_FUNCTION(OP, F64, SEL)                                                                   \
    {                                                                                                        \
        LaneF64 result[WARP_LANES];                                                                          \
        uint64_t nan = 0;                                                                                    \
        ALU_OPEN(F64)                                                                                        \
        ALU_SRCS_##N(F64) LANES(lane)                                                                        \
        {                                                                                                    \
            ALU_VIEW_##N(double, f64_keep) const double r = EXPR;                                            \
            result[lane] = r;                                                                                \
            nan |= 0 - (uint64_t)(r != r);                                                                   \
        }                                                                                                    \
        if (nan)                                                                                             \
            LANES(lane)                                                                                      \
            {                                                                                                \
                ALU_VIEW_##N(double, f64_keep) result[lane] = ALU_F64_FINISH_##N(result[lane]);              \
            }                                                                                                \
        memcpy(dst, result, sizeof result);                                                                  \
        ALU_CLOSE(F64)                                                                                       \
    }

#define ALU_F64(OP, N, EXPR)                                                                                 \
    ALU_F64_ROW(OP, NONE, N, EXPR)                                                                           \
    ALU_DIRECTED_ROW(OP, F64, DIRECTED, NONE, N)

#define ALU_F64_FREE(OP, SEL, N, EXPR)                                                                       \
    ALU_F64_ROW(OP, SEL, N, EXPR)

/* 16-bit floating types: `count` halves, 32 or, packed, 64. */
#define ALU_HALF_ROW(OP, TYPE, SEL, N, FORMAT, COUNT, EXPR)                                                  \
    ALU_SHAPE(OP, TYPE, SEL, N, sizeof(Lane##TYPE), ALU_WIDTHS(TYPE), false)                                 \
    ALU_FUNCTION(OP, TYPE, SEL)                                                                              \
    {                                                                                                        \
        uint16_t result[COUNT];                                                                              \
        ALU_HALVES_##N(FORMAT, COUNT) HALVES(i, COUNT)                                                       \
        {                                                                                                    \
            ALU_DOUBLES_##N(FORMAT) result[i] =                                                              \
                half_from_f64(FORMAT, half_flush_tiny(inst->ftz, EXPR), ROUND_RN);                           \
        }                                                                                                    \
        half_finish(inst, FORMAT, result, COUNT);                                                            \
        lane_store(warp, inst, result, mask, sizeof(Lane##TYPE));                                            \
    }

#define ALU_HALVES_1(FORMAT, COUNT)                                                                          \
    uint16_t a_flushed[COUNT];                                                                               \
    const LaneU16 *a_halves = half_source(warp, inst, 0, FORMAT, a_flushed, COUNT);
#define ALU_HALVES_2(FORMAT, COUNT)                                                                          \
    ALU_HALVES_1(FORMAT, COUNT)                                                                              \
    uint16_t b_flushed[COUNT];                                                                               \
    const LaneU16 *b_halves = half_source(warp, inst, 1, FORMAT, b_flushed, COUNT);
#define ALU_HALVES_3(FORMAT, COUNT)                                                                          \
    ALU_HALVES_2(FORMAT, COUNT)                                                                              \
    uint16_t c_flushed[COUNT];                                                                               \
    const LaneU16 *c_halves = half_source(warp, inst, 2, FORMAT, c_flushed, COUNT);
#define ALU_DOUBLES_1(FORMAT) const double a = half_to_f64(FORMAT, a_halves[i]);
#define ALU_DOUBLES_2(FORMAT) ALU_DOUBLES_1(FORMAT) const double b = half_to_f64(FORMAT, b_halves[i]);
#define ALU_DOUBLES_3(FORMAT) ALU_DOUBLES_2(FORMAT) const double c = half_to_f64(FORMAT, c_halves[i]);

#define ALU_HALF(OP, SEL, N, OPTIONAL, EXPR)                                                                 \
    ALU_HALF_ROW(OP, F16, SEL, N, HALF_F16, WARP_LANES, EXPR)                                                \
    ALU_HALF_ROW(OP, F16X2, SEL, N, HALF_F16, 2 * WARP_LANES, EXPR)                                          \
    ALU_HALF_ROW(OP, BF16, SEL, N, HALF_BF16, WARP_LANES, EXPR)                                              \
    ALU_HALF_ROW(OP, BF16X2, SEL, N, HALF_BF16, 2 * WARP_LANES, EXPR)

#define ALU_HALF_BITS_ROW(OP, TYPE, N, FORMAT, COUNT, EXPR)                                                  \
    ALU_SHAPE(OP, TYPE, NONE, N, sizeof(Lane##TYPE), ALU_WIDTHS(TYPE), false)                                \
    ALU_FUNCTION(OP, TYPE, NONE)                                                                             \
    {                                                                                                        \
        const HalfFormat f = FORMAT;                                                                         \
        uint16_t result[COUNT];                                                                              \
        ALU_HALVES_##N(FORMAT, COUNT) HALVES(i, COUNT)                                                       \
        {                                                                                                    \
            ALU_BITS_##N result[i] = (uint16_t)(EXPR);                                                       \
        }                                                                                                    \
        half_finish(inst, f, result, COUNT);                                                                 \
        lane_store(warp, inst, result, mask, sizeof(Lane##TYPE));                                            \
    }

#define ALU_BITS_1 const uint16_t a = a_halves[i];
#define ALU_BITS_2 ALU_BITS_1 const uint16_t b = b_halves[i];

#define ALU_HALF_BITS(OP, N, OPTIONAL, EXPR)                                                                 \
    ALU_HALF_BITS_ROW(OP, F16, N, HALF_F16, WARP_LANES, EXPR)                                                \
    ALU_HALF_BITS_ROW(OP, F16X2, N, HALF_F16, 2 * WARP_LANES, EXPR)                                          \
    ALU_HALF_BITS_ROW(OP, BF16, N, HALF_BF16, WARP_LANES, EXPR)                                              \
    ALU_HALF_BITS_ROW(OP, BF16X2, N, HALF_BF16, 2 * WARP_LANES, EXPR)

/* setp: the comparison's core is a function of its own, which `set` uses too. BITS is the width of the mask's
 * words that vectorises best beside the operands. */
#define ALU_COMPARE_ROW(TYPE, SEL, CMP, BITS, CTYPE, VIEW, EXPR)                                             \
    static inline uint32_t compare_##TYPE##_##SEL##_##CMP(const void *a_array, const void *b_array)          \
    {                                                                                                        \
        const Lane##TYPE *a_lanes = a_array, *b_lanes = b_array;                                             \
        uint##BITS##_t bits = 0;                                                                             \
        for (int lane = 0; lane < WARP_LANES; lane++) {                                                      \
            ALU_VIEW_2(CTYPE, VIEW)                                                                          \
            bits |= (EXPR) ? lane_bit##BITS[lane] : 0;                                                       \
        }                                                                                                    \
        return (uint32_t)bits;                                                                               \
    }                                                                                                        \
    ALU_SHAPE(SETP, TYPE, SEL##_##CMP, 2, 0, ALU_WIDTHS(TYPE), false)                                        \
    ALU_FUNCTION(SETP, TYPE, SEL##_##CMP)                                                                    \
    {                                                                                                        \
        const uint32_t bits =                                                                                \
            compare_##TYPE##_##SEL##_##CMP(warp_src(warp, &inst->src[0]), warp_src(warp, &inst->src[1]));    \
        compare_store(warp, inst, bits, mask);                                                               \
    }

#define ALU_COMPARE(TYPE, BITS, CMP, EXPR)                                                                   \
    ALU_COMPARE_ROW(TYPE, NONE, CMP, BITS, Lane##TYPE, (Lane##TYPE), EXPR)
#define ALU_COMPARE_F64(CMP, EXPR) ALU_COMPARE_ROW(F64, NONE, CMP, 64, double, f64_keep, EXPR)
#define ALU_COMPARE_F32(CMP, EXPR)                                                                           \
    ALU_COMPARE_ROW(F32, NONE, CMP, 32, float, f32_keep, EXPR)                                               \
    ALU_COMPARE_ROW(F32, FTZ, CMP, 32, float, f32_flush, EXPR)
