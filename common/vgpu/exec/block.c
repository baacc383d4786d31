/* A block: its warps, run round robin, and what happens when none can run. */

#include "common/base/rng.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <stdlib.h>
#include <string.h>

enum { LOCAL_FILL = 0xCD, PROBE_ROUNDS = 4 };

void block_destroy(ExecBlock *b)
{
    block_free_memory(b);
    free(b);
}

/* Counted up from the first lane's place: a division a lane would be what small kernels take longest for. */
static void set_thread_index(Warp *warp, const uint32_t dim[3])
{
    uint32_t first = warp->base.index * WARP_LANES;
    uint32_t x = first % dim[0], y = first / dim[0] % dim[1], z = first / dim[0] / dim[1];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        warp->base.tid[0][lane] = x;
        warp->base.tid[1][lane] = y;
        warp->base.tid[2][lane] = z;
        if (++x < dim[0])
            continue;
        x = 0;
        if (++y < dim[1])
            continue;
        y = 0;
        z++;
    }
}

/* What all blocks of a launch have alike. */
static void make_warp(ExecBlock *b, uint32_t index)
{
    Warp *warp = &b->warps[index];
    uint32_t threads = b->run->n_threads - index * WARP_LANES;
    memset(warp, 0, sizeof *warp);
    warp->exists = threads >= WARP_LANES ? FULL_MASK : (1u << threads) - 1;
    warp->base.index = index;
    warp->base.block = b;
    set_thread_index(warp, b->run->launch->block);
}

/* Allocates the memory of a block of this launch; it is used for one block after the other. */
ExecBlock *block_create(ExecRun *run)
{
    ExecBlock *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->run = run;
    size_t reg_bytes = ((size_t)run->entry->reg_bytes + 63) & ~(size_t)63;
    size_t local = (size_t)run->n_warps * WARP_LANES * run->local_bytes;
    b->warps = block_alloc(b, run->n_warps * sizeof *b->warps);
    b->regs = block_alloc(b, run->n_warps * reg_bytes + 64);
    b->shared = block_alloc(b, run->shared_bytes + 64u);
    b->local = local ? block_alloc(b, local) : NULL;
    if (!b->warps || !b->regs || !b->shared || (local && !b->local)) {
        block_destroy(b);
        return NULL;
    }
    for (uint32_t i = 0; i < run->n_warps; i++)
        make_warp(b, i);
    if (run->wide && !wide_create(b)) {
        block_destroy(b);
        return NULL;
    }
    return b;
}

/* What a block before may have left. */
void block_clear_warp(Warp *warp)
{
    for (uint32_t left = warp->used; left; left &= left - 1) /* a block that a fault cut short */
        warp->splits[first_lane(left)].state = SPLIT_FREE;
    warp->used = warp->ready = warp->parked = warp->cursor = 0;
    warp->fuel_start = 0;
    warp->yielded = warp->slices = 0;
    warp->all_spun = warp->visiting = warp->parted = false;
    warp->base.carry = 0;
    warp->base.fuel = 0;
    warp->base.polls = EXEC_CALM;
}

static void begin_warp(ExecBlock *b, uint32_t index)
{
    ExecRun *run = b->run;
    Warp *warp = &b->warps[index];
    size_t reg_bytes = ((size_t)run->entry->reg_bytes + 63) & ~(size_t)63;
    block_clear_warp(warp);
    warp->entry = (ExecFrame){.function = run->entry,
                              .index = run->launch->function,
                              .regs = b->regs + index * reg_bytes,
                              .lanes = warp->exists};
    memset(warp->entry.regs, 0, run->entry->reg_bytes);
    warp->base.live = warp->exists;
    warp->base.frame = &warp->entry;
    split_new(warp, warp->exists, 0, &warp->entry, NULL);
}

/* The kernel's own frame in each thread's local memory. */
static void fill_frames(ExecBlock *b)
{
    const ExecRun *run = b->run;
    for (uint32_t i = 0; run->entry->frame_bytes && i < run->n_warps * WARP_LANES; i++)
        memset(b->local + (size_t)i * run->local_bytes, LOCAL_FILL, run->entry->frame_bytes);
}

