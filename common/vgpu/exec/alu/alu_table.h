/* alu_table: how a decoded instruction finds its handler.
 *
 * Each row of the alu_*.def tables is one instruction form: opcode, types and a selector, which packs
 * everything else that picks another handler:
 *
 *      bits 0-7 mode (IrMul, IrShift, IrPrmt...)   bits 8-23 modifiers (ALU_FTZ...)   bits 24-28 IrCmp
 *
 * An instruction with a modifier that its row does not know finds no row, and so no handler: nothing is
 * ignored silently. Modifiers in `optional` are looked at by the handler as it runs. The widths in `shape`
 * are checked when the handler is picked, so that a handler never reads past a register.
 *
 * The rows are compiled once for each instruction set (AluVariant); results are the same bits in all of them.
 */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_TABLE_H
#define COMMON_VGPU_EXEC_ALU_ALU_TABLE_H

#include "common/vgpu/exec/alu/warp.h"

enum { ALU_CMP_SHIFT = 24, ALU_SRC_MAX = 4 };

enum {
    ALU_FTZ = 1 << 8,
    ALU_SAT = 1 << 9,
    ALU_DIRECTED = 1 << 10, /* .rz .rm .rp; .rn and none are 0 */
    ALU_APPROX = 1 << 11,
    ALU_FULL = 1 << 12,
    ALU_CARRY_IN = 1 << 13,
    ALU_CARRY_OUT = 1 << 14,
    ALU_NAN = 1 << 15,
    ALU_XORSIGN = 1 << 16, /* .xorsign.abs */
    ALU_RELU = 1 << 17,
    ALU_SHIFTAMT = 1 << 18,
    ALU_HI = 1 << 19, /* dp2a.hi; shf.r */
    ALU_TO = 1 << 20,
    ALU_ROUND_OTHER = 1 << 21, /* a rounding that only cvt knows */
    ALU_FINITE = 1 << 22,      /* cvt.satfinite */
    ALU_BOOL = 1 << 23,        /* combines with a predicate */
    ALU_ANY_MODE = 0xFF,       /* in `optional`: the handler reads the mode, the comparison itself */
    ALU_ANY_CMP = 0x1F << ALU_CMP_SHIFT,
};

/* The names of selectors in the .def tables. */
enum {
    ALU_SEL_NONE = 0,
    ALU_SEL_LO = MUL_LO,
    ALU_SEL_HI = MUL_HI,
    ALU_SEL_WIDE = MUL_WIDE,
    ALU_SEL_SAT = ALU_SAT,
    ALU_SEL_HI_SAT = MUL_HI | ALU_SAT,
    ALU_SEL_RELU = ALU_RELU,
    ALU_SEL_OUT = ALU_CARRY_OUT,
    ALU_SEL_IN = ALU_CARRY_IN,
    ALU_SEL_IN_OUT = ALU_CARRY_IN | ALU_CARRY_OUT,
    ALU_SEL_LO_OUT = MUL_LO | ALU_CARRY_OUT,
    ALU_SEL_LO_IN = MUL_LO | ALU_CARRY_IN,
    ALU_SEL_LO_IN_OUT = MUL_LO | ALU_CARRY_IN | ALU_CARRY_OUT,
    ALU_SEL_HI_OUT = MUL_HI | ALU_CARRY_OUT,
    ALU_SEL_HI_IN = MUL_HI | ALU_CARRY_IN,
    ALU_SEL_HI_IN_OUT = MUL_HI | ALU_CARRY_IN | ALU_CARRY_OUT,
    ALU_SEL_FTZ = ALU_FTZ,
    ALU_SEL_FTZ_SAT = ALU_FTZ | ALU_SAT,
    ALU_SEL_DIRECTED = ALU_DIRECTED,
    ALU_SEL_DIRECTED_FTZ = ALU_DIRECTED | ALU_FTZ,
    ALU_SEL_DIRECTED_SAT = ALU_DIRECTED | ALU_SAT,
    ALU_SEL_DIRECTED_FTZ_SAT = ALU_DIRECTED | ALU_FTZ | ALU_SAT,
    ALU_SEL_APPROX = ALU_APPROX,
    ALU_SEL_APPROX_FTZ = ALU_APPROX | ALU_FTZ,
    ALU_SEL_FULL = ALU_FULL,
    ALU_SEL_FULL_FTZ = ALU_FULL | ALU_FTZ,
    ALU_SEL_CLAMP = SHIFT_CLAMP,
    ALU_SEL_WRAP = SHIFT_WRAP,
    ALU_SEL_LEFT_CLAMP = SHIFT_CLAMP,
    ALU_SEL_LEFT_WRAP = SHIFT_WRAP,
    ALU_SEL_RIGHT_CLAMP = SHIFT_CLAMP | ALU_HI,
    ALU_SEL_RIGHT_WRAP = SHIFT_WRAP | ALU_HI,
    ALU_SEL_SHIFTAMT = ALU_SHIFTAMT,
    ALU_SEL_BOOL = ALU_BOOL,
    ALU_SEL_RZI = ROUND_RZI, /* cvt: the mode is the rounding */
    ALU_SEL_RNI = ROUND_RNI,
    ALU_SEL_RNA = ROUND_RNA,
    ALU_SEL_RMI = ROUND_RMI,
    ALU_SEL_RPI = ROUND_RPI,
    ALU_SEL_RESIZE = 1, /* mov: what its operands make it (alu_selector) */
    ALU_SEL_PACK = 2,
    ALU_SEL_UNPACK = 3,
    ALU_SEL_PACK_2X4 = 4,
    ALU_SEL_UNPACK_2X4 = 5,
    ALU_SEL_PACK_2X2 = 6,
    ALU_SEL_UNPACK_2X2 = 7,
    ALU_SEL_NAN = ALU_NAN,
    ALU_SEL_LOW = 0, /* dp2a.lo */
    ALU_SEL_HIGH = ALU_HI,
};

/* Widths in bytes of d and of each source; 0 is a predicate. */
typedef struct AluShape {
    uint8_t n_src;
    uint8_t dst;
    uint8_t src[ALU_SRC_MAX];
    bool any_width; /* cvt, mov: registers may be wider than the type; the handler looks at the operand */
} AluShape;

typedef struct AluRow {
    uint16_t opcode;
    uint8_t type, type2;
    uint32_t selector, optional;
    const AluShape *shape;
    IrHandler handler;
    const char *name; /* "ADD.F32.FTZ" */
} AluRow;

typedef enum AluVariant { ALU_BASE, ALU_AVX2, ALU_AVX512, ALU_N_VARIANTS } AluVariant;

/* The rows of a variant; *n is 0 where it was not built. */
const AluRow *alu_rows_base(size_t *n);
const AluRow *alu_rows_avx2(size_t *n);
const AluRow *alu_rows_avx512(size_t *n);
const AluRow *alu_rows(AluVariant v, size_t *n);

/* Whether this machine can run a variant, and the best that it can. */
bool alu_variant_usable(AluVariant v);
AluVariant alu_variant_best(void);

/* The row of an instruction in a variant, or NULL. */
const AluRow *alu_find_row(AluVariant v, const IrInst *inst);
/* The selector of an instruction, without optional parts taken away. */
uint32_t alu_selector(const IrInst *inst);

#endif
