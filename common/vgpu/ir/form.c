/* Modifiers and types of a variant -> fields of IrInst, by the tables opcodes.def and modifiers.def. */
#include "common/vgpu/ir/form.h"

#include <stdio.h>
#include <string.h>

typedef struct OpcodeRow {
    const char *shape;
    uint32_t types;
    uint64_t groups;
} OpcodeRow;

static const OpcodeRow opcode_rows[] = {
#define X(name, text, class, section, shape, types, groups) {shape, types, groups},
#include "common/vgpu/ptx/opcodes.def"
#undef X
};

typedef struct ModifierRow {
    const char *text;
    uint8_t group, value;
} ModifierRow;

static const ModifierRow modifier_rows[] = {
#define X(text, group, value) {text, MOD_##group, value},
#include "common/vgpu/ir/modifiers.def"
#undef X
};
enum { N_MODIFIERS = sizeof modifier_rows / sizeof modifier_rows[0] };

/* An opcode that may have one of these must have one. */
static const uint64_t required =
    M_CMP | M_ATOM | M_SHFL | M_VOTE | M_BAR | M_SHIFT | M_DIRECTION | M_TESTP | M_HALF;

typedef struct FormState {
    IrForm *form;
    const OpcodeRow *row;
    uint64_t seen;
    unsigned n_types;
    const char *text;
} FormState;

void form_refuse(IrForm *form, const char *what, const char *word, size_t length)
{
    form->usable = false;
    if (!form->reason[0])
        snprintf(form->reason, sizeof form->reason, "%s%.*s", what, (int)(length < 60 ? length : 60), word);
}

static void refuse_word(FormState *s, const char *what, const char *word, size_t length)
{
    form_refuse(s->form, what, word, length);
}

PtxType form_type_named(const char *word, size_t length)
{
    for (int t = PTX_TYPE_NONE + 1; t < PTX_N_TYPES; t++) {
        const char *name = ptx_type_name((PtxType)t);
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return (PtxType)t;
    }
    return PTX_TYPE_NONE;
}

static void add_type(FormState *s, PtxType type, const char *word, size_t length)
{
    IrInst *in = &s->form->inst;
    if (!(s->row->types >> type & 1))
        refuse_word(s, "no such form for type .", word, length);
    if (s->n_types == 0)
        in->type = (uint8_t)type;
    else if (s->n_types == 1)
        in->type2 = (uint8_t)type;
    else if (s->n_types > 2 || type != in->type2)
        refuse_word(s, "unexpected type .", word, length);
    s->n_types++;
}

static const ModifierRow *find_modifier(const FormState *s, const char *word, size_t length)
{
    for (int i = 0; i < N_MODIFIERS; i++) {
        const ModifierRow *m = &modifier_rows[i];
        bool allowed = s->row->groups >> m->group & 1;
        if (allowed && strlen(m->text) == length && memcmp(m->text, word, length) == 0)
            return m;
    }
    return NULL;
}

/* The member of IrInst, a byte, that a modifier sets: to true, or (VALUE) to the row's value. */
#define FLAG(member)  {true, false, offsetof(IrInst, member)}
#define VALUE(member) {true, true, offsetof(IrInst, member)}
static const struct {
    bool sets, by_value;
    size_t at;
} members[] = {
    [MOD_ROUND] = VALUE(round),
    [MOD_FTZ] = FLAG(ftz),
    [MOD_SAT] = FLAG(sat),
    [MOD_SATFINITE] = FLAG(finite),
    [MOD_APPROX] = FLAG(approx),
    [MOD_FULL] = FLAG(full),
    [MOD_CC] = FLAG(carry_out),
    [MOD_CMP] = VALUE(cmp),
    [MOD_BOOL] = VALUE(boolean),
    [MOD_MUL] = VALUE(mode),
    [MOD_ATOM] = VALUE(mode),
    [MOD_SHFL] = VALUE(mode),
    [MOD_VOTE] = VALUE(mode),
    [MOD_BAR] = VALUE(mode),
    [MOD_REDUCE] = VALUE(mode),
    [MOD_SHIFT] = VALUE(mode),
    [MOD_PRMT] = VALUE(mode),
    [MOD_TESTP] = VALUE(mode),
    [MOD_DEPENDENT] = VALUE(mode),
    [MOD_HALF] = VALUE(hi),
    [MOD_DIRECTION] = VALUE(hi),
    [MOD_SPACE] = VALUE(space),
    [MOD_SEM] = VALUE(sem),
    [MOD_SCOPE] = VALUE(scope),
    [MOD_TO] = FLAG(to),
    [MOD_ABS] = FLAG(abs),
    [MOD_NAN] = FLAG(nan),
    [MOD_XORSIGN] = FLAG(xorsign),
    [MOD_RELU] = FLAG(relu),
    [MOD_UNI] = FLAG(uniform),
    [MOD_ALIGNED] = FLAG(uniform),
    [MOD_SHIFTAMT] = FLAG(shiftamt),
    [MOD_VECTOR] = VALUE(n_vec),
};
#undef FLAG
#undef VALUE