void block_set_worker(ExecBlock *b, ExecWorker *worker)
{
    const ExecLaunch *launch = b->run->launch;
    b->worker = worker;
    worker->who =
        (ExecWho){.block_linear = launch->first_block + b->linear, .worker = worker->index, .slot = b->slot};
    memcpy(worker->who.block, b->index, sizeof b->index);
    memcpy(worker->who.block_dim, launch->block, sizeof launch->block);
}

static void tell_begin(ExecBlock *b)
{
    const ExecLaunch *launch = b->run->launch;
    const ExecWho *who = exec_who(&b->warps[0].base, b->run->entry, NULL);
    EXEC_TELL(launch, block_begin, who, b->run->shared_bytes);
}

void block_begin(ExecBlock *b, ExecWorker *worker)
{
    ExecRun *run = b->run;
    const ExecLaunch *launch = run->launch;
    uint64_t linear =
        (uint64_t)(((unsigned __int128)b->position * run->order_factor + run->order_shift) % run->n_blocks);
    b->linear = (uint32_t)linear;
    b->index[0] = (uint32_t)(linear % launch->grid[0]);
    b->index[1] = (uint32_t)(linear / launch->grid[0] % launch->grid[1]);
    b->index[2] = (uint32_t)(linear / launch->grid[0] / launch->grid[1]);
    b->n_threads = b->live_threads = run->n_threads;
    b->retired = b->turn_start = 0;
    b->recheck = b->round_any = b->round_progress = false;
    b->round_left = run->n_warps;
    b->spin_rounds = b->probe = b->probed = 0;
    b->calm_start = 0;
    b->stored = false;
    b->calm = (ExecCalm){0};
    b->cursor = launch->seed ? (uint32_t)(rng_mix(launch->seed ^ linear) % run->n_warps) : 0;
    if (b->barriers_used)
        memset(b->barriers, 0, sizeof b->barriers);
    b->barriers_used = false;
    for (uint32_t i = 0; b->followed && i < run->n_warps; i++)
        b->warps[i].base.follow = false;
    b->followed = false;
    async_begin_block(b);
    memcpy(b->shared, run->shared_fill, run->shared_bytes);
    fill_frames(b);
    b->steps = run_tells_steps(run, linear);
    bool wide = b->wide && wide_begin(b);
    for (uint32_t i = 0; !wide && i < run->n_warps; i++)
        begin_warp(b, i);
    block_set_worker(b, worker);
    tell_begin(b);
    for (uint32_t i = 0; run_follows_unset(run) && i < run->n_warps; i++)
        b->warps[i].base.follow = b->followed = true;
}

void block_advance(ExecBlock *b)
{
    const ExecRun *run = b->run;
    const uint32_t *grid = run->launch->grid;
    b->position++;
    b->linear++;
    for (int i = 0; i < 3 && ++b->index[i] == grid[i] && i < 2; i++)
        b->index[i] = 0;
    b->live_threads = run->n_threads;
    b->retired = b->turn_start = 0;
    memcpy(b->shared, run->shared_fill, run->shared_bytes);
    block_set_worker(b, b->worker);
    tell_begin(b);
}

void block_end(ExecBlock *b)
{
    const ExecLaunch *launch = b->run->launch;
    const ExecWho *who = exec_who(&b->warps[0].base, b->run->entry, NULL);
    EXEC_TELL(launch, block_end, who);
}

/* No warp can run. Ways on, in this order: a warp operation goes on without lanes that cannot come; lanes
 * that wait at joins for others at a barrier go on alone. Otherwise all wait for ever. */
