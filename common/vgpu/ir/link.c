/* Linking: the functions, globals and files of all modules as one list each (PTX ISA 11.6).
 *
 * .visible, .weak and .common names are known to all modules, other names to their own. Of several weak
 * definitions the first counts, a strong one beats them, two strong ones are an error. .extern names are
 * looked up when all definitions are known: a function that nobody defines stays as an extern one (the
 * device's own, or unresolved), a variable is an error, and an .extern .shared array without size is the
 * kernel's dynamic shared memory.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void link_fail(Linker *l, Status status, const PtxModule *m, int line, int column, const char *format, ...)
{
    char message[DIAG_TEXT_MAX];
    va_list args;
    if (l->status)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    l->status = diag_set_at(l->diag, status, m ? m->name : "", line, column, "%s", message);
}

void link_no_memory(Linker *l)
{
    link_fail(l, STATUS_NO_MEMORY, NULL, 0, 0, "no memory for the decoded module");
}

void *link_alloc(Linker *l, size_t n, size_t size)
{
    void *memory = arena_alloc(l->arena, n ? n * size : 1);
    if (!memory)
        link_no_memory(l);
    return memory;
}

char *link_text(Linker *l, const char *text)
{
    char *copy = arena_strndup(l->arena, text, strlen(text));
    if (!copy)
        link_no_memory(l);
    return copy;
}

const Symbol *link_find(const Linker *l, uint32_t module, const char *name)
{
    const Symbol *own = symbols_find(&l->symbols, module, name);
    return own ? own : symbols_find(&l->symbols, SYMBOL_EXPORTED, name);
}

static void add_symbol(Linker *l, const Symbol *s)
{
    if (!symbols_add(&l->symbols, s))
        link_no_memory(l);
}

static bool is_weak(uint8_t linkage)
{
    return linkage == PTX_LINK_WEAK || linkage == PTX_LINK_COMMON;
}

/* The exported definition that a new one meets: NULL to go on and define it; *keep says that the old one
 * counts. */
static Symbol *meet_symbol(Linker *l, uint32_t module, const char *name, uint8_t linkage, int line,
                           int column, bool *keep)
{
    Symbol *old = symbols_find(&l->symbols, SYMBOL_EXPORTED, name);
    *keep = false;
    if (!old)
        return NULL;
    *keep = is_weak(linkage);
    if (!*keep && !old->weak)
        link_fail(l, STATUS_INVALID, l->modules[module], line, column, "'%s' is defined in two modules",
                  name);
    return old;
}

/* ---- functions ---- */

static uint32_t add_function(Linker *l, uint32_t module, const PtxFunction *pf)
{
    uint32_t index = (uint32_t)l->n_functions;
    IrModule *m = l->m;
    size_t n = l->n_functions;
    if (!VEC_GROW(m->functions, n, l->cap_functions) || !VEC_GROW(l->sources, n, l->cap_sources) ||
        !VEC_GROW(l->uses, n, l->cap_uses)) {
        link_no_memory(l);
        return 0;
    }
    m->functions[n] =
        (IrFunction){.name = link_text(l, pf->name), .is_entry = pf->is_entry, .is_extern = !pf->has_body};
    l->sources[n] = (FunctionSource){.module = module, .function = pf};
    l->uses[n] = (FunctionUses){0};
    l->n_functions++;
    return index;
}

static void define_function(Linker *l, uint32_t module, const PtxFunction *pf)
{
    bool local = pf->linkage == PTX_LINK_LOCAL;
    Symbol s = {.name = pf->name, .module = local ? module : SYMBOL_EXPORTED, .weak = is_weak(pf->linkage)};
    bool keep = false;
    Symbol *old = local ? NULL : meet_symbol(l, module, pf->name, pf->linkage, pf->line, pf->column, &keep);
    if (l->status || keep)
        return;
    if (old && old->kind == SYMBOL_FUNCTION) { /* a strong definition takes the weak one's place */
        old->weak = false;
        l->sources[old->index] = (FunctionSource){.module = module, .function = pf};
        l->m->functions[old->index].is_entry = pf->is_entry;
        return;
    }
    s.index = add_function(l, module, pf);
    if (!l->status && !old)
        add_symbol(l, &s);
}

