/* PTX operands -> IrOperands: registers with checked widths, constants, addresses of symbols.
 *
 * Special registers and places in the frame are read by a PTX_MOV into a scratch register, emitted before the
 * instruction that uses them (ir.h says why).
 */
#include "common/vgpu/ir/ir_internal.h"

#include <string.h>

unsigned type_reg_bytes(PtxType type)
{
    unsigned bits = ptx_type_bits(type);
    return type == PTX_TYPE_PRED ? 0 : bits <= 16 ? 2 : bits / 8;
}

IrOperand decode_scratch(Decoder *d, unsigned bytes)
{
    IrOperand reg = {.kind = IR_REG, .bytes = (uint8_t)bytes, .off = (uint32_t)d->n_regs};
    if (VEC_GROW(d->reg_bytes, d->n_regs, d->cap_regs))
        d->reg_bytes[d->n_regs++] = (uint8_t)bytes;
    else
        link_no_memory(d->l);
    return reg;
}

/* ---- registers ---- */

static bool reg_operand(Decoder *d, const PtxOperand *o, unsigned bytes, bool wider, IrOperand *out)
{
    unsigned width = type_reg_bytes((PtxType)o->type);
    bool predicate = o->type == PTX_TYPE_PRED;
    if (predicate != (bytes == 0) || (wider ? width < bytes : width != bytes))
        return decode_refuse(d, "a register of type .%s where %u bits are needed",
                             ptx_type_name((PtxType)o->type), bytes ? bytes * 8 : 1);
    if (o->negated && !predicate)
        return decode_refuse(d, "'!' before something that is no predicate");
    *out = (IrOperand){.kind = IR_REG, .bytes = (uint8_t)width, .negated = o->negated, .off = o->reg};
    return true;
}

bool decode_dest(Decoder *d, const PtxOperand *o, unsigned bytes, bool wider, IrOperand *out)
{
    if (o->kind == PTX_OPERAND_SINK) {
        *out = (IrOperand){.kind = IR_NONE};
        return true;
    }
    if (o->kind != PTX_OPERAND_REG || o->negated)
        return decode_refuse(d, "the destination is no register");
    return reg_operand(d, o, bytes, wider, out);
}

/* ---- constants ---- */

static bool int_operand(Decoder *d, uint64_t value, unsigned bytes, PtxType type, IrOperand *out)
{
    if (ptx_type_class(type) == PTX_TYPES_FLOAT && bytes > 2)
        return decode_refuse(d, "an integer constant where .%s is needed", ptx_type_name(type));
    if (bytes == 0)
        return pool_add(d, POOL_PRED, 0, 0, value != 0, out);
    if (bytes > 8)
        return decode_refuse(d, "a constant of more than 64 bits");
    return pool_add(d, POOL_VALUE, bytes, 0, bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1),
                    out);
}

static uint64_t widen_float(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    double wide = value;
    memcpy(&bits, &wide, sizeof bits);
    return bits;
}

static uint64_t narrow_double(uint64_t bits)
{
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    float value = (float)wide;
    uint32_t narrow;
    memcpy(&narrow, &value, sizeof narrow);
    return narrow;
}

static bool float_operand(Decoder *d, const PtxOperand *o, unsigned bytes, PtxType type, IrOperand *out)
{
    uint64_t bits = o->value;
    if (o->type == PTX_TYPE_F32 && type == PTX_TYPE_F64)
        bits = widen_float(bits);
    else if (o->type == PTX_TYPE_F64 && bytes == 4)
        bits = narrow_double(bits);
    else if (bytes != type_reg_bytes((PtxType)o->type))
        return decode_refuse(d, "a .%s constant where %u bits are needed", ptx_type_name((PtxType)o->type),
                             bytes * 8);
    return pool_add(d, POOL_VALUE, bytes, 0, bits, out);
}

/* ---- symbols ---- */

static bool note_shared_use(Decoder *d, uint32_t global)
{
    FunctionUses *u = d->uses;
    for (size_t i = 0; i < u->n_shared; i++)
        if (u->shared[i] == global)
            return true;
    if (!VEC_GROW(u->shared, u->n_shared, u->cap_shared)) {
        link_no_memory(d->l);
        return false;
    }
    u->shared[u->n_shared++] = global;
    return true;
}

static bool global_address(Decoder *d, uint32_t global, int64_t addend, unsigned bytes, IrOperand *out)
{
    bool shared = d->l->m->globals[global].space == SPACE_SHARED;
    if (bytes != 8 && !(shared && bytes == 4))
        return decode_refuse(d, "the address of '%s' needs 64 bits", d->l->m->globals[global].name);
    if (shared && !note_shared_use(d, global))
        return false;
    return pool_add(d, shared ? POOL_SHARED : POOL_GLOBAL, bytes, global, (uint64_t)addend, out);
}

