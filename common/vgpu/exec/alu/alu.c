/* alu: picks the handler of an arithmetic instruction, once, when a module is bound. The tables are
 * alu_table.h's. */
#include "common/vgpu/exec/alu/alu_index.h"

#include <stdlib.h>

const AluRow *alu_rows(AluVariant v, size_t *n)
{
    switch (v) {
    case ALU_AVX512:
        return alu_rows_avx512(n);
    case ALU_AVX2:
        return alu_rows_avx2(n);
    default:
        return alu_rows_base(n);
    }
}

/* clang knows neither the levels' names nor the pragma that makes the variants what they are. */
bool alu_variant_usable(AluVariant v)
{
#if defined(__x86_64__) && !defined(__clang__)
    if (v == ALU_AVX512)
        return __builtin_cpu_supports("x86-64-v4");
    if (v == ALU_AVX2)
        return __builtin_cpu_supports("x86-64-v3");
#endif
    return v == ALU_BASE;
}

AluVariant alu_variant_best(void)
{
    if (alu_variant_usable(ALU_AVX512))
        return ALU_AVX512;
    return alu_variant_usable(ALU_AVX2) ? ALU_AVX2 : ALU_BASE;
}

/* A vector of a mov: two elements that fill the scalar have handlers of their own. */
static uint32_t vector_selector(const IrInst *inst)
{
    const bool pack = inst->dst.kind == IR_REG;
    const unsigned whole = pack ? inst->dst.bytes : inst->src[0].bytes;
    bool pair = inst->n_vec == 2 && (whole == 8 || whole == 4);
    for (unsigned i = 0; i < inst->n_vec; i++)
        pair = pair && (inst->vec[i].kind == IR_NONE || inst->vec[i].bytes == whole / 2);
    if (!pair)
        return pack ? ALU_SEL_PACK : ALU_SEL_UNPACK;
    if (whole == 8)
        return pack ? ALU_SEL_PACK_2X4 : ALU_SEL_UNPACK_2X4;
    return pack ? ALU_SEL_PACK_2X2 : ALU_SEL_UNPACK_2X2;
}

/* mov is told apart by its operands: one width, several widths, or a vector on either side. */
static uint32_t mov_selector(const IrInst *inst)
{
    if (inst->vec)
        return vector_selector(inst);
    static const uint8_t bits[PTX_N_TYPES] = {
#define X(name, text, width, class) [PTX_TYPE_##name] = width,
#include "common/vgpu/ptx/types.def"
#undef X
    };
    const unsigned bytes = bits[inst->type] / 8;
    return inst->dst.bytes == bytes && inst->src[0].bytes == bytes ? ALU_SEL_NONE : ALU_SEL_RESIZE;
}

/* The mode byte: the rounding for cvt, else inst->mode, where the opcode has one. */
static uint32_t mode_selector(const IrInst *inst)
{
    if (inst->opcode == PTX_MOV)
        return mov_selector(inst);
    if (inst->opcode == PTX_CVT)
        return inst->round == ROUND_RN ? ROUND_NONE : inst->round;
    return inst->mode;
}

static uint32_t rounding_selector(const IrInst *inst)
{
    switch (inst->opcode == PTX_CVT ? ROUND_NONE : inst->round) {
    case ROUND_NONE:
    case ROUND_RN:
        return 0;
    case ROUND_RZ:
    case ROUND_RM:
    case ROUND_RP:
        return ALU_DIRECTED;
    default:
        return ALU_ROUND_OTHER;
    }
}

uint32_t alu_selector(const IrInst *inst)
{
    const bool carries = inst->opcode == PTX_ADDC || inst->opcode == PTX_SUBC || inst->opcode == PTX_MADC;
    uint32_t s = mode_selector(inst) | rounding_selector(inst);
    s |= inst->ftz ? ALU_FTZ : 0;
    s |= inst->sat ? ALU_SAT : 0;
    s |= inst->approx ? ALU_APPROX : 0;
    s |= inst->full ? ALU_FULL : 0;
    s |= inst->carry_in || carries ? ALU_CARRY_IN : 0;
    s |= inst->carry_out ? ALU_CARRY_OUT : 0;
    s |= inst->nan ? ALU_NAN : 0;
    s |= inst->xorsign ? ALU_XORSIGN : 0;
    s |= inst->relu ? ALU_RELU : 0;
    s |= inst->finite ? ALU_FINITE : 0;
    s |= inst->shiftamt ? ALU_SHIFTAMT : 0;
    s |= inst->hi ? ALU_HI : 0;
    s |= inst->to ? ALU_TO : 0;
    s |= inst->boolean != BOOL_NONE ? ALU_BOOL : 0;
    if (inst->opcode == PTX_SETP || inst->opcode == PTX_SET)
        s |= (uint32_t)inst->cmp << ALU_CMP_SHIFT;
    return s;
}

static bool operand_is_value(const IrOperand *o)
{
    return o->kind == IR_REG || o->kind == IR_CONST;
}

