/* The parser's core, and the directives of module scope (PTX ISA 11.1, 11.3, 11.4): version, target, linkage,
 * functions.
 *
 * Recursive descent with one token of lookahead. The first error is kept and turns the rest of the input into
 * its end, so that no rule has to ask after each step.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors and tokens ---- */

static void fail_va(Parser *p, Status status, int line, int column, const char *format, va_list args)
{
    char message[DIAG_TEXT_MAX];
    if (p->status)
        return;
    vsnprintf(message, sizeof message, format, args);
    p->status = diag_set_at(p->diag, status, p->m->name, line, column, "%s", message);
    p->token = (Token){.kind = TOKEN_END, .text = "", .line = line, .column = column};
    p->scanner.at = p->scanner.end;
}

void parse_fail_at(Parser *p, Status status, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_va(p, status, line, column, format, args);
    va_end(args);
}

void parse_fail(Parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_va(p, STATUS_PARSE, p->token.line, p->token.column, format, args);
    va_end(args);
}

void parse_no_memory(Parser *p)
{
    parse_fail_at(p, STATUS_NO_MEMORY, p->token.line, p->token.column, "no memory for the module's tables");
}

void parse_advance(Parser *p)
{
    if (p->status)
        return;
    scan_next(&p->scanner, &p->token);
    if (p->token.kind == TOKEN_BAD)
        parse_fail(p, "%s", p->token.error);
}

bool parse_is(const Parser *p, int punct)
{
    return p->token.kind == TOKEN_PUNCT && p->token.punct == punct;
}

bool parse_accept(Parser *p, int punct)
{
    if (!parse_is(p, punct))
        return false;
    parse_advance(p);
    return true;
}

/* What stands at the current token, for messages. */
static const char *found(const Parser *p, char *buf, size_t size)
{
    if (p->token.kind == TOKEN_END)
        return "the end of the text";
    snprintf(buf, size, "'%.*s'", p->token.length > 60 ? 60 : (int)p->token.length, p->token.text);
    return buf;
}

bool parse_expect(Parser *p, int punct, const char *where)
{
    char buf[80];
    if (parse_accept(p, punct))
        return true;
    parse_fail(p, "expected '%c' %s, found %s", punct, where, found(p, buf, sizeof buf));
    return false;
}

Keyword parse_keyword(const Parser *p)
{
    if (p->token.kind != TOKEN_DIRECTIVE)
        return KEYWORD_NONE;
    Name *name = names_find(&p->names, p->token.text, p->token.length);
    return name ? (Keyword)name->keyword : KEYWORD_NONE;
}

Name *parse_name(Parser *p, const char *what)
{
    char buf[80];
    if (p->token.kind != TOKEN_NAME) {
        parse_fail(p, "expected %s, found %s", what, found(p, buf, sizeof buf));
        return NULL;
    }
    Name *name = names_intern(&p->names, p->token.text, p->token.length);
    if (!name)
        parse_no_memory(p);
    return name;
}

void *parse_alloc(Parser *p, size_t size)
{
    void *memory = arena_alloc(p->arena, size);
    if (!memory)
        parse_no_memory(p);
    return memory;
}

void *parse_copy(Parser *p, const void *items, size_t n, size_t size)
{
    if (n == 0)
        return NULL;
    void *copy = parse_alloc(p, n * size);
    if (copy)
        memcpy(copy, items, n * size);
    return copy;
}

/* ---- functions ---- */

static void add_function(Parser *p, PtxFunction *f)
{
    if (VEC_GROW(p->functions, p->n_functions, p->cap_functions))
        p->functions[p->n_functions++] = f;
    else
        parse_no_memory(p);
}

/* The module's function of this name: the one declared before, or a new one. */
static PtxFunction *function_named(Parser *p, Name *name)
{
    if (name->function)
        return name->function;
    PtxFunction *f = parse_alloc(p, sizeof *f);
    if (!f)
        return NULL;
    f->name = name->text;
    name->function = f;
    add_function(p, f);
    return f;
}

