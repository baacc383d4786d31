/* Warp-synchronising operations (shfl, vote, match, redux, elect .sync, bar.warp.sync): lanes wait for each
 * other.
 *
 * exec_sync_gate stands before the operation's own handler. When all live lanes that an executing lane's mask
 * names are executing with it, the operation runs at once. Else the split is parked (SPLIT_SYNC) until they
 * stand at the same instruction, and the operation runs for all of them together; lanes that called the
 * function from elsewhere have registers in another frame: their operands are brought into the first split's
 * frame, whose slots for these lanes nobody uses, and the results taken back.
 *
 * The same operation with the same mask may be written on both sides of a branch, or made so by the compiler: from
 * sm_70 on its lanes meet, too (PTX ISA 9.7.9.6 asks for equal qualifiers and masks, not for one instruction; an H200 does
 * so for shfl, vote, match, redux and bar.warp). Lanes on the way to the place where others stand do not meet them with
 * what comes before: that is a mistake, and is told.
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
    bool apart;                 /* the splits stand at several instructions, which are one operation */
} Meeting;

static const IrInst *inst_of(const ExecSplit *s)
{
    return &s->frame->function->insts[s->pc];
}

static const uint8_t *operand_lanes(const Meeting *m, const ExecSplit *s, const IrOperand *o)
{
    const ExecCode *code = worker_code(m->warp->base.block->worker, s->frame->index);
    return o->kind == IR_CONST ? code->pool + o->off : s->frame->regs + o->off;
}

