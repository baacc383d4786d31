/* Findings and their steps: where in the film the thread does what the finding says, and the other party of a race. */
#include "common/vgpu/film/film_internal.h"

#include <string.h>

typedef struct Party {
    const uint32_t *block, *thread;
    uint32_t line; /* 0: unknown */
    bool has_address;
    uint64_t address;
    const char *access; /* "read", "write", "atomic"; "" or NULL: unknown */
} Party;

/* How well a step fits. */
enum { NOT_AT_ALL, THE_LINE, THE_ADDRESS, THE_ACCESS, A_FAULT };

static bool touches(const FilmStep *s, int lane, uint64_t address)
{
    const FilmRun *r = film_runs(s);
    uint32_t nth = (uint32_t)__builtin_popcount(s->mask & ((1u << lane) - 1));
    for (uint8_t i = 0; i < s->n_runs; i++) {
        if (nth < r[i].n)
            return address - (r[i].base + (uint64_t)r[i].stride * nth) < (s->access_bytes ? s->access_bytes : 1u);
        nth -= r[i].n;
    }
    return false;
}

static bool is_access(const FilmStep *s, const char *access)
{
    const char *kind = s->kind == ACCESS_LOAD ? "read" : s->kind == ACCESS_STORE ? "write" : "atomic";
    return access && strcmp(access, kind) == 0;
}

static int fits(const Film *f, const FilmStep *s, const Party *p)
{
    uint32_t linear = p->thread[0] + f->block[0] * (p->thread[1] + f->block[1] * p->thread[2]), lane = linear % WARP_LANES;
    const IrLoc *place = f->codes[s->code].place[s->pc];
    if (s->warp != linear / WARP_LANES || !((s->mask | (s->event == FILM_CODE ? s->active : 0)) >> lane & 1) ||
        (p->line && (!place || place->line != p->line)))
        return NOT_AT_ALL;
    if (s->event == FILM_FAULT)
        return A_FAULT;
    if (s->event != FILM_ACCESS || !p->has_address || !touches(s, (int)lane, p->address))
        return THE_LINE;
    return is_access(s, p->access) ? THE_ACCESS : THE_ADDRESS;
}

/* The first of those that fit best; *fit: how well. */
static int64_t find_step(const Film *f, const FilmBlock *b, const Party *p, int *fit_out)
{
    int best = NOT_AT_ALL;
    int64_t at_best = -1, index = 0;
    for (size_t at = 0; at < b->n_bytes; at += film_step_at(b, at)->bytes, index++) {
        int fit = fits(f, film_step_at(b, at), p);
        if (fit > best) {
            best = fit;
            at_best = index;
        }
    }
    *fit_out = best;
    return at_best;
}

/* The first two moments between which no barrier stands: the same lines may meet in order, too. Where there are none such, each party's first. */
static void find_pair(const Film *f, const FilmBlock *b, const Party *mine, const Party *theirs, FilmMoment *m)
{
    int fit, other_fit;
    int64_t step = -1, other = -1, index = 0;
    m->step = find_step(f, b, mine, &fit);
    m->other = find_step(f, b, theirs, &other_fit);
    for (size_t at = 0; m->step >= 0 && m->other >= 0 && at < b->n_bytes; at += film_step_at(b, at)->bytes, index++) {
        const FilmStep *s = film_step_at(b, at);
        if (s->event == FILM_BARRIER)
            step = other = -1;
        step = fits(f, s, mine) == fit ? index : step;
        other = fits(f, s, theirs) == other_fit ? index : other;
        if (step >= 0 && other >= 0) {
            m->step = step;
            m->other = other;
            return;
        }
    }
}

static int shown_block(FilmBlock *const *blocks, size_t n, const uint32_t index[3])
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(blocks[i]->index, index, sizeof blocks[i]->index) == 0)
            return (int)i;
    return -1;
}

FilmMoment film_find(const Film *f, FilmBlock *const *blocks, size_t n, const Finding *finding)
{
    FilmMoment m = {-1, -1, -1};
    if (!finding->has_thread || (m.block = shown_block(blocks, n, finding->block)) < 0)
        return m;
    int fit;
    const Party mine = {finding->block, finding->thread, finding->place.line, finding->has_address, finding->address, finding->access};
    const Party theirs = {finding->block, finding->other_thread, finding->other.line, finding->has_address, finding->address, finding->other_access};
    if (finding->has_other_thread && memcmp(finding->block, finding->other_block, sizeof finding->block) == 0)
        find_pair(f, blocks[m.block], &mine, &theirs, &m);
    else
        m.step = find_step(f, blocks[m.block], &mine, &fit);
    return m;
}
