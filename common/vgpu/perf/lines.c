/* Counters by line of the source. Counted by instruction, in tables of each worker; when the launch ends the
 * instructions of one line are added up. An inlined function's lines count where they stand, those of the
 * toolkit's headers where they were used (ir_place). */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct CodeLines {
    const IrFunction *function;
    struct CodeLines *next;
    uint64_t v[][PERF_N_LINE_COUNTERS]; /* [pc] */
} CodeLines;

struct Lines {
    unsigned n_workers;
    CodeLines **of_worker; /* of the launch that runs */
    PerfLine *lines;       /* of the launch that ended */
    size_t n, cap;
};

static const char *const names[PERF_N_LINE_COUNTERS] = {
#define X(NAME, name, delta) [PERF_LINE_##NAME] = name,
#include "common/vgpu/perf/lines.def"
#undef X
};

const char *perf_line_name(PerfLineCounter c)
{
    return names[c];
}

Lines *lines_new(unsigned n_workers)
{
    Lines *l = calloc(1, sizeof *l);
    if (!l || !(l->of_worker = calloc(n_workers, sizeof *l->of_worker))) {
        free(l);
        return NULL;
    }
    l->n_workers = n_workers;
    return l;
}

void lines_begin(Lines *l)
{
    for (unsigned w = 0; w < l->n_workers; w++)
        while (l->of_worker[w]) {
            CodeLines *next = l->of_worker[w]->next;
            free(l->of_worker[w]);
            l->of_worker[w] = next;
        }
    l->n = 0;
}

void lines_free(Lines *l)
{
    if (!l)
        return;
    lines_begin(l);
    free(l->of_worker);
    free(l->lines);
    free(l);
}

/* The function that ran last stands first. NULL: no memory. */
static CodeLines *code_of(Lines *l, unsigned worker, const IrFunction *f)
{
    CodeLines **first = &l->of_worker[worker], **at = first;
    while (*at && (*at)->function != f)
        at = &(*at)->next;
    CodeLines *c = *at;
    if (c)
        *at = c->next;
    else if (!(c = calloc(1, sizeof *c + f->n_insts * sizeof c->v[0])))
        return NULL;
    c->function = f;
    c->next = *first;
    return *first = c;
}

void lines_add_access(Lines *l, const ExecWho *who, unsigned worker, const PerfCounters *before,
                      const PerfCounters *after)
{
    CodeLines *c = who->inst ? code_of(l, worker, who->function) : NULL;
    if (!c)
        return;
    uint64_t *v = c->v[who->inst - who->function->insts];
#define D(COUNTER)           (after->v[PERF_##COUNTER] - before->v[PERF_##COUNTER])
#define X(NAME, name, delta) v[PERF_LINE_##NAME] += delta;
#include "common/vgpu/perf/lines.def"
#undef X
#undef D
}

void lines_add_code(Lines *l, unsigned worker, const IrFunction *f, const ExecInstCount *counts)
{
    CodeLines *c = code_of(l, worker, f);
    for (uint32_t pc = 0; c && pc < f->n_insts; pc++) {
        c->v[pc][PERF_LINE_INSTRUCTIONS] += counts[pc].warp_insts;
        c->v[pc][PERF_LINE_THREAD_INSTRUCTIONS] += counts[pc].thread_insts;
        c->v[pc][PERF_LINE_DIVERGENT_BRANCHES] += counts[pc].divergent;
    }
}

/* ---- lines out of instructions ---- */

static bool add_place(Lines *l, const char *file, uint32_t line, const uint64_t *v)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        PerfLine *bigger = realloc(l->lines, cap * sizeof *bigger);
        if (!bigger)
            return false;
        l->lines = bigger;
        l->cap = cap;
    }
    PerfLine *to = &l->lines[l->n++];
    *to = (PerfLine){.file = file, .line = line};
    memcpy(to->v, v, sizeof to->v);
    return true;
}

static int by_place(const void *a, const void *b)
{
    const PerfLine *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* Neighbours of one place become one. */
static void fold(Lines *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (n == 0 || by_place(&l->lines[n - 1], &l->lines[i]) != 0) {
            l->lines[n++] = l->lines[i];
            continue;
        }
        for (int k = 0; k < PERF_N_LINE_COUNTERS; k++)
            l->lines[n - 1].v[k] += l->lines[i].v[k];
    }
    l->n = n;
}

void lines_end(Lines *l, const IrModule *m)
{
    for (unsigned w = 0; w < l->n_workers; w++)
        for (const CodeLines *c = l->of_worker[w]; c; c = c->next)
            for (uint32_t pc = 0; pc < c->function->n_insts; pc++) {
                const IrLoc *at = ir_place(m, c->function, pc);
                if (at && c->v[pc][PERF_LINE_INSTRUCTIONS] &&
                    !add_place(l, m->files[at->file], at->line, c->v[pc]))
                    return;
            }
    if (l->n)
        qsort(l->lines, l->n, sizeof *l->lines, by_place);
    fold(l);
}

const PerfLine *lines_of(const Lines *l, size_t *n)
{
    *n = l->n;
    return l->lines;
}
