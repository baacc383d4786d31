/* Warp-synchronising operations (shfl, vote, match, redux, elect .sync, bar.warp.sync): lanes wait for each
 * other.
 *
 * exec_sync_gate stands before the operation's own handler. When all live lanes that an executing lane's mask
 * names are executing with it, the operation runs at once. Else the split is parked (SPLIT_SYNC) until they
 * stand at the same instruction, and the operation runs for all of them together; lanes that called the
 * function from elsewhere have registers in another frame: their operands are brought into the first split's
 * frame, whose slots for these lanes nobody uses, and the results taken back.
 */
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

const IrOperand *sync_mask_operand(const IrInst *inst)
{
    const IrOperand *o = NULL;
    switch (inst->opcode) {
    case PTX_SHFL:
        o = &inst->src[3];
        break;
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_REDUX:
        o = &inst->src[1];
        break;
    case PTX_ELECT:
        o = &inst->src[0];
        break;
    case PTX_BAR:
    case PTX_BARRIER:
        o = inst->mode == BAR_WARP ? &inst->src[0] : NULL;
        break;
    default:
        o = inst->tensor ? &inst->src[3] : NULL;
        break;
    }
    return o && o->kind != IR_NONE && !inst->async ? o : NULL;
}

/* Lanes that meet at an instruction. */
typedef struct Meeting {
    Warp *warp;
    const IrFunction *function;
    const IrInst *inst;
    uint32_t pc;
    uint32_t slots;             /* splits that stand there */
    uint32_t lanes;             /* all of theirs */
    uint32_t named[WARP_LANES]; /* by each lane */
} Meeting;

static const uint8_t *operand_lanes(const Meeting *m, const ExecSplit *s, const IrOperand *o)
{
    const ExecCode *code = worker_code(m->warp->base.block->worker, s->frame->index);
    return o->kind == IR_CONST ? code->pool + o->off : s->frame->regs + o->off;
}

static void add_split(Meeting *m, int slot)
{
    const ExecSplit *s = &m->warp->splits[slot];
    const uint32_t *named = (const uint32_t *)operand_lanes(m, s, sync_mask_operand(m->inst));
    m->slots |= 1u << slot;
    m->lanes |= s->mask;
    for (uint32_t left = s->mask; left; left &= left - 1)
        m->named[first_lane(left)] = named[first_lane(left)];
}

/* Live lanes that those of the split need and that are not there. */
static uint32_t missing_for(const Meeting *m, uint32_t lanes)
{
    uint32_t missing = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        missing |= m->named[first_lane(left)] & m->warp->base.live & ~m->lanes;
    return missing;
}

/* Sends splits away that still miss lanes, until those left miss none. */
static void drop_incomplete(Meeting *m)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t left = m->slots; left; left &= left - 1) {
            uint32_t slot = (uint32_t)first_lane(left);
            uint32_t mask = m->warp->splits[slot].mask;
            if (!missing_for(m, mask))
                continue;
            m->slots &= ~(1u << slot);
            m->lanes &= ~mask;
            again = true;
        }
    }
}

/* Lanes that nobody waits for are those that have exited; an operation on matrices needs all that there were. */
static uint32_t needed_lanes(const Warp *warp, const IrInst *inst)
{
    return inst->tensor ? warp->exists : warp->base.live;
}

static void note_mask(const Meeting *m, uint32_t lanes, const char *what)
{
    if (lanes)
        exec_note(&m->warp->base, m->function, m->inst, (ExecFault){.kind = FAULT_SYNC_MASK, .mask = lanes, .detail = what});
}

/* Lanes named that cannot come: they are somewhere else for good; and lanes that do not name themselves. */
static void note_wrong_masks(const Meeting *m)
{
    uint32_t absent = 0, unnamed = 0;
    for (uint32_t left = m->lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        absent |= m->named[lane] & needed_lanes(m->warp, m->inst) & ~m->lanes;
        unnamed |= m->named[lane] >> lane & 1 ? 0 : 1u << lane;
    }
    note_mask(m, absent, "whose mask names lanes that do not take part");
    note_mask(m, unnamed, "that lanes execute which its mask does not name");
}

static void copy_lanes(uint8_t *to, const uint8_t *from, const IrOperand *o, uint32_t mask)
{
    size_t bytes = o->bytes;
    if (bytes == 0) { /* a predicate */
        *(uint32_t *)to = (*(uint32_t *)to & ~mask) | (*(const uint32_t *)from & mask);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1)
        memcpy(to + bytes * (size_t)first_lane(left), from + bytes * (size_t)first_lane(left), bytes);
}

static void copy_operand(uint8_t *to_regs, const uint8_t *from_regs, const IrOperand *o, uint32_t mask)
{
    if (o->kind == IR_REG)
        copy_lanes(to_regs + o->off, from_regs + o->off, o, mask);
}

