/* Control flow: branches, calls, returns, exits; fences and sleep. */
#include "common/vgpu/exec/split.h"

static void branch(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (mask == w->active)
        warp_jump(w, inst->target);
    else
        split_diverge(w, inst, mask, inst->target);
}

/* The lanes of `lanes` whose value of the operand is the same as the first one's. */
static uint32_t lanes_alike(const ExecWarp *w, const IrOperand *o, uint32_t lanes)
{
    uint64_t value = operand_value(w, o, first_lane(lanes));
    uint32_t alike = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        alike |= operand_value(w, o, first_lane(left)) == value ? 1u << first_lane(left) : 0;
    return alike;
}

/* brx.idx: the lanes of the first target go on, each other group becomes a split. */
static void branch_indexed(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const IrOperand *index = &inst->src[0];
    if (!split_isolate(w, mask))
        return;
    uint32_t bad = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        bad |= operand_value(w, index, first_lane(left)) >= inst->n_targets ? 1u << first_lane(left) : 0;
    if (bad) {
        exec_fault(w, inst,
                   (ExecFault){.kind = FAULT_BAD_CALL, .mask = bad, .detail = "branch index out of range"});
        return;
    }
    uint32_t first = lanes_alike(w, index, mask);
    uint32_t target = inst->targets[operand_value(w, index, first_lane(mask))];
    if (first != mask) {
        ExecJoin *j = split_join_for(w, inst);
        if (!j)
            return;
        count_divergence(w);
        warp_close_run(w, w->pc + 1);
        for (uint32_t left = mask & ~first; left;) {
            uint32_t group = lanes_alike(w, index, left);
            split_new(warp_of(w), group, inst->targets[operand_value(w, index, first_lane(group))], w->frame,
                      j);
            left &= ~group;
        }
        w->split->join = j;
        w->stop_pc = j->pc;
        split_set_lanes(w, first);
    }
    warp_jump(w, target);
}

/* Which function a pointer names; -1: none. */
static int64_t function_at(const ExecWarp *w, uint64_t address)
{
    uint64_t offset = address - IR_FUNCTION_WINDOW;
    const IrModule *m = w->block->run->module;
    if (offset % 16 || offset / 16 >= m->n_functions || m->functions[offset / 16].n_insts == 0)
        return -1;
    return m->functions[offset / 16].is_entry ? -1 : (int64_t)(offset / 16);
}

/* A call through a pointer: lanes that call something else than the first one come again as a split of their
 * own. */
static void call_indirect(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t alike = lanes_alike(w, &inst->src[0], mask);
    int64_t function = function_at(w, operand_value(w, &inst->src[0], first_lane(mask)));
    if (function < 0) {
        exec_fault(w, inst,
                   (ExecFault){.kind = FAULT_BAD_CALL,
                               .mask = alike,
                               .address = operand_value(w, &inst->src[0], first_lane(mask))});
        return;
    }
    if (alike != mask) {
        ExecJoin *j = split_join_for(w, inst);
        if (!j)
            return;
        split_new(warp_of(w), mask & ~alike, w->pc, w->frame, j);
        split_part(w, j, alike);
    }
    frame_push(w, inst, (uint32_t)function);
}

static void call(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const IrCall *c = inst->call;
    if (c->builtin != BUILTIN_NONE) {
        exec_builtin(w, inst, mask);
        return;
    }
    if (!split_isolate(w, mask))
        return;
    if (c->function < 0)
        call_indirect(w, inst, mask);
    else
        frame_push(w, inst, (uint32_t)c->function);
}

static void leave_frame(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)inst;
    split_exit(w, mask);
}

static void ret(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (w->frame->call)
        frame_pop(w);
    else
        leave_frame(w, inst, mask);
}

static void trap(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    exec_fault(w, inst, (ExecFault){.kind = FAULT_TRAP, .mask = mask});
}

static void sleep(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)inst, (void)mask;
    w->polls += EXEC_POLLS_MAX / 4;
}

static void fence(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecLaunch *launch = w->block->run->launch;
    const ExecWho *who = exec_who(w, w->frame->function, inst);
    atomic_thread_fence(memory_order_seq_cst);
    EXEC_TELL(launch, fence, who, mask, (IrSem)inst->sem, (IrScope)inst->scope);
}

static void do_nothing(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)w, (void)inst, (void)mask;
}

IrHandler exec_control_handler(const IrInst *inst)
{
    switch (inst->opcode) {
    case PTX_BRA:
        return branch;
    case PTX_BRX:
        return branch_indexed;
    case PTX_CALL:
        return inst->call ? call : NULL;
    case PTX_RET:
        return ret;
    case PTX_EXIT:
        return leave_frame;
    case PTX_TRAP:
        return trap;
    case PTX_BAR:
    case PTX_BARRIER:
        return inst->mode == BAR_WARP ? exec_sync_gate : exec_barrier;
    case PTX_MEMBAR:
    case PTX_FENCE:
        return fence;
    case PTX_NANOSLEEP:
        return sleep;
    case PTX_BRKPT:
    case PTX_PMEVENT:
    case PTX_GRIDDEPCONTROL:
    case PTX_SETMAXNREG:
        return do_nothing;
    default:
        return NULL;
    }
}