static BlockOutcome unstick(ExecBlock *b)
{
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        if (sync_resolve(&b->warps[i], true))
            return BLOCK_GOES_ON;
    if (barrier_part_warps(b))
        return BLOCK_GOES_ON;
    if (!atomic_load(&b->has_turn))
        return BLOCK_NEEDS_TURN;
    uint32_t i = 0;
    while (!b->warps[i].used) /* a thread lives, and so stands somewhere */
        i++;
    hang_stop(b->run, FAULT_DEADLOCK, &b->warps[i]);
    return BLOCK_STOPPED;
}

/* Whether a block that stores nothing goes round in a circle shows in a few turns of one short round each. One that does not
 * goes on as before, with all warps at one instruction if it was so. */
bool block_probe(ExecBlock *b)
{
    bool suspect = atomic_load_explicit(&b->run->suspects, memory_order_relaxed);
    uint64_t most = suspect ? EXEC_SUSPECT_QUANTUM : EXEC_CALM_QUANTUM << b->probed;
    if (b->probe || b->retired - b->calm_start < most)
        return false;
    b->probe = PROBE_ROUNDS;
    return true;
}

static void end_probe(ExecBlock *b)
{
    if (!b->probe || (b->probe == 1 && b->calm.closed) || --b->probe)
        return;
    b->calm_start = b->retired;
    b->probed += b->probed < EXEC_CALM_DOUBLINGS;
    wide_probe_ended(b);
}

void block_note_store(ExecBlock *b)
{
    b->stored = true;
    b->calm_start = b->retired;
}

void block_take_stores(ExecBlock *b)
{
    bool stored = false;
    for (uint32_t i = 0; i < b->run->n_warps; i++) {
        stored |= !(b->warps[i].base.polls & EXEC_CALM);
        b->warps[i].base.polls |= EXEC_CALM;
    }
    if (stored)
        block_note_store(b);
}

/* After each warp was visited once. */
static BlockOutcome end_round(ExecBlock *b)
{
    bool any = b->round_any, progress = b->round_progress;
    b->round_left = b->run->n_warps;
    b->round_any = b->round_progress = false;
    if (b->live_threads == 0)
        return BLOCK_ENDED;
    if (!any)
        return unstick(b);
    b->spin_rounds = progress ? 0 : b->spin_rounds + 1;
    uint32_t patience = b->run->launch->cooperative ? 1 : EXEC_SPIN_ROUNDS;
    bool over = b->retired - b->turn_start >= EXEC_BLOCK_QUANTUM, probed = b->probe > 0;
    end_probe(b);
    if (b->spin_rounds < patience && !over && !probed && !block_probe(b))
        return BLOCK_GOES_ON;
    b->spin_rounds = 0;
    b->turn_start = b->retired;
    return BLOCK_GAVE_WAY;
}

/* Visits the warp whose turn it is. */
static BlockOutcome visit(ExecBlock *b)
{
    Warp *warp = &b->warps[b->cursor];
    if (warp->ready) {
        WarpOutcome outcome = warp_run(warp);
        if (outcome == WARP_NEEDS_TURN)
            return BLOCK_NEEDS_TURN;
        if (outcome == WARP_STOPPED)
            return BLOCK_STOPPED;
        if (wide_is_coming(b)) {
            wide_enter(b);
            return BLOCK_GOES_ON;
        }
        b->round_any = true;
        b->round_progress |= outcome != WARP_SPINS;
    }
    if (b->recheck)
        barrier_recheck(b);
    b->cursor = b->cursor + 1 == b->run->n_warps ? 0 : b->cursor + 1;
    b->round_left--;
    return BLOCK_GOES_ON;
}

static BlockOutcome run_rounds(ExecBlock *b)
{
    BlockOutcome outcome = BLOCK_GOES_ON;
    while (outcome == BLOCK_GOES_ON)
        outcome = wide_is_on(b) ? wide_run(b) : b->round_left ? visit(b) : end_round(b);
    return outcome;
}

BlockOutcome block_run(ExecBlock *b, ExecWorker *worker)
{
    block_set_worker(b, worker);
    BlockOutcome outcome = plan_run(b) ? BLOCK_ENDED : run_rounds(b);
    if (outcome == BLOCK_ENDED)
        block_end(b);
    return outcome;
}
