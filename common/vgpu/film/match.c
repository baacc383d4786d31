/* Findings and their steps: where in the film the thread does what the finding says, and the other party of a race. */
#include "common/vgpu/film/film_internal.h"

#include <string.h>

typedef struct Party {
    const uint32_t *block, *thread;
    uint32_t line; /* 0: unknown */
    bool has_address;
    uint64_t address;
} Party;

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

/* How well a step fits: 0 not at all; the line alone; the line and the address, or a fault there. */
static int fits(const Film *f, const FilmStep *s, const Party *p)
{
    uint32_t linear = p->thread[0] + f->block[0] * (p->thread[1] + f->block[1] * p->thread[2]), lane = linear % WARP_LANES;
    const IrLoc *place = f->codes[s->code].place[s->pc];
    if (s->warp != linear / WARP_LANES || !((s->mask | (s->event == FILM_CODE ? s->active : 0)) >> lane & 1) ||
        (p->line && (!place || place->line != p->line)))
        return 0;
    if (s->event == FILM_FAULT)
        return 3;
    return s->event == FILM_ACCESS && p->has_address && touches(s, (int)lane, p->address) ? 2 : 1;
}

static int64_t find_step(const Film *f, const FilmBlock *b, const Party *p)
{
    int best = 0;
    int64_t at_best = -1, index = 0;
    for (size_t at = 0; at < b->n_bytes; at += film_step_at(b, at)->bytes, index++) {
        int fit = fits(f, film_step_at(b, at), p);
        if (fit > best) {
            best = fit;
            at_best = index;
        }
    }
    return at_best;
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
    Party party = {finding->block, finding->thread, finding->place.line, finding->has_address, finding->address};
    m.step = find_step(f, blocks[m.block], &party);
    if (finding->has_other_thread && memcmp(finding->block, finding->other_block, sizeof finding->block) == 0) {
        party.thread = finding->other_thread;
        party.line = finding->other.line;
        m.other = find_step(f, blocks[m.block], &party);
    }
    return m;
}
