/* Instructions on matrices: wmma, mma, ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.4 and .5).
 *
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32  {d0..d3}, {a0..a3}, {b0, b1}, {c0..c3}
 *
 * A form gives shape, layouts and elements, and from them the registers of each fragment (tensor.def).
 * Decoding puts the registers of all fragments into one list.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct ShapeRow {
    uint8_t op, elem;
    uint16_t m, n, k;
    uint8_t a_regs, b_regs;
} ShapeRow;

static const ShapeRow shapes[] = {
#define X(kind, elem, m, n, k, a_regs, b_regs) {TENSOR_##kind, ELEM_##elem, m, n, k, a_regs, b_regs},
#include "common/vgpu/ir/tensor.def"
#undef X
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const struct {
    const char *text;
    uint8_t bits;
} elems[] = {
    [ELEM_NONE] = {"", 0},      [ELEM_F16] = {"f16", 16}, [ELEM_BF16] = {"bf16", 16},
    [ELEM_TF32] = {"tf32", 32}, [ELEM_F32] = {"f32", 32}, [ELEM_F64] = {"f64", 64},
    [ELEM_S8] = {"s8", 8},      [ELEM_U8] = {"u8", 8},    [ELEM_S4] = {"s4", 4},
    [ELEM_U4] = {"u4", 4},      [ELEM_B1] = {"b1", 1},    [ELEM_E4M3] = {"e4m3", 8},
    [ELEM_E5M2] = {"e5m2", 8},  [ELEM_S32] = {"s32", 32},
};
enum { N_ELEMS = sizeof elems / sizeof elems[0] };

unsigned ir_elem_bits(IrElem elem)
{
    return elems[elem].bits;
}

/* ---- words ---- */

typedef struct TensorWords {
    IrForm *form;
    IrTensor *t;
    uint8_t types[IR_N_PARTS];
    int n_types, n_layouts;
    bool layouts[2];
} TensorWords;

static bool add_elem(TensorWords *s, const char *word, size_t length)
{
    for (uint8_t e = 1; e < N_ELEMS; e++) {
        if (!form_word_is(word, length, elems[e].text))
            continue;
        if (s->n_types == IR_N_PARTS)
            return false;
        s->types[s->n_types++] = e;
        return true;
    }
    return false;
}

static bool add_layout(TensorWords *s, const char *word, size_t length)
{
    bool col = form_word_is(word, length, "col");
    if ((!col && !form_word_is(word, length, "row")) || s->n_layouts == 2)
        return false;
    s->layouts[s->n_layouts++] = col;
    return true;
}

static bool add_shape(TensorWords *s, const char *word, size_t length)
{
    char text[24];
    unsigned m, n, k;
    int end = 0;
    if (length >= sizeof text || word[0] != 'm')
        return false;
    memcpy(text, word, length);
    text[length] = '\0';
    if (sscanf(text, "m%4un%4uk%4u%n", &m, &n, &k, &end) != 3 || (size_t)end != length)
        return form_word_is(word, length, "m8n8");
    s->t->m = (uint16_t)m;
    s->t->n = (uint16_t)n;
    s->t->k = (uint16_t)k;
    return true;
}

/* wmma.load.a, wmma.store.d, wmma.mma. */
static bool add_wmma_word(TensorWords *s, const char *word, size_t length)
{
    static const char parts[] = "dabc";
    IrTensor *t = s->t;
    if (form_word_is(word, length, "load") || form_word_is(word, length, "store") ||
        form_word_is(word, length, "mma")) {
        t->op = word[0] == 'l' ? TENSOR_LOAD : word[0] == 's' ? TENSOR_STORE : TENSOR_WMMA;
        return true;
    }
    const char *part = length == 1 ? strchr(parts, word[0]) : NULL;
    if (part)
        t->part = (uint8_t)(part - parts);
    return part != NULL;
}

static bool add_rounding(TensorWords *s, const char *word, size_t length)
{
    static const struct {
        const char *text;
        uint8_t round;
    } roundings[] = {{"rn", ROUND_RN}, {"rz", ROUND_RZ}, {"rm", ROUND_RM}, {"rp", ROUND_RP}};
    for (int i = 0; i < 4; i++)
        if (form_word_is(word, length, roundings[i].text)) {
            s->form->inst.round = roundings[i].round;
            return true;
        }
    return false;
}

