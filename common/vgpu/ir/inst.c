/* One PTX instruction -> one IrInst (and the moves to scratch registers before it), by the shape of its form.
 *
 * Each letter of the shape (opcodes.def) takes one operand. Sources fill src[0], src[1]... in order.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <string.h>

typedef struct InstState {
    Decoder *d;
    const PtxInst *pi;
    IrInst in;
    int operand; /* the next one */
    int source;  /* the next of in.src */
    bool wider;  /* registers may be wider than the type: ld st cvt */
    bool widens; /* .wide form */
} InstState;

/* ---- parts of operands ---- */

/* What the parser takes after or before any name means something with some names only: a sum is the place of a variable
 * or function, or stands in brackets; '!' stands before a predicate; parts of registers and minus signs are video.c's.
 * `sums`: a variable may have one here. */
static bool is_understood(Decoder *d, const PtxOperand *o, bool sums)
{
    bool list =
        o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR || o->kind == PTX_OPERAND_ADDRESS;
    bool symbol = o->kind == PTX_OPERAND_VARIABLE || o->kind == PTX_OPERAND_NAME;
    bool predicate = o->kind == PTX_OPERAND_REG && o->type == PTX_TYPE_PRED;
    if (o->negated && !predicate)
        return decode_refuse(d, "'!' before something that is no predicate");
    if (o->minus || o->selector)
        return decode_refuse(d, "a minus sign or a part of a register, outside of video instructions");
    if (o->offset && !(symbol && sums) && o->kind != PTX_OPERAND_ADDRESS)
        return decode_refuse(d, "a sum outside of an address");
    for (int i = 0; list && i < o->n_elems; i++)
        if (!is_understood(d, &o->elems[i], sums))
            return false;
    return true;
}

static bool are_understood(Decoder *d, const PtxInst *pi)
{
    for (int i = 0; i < pi->n_operands; i++)
        if (!is_understood(d, &pi->operands[i], true))
            return false;
    const PtxCall *c = pi->call;
    for (uint32_t i = 0; c && i < c->n_args; i++)
        if (!is_understood(d, &c->args[i], c->args[i].kind == PTX_OPERAND_NAME))
            return false;
    for (uint32_t i = 0; c && i < c->n_results; i++)
        if (!is_understood(d, &c->results[i], false))
            return false;
    return !c || is_understood(d, &c->target, false);
}

/* ---- one operand ---- */

static bool source(InstState *s, const PtxOperand *o, unsigned bytes, PtxType type)
{
    return decode_source(s->d, o, bytes, type, s->wider, &s->in.src[s->source++]);
}

/* d, or d|p with a predicate; `_` for either. */
static bool dest_pair(InstState *s, const PtxOperand *o, unsigned bytes)
{
    if (o->kind != PTX_OPERAND_PAIR)
        return decode_dest(s->d, o, bytes, s->wider, &s->in.dst);
    return decode_dest(s->d, &o->elems[0], bytes, s->wider, &s->in.dst) &&
           decode_dest(s->d, &o->elems[1], 0, false, &s->in.dst2);
}

static bool vector_or_scalar(InstState *s, const PtxOperand *o, bool is_dest)
{
    PtxType type = (PtxType)s->in.type;
    unsigned bytes = type_reg_bytes(type), n_vec = s->in.n_vec;
    if ((n_vec > 1) != (o->kind == PTX_OPERAND_VECTOR))
        return decode_refuse(s->d, "a vector must be written as {a, b} and be announced by .v2, .v4 or .v8");
    if (n_vec == 1)
        return is_dest ? decode_dest(s->d, o, bytes, true, &s->in.dst) : source(s, o, bytes, type);
    if (o->n_elems != n_vec)
        return decode_refuse(s->d, "a vector of %d elements where %u are needed", o->n_elems, n_vec);
    return decode_vector(s->d, o, bytes, type, is_dest, true, &s->in);
}

