/* .file, .loc, .section (PTX ISA 11.5): from which source line an instruction comes, through all inlining.
 *
 *     .loc 1 14 4, function_name $L__info_string0, inlined_at 1 17 3
 *
 * says: line 14 of file 1, in the function whose name lies at that label of .debug_str, which was inlined
 * where the last .loc with line 17, column 3 of file 1 stood. So the places form chains, whose links are
 * found through a hash of the places.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdlib.h>
#include <string.h>

/* .file 1 "path", timestamp, size */
void parse_file(Parser *p)
{
    parse_advance(p);
    uint64_t index = parse_constant(p);
    if (p->status)
        return;
    if (index >= PTX_FILES_MAX || p->token.kind != TOKEN_STRING) {
        parse_fail(p, "expected .file INDEX \"NAME\" with an index below %d", PTX_FILES_MAX);
        return;
    }
    while (p->n_files <= index) {
        if (!VEC_GROW(p->files, p->n_files, p->cap_files)) {
            parse_no_memory(p);
            return;
        }
        p->files[p->n_files++] = NULL;
    }
    p->files[index] = arena_strndup(p->arena, p->token.text, p->token.length);
    if (!p->files[index])
        parse_no_memory(p);
    parse_advance(p);
    while (parse_accept(p, ','))
        parse_constant(p);
}

static uint32_t hash_place(uint32_t file, uint32_t line, uint32_t column)
{
    uint32_t h = (file * 0x9E3779B1u ^ line) * 0x85EBCA6Bu ^ column;
    h *= 0xC2B2AE35u;
    return h ^ h >> 16;
}

/* The slot of the last loc at this place; the table has room. */
static uint32_t *loc_slot(const Body *b, uint32_t file, uint32_t line, uint32_t column)
{
    size_t mask = b->n_loc_slots - 1;
    for (size_t i = hash_place(file, line, column) & mask;; i = (i + 1) & mask) {
        const PtxLoc *loc = b->loc_slots[i] ? &b->locs[b->loc_slots[i] - 1] : NULL;
        if (!loc || (loc->file == file && loc->line == line && loc->column == column))
            return &b->loc_slots[i];
    }
}

static bool grow_loc_slots(Body *b)
{
    if (b->n_locs * 2 < b->n_loc_slots)
        return true;
    size_t wanted = b->n_loc_slots ? b->n_loc_slots * 2 : 64;
    free(b->loc_slots);
    b->n_loc_slots = 0;
    b->loc_slots = calloc(wanted, sizeof *b->loc_slots);
    if (!b->loc_slots)
        return false;
    b->n_loc_slots = wanted;
    for (size_t i = 0; i < b->n_locs; i++)
        *loc_slot(b, b->locs[i].file, b->locs[i].line, b->locs[i].column) = (uint32_t)i + 1;
    return true;
}

/* The new loc becomes the current one. Equal neighbours share an entry. */
static void add_loc(Parser *p, const PtxLoc *loc, Name *label, uint64_t offset)
{
    Body *b = &p->body;
    if (!VEC_GROW(b->locs, b->n_locs, b->cap_locs) || !grow_loc_slots(b)) {
        parse_no_memory(p);
        return;
    }
    b->locs[b->n_locs] = *loc;
    b->loc = (uint32_t)b->n_locs++;
    *loc_slot(b, loc->file, loc->line, loc->column) = b->loc + 1;
    if (!label)
        return;
    if (!VEC_GROW(p->loc_names, p->n_loc_names, p->cap_loc_names)) {
        parse_no_memory(p);
        return;
    }
    p->loc_names[p->n_loc_names++] =
        (LocName){.function = b->function, .loc = b->loc, .label = label, .offset = offset};
}

static bool accept_word(Parser *p, const char *word)
{
    if (p->token.kind != TOKEN_NAME || p->token.length != strlen(word) ||
        memcmp(p->token.text, word, p->token.length) != 0)
        return false;
    parse_advance(p);
    return true;
}

static void parse_place(Parser *p, PtxLoc *loc)
{
    loc->file = (uint32_t)parse_constant(p);
    loc->line = (uint32_t)parse_constant(p);
    loc->column = (uint32_t)parse_constant(p);
}

