/* Declarations (PTX ISA 5.4): registers, variables with alignment, dimensions and initialisers, parameters;
 * and scopes.
 *
 * A declaration hides an outer one of the same name until its scope ends: every name points to its innermost
 * declaration, and the parser's list of declarations is undone from its end when a scope is left.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- scopes ---- */

static Decl **decl_place(Name *name, const Decl *decl)
{
    return decl->kind == DECL_RANGE ? &name->range : &name->decl;
}

void parse_declare(Parser *p, Name *name, const Decl *decl)
{
    Decl *copy = parse_alloc(p, sizeof *copy);
    if (!copy)
        return;
    *copy = *decl;
    copy->name = name;
    copy->outer = *decl_place(name, decl);
    copy->order = p->n_declared++;
    if (!VEC_GROW(p->decls, p->n_decls, p->cap_decls)) {
        parse_no_memory(p);
        return;
    }
    *decl_place(name, decl) = copy;
    p->decls[p->n_decls++] = copy;
}

void parse_scope_leave(Parser *p, size_t n_decls)
{
    while (p->n_decls > n_decls) {
        Decl *decl = p->decls[--p->n_decls];
        if (decl->kind == DECL_VARIABLE && decl->variable->in_function)
            decl->variable->scope_end = (uint32_t)p->body.n_insts;
        *decl_place(decl->name, decl) = decl->outer;
    }
}

/* ---- qualifiers ---- */

bool parse_is_space(const Parser *p, PtxSpace *space)
{
    switch (parse_keyword(p)) {
    case KEYWORD_REG:
        *space = PTX_SPACE_REG;
        return true;
    case KEYWORD_PARAM:
        *space = PTX_SPACE_PARAM;
        return true;
    case KEYWORD_LOCAL:
        *space = PTX_SPACE_LOCAL;
        return true;
    case KEYWORD_SHARED:
        *space = PTX_SPACE_SHARED;
        return true;
    case KEYWORD_GLOBAL:
    case KEYWORD_TEX:
        *space = PTX_SPACE_GLOBAL;
        return true;
    case KEYWORD_CONST:
        *space = PTX_SPACE_CONST;
        return true;
    default:
        return false;
    }
}

typedef struct Qualifiers {
    PtxSpace space;
    PtxType type;
    uint32_t align; /* 0: not given */
    uint8_t n_vec;
    bool managed;
} Qualifiers;

/* .attribute(.managed, .unified(1, 2)) */
static void parse_attribute(Parser *p, Qualifiers *q)
{
    int depth = 0;
    parse_advance(p);
    do {
        if (parse_keyword(p) == KEYWORD_MANAGED)
            q->managed = true;
        depth += parse_is(p, '(') - parse_is(p, ')');
        parse_advance(p);
    } while (depth > 0 && p->token.kind != TOKEN_END);
}

static uint32_t parse_align(Parser *p)
{
    parse_advance(p);
    uint64_t align = parse_constant(p);
    if (!p->status && (align == 0 || align > PTX_ALIGN_MAX || (align & (align - 1))))
        parse_fail(p, "an alignment must be a power of two up to %d", PTX_ALIGN_MAX);
    return p->status ? 1 : (uint32_t)align;
}

/* .ptr .global .align 16: says what a parameter points to, which changes nothing here. */
static void skip_pointee(Parser *p)
{
    PtxSpace space;
    parse_advance(p);
    if (parse_is_space(p, &space))
        parse_advance(p);
    if (parse_keyword(p) == KEYWORD_ALIGN)
        parse_align(p);
}

static PtxType type_here(const Parser *p)
{
    if (p->token.kind != TOKEN_DIRECTIVE)
        return PTX_TYPE_NONE;
    Name *name = names_find(&p->names, p->token.text, p->token.length);
    return name ? (PtxType)name->type : PTX_TYPE_NONE;
}

