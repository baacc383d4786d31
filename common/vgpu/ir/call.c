/* Calls: the callee, and the caller's .param temporaries that carry arguments and results (PTX
 * ISA 7.1, 9.7.12.5).
 *
 * Exec copies arguments from the caller's frame to the callee's, and results back. Arguments that are
 * registers or constants, and parameters that are registers, get a place in the frame with a store or a load
 * beside it.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <string.h>

typedef struct BuiltinRow {
    const char *name, *args, *results;
} BuiltinRow;

static const BuiltinRow builtins[] = {
    [BUILTIN_NONE] = {"", "", ""},
#define X(name, text, args, results) [BUILTIN_##name] = {text, args, results},
#include "common/vgpu/ir/builtins.def"
#undef X
};
enum { N_BUILTINS = sizeof builtins / sizeof builtins[0] };

/* ---- arguments and results ---- */

static bool emit_frame_access(Decoder *d, PtxOpcode opcode, PtxType type, const IrOperand *reg,
                              uint32_t offset)
{
    IrInst in = {.opcode = (uint16_t)opcode,
                 .type = (uint8_t)type,
                 .n_vec = 1,
                 .space = SPACE_FRAME,
                 .offset = offset};
    if (opcode == PTX_ST)
        in.src[1] = *reg;
    else
        in.dst = *reg;
    return decode_emit(d, &in);
}

/* A .param temporary, or a parameter of this function that is handed on. */
static bool param_argument(Decoder *d, const PtxOperand *o, IrParam *to)
{
    const PtxVariable *v = o->variable;
    if (v->space != PTX_SPACE_PARAM || o->offset != 0)
        return decode_refuse(d, "'%s' is no .param variable", v->name);
    if (d->f->is_entry && !v->in_function)
        return decode_refuse(d, "a kernel's parameter cannot be handed on as an argument");
    *to = (IrParam){
        .name = link_text(d->l, v->name), .bytes = (uint32_t)v->bytes, .align = v->align, .type = v->type};
    if (v->in_function)
        to->offset = d->variable_place[v->index];
    else
        to->offset = (v->role == PTX_ROLE_RESULT ? d->f->results : d->f->params)[v->index].offset;
    return true;
}

/* A register or a constant: through a place of its own. Constants take the size of the callee's parameter. */
static bool value_argument(Decoder *d, const PtxOperand *o, unsigned wanted, bool is_result, IrParam *to)
{
    bool is_reg = o->kind == PTX_OPERAND_REG;
    unsigned bytes = is_reg ? ptx_type_bits((PtxType)o->type) / 8 : wanted;
    PtxType type = bytes == 1   ? PTX_TYPE_B8
                   : bytes == 2 ? PTX_TYPE_B16
                   : bytes == 4 ? PTX_TYPE_B32
                                : PTX_TYPE_B64;
    if (bytes == 0 || bytes > 8)
        return decode_refuse(d, "an argument of this type");
    *to = (IrParam){.name = "", .bytes = bytes, .align = bytes, .type = (uint8_t)type};
    to->offset = frame_add(d, bytes, bytes);
    IrOperand value;
    if (is_result)
        return decode_dest(d, o, bytes == 1 ? 2 : bytes, false, &value);
    return decode_source(d, o, bytes == 1 ? 2 : bytes, type, false, &value) &&
           emit_frame_access(d, PTX_ST, type, &value, to->offset);
}

static bool arguments(Decoder *d, const PtxOperand *from, uint32_t n, const IrFunction *callee,
                      bool is_result, IrParam **list)
{
    const IrParam *wanted = callee ? (is_result ? callee->results : callee->params) : NULL;
    uint32_t n_wanted = callee ? (is_result ? callee->n_results : callee->n_params) : 0;
    *list = link_alloc(d->l, n, sizeof **list);
    for (uint32_t i = 0; i < n && *list; i++) {
        unsigned bytes = i < n_wanted ? wanted[i].bytes : 0;
        bool ok = from[i].kind == PTX_OPERAND_VARIABLE
                      ? param_argument(d, &from[i], &(*list)[i])
                      : value_argument(d, &from[i], bytes, is_result, &(*list)[i]);
        if (!ok)
            return false;
        if (callee && i < n_wanted && (*list)[i].bytes != wanted[i].bytes)
            return decode_refuse(d, "argument %u has %u bytes, '%s' takes %u", i + 1, (*list)[i].bytes,
                                 callee->name, wanted[i].bytes);
    }
    if (callee && n != n_wanted)
        return decode_refuse(d, "%u %s, '%s' has %u", n, is_result ? "results" : "arguments", callee->name,
                             n_wanted);
    return *list != NULL;
}

/* ---- the callee ---- */

