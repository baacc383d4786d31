/* Which way of wide execution an instruction takes: decided once, when a module is bound. */
#include "common/vgpu/exec/affine/wide.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

static bool is_word(const IrOperand *o)
{
    return o->bytes == 4 || o->bytes == 8;
}

static bool is_integer(uint8_t type)
{
    PtxTypeClass c = ptx_type_class((PtxType)type);
    unsigned bits = ptx_type_bits((PtxType)type);
    return (c == PTX_TYPES_SIGNED || c == PTX_TYPES_UNSIGNED || c == PTX_TYPES_BITS) &&
           (bits == 32 || bits == 64);
}

/* All operands are words of the type's width. */
static bool is_plain(const IrInst *inst, unsigned n)
{
    unsigned bytes = ptx_type_bits((PtxType)inst->type) / 8;
    for (unsigned i = 0; i < n; i++)
        if (inst->src[i].bytes != bytes)
            return false;
    return is_integer(inst->type) && inst->dst.bytes == bytes && !inst->sat && !inst->carry_in &&
           !inst->carry_out && !inst->vec;
}

static bool is_product(const IrInst *inst, unsigned n)
{
    if (inst->mode == MUL_LO)
        return is_plain(inst, n);
    return inst->mode == MUL_WIDE && !inst->carry_in && !inst->carry_out && is_integer(inst->type) &&
           inst->src[0].bytes == 4 && inst->src[1].bytes == 4 && inst->dst.bytes == 8 &&
           (n < 3 || inst->src[2].bytes == 8);
}

static bool is_conversion(const IrInst *inst)
{
    return is_integer(inst->type) && is_integer(inst->type2) && !inst->sat &&
           inst->dst.bytes == ptx_type_bits((PtxType)inst->type) / 8 &&
           inst->src[0].bytes == ptx_type_bits((PtxType)inst->type2) / 8;
}

static bool is_move(const IrInst *inst)
{
    unsigned bytes = ptx_type_bits((PtxType)inst->type) / 8;
    bool from = inst->src[0].kind == IR_FRAME || inst->src[0].bytes == bytes;
    return !inst->vec && is_word(&inst->dst) && inst->dst.bytes == bytes && from;
}

static bool carries(const IrInst *inst)
{
    return inst->carry_in || inst->carry_out || inst->opcode == PTX_ADDC || inst->opcode == PTX_SUBC ||
           inst->opcode == PTX_MADC;
}

/* Arithmetic on values, for what has such a form. */
static WideKind kind_of_arithmetic(const IrInst *inst)
{
    switch (inst->opcode) {
    case PTX_ADD:
        return is_plain(inst, 2) ? WIDE_ADD : WIDE_ONCE;
    case PTX_SUB:
        return is_plain(inst, 2) ? WIDE_SUB : WIDE_ONCE;
    case PTX_MUL:
        return is_product(inst, 2) ? WIDE_MUL : WIDE_ONCE;
    case PTX_MAD:
        return is_product(inst, 3) ? WIDE_MAD : WIDE_ONCE;
    case PTX_SHL:
        return is_plain(inst, 1) && inst->src[1].bytes == 4 ? WIDE_SHL : WIDE_ONCE;
    case PTX_CVT:
        return is_conversion(inst) ? WIDE_CVT : WIDE_ONCE;
    case PTX_CVTA:
        return inst->dst.bytes == 8 && inst->src[0].bytes == 8 ? WIDE_CVTA : WIDE_ONCE;
    case PTX_SETP:
        return is_integer(inst->type) && inst->boolean == BOOL_NONE && inst->dst2.kind == IR_NONE ? WIDE_SETP
                                                                                                  : WIDE_ONCE;
    case PTX_SELP:
        return is_word(&inst->dst) && inst->src[0].bytes == inst->dst.bytes &&
                       inst->src[1].bytes == inst->dst.bytes
                   ? WIDE_SELP
                   : WIDE_ONCE;
    case PTX_AND:
    case PTX_OR:
    case PTX_NOT:
        return inst->type == PTX_TYPE_PRED ? WIDE_LOGIC : WIDE_ONCE;
    default:
        return WIDE_ONCE;
    }
}

static WideKind kind_of_move(const IrInst *inst)
{
    if (inst->src[0].kind == IR_SREG)
        return inst->dst.bytes == 4 || inst->dst.bytes == 8 ? WIDE_SREG : WIDE_PURE;
    if (inst->vec)
        return WIDE_PURE;
    if (inst->src[0].kind == IR_FRAME)
        return is_move(inst) ? WIDE_MOV : WIDE_PURE;
    return is_move(inst) ? WIDE_MOV : WIDE_ONCE;
}

static WideKind kind_of_memory(const IrInst *inst)
{
    bool load = inst->opcode == PTX_LD || inst->opcode == PTX_LDU;
    if (inst->sem != SEM_WEAK && inst->sem != SEM_NC)
        return WIDE_LEAVE;
    if (load && inst->space == SPACE_PARAM && inst->src[0].kind == IR_NONE && !inst->vec &&
        is_word(&inst->dst) && ptx_type_bits((PtxType)inst->type) == inst->dst.bytes * 8u)
        return WIDE_PARAM;
    if (inst->space != SPACE_GLOBAL && inst->space != SPACE_SHARED)
        return WIDE_CHECKED;
    return load ? WIDE_LOAD : WIDE_STORE;
}

static WideKind kind_of_control(const IrInst *inst)
{
    switch (inst->opcode) {
    case PTX_BRA:
        return WIDE_BRANCH;
    case PTX_RET:
    case PTX_EXIT:
        return inst->guard.kind == IR_NONE ? WIDE_END : WIDE_LEAVE;
    case PTX_BAR:
    case PTX_BARRIER:
        if (inst->mode == BAR_WARP)
            return WIDE_SYNC;
        return inst->mode == BAR_SYNC && inst->guard.kind == IR_NONE ? WIDE_BARRIER : WIDE_LEAVE;
    case PTX_GRIDDEPCONTROL:
    case PTX_PMEVENT:
        return WIDE_CHECKED;
    default:
        return WIDE_LEAVE;
    }
}

uint8_t wide_kind(const IrInst *inst, IrHandler handler)
{
    if (!handler || inst->async)
        return WIDE_LEAVE;
    if (handler == exec_sync_gate)
        return WIDE_SYNC;
    if (inst->texture)
        return WIDE_CHECKED;
    switch (inst->opcode) {
    case PTX_MOV:
        return (uint8_t)kind_of_move(inst);
    case PTX_LD:
    case PTX_LDU:
    case PTX_ST:
        return (uint8_t)kind_of_memory(inst);
    case PTX_ATOM:
    case PTX_RED:
        return inst->vec || exec_atomic_is_ordered(inst) ? WIDE_LEAVE : WIDE_CHECKED;
    case PTX_ACTIVEMASK:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
        return WIDE_CHECKED;
    default:
        break;
    }
    switch (ptx_opcode_class((PtxOpcode)inst->opcode)) {
    case PTX_CLASS_ARITH:
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_SPECIAL:
        return (uint8_t)(carries(inst) || inst->vec ? WIDE_PURE : kind_of_arithmetic(inst));
    default:
        return (uint8_t)kind_of_control(inst);
    }
}

uint8_t wide_sources(const IrInst *inst)
{
    unsigned n = 4;
    while (n && inst->src[n - 1].kind == IR_NONE)
        n--;
    return (uint8_t)n;
}
