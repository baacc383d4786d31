/* both: runs a launch warp by warp and again with all warps of a block at once, and compares. */
#ifndef COMMON_VGPU_FUZZ_BOTH_BOTH_H
#define COMMON_VGPU_FUZZ_BOTH_BOTH_H

#include "common/vgpu/check/check.h"
#include "common/vgpu/exec/exec.h"

/* What a launch may write to. */
typedef struct BothMemory {
    MemAlloc *const *allocs; /* NULL: none */
    size_t n;
} BothMemory;

/* Who looks on while blocks run at once: each is a way of its own through exec. */
typedef enum BothWatch {
    BOTH_UNSEEN,  /* nobody */
    BOTH_BY_WARP, /* somebody who wants accesses warp by warp */
    BOTH_WIDE,    /* the race checker, and somebody who takes a block's accesses at once */
    BOTH_N_WATCHES
} BothWatch;

typedef enum BothVerdict {
    BOTH_ALIKE,    /* compared, and alike */
    BOTH_LEFT_OUT, /* what both did may differ by design: nothing was compared */
    BOTH_DIFFER,
} BothVerdict;

/* Runs the launch twice, from the same bytes of memory; check: of the same device, with CHECK_RACE and
 * CHECK_SYNC; with CHECK_INIT, too, what shared and local memory is read of before it is written must be the
 * same. When they differ, `what` is one line that says in what. Memory holds afterwards what one of the runs
 * left. STATUS_NO_MEMORY. */
Status both_run(const ExecLaunch *launch, BothMemory memory, BothWatch watch, CheckSet *check,
                BothVerdict *verdict, const char **what);

#endif
