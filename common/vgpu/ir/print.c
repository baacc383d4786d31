/* Text of decoded instructions, for traces and tests:
 *
 *      @!%p64 bra 12 ->14
 *      add.s32 %128, %0, 0x5
 *      ld.global.f32 %0, [%256+16]
 *      mov.u64 %256, frame+8
 *
 * Registers are written as % and their place in the register file, constants as their value, addresses as
 * symbol+addend.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Printer {
    const IrModule *m;
    const IrFunction *f;
    char *buf;
    size_t size, n;
    bool first; /* operand */
} Printer;

__attribute__((format(printf, 2, 3))) static void put(Printer *p, const char *format, ...)
{
    va_list args;
    if (p->n >= p->size)
        return;
    va_start(args, format);
    int n = vsnprintf(p->buf + p->n, p->size - p->n, format, args);
    va_end(args);
    p->n += n > 0 ? (size_t)n : 0;
}

static const IrReloc *reloc_at(const IrFunction *f, uint32_t off)
{
    for (uint32_t i = 0; i < f->n_relocs; i++)
        if (f->relocs[i].off == off)
            return &f->relocs[i];
    return NULL;
}

static void put_constant(Printer *p, const IrOperand *o)
{
    const IrReloc *r = reloc_at(p->f, o->off);
    uint64_t value = 0;
    if (r) {
        put(p, "%s", r->is_function ? p->m->functions[r->symbol].name : p->m->globals[r->symbol].name);
        if (r->addend)
            put(p, "%+" PRId64, r->addend);
        return;
    }
    memcpy(&value, p->f->pool + o->off, o->bytes == 0 ? 4 : o->bytes > 8 ? 8 : o->bytes);
    put(p, "0x%" PRIx64, o->bytes ? value : value & 1);
}

static void put_operand(Printer *p, const IrOperand *o)
{
    if (o->negated)
        put(p, "!");
    switch ((IrOperandKind)o->kind) {
    case IR_NONE:
        put(p, "_");
        break;
    case IR_REG:
        put(p, o->bytes ? "%%%u" : "%%p%u", o->off);
        break;
    case IR_CONST:
        put_constant(p, o);
        break;
    case IR_FRAME:
        put(p, "frame+%u", o->off);
        break;
    case IR_SREG:
        put(p, "%s", ptx_sreg_name((PtxSreg)o->off));
        break;
    }
}

static void separate(Printer *p)
{
    put(p, p->first ? " " : ", ");
    p->first = false;
}