/* Up to three numbers: .maxntid 128, 1, 1 */
static void parse_ntid(Parser *p, uint32_t values[3])
{
    for (int i = 0; i < 3; i++)
        values[i] = 1;
    for (int i = 0; i < 3 && !p->status; i++) {
        uint64_t value = parse_constant(p);
        if (value == 0 || value > UINT32_MAX) {
            parse_fail(p, "a dimension must lie between 1 and 4294967295");
            return;
        }
        values[i] = (uint32_t)value;
        if (!parse_accept(p, ','))
            return;
    }
}

/* Skips the arguments of a directive that means nothing here: numbers and strings with commas. */
static void skip_arguments(Parser *p)
{
    while (p->token.kind == TOKEN_INT || p->token.kind == TOKEN_STRING || parse_is(p, ','))
        parse_advance(p);
}

/* Performance directives between a function's head and its body (PTX ISA 11.4). */
static void parse_tuning(Parser *p, PtxFunction *f)
{
    for (;;) {
        Keyword keyword = parse_keyword(p);
        switch (keyword) {
        case KEYWORD_NORETURN:
            f->noreturn = true;
            parse_advance(p);
            break;
        case KEYWORD_MAXNTID:
        case KEYWORD_REQNTID:
        case KEYWORD_REQNCTAPERCLUSTER:
            parse_advance(p);
            parse_ntid(p, keyword == KEYWORD_MAXNTID   ? f->max_ntid
                          : keyword == KEYWORD_REQNTID ? f->req_ntid
                                                       : f->cluster);
            break;
        case KEYWORD_MINNCTAPERSM:
            parse_advance(p);
            f->min_blocks = (uint32_t)parse_constant(p);
            break;
        case KEYWORD_MAXNREG:
            parse_advance(p);
            f->max_regs = (uint32_t)parse_constant(p);
            break;
        case KEYWORD_PRAGMA:
            parse_advance(p);
            skip_arguments(p);
            parse_expect(p, ';', "after .pragma");
            break;
        case KEYWORD_MAXNCTAPERSM:
        case KEYWORD_EXPLICITCLUSTER:
        case KEYWORD_MAXCLUSTERRANK:
        case KEYWORD_BLOCKSARECLUSTERS:
        case KEYWORD_ABI_PRESERVE:
        case KEYWORD_ABI_PRESERVE_CONTROL:
            parse_advance(p);
            skip_arguments(p);
            break;
        default:
            return;
        }
        if (p->status)
            return;
    }
}

typedef struct FunctionHead {
    PtxVariable **params, **results;
    uint32_t n_params, n_results;
} FunctionHead;

static void set_params(PtxFunction *f, const FunctionHead *head)
{
    f->params = head->params;
    f->n_params = head->n_params;
    f->results = head->results;
    f->n_results = head->n_results;
}

static void define_function(Parser *p, PtxFunction *f, const FunctionHead *head, PtxLinkage linkage,
                            const Token *at)
{
    if (f->has_body) {
        parse_fail_at(p, STATUS_PARSE, at->line, at->column, "function '%s' is defined twice", f->name);
        return;
    }
    set_params(f, head);
    if (linkage != PTX_LINK_LOCAL && linkage != PTX_LINK_EXTERN)
        f->linkage = (uint8_t)linkage;
    else if (f->linkage == PTX_LINK_EXTERN)
        f->linkage = PTX_LINK_VISIBLE;
    f->has_body = true;
    f->line = at->line;
    f->column = at->column;
    parse_body(p, f);
}

/* .entry name (params) tuning { body }  or  .func (results) name (params) tuning { body }; with ';' a
 * declaration */
