/* A launch: set up, workers, tear down. */

#include "common/base/rng.h"
#include "common/vgpu/exec/schedule.h"

#include <stdlib.h>
#include <string.h>

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Position p runs block (p * factor + shift) mod n: a permutation when factor and n have no common divisor.
 */
static void choose_order(ExecRun *run, uint64_t seed)
{
    run->order_factor = 1;
    run->order_shift = 0;
    if (!seed || run->n_blocks < 2)
        return;
    Rng rng = {seed};
    run->order_shift = rng_below(&rng, run->n_blocks);
    do
        run->order_factor = 1 + rng_below(&rng, run->n_blocks);
    while (greatest_common_divisor(run->order_factor, run->n_blocks) != 1);
}

static bool makes_calls(const IrFunction *f)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        if (f->insts[pc].opcode == PTX_CALL)
            return true;
    return false;
}

/* Other orders of warps than the usual one are what a seed is for; the clock counts warp by warp; and close
 * to the limit each warp's instructions are watched. */
static bool may_run_wide(const ExecRun *run)
{
    const ExecLaunch *l = run->launch;
    return !l->narrow && l->seed == 0 && !run->entry->uses_clock &&
           (!l->max_instructions || l->max_instructions > EXEC_LIMIT_NEAR);
}

bool run_tells_steps(const ExecRun *run, uint64_t block)
{
    const ExecLaunch *l = run->launch;
    for (size_t i = 0; run->steps && i < l->n_observers; i++)
        if (l->observers[i].step && (!l->observers[i].wants_steps || l->observers[i].wants_steps(l->observers[i].self, block)))
            return true;
    return false;
}

static void measure(ExecRun *run)
{
    const ExecLaunch *l = run->launch;
    uint32_t stack = l->stack_limit ? l->stack_limit : EXEC_STACK_DEFAULT;
    run->n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    run->n_threads = l->block[0] * l->block[1] * l->block[2];
    run->n_warps = (run->n_threads + WARP_LANES - 1) / WARP_LANES;
    run->shared_bytes = run->entry->static_shared_bytes + l->dynamic_shared;
    run->stack_end = run->entry->frame_bytes + (makes_calls(run->entry) ? (stack + 15) / 16 * 16 : 0);
    run->local_bytes = (run->stack_end + 15) / 16 * 16;
    run->wide = may_run_wide(run);
    run->resident_max = l->cooperative ? run->n_blocks : l->resident_max > 0 && l->resident_max < EXEC_RESIDENT_MAX ? l->resident_max : EXEC_RESIDENT_MAX;
}

static bool find_watchers(ExecRun *run)
{
    const ExecLaunch *l = run->launch;
    run->watchers = calloc(l->n_observers + 1, sizeof *run->watchers);
    for (size_t i = 0; run->watchers && i < l->n_observers; i++)
        if (l->observers[i].access)
            run->watchers[run->n_watchers++] =
                (ExecWatcher){l->observers[i].access, l->observers[i].access_wide, l->observers[i].self,
                              l->observers[i].writes_only, l->observers[i].takes_rows};
    return run->watchers != NULL;
}

/* What shared memory holds when a block begins: no byte is 0. */
static bool fill_shared(ExecRun *run)
{
    run->shared_fill = malloc(run->shared_bytes + 8u);
    for (uint32_t i = 0; run->shared_fill && i < run->shared_bytes; i += 8) {
        uint64_t word = rng_mix(run->launch->seed + i) | 0x0101010101010101u;
        memcpy(run->shared_fill + i, &word, 8);
    }
    return run->shared_fill != NULL;
}

static bool make_workers(ExecRun *run)
{
    uint64_t jobs = run->launch->jobs > 1 ? run->launch->jobs : 1;
    run->n_workers = (unsigned)(jobs < run->n_blocks ? jobs : run->n_blocks);
    run->workers = calloc(run->n_workers, sizeof *run->workers);
    if (!run->workers)
        return false;
    for (unsigned i = 0; i < run->n_workers; i++) {
        run->workers[i].run = run;
        run->workers[i].index = i;
        run->workers[i].codes = calloc(run->module->n_functions, sizeof *run->workers[i].codes);
        if (!run->workers[i].codes)
            return false;
    }
    return true;
}

static void *worker_main(void *worker)
{
    schedule_work(worker);
    return NULL;
}

/* The calling thread is worker 0. Workers whose thread cannot be had are missed by nobody. */
static void work(ExecRun *run)
{
    unsigned started = 1;
    while (started < run->n_workers &&
           pthread_create(&run->workers[started].thread, NULL, worker_main, &run->workers[started]) == 0)
        started++;
    schedule_work(&run->workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(run->workers[i].thread, NULL);
}

static void tear_down_run(ExecRun *run)
{
    for (unsigned i = 0; run->workers && i < run->n_workers; i++)
        worker_free_codes(&run->workers[i]);
    while (run->made_blocks) {
        ExecBlock *next = run->made_blocks->next_made;
        block_destroy(run->made_blocks);
        run->made_blocks = next;
    }
    plan_free(run->plan);
    free(run->workers);
    free(run->watchers);
    free(run->shared_fill);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
}

void exec_launch(const ExecLaunch *launch, ExecResult *result)
{
    const IrModule *module = launch->instance->module;
    ExecRun run = {
        .launch = launch, .module = module, .entry = &module->functions[launch->function], .result = result};
    *result = (ExecResult){.error = EXEC_OK};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);
    for (size_t i = 0; i < launch->n_observers; i++) {
        run.steps |= launch->observers[i].step != NULL;
        run.follows |= launch->observers[i].follow != NULL;
    }
    measure(&run);
    choose_order(&run, launch->seed);
    EXEC_TELL(launch, launch_begin, launch);
    if (find_watchers(&run) && fill_shared(&run) && make_workers(&run)) {
        run.plan = plan_prepare(&run);
        work(&run);
        hang_tell(&run);
    } else {
        exec_fail(&run, EXEC_NO_MEMORY, "no memory for a launch");
    }
    result->instructions = atomic_load(&run.retired);
    for (unsigned i = 0; run.workers && i < run.n_workers; i++) {
        result->instructions += run.workers[i].retired;
        result->planned += run.workers[i].planned;
        plan_count(&run.workers[i]);
        worker_fold_counts(&run.workers[i]);
    }
    EXEC_TELL(launch, launch_end, launch);
    tear_down_run(&run);
}
