/* Bodies of functions: statements, nested scopes, labels (PTX ISA 4.3, 11.2).
 *
 * Scopes are a stack of marks, not recursion. A label is seen in its scope and in those inside it, before and
 * after its place; so branches are resolved when the body has ended, by a sorted table of (name, scope) and a
 * walk outwards.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdlib.h>

/* ---- scopes and labels ---- */

static bool add_scope(Parser *p, uint32_t parent)
{
    Body *b = &p->body;
    if (!VEC_GROW(b->scope_parent, b->n_scopes, b->cap_scopes)) {
        parse_no_memory(p);
        return false;
    }
    b->scope_parent[b->n_scopes] = parent;
    b->scope = (uint32_t)b->n_scopes++;
    return true;
}

static void add_label(Parser *p, Name *name, const Token *at)
{
    Body *b = &p->body;
    if (!VEC_GROW(b->labels, b->n_labels, b->cap_labels)) {
        parse_no_memory(p);
        return;
    }
    b->labels[b->n_labels++] = (Label){.name_id = name->id,
                                       .scope = b->scope,
                                       .inst = (uint32_t)b->n_insts,
                                       .line = at->line,
                                       .column = at->column,
                                       .name = name->text};
    name->label_function = b->function;
    name->label_inst = (uint32_t)b->n_insts;
}

void parse_label_ref(Parser *p, Name *name, int line, int column, PtxOperand *operand, uint32_t *inst)
{
    Body *b = &p->body;
    if (!name || !VEC_GROW(b->refs, b->n_refs, b->cap_refs)) {
        parse_no_memory(p);
        return;
    }
    b->refs[b->n_refs++] = (LabelRef){
        .name = name, .scope = b->scope, .line = line, .column = column, .operand = operand, .inst = inst};
}

static int compare_labels(const void *a, const void *b)
{
    const Label *x = a, *y = b;
    if (x->name_id != y->name_id)
        return x->name_id < y->name_id ? -1 : 1;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return (x->inst > y->inst) - (x->inst < y->inst);
}

static const Label *find_label(const Body *b, uint32_t name_id, uint32_t scope)
{
    size_t low = 0, high = b->n_labels;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const Label *l = &b->labels[middle];
        if (l->name_id < name_id || (l->name_id == name_id && l->scope < scope))
            low = middle + 1;
        else
            high = middle;
    }
    bool hit = low < b->n_labels && b->labels[low].name_id == name_id && b->labels[low].scope == scope;
    return hit ? &b->labels[low] : NULL;
}

static void resolve_ref(Parser *p, const LabelRef *ref)
{
    const Body *b = &p->body;
    const Label *label = NULL;
    for (uint32_t scope = ref->scope; !label; scope = b->scope_parent[scope]) {
        label = find_label(b, ref->name->id, scope);
        if (scope == 0)
            break;
    }
    if (!label) {
        parse_fail_at(p, STATUS_PARSE, ref->line, ref->column, "label '%s' is not defined", ref->name->text);
        return;
    }
    if (ref->inst)
        *ref->inst = label->inst;
    if (ref->operand) {
        ref->operand->kind = PTX_OPERAND_LABEL;
        ref->operand->value = label->inst;
    }
}

static void resolve_labels(Parser *p)
{
    Body *b = &p->body;
    if (p->status)
        return;
    if (b->n_labels)
        qsort(b->labels, b->n_labels, sizeof *b->labels, compare_labels);
    for (size_t i = 1; i < b->n_labels; i++) {
        const Label *l = &b->labels[i];
        if (l->name_id == l[-1].name_id && l->scope == l[-1].scope)
            parse_fail_at(p, STATUS_PARSE, l->line, l->column, "label '%s' is defined twice", l->name);
    }
    for (size_t i = 0; i < b->n_refs && !p->status; i++)
        resolve_ref(p, &b->refs[i]);
}

/* ---- statements ---- */

/* name: .branchtargets $L1, $L2; */
static void parse_branch_targets(Parser *p, Name *name)
{
    Body *b = &p->body;
    LabelRef *refs = NULL;
    size_t n = 0, cap = 0;
    parse_advance(p);
    do {
        LabelRef ref = {.line = p->token.line, .column = p->token.column, .name = parse_name(p, "a label")};
        if (!VEC_GROW(refs, n, cap))
            parse_no_memory(p);
        if (p->status)
            break;
        refs[n++] = ref;
        parse_advance(p);
    } while (parse_accept(p, ','));
    uint32_t *insts = p->status ? NULL : parse_alloc(p, n * sizeof *insts + 1);
    for (size_t i = 0; i < n && insts && !p->status; i++)
        parse_label_ref(p, refs[i].name, refs[i].line, refs[i].column, NULL, &insts[i]);
    free(refs);
    if (p->status)
        return;
    if (!VEC_GROW(b->lists, b->n_lists, b->cap_lists)) {
        parse_no_memory(p);
        return;
    }
    b->lists[b->n_lists] = (PtxTargetList){.insts = insts, .n = (uint32_t)n};
    parse_declare(p, name, &(Decl){.kind = DECL_TARGETS, .reg = (uint32_t)b->n_lists++});
}

static void skip_to_semicolon(Parser *p)
{
    while (p->token.kind != TOKEN_END && !parse_accept(p, ';'))
        parse_advance(p);
}