static void form_set_member(FormState *s, const ModifierRow *m)
{
    bool said = m->group == MOD_BAR && (s->seen & M_BAR); /* bar.warp.sync: .sync adds nothing */
    if (m->group < sizeof members / sizeof *members && members[m->group].sets && !said)
        ((uint8_t *)&s->form->inst)[members[m->group].at] = members[m->group].by_value ? m->value : true;
    s->seen |= UINT64_C(1) << m->group;
}

static void form_add_word(FormState *s, const char *word, size_t length)
{
    PtxType type = form_type_named(word, length);
    const ModifierRow *m = type == PTX_TYPE_NONE ? find_modifier(s, word, length) : NULL;
    if (type != PTX_TYPE_NONE)
        add_type(s, type, word, length);
    else if (m)
        form_set_member(s, m);
    else
        refuse_word(s, "unknown modifier .", word, length);
}

bool ir_is_float(uint8_t type)
{
    PtxTypeClass c = ptx_type_class((PtxType)type);
    return c == PTX_TYPES_FLOAT ||
           (c == PTX_TYPES_PACKED && type != PTX_TYPE_U16X2 && type != PTX_TYPE_S16X2);
}

/* What must be there, and what goes without saying. */
static void check_complete(FormState *s)
{
    IrInst *in = &s->form->inst;
    uint64_t missing = s->row->groups & required & ~s->seen;
    bool is_bar = in->opcode == PTX_BAR || in->opcode == PTX_BARRIER;
    bool multiplies = (s->row->groups & M_MUL) && !ir_is_float(in->type);
    unsigned types_wanted = s->row->types == 0 || is_bar ? 0 : strchr(s->form->shape, 's') ? 2 : 1;
    if (missing || (multiplies && !(s->seen & M_MUL)))
        refuse_word(s, "a modifier is missing", "", 0);
    if (multiplies && in->mode == MUL_WIDE && ptx_type_bits((PtxType)in->type) > 32)
        refuse_word(s, "no .wide form of this width", "", 0);
    if (s->n_types < types_wanted)
        refuse_word(s, "a type is missing", "", 0);
    bool sync_wanted = ptx_opcode_class((PtxOpcode)in->opcode) == PTX_CLASS_WARP && (s->row->groups & M_SYNC);
    if (sync_wanted && !(s->seen & M_SYNC))
        refuse_word(s, "forms without .sync do not exist on this target", "", 0);
}

static void fill_defaults(FormState *s)
{
    IrInst *in = &s->form->inst;
    bool atomic = in->opcode == PTX_ATOM || in->opcode == PTX_RED;
    in->carry_in = in->opcode == PTX_ADDC || in->opcode == PTX_SUBC || in->opcode == PTX_MADC;
    if (atomic && !(s->seen & M_SEM))
        in->sem = SEM_RELAXED;
    if (atomic && !(s->seen & M_SCOPE))
        in->scope = SCOPE_GPU;
    if (in->opcode == PTX_MEMBAR)
        in->sem = SEM_SC;
    if (in->opcode == PTX_BAR && in->mode != BAR_WARP)
        in->uniform = true;
    if (in->opcode == PTX_FENCE && !(s->seen & M_SEM))
        in->sem = SEM_ACQ_REL;
}

static const char *bar_shape(uint8_t mode)
{
    switch (mode) {
    case BAR_SYNC:
        return "u?u";
    case BAR_ARRIVE:
        return "uu";
    case BAR_WARP:
        return "u";
    default:
        return "du?up";
    }
}

