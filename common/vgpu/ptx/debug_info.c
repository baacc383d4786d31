/* Variables of the source, from the DWARF that compilers write into PTX (.debug_info, .debug_abbrev, .debug_loc; versions 2 to 4).
 *
 *     .b8 9                          DW_TAG_variable, says abbreviation 9
 *     .b8 5, 144, 177, 228, 149, 1   at DW_OP_regx 0x257231, which is "%r1"
 *     .b8 105, 0                     "i"
 *     .b32 69                        of the type that is described at offset 69
 *
 * Addresses are labels of the code, or names of .local variables. A register's number is its name, seven bits a byte. Whatever
 * is not understood is left out, and a section that contradicts itself is read no further: no kernel fails for it.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdlib.h>
#include <string.h>

enum { /* DWARF 4, chapter 7.5 */
    TAG_ARRAY = 0x01, TAG_ENUM = 0x04, TAG_PARAMETER = 0x05, TAG_BLOCK = 0x0b, TAG_POINTER = 0x0f, TAG_REFERENCE = 0x10,
    TAG_TYPEDEF = 0x16, TAG_INLINED = 0x1d, TAG_SUBRANGE = 0x21, TAG_BASE = 0x24, TAG_CONST = 0x26, TAG_FUNCTION = 0x2e,
    TAG_VARIABLE = 0x34, TAG_VOLATILE = 0x35, TAG_RESTRICT = 0x37, TAG_RVALUE_REFERENCE = 0x42,
    AT_LOCATION = 0x02, AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_LOW_PC = 0x11, AT_HIGH_PC = 0x12, AT_UPPER_BOUND = 0x2f,
    AT_ORIGIN = 0x31, AT_COUNT = 0x37, AT_ENCODING = 0x3e, AT_TYPE = 0x49,
    OP_ADDR = 0x03, OP_PLUS = 0x23, OP_REGX = 0x90,
    ABBREVIATIONS_MAX = 4096, TYPE_LINKS_MAX = 16, DEPTH_MAX = 64,
};

typedef struct Reader {
    const DebugSection *s;
    size_t at, end;
    bool bad; /* it has run over the end: everything is 0 */
} Reader;

typedef struct Attribute {
    uint64_t value; /* number; offset of a name, a location or a type */
    const DebugReloc *label;
    size_t length;  /* of a location in .debug_info; 0: value is an offset in .debug_loc */
    bool is_block;
} Attribute;

typedef struct Entry {
    size_t at; /* in .debug_info */
    uint32_t tag, parent; /* parent: index */
    const char *name;
    const Name *low, *high;
    bool has_location;
    Attribute location;
    uint64_t type, origin, size, encoding, count; /* offsets; count: elements, of a subrange */
} Entry;

typedef struct Debug {
    Parser *p;
    const uint8_t *abbreviations[ABBREVIATIONS_MAX]; /* by code: where its tag is; NULL: none */
    Entry *entries;
    size_t n, cap;
    PtxFunction *function; /* whose variables are read */
    PtxDebugVariable *variables;
    size_t n_variables, cap_variables;
} Debug;

/* ---- bytes ---- */

static uint64_t read_bytes(Reader *r, unsigned n)
{
    uint64_t value = 0;
    r->bad |= r->end - r->at < n;
    for (unsigned i = 0; i < n && !r->bad; i++)
        value |= (uint64_t)r->s->bytes[r->at++] << 8 * i;
    return value;
}

static uint64_t read_leb(Reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !r->bad; shift += 7) {
        uint64_t byte = read_bytes(r, 1);
        value |= shift < 64 ? (byte & 127) << shift : 0;
        if (byte < 128)
            break;
    }
    return value;
}

static const char *read_text(Reader *r)
{
    const char *text = (const char *)r->s->bytes + r->at;
    const void *end = r->bad ? NULL : memchr(text, 0, r->end - r->at);
    r->bad |= !end;
    if (r->bad)
        return NULL;
    r->at += (size_t)((const char *)end - text) + 1;
    return text;
}