static void parse_function(Parser *p, PtxLinkage linkage)
{
    bool is_entry = parse_keyword(p) == KEYWORD_ENTRY;
    FunctionHead head = {0};
    bool noreturn = false;
    size_t n_decls = p->n_decls;
    parse_advance(p);
    p->body.n_regs = p->body.n_reg_names = 0;
    while (parse_keyword(p) == KEYWORD_ATTRIBUTE || parse_keyword(p) == KEYWORD_NORETURN) {
        bool attribute = parse_keyword(p) == KEYWORD_ATTRIBUTE;
        noreturn = noreturn || !attribute;
        parse_advance(p);
        while (attribute && p->token.kind != TOKEN_END && !parse_accept(p, ')'))
            parse_advance(p);
    }
    if (!is_entry && parse_is(p, '('))
        parse_params(p, PTX_ROLE_RESULT, &head.results, &head.n_results);
    Token at = p->token;
    Name *name = parse_name(p, "a function's name");
    PtxFunction *f = name ? function_named(p, name) : NULL;
    if (!f)
        return;
    if (f->is_entry != is_entry && (f->has_body || f->line))
        parse_fail(p, "'%s' is declared both as .entry and as .func", f->name);
    bool first = f->line == 0;
    parse_advance(p);
    f->is_entry = is_entry;
    f->noreturn = f->noreturn || noreturn;
    if (parse_is(p, '('))
        parse_params(p, PTX_ROLE_PARAM, &head.params, &head.n_params);
    parse_tuning(p, f);
    if (first) {
        f->linkage = (uint8_t)linkage;
        f->line = at.line;
        f->column = at.column;
    }
    if (parse_is(p, '{'))
        define_function(p, f, &head, linkage, &at);
    else if (parse_expect(p, ';', "or a body after a function's head") && !f->has_body)
        set_params(f, &head);
    parse_scope_leave(p, n_decls);
}

/* ---- module ---- */

/* .version 9.0: digits on both sides of the dot, from the token's own text. */
static void parse_version(Parser *p)
{
    parse_advance(p);
    unsigned major = 0, minor = 0;
    char text[16];
    snprintf(text, sizeof text, "%.*s", p->token.length > 15 ? 15 : (int)p->token.length, p->token.text);
    if (p->token.kind != TOKEN_FLOAT || sscanf(text, "%3u.%3u", &major, &minor) != 2)
        parse_fail(p, "expected a version such as 9.0");
    p->m->version = major * 10 + minor;
    parse_advance(p);
}

/* .target sm_75, debug: the first sm_ counts. */
static void parse_target(Parser *p)
{
    do {
        parse_advance(p);
        Name *name = parse_name(p, "a target such as sm_75");
        if (name && strncmp(name->text, "sm_", 3) == 0 && p->m->target == 0)
            p->m->target = (uint32_t)strtoul(name->text + 3, NULL, 10);
        parse_advance(p);
    } while (parse_is(p, ','));
}

static void parse_address_size(Parser *p)
{
    parse_advance(p);
    Token at = p->token;
    p->m->address_size = (uint32_t)parse_constant(p);
    if (!p->status && p->m->address_size != 64)
        parse_fail_at(p, STATUS_UNSUPPORTED, at.line, at.column, "only .address_size 64 is supported");
}

/* Passes over a directive that means nothing here, to its ';' */
static void skip_to_semicolon(Parser *p)
{
    while (p->token.kind != TOKEN_END && !parse_accept(p, ';'))
        parse_advance(p);
}

/* .visible and the like; LOCAL when none stands here. */
static PtxLinkage parse_linkage(Parser *p)
{
    PtxLinkage linkage = PTX_LINK_LOCAL;
    switch (parse_keyword(p)) {
    case KEYWORD_VISIBLE:
        linkage = PTX_LINK_VISIBLE;
        break;
    case KEYWORD_EXTERN:
        linkage = PTX_LINK_EXTERN;
        break;
    case KEYWORD_WEAK:
        linkage = PTX_LINK_WEAK;
        break;
    case KEYWORD_COMMON:
        linkage = PTX_LINK_COMMON;
        break;
    default:
        return linkage;
    }
    parse_advance(p);
    return linkage;
}