/* atom.add.v4.f32 and its kin (PTX ISA 9.7.13.5): floats only. */
static void choose_vector_atomic(FormState *s)
{
    const IrInst *in = &s->form->inst;
    bool half = ir_is_float(in->type) && in->type != PTX_TYPE_F32 && in->type != PTX_TYPE_F64;
    bool extreme = in->mode == ATOM_MIN || in->mode == ATOM_MAX;
    s->form->shape = in->opcode == PTX_ATOM ? "DmS?h" : "mS?h";
    if (!(half && (extreme || in->mode == ATOM_ADD)) && !(in->type == PTX_TYPE_F32 && in->mode == ATOM_ADD))
        refuse_word(s, "no such atomic operation on a vector", "", 0);
}

/* Operands that depend on the modifiers. */
static void choose_shape(FormState *s)
{
    IrForm *f = s->form;
    const IrInst *in = &f->inst;
    bool packed = ptx_type_class((PtxType)in->type) == PTX_TYPES_PACKED;
    if (in->opcode == PTX_BAR || in->opcode == PTX_BARRIER)
        f->shape = bar_shape(in->mode);
    else if (in->opcode == PTX_ATOM)
        f->shape = in->mode == ATOM_CAS ? "dmaa?h" : "dma?h";
    else if (in->opcode == PTX_MATCH)
        f->shape = in->mode == VOTE_ANY ? "Uau" : "Mau";
    else if (in->opcode == PTX_CVT && packed && in->type2 == PTX_TYPE_F32)
        f->shape = "dss";
    if ((in->opcode == PTX_ATOM || in->opcode == PTX_RED) && in->n_vec > 1)
        choose_vector_atomic(s);
    bool to_fp8 = in->type == PTX_TYPE_E4M3X2 || in->type == PTX_TYPE_E5M2X2;
    bool narrows = in->type2 == PTX_TYPE_F32 && in->type != PTX_TYPE_F32 && in->type != PTX_TYPE_TF32 &&
                   ir_is_float(in->type);
    if (in->opcode == PTX_CVT && (in->finite ? !to_fp8 && !narrows : to_fp8))
        refuse_word(s, "no such form for type .", ptx_type_name((PtxType)in->type), 6);
    if (in->opcode == PTX_VOTE && (in->mode == VOTE_BALLOT) != (in->type == PTX_TYPE_B32))
        refuse_word(s, "no such form for type .", ptx_type_name((PtxType)in->type), 4);
    if (in->opcode == PTX_MATCH && in->mode > VOTE_ANY)
        refuse_word(s, "a match must be .any or .all", "", 0);
    if (in->opcode == PTX_REDUX && in->mode > ATOM_XOR)
        refuse_word(s, "no such reduction", "", 0);
}

void form_decode(const PtxVariant *variant, IrForm *form)
{
    FormState s = {.form = form, .row = &opcode_rows[variant->opcode], .text = variant->text};
    *form = (IrForm){.decoded = true, .usable = true, .shape = s.row->shape};
    form->inst.opcode = (uint16_t)variant->opcode;
    form->inst.n_vec = 1;
    if (variant->opcode == PTX_UNSUPPORTED)
        refuse_word(&s, "unknown instruction", "", 0);
    else if (s.row->shape[0] == '!')
        refuse_word(&s, "not supported: ", ptx_opcode_name(variant->opcode), 20);
    if (!form->usable || form_decode_async(variant, form) || form_decode_video(variant, form))
        return;
    if (strcmp(form->shape, "tensor") == 0) {
        form_decode_tensor(variant, form);
        return;
    }
    if (strcmp(form->shape, "texture") == 0) {
        form_decode_texture(variant, form);
        return;
    }
    if (strcmp(form->shape, "async") == 0) {
        refuse_word(&s, "no such form of ", ptx_opcode_name(variant->opcode), 20);
        return;
    }
    for (const char *word = strchr(variant->text, '.'); word;) {
        const char *end = strchr(word + 1, '.');
        form_add_word(&s, word + 1, end ? (size_t)(end - word - 1) : strlen(word + 1));
        word = end;
    }
    check_complete(&s);
    fill_defaults(&s);
    if (form->usable)
        choose_shape(&s);
}
