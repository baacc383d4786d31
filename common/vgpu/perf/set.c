/* The set: what a launch begins with, and what is known when it has ended. Each worker has counted for
 * itself.
 *
 * The card's memory (dram_*_bytes) is modelled behind a second-level cache that keeps all that the launch
 * touches as long as it is no larger than the cache: each different sector then moves once. When the launch
 * touches more, that share of the first level's misses which the cache cannot hold moves too:
 *
 *      moved = different + (misses - different) * (footprint - cache) / footprint        (sectors)
 */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 256,
    TOUCH_IDLE_MAX = 4, /* launches after which the marks of an allocation that none touched are let go */
};

/* ---- launches ---- */

static void on_launch_begin(void *self, const ExecLaunch *launch)
{
    PerfSet *set = self;
    set->launch = launch;
    memset(&set->last, 0, sizeof set->last);
    waits_free(set->waits); /* other functions may lie where those of an unloaded module lay */
    set->waits = NULL;
    for (unsigned w = 0; w < set->n_workers; w++) {
        set->workers[w] = (PerfWorker){0};
        if (set->turns[w].any)
            memset(&set->turns[w], 0, sizeof set->turns[w]);
    }
    if (set->lines)
        lines_begin(set->lines);
}

/* Sectors that move between the second level and the card's memory. */
static uint64_t moved_sectors(uint64_t different, uint64_t asked, uint64_t footprint, uint64_t cache)
{
    if (footprint <= cache || asked <= different)
        return different;
    return different +
           (uint64_t)((double)(asked - different) * ((double)(footprint - cache) / (double)footprint));
}

static void sum_touched(PerfSet *set)
{
    TouchSums s = {0};
    for (unsigned w = 0; w < set->n_workers; w++)
        touch_flush(set->workers[w].runs, false);
    for (int i = 0; i < TOUCH_BUCKETS; i++) {
        for (Touched **at = &set->touched[i], *t; (t = *at);) {
            t->idle = t->low < t->high ? 0 : t->idle + 1;
            if (set->watch)
                touch_tell(t, set->watch, set->watch_self);
            touch_sum(t, t->constant ? &(TouchSums){0} : &s); /* constants have a cache of their own */
            if (t->idle <= TOUCH_IDLE_MAX) {
                at = &t->next;
                continue;
            }
            *at = t->next;
            touch_free(t);
        }
    }
    uint64_t *v = set->last.v, footprint = s.load_sectors + s.store_sectors,
             cache = set->model->l2_bytes / SECTOR_BYTES;
    v[PERF_UNIQUE_LOAD_BYTES] = s.load_bytes;
    v[PERF_UNIQUE_STORE_BYTES] = s.store_bytes;
    v[PERF_DRAM_READ_BYTES] =
        SECTOR_BYTES * moved_sectors(s.load_sectors, v[PERF_L2_READ_SECTORS], footprint, cache);
    v[PERF_DRAM_WRITE_BYTES] =
        SECTOR_BYTES * moved_sectors(s.store_sectors, v[PERF_L2_WRITE_SECTORS], footprint, cache);
}

static void on_launch_end(void *self, const ExecLaunch *launch)
{
    PerfSet *set = self;
    for (unsigned w = 0; w < set->n_workers; w++) {
        perf_counters_add(&set->last, &set->workers[w].c);
        if (w > 0)
            turns_merge(&set->turns[0], &set->turns[w]);
    }
    set->last.v[PERF_LAUNCHES] = 1;
    set->last.v[PERF_ATOMIC_TURNS] = turns_most(&set->turns[0]);
    sum_touched(set);
    if (set->lines)
        lines_end(set->lines, launch->instance->module);
    perf_counters_add(&set->totals, &set->last);
    set->launch = NULL;
}

/* ---- the set ---- */

Status perf_create(const PerfModel *model, unsigned jobs, PerfSet **out)
{
    jobs = jobs ? jobs : 1;
    if (jobs > WORKERS_MAX)
        return STATUS_LIMIT;
    PerfSet *set = calloc(1, sizeof *set);
    PerfWorker *workers = calloc(jobs, sizeof *workers);
    Turns *turns = calloc(jobs, sizeof *turns);
    WideTable *wide = calloc(jobs, sizeof *wide);
    if (!set || !workers || !turns || !wide) {
        free(set);
        free(wide);
        free(workers);
        free(turns);
        return STATUS_NO_MEMORY;
    }
    pthread_mutex_init(&set->lock, NULL);
    set->model = model;
    set->workers = workers;
    set->turns = turns;
    set->n_workers = jobs;
    set->wide = wide;
    set->observer = (ExecObserver){.self = set, .launch_begin = on_launch_begin, .launch_end = on_launch_end};
    count_events(&set->observer, false);
    *out = set;
    return STATUS_OK;
}

void perf_destroy(PerfSet *set)
{
    if (!set)
        return;
    count_free_blocks(set);
    for (int i = 0; i < TOUCH_BUCKETS; i++)
        for (Touched *t = set->touched[i], *next; t; t = next) {
            next = t->next;
            touch_free(t);
        }
    pthread_mutex_destroy(&set->lock);
    waits_free(set->waits);
    lines_free(set->lines);
    for (unsigned w = 0; w < set->n_workers; w++)
        wide_free(&set->wide[w]);
    free(set->wide);
    free(set->turns);
    free(set->workers);
    free(set);
}

const ExecObserver *perf_observer(const PerfSet *set)
{
    return &set->observer;
}

void perf_watch(PerfSet *set, PerfTouchFn *fn, void *self)
{
    set->watch = fn;
    set->watch_self = self;
}

const PerfCounters *perf_last(const PerfSet *set)
{
    return &set->last;
}

const PerfCounters *perf_totals(const PerfSet *set)
{
    return &set->totals;
}

bool perf_keep_lines(PerfSet *set)
{
    if (!set->lines)
        set->lines = lines_new(set->n_workers);
    count_events(&set->observer, set->lines != NULL);
    return set->lines != NULL;
}

const PerfLine *perf_lines(const PerfSet *set, size_t *n)
{
    *n = 0;
    return set->lines ? lines_of(set->lines, n) : NULL;
}
