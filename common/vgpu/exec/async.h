/* What the files of asynchronous operations share: async.c (barriers in memory, handlers), async_copy.c
 * (copies). */
#ifndef COMMON_VGPU_EXEC_ASYNC_H
#define COMMON_VGPU_EXEC_ASYNC_H

#include "common/vgpu/exec/transfer.h"

/* The copies of a barrier land, as far as lanes have asked it to wait for them; then they arrive. addr: in
 * shared memory. */
void async_land_for(ExecBlock *b, uint64_t barrier);

void async_copy(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_commit(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_wait_group(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_wait_all(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_arrive_after(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_bulk_load(ExecWarp *w, const IrInst *inst, uint32_t mask);
void async_bulk_store(ExecWarp *w, const IrInst *inst, uint32_t mask);

/* One lane's arrival at a barrier, for an instruction that may be an earlier one. */
typedef struct Arrival {
    ExecWarp *w;
    const IrFunction *function;
    const IrInst *inst;
    uint64_t barrier;  /* in shared memory */
    uint32_t arrivals; /* that no longer are awaited */
    int64_t bytes;     /* to come: positive; that have come: negative */
    bool drop;         /* and in later phases neither */
} Arrival;

/* The state before; *ok false: a fault was raised. */
uint64_t mbarrier_arrive(const Arrival *a, int lane, bool *ok);
/* One more arrival is awaited in this phase. */
bool mbarrier_await_more(const Arrival *a, int lane);
/* Offset in shared memory of an address in the instruction's space. */
uint64_t async_shared_offset(const IrInst *inst, uint64_t addr);

#endif
