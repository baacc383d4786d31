/* The modelled first-level cache: 128-byte lines of four sectors, four ways, the oldest way replaced. Each
 * block starts with an empty one of its own, so that what a block finds there does not depend on the order of
 * blocks. Stores write through and change nothing. */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>

bool cache_create(Cache *c, uint32_t bytes)
{
    unsigned n = 1;
    while (n * 2 * CACHE_WAYS * LINE_BYTES <= bytes)
        n *= 2;
    c->n_sets = n;
    c->generation = 0;
    c->sets = calloc(n, sizeof *c->sets);
    return c->sets != NULL;
}

void cache_free(Cache *c)
{
    free(c->sets);
    c->sets = NULL;
}

void cache_clear(Cache *c)
{
    c->generation++;
}

/* Warps in the same wait that want the same sectors one after the other: what the first one brought is there
 * for the next, and as late as for the first. */
static bool repeats(const WideLine *l, const uint32_t *more)
{
    return l->line == l[-1].line && l->sectors == l[-1].sectors && more[l->warp] == more[l[-1].warp];
}

unsigned cache_load_wide(Cache *c, uint64_t line, const WideCost *s, uint32_t wait, const uint32_t *more,
                         uint32_t *late)
{
    unsigned hits = 0;
    uint32_t all = 0;
    bool is_late = false;
    for (const WideLine *l = s->line, *end = l + s->n_lines; l < end; l++) {
        if (l > s->line && repeats(l, more)) {
            hits += sectors_count(l->sectors);
        } else {
            is_late = false;
            hits +=
                cache_load(c, line + (uint64_t)(int64_t)l->line, l->sectors, wait + more[l->warp], &is_late);
        }
        all |= (uint32_t)is_late << l->warp;
    }
    *late = all;
    return hits;
}