/* An address that is a value: of a register, or of a variable. */
static bool address_value(InstState *s, const PtxOperand *o)
{
    unsigned bytes = o->kind == PTX_OPERAND_REG ? type_reg_bytes((PtxType)o->type) : 8;
    if (bytes != 4 && bytes != 8)
        return decode_refuse(s->d, "an address in a register of type .%s", ptx_type_name((PtxType)o->type));
    return source(s, o, bytes, PTX_TYPE_U64);
}

static bool immediate(InstState *s, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_INT || o->value > 255)
        return decode_refuse(s->d, "expected a constant from 0 to 255");
    s->in.mode = (uint8_t)o->value;
    return true;
}

/* After the size of an asynchronous copy: bytes to read, a predicate, or a cache policy. */
static bool copy_option(InstState *s, const PtxOperand *o)
{
    bool is_reg = o->kind == PTX_OPERAND_REG;
    if (is_reg && o->type == PTX_TYPE_PRED)
        return decode_source(s->d, o, 0, PTX_TYPE_PRED, false, &s->in.src[3]);
    if (is_reg && type_reg_bytes((PtxType)o->type) == 8)
        return true;
    return decode_source(s->d, o, 4, PTX_TYPE_U32, false, &s->in.src[2]);
}

/* {a, b} of an atomic operation: old values and operands share vec, old values first. */
static bool atomic_vector(InstState *s, const PtxOperand *o, bool is_dest)
{
    PtxType type = (PtxType)s->in.type;
    unsigned n = s->in.n_vec, n_dests = s->in.opcode == PTX_ATOM ? n : 0;
    if (o->kind != PTX_OPERAND_VECTOR || o->n_elems != n)
        return decode_refuse(s->d, "a vector of %u elements is needed", n);
    if (!s->in.vec)
        s->in.vec = link_alloc(s->d->l, (size_t)n + n_dests, sizeof *s->in.vec);
    IrOperand *to = s->in.vec + (is_dest ? 0 : n_dests);
    bool ok = s->in.vec != NULL;
    for (unsigned i = 0; ok && i < n; i++)
        ok = is_dest ? decode_dest(s->d, &o->elems[i], type_reg_bytes(type), false, &to[i])
                     : decode_source(s->d, &o->elems[i], type_reg_bytes(type), type, false, &to[i]);
    if (!is_dest)
        s->in.n_vec = (uint8_t)(n + n_dests);
    return ok;
}

/* What is read and changes nothing: a cache policy of memory instructions, a number, or (ir/async.def) what makes a policy or names
 * the one block of a cluster. */
static bool hint(InstState *s, const PtxOperand *o)
{
    switch (s->in.opcode) {
    case PTX_LD:
    case PTX_ST:
    case PTX_ATOM:
    case PTX_RED:
        return (o->kind == PTX_OPERAND_REG && type_reg_bytes((PtxType)o->type) == 8) ||
               decode_refuse(s->d, "a cache policy is a register of 64 bits");
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
    case PTX_PMEVENT:
        return o->kind == PTX_OPERAND_INT || decode_refuse(s->d, "expected a constant");
    default:
        return true;
    }
}

static bool label(InstState *s, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_LABEL)
        return decode_refuse(s->d, "expected a label");
    s->in.target = (uint32_t)o->value; /* a PTX instruction; made a pc when all are known */
    return true;
}

static bool label_list(InstState *s, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_TARGETS)
        return decode_refuse(s->d, "expected a list of labels");
    const PtxTargetList *list = &s->d->pf->target_lists[o->value];
    s->in.targets = link_alloc(s->d->l, list->n, sizeof *s->in.targets);
    s->in.n_targets = list->n;
    if (s->in.targets)
        memcpy(s->in.targets, list->insts, list->n * sizeof *list->insts);
    return s->in.targets != NULL;
}

