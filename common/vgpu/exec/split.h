/* split: a warp whose lanes part and meet: its run loop, splits, joins, frames, barriers and warp synchronisation. */
#ifndef COMMON_VGPU_EXEC_SPLIT_H
#define COMMON_VGPU_EXEC_SPLIT_H

#include "common/vgpu/exec/exec_internal.h"

/* run.c: splits, joins and the run loop of a warp. */
typedef enum WarpOutcome {
    WARP_WAITS,
    WARP_USED_SLICE,
    WARP_SPINS,
    WARP_NEEDS_TURN,
    WARP_STOPPED
} WarpOutcome;
WarpOutcome warp_run(Warp *warp);
void warp_close_run(ExecWarp *w, uint32_t end);
void warp_stop(ExecWarp *w, WarpAction action);
void warp_jump(ExecWarp *w, uint32_t target);
/* Instructions that the block has retired up to the running one. */
uint64_t warp_retired(const ExecWarp *w);

/* lanes.c */
/* Which lane's value each lane gets by a shuffle. */
void lanes_shuffle_sources(const ExecWarp *w, const IrInst *inst, uint8_t from[WARP_LANES]);

/* split.c */
ExecSplit *split_new(Warp *warp, uint32_t mask, uint32_t pc, ExecFrame *frame, ExecJoin *join);
void split_free(Warp *warp, ExecSplit *s);
bool split_at_join(const ExecSplit *s);
/* The split has reached its join. True: it goes on (with the lanes that were waiting there); false: it is
 * gone. */
bool split_arrive(Warp *warp, ExecSplit *s);
/* Lanes of the running split: those of `mask` go to target, the others to the next instruction. */
void split_diverge(ExecWarp *w, const IrInst *inst, uint32_t mask, uint32_t target);
/* Only the lanes of mask stay in the running split; the others wait for them at the next instruction. */
bool split_isolate(ExecWarp *w, uint32_t mask);
/* The join of a branch; NULL after a failure (no memory). */
ExecJoin *split_join_for(ExecWarp *w, const IrInst *inst);
/* A join like this one; NULL after a failure (no memory). */
ExecJoin *split_join_new(ExecBlock *b, const ExecJoin *as);
/* The lanes of mask go on as the running split, under the join; the caller has given the others a place. */
void split_part(ExecWarp *w, ExecJoin *j, uint32_t mask);
/* Lanes wait in a join. */
void split_wait(ExecWarp *w, ExecJoin *j, uint32_t lanes);
void split_set_lanes(ExecWarp *w, uint32_t mask);
/* Lanes of the running split end. */
void split_exit(ExecWarp *w, uint32_t mask);
/* Lanes that have waited at joins for so many slices go on alone. False: there were none. */
bool split_leave_joins(Warp *warp, uint32_t slices);
/* Lanes that wait at joins at the kernel's end go on, and exit: others need not come for that. False: there were none. */
bool split_leave_ends(Warp *warp);
/* Ready splits that stand at the same place become one. */
void split_merge(Warp *warp);
/* Lanes that wait at joins. */
uint32_t split_waiting_lanes(const Warp *warp);
void split_wake(Warp *warp, ExecSplit *s);

/* frame.c */
void *block_alloc(ExecBlock *b, size_t bytes); /* lives until block_free_memory */
void block_free_memory(ExecBlock *b);
bool frame_push(ExecWarp *w, const IrInst *inst, uint32_t function);
void frame_pop(ExecWarp *w);
void frame_leave(ExecBlock *b, ExecFrame *f, uint32_t lanes);

/* barrier.c */
void exec_barrier(ExecWarp *w, const IrInst *inst, uint32_t mask);
void exec_warp_barrier(ExecWarp *w, const IrInst *inst, uint32_t mask);
/* barrier.cluster.arrive and .wait: of a cluster of one block. */
void exec_cluster_arrive(ExecWarp *w, const IrInst *inst, uint32_t mask);
void exec_cluster_wait(ExecWarp *w, const IrInst *inst, uint32_t mask);
/* Completes barriers that exited threads held up. */
void barrier_recheck(ExecBlock *b);
/* Nothing in the block can run: lanes that others of their warp wait for at a join leave it. False: none. */
bool barrier_part_warps(ExecBlock *b);

/* Tells the observers that all threads of the block have met at the instruction. */
void barrier_tell_all(ExecBlock *b, const IrInst *inst, uint32_t id);

/* sync.c */
/* The lanes of mask name only lanes that stand here with them: the operation runs at once. */
bool sync_is_whole(const ExecWarp *w, const IrInst *inst, uint32_t mask);
void exec_sync_gate(ExecWarp *w, const IrInst *inst, uint32_t mask);
/* Who executes the operation. */
const ExecWho *sync_who(ExecWarp *w, const IrFunction *function, const IrInst *inst);
/* The operand that names the lanes, or NULL. */
const IrOperand *sync_mask_operand(const IrInst *inst);
/* Runs operations whose lanes are there; forced: also one whose lanes cannot come. False: none ran. */
bool sync_resolve(Warp *warp, bool forced);

#endif
