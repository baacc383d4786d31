/* plan: what every block of a launch does, worked out once. Theory of operation:
 *
 * In many kernels no branch and no address depends on loaded data: an index, an address, a loop counter is
 *
 *      base + x * step[0] + y * step[1] + z * step[2] + X * step[3] + Y * step[4] + Z * step[5]
 *
 * in thread (x, y, z) of block (X, Y, Z). Before the launch begins the kernel is walked through with such
 * values (plan_make.c, plan_condition.c, affine.c), as a block in the middle of the grid goes; what is left of it is a list
 * of steps without any branch: loads and stores at addresses of that form, the arithmetic on what was loaded,
 * barriers. The walk also gives the conditions under which a block goes that way: that it decides its
 * branches so, and that its addresses stay in the same allocations. They are few, since those with the same
 * steps in (X, Y, Z) are one interval (PlanMove).
 *
 * Where only the first threads of a block with one dimension go into a branch (t < 64), and all meet behind
 * it, the steps in between are theirs alone (PLAN_ACTIVE). What they write is of no use to all threads
 * together, unless the registers hold something for the others too.
 *
 * A block that meets the conditions goes through the list (plan_run.c). Each other one (at the grid's edge,
 * or about to fault) runs as if there were no plan, and when the walk meets anything else (a branch on which
 * the threads of that block part, an address out of memory, atomics, calls, waits) there is none.
 *
 * A float operation takes what was loaded for it alone straight from memory (plan_fuse.c, plan_float.c): of
 * most loads nothing is left but that the observers are told.
 *
 * Observers are told of the same accesses and barriers in the same order as in wide.h, and the counts are the
 * same. Only an observer that takes rows is told of a step in many blocks before it is told of the next step.
 */
#ifndef COMMON_VGPU_EXEC_AFFINE_PLAN_H
#define COMMON_VGPU_EXEC_AFFINE_PLAN_H

#include "common/vgpu/exec/affine/wide.h"
#include "common/vgpu/exec/schedule.h"

enum {
    PLAN_BLOCKS_MIN = 4,      /* of a launch that is worth a plan */
    PLAN_STEPS_MAX = 1 << 14, /* of a plan */
    PLAN_INSTS_MAX = 1 << 16, /* that the walk goes through */
    PLAN_MOVES_MAX = 32,
    PLAN_SOURCES = 3,      /* of a float operation */
    PLAN_LEVELS = 8,       /* branches within branches */
    PLAN_ROW_STEPS = 2048, /* of a plan whose accesses are told for a row of blocks at once */
};

/* How far something moves from block to block: shift = X * step[0] + Y * step[1] + Z * step[2] bytes, or
 * whatever it counts. A block goes as planned when its shifts are from min to max. */
typedef struct PlanMove {
    int64_t step[3];
    int64_t min, max;
} PlanMove;

typedef enum PlanKind {
    PLAN_NOTHING,
    PLAN_LOAD,
    PLAN_STORE,
    PLAN_TELL,   /* a load of which only the observers hear */
    PLAN_SPREAD, /* a value goes into the register files */
    PLAN_RUN,    /* the warps' own handlers */
    PLAN_FLOAT,
    PLAN_BARRIER,
    PLAN_ACTIVE, /* from here on the first threads only, or all again */
} PlanKind;

typedef enum PlanFloatOp { PLAN_ADD, PLAN_SUB, PLAN_MUL, PLAN_FMA, PLAN_NO_FLOAT } PlanFloatOp;

/* Where a float operation has a source, row after row of lanes: in registers, in constants, or in memory. */
typedef struct PlanSource {
    uint8_t kind;     /* IrOperandKind: IR_REG, IR_CONST; IR_NONE: memory */
    bool alike;       /* memory: one word for a row, not one for each lane */
    bool shared;      /* memory: the block's own */
    uint16_t move;    /* memory: PlanStep.move */
    uint32_t off;     /* of the register or the constant */
    int32_t row_step; /* memory: bytes from a row to the next one */
    uintptr_t at;     /* memory: where that of block (0, 0, 0) is; shared: from the beginning */
} PlanSource;

typedef struct PlanStep {
    uint8_t kind;  /* PlanKind */
    uint8_t op;    /* FLOAT: PlanFloatOp */
    uint8_t bytes; /* SPREAD: of a lane; 0: a predicate */
    bool whole;    /* all lanes of the active warps are active */
    bool keeps;    /* lanes that are not active have something in the register written */
    uint16_t move; /* LOAD, STORE, TELL, SPREAD: of Plan.moves */
    uint32_t off;  /* SPREAD, FLOAT: the register written; BARRIER: its number; ACTIVE: how many threads */
    const IrInst *inst;
    union {
        WideSpan
            span; /* LOAD, STORE, TELL: what is accessed; SPREAD: `at` is the value; of block (0, 0, 0) */
        PlanSource src[PLAN_SOURCES]; /* FLOAT */
    };
} PlanStep;

typedef struct Plan {
    PlanStep *steps;
    uint32_t n_steps, n_moves;
    bool tells_rows; /* somebody wants to be told of rows of blocks, and nothing of a block's own comes in
                        between */
    PlanMove moves[PLAN_MOVES_MAX];
    uint64_t insts, divergent; /* of a block: warp instructions, and branches on which lanes part */
    ExecPc *pcs;               /* counts of a block: runs, lanes, diverged; n_insts + 1 */
} Plan;

/* Of a register, beside what there is in affine.h. */
enum {
    HELD_MIXED = 16,                           /* some threads' own: nobody may read it */
    HELD_FIRST_FALSE = 32, HELD_FIRST_TRUE = 64, /* a predicate of which the first threads have this one, and the others not */
};

/* What is known where the walk stands. */
typedef struct PlanState {
    AffineState affine; /* of the grid; affine.most is that of the active threads */
    Plan *plan;
    uint32_t *firsts;   /* HELD_FIRST_...: how many threads, by offset / 4 */
    int64_t at[3];      /* the block that decides */
    ExecWarp *warp;     /* in whose registers is worked out what is alike everywhere */
} PlanState;

/* plan_condition.c */
/* Does an instruction on known values. False: nothing was done. */
bool plan_compute(PlanState *s, const IrInst *inst);
/* Of a comparison whose outcome goes into the register files: notes it when the first threads differ from the
 * others alone. */
void plan_note_first(PlanState *s, const IrInst *inst);
/* Shifts with these steps shall be from min to max; *move: which of the plan's moves that is. False: they are
 * not in the deciding block, or these are too many. */
bool plan_demand(PlanState *s, const int64_t step[3], int64_t min, int64_t max, uint16_t *move);

/* plan_fuse.c: float operations take what they can from memory. */
void plan_fuse(Plan *plan, const ExecRun *run);

/* plan_float.c */
PlanFloatOp plan_float_op(const IrInst *inst);
void plan_float(const ExecBlock *b, const PlanStep *step, const int64_t *shifts);

#endif