static bool add_flag(TensorWords *s, const char *word, size_t length)
{
    static const char *const plain[] = {"sync", "aligned", "popc", "xor", "b16", "global"};
    IrTensor *t = s->t;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (form_word_is(word, length, plain[i])) {
            if (plain[i][0] == 'g')
                s->form->inst.space = SPACE_GLOBAL;
            return true;
        }
    if (length == 2 && word[0] == 'x' && strchr("124", word[1])) {
        t->n_matrices = (uint8_t)(word[1] - '0');
        return true;
    }
    t->sat |= form_word_is(word, length, "satfinite");
    t->trans |= form_word_is(word, length, "trans");
    t->bit_and |= form_word_is(word, length, "and");
    bool shared = form_word_is(word, length, "shared") || form_word_is(word, length, "shared::cta");
    if (shared)
        s->form->inst.space = SPACE_SHARED;
    return shared || form_word_is(word, length, "satfinite") || form_word_is(word, length, "trans") ||
           form_word_is(word, length, "and");
}

static void tensor_add_word(TensorWords *s, const char *word, size_t length)
{
    bool known = add_flag(s, word, length) || add_elem(s, word, length) || add_layout(s, word, length) ||
                 add_shape(s, word, length) || add_rounding(s, word, length) ||
                 (s->form->inst.opcode == PTX_WMMA && add_wmma_word(s, word, length));
    if (!known)
        form_refuse(s->form, "unknown modifier .", word, length);
}

/* ---- fragments ---- */

static const ShapeRow *find_shape(const IrTensor *t, uint8_t op, uint8_t elem)
{
    for (int i = 0; i < N_SHAPES; i++) {
        const ShapeRow *r = &shapes[i];
        if (r->op == op && r->m == t->m && r->n == t->n && r->k == t->k && (!elem || r->elem == elem))
            return r;
    }
    return NULL;
}

/* Registers for a thread's share of so many elements. */
static uint8_t share_regs(unsigned elements, uint8_t elem)
{
    unsigned reg_bits = elem == ELEM_F64 ? 64 : 32;
    unsigned n = elements * ir_elem_bits((IrElem)elem) / (WARP_LANES * reg_bits);
    return (uint8_t)n;
}

static void count_regs(IrTensor *t, const ShapeRow *r)
{
    unsigned m = t->m, n = t->n, k = t->k;
    bool quads = r->op == TENSOR_MMA && m == 8 && r->elem == ELEM_F16; /* four products side by side */
    t->n_regs[PART_A] = r->a_regs ? r->a_regs : share_regs(m * k, r->elem);
    t->n_regs[PART_B] = r->b_regs ? r->b_regs : share_regs(k * n, r->elem);
    t->n_regs[PART_C] = share_regs(m * n * (quads ? 4 : 1), t->elem[PART_C]);
    t->n_regs[PART_D] = share_regs(m * n * (quads ? 4 : 1), t->elem[PART_D]);
}

static bool is_float_accumulator(uint8_t elem, bool or_half)
{
    return elem == ELEM_F32 || (or_half && elem == ELEM_F16);
}

/* Whether C or D may have these elements when A has those. */
static bool accumulates(uint8_t a, uint8_t elem)
{
    switch (a) {
    case ELEM_F16:
    case ELEM_E4M3:
    case ELEM_E5M2:
        return is_float_accumulator(elem, true);
    case ELEM_BF16:
    case ELEM_TF32:
        return is_float_accumulator(elem, false);
    case ELEM_F64:
        return elem == ELEM_F64;
    default:
        return elem == ELEM_S32;
    }
}

/* A and B differ in the sign of integers, or in the kind of 8-bit float, at most. */
static bool go_together(uint8_t a, uint8_t b)
{
    static const uint8_t pairs[][2] = {{ELEM_S8, ELEM_U8}, {ELEM_S4, ELEM_U4}, {ELEM_E4M3, ELEM_E5M2}};
    for (int i = 0; i < 3; i++)
        if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
            return true;
    return a == b;
}