static void declare_function(Linker *l, uint32_t module, const PtxFunction *pf)
{
    if (link_find(l, module, pf->name))
        return;
    Symbol s = {.name = pf->name, .module = SYMBOL_EXPORTED};
    s.index = add_function(l, module, pf);
    if (!l->status)
        add_symbol(l, &s);
}

static void link_functions(Linker *l)
{
    for (int defined = 1; defined >= 0; defined--)
        for (uint32_t i = 0; i < l->n_modules; i++)
            for (uint32_t j = 0; j < l->modules[i]->n_functions && !l->status; j++) {
                const PtxFunction *pf = l->modules[i]->functions[j];
                if (pf->has_body && defined)
                    define_function(l, i, pf);
                else if (!pf->has_body && !defined)
                    declare_function(l, i, pf);
            }
    l->m->n_functions = (uint32_t)l->n_functions;
    for (uint32_t i = 0; i < l->n_functions && !l->status; i++)
        frame_params(l, &l->m->functions[i], l->sources[i].function, l->modules[l->sources[i].module]);
}

/* ---- variables ---- */

static uint8_t global_space(uint8_t ptx_space)
{
    return ptx_space == PTX_SPACE_SHARED  ? SPACE_SHARED
           : ptx_space == PTX_SPACE_CONST ? SPACE_CONST
                                          : SPACE_GLOBAL;
}

static void fill_global(Linker *l, IrGlobal *g, const PtxVariable *v)
{
    *g = (IrGlobal){.name = link_text(l, v->name),
                    .space = global_space(v->space),
                    .managed = v->managed,
                    .bytes = v->bytes,
                    .align = v->align ? v->align : 1,
                    .type = v->type};
    g->is_dynamic_shared = v->space == PTX_SPACE_SHARED && v->unsized;
    g->is_extern = g->is_dynamic_shared;
}

uint32_t link_add_global(Linker *l, uint32_t module, const PtxVariable *v)
{
    size_t n = l->n_globals;
    if (!VEC_GROW(l->m->globals, n, l->cap_globals) || !VEC_GROW(l->variables, n, l->cap_variables)) {
        link_no_memory(l);
        return 0;
    }
    fill_global(l, &l->m->globals[n], v);
    l->variables[n] = (VariableSource){.module = module, .variable = v};
    l->m->n_globals = (uint32_t)++l->n_globals;
    return (uint32_t)n;
}

static void define_variable(Linker *l, uint32_t module, const PtxVariable *v)
{
    bool local = v->linkage == PTX_LINK_LOCAL, keep = false;
    Symbol s = {.name = v->name,
                .module = local ? module : SYMBOL_EXPORTED,
                .kind = SYMBOL_GLOBAL,
                .weak = is_weak(v->linkage)};
    Symbol *old = local ? NULL : meet_symbol(l, module, v->name, v->linkage, v->line, v->column, &keep);
    if (l->status)
        return;
    if (old && old->kind == SYMBOL_GLOBAL) {
        if (!keep) {
            old->weak = false;
            fill_global(l, &l->m->globals[old->index], v);
            l->variables[old->index] = (VariableSource){.module = module, .variable = v};
        }
        l->variable_global[module][v->index] = old->index;
        return;
    }
    s.index = link_add_global(l, module, v);
    l->variable_global[module][v->index] = s.index;
    if (!l->status && !old)
        add_symbol(l, &s);
}

