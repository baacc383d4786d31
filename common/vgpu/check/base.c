/* Which array a kernel meant: the parameter that an access's address is worked out from.
 *
 *      ld.param.u64 %rd1, [k_param_0];      %rd1: parameter 0
 *      mad.wide.s32 %rd3, %r4, 4, %rd1;     what addition, a choice or a change of space makes of an address is of the same parameters;
 *      ld.global.f32 %f1, [%rd3];           what is multiplied, or loaded from memory, is of none
 *
 * Followed are the definitions that reach a use (registers are used again for other values). An address of two parameters, or of a called function's
 * argument, is nobody's.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PARAMETERS_MAX = 64, FOLLOWED_MAX = 1 << 14 /* instructions of a kernel */ };

/* A search for the definitions of a register, instruction by instruction, against the flow of control. */
typedef struct Origins {
    const IrFunction *f;
    uint8_t *seen;     /* [n_insts]: by the search that goes on */
    uint8_t *defined;  /* [n_insts]: a definition that has been followed */
    uint32_t *stack;   /* [n_insts]: instructions whose predecessors are to be looked at */
    uint32_t *pending; /* [n_insts]: definitions that are to be followed */
    uint32_t n_pending;
    uint32_t *branches; /* [n_branches] */
    uint32_t n_branches;
    uint64_t parameters; /* found: a bit for each */
} Origins;

static uint64_t parameter_at(const IrFunction *f, int64_t offset)
{
    for (uint32_t i = 0; i < f->n_params && i < PARAMETERS_MAX; i++)
        if (f->params[i].offset == offset && f->params[i].bytes == sizeof(uint64_t))
            return UINT64_C(1) << i;
    return 0;
}

static bool is_address(const IrOperand *o)
{
    return o->kind == IR_REG && o->bytes == sizeof(uint64_t);
}

static bool ends_flow(const IrInst *in)
{
    bool leaves = in->opcode == PTX_BRA || in->opcode == PTX_BRX || in->opcode == PTX_RET || in->opcode == PTX_EXIT || in->opcode == PTX_TRAP;
    return leaves && in->guard.kind == IR_NONE;
}

static bool jumps_to(const IrInst *in, uint32_t pc)
{
    for (uint32_t i = 0; i < in->n_targets; i++)
        if (in->targets[i] == pc)
            return true;
    return in->opcode == PTX_BRA && in->target == pc;
}

/* Looks at `at`, which may come right before a use: a definition ends the search there, unless it is guarded. */
static void look_before(Origins *o, uint32_t at, uint32_t reg, uint32_t *n)
{
    const IrInst *in = &o->f->insts[at];
    if (o->seen[at])
        return;
    o->seen[at] = 1;
    bool defines = is_address(&in->dst) && in->dst.off == reg;
    if (defines && !o->defined[at]) {
        o->defined[at] = 1;
        o->pending[o->n_pending++] = at;
    }
    if (!defines || in->guard.kind != IR_NONE)
        o->stack[(*n)++] = at;
}

static void find_definitions(Origins *o, uint32_t use, uint32_t reg)
{
    uint32_t n = 0;
    memset(o->seen, 0, o->f->n_insts);
    o->stack[n++] = use;
    while (n > 0) {
        uint32_t pc = o->stack[--n];
        if (pc > 0 && !ends_flow(&o->f->insts[pc - 1]))
            look_before(o, pc - 1, reg, &n);
        for (uint32_t i = 0; i < o->n_branches; i++)
            if (jumps_to(&o->f->insts[o->branches[i]], pc))
                look_before(o, o->branches[i], reg, &n);
    }
}

static void follow(Origins *o, uint32_t pc, const IrOperand *operand)
{
    if (is_address(operand))
        find_definitions(o, pc, operand->off);
}

static void follow_definition(Origins *o, uint32_t pc)
{
    const IrInst *in = &o->f->insts[pc];
    switch (in->opcode) {
    case PTX_LD:
        if (in->space == SPACE_PARAM && in->src[0].kind == IR_NONE)
            o->parameters |= parameter_at(o->f, in->offset);
        break;
    case PTX_MAD:
        follow(o, pc, &in->src[2]);
        break;
    case PTX_ADD:
    case PTX_SELP:
        follow(o, pc, &in->src[0]);
        follow(o, pc, &in->src[1]);
        break;
    case PTX_SUB:
    case PTX_MOV:
    case PTX_CVTA:
        follow(o, pc, &in->src[0]);
        break;
    default:
        break;
    }
}

int check_base_parameter(const IrFunction *f, const IrInst *inst)
{
    size_t n = f->n_insts + (size_t)1;
    if (n > FOLLOWED_MAX)
        return -1;
    Origins o = {.f = f, .seen = calloc(n, 2), .stack = calloc(n, 3 * sizeof(uint32_t))};
    if (o.seen && o.stack) {
        o.defined = o.seen + n;
        o.pending = o.stack + n;
        o.branches = o.pending + n;
        for (uint32_t at = 0; at < f->n_insts; at++)
            if (f->insts[at].opcode == PTX_BRA || f->insts[at].n_targets > 0)
                o.branches[o.n_branches++] = at;
        follow(&o, (uint32_t)(inst - f->insts), &inst->src[0]);
        while (o.n_pending > 0)
            follow_definition(&o, o.pending[--o.n_pending]);
    }
    free(o.seen);
    free(o.stack);
    bool single = o.parameters != 0 && (o.parameters & (o.parameters - 1)) == 0;
    return single ? __builtin_ctzll(o.parameters) : -1;
}