static void add_split(Meeting *m, int slot)
{
    const ExecSplit *s = &m->warp->splits[slot];
    const uint32_t *named = (const uint32_t *)operand_lanes(m, s, sync_mask_operand(inst_of(s)));
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

/* ---- One operation at several instructions ---- */

enum { OPERAND_MAX = 8 * WARP_LANES, APART_SOURCES = 4 };

static bool same_form(const IrOperand *a, const IrOperand *b)
{
    return (a->kind == IR_NONE) == (b->kind == IR_NONE) && (a->kind == IR_NONE || a->bytes == b->bytes);
}

static bool is_same_operation(const IrInst *a, const IrInst *b)
{
    bool same = a->opcode == b->opcode && a->mode == b->mode && a->type == b->type && !a->tensor && !b->tensor;
    for (int i = 0; i < APART_SOURCES; i++)
        same = same && same_form(&a->src[i], &b->src[i]);
    return same;
}

/* All who go on from pc come by the target: it is on the chain of the places where branches' sides meet again. */
static bool leads_to(const IrFunction *f, uint32_t pc, uint32_t target)
{
    for (uint32_t steps = 0; steps < f->n_insts && pc < f->n_insts; steps++) {
        const IrInst *inst = &f->insts[pc];
        bool always = inst->guard.kind == IR_NONE;
        if (pc == target)
            return true;
        if (always && (inst->opcode == PTX_RET || inst->opcode == PTX_EXIT))
            return false;
        if (inst->opcode == PTX_BRX || (inst->opcode == PTX_BRA && !always))
            pc = inst->reconverge; /* IR_NO_PC: past the end */
        else
            pc = inst->opcode == PTX_BRA ? inst->target : pc + 1;
    }
    return false;
}

/* The lanes of s go on to where those of t stand. */
static bool is_on_way_to(const ExecSplit *s, const ExecSplit *t)
{
    uint32_t pc = s->pc + 1;
    for (const ExecFrame *f = s->frame; f; pc = f->return_pc, f = f->caller)
        if (f->function == t->frame->function && leads_to(f->function, pc, t->pc))
            return true;
    return false;
}

static bool meets_apart(const Meeting *m, const ExecSplit *t)
{
    bool meets = is_same_operation(m->inst, inst_of(t)) && worker_code(m->warp->base.block->worker, t->frame->index);
    for (uint32_t left = m->slots; left && meets; left &= left - 1) {
        const ExecSplit *s = &m->warp->splits[first_lane(left)];
        bool same_place = s->pc == t->pc && s->frame->function == t->frame->function;
        meets = same_place || (!is_on_way_to(s, t) && !is_on_way_to(t, s));
    }
    return meets;
}

/* Those that a lane names name the same as it does. */
static bool names_agree(const Meeting *m)
{
    bool agree = true;
    for (uint32_t left = m->lanes; left; left &= left - 1) {
        uint32_t named = m->named[first_lane(left)];
        for (uint32_t others = named & m->lanes; others; others &= others - 1)
            agree &= m->named[first_lane(others)] == named;
    }
    return agree;
}

static const IrOperand *operand_at(const IrInst *inst, int i)
{
    return i < APART_SOURCES ? &inst->src[i] : i == APART_SOURCES ? &inst->dst : &inst->dst2;
}

/* Brings what the splits have as operand i of their own instructions together, or takes each its own results. */
static IrOperand move_apart(const Meeting *m, int i, uint8_t *regs, bool bring)
{
    IrOperand joint = {.off = (uint32_t)(i * OPERAND_MAX)};
    for (uint32_t left = m->slots; left; left &= left - 1) {
        const ExecSplit *s = &m->warp->splits[first_lane(left)];
        const IrOperand *o = operand_at(inst_of(s), i);
        if (o->kind == IR_NONE)
            continue;
        joint.kind = IR_REG;
        joint.bytes = o->bytes;
        if (!bring) {
            copy_lanes(s->frame->regs + o->off, regs + joint.off, o, s->mask);
            continue;
        }
        const uint8_t *own = operand_lanes(m, s, o);
        uint32_t turned = o->bytes == 0 ? ~*(const uint32_t *)own : 0;
        copy_lanes(regs + joint.off, o->negated ? (const uint8_t *)&turned : own, o, s->mask);
    }
    return joint;
}

/* Runs the operation for the lanes of all, on registers that are nobody's. */
static void operate_apart(const Meeting *m)
{
    _Alignas(64) uint8_t regs[(APART_SOURCES + 2) * OPERAND_MAX] = {0};
    IrInst joint = *m->inst;
    ExecPc none = {0};
    for (int i = 0; i < APART_SOURCES; i++)
        joint.src[i] = move_apart(m, i, regs, true);
    joint.dst = move_apart(m, APART_SOURCES, regs, true);
    joint.dst2 = move_apart(m, APART_SOURCES + 1, regs, true);
    m->warp->base.regs = regs;
    m->warp->apart = m->inst;
    operate(&m->warp->base, &none, &joint, m->lanes, m->named);
    m->warp->apart = NULL;
    move_apart(m, APART_SOURCES, regs, false);
    move_apart(m, APART_SOURCES + 1, regs, false);
}

const ExecWho *sync_who(ExecWarp *w, const IrFunction *function, const IrInst *inst)
{
    const IrInst *apart = warp_of(w)->apart;
    const ExecWho *who = exec_who(w, function, apart ? apart : inst);
    if (apart)
        w->block->worker->who.frame = w->frame->regs;
    return who;
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
    if (m->apart) {
        operate_apart(m);
    } else {
        exchange(m, frame, true);
        operate(w, &code->pcs[m->pc], m->inst, m->lanes, m->named);
        exchange(m, frame, false);
    }
    for (uint32_t left = m->slots; left; left &= left - 1) {
        ExecSplit *s = &warp->splits[first_lane(left)];
        s->pc++;
        split_wake(warp, s);
    }
    split_merge(warp);
}

static bool begin_meeting(Warp *warp, int slot, Meeting *m)
{
    const ExecSplit *s = &warp->splits[slot];
    *m = (Meeting){.warp = warp, .function = s->frame->function, .pc = s->pc, .inst = inst_of(s)};
    if (worker_code(warp->base.block->worker, s->frame->index))
        return true;
    exec_fail(warp->base.block->run, EXEC_NO_MEMORY, "no memory for a function's counters");
    return false;
}

/* Tries the instruction where a parked split stands. */
static bool try_meeting(Warp *warp, int slot, bool forced)
{
    Meeting m;
    if (!begin_meeting(warp, slot, &m))
        return false;
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

/* Tries the operation of a parked split with others that stand at another instruction of the same kind. */
static bool try_apart(Warp *warp, int slot)
{
    Meeting m;
    if (!begin_meeting(warp, slot, &m))
        return false;
    add_split(&m, slot);
    for (uint32_t left = warp->parked & ~m.slots; left; left &= left - 1)
        if (meets_apart(&m, &warp->splits[first_lane(left)]))
            add_split(&m, first_lane(left));
    drop_incomplete(&m);
    if (!m.slots || !names_agree(&m))
        return false;
    const ExecSplit *first = &warp->splits[first_lane(m.slots)];
    m.function = first->frame->function;
    m.pc = first->pc;
    m.inst = inst_of(first);
    m.apart = true;
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
    for (uint32_t left = warp->parked; left && !any && !warp->ready; left &= left - 1)
        any = try_apart(warp, first_lane(left));
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