static const char *const rounds[] = {"", ".rn", ".rz", ".rm", ".rp", ".rna", ".rni", ".rzi", ".rmi", ".rpi"};
static const char *const compares[] = {".eq", ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi",
                                       ".hs", ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
static const char *const booleans[] = {"", ".and", ".or", ".xor"};
static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param", ".frame"};
static const char *const sems[] = {"",         ".volatile", ".relaxed", ".acquire",
                                   ".release", ".acq_rel",  ".sc",      ".nc"};
static const char *const scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
static const char *const products[] = {"", ".lo", ".hi", ".wide"};
static const char *const atoms[] = {".add", ".min",  ".max", ".and", ".or",
                                    ".xor", ".exch", ".cas", ".inc", ".dec"};
static const char *const shuffles[] = {".up", ".down", ".bfly", ".idx"};
static const char *const votes[] = {".all", ".any", ".uni", ".ballot"};
static const char *const bars[] = {".sync", ".arrive", ".red.popc", ".red.and", ".red.or", ".warp.sync"};
static const char *const permutes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
static const char *const tests[] = {".finite",     ".infinite", ".number",
                                    ".notanumber", ".normal",   ".subnormal"};

/* What IrInst.mode says of an opcode. */
static void put_mode(Printer *p, const IrInst *in)
{
    switch (in->opcode) {
    case PTX_MUL:
    case PTX_MAD:
    case PTX_MADC:
    case PTX_MUL24:
    case PTX_MAD24:
        put(p, "%s", products[in->mode]);
        break;
    case PTX_ATOM:
    case PTX_RED:
    case PTX_REDUX:
        put(p, "%s", atoms[in->mode]);
        break;
    case PTX_SHFL:
        put(p, "%s", shuffles[in->mode]);
        break;
    case PTX_VOTE:
    case PTX_MATCH:
        put(p, "%s", votes[in->mode]);
        break;
    case PTX_BAR:
    case PTX_BARRIER:
        put(p, "%s%s", bars[in->mode], in->uniform && in->opcode == PTX_BARRIER ? ".aligned" : "");
        break;
    case PTX_PRMT:
        put(p, "%s", permutes[in->mode]);
        break;
    case PTX_TESTP:
        put(p, "%s", tests[in->mode]);
        break;
    case PTX_SHF:
        put(p, in->hi ? ".r" : ".l");
        put(p, in->mode == SHIFT_WRAP ? ".wrap" : ".clamp");
        break;
    case PTX_BMSK:
    case PTX_SZEXT:
        put(p, in->mode == SHIFT_WRAP ? ".wrap" : ".clamp");
        break;
    case PTX_DP2A:
        put(p, in->hi ? ".hi" : ".lo");
        break;
    default:
        break;
    }
}

static void put_modifiers(Printer *p, const IrInst *in)
{
    put(p, "%s%s", in->to ? ".to" : "",
        in->uniform && ptx_opcode_class((PtxOpcode)in->opcode) == PTX_CLASS_CONTROL ? ".uni" : "");
    put(p, "%s%s%s", sems[in->sem], scopes[in->scope], spaces[in->space]);
    put_mode(p, in);
    if (in->opcode == PTX_SETP || in->opcode == PTX_SET)
        put(p, "%s", compares[in->cmp]);
    put(p, "%s%s", booleans[in->boolean], rounds[in->round]);
    put(p, "%s%s%s%s%s", in->approx ? ".approx" : "", in->full ? ".full" : "", in->ftz ? ".ftz" : "",
        in->sat ? ".sat" : "", in->carry_out ? ".cc" : "");
    put(p, "%s%s%s%s%s%s", in->nan ? ".NaN" : "", in->xorsign ? ".xorsign" : "", in->abs ? ".abs" : "",
        in->relu ? ".relu" : "", in->finite ? ".satfinite" : "", in->shiftamt ? ".shiftamt" : "");
    if (in->n_vec > 1 && in->opcode != PTX_MOV && !in->tensor && !in->texture)
        put(p, ".v%d", in->n_vec);
    if (in->type)
        put(p, ".%s", ptx_type_name((PtxType)in->type));
    if (in->type2)
        put(p, ".%s", ptx_type_name((PtxType)in->type2));
}

static void put_vector(Printer *p, const IrInst *in, uint32_t first, uint32_t end)
{
    if (first == end)
        return;
    separate(p);
    for (uint32_t i = first; i < end; i++) {
        put(p, i > first ? ", " : "{");
        put_operand(p, &in->vec[i]);
    }
    put(p, "}");
}

static bool has_address(const IrInst *in)
{
    switch (in->opcode) {
    case PTX_LD:
    case PTX_LDU:
    case PTX_ST:
    case PTX_ATOM:
    case PTX_RED:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
        return true;
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
    case PTX_WMMA:
        return in->src[0].kind != IR_NONE;
    default:
        return false;
    }
}

static void print_address(Printer *p, const IrInst *in)
{
    separate(p);
    put(p, "[");
    if (in->src[0].kind != IR_NONE)
        put_operand(p, &in->src[0]);
    if (in->src[0].kind == IR_NONE)
        put(p, "%" PRId64, in->offset);
    else if (in->offset)
        put(p, "%+" PRId64, in->offset);
    put(p, "]");
}

static void put_dests(Printer *p, const IrInst *in)
{
    put_vector(p, in, 0, ir_vec_dests(in));
    if (in->dst.kind == IR_NONE && in->dst2.kind == IR_NONE)
        return;
    separate(p);
    put_operand(p, &in->dst);
    if (in->dst2.kind != IR_NONE) {
        put(p, "|");
        put_operand(p, &in->dst2);
    }
}

static void put_sources(Printer *p, const IrInst *in)
{
    bool address = has_address(in);
    if (address)
        print_address(p, in);
    if (in->vec)
        put_vector(p, in, ir_vec_dests(in), in->n_vec);
    for (int i = address; i < 4; i++)
        if (in->src[i].kind != IR_NONE) {
            separate(p);
            put_operand(p, &in->src[i]);
        }
    if (in->opcode == PTX_LOP3) {
        separate(p);
        put(p, "0x%x", in->mode);
    }
}

static void put_params(Printer *p, const IrParam *list, uint32_t n)
{
    put(p, "(");
    for (uint32_t i = 0; i < n; i++)
        put(p, "%sframe+%u:%u", i ? ", " : "", list[i].offset, list[i].bytes);
    put(p, ")");
}

static void put_call(Printer *p, const IrInst *in)
{
    put(p, " ");
    put_params(p, in->call->results, in->call->n_results);
    if (in->src[0].kind != IR_NONE) {
        put(p, ", ");
        put_operand(p, &in->src[0]);
    } else {
        put(p, ", %s%s", in->call->builtin ? "builtin " : "", in->call->name);
    }
    put(p, ", ");
    put_params(p, in->call->args, in->call->n_args);
}

static void put_targets(Printer *p, const IrInst *in)
{
    if (in->target != IR_NO_PC) {
        separate(p);
        put(p, "%u", in->target);
    }
    for (uint32_t i = 0; i < in->n_targets; i++)
        put(p, "%s%u", i ? ", " : " {", in->targets[i]);
    if (in->n_targets)
        put(p, "}");
    bool splits = (in->opcode == PTX_BRA && in->guard.kind != IR_NONE) || in->opcode == PTX_BRX;
    if (splits && in->reconverge != IR_NO_PC)
        put(p, " ->%u", in->reconverge);
    else if (splits)
        put(p, " ->end");
}

static const char *const elems[] = {"",   "f16", "bf16", "tf32", "f32",  "f64",  "s8",
                                    "u8", "s4",  "u4",   "b1",   "e4m3", "e5m2", "s32"};

static void put_tensor(Printer *p, const IrTensor *t)
{
    static const char *const ops[] = {"", ".mma", ".mma", ".load", ".store", "", "", ""};
    if (t->op == TENSOR_LOAD || t->op == TENSOR_STORE)
        put(p, "%s.%c%s", ops[t->op], "dabc"[t->part], t -> col[t->part] ? ".col" : ".row");
    if (t->op == TENSOR_MMA || t->op == TENSOR_WMMA)
        put(p, "%s.%s.%s", t->op == TENSOR_WMMA ? ".mma" : "", t->col[PART_A] ? "col" : "row",
            t->col[PART_B] ? "col" : "row");
    if (t->m)
        put(p, ".m%un%uk%u", t->m, t->n, t->k);
    for (int i = 0; i < IR_N_PARTS; i++)
        if (t->elem[i])
            put(p, ".%s", elems[t->elem[i]]);
    if (t->n_matrices)
        put(p, ".x%u%s", t->n_matrices, t->trans ? ".trans" : "");
}

static void put_texture(Printer *p, const IrTexture *t)
{
    static const char *const shapes[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    static const char *const bounds[] = {".trap", ".clamp", ".zero"};
    bool surface = t->op == SURFACE_LOAD || t->op == SURFACE_STORE;
    if (t->op == TEXTURE_QUERY || t->op == SURFACE_QUERY) {
        put(p, ".query%u", t->query);
        return;
    }
    if (t->op == TEXTURE_GATHER)
        put(p, ".%c", "rgba"[t->component]);
    put(p, "%s%s.%s%s", surface ? ".b" : "",
        t->level  ? ".level"
        : t->grad ? ".grad"
                  : "",
        shapes[t->shape], surface ? bounds[t->bound] : "");
}

/* The first row of async.def with the opcode and operation. */
static const char *async_words(const IrInst *in)
{
    static const struct {
        uint16_t opcode;
        uint8_t operation;
        const char *words;
    } rows[] = {
#define X(opcode, words, operation, shape) {PTX_##opcode, ASYNC_##operation, words},
#include "common/vgpu/ir/async.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].opcode == in->opcode && rows[i].operation == in->async)
            return rows[i].words;
    return "";
}

static void put_async(Printer *p, const IrInst *in)
{
    const char *words = async_words(in);
    put(p, "%s%s", words[0] ? "." : "", words);
}

void ir_print(const IrModule *m, const IrFunction *f, uint32_t pc, char *buf, size_t size)
{
    Printer p = {.m = m, .f = f, .buf = buf, .size = size, .first = true};
    if (size)
        buf[0] = '\0';
    if (pc >= f->n_insts)
        return;
    const IrInst *in = &f->insts[pc];
    if (in->guard.kind == IR_REG)
        put(&p, "@%s%%p%u ", in->guard.negated ? "!" : "", in->guard.off);
    if (in->opcode == PTX_UNSUPPORTED) {
        put(&p, "unsupported %s", in->text);
        return;
    }
    put(&p, "%s", ptx_opcode_name((PtxOpcode)in->opcode));
    if (in->tensor)
        put_tensor(&p, in->tensor);
    else if (in->texture)
        put_texture(&p, in->texture);
    else if (in->async)
        put_async(&p, in);
    put_modifiers(&p, in);
    if (in->call) {
        put_call(&p, in);
        return;
    }
    put_dests(&p, in);
    put_sources(&p, in);
    put_targets(&p, in);
}