static void parse_declaration(Parser *p)
{
    char buf[80];
    PtxSpace space;
    PtxLinkage linkage = parse_linkage(p);
    Keyword keyword = parse_keyword(p);
    if (keyword == KEYWORD_ENTRY || keyword == KEYWORD_FUNC) {
        parse_function(p, linkage);
    } else if (parse_is_space(p, &space) && space != PTX_SPACE_REG && space != PTX_SPACE_PARAM) {
        parse_variables(p, linkage);
        parse_expect(p, ';', "after a variable");
    } else {
        parse_fail(p, "expected a directive of module scope, found %s", found(p, buf, sizeof buf));
    }
}

static void parse_directive(Parser *p)
{
    switch (parse_keyword(p)) {
    case KEYWORD_VERSION:
        parse_version(p);
        break;
    case KEYWORD_TARGET:
        parse_target(p);
        break;
    case KEYWORD_ADDRESS_SIZE:
        parse_address_size(p);
        break;
    case KEYWORD_FILE:
        parse_file(p);
        break;
    case KEYWORD_SECTION:
        parse_section(p);
        break;
    case KEYWORD_PRAGMA:
    case KEYWORD_ALIAS:
        skip_to_semicolon(p);
        break;
    default:
        parse_declaration(p);
    }
}

static void parse_module(Parser *p)
{
    parse_advance(p);
    while (p->token.kind != TOKEN_END)
        if (!parse_accept(p, ';'))
            parse_directive(p);
    if (!p->status && p->m->version == 0)
        parse_fail_at(p, STATUS_PARSE, 1, 1, "no .version directive: this is not a PTX module");
    parse_resolve_loc_names(p);
    parse_debug_variables(p);
}

/* Moves what grew into the module's arena. */
static void finish_module(Parser *p)
{
    PtxModule *m = p->m;
    m->functions = parse_copy(p, p->functions, p->n_functions, sizeof *p->functions);
    m->n_functions = (uint32_t)p->n_functions;
    m->variables = parse_copy(p, p->variables, p->n_variables, sizeof *p->variables);
    m->n_variables = (uint32_t)p->n_variables;
    m->variants = parse_copy(p, p->variants, p->n_variants, sizeof *p->variants);
    m->n_variants = (uint32_t)p->n_variants;
    m->files = parse_copy(p, p->files, p->n_files, sizeof *p->files);
    m->n_files = (uint32_t)p->n_files;
}

static void free_body(Body *b)
{
    free(b->insts);
    free(b->locs);
    free(b->loc_slots);
    free(b->variables);
    free(b->reg_types);
    free(b->reg_names);
    free(b->labels);
    free(b->refs);
    free(b->scope_parent);
    free(b->lists);
}

static void free_parser(Parser *p)
{
    free_body(&p->body);
    names_free(&p->names);
    free(p->decls);
    free(p->functions);
    free(p->variables);
    free(p->variants);
    free(p->files);
    for (int i = 0; i < N_DEBUG_SECTIONS; i++) {
        free(p->sections[i].bytes);
        free(p->sections[i].relocs);
    }
    free(p->loc_names);
}

Status ptx_parse(const char *text, size_t length, const char *name, PtxModule **out, Diag *diag)
{
    *out = NULL;
    if (length > PTX_TEXT_MAX)
        return diag_set(diag, STATUS_LIMIT, "a PTX module of %zu bytes; the limit is %d", length,
                        PTX_TEXT_MAX);
    PtxModule *m = calloc(1, sizeof *m);
    if (!m)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a PTX module");
    Parser p = {.m = m, .arena = &m->arena, .diag = diag};
    m->text = arena_strndup(&m->arena, text, length);
    m->name = arena_strndup(&m->arena, name ? name : "", name ? strlen(name) : 0);
    if (!m->text || !m->name || !names_init(&p.names, &m->arena)) {
        p.status = diag_set(diag, STATUS_NO_MEMORY, "no memory for a PTX module");
    } else {
        scan_start(&p.scanner, m->text, length);
        parse_module(&p);
        finish_module(&p);
    }
    free_parser(&p);
    if (p.status) {
        ptx_module_free(m);
        return p.status;
    }
    *out = m;
    return STATUS_OK;
}

void ptx_module_free(PtxModule *m)
{
    if (!m)
        return;
    arena_free(&m->arena);
    free(m);
}
