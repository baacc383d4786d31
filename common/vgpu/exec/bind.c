/* Binding: which handler runs each decoded instruction. */
#include "common/vgpu/exec/alu/alu_index.h"
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <stdlib.h>

enum { TEXT_BYTES = 256 };

static void unsupported(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    char text[TEXT_BYTES];
    ir_print(w->block->run->module, w->frame->function, w->pc, text, sizeof text);
    exec_fault(w, inst, (ExecFault){.kind = FAULT_UNSUPPORTED, .mask = mask, .detail = text});
}

static IrHandler handler_for(const AluIndex *index, const IrInst *inst)
{
    if (inst->async)
        return exec_async_handler(inst);
    if (inst->texture)
        return exec_texture_handler(inst);
    if (inst->video)
        return exec_video_handler(inst);
    IrHandler h = exec_special_handler(inst);
    if (!h)
        h = exec_extra_handler(inst);
    if (inst->tensor)
        return exec_tensor_handler(inst) ? exec_sync_gate : NULL;
    if (!h && sync_mask_operand(inst) &&
        (inst->opcode == PTX_BAR || inst->opcode == PTX_BARRIER || exec_lanes_handler(inst)))
        return exec_sync_gate;
    h = h ? h : alu_index_handler(index, inst);
    h = h ? h : exec_lanes_handler(inst);
    h = h ? h : exec_memory_handler(inst);
    return h ? h : exec_control_handler(inst);
}

static Status refuse_instruction(const IrModule *m, const IrFunction *f, uint32_t pc, Diag *diag)
{
    char text[TEXT_BYTES];
    const IrInst *inst = &f->insts[pc];
    const IrLoc *loc = inst->loc < f->n_locs ? &f->locs[inst->loc] : NULL;
    bool named = loc && loc->line && loc->file < m->n_files;
    ir_print(m, f, pc, text, sizeof text);
    return diag_set_at(diag, STATUS_UNSUPPORTED, named ? m->files[loc->file] : "", named ? (int)loc->line : 0,
                       0, "%s: no handler for %s", f->name, text);
}

static bool reads_clock(const IrInst *inst)
{
    if (inst->opcode != PTX_MOV || inst->src[0].kind != IR_SREG)
        return false;
    switch (inst->src[0].off) {
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
    case PTX_SREG_GLOBALTIMER_HI:
        return true;
    default:
        return false;
    }
}

/* What calls a function may call one that reads the clock, if there is any. */
static void find_clocks(IrModule *m)
{
    bool any = false;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        IrFunction *f = &m->functions[i];
        for (uint32_t pc = 0; pc < f->n_insts; pc++)
            f->uses_clock |= reads_clock(&f->insts[pc]);
        any |= f->uses_clock && !f->is_entry;
    }
    for (uint32_t i = 0; any && i < m->n_functions; i++)
        for (uint32_t pc = 0; pc < m->functions[i].n_insts; pc++)
            m->functions[i].uses_clock |= m->functions[i].insts[pc].opcode == PTX_CALL;
}

Status exec_bind(IrModule *m, Diag *diag)
{
    Status first = STATUS_OK;
    AluIndex *index = alu_index_new();
    for (uint32_t i = 0; i < m->n_functions; i++) {
        IrFunction *f = &m->functions[i];
        for (uint32_t pc = 0; pc < f->n_insts; pc++) {
            IrHandler h = handler_for(index, &f->insts[pc]);
            f->insts[pc].handler = h ? h : unsupported;
            f->insts[pc].wide = wide_kind(&f->insts[pc], h);
            f->insts[pc].n_src = wide_sources(&f->insts[pc]);
            if (!h && first == STATUS_OK)
                first = refuse_instruction(m, f, pc, diag);
        }
    }
    free(index);
    find_clocks(m);
    return first;
}
