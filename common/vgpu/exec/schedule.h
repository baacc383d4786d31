/* schedule: the blocks of a launch: who runs which, together, as planned or warp by warp, and which of them hang. */
#ifndef COMMON_VGPU_EXEC_SCHEDULE_H
#define COMMON_VGPU_EXEC_SCHEDULE_H

#include "common/vgpu/exec/exec_internal.h"

/* block.c */
ExecBlock *block_create(ExecRun *run);
void block_destroy(ExecBlock *b);
void block_begin(ExecBlock *b, ExecWorker *worker);
/* The block is the worker's from now on. */
void block_set_worker(ExecBlock *b, ExecWorker *worker);
/* The block has stored nothing for long: the next rounds are turns of their own. */
bool block_probe(ExecBlock *b);
/* Forgets what a warp has of splits and slices. */
void block_clear_warp(Warp *warp);
BlockOutcome block_run(ExecBlock *b, ExecWorker *worker);
void block_end(ExecBlock *b);
/* The next block of the reference order begins, in the place of one that ended as planned and left nothing behind. */
void block_advance(ExecBlock *b);

/* hang.c */
/* A block has run for a turn, or a part of it. Under the run's lock. */
void hang_note(ExecBlock *b, BlockOutcome outcome);
/* The launch ends: it hangs, or takes too long. The warp that says so, or NULL. */
void hang_stop(ExecRun *run, ExecFaultKind kind, Warp *warp);
/* All workers have stopped: tells the observers who waits where. */
void hang_tell(ExecRun *run);
/* Takes note of the read of a place that others may change. */
void hang_poll(ExecWarp *w, uint8_t space, uint64_t addr, uint32_t bytes);
/* ExecRun.watching: looks whether the host shares the memory. */
void hang_watch(ExecWarp *w, const ExecAccess *access);
/* Stops a launch that somebody wants to end, or whose time is over; true: it stops. */
bool hang_look(ExecRun *run);
/* Notes whether the warps have stored since they were refuelled or last asked. */
void block_take_stores(ExecBlock *b);
void block_note_store(ExecBlock *b);

/* launch.c */
/* Are observers told of each instruction of this block? */
bool run_tells_steps(const ExecRun *run, uint64_t block);

/* schedule.c */
void schedule_work(ExecWorker *worker);

/* All warps of a block at once: wide.h. */
/* What it does with an instruction, and how many sources that has. */
uint8_t wide_kind(const IrInst *inst, IrHandler handler);
uint8_t wide_sources(const IrInst *inst);
bool wide_create(ExecBlock *b);
/* A block begins. False: warp by warp. */
bool wide_begin(ExecBlock *b);
BlockOutcome wide_run(ExecBlock *b);
/* The block runs so; or its warps go on one after the other from now on. */
bool wide_is_on(const ExecBlock *b);
void wide_leave(ExecBlock *b);
/* A barrier has let all threads go, or a probe has ended: the block comes back if it may, after a barrier as soon as
 * wide_is_coming is looked at. */
void wide_barrier_passed(ExecBlock *b);
void wide_probe_ended(ExecBlock *b);
bool wide_is_coming(const ExecBlock *b);
void wide_enter(ExecBlock *b);

/* What most blocks do, worked out once: plan.h. NULL: this launch has none, or there is no memory for one. */
struct Plan *plan_prepare(ExecRun *run);
void plan_free(struct Plan *plan);
/* How many blocks from this position on go as planned: `most` at most. */
uint32_t plan_blocks(const ExecRun *run, uint64_t position, uint32_t most);
/* Runs the block, which has begun, and the n_planned - 1 after it, of which the last one is left to end.
 * False: nothing was done, since this one does not go as planned, or there is no memory. */
bool plan_run(ExecBlock *b);
/* Adds what the worker's planned blocks have retired to its counters. */
void plan_count(ExecWorker *worker);

/* count.c */
/* What the worker keeps for a function, made when it first runs; NULL: no memory. */
ExecCode *worker_code(ExecWorker *worker, uint32_t function);
void worker_free_codes(ExecWorker *worker);
/* Tells the observers what the worker retired in the whole launch. */
void worker_fold_counts(ExecWorker *worker);

#endif
