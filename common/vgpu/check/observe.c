/* The observer: finds the block and the worker of an event, and passes it to the checkers that are on.
 *
 * A block that waits for another may be put aside and go on later, on any worker: block.c finds it.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

static bool number_places(CheckSet *set, const IrModule *m)
{
    size_t n = (size_t)m->n_functions + 1;
    if (n > set->place_cap) {
        Place *bigger = realloc(set->place_base, n * sizeof *bigger);
        if (!bigger)
            return false;
        set->place_base = bigger;
        set->place_cap = n;
    }
    Place at = 0;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        set->place_base[i] = at;
        at += m->functions[i].n_insts;
    }
    set->place_base[m->n_functions] = at;
    return true;
}

/* What was noted of the launch before is over. */
static void forget_launch(CheckSet *set)
{
    set->launch_number++;
    for (unsigned w = 0; w < set->n_workers; w++) {
        pool_reset(&set->workers[w].pool);
        set->workers[w].maker = (RecordMaker){0};
        memset(set->workers[w].guesses, 0, sizeof set->workers[w].guesses);
        memset(set->workers[w].solid, 0, sizeof set->workers[w].solid);
        set->workers[w].wide = (WideWorker){0};
    }
    record_store_reset(&set->records);
    order_launch_reset(set->order);
    undefined_forget_launch(set);
    set->n_grids = set->n_spawns = 0;
}

static bool add_grid(CheckSet *set, const ExecLaunch *l)
{
    if (!VEC_GROW(set->grids, set->n_grids, set->cap_grids))
        return false;
    set->grids[set->n_grids++] = (CheckGrid){.first_block = l->first_block,
                                             .number = l->family_grid,
                                             .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                             .block = {l->block[0], l->block[1], l->block[2]},
                                             .function = l->function};
    return true;
}

/* A grid that a kernel launched goes on where the rest of its family was: what it does is compared with
 * theirs. */
static void check_on_launch_begin(void *self, const ExecLaunch *launch)
{
    CheckSet *set = self;
    set->n_launches++; /* blocks that a fault cut short are not open any more */
    if (launch->family_grid == 0)
        forget_launch(set);
    set->launch = number_places(set, launch->instance->module) && add_grid(set, launch) ? launch : NULL;
    for (unsigned w = 0; w < set->n_workers; w++) {
        set->workers[w].has_block = false;
        set->workers[w].limited = false;
    }
    set->before = (VectorClock){0};
    if (launch->family_grid > 0 && launch->family_grid <= set->n_spawns)
        set->before =
            order_after(set, set->spawns[launch->family_grid - 1].before, launch->after, launch->n_after);
}

static bool event_of(CheckSet *set, const ExecWho *who, CheckEvent *e);

/* Numbers are given at the launch, in whatever order; those in between are launches that never came. */
static void check_on_spawn(void *self, const ExecWho *who, uint32_t lane, uint32_t grid)
{
    CheckSet *set = self;
    CheckEvent e;
    if (!event_of(set, who, &e) || grid == 0)
        return;
    pthread_mutex_lock(&set->lock);
    while (set->n_spawns < grid && VEC_GROW(set->spawns, set->n_spawns, set->cap_spawns))
        set->spawns[set->n_spawns++] = (CheckSpawn){.place = NO_PLACE};
    pthread_mutex_unlock(&set->lock);
    if (set->n_spawns < grid)
        return;
    set->spawns[grid - 1] =
        (CheckSpawn){.place = check_place(set, who),
                     .launcher = (uint32_t)set->n_grids - 1,
                     .before = check_has(set, CHECK_RACE) ? order_spawn(&e, lane) : (VectorClock){0}};
}

static void check_on_launch_end(void *self, const ExecLaunch *launch)
{
    CheckSet *set = self;
    (void)launch;
    if (set->launch)
        check_merge(set);
    set->launch = NULL;
}

/* ---- blocks ---- */

/* False when the event cannot be followed: the host ran out of memory before. */
static bool event_of(CheckSet *set, const ExecWho *who, CheckEvent *e)
{
    if (!set->launch || who->worker >= set->n_workers)
        return false;
    CheckWorker *w = &set->workers[who->worker];
    if (!w->has_block || w->block_linear != who->block_linear) {
        w->block = block_find(set, who);
        w->block_linear = who->block_linear;
        w->has_block = w->block != NULL;
    }
    *e = (CheckEvent){.set = set, .worker = w, .block = w->block, .who = who};
    return w->has_block;
}

static void check_on_block_begin(void *self, const ExecWho *who, uint32_t shared_bytes)
{
    CheckSet *set = self;
    CheckBlock *b = set->launch ? block_take(set, who) : NULL;
    if (!b)
        return;
    if (!race_prepare_block(b, shared_bytes)) {
        b->opened = 0;
        return;
    }
    b->n_threads = who->block_dim[0] * who->block_dim[1] * who->block_dim[2];
    b->shared_bytes = shared_bytes;
    b->interval = 0;
    b->order = NULL;
    b->learnt_mark = 0;
    order_block_begin(set, b, set->before);
    race_forget_block(b);
    wide_forget_block(b);
    b->wide.known_from = b->wide.known_to = 0;
    if (check_has(set, CHECK_INIT) && shared_bytes)
        memset(b->shared_init, 0, (shared_bytes + 7) / 8);
    if (check_has(set, CHECK_INIT))
        local_begin_block(set, b);
    undefined_begin_block(b);
}

