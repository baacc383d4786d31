/* wide: all warps of a block at one instruction. Theory of operation:
 *
 * While the threads of a block go the same way, or part and meet again as the code's structure says, the
 * block has one pc, and each instruction is fetched and counted once for all of its warps. Of a register it
 * is known what it holds in the whole block, in one of two ways or in both:
 *
 *   HELD_LANES   the warps' register files hold it, as always
 *   HELD_AFFINE  the block has an affine value (affine.h), which the register files need not hold
 *
 * Sums, products with what all have, comparisons that come out alike, and the range of a memory access are
 * then a few operations for the block (affine.c, wide_memory.c). Where that does not do, the values are
 * written into the register files once, and each warp's own handler runs, one warp after the other (wide.c).
 *
 * Threads that part have a level each (WideLevel): the side that falls through goes first, then the other,
 * and all go on where the sides meet. What needs more than that (calls, barriers that not all reach,
 * atomics whose order shows, volatile accesses, faults) is not done here: the block goes over to the splits
 * and joins of its warps (wide_switch.c) with nothing lost, and comes back at the next barrier where all its
 * threads stand.
 *
 * Counts are the same as one warp after the other has them, and so are results, but where a program races.
 */
#ifndef COMMON_VGPU_EXEC_AFFINE_WIDE_H
#define COMMON_VGPU_EXEC_AFFINE_WIDE_H

#include "common/vgpu/exec/affine/affine.h"

enum {
    WIDE_LEVELS = 16,       /* branches within branches; one more, and the block goes warp by warp */
    WIDE_LEAVES_MAX = 8,    /* times that a block may go over to its warps and still come back */
    WIDE_FUEL = EXEC_SLICE, /* warp instructions between two looks at the limits */
};

/* What to do with an instruction: IrInst.wide. */
typedef enum WideKind {
    WIDE_LEAVE, /* not here */
#define X(NAME) WIDE_##NAME,
#include "common/vgpu/exec/affine/wide.def"
#undef X
} WideKind;

/* Threads that have parted. Those of `expected` that are neither active nor waiting have arrived. */
typedef struct WideLevel {
    uint32_t join;  /* pc where they meet */
    uint32_t other; /* pc where the waiting ones begin; IR_NO_PC: there are none */
    uint32_t expected[EXEC_WARPS_MAX], waiting[EXEC_WARPS_MAX]; /* lanes of each warp */
} WideLevel;

typedef struct Wide {
    bool on;         /* the block runs here */
    bool coming;     /* all threads stand at a barrier: it is to come back */
    bool loaded;     /* the warps are as they are when they begin here */
    uint32_t leaves; /* in this block */
    uint32_t pc, run_start, stop_pc;
    uint32_t warps;            /* those that have active lanes */
    uint32_t todo;             /* of them, those that still have to do the instruction at pc; 0: all */
    uint32_t n_warps, n_lanes; /* active ones */
    uint32_t n_first; /* the active threads are the first so many (of a block with one dimension, unless all);
                         0: they are not */
    bool whole;       /* all threads of the block are active */
    int32_t fuel;
    uint64_t retired; /* not yet added to the block's */
    uint32_t depth;
    uint32_t row_lanes; /* lanes that go up in x together: 32, 16, 8, 4, 2 or 1 */
    size_t reg_stride;  /* bytes from one warp's register file to the next one's */
    const ExecCode *code;
    AffineState affine;
    uint32_t active[EXEC_WARPS_MAX], mask[EXEC_WARPS_MAX]; /* lanes; of a guarded instruction */
    WideLevel levels[WIDE_LEVELS];
} Wide;

/* wide_spread.c */
/* Writes the value, or the bits of a predicate (bytes 0), into the register at off in all threads. */
void wide_put_lanes(ExecBlock *b, uint32_t off, unsigned bytes, const AffineValue *x);
/* The register files hold it from now on. */
void wide_spread(ExecBlock *b, const IrOperand *o);
void wide_spread_all(ExecBlock *b);

/* wide_memory.c */
typedef enum WideAccess {
    WIDE_DONE,
    WIDE_BY_WARP,
    WIDE_ODD /* what the warps' own handlers tell apart */
} WideAccess;
WideAccess wide_access(ExecBlock *b, const IrInst *inst);

/* What an instruction accesses. */
typedef struct WideSpan {
    AffineValue at;            /* the address of each thread */
    uint32_t most[3];        /* largest index of the threads that take part */
    uint32_t bytes, element; /* of a thread; of a register */
    uint64_t low, end;
    MemAlloc *alloc; /* global */
    uint8_t *host;   /* of the address `at.base` */
    uint32_t warps;  /* to do now */
} WideSpan;

/* Register k of a load or store. */
const IrOperand *wide_register(const IrInst *inst, uint32_t k);
/* Fills in bytes and element. False: not of a kind that is done for a block. */
bool wide_elements(const IrInst *inst, WideSpan *s);
/* Tells the observers that take a block's access at once, but for those of `told` (a bit each). A bit for
 * each of the others, which are then told by warp: of a load here, of a store as it is done. */
uint32_t wide_tell(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t told);
/* Tells the observers that take rows of the same access in so many blocks, of which this is the first; a bit
 * for each that was told. */
uint32_t wide_tell_row(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t n_blocks,
                       int64_t block_step);
void wide_tell_warps(ExecBlock *b, const IrInst *inst, const WideSpan *s, uint32_t observers);
/* From the bytes at host, which are those of at.base, into the register of all active threads. */
void wide_load_rows(ExecBlock *b, const WideSpan *s, const IrOperand *o, uint8_t *host);
void wide_store(ExecBlock *b, const IrInst *inst, WideSpan *s, uint32_t observers);

/* wide.c */
/* Lends the warps what the worker keeps for the function. False: no memory. */
bool wide_load(ExecBlock *b);
void wide_count_active(ExecBlock *b);
/* Of a block with one dimension, or all: the first so many threads are active. */
void wide_activate_first(ExecBlock *b, uint32_t n_threads);
void wide_close_run(Wide *v, uint32_t end);
void wide_account(ExecBlock *b);
/* So few instructions are left to the launch that each warp's are watched. */
bool wide_is_near_limit(const ExecRun *run);

#endif
