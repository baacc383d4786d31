/* Instructions: guard, mnemonic, operands; calls with their lists (PTX ISA 4.3.2, 9.7.12.5). */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdio.h>
#include <string.h>

enum { MNEMONIC_MAX = 256 };

PtxOperand parse_guard(Parser *p)
{
    parse_advance(p);
    PtxOperand guard = parse_operand(p);
    if (!p->status && (guard.kind != PTX_OPERAND_REG || guard.type != PTX_TYPE_PRED))
        parse_fail_at(p, STATUS_PARSE, guard.line, guard.column, "a guard must be a predicate register");
    return guard;
}

/* The variant of this spelling, looked up or new. */
static uint32_t find_variant(Parser *p, const char *text, size_t length)
{
    Name *name = names_intern(&p->names, text, length);
    if (!name || !VEC_GROW(p->variants, p->n_variants, p->cap_variants)) {
        parse_no_memory(p);
        return 0;
    }
    if (name->variant)
        return name->variant - 1;
    const char *dot = memchr(text, '.', length);
    Name *opcode = names_find(&p->names, text, dot ? (size_t)(dot - text) : length);
    PtxVariant variant = {.opcode = PTX_UNSUPPORTED, .text = name->text};
    if (opcode && opcode->opcode)
        variant.opcode = (PtxOpcode)(opcode->opcode - 1);
    p->variants[p->n_variants++] = variant;
    name->variant = (uint32_t)p->n_variants;
    return name->variant - 1;
}

/* add.s32, or add .s32 with blanks. The token after the first word is current. */
static uint32_t parse_variant(Parser *p, const Token *mnemonic)
{
    char text[MNEMONIC_MAX];
    size_t length = mnemonic->length;
    if (p->token.kind != TOKEN_DIRECTIVE)
        return find_variant(p, mnemonic->text, length);
    snprintf(text, sizeof text, "%.*s", (int)(length < MNEMONIC_MAX ? length : MNEMONIC_MAX - 1),
             mnemonic->text);
    while (p->token.kind == TOKEN_DIRECTIVE) {
        if (length + p->token.length >= sizeof text) {
            parse_fail(p, "an instruction's name is longer than %d characters", MNEMONIC_MAX);
            return 0;
        }
        memcpy(text + length, p->token.text, p->token.length);
        length += p->token.length;
        parse_advance(p);
    }
    return find_variant(p, text, length);
}

/* ( a, b ) */
static PtxOperand *parse_call_list(Parser *p, uint32_t *n)
{
    parse_expect(p, '(', "before the arguments of a call");
    PtxOperand *list = parse_operand_list(p, ')', n);
    parse_expect(p, ')', "after the arguments of a call");
    return list;
}

/* call (results), target, (args), prototype; the results, the arguments and the prototype may be missing. */
static void parse_call(Parser *p, PtxInst *inst)
{
    PtxCall *call = inst->call = parse_alloc(p, sizeof *call);
    if (!call)
        return;
    if (parse_is(p, '(')) {
        call->results = parse_call_list(p, &call->n_results);
        parse_expect(p, ',', "after the results of a call");
    }
    call->target = parse_operand(p);
    if (parse_accept(p, ',') && parse_is(p, '(')) {
        call->args = parse_call_list(p, &call->n_args);
        parse_accept(p, ',');
    }
    if (p->token.kind == TOKEN_NAME) /* the prototype or the list of targets: neither changes the call */
        parse_advance(p);
}

/* Names in branches are labels. */
static void note_labels(Parser *p, PtxInst *inst)
{
    for (int i = 0; i < inst->n_operands; i++) {
        PtxOperand *o = &inst->operands[i];
        if (o->kind == PTX_OPERAND_NAME)
            parse_label_ref(p, names_intern(&p->names, o->name, strlen(o->name)), o->line, o->column, o,
                            NULL);
    }
}

static void skip_operands(Parser *p)
{
    while (p->token.kind != TOKEN_END && !parse_is(p, ';'))
        parse_advance(p);
}

static void parse_operands(Parser *p, PtxInst *inst, PtxOpcode opcode)
{
    uint32_t n = 0;
    if (opcode == PTX_UNSUPPORTED) {
        skip_operands(p);
    } else if (opcode == PTX_CALL) {
        parse_call(p, inst);
    } else {
        inst->operands = parse_operand_list(p, ';', &n);
        inst->n_operands = (uint8_t)n;
    }
    if (opcode == PTX_BRA || opcode == PTX_BRX)
        note_labels(p, inst);
}

/* The same text as an instruction that no table describes. */
static void make_unsupported(Parser *p, PtxInst *inst)
{
    char text[MNEMONIC_MAX + 2];
    snprintf(text, sizeof text, "?%s", p->variants[inst->variant].text);
    inst->variant = find_variant(p, text, strlen(text));
    inst->operands = NULL;
    inst->n_operands = 0;
    inst->call = NULL;
}

void parse_instruction(Parser *p, Token mnemonic, const PtxOperand *guard)
{
    Body *b = &p->body;
    PtxInst inst = {.line = mnemonic.line, .guard = *guard, .loc = b->loc};
    inst.column = (uint16_t)(mnemonic.column > UINT16_MAX ? UINT16_MAX : mnemonic.column);
    inst.text = (uint32_t)(mnemonic.text - p->m->text);
    inst.variant = parse_variant(p, &mnemonic);
    if (p->status)
        return;
    p->unsupported = false;
    parse_operands(p, &inst, p->variants[inst.variant].opcode);
    inst.text_length = (uint32_t)(p->token.text - p->m->text) - inst.text;
    parse_expect(p, ';', "after an instruction");
    if (p->unsupported && !p->status)
        make_unsupported(p, &inst);
    if (p->status)
        return;
    if (VEC_GROW(b->insts, b->n_insts, b->cap_insts))
        b->insts[b->n_insts++] = inst;
    else
        parse_no_memory(p);
}