/* Where a parameter lies: *frame when in the frame, else in the entry's parameter buffer. */
static uint32_t param_place(const Decoder *d, const PtxVariable *v, bool *frame)
{
    *frame = !d->f->is_entry || v->in_function;
    if (v->in_function)
        return d->variable_place[v->index];
    return v->role == PTX_ROLE_RESULT ? d->f->results[v->index].offset : d->f->params[v->index].offset;
}

static bool variable_address(Decoder *d, const PtxVariable *v, int64_t addend, unsigned bytes, IrOperand *out)
{
    bool frame = true;
    uint32_t place = 0;
    if (v->space == PTX_SPACE_PARAM)
        place = param_place(d, v, &frame);
    else if (v->space == PTX_SPACE_LOCAL && v->in_function)
        place = d->variable_place[v->index];
    else if (v->space == PTX_SPACE_LOCAL)
        return decode_refuse(d, "'%s' is a .local variable of module scope", v->name);
    else
        return global_address(
            d, v->in_function ? d->variable_place[v->index] : d->l->variable_global[d->module][v->index],
            addend, bytes, out);
    uint64_t at = place + (uint64_t)addend;
    if (!frame)
        return pool_add(d, POOL_VALUE, bytes, 0, bytes == 4 ? (uint32_t)at : at, out);
    *out = (IrOperand){.kind = IR_FRAME, .bytes = (uint8_t)bytes, .off = (uint32_t)at};
    return true;
}

static bool name_address(Decoder *d, const PtxOperand *o, unsigned bytes, IrOperand *out)
{
    const Symbol *s = link_find(d->l, d->module, o->name);
    if (!s)
        return decode_refuse(d, "'%s' is not defined", o->name);
    if (s->kind == SYMBOL_GLOBAL)
        return global_address(d, s->index, o->offset, bytes, out);
    if (bytes != 8)
        return decode_refuse(d, "the address of '%s' needs 64 bits", o->name);
    d->l->uses[s->index].address_taken = true;
    return pool_add(d, POOL_FUNCTION, bytes, s->index, (uint64_t)o->offset, out);
}

bool decode_symbol(Decoder *d, const PtxOperand *o, unsigned bytes, IrOperand *out)
{
    if (bytes != 4 && bytes != 8)
        return decode_refuse(d, "an address where %u bits are needed", bytes * 8);
    if (o->kind == PTX_OPERAND_NAME)
        return name_address(d, o, bytes, out);
    return variable_address(d, o->variable, o->offset, bytes, out);
}

/* ---- sources ---- */

/* Reads what only PTX_MOV may read into a scratch register. */
static bool through_scratch(Decoder *d, const IrOperand *from, PtxType type, IrOperand *out)
{
    IrInst mov = {.opcode = PTX_MOV, .type = (uint8_t)type, .n_vec = 1, .src[0] = *from};
    mov.dst = *out = decode_scratch(d, from->bytes);
    return decode_emit(d, &mov);
}

static bool sreg_operand(Decoder *d, const PtxOperand *o, unsigned bytes, bool wider, IrOperand *out)
{
    unsigned width = type_reg_bytes((PtxType)o->type);
    if (wider ? width < bytes : width != bytes)
        return decode_refuse(d, "%s has %u bits, not %u", ptx_sreg_name((PtxSreg)o->reg), width * 8,
                             bytes * 8);
    IrOperand sreg = {.kind = IR_SREG, .bytes = (uint8_t)width, .off = o->reg};
    return through_scratch(d, &sreg, (PtxType)o->type, out);
}

bool decode_source(Decoder *d, const PtxOperand *o, unsigned bytes, PtxType type, bool wider, IrOperand *out)
{
    IrOperand address;
    switch ((PtxOperandKind)o->kind) {
    case PTX_OPERAND_REG:
        return reg_operand(d, o, bytes, wider, out);
    case PTX_OPERAND_INT:
        return int_operand(d, o->value, bytes, type, out);
    case PTX_OPERAND_FLOAT:
        return float_operand(d, o, bytes, type, out);
    case PTX_OPERAND_SREG:
        return sreg_operand(d, o, bytes, wider, out);
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_NAME:
        if (!decode_symbol(d, o, bytes, &address))
            return false;
        if (address.kind == IR_FRAME)
            return through_scratch(d, &address, bytes == 4 ? PTX_TYPE_U32 : PTX_TYPE_U64, out);
        *out = address;
        return true;
    default:
        return decode_refuse(d, "an operand of a kind that does not fit here");
    }
}

bool decode_vector(Decoder *d, const PtxOperand *o, unsigned bytes, PtxType type, bool is_dest, bool wider,
                   IrInst *in)
{
    in->vec = link_alloc(d->l, o->n_elems, sizeof *in->vec);
    in->n_vec = o->n_elems;
    for (int i = 0; i < o->n_elems && in->vec; i++) {
        const PtxOperand *e = &o->elems[i];
        bool ok = is_dest ? decode_dest(d, e, bytes, wider, &in->vec[i])
                          : decode_source(d, e, bytes, type, wider, &in->vec[i]);
        if (!ok)
            return false;
    }
    return in->vec != NULL;
}

