/* Shared memory: one offset for each variable, such that the variables of one kernel never overlap and those
 * of different kernels may; dynamic shared memory follows a kernel's static variables.
 *
 *      kernel A   | a1 | a2    | common | dynamic...
 *      kernel B   | b1      |  | common | dynamic...
 *
 * A kernel's variables are those of all functions it may call; through a function pointer it may call each
 * function whose address is taken. Code of a device function is one for all kernels that call it: if it names
 * the dynamic array, these kernels must agree on where it starts, and the smaller ones are padded.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>

/* Steps of walks over the call graph, all kernels together. */
enum { CALL_GRAPH_STEPS_MAX = 1 << 27, DYNAMIC_ALIGN = 16 };

typedef struct Layout {
    Linker *l;
    IrModule *m;
    uint32_t *variable; /* [shared variable]: global */
    uint32_t *number;   /* [global]: its number among shared variables + 1 */
    uint32_t n_variables;
    uint32_t *entry; /* [kernel]: function */
    uint32_t n_entries;
    size_t words;    /* of a set of kernels */
    uint64_t *users; /* [variable][word] */
    uint64_t *end;   /* [variable]: offset past it */
    uint64_t *base;  /* [kernel]: where its dynamic memory starts */
    uint32_t *group; /* [kernel]: union-find of kernels that must agree */
    uint32_t *owner; /* [function]: a kernel + 1 that reaches its use of dynamic memory */
    uint32_t *seen;  /* [function]: last kernel that reached it, + 1 */
    uint32_t *stack;
    uint32_t *pointed; /* functions whose address is taken */
    uint32_t n_pointed;
    uint64_t steps;
} Layout;

static bool layout_allocate(Layout *x)
{
    size_t nf = x->l->n_functions + 1, ng = x->l->n_globals + 1;
    x->variable = calloc(ng, sizeof *x->variable);
    x->number = calloc(ng, sizeof *x->number);
    x->end = calloc(ng, sizeof *x->end);
    x->entry = calloc(nf, sizeof *x->entry);
    x->base = calloc(nf, sizeof *x->base);
    x->group = calloc(nf, sizeof *x->group);
    x->owner = calloc(nf, sizeof *x->owner);
    x->seen = calloc(nf, sizeof *x->seen);
    x->stack = calloc(nf, sizeof *x->stack);
    x->pointed = calloc(nf, sizeof *x->pointed);
    return x->variable && x->number && x->end && x->entry && x->base && x->group && x->owner && x->seen &&
           x->stack && x->pointed;
}

static void layout_free(Layout *x)
{
    free(x->variable);
    free(x->number);
    free(x->end);
    free(x->entry);
    free(x->users);
    free(x->base);
    free(x->group);
    free(x->owner);
    free(x->seen);
    free(x->stack);
    free(x->pointed);
}

static bool collect_shared_variables(Layout *x)
{
    for (uint32_t i = 0; i < x->l->n_globals; i++)
        if (x->m->globals[i].space == SPACE_SHARED) {
            x->number[i] = x->n_variables + 1;
            x->variable[x->n_variables++] = i;
        }
    for (uint32_t i = 0; i < x->l->n_functions; i++) {
        if (x->m->functions[i].is_entry && !x->m->functions[i].is_extern)
            x->entry[x->n_entries++] = i;
        if (x->l->uses[i].address_taken)
            x->pointed[x->n_pointed++] = i;
    }
    if (x->n_variables > IR_SHARED_VARIABLES_MAX) {
        link_fail(x->l, STATUS_LIMIT, NULL, 0, 0, "more than %d shared variables", IR_SHARED_VARIABLES_MAX);
        return false;
    }
    x->words = ((size_t)x->n_entries + 63) / 64;
    x->users = calloc(x->words * x->n_variables + 1, sizeof *x->users);
    for (uint32_t k = 0; k < x->n_entries; k++)
        x->group[k] = k;
    return x->users != NULL;
}

/* ---- which kernel uses what ---- */

static uint32_t find_group(Layout *x, uint32_t k)
{
    while (x->group[k] != k) {
        x->group[k] = x->group[x->group[k]];
        k = x->group[k];
    }
    return k;
}

static void use_dynamic(Layout *x, uint32_t kernel, uint32_t function)
{
    x->m->functions[x->entry[kernel]].uses_dynamic_shared = true;
    if (x->m->functions[function].is_entry)
        return;
    if (x->owner[function])
        x->group[find_group(x, kernel)] = find_group(x, x->owner[function] - 1);
    else
        x->owner[function] = kernel + 1;
}

static void take_uses(Layout *x, uint32_t kernel, uint32_t function)
{
    const FunctionUses *u = &x->l->uses[function];
    IrFunction *f = &x->m->functions[x->entry[kernel]];
    f->uses_grid_sync = f->uses_grid_sync || u->grid_sync;
    for (size_t i = 0; i < u->n_shared; i++) {
        uint32_t v = x->number[u->shared[i]] - 1;
        if (x->m->globals[u->shared[i]].is_dynamic_shared)
            use_dynamic(x, kernel, function);
        else
            x->users[v * x->words + kernel / 64] |= UINT64_C(1) << kernel % 64;
    }
    x->steps += u->n_shared;
}