/* From the state space to before the name. */
static Qualifiers parse_qualifiers(Parser *p)
{
    Qualifiers q = {.n_vec = 1};
    if (!parse_is_space(p, &q.space)) {
        parse_fail(p, "expected a state space such as .param or .reg");
        return q;
    }
    parse_advance(p);
    while (p->token.kind == TOKEN_DIRECTIVE || parse_is(p, '[')) {
        Keyword keyword = parse_keyword(p);
        PtxType type = type_here(p);
        if (type != PTX_TYPE_NONE)
            q.type = type;
        if (keyword == KEYWORD_ALIGN)
            q.align = parse_align(p);
        else if (keyword == KEYWORD_ATTRIBUTE)
            parse_attribute(p, &q);
        else if (keyword == KEYWORD_PTR)
            skip_pointee(p);
        else if (keyword == KEYWORD_V2 || keyword == KEYWORD_V4 || keyword == KEYWORD_V8) {
            q.n_vec = keyword == KEYWORD_V2 ? 2 : keyword == KEYWORD_V4 ? 4 : 8;
            parse_advance(p);
        } else if (type != PTX_TYPE_NONE)
            parse_advance(p);
        else
            parse_fail(p, "'%.*s' is no type, alignment or attribute of a variable",
                       p->token.length > 60 ? 60 : (int)p->token.length, p->token.text);
    }
    if (!p->status && q.type == PTX_TYPE_NONE)
        parse_fail(p, "a variable needs a type such as .u32");
    return q;
}

/* ---- registers ---- */

static uint32_t add_regs(Parser *p, PtxType type, uint64_t n)
{
    Body *b = &p->body;
    uint32_t first = (uint32_t)b->n_regs;
    if (n > PTX_FUNCTION_REGS_MAX - b->n_regs || n > PTX_MODULE_REGS_MAX - p->n_regs_module) {
        parse_fail_at(p, STATUS_LIMIT, p->token.line, p->token.column,
                      "more than %d registers in a function or %d in a module", PTX_FUNCTION_REGS_MAX,
                      PTX_MODULE_REGS_MAX);
        return 0;
    }
    while (b->n_regs + n > b->cap_regs) {
        size_t cap = b->cap_regs ? b->cap_regs * 2 : 256;
        uint8_t *types = realloc(b->reg_types, cap);
        if (!types) {
            parse_no_memory(p);
            return 0;
        }
        b->reg_types = types;
        b->cap_regs = cap;
    }
    memset(b->reg_types + b->n_regs, type, (size_t)n);
    b->n_regs += n;
    p->n_regs_module += n;
    return first;
}

static void note_reg_name(Parser *p, const Name *name, const Decl *decl)
{
    Body *b = &p->body;
    if (!VEC_GROW(b->reg_names, b->n_reg_names, b->cap_reg_names)) {
        parse_no_memory(p);
        return;
    }
    b->reg_names[b->n_reg_names++] = (PtxRegName){
        .name = name->text, .first = decl->reg, .count = decl->count * decl->n_vec, .is_range = decl->kind == DECL_RANGE};
}

/* One register, a vector of them, or a range: %r<6> is %r0 to %r5. */
static void parse_reg(Parser *p, const Qualifiers *q)
{
    Name *name = parse_name(p, "a register's name");
    Decl decl = {.kind = DECL_REG, .type = q->type, .n_vec = q->n_vec, .count = 1};
    if (q->type == PTX_TYPE_TEXREF || q->type == PTX_TYPE_SAMPLERREF || q->type == PTX_TYPE_SURFREF)
        parse_fail(p, "a register cannot have an opaque type");
    parse_advance(p);
    if (parse_accept(p, '<')) {
        uint64_t count = p->token.kind == TOKEN_INT ? p->token.value : 0;
        if (count == 0 || count > PTX_FUNCTION_REGS_MAX)
            parse_fail(p, "a range of registers needs a count between 1 and %d", PTX_FUNCTION_REGS_MAX);
        decl.kind = DECL_RANGE;
        decl.count = (uint32_t)count;
        parse_advance(p);
        parse_expect(p, '>', "after the count of a range of registers");
    }
    if (!p->status)
        decl.reg = add_regs(p, q->type, (uint64_t)decl.count * q->n_vec);
    if (!p->status && decl.n_vec == 1)
        note_reg_name(p, name, &decl);
    if (!p->status)
        parse_declare(p, name, &decl);
}

/* ---- initialisers ---- */

typedef struct Init {
    PtxVariable *v;
    uint32_t element;                      /* bytes */
    uint64_t dims[PTX_DIMENSIONS_MAX + 1]; /* and the vector's */
    int n_dims;
    uint64_t cap; /* of v->init while it grows */
    PtxReloc *relocs;
    size_t n_relocs, cap_relocs;
} Init;