static void declare_variable(Linker *l, uint32_t module, const PtxVariable *v)
{
    const Symbol *found = link_find(l, module, v->name);
    if (found && found->kind == SYMBOL_GLOBAL) {
        l->variable_global[module][v->index] = found->index;
        return;
    }
    if (v->space != PTX_SPACE_SHARED || !v->unsized) {
        link_fail(l, STATUS_INVALID, l->modules[module], v->line, v->column,
                  "variable '%s' is not defined in any module", v->name);
        return;
    }
    Symbol s = {.name = v->name, .module = SYMBOL_EXPORTED, .kind = SYMBOL_GLOBAL};
    s.index = link_add_global(l, module, v);
    l->variable_global[module][v->index] = s.index;
    if (!l->status)
        add_symbol(l, &s);
}

static void link_variables(Linker *l)
{
    for (uint32_t i = 0; i < l->n_modules && !l->status; i++)
        l->variable_global[i] = calloc(l->modules[i]->n_variables + 1, sizeof **l->variable_global);
    for (uint32_t i = 0; i < l->n_modules; i++)
        if (!l->variable_global[i])
            link_no_memory(l);
    for (int defined = 1; defined >= 0; defined--)
        for (uint32_t i = 0; i < l->n_modules; i++)
            for (uint32_t j = 0; j < l->modules[i]->n_variables && !l->status; j++) {
                const PtxVariable *v = l->modules[i]->variables[j];
                if ((v->linkage != PTX_LINK_EXTERN) == defined)
                    (defined ? define_variable : declare_variable)(l, i, v);
            }
}

/* ---- initialisers ---- */

static void resolve_reloc(Linker *l, const VariableSource *s, const PtxReloc *from, IrReloc *to)
{
    const Symbol *symbol = link_find(l, s->module, from->name);
    if (!symbol) {
        link_fail(l, STATUS_INVALID, l->modules[s->module], from->line, from->column,
                  "symbol '%s' is not defined", from->name);
        return;
    }
    *to = (IrReloc){.off = (uint32_t)from->offset,
                    .bytes = from->bytes,
                    .is_function = symbol->kind == SYMBOL_FUNCTION,
                    .symbol = symbol->index,
                    .addend = from->addend,
                    .shift = from->shift};
    if (to->is_function)
        l->uses[symbol->index].address_taken = true;
}

void link_initialisers(Linker *l)
{
    for (uint32_t i = 0; i < l->n_globals && !l->status; i++) {
        IrGlobal *g = &l->m->globals[i];
        const VariableSource *s = &l->variables[i];
        const PtxVariable *v = s->variable;
        if (v->init_bytes) {
            g->init = link_alloc(l, v->init_bytes, 1);
            g->init_bytes = (uint32_t)v->init_bytes;
            if (g->init)
                memcpy(g->init, v->init, v->init_bytes);
        }
        if (v->n_relocs)
            g->relocs = link_alloc(l, v->n_relocs, sizeof *g->relocs);
        for (uint32_t j = 0; j < v->n_relocs && !l->status; j++)
            resolve_reloc(l, s, &v->relocs[j], &g->relocs[j]);
        g->n_relocs = l->status ? 0 : v->n_relocs;
    }
}

/* ---- files ---- */

static void link_files(Linker *l)
{
    uint32_t n = 1;
    for (size_t i = 0; i < l->n_modules; i++) {
        l->file_base[i] = n;
        n += l->modules[i]->n_files;
    }
    l->m->files = link_alloc(l, n, sizeof *l->m->files);
    if (l->status)
        return;
    l->m->files[0] = "";
    l->m->n_files = n;
    for (size_t i = 0; i < l->n_modules; i++)
        for (uint32_t j = 0; j < l->modules[i]->n_files && !l->status; j++) {
            const char *name = l->modules[i]->files[j];
            l->m->files[l->file_base[i] + j] = name ? link_text(l, name) : "";
        }
}

void link_symbols(Linker *l)
{
    link_files(l);
    if (!l->status)
        link_functions(l);
    if (!l->status)
        link_variables(l);
}
