/* Which block runs where, and whose turn it is.
 *
 * The reference order is what one worker does: begin the blocks by position, each until it ends or gives way;
 * when all have begun (or as many are there as may be), go on with those put aside, first in first out. The
 * turn goes from block to block in exactly that order, whatever the number of workers. The other workers run
 * blocks ahead of their turn, up to where they need it:
 *
 *      turn:   [block 0 .......][block 1 ...][block 2: done already][block 3 ...
 *      others:  block 1 .. waits            block 3 ..... block 4 ..... waits
 *
 * A block that runs ahead and would give way waits for its turn first (BLOCK_SPUN), then passes it on at
 * once.
 *
 * Blocks that go as planned (plan.h) never need a turn: a number of them in a row is taken as if it were one.
 */
#include "common/vgpu/exec/schedule.h"

/* A launch with one worker has nobody to keep out. */
static void lock(ExecRun *run)
{
    if (run->n_workers > 1)
        pthread_mutex_lock(&run->lock);
}

static void unlock(ExecRun *run)
{
    if (run->n_workers > 1)
        pthread_mutex_unlock(&run->lock);
}

static void tell_workers(ExecRun *run)
{
    if (run->n_workers > 1)
        pthread_cond_broadcast(&run->changed);
}

static ExecBlock *take_block(ExecRun *run)
{
    ExecBlock *b = run->free_blocks;
    if (b) {
        run->free_blocks = b->next;
        return b;
    }
    b = block_create(run);
    if (!b)
        return NULL;
    b->slot = run->n_slots++;
    b->next_made = run->made_blocks;
    run->made_blocks = b;
    return b;
}

/* How many blocks a worker should take in a row: few when there are few left, so that all workers end
 * together. */
static uint32_t share_of_rest(const ExecRun *run, uint32_t most)
{
    uint64_t left = run->n_blocks - run->next_start, share = 1 + left / (4 * (uint64_t)run->n_workers);
    return share < most ? (uint32_t)share : most;
}

/* The block of the next position that has not begun, and those after it that go as planned; NULL: no memory.
 */
static ExecBlock *start_next(ExecRun *run)
{
    ExecBlock *b = take_block(run);
    if (!b)
        return NULL;
    b->position = run->next_start;
    b->n_planned = plan_blocks(run, b->position, share_of_rest(run, EXEC_ROW_MAX));
    run->next_start += b->n_planned ? b->n_planned : 1;
    run->n_started++;
    b->state = BLOCK_IDLE;
    b->worker = NULL; /* begins when a worker takes it */
    atomic_store_explicit(&b->has_turn, false, memory_order_release);
    return b;
}

static void put_aside(ExecRun *run, ExecBlock *b)
{
    b->state = BLOCK_IDLE;
    b->next = NULL;
    if (run->aside_last)
        run->aside_last->next = b;
    else
        run->aside_first = b;
    run->aside_last = b;
}

static ExecBlock *pop_aside(ExecRun *run)
{
    ExecBlock *b = run->aside_first;
    if (b)
        run->aside_first = b->next;
    if (!run->aside_first)
        run->aside_last = NULL;
    return b;
}

/* The block that gets the turn next. NULL: all have ended (finished), or no memory (stopped by the caller).
 */
static ExecBlock *next_holder(ExecRun *run)
{
    bool all_begun = run->n_turns == run->n_started;
    if ((all_begun && run->next_start == run->n_blocks) || run->n_resident >= run->resident_max) {
        ExecBlock *b = pop_aside(run);
        run->finished = !b;
        return b;
    }
    uint64_t turn = run->n_turns++;
    run->n_resident++;
    if (all_begun)
        return start_next(run);
    ExecBlock **ahead = &run->ahead[turn % EXEC_AHEAD_MAX], *b = *ahead;
    *ahead = NULL;
    return b;
}

/* What became of the block that holds the turn is known: passes the turn on. */
static void pass_turn(ExecRun *run)
{
    ExecBlock *b = run->holder;
    run->holder = NULL;
    atomic_store_explicit(&b->has_turn, false, memory_order_release);
    if (b->state == BLOCK_SPUN) {
        put_aside(run, b);
        return;
    }
    run->n_resident--;
    b->next = run->free_blocks;
    run->free_blocks = b;
}

