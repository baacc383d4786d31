/* What a plan demands of a block, and instructions on which affine values of a whole grid depend: see plan.h.
 *
 * What must not wrap is looked at for the whole grid, so that it says nothing of a block; only what a comparison
 * decides, and the ends of an allocation, are conditions.
 */
#include "common/vgpu/exec/affine/plan.h"

#include <string.h>

static PlanMove *move_of(Plan *plan, const int64_t step[3])
{
    for (uint32_t i = 0; i < plan->n_moves; i++)
        if (memcmp(plan->moves[i].step, step, sizeof plan->moves[i].step) == 0)
            return &plan->moves[i];
    if (plan->n_moves == PLAN_MOVES_MAX)
        return NULL;
    PlanMove *m = &plan->moves[plan->n_moves++];
    *m = (PlanMove){.min = INT64_MIN, .max = INT64_MAX};
    memcpy(m->step, step, sizeof m->step);
    return m;
}

bool plan_demand(PlanState *s, const int64_t step[3], int64_t min, int64_t max, uint16_t *move)
{
    int64_t here = step[0] * s->at[0] + step[1] * s->at[1] + step[2] * s->at[2];
    PlanMove *m = here < min || here > max ? NULL : move_of(s->plan, step);
    if (!m)
        return false;
    m->min = min > m->min ? min : m->min;
    m->max = max < m->max ? max : m->max;
    *move = (uint16_t)(m - s->plan->moves);
    return true;
}

static bool compare(PlanState *s, const IrInst *inst)
{
    AffineValue d;
    int64_t below, above;
    uint16_t move;
    if (!affine_difference(&s->affine, inst, &d, &below, &above))
        return false;
    const int64_t base = (int64_t)d.base, *step = d.step + 3;
    int64_t here = base + step[0] * s->at[0] + step[1] * s->at[1] + step[2] * s->at[2];
    AffineSide side = affine_side(inst->cmp, here + below, here + above);
    if (!side.decided || !plan_demand(s, step, side.from ? side.at_least - base - below : INT64_MIN,
                                      side.to ? side.at_most - base - above : INT64_MAX, &move))
        return false;
    affine_set_uniform(&s->affine, &inst->dst, side.outcome);
    return true;
}

void plan_note_first(PlanState *s, const IrInst *inst)
{
    const uint32_t *block = s->affine.run->launch->block, last = s->affine.most[0];
    AffineValue d;
    int64_t below, above;
    uint32_t n = 1;
    if (inst->wide != WIDE_SETP || block[1] * block[2] > 1 ||
        !affine_difference(&s->affine, inst, &d, &below, &above) || d.step[3] | d.step[4] | d.step[5])
        return;
    int64_t at = (int64_t)d.base;
    bool first = affine_side(inst->cmp, at, at).outcome;
    while (n <= last && affine_side(inst->cmp, at + n * d.step[0], at + n * d.step[0]).outcome == first)
        n++;
    s->firsts[inst->dst.off / 4] = n;
    for (; n <= last; n++)
        if (affine_side(inst->cmp, at + n * d.step[0], at + n * d.step[0]).outcome == first)
            return;
    s->affine.held[inst->dst.off / 4] |= first ? HELD_FIRST_TRUE : HELD_FIRST_FALSE;
}

static bool special(PlanState *s, const IrInst *inst)
{
    const ExecLaunch *l = s->affine.run->launch;
    PtxSreg sreg = (PtxSreg)inst->src[0].off;
    if (sreg >= PTX_SREG_TID_X && sreg <= PTX_SREG_TID_Z)
        affine_set_index(&s->affine, &inst->dst, (int)(sreg - PTX_SREG_TID_X));
    else if (sreg >= PTX_SREG_CTAID_X && sreg <= PTX_SREG_CTAID_Z)
        affine_set_index(&s->affine, &inst->dst, (int)(3 + sreg - PTX_SREG_CTAID_X));
    else if (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z)
        affine_set_uniform(&s->affine, &inst->dst, l->block[sreg - PTX_SREG_NTID_X]);
    else if (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z)
        affine_set_uniform(&s->affine, &inst->dst, l->grid[sreg - PTX_SREG_NCTAID_X]);
    else
        return false;
    return true;
}

bool plan_compute(PlanState *s, const IrInst *inst)
{
    if (inst->wide == WIDE_SREG)
        return special(s, inst);
    return (inst->wide == WIDE_SETP && compare(s, inst)) || affine_compute(&s->affine, inst) ||
           affine_compute_once(&s->affine, inst, s->warp, HELD_NOTHING);
}