static int compare_relocs(const void *a, const void *b)
{
    const DebugReloc *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const DebugReloc *reloc_at(const DebugSection *s, size_t at)
{
    const DebugReloc key = {.at = at};
    return s->n_relocs ? bsearch(&key, s->relocs, s->n_relocs, sizeof key, compare_relocs) : NULL;
}

/* ---- entries ---- */

static bool find_abbreviations(Debug *d)
{
    const DebugSection *s = &d->p->sections[DEBUG_ABBREV];
    Reader r = {.s = s, .end = s->n};
    for (;;) {
        uint64_t code = read_leb(&r);
        if (code == 0 || r.bad)
            return !r.bad;
        if (code >= ABBREVIATIONS_MAX)
            return false;
        d->abbreviations[code] = s->bytes + r.at;
        read_leb(&r); /* tag */
        read_bytes(&r, 1);
        while (!r.bad && (read_leb(&r) | read_leb(&r)) != 0) {
        }
    }
}

static Attribute read_block(Reader *r, uint64_t length)
{
    Attribute a = {.value = r->at, .length = (size_t)length, .is_block = true};
    r->bad |= length > r->end - r->at;
    r->at += r->bad ? 0 : (size_t)length;
    return a;
}

static Attribute read_number(Reader *r, unsigned bytes)
{
    const DebugReloc *label = reloc_at(r->s, r->at);
    return (Attribute){.value = read_bytes(r, bytes), .label = label};
}

/* DWARF 4, 7.5.4. Names are offsets where they lie. */
static Attribute read_form(Reader *r, uint64_t form)
{
    switch (form) {
    case 0x01: /* addr */
        return read_number(r, 8);
    case 0x03: /* block2 */
        return read_block(r, read_bytes(r, 2));
    case 0x04: /* block4 */
        return read_block(r, read_bytes(r, 4));
    case 0x05: /* data2 */
    case 0x12: /* ref2 */
        return read_number(r, 2);
    case 0x06: /* data4 */
    case 0x0e: /* strp */
    case 0x10: /* ref_addr */
    case 0x13: /* ref4 */
    case 0x17: /* sec_offset */
        return read_number(r, 4);
    case 0x07: /* data8 */
    case 0x14: /* ref8 */
        return read_number(r, 8);
    case 0x08: { /* string */
        size_t at = r->at;
        read_text(r);
        return (Attribute){.value = at, .is_block = true};
    }
    case 0x09: /* block */
    case 0x18: /* exprloc */
        return read_block(r, read_leb(r));
    case 0x0a: /* block1 */
        return read_block(r, read_bytes(r, 1));
    case 0x0b: /* data1 */
    case 0x0c: /* flag */
    case 0x11: /* ref1 */
        return read_number(r, 1);
    case 0x0d: /* sdata */
    case 0x0f: /* udata */
    case 0x15: /* ref_udata */
        return (Attribute){.value = read_leb(r)};
    case 0x19: /* flag_present */
        return (Attribute){.value = 1};
    default:
        r->bad = true;
        return (Attribute){0};
    }
}

static const char *name_of(const Debug *d, const Attribute *a)
{
    const DebugSection *s = &d->p->sections[a->is_block ? DEBUG_INFO : DEBUG_STR];
    uint64_t at = a->value;
    if (a->label)
        at = (uint64_t)a->label->label->debug_offset - 1 + a->label->offset;
    return at < s->n && memchr(s->bytes + at, 0, s->n - at) ? (const char *)s->bytes + at : NULL;
}

static void keep_attribute(const Debug *d, Entry *e, uint64_t what, const Attribute *a)
{
    switch (what) {
    case AT_NAME:
        e->name = name_of(d, a);
        break;
    case AT_LOCATION:
        e->has_location = true;
        e->location = *a;
        break;
    case AT_LOW_PC:
        e->low = a->label ? a->label->label : NULL;
        break;
    case AT_HIGH_PC:
        e->high = a->label ? a->label->label : NULL;
        break;
    case AT_TYPE:
        e->type = a->value;
        break;
    case AT_ORIGIN:
        e->origin = a->value;
        break;
    case AT_BYTE_SIZE:
        e->size = a->value;
        break;
    case AT_ENCODING:
        e->encoding = a->value;
        break;
    case AT_UPPER_BOUND:
        e->count = a->value + 1;
        break;
    case AT_COUNT:
        e->count = a->value;
        break;
    default:
        break;
    }
}

/* The attributes of an entry, as its abbreviation lists them. True: entries within it follow. */
static bool read_entry(const Debug *d, Reader *r, const uint8_t *abbreviation, Entry *e)
{
    const DebugSection *s = &d->p->sections[DEBUG_ABBREV];
    Reader form = {.s = s, .at = (size_t)(abbreviation - s->bytes), .end = s->n};
    e->tag = (uint32_t)read_leb(&form);
    bool has_children = read_bytes(&form, 1) != 0;
    for (;;) {
        uint64_t what = read_leb(&form), how = read_leb(&form);
        if ((what == 0 && how == 0) || form.bad || r->bad)
            break;
        Attribute a = read_form(r, how);
        keep_attribute(d, e, what, &a);
    }
    return has_children;
}

/* One unit: its entries, in order; a parent comes before what is in it. */
static bool read_unit(Debug *d)
{
    const DebugSection *s = &d->p->sections[DEBUG_INFO];
    Reader r = {.s = s, .end = s->n};
    uint32_t parents[DEPTH_MAX] = {0};
    int depth = 0;
    uint64_t length = read_bytes(&r, 4), version = read_bytes(&r, 2);
    r.end = length < r.end - r.at + 2 ? (size_t)length + 4 : r.end;
    read_bytes(&r, 4); /* where its abbreviations begin: there is one unit in a module */
    if (version < 2 || version > 4 || read_bytes(&r, 1) != 8)
        return false;
    while (r.at < r.end) {
        Entry e = {.at = r.at, .parent = depth ? parents[depth - 1] : 0};
        uint64_t code = read_leb(&r);
        if (code == 0) {
            depth -= depth > 0;
            continue;
        }
        if (r.bad || code >= ABBREVIATIONS_MAX || !d->abbreviations[code] || depth == DEPTH_MAX)
            return false;
        bool opens = read_entry(d, &r, d->abbreviations[code], &e);
        if (r.bad)
            return false;
        if (!VEC_GROW(d->entries, d->n, d->cap)) {
            parse_no_memory(d->p);
            return false;
        }
        if (opens)
            parents[depth++] = (uint32_t)d->n;
        d->entries[d->n++] = e;
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const Entry *entry_at(const Debug *d, uint64_t at)
{
    const Entry key = {.at = (size_t)at};
    return at ? bsearch(&key, d->entries, d->n, sizeof key, compare_places) : NULL;
}

/* ---- types ---- */

static bool base_type(const Entry *e, uint8_t *type)
{
    static const struct {
        uint8_t encoding, bytes, type;
    } rows[] = {{2, 1, PTX_TYPE_U8},  {4, 4, PTX_TYPE_F32}, {4, 8, PTX_TYPE_F64}, {4, 2, PTX_TYPE_F16}, {5, 4, PTX_TYPE_S32},
                {5, 8, PTX_TYPE_S64}, {5, 2, PTX_TYPE_S16}, {5, 1, PTX_TYPE_S8},  {6, 1, PTX_TYPE_S8},  {7, 4, PTX_TYPE_U32},
                {7, 8, PTX_TYPE_U64}, {7, 2, PTX_TYPE_U16}, {7, 1, PTX_TYPE_U8},  {8, 1, PTX_TYPE_U8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].encoding == e->encoding && rows[i].bytes == e->size) {
            *type = rows[i].type;
            return true;
        }
    return false;
}

/* Elements of an array of one dimension; 0: it has others, or none is told. */
static uint32_t array_count(const Debug *d, const Entry *array)
{
    size_t i = (size_t)(array - d->entries) + 1;
    if (i >= d->n || d->entries[i].tag != TAG_SUBRANGE || d->entries[i].parent != i - 1 ||
        (i + 1 < d->n && d->entries[i + 1].parent == i - 1) || d->entries[i].count > UINT32_MAX)
        return 0;
    return (uint32_t)d->entries[i].count;
}

/* False: a type that is not shown, such as a structure. */
static bool find_type(const Debug *d, uint64_t at, PtxDebugVariable *v)
{
    for (int links = 0; links < TYPE_LINKS_MAX; links++) {
        const Entry *e = entry_at(d, at);
        if (!e)
            return false;
        switch (e->tag) {
        case TAG_BASE:
            return base_type(e, &v->type);
        case TAG_ENUM:
            v->type = PTX_TYPE_S32;
            return e->size == 4;
        case TAG_POINTER:
        case TAG_REFERENCE:
        case TAG_RVALUE_REFERENCE:
            v->type = PTX_TYPE_B64;
            return true;
        case TAG_ARRAY:
            if (v->count || !(v->count = array_count(d, e)))
                return false;
            break;
        case TAG_TYPEDEF:
        case TAG_CONST:
        case TAG_VOLATILE:
        case TAG_RESTRICT:
            break;
        default:
            return false;
        }
        at = e->type;
    }
    return false;
}

/* ---- places ---- */

/* The register of a number such as 0x257231, "%r1". */
static bool find_register(const PtxFunction *f, uint64_t number, uint32_t *reg)
{
    char name[9] = {0};
    for (int i = 7; i >= 0 && number; i--, number >>= 8)
        name[i] = (char)(number & 255);
    const char *text = name;
    while (*text == 0 && text < name + 8)
        text++;
    for (uint32_t i = 0; i < f->n_reg_names; i++) {
        const PtxRegName *r = &f->reg_names[i];
        size_t length = strlen(r->name);
        uint64_t index = strncmp(text, r->name, length) == 0 ? strtoul(text + length, NULL, 10) : 0;
        bool fits = r->is_range ? strncmp(text, r->name, length) == 0 && text[length] >= '0' && text[length] <= '9' && index < r->count
                                : strcmp(text, r->name) == 0;
        *reg = r->first + (r->is_range ? (uint32_t)index : 0);
        if (fits)
            return true;
    }
    return false;
}

static bool find_local(const PtxFunction *f, const Name *name, uint64_t offset, PtxDebugVariable *v)
{
    for (uint32_t i = 0; i < f->n_variables; i++)
        if (f->variables[i]->space == PTX_SPACE_LOCAL && strcmp(f->variables[i]->name, name->text) == 0) {
            v->in_local = true;
            v->place = i;
            v->offset = (uint32_t)offset;
            return offset < f->variables[i]->bytes;
        }
    return false;
}

/* A location expression: a register, or a place in a .local variable. */
static bool find_place(const Debug *d, const DebugSection *s, size_t at, size_t length, PtxDebugVariable *v)
{
    Reader r = {.s = s, .at = at, .end = at + length};
    uint64_t op = read_bytes(&r, 1);
    if (op == OP_REGX)
        return find_register(d->function, read_leb(&r), &v->place) && !r.bad && r.at == r.end;
    const DebugReloc *label = reloc_at(s, r.at);
    if (op != OP_ADDR || !label)
        return false;
    read_bytes(&r, 8);
    uint64_t offset = label->offset;
    if (r.at < r.end && read_bytes(&r, 1) == OP_PLUS)
        offset += read_leb(&r);
    return !r.bad && r.at == r.end && find_local(d->function, label->label, offset, v);
}

static bool set_range(const Debug *d, const Name *low, const Name *high, PtxDebugVariable *v)
{
    if (!low || !high || low->label_function != d->function || high->label_function != d->function)
        return false;
    v->begin = low->label_inst;
    v->end = high->label_inst;
    return v->begin < v->end;
}

static void add_variable(Debug *d, const PtxDebugVariable *v)
{
    if (VEC_GROW(d->variables, d->n_variables, d->cap_variables))
        d->variables[d->n_variables++] = *v;
    else
        parse_no_memory(d->p);
}

/* .debug_loc: from label, to label, length, expression; ends with zeros. */
static void add_ranges(Debug *d, uint64_t list, PtxDebugVariable *v)
{
    const DebugSection *s = &d->p->sections[DEBUG_LOC];
    Reader r = {.s = s, .at = list < s->n ? (size_t)list : s->n, .end = s->n};
    for (;;) {
        const DebugReloc *low = reloc_at(s, r.at), *high = reloc_at(s, r.at + 8);
        read_bytes(&r, 8);
        read_bytes(&r, 8);
        if (!low || !high || r.bad)
            return;
        size_t length = (size_t)read_bytes(&r, 2), at = r.at;
        if (length > r.end - r.at)
            return;
        r.at += length;
        v->in_local = false;
        if (set_range(d, low->label, high->label, v) && find_place(d, s, at, length, v))
            add_variable(d, v);
    }
}

/* ---- variables ---- */

/* The innermost scope around an entry that has labels, or the function; NULL: none. */
static const Entry *scope_of(const Debug *d, const Entry *e, bool function)
{
    for (size_t i = (size_t)(e - d->entries); i > 0;) {
        i = d->entries[i].parent;
        const Entry *scope = &d->entries[i];
        bool is_scope = scope->tag == TAG_FUNCTION || (!function && (scope->tag == TAG_BLOCK || scope->tag == TAG_INLINED));
        if (is_scope && scope->low)
            return scope;
        if (scope->tag == TAG_FUNCTION)
            return NULL;
    }
    return NULL;
}

/* Those of a function stand together. */
static void give_variables(Debug *d)
{
    if (d->function && !d->function->debug_variables) {
        d->function->debug_variables = parse_copy(d->p, d->variables, d->n_variables, sizeof *d->variables);
        d->function->n_debug_variables = d->function->debug_variables ? (uint32_t)d->n_variables : 0;
    }
    d->n_variables = 0;
}

static void read_variable(Debug *d, const Entry *e)
{
    const Entry *origin = e->origin ? entry_at(d, e->origin) : e;
    const Entry *function = scope_of(d, e, true), *scope = scope_of(d, e, false);
    PtxDebugVariable v = {0};
    if (!function || !function->low->label_function || !origin || !origin->name || !find_type(d, origin->type, &v))
        return;
    if (d->function != function->low->label_function)
        give_variables(d);
    d->function = function->low->label_function;
    v.name = arena_strndup(d->p->arena, origin->name, strlen(origin->name));
    if (!v.name)
        parse_no_memory(d->p);
    else if (!e->location.is_block)
        add_ranges(d, e->location.value, &v);
    else if (set_range(d, scope->low, scope->high, &v) &&
             find_place(d, &d->p->sections[DEBUG_INFO], (size_t)e->location.value, e->location.length, &v))
        add_variable(d, &v);
}

static void read_variables(Debug *d)
{
    for (size_t i = 0; i < d->n && !d->p->status; i++) {
        const Entry *e = &d->entries[i];
        if ((e->tag == TAG_VARIABLE || e->tag == TAG_PARAMETER) && e->has_location)
            read_variable(d, e);
    }
    give_variables(d);
}

void parse_debug_variables(Parser *p)
{
    if (p->status || p->sections[DEBUG_INFO].n == 0)
        return;
    Debug *d = calloc(1, sizeof *d);
    if (!d) {
        parse_no_memory(p);
        return;
    }
    d->p = p;
    if (find_abbreviations(d) && read_unit(d))
        read_variables(d);
    free(d->entries);
    free(d->variables);
    free(d);
}
