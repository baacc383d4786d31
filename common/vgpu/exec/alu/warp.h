/* warp: what an instruction handler sees of a warp. Shared by the handlers of exec (alu_*.c, memory.c, control.c...).
 *
 * A handler gets the warp, the instruction and the mask of lanes that execute (guard applied, never 0).
 * It writes its destination in those lanes only; the full mask is the common case and gets a loop of its own
 * that the compiler vectorises.
 */
#ifndef COMMON_VGPU_EXEC_ALU_WARP_H
#define COMMON_VGPU_EXEC_ALU_WARP_H

#include "common/vgpu/ir/ir.h"

struct ExecBlock;
struct ExecFrame;
struct ExecPc;
struct ExecSplit;

typedef struct ExecWarp {
    uint8_t *regs;           /* register file of the running split's current frame */
    const uint8_t *pool;     /* constant pool of the current function */
    uint32_t frame_base;     /* offset of the current frame in each lane's local memory */
    uint32_t live;           /* lanes that exist and have not exited */
    uint32_t index;          /* in the block */
    uint32_t pc;             /* of the instruction that runs; handlers of control flow change `next_pc` */
    uint32_t next_pc;
    struct ExecSplit *split; /* the running split */
    struct ExecBlock *block;
    uint32_t tid[3][WARP_LANES] __attribute__((aligned(64)));
    uint32_t carry; /* CC.CF of each lane, for add.cc, addc and their kin: a lane's own, so splits share it; 0 when a warp starts */
    /* exec's own: the state of the run loop (run.c) */
    uint32_t active;         /* lanes of the running split */
    uint32_t n_active;
    uint32_t stop_pc;        /* the loop stops before it: where the split joins others, or where a handler stopped it */
    uint32_t run_start;      /* first instruction since the last taken branch: [run_start, pc] is straight-line code */
    int32_t fuel;            /* instructions that the warp may still retire in this slice */
    uint32_t polls;          /* signs of waiting for somebody since the last store (see exec.h), and EXEC_CALM */
    uint32_t action;         /* why a handler stopped the loop */
    bool follow;             /* an observer wants to be told of each instruction (ExecWho.follow) */
    bool told;               /* and the loop that runs does so */
    const IrInst *insts;     /* of the current function */
    struct ExecPc *pcs;      /* what the worker keeps for each of them */
    struct ExecFrame *frame;
} ExecWarp;

#define FULL_MASK 0xFFFFFFFFu

/* Lane array of a source operand (IR_REG or IR_CONST). */
static inline const void *warp_src(const ExecWarp *w, const IrOperand *o)
{
    return (o->kind == IR_CONST ? w->pool : w->regs) + o->off;
}

/* Lane array of a destination register. */
static inline void *warp_dst(const ExecWarp *w, const IrOperand *o)
{
    return w->regs + o->off;
}

/* A predicate operand as a mask, negation applied. */
static inline uint32_t warp_pred(const ExecWarp *w, const IrOperand *o)
{
    uint32_t p = *(const uint32_t *)((o->kind == IR_CONST ? w->pool : w->regs) + o->off);
    return o->negated ? ~p : p;
}

/* Writes predicate bits in the lanes of mask. */
static inline void warp_set_pred(const ExecWarp *w, const IrOperand *o, uint32_t bits, uint32_t mask)
{
    uint32_t *p = (uint32_t *)(w->regs + o->off);
    *p = (*p & ~mask) | (bits & mask);
}

/* Handler for an arithmetic, conversion, comparison, logic, move or bit instruction (no memory, no control flow, no other
 * lane); NULL when there is none for this opcode, type and modifiers. In alu.c; exec_bind asks it first. */
IrHandler exec_alu_handler(const IrInst *inst);
/* Handlers that look across lanes: shfl vote match redux activemask elect. In lanes.c. */
IrHandler exec_lanes_handler(const IrInst *inst);
/* Loads, stores, atomics, fences. In memory.c. */
IrHandler exec_memory_handler(const IrInst *inst);
/* Branches, calls, barriers, exits. In control.c. */
IrHandler exec_control_handler(const IrInst *inst);

#endif
