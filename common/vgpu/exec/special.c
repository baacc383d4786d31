/* Special registers, addresses of frames and conversions of addresses between spaces: mov, cvta, isspacep. */
#include "common/vgpu/exec/split.h"

#include <string.h>

/* Writes one 64-bit value a lane, cut to the register's width, in the lanes of mask. */
EXEC_CLONES static void put(ExecWarp *w, const IrOperand *dst, const uint64_t *values, uint32_t mask)
{
    void *lanes = warp_dst(w, dst);
#define PUT_LANES(type)                                                                                      \
    for (int lane = 0; lane < WARP_LANES; lane++)                                                            \
    ((type *)lanes)[lane] = mask >> lane & 1 ? (type)values[lane] : ((type *)lanes)[lane]
    if (dst->bytes == 2)
        PUT_LANES(uint16_t);
    else if (dst->bytes == 4)
        PUT_LANES(uint32_t);
    else
        PUT_LANES(uint64_t);
#undef PUT_LANES
}

/* The virtual clock: cycles that the block's instructions so far have taken. */
static uint64_t clock_now(const ExecWarp *w)
{
    const ExecHost *host = w->block->run->launch->host;
    return (host ? host->clock_start : 0) + warp_retired(w) * EXEC_CYCLES_PER_INST;
}

static uint64_t of_thread(const ExecWarp *w, PtxSreg sreg, uint32_t lane)
{
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
        return w->tid[sreg - PTX_SREG_TID_X][lane];
    case PTX_SREG_LANEID:
        return lane;
    case PTX_SREG_LANEMASK_EQ:
        return 1u << lane;
    case PTX_SREG_LANEMASK_LE:
        return FULL_MASK >> (31 - lane);
    case PTX_SREG_LANEMASK_LT:
        return (1u << lane) - 1;
    case PTX_SREG_LANEMASK_GE:
        return (uint32_t)(FULL_MASK << lane);
    case PTX_SREG_LANEMASK_GT:
        return (uint32_t)(FULL_MASK << lane << 1);
    default:
        return 0;
    }
}

bool sreg_differs_by_lane(PtxSreg sreg)
{
    return sreg <= PTX_SREG_TID_Z || sreg == PTX_SREG_LANEID ||
           (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT);
}

