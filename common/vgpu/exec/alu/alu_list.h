/* alu_list: the row macros of the .def tables, expanded to rows of the table (the second expansion;
 * alu_define.h is the first, and explains them). */

#undef ALU1X
#undef ALU2X
#undef ALU3X
#undef ALU4X
#undef ALU1T
#undef ALU2O
#undef ALU3T
#undef ALU_ALIAS
#undef ALU_ALIAS_T
#undef ALU_CARRY
#undef ALU_F32
#undef ALU_F32_ROUND
#undef ALU_F32_TWICE
#undef ALU_F32_FREE
#undef ALU_F64
#undef ALU_F64_FREE
#undef ALU_HALF
#undef ALU_HALF_BITS
#undef ALU_HANDLER
#undef ALU_COMPARE_ROW

#define ALU_ENTRY(OP, TYPE, TYPE2, SEL, OPTIONAL, SUFFIX)                                                    \
    {PTX_##OP, PTX_TYPE_##TYPE, PTX_TYPE_##TYPE2, ALU_SEL_##SEL,                                             \
     OPTIONAL, &shape_##SUFFIX, alu_##SUFFIX,     #OP "." #TYPE "." #TYPE2 "." #SEL},

#define ALU_PLAIN(OP, TYPE, SEL)                       ALU_ENTRY(OP, TYPE, NONE, SEL, 0, OP##_##TYPE##_##SEL)
#define ALU1X(OP, TYPE, SEL, TD, TA, EXPR)             ALU_PLAIN(OP, TYPE, SEL)
#define ALU2X(OP, TYPE, SEL, TD, TA, TB, EXPR)         ALU_PLAIN(OP, TYPE, SEL)
#define ALU3X(OP, TYPE, SEL, TD, TA, TB, TC, EXPR)     ALU_PLAIN(OP, TYPE, SEL)
#define ALU4X(OP, TYPE, SEL, TD, TA, TB, TC, TE, EXPR) ALU_PLAIN(OP, TYPE, SEL)
#define ALU_CARRY(OP, TYPE, LANE, SEL, N, WIDE, EXPR)  ALU_PLAIN(OP, TYPE, SEL)
#define ALU2O(OP, TYPE, SEL, OPTIONAL, TD, TA, TB, EXPR)                                                     \
    ALU_ENTRY(OP, TYPE, NONE, SEL, OPTIONAL, OP##_##TYPE##_##SEL)
#define ALU1T(OP, TYPE, TYPE2, SEL, TD, TA, EXPR)                                                            \
    ALU_ENTRY(OP, TYPE, TYPE2, SEL, 0, OP##_##TYPE##_##TYPE2##_##SEL)
#define ALU3T(OP, TYPE, TYPE2, SEL, TD, TA, TB, TC, EXPR)                                                    \
    ALU_ENTRY(OP, TYPE, TYPE2, SEL, 0, OP##_##TYPE##_##TYPE2##_##SEL)
#define ALU_ALIAS(OP, TYPE, SEL, OP0, TYPE0, SEL0) ALU_ENTRY(OP, TYPE, NONE, SEL, 0, OP0##_##TYPE0##_##SEL0)
#define ALU_ALIAS_T(OP, TYPE, TYPE2, SEL, OP0, TYPE0, SEL0)                                                  \
    ALU_ENTRY(OP, TYPE, TYPE2, SEL, 0, OP0##_##TYPE0##_##SEL0)
#define ALU_HANDLER(OP, TYPE, TYPE2, SEL, OPTIONAL, SHAPE, FUNCTION)                                         \
    {PTX_##OP, PTX_TYPE_##TYPE, PTX_TYPE_##TYPE2, ALU_SEL_##SEL,                                             \
     OPTIONAL, &SHAPE,          FUNCTION,         #OP "." #TYPE "." #TYPE2 "." #SEL},

#define ALU_F32_ROUND(OP, N, EXPR)                                                                           \
    ALU_PLAIN(OP, F32, NONE)                                                                                 \
    ALU_PLAIN(OP, F32, FTZ)                                                                                  \
    ALU_PLAIN(OP, F32, DIRECTED)                                                                             \
    ALU_PLAIN(OP, F32, DIRECTED_FTZ)
#define ALU_F32(OP, N, EXPR)                                                                                 \
    ALU_F32_ROUND(OP, N, EXPR)                                                                               \
    ALU_PLAIN(OP, F32, SAT)                                                                                  \
    ALU_PLAIN(OP, F32, FTZ_SAT)                                                                              \
    ALU_PLAIN(OP, F32, DIRECTED_SAT)                                                                         \
    ALU_PLAIN(OP, F32, DIRECTED_FTZ_SAT)
#define ALU_F32_TWICE(OP, N, EXPR, TWICE) ALU_F32(OP, N, EXPR)
#define ALU_F32_FREE(OP, SEL, SEL_FTZ, N, EXPR)                                                              \
    ALU_PLAIN(OP, F32, SEL)                                                                                  \
    ALU_PLAIN(OP, F32, SEL_FTZ)
#define ALU_F64(OP, N, EXPR)                                                                                 \
    ALU_PLAIN(OP, F64, NONE)                                                                                 \
    ALU_PLAIN(OP, F64, DIRECTED)
#define ALU_F64_FREE(OP, SEL, N, EXPR) ALU_PLAIN(OP, F64, SEL)

#define ALU_HALF(OP, SEL, N, OPTIONAL, EXPR)                                                                 \
    ALU_ENTRY(OP, F16, NONE, SEL, OPTIONAL, OP##_F16_##SEL)                                                  \
    ALU_ENTRY(OP, F16X2, NONE, SEL, OPTIONAL, OP##_F16X2_##SEL)                                              \
    ALU_ENTRY(OP, BF16, NONE, SEL, OPTIONAL, OP##_BF16_##SEL)                                                \
    ALU_ENTRY(OP, BF16X2, NONE, SEL, OPTIONAL, OP##_BF16X2_##SEL)
#define ALU_HALF_BITS(OP, N, OPTIONAL, EXPR) ALU_HALF(OP, NONE, N, OPTIONAL, EXPR)

#define ALU_COMPARE_ROW(TYPE, SEL, CMP, BITS, CTYPE, VIEW, EXPR)                                             \
    {PTX_SETP,                                                                                               \
     PTX_TYPE_##TYPE,                                                                                        \
     PTX_TYPE_NONE,                                                                                          \
     ALU_SEL_##SEL | (uint32_t)CMP_##CMP << ALU_CMP_SHIFT,                                                   \
     ALU_BOOL,                                                                                               \
     &shape_SETP_##TYPE##_##SEL##_##CMP,                                                                     \
     alu_SETP_##TYPE##_##SEL##_##CMP,                                                                        \
     "SETP." #TYPE "." #SEL "." #CMP},