static uint32_t digit(char c)
{
    return (uint32_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static bool sizes_fit(const IrParam *list, uint32_t n, const char *sizes)
{
    if (strlen(sizes) != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (list[i].bytes != digit(sizes[i]))
            return false;
    return true;
}

/* The shapes of functions of mathematics: a function's number is its row, twice, and one more for floats. */
static const struct {
    const char *name, *shape;
} libdevice[] = {
#define X(name, shape, value) {"__nv_" #name, shape},
#include "common/vgpu/ir/libdevice.def"
#undef X
};
enum { N_LIBDEVICE = sizeof libdevice / sizeof *libdevice };
_Static_assert(BUILTIN_UNRESOLVED + 2 * N_LIBDEVICE < UINT8_MAX, "a builtin's number is one byte");

static bool has_shape(const IrCall *call, const char *shape, uint32_t bytes)
{
    bool fits = strlen(shape) == call->n_args && call->n_results == 1 && call->results[0].bytes == bytes;
    for (uint32_t i = 0; fits && i < call->n_args; i++)
        fits = call->args[i].bytes == (shape[i] == 'n' ? 4 : bytes);
    return fits;
}

static uint8_t find_libdevice(const IrCall *call)
{
    for (unsigned i = 0; i < N_LIBDEVICE; i++) {
        size_t n = strlen(libdevice[i].name);
        if (strncmp(call->name, libdevice[i].name, n) != 0)
            continue;
        bool is_float = strcmp(call->name + n, "f") == 0;
        if ((is_float || call->name[n] == '\0') && has_shape(call, libdevice[i].shape, is_float ? 4 : 8))
            return (uint8_t)(BUILTIN_UNRESOLVED + 1 + 2 * i + is_float);
    }
    return BUILTIN_UNRESOLVED;
}

static uint8_t find_builtin(const IrCall *call)
{
    for (uint8_t i = BUILTIN_NONE + 1; i < N_BUILTINS; i++)
        if (strcmp(builtins[i].name, call->name) == 0 &&
            sizes_fit(call->args, call->n_args, builtins[i].args) &&
            sizes_fit(call->results, call->n_results, builtins[i].results))
            return i;
    return find_libdevice(call);
}

static bool note_callee(Decoder *d, uint32_t function)
{
    FunctionUses *u = d->uses;
    if (!VEC_GROW(u->callees, u->n_callees, u->cap_callees)) {
        link_no_memory(d->l);
        return false;
    }
    u->callees[u->n_callees++] = function;
    return true;
}

static bool direct_callee(Decoder *d, const PtxOperand *target, IrCall *call, const IrFunction **callee)
{
    const Symbol *s = link_find(d->l, d->module, target->name);
    if (!s || s->kind != SYMBOL_FUNCTION)
        return decode_refuse(d, "'%s' is no function", target->name);
    *callee = &d->l->m->functions[s->index];
    call->name = (*callee)->name;
    if ((*callee)->is_entry)
        return decode_refuse(d, "'%s' is a kernel", call->name);
    if (!(*callee)->is_extern)
        call->function = (int32_t)s->index;
    return note_callee(d, s->index);
}

bool decode_call_results(Decoder *d, const PtxInst *inst, const IrCall *call)
{
    const PtxCall *pc = inst->call;
    for (uint32_t i = 0; i < pc->n_results; i++) {
        IrOperand reg;
        if (pc->results[i].kind == PTX_OPERAND_VARIABLE)
            continue;
        if (!decode_dest(d, &pc->results[i], type_reg_bytes((PtxType)call->results[i].type), false, &reg) ||
            !emit_frame_access(d, PTX_LD, (PtxType)call->results[i].type, &reg, call->results[i].offset))
            return false;
    }
    return true;
}

bool decode_call(Decoder *d, const PtxInst *inst, IrInst *in)
{
    const PtxCall *pc = inst->call;
    const IrFunction *callee = NULL;
    IrCall *call = in->call = link_alloc(d->l, 1, sizeof *call);
    if (!call)
        return false;
    *call = (IrCall){.function = -1, .name = "", .n_args = pc->n_args, .n_results = pc->n_results};
    if (pc->target.kind == PTX_OPERAND_REG) {
        d->uses->calls_indirectly = true;
        if (!decode_source(d, &pc->target, 8, PTX_TYPE_U64, false, &in->src[0]))
            return false;
    } else if (pc->target.kind != PTX_OPERAND_NAME) {
        return decode_refuse(d, "a call needs a function or a register");
    } else if (!direct_callee(d, &pc->target, call, &callee)) {
        return false;
    }
    if (!arguments(d, pc->args, pc->n_args, callee, false, &call->args) ||
        !arguments(d, pc->results, pc->n_results, callee, true, &call->results))
        return false;
    if (callee && callee->is_extern)
        call->builtin = find_builtin(call);
    return true;
}

/* ---- parameters that are registers ---- */

static void refuse_param(Decoder *d, const PtxVariable *v)
{
    IrInst in = {.opcode = PTX_UNSUPPORTED, .n_vec = 1};
    in.text = arena_printf(d->l->arena, ".reg .pred %s: a predicate as a parameter", v->name);
    d->l->m->n_unsupported++;
    if (!in.text)
        link_no_memory(d->l);
    decode_emit(d, &in);
}

static void move_registers(Decoder *d, PtxVariable *const *list, const IrParam *places, uint32_t n,
                           PtxOpcode opcode)
{
    for (uint32_t i = 0; i < n && !d->l->status; i++) {
        if (list[i]->space != PTX_SPACE_REG)
            continue;
        PtxType type = (PtxType)list[i]->type;
        IrOperand reg = {.kind = IR_REG, .bytes = (uint8_t)type_reg_bytes(type), .off = list[i]->reg};
        if (type == PTX_TYPE_PRED)
            refuse_param(d, list[i]);
        else
            emit_frame_access(d, opcode, type, &reg, places[i].offset);
    }
}

void decode_prologue(Decoder *d)
{
    if (!d->f->is_entry)
        move_registers(d, d->pf->params, d->f->params, d->pf->n_params, PTX_LD);
}

void decode_results(Decoder *d)
{
    if (!d->f->is_entry)
        move_registers(d, d->pf->results, d->f->results, d->pf->n_results, PTX_ST);
}
