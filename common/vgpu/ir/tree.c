/* A kernel and what it may call, as one space of pcs; parameters and immediates. See slice.h. */
#include "common/vgpu/ir/slice.h"
#include "common/vgpu/ir/slice_internal.h"

#include <stdlib.h>
#include <string.h>

enum { WANTED = 0 }; /* in base_of, until the places are known */

static void want(IrTree *t, uint32_t *stack, uint32_t *depth, uint32_t function)
{
    if (t->base_of[function] != IR_NO_PC)
        return;
    t->base_of[function] = WANTED;
    stack[(*depth)++] = function;
}

static void want_callees(IrTree *t, uint32_t *stack, uint32_t *depth, const IrFunction *f)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        const IrCall *c = f->insts[pc].call;
        if (!c)
            continue;
        if (c->function >= 0)
            want(t, stack, depth, (uint32_t)c->function);
        for (uint32_t i = 0; c->function < 0 && c->builtin == BUILTIN_NONE && i < t->module->n_functions; i++)
            if (!t->module->functions[i].is_entry)
                want(t, stack, depth, i);
    }
}

static void place(IrTree *t, uint32_t function)
{
    t->functions[t->n] = function;
    t->base[t->n++] = t->base_of[function] = t->n_insts;
    t->n_insts += t->module->functions[function].n_insts;
}

bool ir_tree_make(const IrModule *m, uint32_t kernel, IrTree *out)
{
    *out = (IrTree){.module = m};
    uint32_t depth = 0, *stack = malloc((m->n_functions + 1u) * sizeof *stack);
    out->functions = malloc((m->n_functions + 1u) * sizeof *out->functions);
    out->base = malloc((m->n_functions + 1u) * sizeof *out->base);
    out->base_of = malloc((m->n_functions + 1u) * sizeof *out->base_of);
    if (!stack || !out->functions || !out->base || !out->base_of) {
        free(stack);
        ir_tree_free(out);
        return false;
    }
    memset(out->base_of, 0xFF, m->n_functions * sizeof *out->base_of);
    want(out, stack, &depth, kernel);
    while (depth > 0)
        want_callees(out, stack, &depth, &m->functions[stack[--depth]]);
    place(out, kernel);
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (i != kernel && out->base_of[i] != IR_NO_PC)
            place(out, i);
    free(stack);
    return true;
}

void ir_tree_free(IrTree *t)
{
    slicer_free(t->slicer);
    free(t->functions);
    free(t->base);
    free(t->base_of);
    *t = (IrTree){0};
}

uint32_t ir_tree_base(const IrTree *t, const IrFunction *f)
{
    size_t i = (size_t)(f - t->module->functions);
    return i < t->module->n_functions ? t->base_of[i] : IR_NO_PC;
}

const IrInst *ir_tree_inst(const IrTree *t, uint32_t pc, uint32_t *member)
{
    uint32_t low = 0, high = t->n;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (t->base[middle] <= pc)
            low = middle;
        else
            high = middle;
    }
    *member = low;
    return &t->module->functions[t->functions[low]].insts[pc - t->base[low]];
}

bool ir_tree_param(const IrTree *t, uint32_t pc, uint32_t *from, uint32_t *bytes)
{
    uint32_t member;
    const IrInst *in = ir_tree_inst(t, pc, &member);
    if ((in->opcode != PTX_LD && in->opcode != PTX_LDU) ||
        (in->space != SPACE_PARAM && in->space != SPACE_GENERIC))
        return false;
    bool known = in->space == SPACE_PARAM && in->src[0].kind == IR_NONE;
    *from = known ? (uint32_t)in->offset : 0;
    *bytes = known ? (ptx_type_bits((PtxType)in->type) + 7) / 8 * in->n_vec : 0;
    if (in->space == SPACE_PARAM)
        return true;
    for (uint32_t i = 0; i < t->n; i++) { /* a generic address may be one of the parameters */
        const IrFunction *f = &t->module->functions[t->functions[i]];
        for (uint32_t k = 0; k < f->n_insts; k++)
            if (f->insts[k].opcode == PTX_CVTA && f->insts[k].space == SPACE_PARAM)
                return true;
    }
    return false;
}

/* ---- immediates ---- */

static bool is_relocated(const IrFunction *f, const IrOperand *o)
{
    for (uint32_t i = 0; i < f->n_relocs; i++)
        if (f->relocs[i].off - o->off < 64 || o->off == f->relocs[i].off)
            return true;
    return false;
}

static void visit_operand(const IrFunction *f, uint32_t pc, const IrOperand *o, IrImmediateVisitor visit,
                          void *self)
{
    if (o->kind == IR_CONST && o->bytes > 0 && o->off + o->bytes <= f->pool_bytes && !is_relocated(f, o))
        visit(self, pc, f->pool + o->off, o->bytes);
}

/* The address of a load or a store is no value, and what a call is given is stored before it. */
void ir_tree_immediates(const IrTree *t, IrImmediateVisitor visit, void *self)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const IrFunction *f = &t->module->functions[t->functions[i]];
        for (uint32_t pc = 0; pc < f->n_insts; pc++) {
            const IrInst *in = &f->insts[pc];
            if (in->opcode == PTX_CALL || in->tensor || in->async != ASYNC_NONE)
                continue;
            bool memory = ptx_opcode_class((PtxOpcode)in->opcode) == PTX_CLASS_MEMORY ||
                          ptx_opcode_class((PtxOpcode)in->opcode) == PTX_CLASS_ATOMIC;
            for (int k = memory ? 1 : 0; k < 4; k++)
                visit_operand(f, t->base[i] + pc, &in->src[k], visit, self);
            for (uint32_t k = 0; in->vec && k < in->n_vec; k++)
                visit_operand(f, t->base[i] + pc, &in->vec[k], visit, self);
        }
    }
}