static bool init_reserve(Parser *p, Init *in, uint64_t end)
{
    PtxVariable *v = in->v;
    if (end > v->bytes) {
        parse_fail(p, "too many values for '%s'", v->name);
        return false;
    }
    if (end > PTX_INIT_BYTES_MAX) {
        parse_fail_at(p, STATUS_LIMIT, p->token.line, p->token.column,
                      "the initialiser of '%s' is longer than %d bytes", v->name, PTX_INIT_BYTES_MAX);
        return false;
    }
    if (end > in->cap) {
        uint64_t cap = in->cap * 2 > end ? in->cap * 2 : end + 64;
        uint8_t *bytes = realloc(v->init, cap);
        if (!bytes) {
            parse_no_memory(p);
            return false;
        }
        memset(bytes + in->cap, 0, cap - in->cap);
        v->init = bytes;
        in->cap = cap;
    }
    if (end > v->init_bytes)
        v->init_bytes = end;
    return true;
}

static void put_bytes(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* symbol, symbol+n, generic(symbol)+n: the opening word is the current token. */
static void parse_init_symbol(Parser *p, Init *in, uint64_t at, unsigned shift)
{
    Token place = p->token;
    Name *name = parse_name(p, "a symbol");
    parse_advance(p);
    bool generic = name && strcmp(name->text, "generic") == 0 && parse_accept(p, '(');
    if (generic) {
        name = parse_name(p, "a symbol");
        parse_advance(p);
        parse_expect(p, ')', "after generic(symbol");
    }
    int64_t addend = 0;
    if (parse_is(p, '+') || parse_is(p, '-')) {
        bool minus = parse_is(p, '-');
        parse_advance(p);
        uint64_t value = parse_constant(p);
        addend = (int64_t)(minus ? 0 - value : value);
    }
    if (p->status)
        return;
    if (!VEC_GROW(in->relocs, in->n_relocs, in->cap_relocs)) {
        parse_no_memory(p);
        return;
    }
    in->relocs[in->n_relocs++] = (PtxReloc){.offset = at,
                                            .name = name->text,
                                            .addend = addend,
                                            .bytes = (uint8_t)(in->element > 8 ? 8 : in->element),
                                            .shift = (uint8_t)shift,
                                            .line = place.line,
                                            .column = place.column};
}

/* 0xFF00(symbol+n): one byte of an address (PTX ISA 5.4.4). The mask has been read. */
static void parse_init_masked(Parser *p, Init *in, uint64_t at, uint64_t mask)
{
    unsigned shift = 0;
    while (shift < 64 && (mask >> shift & 1) == 0)
        shift += 8;
    if (shift == 64 || mask >> shift != 0xFF)
        parse_fail(p, "the mask of an address must be 0xFF shifted by whole bytes");
    parse_advance(p);
    parse_init_symbol(p, in, at, shift);
    parse_expect(p, ')', "after a masked address");
}

static void parse_init_float(Parser *p, Init *in, uint64_t at, bool negative)
{
    uint64_t bits = p->token.value;
    PtxType type = (PtxType)p->token.type;
    if (type == PTX_TYPE_F64 && in->element == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        bits = narrow_bits;
        type = PTX_TYPE_F32;
    } else if (type == PTX_TYPE_F32 && in->element == 8) {
        parse_fail(p, "a 0f literal in an initialiser of 8-byte elements");
    }
    if (negative)
        bits ^= (uint64_t)1 << (ptx_type_bits(type) - 1);
    parse_advance(p);
    if (!p->status)
        put_bytes(in->v->init + at, bits, in->element);
}

static void parse_init_scalar(Parser *p, Init *in, uint64_t at)
{
    if (!init_reserve(p, in, at + in->element))
        return;
    bool negative = parse_is(p, '-');
    Scanner before = p->scanner;
    Token minus = p->token;
    if (negative)
        parse_advance(p);
    if (p->token.kind == TOKEN_FLOAT) {
        parse_init_float(p, in, at, negative);
        return;
    }
    if (negative && !p->status) {
        p->scanner = before;
        p->token = minus;
    }
    if (p->token.kind == TOKEN_NAME && !parse_is_name(p, "WARP_SZ")) {
        parse_init_symbol(p, in, at, 0);
        return;
    }
    uint64_t value = parse_constant(p);
    if (parse_is(p, '('))
        parse_init_masked(p, in, at, value);
    else if (!p->status)
        put_bytes(in->v->init + at, value, in->element);
}

/* { a, b, {c} }: at the given dimension, of elements that are `stride` bytes each. Depth is bounded by the
 * dimensions. */
static void parse_init_list(Parser *p, Init *in, int dimension, uint64_t at, uint64_t end)
{
    uint64_t stride = in->element;
    for (int i = dimension + 1; i < in->n_dims; i++)
        stride *= in->dims[i];
    parse_advance(p);
    while (!parse_is(p, '}') && !p->status) {
        if (at >= end) {
            parse_fail(p, "too many values for '%s'", in->v->name);
            return;
        }
        if (parse_is(p, '{')) {
            if (dimension + 1 >= in->n_dims) {
                parse_fail(p, "too many braces in the initialiser of '%s'", in->v->name);
                return;
            }
            parse_init_list(p, in, dimension + 1, at, at + stride);
            at += stride;
        } else {
            parse_init_scalar(p, in, at);
            at += in->element;
        }
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, '}', "at the end of an initialiser");
}

static void parse_init(Parser *p, Init *in)
{
    PtxVariable *v = in->v;
    if (parse_is(p, '{'))
        parse_init_list(p, in, 0, 0, v->bytes);
    else
        parse_init_scalar(p, in, 0);
    uint8_t *grown = v->init;
    v->init = p->status ? NULL : parse_copy(p, grown, v->init_bytes, 1);
    free(grown);
    v->relocs = p->status ? NULL : parse_copy(p, in->relocs, in->n_relocs, sizeof *in->relocs);
    v->n_relocs = p->status ? 0 : (uint32_t)in->n_relocs;
    free(in->relocs);
}

/* ---- variables ---- */

/* [4][8] or []: the number of elements; false after an error. */
static bool parse_dimensions(Parser *p, PtxVariable *v, Init *in)
{
    uint64_t total = in->element;
    while (parse_accept(p, '[')) {
        uint64_t n = 0;
        v->is_array = true;
        if (parse_is(p, ']'))
            v->unsized = true;
        else
            n = parse_constant(p);
        parse_expect(p, ']', "after an array's size");
        if (in->n_dims == PTX_DIMENSIONS_MAX || (n && total > PTX_VARIABLE_BYTES_MAX / n)) {
            parse_fail_at(p, STATUS_LIMIT, v->line, v->column,
                          "'%s' has more than %d dimensions or 2^40 bytes", v->name, PTX_DIMENSIONS_MAX);
            return false;
        }
        total *= n;
        in->dims[in->n_dims++] = n;
    }
    v->bytes = total;
    return !p->status;
}

/* int a[] = {1, 2, 3}: the first dimension is counted from the commas, without a parse of the values. */
static void size_from_init(Parser *p, PtxVariable *v, Init *in)
{
    Scanner scanner = p->scanner;
    Token token = p->token;
    uint64_t n = 0, stride = in->element;
    int depth = 0;
    for (int i = 1; i < in->n_dims; i++)
        stride *= in->dims[i];
    bool empty = true;
    while (p->token.kind != TOKEN_END && !parse_is(p, ';')) {
        int change = (parse_is(p, '{') || parse_is(p, '(')) - (parse_is(p, '}') || parse_is(p, ')'));
        if (depth == 1 && change >= 0 && !parse_is(p, ','))
            n += empty, empty = false;
        if (depth == 1 && parse_is(p, ','))
            empty = true;
        depth += change;
        parse_advance(p);
        if (depth <= 0)
            break;
    }
    if (p->status)
        return;
    p->scanner = scanner;
    p->token = token;
    if (stride && n > PTX_VARIABLE_BYTES_MAX / stride)
        parse_fail(p, "the initialiser of '%s' is too long", v->name);
    in->dims[0] = n;
    v->bytes = n * stride;
    v->unsized = false;
}

/* A name, its dimensions and (where allowed) its initialiser. */
static PtxVariable *parse_variable(Parser *p, const Qualifiers *q, PtxVariable *v)
{
    Init in = {.v = v};
    v->name = p->token.kind == TOKEN_NAME ? parse_name(p, "")->text : "_";
    v->line = p->token.line;
    v->column = p->token.column;
    parse_advance(p);
    v->space = (uint8_t)q->space;
    v->type = (uint8_t)q->type;
    v->managed = q->managed;
    in.element = q->type == PTX_TYPE_PRED ? 1 : ptx_type_bits(q->type) / 8;
    v->align = q->align ? q->align : in.element * q->n_vec;
    if (!parse_dimensions(p, v, &in))
        return v;
    if (q->n_vec > 1) {
        in.dims[in.n_dims++] = q->n_vec;
        v->bytes *= q->n_vec;
    }
    if (parse_accept(p, '=')) {
        if (v->unsized)
            size_from_init(p, v, &in);
        if (!p->status)
            parse_init(p, &in);
    }
    return v;
}

/* The variable to fill: a new one, or the module's extern declaration of this name that is now defined. */
static PtxVariable *variable_here(Parser *p, PtxLinkage linkage)
{
    Name *name = parse_name(p, "a variable's name");
    Decl *decl = name ? name->decl : NULL;
    if (p->body.function || !decl || decl->kind != DECL_VARIABLE)
        return name ? parse_alloc(p, sizeof(PtxVariable)) : NULL;
    if (decl->variable->linkage != PTX_LINK_EXTERN && linkage != PTX_LINK_EXTERN)
        parse_fail(p, "variable '%s' is defined twice", name->text);
    return decl->variable;
}

static void add_variable(Parser *p, PtxVariable *v)
{
    Body *b = &p->body;
    bool grown;
    v->in_function = b->function != NULL;
    v->scope_begin = v->in_function ? (uint32_t)b->n_insts : 0;
    if (v->in_function)
        grown = VEC_GROW(b->variables, b->n_variables, b->cap_variables);
    else
        grown = VEC_GROW(p->variables, p->n_variables, p->cap_variables);
    if (!grown) {
        parse_no_memory(p);
        return;
    }
    v->index = (uint32_t)(v->in_function ? b->n_variables : p->n_variables);
    if (v->in_function)
        b->variables[b->n_variables++] = v;
    else
        p->variables[p->n_variables++] = v;
}

static void parse_memory_variable(Parser *p, const Qualifiers *q, PtxLinkage linkage)
{
    PtxVariable *v = variable_here(p, linkage);
    if (!v)
        return;
    Name *name = parse_name(p, "a variable's name");
    bool again = v->name != NULL;
    PtxVariable kept = *v;
    if (again)
        *v = (PtxVariable){.index = kept.index};
    parse_variable(p, q, v);
    v->linkage = (uint8_t)(linkage == PTX_LINK_EXTERN && again ? kept.linkage : linkage);
    if (again && linkage == PTX_LINK_EXTERN) /* a later extern declaration changes nothing */
        *v = kept;
    if (p->status || again)
        return;
    add_variable(p, v);
    parse_declare(p, name, &(Decl){.kind = DECL_VARIABLE, .variable = v});
}

void parse_variables(Parser *p, PtxLinkage linkage)
{
    Qualifiers q = parse_qualifiers(p);
    do {
        if (p->status)
            return;
        if (q.space == PTX_SPACE_REG)
            parse_reg(p, &q);
        else
            parse_memory_variable(p, &q, linkage);
    } while (parse_accept(p, ','));
}

/* ---- parameters ---- */

static PtxVariable *parse_param(Parser *p, PtxRole role)
{
    Qualifiers q = parse_qualifiers(p);
    PtxVariable *v = p->status ? NULL : parse_alloc(p, sizeof *v);
    if (!v)
        return NULL;
    Name *name = p->token.kind == TOKEN_NAME ? parse_name(p, "") : NULL;
    parse_variable(p, &q, v);
    v->role = (uint8_t)role;
    if (!p->status && q.space != PTX_SPACE_PARAM && q.space != PTX_SPACE_REG)
        parse_fail_at(p, STATUS_PARSE, v->line, v->column, "a parameter is .param or .reg");
    if (p->status || !name)
        return v;
    if (q.space == PTX_SPACE_REG) {
        v->reg = add_regs(p, q.type, 1);
        const Decl decl = {.kind = DECL_REG, .type = q.type, .n_vec = 1, .count = 1, .reg = v->reg};
        note_reg_name(p, name, &decl);
        parse_declare(p, name, &decl);
    } else {
        parse_declare(p, name, &(Decl){.kind = DECL_VARIABLE, .variable = v});
    }
    return v;
}

void parse_params(Parser *p, PtxRole role, PtxVariable ***list, uint32_t *n)
{
    PtxVariable **params = NULL;
    size_t n_params = 0, cap = 0;
    parse_expect(p, '(', "before parameters");
    while (!p->status && !parse_is(p, ')')) {
        PtxVariable *v = parse_param(p, role);
        if (!v)
            break;
        if (n_params == PTX_PARAMS_MAX) {
            parse_fail_at(p, STATUS_LIMIT, v->line, v->column, "more than %d parameters", PTX_PARAMS_MAX);
            break;
        }
        if (!VEC_GROW(params, n_params, cap)) {
            parse_no_memory(p);
            break;
        }
        v->index = (uint32_t)n_params;
        params[n_params++] = v;
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, ')', "after parameters");
    *list = parse_copy(p, params, n_params, sizeof *params);
    *n = *list ? (uint32_t)n_params : 0;
    free(params);
}