static void check_on_block_end(void *self, const ExecWho *who)
{
    CheckSet *set = self;
    CheckBlock *b = block_find(set, who);
    if (who->worker < set->n_workers)
        set->workers[who->worker].has_block = false;
    if (b)
        b->opened = 0;
}

/* ---- events ---- */

static void observe_segments(const CheckEvent *e, const ExecAccess *a, SegmentList *segments)
{
    if (a->space == SPACE_SHARED) {
        wide_settle_shared(e, a, segments);
        quick_observe(e, a, segments);
    }
    if (!segments->n)
        return;
    if (check_has(e->set, CHECK_RACE)) /* first: it asks whether what a store meets was written before */
        race_observe(e, a, segments);
    if (check_has(e->set, CHECK_INIT))
        init_observe(e, a, segments);
}

static void check_on_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    CheckEvent e;
    SegmentList segments;
    if (a->space == SPACE_LOCAL) {
        if (check_has(self, CHECK_INIT) && event_of(self, who, &e))
            local_observe(&e, a);
        return;
    }
    bool followed = a->space == SPACE_GLOBAL || a->space == SPACE_SHARED;
    if (!followed || !event_of(self, who, &e))
        return;
    if (a->space == SPACE_SHARED)
        array_observe(&e, a);
    if (a->kind == ACCESS_STORE && e.block->undefined)
        undefined_store(&e, a);
    if (a->solid_bytes && a->space == SPACE_GLOBAL && solid_observe(&e, a))
        return;
    uint32_t left = quick_adds(&e, a);
    if (left == 0) {
        order_strong_read(&e, a);
        order_strong_write(&e, a);
        return;
    }
    if (left == a->mask) {
        segment_list(a, &segments);
    } else {
        ExecAccess rest = *a;
        rest.mask = left;
        segment_list(&rest, &segments);
    }
    observe_segments(&e, a, &segments);
}

static bool check_on_access_wide(void *self, const ExecWho *who, const ExecWideAccess *w)
{
    CheckEvent e;
    if (!event_of(self, who, &e))
        return true;
    return !(w->space == SPACE_SHARED && array_is_left(&e, w->low, w->end)) && wide_observe(&e, w);
}

static void check_on_follow(void *self, const ExecWho *who, const ExecDone *done)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        undefined_follow(&e, done);
}

static void check_on_frame(void *self, const ExecWho *who, uint32_t mask, uint32_t base)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        local_push_frame(&e, mask, base);
}

static void check_on_barrier(void *self, const ExecWho *who, uint32_t barrier_id)
{
    (void)barrier_id;
    CheckEvent e;
    if (!event_of(self, who, &e))
        return;
    order_barrier(&e);
    e.block->interval++;
    race_forget_block(e.block);
    wide_forget_block(e.block);
}

static void check_on_barrier_part(void *self, const ExecWho *who, const uint32_t *arrived,
                                  const uint32_t *waited, uint32_t n_warps)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        order_part_barrier(&e, arrived, waited, n_warps);
}

static void check_on_warp_sync(void *self, const ExecWho *who, uint32_t mask)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        order_warp_sync(&e, mask);
}

static void check_on_fence(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        order_fence(&e, mask, sem, scope);
}

static void check_on_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    CheckEvent e;
    if (event_of(self, who, &e))
        fault_observe(&e, fault);
}

void check_fill_observer(CheckSet *set)
{
    bool race = check_has(set, CHECK_RACE), accesses = race || check_has(set, CHECK_INIT);
    set->observer = (ExecObserver){
        .self = set,
        .launch_begin = check_on_launch_begin,
        .block_begin = check_on_block_begin,
        .access = accesses ? check_on_access : NULL,
        .access_wide = accesses ? check_on_access_wide : NULL,
        .takes_rows = true,
        .follow = check_has(set, CHECK_INIT) ? check_on_follow : NULL,
        .frame = check_has(set, CHECK_INIT) ? check_on_frame : NULL,
        .barrier = race ? check_on_barrier : NULL,
        .barrier_part = race ? check_on_barrier_part : NULL,
        .warp_sync = race ? check_on_warp_sync : NULL,
        .fence = race ? check_on_fence : NULL,
        .fault = check_on_fault,
        .spawn = check_on_spawn,
        .block_end = check_on_block_end,
        .launch_end = check_on_launch_end,
    };
}

/* ---- what checkers ask ---- */

Place check_place(const CheckSet *set, const ExecWho *who)
{
    const IrModule *m = set->launch->instance->module;
    if (!who->function || !who->inst)
        return NO_PLACE;
    return set->place_base[who->function - m->functions] + (Place)(who->inst - who->function->insts);
}

Note *check_note(const CheckEvent *e, const NoteKey *key, uint32_t thread, uint64_t count)
{
    bool fresh = false;
    Note *n = note_add(&e->worker->notes, key, e->block->linear, count, &fresh);
    if (!n || !fresh)
        return NULL;
    n->block = e->block->linear;
    n->thread = thread;
    n->shared_bytes = e->block->shared_bytes;
    n->has_alloc = false;
    n->detail = NULL;
    return n;
}