static bool one_operand(InstState *s, char letter, const PtxOperand *o)
{
    PtxType type = (PtxType)s->in.type;
    unsigned bytes = type_reg_bytes(type), product = s->widens ? bytes * 2 : bytes;
    switch (letter) {
    case 'd':
        return decode_dest(s->d, o, bytes, s->wider, &s->in.dst);
    case 'w':
        return decode_dest(s->d, o, product, false, &s->in.dst);
    case 'U':
        return decode_dest(s->d, o, 4, false, &s->in.dst);
    case 'P':
        return decode_dest(s->d, o, 0, false, &s->in.dst);
    case 'Q':
        return dest_pair(s, o, 0);
    case 'R':
        return dest_pair(s, o, bytes);
    case 'M':
        return dest_pair(s, o, 4);
    case 'V':
        return vector_or_scalar(s, o, true);
    case 'v':
        s->source = 1;
        return vector_or_scalar(s, o, false);
    case 'a':
        return source(s, o, bytes, type);
    case 'c':
        return source(s, o, product, type);
    case 'u':
        return source(s, o, 4, PTX_TYPE_U32);
    case 's':
        return source(s, o, type_reg_bytes((PtxType)s->in.type2), (PtxType)s->in.type2);
    case 'p':
        return source(s, o, 0, PTX_TYPE_PRED);
    case 'A':
        return address_value(s, o);
    case 'm':
        s->source = 1;
        return decode_address(s->d, o, &s->in);
    case 'k':
        return immediate(s, o);
    case '@':
        return decode_address_value(s->d, o, 8, &s->in.src[s->source++]);
    case 'i':
        s->in.offset = (int64_t)o->value;
        return o->kind == PTX_OPERAND_INT || decode_refuse(s->d, "expected a constant");
    case 'D':
    case 'S':
        return atomic_vector(s, o, letter == 'D');
    case 'z':
        return copy_option(s, o);
    case 'l':
        return label(s, o);
    case 't':
        return label_list(s, o);
    case 'h':
        return hint(s, o);
    default:
        return decode_refuse(s->d, "no decoder for its operands");
    }
}

/* ---- all operands ---- */

static int count_letters(const char *shape)
{
    int n = 0;
    for (; *shape; shape++)
        n += *shape != '?';
    return n;
}

/* Operands in the order of the shape; an optional one is left out when there are too few. */
static bool by_shape(InstState *s, const char *shape)
{
    int missing = count_letters(shape) - s->pi->n_operands;
    for (; *shape; shape++) {
        bool optional = *shape == '?';
        shape += optional;
        if (optional && missing > 0) {
            missing--;
            s->source += strchr("acusp", *shape) != NULL;
            continue;
        }
        if (s->operand == s->pi->n_operands)
            return decode_refuse(s->d, "too few operands");
        if (!one_operand(s, *shape, &s->pi->operands[s->operand++]))
            return false;
    }
    return s->operand == s->pi->n_operands || decode_refuse(s->d, "too many operands");
}

/* ---- mov ---- */

/* mov.b64 {a, b}, c  or  mov.b64 c, {a, b} */
static bool mov_vector(InstState *s, const PtxOperand *to, const PtxOperand *from)
{
    PtxType type = (PtxType)s->in.type;
    bool unpack = to->kind == PTX_OPERAND_VECTOR;
    const PtxOperand *vector = unpack ? to : from;
    unsigned bits = ptx_type_bits(type) / vector->n_elems;
    if ((vector->n_elems != 2 && vector->n_elems != 4) || bits < 8 ||
        (unpack && from->kind == PTX_OPERAND_VECTOR))
        return decode_refuse(s->d, "no such form of mov");
    if (!decode_vector(s->d, vector, bits < 16 ? 2 : bits / 8, PTX_TYPE_NONE, unpack, false, &s->in))
        return false;
    return unpack ? decode_source(s->d, from, type_reg_bytes(type), type, false, &s->in.src[0])
                  : decode_dest(s->d, to, type_reg_bytes(type), false, &s->in.dst);
}