/* ---- addresses ---- */

static uint8_t space_of(const Decoder *d, const PtxVariable *v)
{
    switch ((PtxSpace)v->space) {
    case PTX_SPACE_PARAM:
        return d->f->is_entry && !v->in_function ? SPACE_PARAM : SPACE_FRAME;
    case PTX_SPACE_LOCAL:
        return SPACE_FRAME;
    case PTX_SPACE_SHARED:
        return SPACE_SHARED;
    case PTX_SPACE_CONST:
        return SPACE_CONST;
    default:
        return SPACE_GLOBAL;
    }
}

/* Whether an instruction for `said` may name a variable of space `is`. Generic instructions may name any. */
static bool space_fits(uint8_t said, uint8_t is, const PtxVariable *v)
{
    if (said == SPACE_GENERIC || said == is)
        return true;
    return is == SPACE_FRAME && said == (v->space == PTX_SPACE_LOCAL ? SPACE_LOCAL : SPACE_PARAM);
}

static bool variable_base(Decoder *d, const PtxVariable *v, IrInst *in)
{
    uint8_t space = space_of(d, v);
    if (!space_fits(in->space, space, v))
        return decode_refuse(d, "'%s' lies in another state space", v->name);
    in->space = space;
    if (space != SPACE_PARAM && space != SPACE_FRAME)
        return variable_address(d, v, 0, space == SPACE_SHARED ? 4 : 8, &in->src[0]);
    if (v->space == PTX_SPACE_LOCAL && !v->in_function)
        return decode_refuse(d, "'%s' is a .local variable of module scope", v->name);
    bool frame = true;
    in->offset += v->space == PTX_SPACE_PARAM ? param_place(d, v, &frame) : d->variable_place[v->index];
    return true;
}

static bool name_base(Decoder *d, const PtxOperand *base, IrInst *in)
{
    const Symbol *s = link_find(d->l, d->module, base->name);
    if (!s || s->kind != SYMBOL_GLOBAL)
        return decode_refuse(d, "'%s' is no variable", base->name);
    uint8_t space = d->l->m->globals[s->index].space;
    if (in->space != SPACE_GENERIC && in->space != space)
        return decode_refuse(d, "'%s' lies in another state space", base->name);
    in->space = space;
    return global_address(d, s->index, 0, space == SPACE_SHARED ? 4 : 8, &in->src[0]);
}

static bool register_base(Decoder *d, const PtxOperand *base, IrInst *in)
{
    unsigned width = type_reg_bytes((PtxType)base->type);
    if (in->space == SPACE_PARAM && !d->f->is_entry)
        in->space = SPACE_LOCAL;
    if (width != 4 && width != 8)
        return decode_refuse(d, "an address in a register of type .%s", ptx_type_name((PtxType)base->type));
    return reg_operand(d, base, width, false, &in->src[0]);
}

bool decode_address(Decoder *d, const PtxOperand *o, IrInst *in)
{
    if (o->kind != PTX_OPERAND_ADDRESS || o->n_elems != 1)
        return decode_refuse(d, "expected an address in brackets");
    const PtxOperand *base = &o->elems[0];
    in->offset = o->offset;
    switch ((PtxOperandKind)base->kind) {
    case PTX_OPERAND_REG:
        return register_base(d, base, in);
    case PTX_OPERAND_VARIABLE:
        return variable_base(d, base->variable, in);
    case PTX_OPERAND_NAME:
        return name_base(d, base, in);
    case PTX_OPERAND_INT:
        in->offset += (int64_t)base->value;
        return true;
    default:
        return decode_refuse(d, "an address must be a register, a variable or a number");
    }
}

bool decode_address_value(Decoder *d, const PtxOperand *o, unsigned bytes, IrOperand *out)
{
    if (o->kind != PTX_OPERAND_ADDRESS || o->n_elems != 1)
        return decode_refuse(d, "expected an address in brackets");
    PtxOperand base = o->elems[0];
    if (base.kind != PTX_OPERAND_REG) {
        base.offset += o->offset;
        return decode_source(d, &base, bytes, PTX_TYPE_U64, false, out);
    }
    unsigned width = type_reg_bytes((PtxType)base.type);
    if (width != 4 && width != 8)
        return decode_refuse(d, "an address in a register of type .%s", ptx_type_name((PtxType)base.type));
    if (!reg_operand(d, &base, width, false, out) || o->offset == 0)
        return out->kind == IR_REG;
    PtxType type = width == 4 ? PTX_TYPE_U32 : PTX_TYPE_U64;
    IrInst sum = {.opcode = PTX_ADD, .type = (uint8_t)type, .n_vec = 1, .src[0] = *out};
    uint64_t offset = (uint64_t)o->offset;
    if (!pool_add(d, POOL_VALUE, width, 0, width == 4 ? (uint32_t)offset : offset, &sum.src[1]))
        return false;
    sum.dst = *out = decode_scratch(d, width);
    return decode_emit(d, &sum);
}