/* What all threads of a warp read alike. A block is a cluster of its own. */
uint64_t sreg_of_warp(const ExecWarp *w, PtxSreg sreg)
{
    const ExecBlock *b = w->block;
    const ExecRun *run = b->run;
    const ExecLaunch *l = run->launch;
    uint32_t n_sms = l->n_sms ? l->n_sms : 1;
    switch (sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
        return l->block[sreg - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
        return b->index[sreg - PTX_SREG_CTAID_X];
    case PTX_SREG_CLUSTERID_X:
    case PTX_SREG_CLUSTERID_Y:
    case PTX_SREG_CLUSTERID_Z:
        return b->index[sreg - PTX_SREG_CLUSTERID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
        return l->grid[sreg - PTX_SREG_NCTAID_X];
    case PTX_SREG_NCLUSTERID_X:
    case PTX_SREG_NCLUSTERID_Y:
    case PTX_SREG_NCLUSTERID_Z:
        return l->grid[sreg - PTX_SREG_NCLUSTERID_X];
    case PTX_SREG_CLUSTER_NCTAID_X:
    case PTX_SREG_CLUSTER_NCTAID_Y:
    case PTX_SREG_CLUSTER_NCTAID_Z:
    case PTX_SREG_CLUSTER_NCTARANK:
        return 1;
    case PTX_SREG_WARPID:
        return w->index;
    case PTX_SREG_NWARPID:
        return EXEC_WARPS_MAX;
    case PTX_SREG_SMID:
        return b->linear % n_sms;
    case PTX_SREG_NSMID:
        return n_sms;
    case PTX_SREG_GRIDID:
        return l->grid_id;
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER: /* a clock of 1 GHz */
    case PTX_SREG_GLOBALTIMER_LO:
        return clock_now(w);
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_GLOBALTIMER_HI:
        return clock_now(w) >> 32;
    case PTX_SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared;
    case PTX_SREG_TOTAL_SMEM_SIZE:
    case PTX_SREG_AGGR_SMEM_SIZE:
        return run->shared_bytes;
    case PTX_SREG_ENVREG1: /* the grid barrier's workspace: high half, low half */
        return l->grid_workspace >> 32;
    case PTX_SREG_ENVREG2:
        return l->grid_workspace & 0xFFFFFFFFu;
    default:
        return 0;
    }
}

static void mov_sreg(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    uint64_t values[WARP_LANES];
    uint64_t common = sreg_differs_by_lane(sreg) ? 0 : sreg_of_warp(w, sreg);
    if (inst->dst.bytes == 0) { /* %is_explicit_cluster */
        warp_set_pred(w, &inst->dst, common ? FULL_MASK : 0, mask);
        return;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        values[lane] = sreg_differs_by_lane(sreg) ? of_thread(w, sreg, lane) : common;
    put(w, &inst->dst, values, mask);
}

/* The usual ones, to a register of 32 bits, with all lanes active. */
static void mov_tid(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (mask != FULL_MASK) {
        mov_sreg(w, inst, mask);
        return;
    }
    memcpy(warp_dst(w, &inst->dst), w->tid[inst->src[0].off - PTX_SREG_TID_X], sizeof w->tid[0]);
}

static void mov_common(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (mask != FULL_MASK) {
        mov_sreg(w, inst, mask);
        return;
    }
    uint32_t value = (uint32_t)sreg_of_warp(w, (PtxSreg)inst->src[0].off), *dst = warp_dst(w, &inst->dst);
    for (int lane = 0; lane < WARP_LANES; lane++)
        dst[lane] = value;
}

static IrHandler sreg_handler(const IrInst *inst)
{
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    if (inst->dst.bytes != 4)
        return mov_sreg;
    if (sreg >= PTX_SREG_TID_X && sreg <= PTX_SREG_TID_Z)
        return mov_tid;
    return sreg_differs_by_lane(sreg) ? mov_sreg : mov_common;
}

static void mov_frame(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint64_t values[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        values[lane] = w->frame_base + inst->src[0].off;
    put(w, &inst->dst, values, mask);
}

uint64_t exec_window_of(uint8_t space)
{
    switch (space) {
    case SPACE_SHARED:
        return MEM_SHARED_WINDOW;
    case SPACE_LOCAL:
    case SPACE_FRAME:
        return MEM_LOCAL_WINDOW;
    case SPACE_PARAM:
        return MEM_PARAM_WINDOW;
    default:
        return 0; /* global and const addresses are generic ones */
    }
}

static void cvta(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint64_t values[WARP_LANES], window = exec_window_of(inst->space);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t a = operand_value(w, &inst->src[0], lane);
        values[lane] = inst->to ? a - window : a + window;
    }
    put(w, &inst->dst, values, mask);
}

static bool is_in_space(ExecWarp *w, uint64_t a, uint8_t space)
{
    if (exec_window_of(space))
        return a - exec_window_of(space) < MEM_WINDOW_BYTES;
    bool in_window = a - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES || a - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES ||
                     a - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES;
    return !in_window && exec_is_const(w, a) == (space == SPACE_CONST);
}

static void isspacep(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t bits = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        bits |= is_in_space(w, operand_value(w, &inst->src[0], lane), inst->space) ? 1u << lane : 0;
    }
    warp_set_pred(w, &inst->dst, bits, mask);
}

IrHandler exec_special_handler(const IrInst *inst)
{
    if (inst->opcode == PTX_CVTA) {
        IrHandler usual = exec_alu_handler(inst);
        return usual ? usual : cvta;
    }
    if (inst->opcode == PTX_ISSPACEP)
        return isspacep;
    if (inst->opcode == PTX_MOV && inst->src[0].kind == IR_SREG)
        return sreg_handler(inst);
    if (inst->opcode == PTX_MOV && inst->src[0].kind == IR_FRAME)
        return mov_frame;
    return NULL;
}