/* Finds a holder that still has to run. False: there is none, or no memory for one. */
static bool settle_turn(ExecRun *run)
{
    while (!run->finished) {
        if (!run->holder) {
            run->holder = next_holder(run);
            if (!run->holder)
                return run->finished;
            atomic_store_explicit(&run->holder->has_turn, true, memory_order_release);
        }
        if (run->holder->state != BLOCK_SPUN && run->holder->state != BLOCK_DONE)
            return true;
        pass_turn(run);
    }
    return true;
}

/* A block for this worker: the holder of the turn if nobody runs it, else one that has not begun. NULL: wait.
 */
static ExecBlock *choose(ExecRun *run)
{
    if (run->holder && run->holder->state == BLOCK_IDLE)
        return run->holder;
    bool may_run_ahead = run->n_workers > 1 && run->next_start < run->n_blocks &&
                         run->n_started - run->n_turns < EXEC_AHEAD_MAX &&
                         run->n_resident < run->resident_max;
    if (!may_run_ahead)
        return NULL;
    ExecBlock *b = start_next(run);
    if (b)
        run->ahead[(run->n_started - 1) % EXEC_AHEAD_MAX] = b;
    return b;
}

/* Blocks that a worker takes at one go, one after the other: short ones would spend their time on the lock.
 */
static unsigned choose_batch(ExecRun *run, const ExecWorker *worker, ExecBlock **batch)
{
    unsigned wanted = share_of_rest(run, EXEC_BATCH_MAX), n = 0;
    if (run->n_workers == 1 || !worker->runs_through)
        wanted = 1;
    while (n < wanted && (batch[n] = choose(run))) {
        batch[n++]->state = BLOCK_RUNNING;
        if (batch[n - 1]->n_planned > 1)
            break;
    }
    return n;
}

static BlockState state_after(BlockOutcome outcome)
{
    switch (outcome) {
    case BLOCK_ENDED:
        return BLOCK_DONE;
    case BLOCK_GAVE_WAY:
        return BLOCK_SPUN;
    default:
        return BLOCK_IDLE;
    }
}

/* Runs blocks up to the first that does not end; those after it are given back. Blocks that end soon look at no limits: that is done before
 * each, and once it has begun, as a finding is told of a block that is there. */
static void run_batch(ExecRun *run, ExecWorker *worker, ExecBlock **batch, unsigned n)
{
    BlockOutcome outcome = BLOCK_ENDED;
    unsigned ran = 0;
    unlock(run);
    while (ran < n && outcome == BLOCK_ENDED) {
        ExecBlock *b = batch[ran++];
        if (!b->worker)
            block_begin(b, worker);
        outcome = hang_look(run) ? BLOCK_STOPPED : block_run(b, worker);
    }
    lock(run);
    for (unsigned i = 0; i < ran; i++)
        hang_note(batch[i], i + 1 < ran ? BLOCK_ENDED : outcome);
    for (unsigned i = 0; i < n; i++)
        batch[i]->state = i + 1 < ran ? BLOCK_DONE : i + 1 == ran ? state_after(outcome) : BLOCK_IDLE;
    worker->runs_through = outcome == BLOCK_ENDED;
    tell_workers(run);
}

static bool over(const ExecRun *run)
{
    return run->finished || atomic_load(&run->stop);
}

void schedule_work(ExecWorker *worker)
{
    ExecRun *run = worker->run;
    bool no_memory = false;
    lock(run);
    while (!over(run) && !no_memory) {
        no_memory = !settle_turn(run);
        if (no_memory || run->finished)
            break;
        ExecBlock *batch[EXEC_BATCH_MAX];
        unsigned n = choose_batch(run, worker, batch);
        if (n)
            run_batch(run, worker, batch, n);
        else
            pthread_cond_wait(&run->changed, &run->lock);
    }
    tell_workers(run);
    unlock(run);
    if (no_memory)
        exec_fail(run, EXEC_NO_MEMORY, "no memory for a block");
}