/* D = A * B + C. wmma.mma on f16 names the elements of D and C only. */
static void settle_product(TensorWords *s)
{
    IrTensor *t = s->t;
    bool halves = t->op == TENSOR_WMMA && s->n_types == 2;
    t->elem[PART_D] = s->types[0];
    t->elem[PART_A] = halves ? (uint8_t)ELEM_F16 : s->types[1];
    t->elem[PART_B] = halves ? (uint8_t)ELEM_F16 : s->types[2];
    t->elem[PART_C] = halves ? s->types[1] : s->types[3];
    t->col[PART_A] = s->layouts[0];
    t->col[PART_B] = s->layouts[1];
    const ShapeRow *r = find_shape(t, t->op, t->elem[PART_A]);
    bool fits = r && (halves || s->n_types == 4) && s->n_layouts == 2 &&
                go_together(t->elem[PART_A], t->elem[PART_B]) &&
                accumulates(t->elem[PART_A], t->elem[PART_C]) &&
                accumulates(t->elem[PART_A], t->elem[PART_D]);
    bool any_layout = r && (t->op == TENSOR_WMMA || (r->m == 8 && r->elem == ELEM_F16));
    if (!fits || (!any_layout && (t->col[PART_A] || !t->col[PART_B]))) {
        form_refuse(s->form, "no such shape, layout or elements of a matrix product", "", 0);
        return;
    }
    count_regs(t, r);
    t->n_out = t->n_regs[PART_D];
}

/* One fragment of wmma, loaded or stored. */
static void settle_transfer(TensorWords *s)
{
    IrTensor *t = s->t;
    bool accumulator = t->part == PART_C || t->part == PART_D;
    bool part_fits = t->op == TENSOR_LOAD ? t->part != PART_D : t->part == PART_D;
    uint8_t elem = s->types[0];
    const ShapeRow *r = NULL;
    for (int i = 0; i < N_SHAPES && !r; i++) {
        const ShapeRow *row = &shapes[i];
        bool fits = accumulator ? accumulates(row->elem, elem) : row->elem == elem;
        if (fits && row->op == TENSOR_WMMA && row->m == t->m && row->n == t->n && row->k == t->k)
            r = row;
    }
    if (!r || !part_fits || s->n_types != 1 || s->n_layouts != 1) {
        form_refuse(s->form, "no such fragment of a matrix", "", 0);
        return;
    }
    t->elem[PART_C] = t->elem[PART_D] = accumulator ? elem : (uint8_t)ELEM_F32;
    count_regs(t, r);
    memset(t->elem, 0, sizeof t->elem);
    t->elem[t->part] = elem;
    t->col[t->part] = s->layouts[0];
    t->n_out = t->op == TENSOR_LOAD ? t->n_regs[t->part] : 0;
}

static void settle_matrices(TensorWords *s)
{
    IrTensor *t = s->t;
    t->op = s->form->inst.opcode == PTX_LDMATRIX   ? TENSOR_LDMATRIX
            : s->form->inst.opcode == PTX_STMATRIX ? TENSOR_STMATRIX
                                                   : TENSOR_MOVMATRIX;
    if (t->op == TENSOR_MOVMATRIX)
        t->n_matrices = 1;
    if (t->n_matrices == 0 || s->n_types || s->n_layouts || t->m)
        form_refuse(s->form, "no such form of ", ptx_opcode_name((PtxOpcode)s->form->inst.opcode), 20);
    t->n_regs[0] = t->n_matrices;
    t->n_out = t->op == TENSOR_LDMATRIX ? t->n_matrices : 0;
}

void form_decode_tensor(const PtxVariant *variant, IrForm *form)
{
    TensorWords s = {.form = form, .t = &form->tensor};
    if (variant->opcode == PTX_MMA)
        s.t->op = TENSOR_MMA;
    for (const char *word = strchr(variant->text, '.'), *end; word; word = end) {
        end = strchr(++word, '.');
        tensor_add_word(&s, word, end ? (size_t)(end - word) : strlen(word));
    }
    if (!form->usable)
        return;
    if (variant->opcode != PTX_MMA && variant->opcode != PTX_WMMA)
        settle_matrices(&s);
    else if (s.t->op == TENSOR_LOAD || s.t->op == TENSOR_STORE)
        settle_transfer(&s);
    else
        settle_product(&s);
}

/* ---- operands ---- */

typedef struct TensorState {
    Decoder *d;
    const PtxInst *pi;
    IrInst *in;
    const IrTensor *t;
    int operand;
} TensorState;

