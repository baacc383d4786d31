/* Textures and surfaces: the words of a variant ("level.2d.v4.f32.f32") -> IrTexture, and the operands.
 *
 *      tex.2d.v4.f32.f32     {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
 *      tex.level.a2d...      {...}, [%rd1, {%r1, %f1, %f2, %f2}], %f3;
 *      tex.grad.2d...        {...}, [%rd1, {%f1, %f2}], {%f1, %f2}, {%f3, %f2};
 *      sust.b.2d.b32.trap    [%rd1, {%r1, %r2}], {%r3};
 *
 * Only handles in registers are known (the bindless way, which nvcc writes for texture and surface objects).
 * Left out: samplers apart from their textures, texel offsets, depth compares, multisampling, formatted
 * stores (sust.p), half results.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <string.h>

typedef struct NamedValue {
    const char *text;
    uint8_t value;
} NamedValue;

/* Coordinates that count, the layer too. */
static const struct {
    const char *text;
    uint8_t n_coords;
} shapes[] = {[TEXTURE_1D] = {"1d", 1},      [TEXTURE_2D] = {"2d", 2},   [TEXTURE_3D] = {"3d", 3},
              [TEXTURE_A1D] = {"a1d", 2},    [TEXTURE_A2D] = {"a2d", 3}, [TEXTURE_CUBE] = {"cube", 3},
              [TEXTURE_ACUBE] = {"acube", 4}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const NamedValue queries[] = {{"width", QUERY_WIDTH},
                                     {"height", QUERY_HEIGHT},
                                     {"depth", QUERY_DEPTH},
                                     {"array_size", QUERY_ARRAY_SIZE},
                                     {"channel_data_type", QUERY_CHANNEL_DATA_TYPE},
                                     {"channel_order", QUERY_CHANNEL_ORDER},
                                     {"normalized_coords", QUERY_NORMALIZED_COORDS},
                                     {"force_unnormalized_coords", QUERY_FORCE_UNNORMALIZED},
                                     {"filter_mode", QUERY_FILTER_MODE},
                                     {"addr_mode_0", QUERY_ADDR_MODE_0},
                                     {"addr_mode_1", QUERY_ADDR_MODE_1},
                                     {"addr_mode_2", QUERY_ADDR_MODE_2},
                                     {"num_mipmap_levels", QUERY_MIPMAP_LEVELS},
                                     {"num_samples", QUERY_SAMPLES},
                                     {"memory_layout", QUERY_MEMORY_LAYOUT},
                                     {NULL, 0}};
static const NamedValue bounds[] = {
    {"trap", TEXTURE_TRAP}, {"clamp", TEXTURE_CLAMP}, {"zero", TEXTURE_ZERO}, {NULL, 0}};
static const NamedValue components[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}, {NULL, 0}};
static const NamedValue vectors[] = {{"v2", 2}, {"v4", 4}, {NULL, 0}};

static bool look_up(const NamedValue *list, const char *word, size_t length, uint8_t *value)
{
    for (; list->text; list++)
        if (form_word_is(word, length, list->text)) {
            *value = list->value;
            return true;
        }
    return false;
}

/* ---- the variant ---- */

typedef struct TextureWords {
    IrForm *form;
    IrTexture *t;
    uint8_t n_vec, n_types, n_shapes, n_queries;
    bool formatted; /* .b, of surfaces */
} TextureWords;

static bool add_shape(TextureWords *s, const char *word, size_t length)
{
    for (uint8_t i = 0; i < N_SHAPES; i++)
        if (form_word_is(word, length, shapes[i].text)) {
            s->t->shape = i;
            s->t->n_coords = shapes[i].n_coords;
            s->n_shapes++;
            return true;
        }
    return false;
}

static bool add_type(TextureWords *s, const char *word, size_t length)
{
    PtxType type = form_type_named(word, length);
    if (type == PTX_TYPE_NONE)
        return false;
    *(s->n_types++ ? &s->form->inst.type2 : &s->form->inst.type) = (uint8_t)type;
    return true;
}