/* Operands that exist where the row reads them, as wide as it reads them. */
static bool operands_fit(const IrInst *inst, const AluShape *shape)
{
    for (unsigned i = 0; i < shape->n_src; i++)
        if (!operand_is_value(&inst->src[i]) || (!shape->any_width && inst->src[i].bytes != shape->src[i]))
            return false;
    if (inst->boolean != BOOL_NONE && inst->opcode != PTX_LOP3 && !operand_is_value(&inst->src[2]))
        return false;
    if (inst->dst.kind == IR_NONE) /* '_', or the vector side of a mov */
        return inst->opcode == PTX_SETP || inst->opcode == PTX_LOP3 || inst->vec;
    return inst->dst.kind == IR_REG && (shape->any_width || inst->dst.bytes == shape->dst);
}

/* A vector of a mov: elements of equal size that fill the scalar; a pack has no '_'. */
static bool vector_fits(const IrInst *inst)
{
    const bool pack = inst->dst.kind == IR_REG;
    const IrOperand *scalar = pack ? &inst->dst : &inst->src[0];
    if (!inst->n_vec || scalar->bytes % inst->n_vec || !operand_is_value(scalar))
        return false;
    for (unsigned i = 0; i < inst->n_vec; i++) {
        const IrOperand *o = &inst->vec[i];
        if (pack ? !operand_is_value(o) : o->kind != IR_REG && o->kind != IR_NONE)
            return false;
        if (o->kind != IR_NONE && (o->bytes < scalar->bytes / inst->n_vec || o->bytes > 8))
            return false;
    }
    return true;
}

/* cvt and mov between widths: registers of 2, 4 or 8 bytes. */
static bool widths_can_convert(const IrInst *inst, const AluShape *shape)
{
    for (unsigned i = 0; i < shape->n_src; i++)
        if (inst->src[i].bytes < 2 || inst->src[i].bytes > 8)
            return false;
    return inst->dst.bytes >= 2 && inst->dst.bytes <= 8;
}

/* Which comparisons a type has (PTX ISA 9.3.1.1, 9.3.1.2): set's rows are one for all of them. */
static bool comparison_fits(PtxType type, IrCmp cmp)
{
    switch (type) {
    case PTX_TYPE_B16:
    case PTX_TYPE_B32:
    case PTX_TYPE_B64:
        return cmp == CMP_EQ || cmp == CMP_NE;
    case PTX_TYPE_S16:
    case PTX_TYPE_S32:
    case PTX_TYPE_S64:
        return cmp <= CMP_GE;
    case PTX_TYPE_U16:
    case PTX_TYPE_U32:
    case PTX_TYPE_U64:
        return cmp <= CMP_HS;
    default:
        return cmp <= CMP_GE || cmp >= CMP_EQU;
    }
}

/* What the table's columns cannot say. */
static bool row_is_legal(const AluRow *row, const IrInst *inst)
{
    if (inst->vec)
        return vector_fits(inst);
    if (inst->opcode == PTX_SET && !comparison_fits(inst->type2, inst->cmp))
        return false;
    if (row->shape->any_width && !widths_can_convert(inst, row->shape))
        return false;
    if (inst->opcode == PTX_ISSPACEP || inst->opcode == PTX_CVTA) {
        const bool known = inst->space == SPACE_GLOBAL || inst->space == SPACE_SHARED ||
                           inst->space == SPACE_LOCAL || inst->space == SPACE_PARAM;
        return known || (inst->opcode == PTX_CVTA && inst->space == SPACE_CONST);
    }
    return inst->opcode != PTX_PRMT || inst->mode <= PRMT_RC16;
}

static bool row_fits(const AluRow *row, const IrInst *inst, uint32_t selector)
{
    return row->opcode == inst->opcode && row->type == inst->type && row->type2 == inst->type2 &&
           ((selector ^ row->selector) & ~row->optional) == 0 && operands_fit(inst, row->shape) &&
           row_is_legal(row, inst);
}

const AluRow *alu_find_row(AluVariant v, const IrInst *inst)
{
    size_t n;
    const AluRow *rows = alu_rows(v, &n);
    const uint32_t selector = alu_selector(inst);
    for (size_t i = 0; i < n; i++)
        if (row_fits(&rows[i], inst, selector))
            return &rows[i];
    return NULL;
}

AluIndex *alu_index_new(void)
{
    size_t n;
    const AluRow *rows = alu_rows(alu_variant_best(), &n);
    AluIndex *index = calloc(1, sizeof *index + n * sizeof *index->next);
    if (index == NULL)
        return NULL;
    index->rows = rows;
    for (size_t i = n; i-- > 0;) {
        index->next[i] = index->first[rows[i].opcode];
        index->first[rows[i].opcode] = (uint32_t)i + 1;
    }
    return index;
}

IrHandler alu_index_handler(const AluIndex *index, const IrInst *inst)
{
    if (index == NULL)
        return exec_alu_handler(inst);
    const uint32_t selector = alu_selector(inst);
    for (uint32_t i = index->first[inst->opcode]; i != 0; i = index->next[i - 1])
        if (row_fits(&index->rows[i - 1], inst, selector))
            return index->rows[i - 1].handler;
    return NULL;
}

IrHandler exec_alu_handler(const IrInst *inst)
{
    const AluRow *row = alu_find_row(alu_variant_best(), inst);
    return row ? row->handler : NULL;
}