static void exchange(const Meeting *m, const ExecFrame *frame, bool bring)
{
    for (uint32_t left = m->slots; left; left &= left - 1) {
        const ExecSplit *s = &m->warp->splits[first_lane(left)];
        if (s->frame == frame)
            continue;
        for (int i = 0; bring && i < 4; i++)
            copy_operand(frame->regs, s->frame->regs, &m->inst->src[i], s->mask);
        /* results come back; bringing them first keeps what the operation leaves alone */
        copy_operand(bring ? frame->regs : s->frame->regs, bring ? s->frame->regs : frame->regs,
                     &m->inst->dst, s->mask);
        copy_operand(bring ? frame->regs : s->frame->regs, bring ? s->frame->regs : frame->regs,
                     &m->inst->dst2, s->mask);
        for (uint32_t i = 0; m->inst->tensor && i < m->inst->n_vec; i++)
            copy_operand(bring ? frame->regs : s->frame->regs, bring ? s->frame->regs : frame->regs,
                         &m->inst->vec[i], s->mask);
    }
}

static IrHandler operation(ExecPc *p, const IrInst *inst)
{
    if (!p->sync && inst->tensor)
        p->sync = exec_tensor_handler(inst);
    if (!p->sync)
        p->sync = inst->opcode == PTX_BAR || inst->opcode == PTX_BARRIER ? exec_warp_barrier
                                                                         : exec_lanes_handler(inst);
    return p->sync;
}

/* Runs the operation once for each set of lanes that name the same lanes. */
static void operate(ExecWarp *w, ExecPc *p, const IrInst *inst, uint32_t lanes, const uint32_t *named)
{
    while (lanes) {
        uint32_t group = 0, same = named[first_lane(lanes)];
        for (uint32_t left = lanes; left; left &= left - 1)
            group |= named[first_lane(left)] == same ? 1u << first_lane(left) : 0;
        operation(p, inst)(w, inst, group);
        lanes &= ~group;
    }
}

static void hold_meeting(Meeting *m)
{
    Warp *warp = m->warp;
    ExecWarp *w = &warp->base;
    const ExecFrame *frame = warp->splits[first_lane(m->slots)].frame;
    const ExecCode *code = worker_code(w->block->worker, frame->index);
    note_wrong_masks(m);
    w->regs = frame->regs;
    w->pool = code->pool;
    w->frame = warp->splits[first_lane(m->slots)].frame;
    w->frame_base = frame->base;
    exchange(m, frame, true);
    operate(w, &code->pcs[m->pc], m->inst, m->lanes, m->named);
    exchange(m, frame, false);
    for (uint32_t left = m->slots; left; left &= left - 1) {
        ExecSplit *s = &warp->splits[first_lane(left)];
        s->pc = m->pc + 1;
        split_wake(warp, s);
    }
    split_merge(warp);
}

/* Tries the instruction where a parked split stands. */
static bool try_meeting(Warp *warp, int slot, bool forced)
{
    const ExecSplit *s = &warp->splits[slot];
    if (!worker_code(warp->base.block->worker, s->frame->index)) {
        exec_fail(warp->base.block->run, EXEC_NO_MEMORY, "no memory for a function's counters");
        return false;
    }
    Meeting m = {
        .warp = warp, .function = s->frame->function, .pc = s->pc, .inst = &s->frame->function->insts[s->pc]};
    for (uint32_t left = warp->parked; left; left &= left - 1) {
        const ExecSplit *t = &warp->splits[first_lane(left)];
        if (t->pc == m.pc && t->frame->function == m.function)
            add_split(&m, first_lane(left));
    }
    if (!forced)
        drop_incomplete(&m);
    if (!m.slots)
        return false;
    hold_meeting(&m);
    return true;
}

bool sync_resolve(Warp *warp, bool forced)
{
    bool any = false;
    for (uint32_t left = warp->parked; left; left &= left - 1)
        if (warp->parked >> first_lane(left) & 1)
            any |= try_meeting(warp, first_lane(left), false);
    if (!any && warp->parked && !warp->ready)
        any = split_leave_ends(warp);
    if (any || !warp->parked || warp->ready)
        return any;
    bool may_be_woken = false; /* lanes at a barrier may come yet */
    for (int k = 0; k < WARP_LANES; k++)
        may_be_woken |= warp->splits[k].state == SPLIT_BARRIER;
    if (may_be_woken && !forced)
        return false;
    return try_meeting(warp, first_lane(warp->parked), true);
}

/* True when every lane of mask names the same lanes, which are then in *named. */
static bool all_name_same(const ExecWarp *w, const IrOperand *o, uint32_t mask, uint32_t *named)
{
    const uint32_t *lanes = warp_src(w, o);
    uint32_t differ = 0;
    *named = lanes[first_lane(mask)];
    if (o->kind == IR_CONST)
        return true;
    for (int lane = 0; lane < WARP_LANES; lane++)
        differ |= mask >> lane & 1 ? lanes[lane] ^ *named : 0;
    return differ == 0;
}

bool sync_is_whole(const ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t named;
    return all_name_same(w, sync_mask_operand(inst), mask, &named) &&
           (named & needed_lanes((const Warp *)w, inst) & ~mask) == 0 && (mask & ~named) == 0;
}

void exec_sync_gate(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Warp *warp = warp_of(w);
    if (!warp->parked && sync_is_whole(w, inst, mask)) {
        operation(&w->pcs[w->pc], inst)(w, inst, mask);
        return;
    }
    if (!split_isolate(w, mask))
        return;
    ExecSplit *s = w->split;
    s->state = SPLIT_SYNC;
    s->pc = w->pc;
    warp->ready &= ~(1u << (s - warp->splits));
    warp->parked |= 1u << (s - warp->splits);
    w->next_pc = w->pc + 1; /* the instruction counts as retired */
    warp_stop(w, ACTION_PARK);
}