static bool is_surface(const IrTexture *t)
{
    return t->op == SURFACE_LOAD || t->op == SURFACE_STORE;
}

static bool is_query(const IrTexture *t)
{
    return t->op == TEXTURE_QUERY || t->op == SURFACE_QUERY;
}

/* Caches and the like say nothing of what is done. */
static bool is_ignored(const char *word, size_t length)
{
    static const char *const words[] = {"ca", "cg", "cs", "cv", "wb", "wt", "L1", "L2"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (form_word_is(word, length, words[i]))
            return true;
    return false;
}

static bool texture_add_word(TextureWords *s, const char *word, size_t length)
{
    IrTexture *t = s->t;
    if (is_query(t) && look_up(queries, word, length, &t->query)) {
        s->n_queries++;
        return true;
    }
    if (is_surface(t) && form_word_is(word, length, "b"))
        return s->formatted = true;
    if (t->op == TEXTURE_GATHER && look_up(components, word, length, &t->component))
        return true;
    if (is_surface(t) && look_up(bounds, word, length, &t->bound))
        return true;
    if (t->op == TEXTURE_SAMPLE && form_word_is(word, length, "base"))
        return true;
    if ((t->op == TEXTURE_SAMPLE || t->op == TEXTURE_QUERY) && form_word_is(word, length, "level"))
        return t->level = true;
    if (t->op == TEXTURE_SAMPLE && form_word_is(word, length, "grad"))
        return t->grad = true;
    return look_up(vectors, word, length, &s->n_vec) || add_shape(s, word, length) ||
           add_type(s, word, length) || (is_surface(t) && is_ignored(word, length));
}

static bool is_sample_type(uint8_t type)
{
    return type == PTX_TYPE_F32 || type == PTX_TYPE_S32 || type == PTX_TYPE_U32;
}

/* Whether the words make an instruction that is known. */
static bool complete(TextureWords *s)
{
    const IrInst *in = &s->form->inst;
    const IrTexture *t = s->t;
    if (is_query(t))
        return s->n_queries == 1 && s->n_types == 1 && in->type == PTX_TYPE_B32;
    if (s->n_shapes != 1)
        return false;
    if (is_surface(t)) {
        unsigned bits = ptx_type_bits((PtxType)in->type);
        return s->formatted && s->n_types == 1 && ptx_type_class((PtxType)in->type) == PTX_TYPES_BITS &&
               bits <= 64 && bits * s->n_vec <= 128 && t->shape <= TEXTURE_A2D;
    }
    bool coords = in->type2 == PTX_TYPE_F32 ||
                  (in->type2 == PTX_TYPE_S32 && t->op == TEXTURE_SAMPLE && t->shape == TEXTURE_1D);
    bool gathers = t->op == TEXTURE_GATHER;
    return s->n_types == 2 && is_sample_type(in->type) && coords && s->n_vec == 4 &&
           (!gathers || t->shape == TEXTURE_2D || t->shape == TEXTURE_A2D);
}

void form_decode_texture(const PtxVariant *variant, IrForm *form)
{
    static const struct {
        uint16_t opcode;
        uint8_t op;
    } ops[] = {{PTX_TEX, TEXTURE_SAMPLE}, {PTX_TLD4, TEXTURE_GATHER}, {PTX_TXQ, TEXTURE_QUERY},
               {PTX_SULD, SURFACE_LOAD},  {PTX_SUST, SURFACE_STORE},  {PTX_SUQ, SURFACE_QUERY}};
    TextureWords s = {.form = form, .t = &form->texture, .n_vec = 1};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (ops[i].opcode == variant->opcode)
            s.t->op = ops[i].op;
    for (const char *word = strchr(variant->text, '.'), *end; word; word = end) {
        end = strchr(++word, '.');
        size_t length = end ? (size_t)(end - word) : strlen(word);
        if (!texture_add_word(&s, word, length))
            form_refuse(form, "unknown modifier .", word, length);
    }
    if (!complete(&s))
        form_refuse(form, "no such form of ", ptx_opcode_name(variant->opcode), 20);
    s.t->n_out = s.t->op <= TEXTURE_GATHER || s.t->op == SURFACE_LOAD ? s.n_vec : 0;
    s.t->n_values = s.t->op == SURFACE_STORE ? s.n_vec : 0;
    form->inst.sem = SEM_WEAK;
}

/* ---- operands ---- */

typedef struct TextureState {
    Decoder *d;
    const PtxInst *pi;
    IrInst *in;
    const IrTexture *t;
    int operand;
} TextureState;

static const PtxOperand *next_operand(TextureState *s)
{
    if (s->operand < s->pi->n_operands)
        return &s->pi->operands[s->operand++];
    decode_refuse(s->d, "too few operands");
    return NULL;
}

/* The first n elements of {a, b, c}, or one register without braces. */
static bool elements(TextureState *s, const PtxOperand *o, unsigned n, unsigned bytes, bool is_dest,
                     bool wider)
{
    bool braces = o->kind == PTX_OPERAND_VECTOR;
    if ((braces ? o->n_elems : 1u) < n)
        return decode_refuse(s->d, "%u registers where %u are needed", braces ? o->n_elems : 1u, n);
    for (unsigned i = 0; i < n; i++) {
        const PtxOperand *e = braces ? &o->elems[i] : o;
        IrOperand *to = &s->in->vec[s->in->n_vec++];
        bool ok = is_dest ? decode_dest(s->d, e, bytes, wider, to)
                          : decode_source(s->d, e, bytes, PTX_TYPE_B32, wider, to);
        if (!ok)
            return false;
    }
    return true;
}

static bool result(TextureState *s)
{
    const PtxOperand *o = next_operand(s);
    if (!o)
        return false;
    if (o->kind == PTX_OPERAND_PAIR) {
        if (!decode_dest(s->d, &o->elems[1], 0, false, &s->in->dst2))
            return false;
        o = &o->elems[0];
    }
    return elements(s, o, s->t->n_out, type_reg_bytes((PtxType)s->in->type), true, is_surface(s->t));
}

/* [handle, {coordinates}], or [handle] of a query. */
static bool place(TextureState *s)
{
    const PtxOperand *o = next_operand(s);
    unsigned wanted = is_query(s->t) ? 1 : 2;
    if (!o)
        return false;
    if (o->kind != PTX_OPERAND_ADDRESS || o->n_elems != wanted || o->offset)
        return decode_refuse(s->d, "a handle and coordinates in brackets are needed, and no sampler");
    if (o->elems[0].kind != PTX_OPERAND_REG)
        return decode_refuse(s->d, "texture and surface references: only handles in registers are known");
    return decode_source(s->d, &o->elems[0], 8, PTX_TYPE_U64, false, &s->in->src[0]) &&
           (is_query(s->t) || elements(s, &o->elems[1], s->t->n_coords, 4, false, false));
}

static bool values(TextureState *s)
{
    const PtxOperand *o = next_operand(s);
    return o && elements(s, o, s->t->n_values, type_reg_bytes((PtxType)s->in->type), false, true);
}

static bool by_operation(TextureState *s)
{
    const PtxOperand *to;
    switch ((IrTextureOp)s->t->op) {
    case SURFACE_STORE:
        return place(s) && values(s);
    case TEXTURE_QUERY:
    case SURFACE_QUERY:
        to = next_operand(s);
        return to && decode_dest(s->d, to, 4, false, &s->in->dst) && place(s);
    default:
        return result(s) && place(s);
    }
}

bool decode_texture(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in)
{
    IrTexture *t = link_alloc(d->l, 1, sizeof *t);
    if (!t)
        return false;
    *t = form->texture;
    in->texture = t;
    in->vec = link_alloc(d->l, t->n_out + t->n_coords + t->n_values + 1u, sizeof *in->vec);
    if (!in->vec)
        return false;
    in->n_vec = 0;
    TextureState s = {.d = d, .pi = pi, .in = in, .t = t};
    if (!by_operation(&s))
        return false;
    s.operand += t->grad ? 2 : t->level ? 1 : 0;
    return s.operand == pi->n_operands ||
           decode_refuse(d, "operands that are not known: a texel offset or a depth compare?");
}