static bool mov(InstState *s)
{
    if (s->pi->n_operands != 2)
        return decode_refuse(s->d, "mov needs two operands");
    const PtxOperand *to = &s->pi->operands[0], *from = &s->pi->operands[1];
    PtxType type = (PtxType)s->in.type;
    unsigned bytes = type_reg_bytes(type);
    if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR)
        return mov_vector(s, to, from);
    if (!decode_dest(s->d, to, bytes, false, &s->in.dst))
        return false;
    if (from->kind == PTX_OPERAND_SREG && bytes == 2 && from->type == PTX_TYPE_U32) { /* its lower half */
        s->in.opcode = PTX_CVT;
        s->in.type = PTX_TYPE_U16;
        s->in.type2 = PTX_TYPE_U32;
        return decode_source(s->d, from, 4, PTX_TYPE_U32, false, &s->in.src[0]) &&
               decode_dest(s->d, to, bytes, false, &s->in.dst);
    }
    if (from->kind == PTX_OPERAND_SREG && type_reg_bytes((PtxType)from->type) == bytes) {
        s->in.src[0] = (IrOperand){.kind = IR_SREG, .bytes = (uint8_t)bytes, .off = from->reg};
        return true;
    }
    if (from->kind == PTX_OPERAND_VARIABLE || from->kind == PTX_OPERAND_NAME)
        return decode_symbol(s->d, from, bytes, &s->in.src[0]);
    return decode_source(s->d, from, bytes, type, false, &s->in.src[0]);
}

/* ---- what is special after the operands ---- */

static bool is_param_space(const InstState *s)
{
    return s->in.space == SPACE_PARAM;
}

/* cvta and isspacep of .param in a device function mean its frame. */
static void settle_space(InstState *s)
{
    bool names_space = s->in.opcode == PTX_CVTA || s->in.opcode == PTX_ISSPACEP;
    if (names_space && is_param_space(s) && !s->d->f->is_entry)
        s->in.space = SPACE_LOCAL;
}

static void note_facts(InstState *s)
{
    for (int i = 0; i < 4; i++) {
        const IrOperand *o = &s->in.src[i];
        if (o->kind == IR_SREG && (o->off == PTX_SREG_ENVREG1 || o->off == PTX_SREG_ENVREG2))
            s->d->uses->grid_sync = true;
    }
}

static bool operands(InstState *s, const IrForm *form)
{
    if (strcmp(form->shape, "mov") == 0)
        return mov(s);
    if (strcmp(form->shape, "call") == 0)
        return decode_call(s->d, s->pi, &s->in);
    if (strcmp(form->shape, "tensor") == 0)
        return decode_tensor(s->d, s->pi, form, &s->in);
    if (strcmp(form->shape, "texture") == 0)
        return decode_texture(s->d, s->pi, form, &s->in);
    if (strcmp(form->shape, "video") == 0)
        return decode_video(s->d, s->pi, form, &s->in);
    return by_shape(s, form->shape);
}

bool decode_instruction(Decoder *d, const PtxInst *pi)
{
    const PtxVariant *variant = &d->pm->variants[pi->variant];
    IrForm *form = &d->l->forms[d->module][pi->variant];
    if (!form->decoded)
        form_decode(variant, form);
    if (!form->usable)
        return decode_refuse(d, "%s", form->reason);
    bool is_video = strcmp(form->shape, "video") == 0;
    if (!is_video && !are_understood(d, pi))
        return false;
    InstState s = {.d = d, .pi = pi, .in = form->inst};
    s.wider = s.in.opcode == PTX_LD || s.in.opcode == PTX_ST || s.in.opcode == PTX_CVT;
    s.widens = s.in.mode == MUL_WIDE && (s.in.opcode == PTX_MUL || s.in.opcode == PTX_MAD);
    if (!operands(&s, form))
        return false;
    settle_space(&s);
    note_facts(&s);
    return decode_emit(d, &s.in) && (!s.in.call || decode_call_results(d, pi, s.in.call));
}
