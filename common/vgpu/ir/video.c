/* Video instructions (PTX ISA 9.7.18) and cvt.pack (9.7.9.22).
 *
 *     vadd.s32.u32.s32.sat.max  d, a.b0, b.h1, c      a part of each source; then a second operation with c
 *     vadd.u32.u32.u32          d.b2, a, b, c         a part of the result; the rest of d is c's
 *     vadd4.u32.u32.u32.add     d.b310, a.b7654, b, c      four bytes side by side, and their sum
 *     vmad.s32.s32.u32.sat.shr7 d, a.h0, -b.h1, c
 *     cvt.pack.sat.s8.s32.b32   d, a, b, c
 *
 * A form has the operation, the types and the second operation; operands have parts and signs.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <string.h>

static const struct {
    uint16_t opcode;
    uint8_t op, n_parts;
} operations[] = {
    {PTX_VADD, VIDEO_ADD, 1},          {PTX_VSUB, VIDEO_SUB, 1},          {PTX_VABSDIFF, VIDEO_ABSDIFF, 1},
    {PTX_VMIN, VIDEO_MIN, 1},          {PTX_VMAX, VIDEO_MAX, 1},          {PTX_VSHL, VIDEO_SHL, 1},
    {PTX_VSHR, VIDEO_SHR, 1},          {PTX_VMAD, VIDEO_MAD, 1},          {PTX_VSET, VIDEO_SET, 1},
    {PTX_VADD2, VIDEO_ADD, 2},         {PTX_VSUB2, VIDEO_SUB, 2},         {PTX_VAVRG2, VIDEO_AVRG, 2},
    {PTX_VABSDIFF2, VIDEO_ABSDIFF, 2}, {PTX_VMIN2, VIDEO_MIN, 2},         {PTX_VMAX2, VIDEO_MAX, 2},
    {PTX_VSET2, VIDEO_SET, 2},         {PTX_VADD4, VIDEO_ADD, 4},         {PTX_VSUB4, VIDEO_SUB, 4},
    {PTX_VAVRG4, VIDEO_AVRG, 4},       {PTX_VABSDIFF4, VIDEO_ABSDIFF, 4}, {PTX_VMIN4, VIDEO_MIN, 4},
    {PTX_VMAX4, VIDEO_MAX, 4},         {PTX_VSET4, VIDEO_SET, 4},
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- forms ---- */

/* Words after the opcode, in the order of the grammar: each is taken where it may stand, or not at all. */
typedef struct VideoWords {
    const char *at; /* the next dot, or NULL */
} VideoWords;

static bool take_video_word(VideoWords *w, const char *text)
{
    size_t length = strlen(text);
    if (!w->at || strncmp(w->at + 1, text, length) != 0 ||
        (w->at[1 + length] != '.' && w->at[1 + length] != '\0'))
        return false;
    w->at = w->at[1 + length] == '.' ? w->at + 1 + length : NULL;
    return true;
}

static bool take_type(VideoWords *w, bool *is_signed)
{
    *is_signed = take_video_word(w, "s32");
    return *is_signed || take_video_word(w, "u32");
}

static bool take_second(VideoWords *w, IrVideo *v)
{
    static const char *const names[] = {[SECOND_ADD] = "add", [SECOND_MIN] = "min", [SECOND_MAX] = "max"};
    unsigned last = v->n_parts == 1 ? SECOND_MAX : SECOND_ADD;
    for (unsigned s = SECOND_ADD; s <= last; s++)
        if (take_video_word(w, names[s]))
            v->second = (uint8_t)s;
    return true;
}

static bool take_compare(VideoWords *w, IrInst *in)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"}; /* CMP_EQ to CMP_GE */
    for (unsigned c = CMP_EQ; c <= CMP_GE; c++)
        if (take_video_word(w, names[c])) {
            in->cmp = (uint8_t)c;
            return true;
        }
    return false;
}

static bool take_words(VideoWords *w, IrVideo *v, IrInst *in)
{
    bool set = v->op == VIDEO_SET, shifts = v->op == VIDEO_SHL || v->op == VIDEO_SHR;
    if (!set && !take_type(w, &v->d_signed))
        return false;
    if (!take_type(w, &v->a_signed) || !take_type(w, &v->b_signed) || (shifts && v->b_signed))
        return false;
    if (set)
        return take_compare(w, in) && take_second(w, v);
    if (v->op == VIDEO_MAD) {
        v->plus_one = take_video_word(w, "po");
        v->sat = take_video_word(w, "sat");
        v->scale = take_video_word(w, "shr7") ? 7 : take_video_word(w, "shr15") ? 15 : 0;
        return true;
    }
    v->sat = take_video_word(w, "sat");
    v->clamp = shifts && take_video_word(w, "clamp");
    if (shifts && !v->clamp && !take_video_word(w, "wrap"))
        return false;
    return v->n_parts > 1 && v->sat ? true : take_second(w, v);
}

/* cvt.pack.sat.u8.s32.b32 */
static bool take_pack(VideoWords *w, IrVideo *v)
{
    static const char *const types[] = {"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"};
    v->op = VIDEO_PACK;
    v->n_parts = 1;
    if (!take_video_word(w, "sat"))
        return false;
    for (unsigned i = 0; i < 8 && !v->pack_bits; i++)
        if (take_video_word(w, types[i])) {
            v->pack_bits = (uint8_t)(16 >> i / 2);
            v->d_signed = i % 2;
        }
    return v->pack_bits && take_video_word(w, "s32") && (v->pack_bits == 16 || take_video_word(w, "b32"));
}