static uint32_t push_new(Layout *x, uint32_t kernel, uint32_t function, uint32_t n)
{
    x->steps++;
    if (x->seen[function] != kernel + 1) {
        x->seen[function] = kernel + 1;
        x->stack[n++] = function;
    }
    return n;
}

static void walk_calls(Layout *x, uint32_t kernel)
{
    uint32_t n = push_new(x, kernel, x->entry[kernel], 0);
    bool indirect = false;
    while (n > 0 && x->steps < CALL_GRAPH_STEPS_MAX) {
        uint32_t function = x->stack[--n];
        const FunctionUses *u = &x->l->uses[function];
        take_uses(x, kernel, function);
        for (size_t i = 0; i < u->n_callees; i++)
            n = push_new(x, kernel, u->callees[i], n);
        for (uint32_t i = 0; u->calls_indirectly && !indirect && i < x->n_pointed; i++)
            n = push_new(x, kernel, x->pointed[i], n);
        indirect = indirect || u->calls_indirectly;
    }
    if (x->steps >= CALL_GRAPH_STEPS_MAX)
        link_fail(x->l, STATUS_LIMIT, NULL, 0, 0, "the call graph is too large");
}

/* ---- offsets ---- */

static bool share_user(const Layout *x, uint32_t a, uint32_t b)
{
    for (size_t w = 0; w < x->words; w++)
        if (x->users[a * x->words + w] & x->users[b * x->words + w])
            return true;
    return false;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Each variable goes past all earlier ones that some kernel uses beside it. */
static void place_static(Layout *x)
{
    for (uint32_t v = 0; v < x->n_variables && !x->l->status; v++) {
        IrGlobal *g = &x->m->globals[x->variable[v]];
        uint64_t at = 0;
        for (uint32_t other = 0; other < v; other++)
            if (x->end[other] > at && share_user(x, v, other))
                at = x->end[other];
        at = align_up(at, g->align);
        if (g->bytes > IR_SHARED_BYTES_MAX || at + g->bytes > IR_SHARED_BYTES_MAX)
            link_fail(x->l, STATUS_LIMIT, NULL, 0, 0, "more than %d bytes of shared memory with '%s'",
                      IR_SHARED_BYTES_MAX, g->name);
        g->shared_offset = (uint32_t)at;
        x->end[v] = at + g->bytes;
    }
}

static uint64_t dynamic_align(const Layout *x)
{
    uint64_t align = DYNAMIC_ALIGN;
    for (uint32_t v = 0; v < x->n_variables; v++) {
        const IrGlobal *g = &x->m->globals[x->variable[v]];
        if (g->is_dynamic_shared && g->align > align)
            align = g->align;
    }
    return align;
}

static void size_entries(Layout *x)
{
    uint64_t align = dynamic_align(x);
    for (uint32_t v = 0; v < x->n_variables; v++)
        for (uint32_t k = 0; k < x->n_entries; k++)
            if ((x->users[v * x->words + k / 64] >> k % 64 & 1) && x->end[v] > x->base[k])
                x->base[k] = x->end[v];
    for (uint32_t k = 0; k < x->n_entries; k++)
        x->m->functions[x->entry[k]].static_shared_bytes = (uint32_t)x->base[k];
    for (uint32_t k = 0; k < x->n_entries; k++) {
        uint32_t g = find_group(x, k);
        if (x->m->functions[x->entry[k]].uses_dynamic_shared && align_up(x->base[k], align) > x->base[g])
            x->base[g] = align_up(x->base[k], align);
    }
    for (uint32_t k = 0; k < x->n_entries; k++) {
        IrFunction *f = &x->m->functions[x->entry[k]];
        if (f->uses_dynamic_shared)
            f->static_shared_bytes = (uint32_t)align_up(x->base[find_group(x, k)], align);
    }
}

/* Where dynamic memory starts for the code of a function. */
static uint64_t dynamic_start(Layout *x, uint32_t function)
{
    const IrFunction *f = &x->m->functions[function];
    if (f->is_entry)
        return f->static_shared_bytes;
    return x->owner[function] ? x->m->functions[x->entry[x->owner[function] - 1]].static_shared_bytes : 0;
}

static void fill_pools(Layout *x)
{
    for (size_t i = 0; i < x->l->n_shared_refs; i++) {
        const SharedRef *r = &x->l->shared_refs[i];
        const IrGlobal *g = &x->m->globals[r->global];
        uint64_t at = g->is_dynamic_shared ? dynamic_start(x, r->function) : g->shared_offset;
        pool_put(x->m->functions[r->function].pool, r->off, r->bytes, at + (uint64_t)r->addend);
    }
}

void link_shared(Linker *l)
{
    Layout x = {.l = l, .m = l->m};
    if (layout_allocate(&x) && collect_shared_variables(&x)) {
        for (uint32_t k = 0; k < x.n_entries && !l->status; k++)
            walk_calls(&x, k);
        place_static(&x);
        size_entries(&x);
        if (!l->status)
            fill_pools(&x);
    } else if (!l->status) {
        link_no_memory(l);
    }
    layout_free(&x);
}