void parse_loc(Parser *p)
{
    PtxLoc loc = {.parent = -1}, at = {0};
    Name *label = NULL;
    uint64_t offset = 0;
    parse_advance(p);
    parse_place(p, &loc);
    if (parse_accept(p, ',') && accept_word(p, "function_name")) {
        label = parse_name(p, "a label of .debug_str");
        parse_advance(p);
        if (parse_accept(p, '+'))
            offset = parse_constant(p);
        parse_expect(p, ',', "before inlined_at");
    }
    if (accept_word(p, "inlined_at")) {
        parse_place(p, &at);
        if (!grow_loc_slots(&p->body))
            parse_no_memory(p);
        else if (!p->status)
            loc.parent = (int32_t)*loc_slot(&p->body, at.file, at.line, at.column) - 1;
    }
    if (!p->status)
        add_loc(p, &loc, label, offset);
    if (!p->status)
        p->body.function->has_lines = true;
}

/* ---- sections ---- */

static void append_debug_byte(Parser *p, DebugSection *s, uint64_t byte)
{
    if (VEC_GROW(s->bytes, s->n, s->cap))
        s->bytes[s->n++] = (uint8_t)byte;
    else
        parse_no_memory(p);
}

/* A number, a label or a section, and what is added to it. A section counts as 0. */
static void parse_debug_value(Parser *p, DebugSection *s, unsigned bytes)
{
    uint64_t value = 0;
    Name *label = NULL;
    bool minus = parse_accept(p, '-');
    if (p->token.kind == TOKEN_NAME)
        label = parse_name(p, "a label");
    else if (p->token.kind == TOKEN_INT)
        value = minus ? 0 - p->token.value : p->token.value;
    parse_advance(p);
    if (parse_accept(p, '+') && p->token.kind == TOKEN_INT) {
        value += p->token.value;
        parse_advance(p);
    }
    if (label && VEC_GROW(s->relocs, s->n_relocs, s->cap_relocs))
        s->relocs[s->n_relocs++] = (DebugReloc){.at = s->n, .label = label, .offset = value};
    else if (label)
        parse_no_memory(p);
    for (unsigned i = 0; i < bytes; i++)
        append_debug_byte(p, s, value >> 8 * i);
}

/* label:  .b8 1, 2, 3  .b32 .debug_loc+4  lines up to the closing brace */
static void parse_debug_lines(Parser *p, DebugSection *s)
{
    while (p->token.kind != TOKEN_END && !parse_is(p, '}')) {
        bool is_data = p->token.kind == TOKEN_DIRECTIVE && p->token.length > 2 && p->token.text[1] == 'b';
        unsigned bits = is_data ? (unsigned)strtoul(p->token.text + 2, NULL, 10) : 0;
        if (bits >= 8 && bits <= 64) {
            do {
                parse_advance(p);
                parse_debug_value(p, s, bits / 8);
            } while (parse_is(p, ','));
        } else if (p->token.kind == TOKEN_NAME) {
            Name *label = parse_name(p, "a label");
            parse_advance(p);
            parse_expect(p, ':', "after a label");
            if (label)
                label->debug_offset = (int64_t)s->n + 1;
        } else {
            parse_advance(p);
        }
    }
}

/* .section .debug_info { ... }: those that nobody reads are passed over. */
void parse_section(Parser *p)
{
    static const char *const names[N_DEBUG_SECTIONS] = {".debug_str", ".debug_abbrev", ".debug_info", ".debug_loc"};
    int kind = 0;
    parse_advance(p);
    while (kind < N_DEBUG_SECTIONS &&
           (p->token.length != strlen(names[kind]) || memcmp(p->token.text, names[kind], p->token.length) != 0))
        kind++;
    parse_advance(p);
    if (!parse_expect(p, '{', "after the section's name"))
        return;
    if (kind < N_DEBUG_SECTIONS)
        parse_debug_lines(p, &p->sections[kind]);
    while (p->token.kind != TOKEN_END && !parse_is(p, '}'))
        parse_advance(p);
    parse_expect(p, '}', "at the end of the section");
}

/* Inlined functions' names: once .debug_str has been read, after the code. */
void parse_resolve_loc_names(Parser *p)
{
    const DebugSection *s = &p->sections[DEBUG_STR];
    if (p->status || s->n == 0)
        return;
    char *strings = parse_alloc(p, s->n + 1);
    if (!strings)
        return;
    memcpy(strings, s->bytes, s->n);
    for (size_t i = 0; i < p->n_loc_names; i++) {
        const LocName *n = &p->loc_names[i];
        uint64_t at = (uint64_t)n->label->debug_offset - 1 + n->offset;
        if (n->label->debug_offset > 0 && n->offset <= s->n && at < s->n)
            n->function->locs[n->loc].function = strings + at;
    }
}