static const PtxOperand *next_operand(TensorState *s)
{
    if (s->operand < s->pi->n_operands)
        return &s->pi->operands[s->operand++];
    decode_refuse(s->d, "too few operands");
    return NULL;
}

/* n registers, in braces, or one without. */
static bool fragment(TensorState *s, unsigned n, uint8_t elem, bool is_dest)
{
    const PtxOperand *o = next_operand(s);
    unsigned bytes = elem == ELEM_F64 ? 8 : 4;
    if (!o)
        return false;
    bool braces = o->kind == PTX_OPERAND_VECTOR;
    if ((braces ? o->n_elems : 1u) != n)
        return decode_refuse(s->d, "a fragment of %u registers where %u are needed", braces ? o->n_elems : 1u,
                             n);
    for (unsigned i = 0; i < n; i++) {
        const PtxOperand *e = braces ? &o->elems[i] : o;
        IrOperand *to = &s->in->vec[s->in->n_vec++];
        bool ok = is_dest ? decode_dest(s->d, e, bytes, false, to)
                          : decode_source(s->d, e, bytes, PTX_TYPE_B32, false, to);
        if (!ok)
            return false;
    }
    return true;
}

/* Elements from one row (or column) to the next when the instruction does not say. */
static uint32_t default_stride(const IrTensor *t)
{
    bool col = t->col[t->part];
    switch (t->part) {
    case PART_A:
        return col ? t->m : t->k;
    case PART_B:
        return col ? t->k : t->n;
    default:
        return col ? t->m : t->n;
    }
}

static bool stride(TensorState *s)
{
    if (s->operand < s->pi->n_operands)
        return decode_source(s->d, &s->pi->operands[s->operand++], 4, PTX_TYPE_U32, false, &s->in->src[1]);
    return pool_add(s->d, POOL_VALUE, 4, 0, default_stride(s->t), &s->in->src[1]);
}

static bool address(TensorState *s)
{
    const PtxOperand *o = next_operand(s);
    return o && decode_address(s->d, o, s->in);
}

static bool product(TensorState *s)
{
    const IrTensor *t = s->t;
    return fragment(s, t->n_regs[PART_D], t->elem[PART_D], true) &&
           fragment(s, t->n_regs[PART_A], t->elem[PART_A], false) &&
           fragment(s, t->n_regs[PART_B], t->elem[PART_B], false) &&
           fragment(s, t->n_regs[PART_C], t->elem[PART_C], false);
}

static bool move(TensorState *s)
{
    const PtxOperand *to = next_operand(s), *from = to ? next_operand(s) : NULL;
    return from && decode_dest(s->d, to, 4, false, &s->in->dst) &&
           decode_source(s->d, from, 4, PTX_TYPE_B32, false, &s->in->src[0]);
}

static bool by_operation(TensorState *s)
{
    const IrTensor *t = s->t;
    unsigned n = t->n_regs[t->part];
    switch ((IrTensorOp)t->op) {
    case TENSOR_LOAD:
        return fragment(s, n, t->elem[t->part], true) && address(s) && stride(s);
    case TENSOR_STORE:
        return address(s) && fragment(s, n, t->elem[t->part], false) && stride(s);
    case TENSOR_LDMATRIX:
        return fragment(s, n, ELEM_NONE, true) && address(s);
    case TENSOR_STMATRIX:
        return address(s) && fragment(s, n, ELEM_NONE, false);
    case TENSOR_MOVMATRIX:
        return move(s);
    default:
        return product(s);
    }
}

bool decode_tensor(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in)
{
    IrTensor *t = link_alloc(d->l, 1, sizeof *t);
    unsigned n = 0;
    for (int i = 0; i < IR_N_PARTS; i++)
        n += form->tensor.n_regs[i];
    in->vec = link_alloc(d->l, n, sizeof *in->vec);
    if (!t || !in->vec)
        return false;
    *t = form->tensor;
    in->tensor = t;
    in->n_vec = 0;
    TensorState s = {.d = d, .pi = pi, .in = in, .t = t};
    if (!by_operation(&s))
        return false;
    if (s.operand != pi->n_operands)
        return decode_refuse(d, "too many operands");
    return pool_add(d, POOL_VALUE, 4, 0, 0xFFFFFFFF, &in->src[3]);
}