/* name: then nothing, or a directive that the name belongs to. */
static void parse_label(Parser *p, const Token *at)
{
    Name *name = names_intern(&p->names, at->text, at->length);
    if (!name) {
        parse_no_memory(p);
        return;
    }
    parse_advance(p);
    Keyword keyword = parse_keyword(p);
    if (keyword == KEYWORD_BRANCHTARGETS) {
        parse_branch_targets(p, name);
        parse_expect(p, ';', "after .branchtargets");
    } else if (keyword == KEYWORD_CALLPROTOTYPE || keyword == KEYWORD_CALLTARGETS) {
        skip_to_semicolon(p);
        parse_declare(p, name, &(Decl){.kind = DECL_PROTOTYPE});
    } else {
        add_label(p, name, at);
    }
}

/* A statement that starts with a word: label or instruction. */
static void parse_worded(Parser *p, const PtxOperand *guard)
{
    if (p->token.kind != TOKEN_NAME) {
        parse_fail(p, "expected an instruction, a label or a directive");
        return;
    }
    scan_suffixes(&p->scanner, &p->token, true);
    Token at = p->token;
    parse_advance(p);
    if (parse_is(p, ':') && guard->kind == PTX_OPERAND_NONE)
        parse_label(p, &at);
    else
        parse_instruction(p, at, guard);
}

static void parse_directive_in_body(Parser *p)
{
    PtxSpace space;
    Keyword keyword = parse_keyword(p);
    if (keyword == KEYWORD_LOC) {
        parse_loc(p);
    } else if (keyword == KEYWORD_PRAGMA) {
        skip_to_semicolon(p);
    } else if (keyword == KEYWORD_FILE) {
        parse_file(p);
    } else if (parse_is_space(p, &space)) {
        parse_variables(p, PTX_LINK_LOCAL);
        parse_expect(p, ';', "after a declaration");
    } else {
        parse_fail(p, "the directive '%.*s' has no meaning in a function's body",
                   p->token.length > 60 ? 60 : (int)p->token.length, p->token.text);
    }
}

/* Everything between the braces; a mark a scope says which declarations end with it. */
static void parse_statements(Parser *p)
{
    Body *b = &p->body;
    size_t marks[PTX_NESTING_MAX];
    uint32_t depth = 0;
    const PtxOperand none = {.kind = PTX_OPERAND_NONE};
    marks[0] = p->n_decls;
    while (!p->status) {
        if (parse_accept(p, '{')) {
            if (++depth == PTX_NESTING_MAX) {
                parse_fail_at(p, STATUS_LIMIT, p->token.line, p->token.column, "more than %d nested scopes",
                              PTX_NESTING_MAX);
                return;
            }
            marks[depth] = p->n_decls;
            add_scope(p, b->scope);
        } else if (parse_accept(p, '}')) {
            parse_scope_leave(p, marks[depth]);
            if (depth-- == 0)
                return;
            b->scope = b->scope_parent[b->scope];
        } else if (parse_is(p, '@')) {
            PtxOperand guard = parse_guard(p);
            parse_worded(p, &guard);
        } else if (p->token.kind == TOKEN_DIRECTIVE) {
            parse_directive_in_body(p);
        } else if (p->token.kind == TOKEN_END) {
            parse_fail(p, "the body of '%s' does not end", b->function->name);
        } else if (!parse_accept(p, ';')) {
            parse_worded(p, &none);
        }
    }
}

static void begin_body(Parser *p, PtxFunction *f)
{
    Body *b = &p->body;
    b->function = f;
    b->n_insts = b->n_locs = b->n_variables = b->n_labels = b->n_refs = b->n_scopes = b->n_lists = 0;
    b->loc = 0;
    free(b->loc_slots); /* a table grown for a large function would cost too much to clear for each small one
                         */
    b->loc_slots = NULL;
    b->n_loc_slots = 0;
    add_scope(p, 0);
    if (VEC_GROW(b->locs, b->n_locs, b->cap_locs))
        b->locs[b->n_locs++] = (PtxLoc){.parent = -1};
    else
        parse_no_memory(p);
}

static void end_body(Parser *p)
{
    Body *b = &p->body;
    PtxFunction *f = b->function;
    f->insts = parse_copy(p, b->insts, b->n_insts, sizeof *b->insts);
    f->n_insts = (uint32_t)b->n_insts;
    f->locs = parse_copy(p, b->locs, b->n_locs, sizeof *b->locs);
    f->n_locs = (uint32_t)b->n_locs;
    f->variables = parse_copy(p, b->variables, b->n_variables, sizeof *b->variables);
    f->n_variables = (uint32_t)b->n_variables;
    f->reg_types = parse_copy(p, b->reg_types, b->n_regs, sizeof *b->reg_types);
    f->n_regs = (uint32_t)b->n_regs;
    f->reg_names = parse_copy(p, b->reg_names, b->n_reg_names, sizeof *b->reg_names);
    f->n_reg_names = (uint32_t)b->n_reg_names;
    f->target_lists = parse_copy(p, b->lists, b->n_lists, sizeof *b->lists);
    f->n_target_lists = (uint32_t)b->n_lists;
    b->function = NULL;
}

void parse_body(Parser *p, PtxFunction *f)
{
    parse_expect(p, '{', "before a function's body");
    begin_body(p, f);
    parse_statements(p);
    resolve_labels(p);
    end_body(p);
}
