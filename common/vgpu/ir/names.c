/* Names for those who show what registers hold. Registers share places (regalloc.c), so that a place alone says nothing: each
 * instruction's destinations keep the numbers that PTX's declarations gave them. */
#include "common/vgpu/ir/ir_internal.h"

#include <stdio.h>

/* The operands that an instruction writes, in one order. */
static uint32_t list_dests(const IrInst *in, const IrOperand *out[], uint32_t room)
{
    uint32_t n = 0, n_vec = ir_vec_dests(in);
    if (in->dst.kind == IR_REG && n < room)
        out[n++] = &in->dst;
    if (in->dst2.kind == IR_REG && n < room)
        out[n++] = &in->dst2;
    for (uint32_t i = 0; i < n_vec && n < room; i++)
        if (in->vec[i].kind == IR_REG)
            out[n++] = &in->vec[i];
    return n;
}

enum { DESTS_MAX = 2 + PTX_OPERANDS_MAX };

bool names_note_writes(Decoder *d)
{
    IrFunction *f = d->f;
    const IrOperand *dests[DESTS_MAX];
    size_t n = 0;
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        n += list_dests(&f->insts[pc], dests, DESTS_MAX);
    f->writes = link_alloc(d->l, n + 1, sizeof *f->writes);
    f->write_at = link_alloc(d->l, f->n_insts + 1u, sizeof *f->write_at);
    if (!f->writes || !f->write_at)
        return false;
    uint32_t at = 0;
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        f->write_at[pc] = at;
        uint32_t n_dests = list_dests(&f->insts[pc], dests, DESTS_MAX);
        for (uint32_t i = 0; i < n_dests; i++)
            f->writes[at++] = (IrWrite){.reg = dests[i]->off, .bytes = dests[i]->bytes};
    }
    f->write_at[f->n_insts] = at;
    f->n_regs = d->pf->n_regs;
    return true;
}

void names_place_writes(IrFunction *f)
{
    const IrOperand *dests[DESTS_MAX];
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        uint32_t n = list_dests(&f->insts[pc], dests, DESTS_MAX);
        for (uint32_t i = 0; i < n; i++)
            f->writes[f->write_at[pc] + i].off = dests[i]->off;
    }
}

void names_copy(Decoder *d)
{
    const PtxFunction *pf = d->pf;
    IrFunction *f = d->f;
    f->reg_names = link_alloc(d->l, pf->n_reg_names + 1u, sizeof *f->reg_names);
    f->variables = link_alloc(d->l, pf->n_debug_variables + 1u, sizeof *f->variables);
    for (uint32_t i = 0; f->reg_names && i < pf->n_reg_names; i++) {
        const PtxRegName *r = &pf->reg_names[i];
        f->reg_names[f->n_reg_names++] =
            (IrRegName){.name = link_text(d->l, r->name), .first = r->first, .count = r->count, .is_range = r->is_range};
    }
    for (uint32_t i = 0; f->variables && i < pf->n_debug_variables; i++) {
        const PtxDebugVariable *v = &pf->debug_variables[i];
        f->variables[f->n_variables++] =
            (IrVariable){.name = link_text(d->l, v->name),
                         .type = v->type,
                         .count = v->count,
                         .in_local = v->in_local,
                         .place = v->in_local ? d->variable_place[v->place] + v->offset : v->place,
                         .begin = d->inst_pc[v->begin < pf->n_insts ? v->begin : pf->n_insts],
                         .end = v->end < pf->n_insts ? d->inst_pc[v->end] : f->n_insts};
    }
}

const char *ir_reg_name(const IrFunction *f, uint32_t reg, char *buf, size_t size)
{
    for (uint32_t i = 0; i < f->n_reg_names; i++) {
        const IrRegName *r = &f->reg_names[i];
        if (reg - r->first >= r->count)
            continue;
        snprintf(buf, size, r->is_range ? "%s%u" : "%s", r->name, reg - r->first);
        return buf;
    }
    snprintf(buf, size, "%%?%u", reg);
    return buf;
}