bool form_decode_video(const PtxVariant *variant, IrForm *form)
{
    IrVideo *v = &form->video;
    VideoWords w = {.at = strchr(variant->text, '.')};
    bool pack = variant->opcode == PTX_CVT && take_video_word(&w, "pack");
    if (!pack && strcmp(form->shape, "video") != 0)
        return false;
    form->shape = "video";
    form->inst.type = PTX_TYPE_U32;
    for (unsigned i = 0; i < N_OPERATIONS; i++)
        if (operations[i].opcode == variant->opcode) {
            v->op = operations[i].op;
            v->n_parts = operations[i].n_parts;
        }
    if (!(pack ? take_pack(&w, v) : take_words(&w, v, &form->inst)) || w.at)
        form_refuse(form, "no such form of ", ptx_opcode_name(variant->opcode), 20);
    return true;
}

/* ---- operands ---- */

/* .b2 .h0: one part; 4 bytes where there is none. */
static bool scalar_part(Decoder *d, const PtxOperand *o, uint8_t *bytes, uint8_t *index)
{
    unsigned count = PTX_SELECTOR_COUNT(o->selector), digit = PTX_SELECTOR_DIGIT(o->selector, 0);
    *bytes = !count ? 4 : PTX_SELECTOR_IS_HALF(o->selector) ? 2 : 1;
    *index = (uint8_t)(count ? digit : 0);
    return count <= 1 && digit < 4u / *bytes + (count == 0) ? true
                                                            : decode_refuse(d, "no such part of a register");
}

/* .h32 .b7610: n parts of both sources, the lowest last. Without it a's own, or b's own. */
static bool pick_operand_part(Decoder *d, const PtxOperand *o, unsigned n, unsigned first, uint8_t *to)
{
    unsigned count = PTX_SELECTOR_COUNT(o->selector);
    bool half = PTX_SELECTOR_IS_HALF(o->selector);
    for (unsigned i = 0; i < n; i++) {
        to[i] = (uint8_t)(count ? PTX_SELECTOR_DIGIT(o->selector, i) : first + i);
        if (count && (count != n || half != (n == 2) || to[i] >= 2 * n))
            return decode_refuse(d, "no such parts of two registers");
    }
    return true;
}

/* d.h10 d.b310: the parts that are written, each once, the highest first. */
static bool write_mask(Decoder *d, const PtxOperand *o, unsigned n, uint8_t *mask)
{
    unsigned count = PTX_SELECTOR_COUNT(o->selector), above = 8;
    *mask = (uint8_t)(count ? 0 : (1u << n) - 1);
    for (unsigned i = count; i-- > 0;) {
        unsigned digit = PTX_SELECTOR_DIGIT(o->selector, i);
        if (digit >= above || digit >= n || PTX_SELECTOR_IS_HALF(o->selector) != (n == 2))
            return decode_refuse(d, "no such parts of a register");
        *mask |= (uint8_t)(1u << digit);
        above = digit;
    }
    return true;
}

static bool parts(Decoder *d, const PtxInst *pi, IrVideo *v)
{
    const PtxOperand *o = pi->operands;
    if (v->n_parts == 1)
        return scalar_part(d, &o[0], &v->d.bytes, &v->d.index) &&
               scalar_part(d, &o[1], &v->a.bytes, &v->a.index) &&
               scalar_part(d, &o[2], &v->b.bytes, &v->b.index);
    return write_mask(d, &o[0], v->n_parts, &v->mask) &&
           pick_operand_part(d, &o[1], v->n_parts, 0, v->a_pick) &&
           pick_operand_part(d, &o[2], v->n_parts, v->n_parts, v->b_pick);
}

/* Signs are vmad's alone, and not beside .po; one of a product's two is enough for both. */
static bool signs(Decoder *d, const PtxInst *pi, IrVideo *v)
{
    const PtxOperand *o = pi->operands;
    v->a_minus = o[1].minus;
    v->b_minus = o[2].minus;
    v->c_minus = pi->n_operands > 3 && o[3].minus;
    bool any = v->a_minus || v->b_minus || v->c_minus;
    if (o[0].minus || (any && (v->op != VIDEO_MAD || v->plus_one)) ||
        (v->c_minus && v->a_minus != v->b_minus))
        return decode_refuse(d, "a minus sign where none may be");
    return true;
}

bool decode_video(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in)
{
    IrVideo *v = link_alloc(d->l, 1, sizeof *v);
    if (!v)
        return false;
    *v = form->video;
    in->video = v;
    if (pi->n_operands < 3 || pi->n_operands > 4)
        return decode_refuse(d, "three or four operands are needed");
    if (!parts(d, pi, v) || !signs(d, pi, v))
        return false;
    bool whole = v->n_parts == 1 && v->d.bytes == 4, pack = v->op == VIDEO_PACK;
    bool needs_c = v->n_parts > 1 || v->op == VIDEO_MAD || v->second || !whole || (pack && v->pack_bits < 16);
    bool has_c = pi->n_operands == 4, alone = v->second || v->op == VIDEO_MAD || pack;
    if ((needs_c && !has_c) || (pack && has_c && !needs_c) || (v->n_parts == 1 && !whole && alone))
        return decode_refuse(d, "operands that do not fit together");
    for (int i = 0; i < pi->n_operands; i++) {
        const PtxOperand *o = &pi->operands[i];
        if (o->negated || o->offset || (i == 3 && o->selector))
            return decode_refuse(d, "something beside an operand that cannot be there");
        if (i == 0 ? !decode_dest(d, o, 4, false, &in->dst)
                   : !decode_source(d, o, 4, PTX_TYPE_B32, false, &in->src[i - 1]))
            return false;
    }
    return true;
}
