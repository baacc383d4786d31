/* Faults and findings: telling the observers, and ending the launch. */
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <stdio.h>

bool exec_turn(ExecWarp *w)
{
    if (atomic_load_explicit(&w->block->has_turn, memory_order_acquire))
        return true;
    w->next_pc = w->pc;
    warp_stop(w, ACTION_TURN);
    return false;
}

/* The loop of the running split begins anew, and tells. A block whose warps go together leaves that first. */
void exec_look_followed(ExecWarp *w)
{
    bool wide = wide_is_on(w->block);
    if (!w->follow || (w->told && !wide))
        return;
    w->block->followed = true;
    if (!wide && w->action == ACTION_NONE)
        warp_stop(w, ACTION_FRAME);
}

/* Rows: what a fault makes of the launch, and how its diag calls it. */
static const struct {
    ExecError error;
    const char *text;
} outcomes[] = {
    [FAULT_OUT_OF_BOUNDS] = {EXEC_ILLEGAL_ADDRESS, "access outside of every allocation"},
    [FAULT_FREED] = {EXEC_ILLEGAL_ADDRESS, "access to freed memory"},
    [FAULT_NULL] = {EXEC_ILLEGAL_ADDRESS, "access through a null pointer"},
    [FAULT_HOST_POINTER] = {EXEC_ILLEGAL_ADDRESS, "access through a host pointer"},
    [FAULT_WRONG_SPACE] = {EXEC_INVALID_ADDRESS_SPACE, "access to the wrong address space"},
    [FAULT_MISALIGNED] = {EXEC_MISALIGNED, "misaligned access"},
    [FAULT_READ_ONLY] = {EXEC_ILLEGAL_ADDRESS, "write to read-only memory"},
    [FAULT_OTHER_DEVICE] = {EXEC_ILLEGAL_ADDRESS, "access to another device's memory"},
    [FAULT_BAD_CALL] = {EXEC_INVALID_PC, "call through a bad function pointer"},
    [FAULT_STACK] = {EXEC_STACK_OVERFLOW, "call stack overflow"},
    [FAULT_ASSERT] = {EXEC_ASSERT, "assertion failed"},
    [FAULT_TRAP] = {EXEC_TRAP, "trap"},
    [FAULT_TIMEOUT] = {EXEC_TIMEOUT, "instruction limit reached"},
    [FAULT_DEADLOCK] = {EXEC_DEADLOCK, "all threads wait"},
    [FAULT_INTERRUPTED] = {EXEC_INTERRUPTED, "the program was told to end"},
    [FAULT_UNSUPPORTED] = {EXEC_ILLEGAL_INSTRUCTION, "instruction not supported"},
    [FAULT_BARRIER_EXITED] = {EXEC_OK, ""},
    [FAULT_BARRIER_DIVERGENT] = {EXEC_OK, ""},
    [FAULT_SYNC_MASK] = {EXEC_OK, ""},
    [FAULT_SHUFFLE_SOURCE] = {EXEC_OK, ""},
    [FAULT_SHUFFLE_UNNAMED] = {EXEC_OK, ""},
    [FAULT_MATRIX_ALIGNMENT] = {EXEC_OK, ""},
    [FAULT_SURFACE_BOUNDS] = {EXEC_ILLEGAL_ADDRESS, "access outside of a surface"},
    [FAULT_TEXTURE_UNKNOWN] = {EXEC_ILLEGAL_ADDRESS, "no texture or surface object"},
    [FAULT_TEXTURE_MISUSED] = {EXEC_OK, ""},
};

void exec_note(ExecWarp *w, const IrFunction *function, const IrInst *inst, ExecFault fault)
{
    const ExecLaunch *launch = w->block->run->launch;
    fault.lane = (uint8_t)first_lane(fault.mask);
    for (int i = 0; i < 3; i++)
        fault.thread[i] = w->tid[i][fault.lane];
    if (fault.addr)
        fault.address = fault.addr[fault.lane];
    const ExecWho *who = sync_who(w, function, inst);
    EXEC_TELL(launch, fault, who, &fault);
}

static void fill_result(ExecRun *run, ExecError error, const IrFunction *f, const IrInst *inst, const char *text,
                        const char *detail)
{
    const IrLoc *loc = f && inst && inst->loc < f->n_locs ? &f->locs[inst->loc] : NULL;
    bool named = loc && loc->line && loc->file < run->module->n_files;
    run->result->error = error;
    diag_set_at(&run->result->diag, STATUS_INVALID, named ? run->module->files[loc->file] : "",
                named ? (int)loc->line : 0, 0, "%s%s%s", text, detail ? ": " : "", detail ? detail : "");
}

static void set_result(ExecRun *run, ExecError error, const IrFunction *f, const IrInst *inst,
                       const char *text, const char *detail)
{
    bool none = false;
    pthread_mutex_lock(&run->lock);
    if (atomic_compare_exchange_strong(&run->stop, &none, true))
        fill_result(run, error, f, inst, text, detail);
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

void exec_fault(ExecWarp *w, const IrInst *inst, ExecFault fault)
{
    if (!exec_turn(w))
        return;
    ExecRun *run = w->block->run;
    const IrFunction *f = w->frame ? w->frame->function : run->entry;
    exec_note(w, f, inst, fault);
    set_result(run, outcomes[fault.kind].error, f, inst, outcomes[fault.kind].text, fault.detail);
    warp_stop(w, ACTION_STOP);
}

void exec_end(ExecRun *run, ExecFaultKind kind, const IrFunction *f, const IrInst *inst, const char *detail)
{
    fill_result(run, outcomes[kind].error, f, inst, outcomes[kind].text, detail);
}

void exec_fail(ExecRun *run, ExecError error, const char *message)
{
    set_result(run, error, NULL, NULL, message, NULL);
}
