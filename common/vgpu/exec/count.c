/* Counters: what a worker executed, by class, for observers. */
#include "common/vgpu/exec/ops.h"
#include "common/vgpu/exec/schedule.h"

#include <stdlib.h>
#include <string.h>

/* What counts as operations of a lane: a fused multiply-add is 2, a packed operation its elements. Of a
 * matrix product the warp's operations are counted. */
typedef enum Ops { OPS_NONE, OPS_INT, OPS_F16, OPS_F32, OPS_F64, OPS_TENSOR, OPS_BRANCH } Ops;

static bool is_arithmetic(uint16_t opcode)
{
    switch (opcode) {
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_FMA:
    case PTX_DIV:
    case PTX_MIN:
    case PTX_MAX:
        return true;
    default:
        return ptx_opcode_class((PtxOpcode)opcode) == PTX_CLASS_SPECIAL;
    }
}

static Ops ops_of_type(uint8_t type)
{
    switch (type) {
    case PTX_TYPE_F32:
        return OPS_F32;
    case PTX_TYPE_F64:
        return OPS_F64;
    case PTX_TYPE_F16:
    case PTX_TYPE_BF16:
    case PTX_TYPE_F16X2:
    case PTX_TYPE_BF16X2:
        return OPS_F16;
    default:
        return OPS_INT;
    }
}

static void describe(ExecPc *p, const IrInst *inst)
{
    Ops ops = ops_of_type(inst->type);
    p->class = (uint8_t)ptx_opcode_class((PtxOpcode)inst->opcode);
    p->ops_each = inst->opcode == PTX_FMA || (inst->opcode == PTX_MAD && ops != OPS_INT) ? 2 : 1;
    if (inst->type == PTX_TYPE_F16X2 || inst->type == PTX_TYPE_BF16X2)
        p->ops_each *= 2;
    if (inst->opcode == PTX_BRA || inst->opcode == PTX_BRX)
        p->ops = OPS_BRANCH;
    else if (inst->tensor && (inst->tensor->op == TENSOR_MMA || inst->tensor->op == TENSOR_WMMA))
        p->ops = OPS_TENSOR;
    else if (ops == OPS_INT && p->class == PTX_CLASS_ARITH && inst->opcode != PTX_MOV &&
             inst->opcode != PTX_CVTA)
        p->ops = OPS_INT;
    else if (ops != OPS_INT && is_arithmetic(inst->opcode))
        p->ops = (uint8_t)ops;
}

static ExecCode *code_new(ExecWorker *worker, uint32_t function)
{
    const IrFunction *f = &worker->run->module->functions[function];
    ExecCode *code = malloc(sizeof *code);
    ExecPc *pcs = calloc(f->n_insts + 1u, sizeof *pcs);
    if (!code || !pcs) {
        free(code);
        free(pcs);
        return NULL;
    }
    *code = (ExecCode){.function = f, .pool = worker->run->launch->instance->pools[function], .pcs = pcs};
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        describe(&pcs[pc], &f->insts[pc]);
    worker->codes[function] = code;
    code->next = worker->touched;
    worker->touched = code;
    return code;
}

ExecCode *worker_code(ExecWorker *worker, uint32_t function)
{
    ExecCode *code = worker->codes[function];
    return code ? code : code_new(worker, function);
}

void worker_free_codes(ExecWorker *worker)
{
    for (uint32_t i = 0; worker->codes && i < worker->run->module->n_functions; i++) {
        if (!worker->codes[i])
            continue;
        for (uint32_t pc = 0; pc < worker->codes[i]->function->n_insts; pc++)
            free(worker->codes[i]->pcs[pc].tensor);
        free(worker->codes[i]->pcs);
        free(worker->codes[i]);
    }
    free(worker->codes);
}

/* Operations of one product of a warp: D has 32 times the elements that a lane's registers for it hold, and
 * each is a sum of k products. (mma.m8n8k4 with halves makes four products of its shape.) */
static uint64_t tensor_ops(const IrTensor *t)
{
    unsigned reg_bits = t->elem[PART_D] == ELEM_F64 ? 64 : 32;
    uint64_t elements =
        (uint64_t)WARP_LANES * t->n_regs[PART_D] * reg_bits / ir_elem_bits((IrElem)t->elem[PART_D]);
    return 2 * elements * t->k;
}

static void add_ops(ExecCounts *c, const ExecPc *p, const IrInst *inst, uint64_t runs, uint64_t lanes)
{
    uint64_t n = lanes * p->ops_each;
    switch ((Ops)p->ops) {
    case OPS_NONE:
        break;
    case OPS_INT:
        c->int_ops += n;
        break;
    case OPS_F16:
        c->flops16 += n;
        break;
    case OPS_F32:
        c->flops32 += n;
        break;
    case OPS_F64:
        c->flops64 += n;
        break;
    case OPS_TENSOR:
        c->tensor_ops += runs * tensor_ops(inst->tensor);
        break;
    case OPS_BRANCH:
        c->branches += runs;
        break;
    }
}

uint64_t exec_ops(const IrInst *inst, const ExecInstCount *count)
{
    ExecPc p = {0};
    ExecCounts c = {0};
    describe(&p, inst);
    add_ops(&c, &p, inst, count->warp_insts, count->thread_insts);
    return c.flops16 + c.flops32 + c.flops64 + c.int_ops + c.tensor_ops;
}

/* by_inst: NULL, or an element for each instruction. */
static void fold_code(ExecCode *code, ExecCounts *c, ExecInstCount *by_inst)
{
    int64_t runs = 0, lanes = 0;
    for (uint32_t pc = 0; pc <= code->function->n_insts; pc++) {
        ExecPc *p = &code->pcs[pc];
        runs += p->runs;
        lanes += p->lanes;
        if (by_inst && pc < code->function->n_insts)
            by_inst[pc] = (ExecInstCount){(uint64_t)runs, (uint64_t)lanes, p->diverged};
        p->runs = p->lanes = 0;
        p->diverged = 0;
        c->warp_insts[p->class] += (uint64_t)runs;
        c->thread_insts[p->class] += (uint64_t)lanes;
        if (p->ops)
            add_ops(c, p, &code->function->insts[pc], (uint64_t)runs, (uint64_t)lanes);
    }
}

static bool wants_code(const ExecLaunch *launch)
{
    for (size_t i = 0; i < launch->n_observers; i++)
        if (launch->observers[i].retired_code)
            return true;
    return false;
}

static void tell_code(const ExecWorker *worker, const ExecCode *code, const ExecInstCount *by_inst)
{
    const ExecLaunch *launch = worker->run->launch;
    if (by_inst)
        EXEC_TELL(launch, retired_code, &worker->who, code->function, by_inst);
}

void worker_fold_counts(ExecWorker *worker)
{
    const ExecLaunch *launch = worker->run->launch;
    ExecCounts counts = {.divergent_branches = worker->divergent_branches};
    bool by_code = wants_code(launch);
    worker->who.worker = worker->index;
    for (ExecCode *code = worker->touched; code; code = code->next) {
        ExecInstCount *by_inst = by_code ? calloc(code->function->n_insts + 1u, sizeof *by_inst) : NULL;
        fold_code(code, &counts, by_inst);
        tell_code(worker, code, by_inst);
        free(by_inst);
    }
    EXEC_TELL(launch, retired, &worker->who, &counts);
}
