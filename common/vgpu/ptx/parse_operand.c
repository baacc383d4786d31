/* Operands (PTX ISA 6) and constant expressions (PTX ISA 4.5.4).
 *
 *     %r1   !%p1   %tid.x   12   0f3F800000   symbol+4   {%f1, %f2}
 *     [%rd1+8]   [symbol]   [%rd1, {%f1, %f2}]   %p1|%p2   _
 *
 * Nesting is limited, so that recursion is.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <string.h>

enum { OPERANDS_BLOCK = 256 };

/* ---- constant expressions ---- */

/* 64 bits and how they are read (PTX ISA 4.5.5, table of types). */
typedef struct Constant {
    uint64_t bits;
    bool is_unsigned;
} Constant;

static Constant parse_conditional(Parser *p);

static bool nest(Parser *p)
{
    if (p->nesting++ < PTX_NESTING_MAX)
        return true;
    parse_fail_at(p, STATUS_LIMIT, p->token.line, p->token.column, "more than %d nested parts",
                  PTX_NESTING_MAX);
    return false;
}

bool parse_is_name(const Parser *p, const char *text)
{
    return p->token.kind == TOKEN_NAME && p->token.length == strlen(text) &&
           memcmp(p->token.text, text, p->token.length) == 0;
}

static bool is_directive(const Parser *p, const char *text)
{
    return p->token.kind == TOKEN_DIRECTIVE && p->token.length == strlen(text) &&
           memcmp(p->token.text, text, p->token.length) == 0;
}

static Constant parse_primary(Parser *p)
{
    Constant c = {0};
    if (p->token.kind == TOKEN_INT) {
        c = (Constant){p->token.value, p->token.is_unsigned || p->token.value > INT64_MAX};
        parse_advance(p);
    } else if (parse_is_name(p, "WARP_SZ")) {
        c.bits = 32;
        parse_advance(p);
    } else if (parse_accept(p, '(')) {
        if (nest(p))
            c = parse_conditional(p);
        p->nesting--;
        parse_expect(p, ')', "after an expression");
    } else {
        parse_fail(p, "expected a constant integer expression");
    }
    return c;
}

/* (.s64) or (.u64): 's', 'u', or 0 where none stands. */
static char parse_cast(Parser *p)
{
    if (!parse_is(p, '(') || p->scanner.at[0] != '.')
        return 0;
    Scanner scanner = p->scanner;
    Token token = p->token;
    parse_advance(p);
    char type = is_directive(p, ".s64") ? 's' : is_directive(p, ".u64") ? 'u' : 0;
    if (type) {
        parse_advance(p);
        parse_expect(p, ')', "after the type of a cast");
    } else if (!p->status) {
        p->scanner = scanner;
        p->token = token;
    }
    return type;
}

static char parse_unary_operator(Parser *p)
{
    if (!parse_is(p, '-') && !parse_is(p, '+') && !parse_is(p, '~') && !parse_is(p, '!'))
        return parse_cast(p);
    char op = (char)p->token.punct;
    parse_advance(p);
    return op;
}

static Constant apply_unary(char op, Constant c)
{
    switch (op) {
    case '-':
        return (Constant){0 - c.bits, c.is_unsigned};
    case '~':
        return (Constant){~c.bits, true};
    case '!':
        return (Constant){!c.bits, false};
    case 's':
    case 'u':
        return (Constant){c.bits, op == 'u'};
    default:
        return c;
    }
}

/* A chain of operators before a primary: applied from the innermost on, so they are kept first. */
static Constant parse_unary(Parser *p)
{
    char ops[PTX_NESTING_MAX];
    int n = 0;
    for (char op; n < PTX_NESTING_MAX && (op = parse_unary_operator(p)) != 0;)
        ops[n++] = op;
    Constant c = parse_primary(p);
    while (n > 0)
        c = apply_unary(ops[--n], c);
    return c;
}

static bool less(Constant a, Constant b)
{
    return a.is_unsigned || b.is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

/* A remainder is unsigned whatever its operands are. */
static Constant divide(Parser *p, bool remainder, Constant a, Constant b)
{
    bool is_unsigned = remainder || a.is_unsigned || b.is_unsigned;
    if (b.bits == 0) {
        parse_fail(p, "division by zero in a constant expression");
        return b;
    }
    if (is_unsigned)
        return (Constant){remainder ? a.bits % b.bits : a.bits / b.bits, true};
    if (b.bits == UINT64_MAX) /* by -1: the least number has no opposite */
        return (Constant){0 - a.bits, false};
    return (Constant){(uint64_t)((int64_t)a.bits / (int64_t)b.bits), false};
}

/* Counts are taken modulo 64. */
static Constant shift_right(Constant a, uint64_t n)
{
    uint64_t sign = !a.is_unsigned && a.bits >> 63 ? UINT64_MAX : 0;
    n &= 63;
    return (Constant){n == 0 ? a.bits : a.bits >> n | sign << (64 - n), a.is_unsigned};
}

static Constant apply(Parser *p, int op, Constant a, Constant b)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (op) {
    case OR_OR:
        return (Constant){a.bits || b.bits, false};
    case AND_AND:
        return (Constant){a.bits && b.bits, false};
    case '|':
        return (Constant){a.bits | b.bits, is_unsigned};
    case '^':
        return (Constant){a.bits ^ b.bits, is_unsigned};
    case '&':
        return (Constant){a.bits & b.bits, is_unsigned};
    case EQUAL_EQUAL:
        return (Constant){a.bits == b.bits, false};
    case NOT_EQUAL:
        return (Constant){a.bits != b.bits, false};
    case '<':
        return (Constant){less(a, b), false};
    case '>':
        return (Constant){less(b, a), false};
    case LESS_EQUAL:
        return (Constant){!less(b, a), false};
    case GREATER_EQUAL:
        return (Constant){!less(a, b), false};
    case SHIFT_LEFT:
        return (Constant){a.bits << (b.bits & 63), a.is_unsigned};
    case SHIFT_RIGHT:
        return shift_right(a, b.bits);
    case '+':
        return (Constant){a.bits + b.bits, is_unsigned};
    case '-':
        return (Constant){a.bits - b.bits, is_unsigned};
    case '*':
        return (Constant){a.bits * b.bits, is_unsigned};
    default:
        return divide(p, op == '%', a, b);
    }
}

/* Binary operators, weakest first. */
static const int levels[][4] = {{OR_OR},
                                {AND_AND},
                                {'|'},
                                {'^'},
                                {'&'},
                                {EQUAL_EQUAL, NOT_EQUAL},
                                {'<', '>', LESS_EQUAL, GREATER_EQUAL},
                                {SHIFT_LEFT, SHIFT_RIGHT},
                                {'+', '-'},
                                {'*', '/', '%'}};
enum { N_LEVELS = sizeof levels / sizeof levels[0] };

static Constant parse_level(Parser *p, int level)
{
    if (level == N_LEVELS)
        return parse_unary(p);
    Constant c = parse_level(p, level + 1);
    while (p->token.kind == TOKEN_PUNCT && !p->status) {
        int op = p->token.punct;
        if (op != levels[level][0] && op != levels[level][1] && op != levels[level][2] && op != levels[level][3])
            break;
        parse_advance(p);
        c = apply(p, op, c, parse_level(p, level + 1));
    }
    return c;
}

/* a ? b : c */
static Constant parse_conditional(Parser *p)
{
    Constant c = parse_level(p, 0);
    if (!parse_accept(p, '?'))
        return c;
    Constant yes = {0}, no = {0};
    if (nest(p)) {
        yes = parse_conditional(p);
        parse_expect(p, ':', "in a conditional expression");
        no = parse_conditional(p);
    }
    p->nesting--;
    return c.bits ? yes : no;
}

uint64_t parse_constant(Parser *p)
{
    return parse_conditional(p).bits;
}

/* ---- names ---- */

/* The declaration of %r12 through its range %r<20>: the longest prefix that is one counts. */
static const Decl *find_range(const Parser *p, const char *text, size_t length, uint32_t *index)
{
    uint64_t value = 0, place = 1;
    for (size_t n = length; n > 1 && text[n - 1] >= '0' && text[n - 1] <= '9' && length - n < 10; n--) {
        value += place * (uint64_t)(text[n - 1] - '0');
        place *= 10;
        if (text[n - 1] == '0' && n < length)
            continue; /* no leading zeros */
        Name *prefix = names_find(&p->names, text, n - 1);
        if (prefix && prefix->range && value < prefix->range->count) {
            *index = (uint32_t)value;
            return prefix->range;
        }
    }
    return NULL;
}

static void set_reg(PtxOperand *o, uint8_t type, uint32_t reg)
{
    o->kind = PTX_OPERAND_REG;
    o->type = type;
    o->reg = reg;
}

/* All elements of a vector register, as if {v.x, v.y...} had been written. */
static void set_vector_reg(Parser *p, PtxOperand *o, const Decl *decl)
{
    PtxOperand *elems = parse_new_operands(p, decl->n_vec);
    if (!elems)
        return;
    for (uint32_t i = 0; i < decl->n_vec; i++) {
        elems[i].line = o->line;
        elems[i].column = o->column;
        set_reg(&elems[i], decl->type, decl->reg + i);
    }
    o->kind = PTX_OPERAND_VECTOR;
    o->elems = elems;
    o->n_elems = decl->n_vec;
}

/* .b0 .h1 .h32 .b7654 after a register, without the dot; 0: none of them. */
static uint16_t selector_of(const char *text, size_t length)
{
    uint32_t digits = 0, n = (uint32_t)length - 1;
    if (length < 2 || length > 5 || (text[0] != 'b' && text[0] != 'h'))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (text[length - 1 - i] < '0' || text[length - 1 - i] > '7')
            return 0;
        digits |= (uint32_t)(text[length - 1 - i] - '0') << 3 * i;
    }
    return (uint16_t)(digits | n << 12 | (text[0] == 'h' ? 0x8000u : 0));
}

/* v.x v.y v.z v.w, v.r v.g v.b v.a of a vector; the selectors of video instructions. */
static void set_component(Parser *p, PtxOperand *o, const Decl *decl, const char *text, size_t length)
{
    const char *places = "xyzwrgba", *at = length == 1 ? strchr(places, text[0]) : NULL;
    uint16_t selector = selector_of(text, length);
    if (at && (at - places) % 4 < decl->n_vec && decl->n_vec > 1) {
        set_reg(o, decl->type, decl->reg + (uint32_t)(at - places) % 4);
    } else if (selector && decl->n_vec == 1) {
        set_reg(o, decl->type, decl->reg);
        o->selector = selector;
    } else {
        p->unsupported = true;
    }
}

static void set_decl(Parser *p, PtxOperand *o, const Decl *decl, const Token *t)
{
    const char *dot = memchr(t->text, '.', t->length);
    switch (decl->kind) {
    case DECL_REG:
        if (dot)
            set_component(p, o, decl, dot + 1, t->length - (size_t)(dot + 1 - t->text));
        else if (decl->n_vec > 1)
            set_vector_reg(p, o, decl);
        else
            set_reg(o, decl->type, decl->reg);
        break;
    case DECL_VARIABLE:
        o->kind = PTX_OPERAND_VARIABLE;
        o->variable = decl->variable;
        break;
    case DECL_TARGETS:
        o->kind = PTX_OPERAND_TARGETS;
        o->value = decl->reg;
        break;
    default:
        o->kind = PTX_OPERAND_NAME;
        o->name = decl->name->text;
    }
}

/* The name under the token: a special register, something declared, a register of a range, else just a name.
 */
static void set_named(Parser *p, PtxOperand *o)
{
    Token *t = &p->token;
    if (p->scanner.at[0] == '.')
        scan_suffixes(&p->scanner, t, false);
    Name *name = names_find(&p->names, t->text, t->length);
    const char *dot = memchr(t->text, '.', t->length);
    size_t length = dot ? (size_t)(dot - t->text) : t->length;
    Name *base = dot ? names_find(&p->names, t->text, length) : name;
    uint32_t index = 0;
    const Decl *range = find_range(p, t->text, length, &index);
    if (base && base->decl && (!range || range->order < base->decl->order)) {
        set_decl(p, o, base->decl, t);
        return;
    }
    if (name && name->sreg) {
        o->kind = PTX_OPERAND_SREG;
        o->reg = name->sreg - 1u;
        o->type = ptx_sreg_bits((PtxSreg)o->reg) == 64  ? PTX_TYPE_U64
                  : ptx_sreg_bits((PtxSreg)o->reg) == 1 ? PTX_TYPE_PRED
                                                        : PTX_TYPE_U32;
        return;
    }
    if (range) {
        Decl reg = {.kind = DECL_REG, .type = range->type, .n_vec = range->n_vec};
        reg.reg = range->reg + index * range->n_vec;
        set_decl(p, o, &reg, t);
        return;
    }
    if (t->text[0] == '%' && dot) { /* a special register without a row in sregs.def */
        p->unsupported = true;
        return;
    }
    if (t->text[0] == '%') {
        parse_fail(p, "register '%.*s' is not declared", t->length > 60 ? 60 : (int)t->length, t->text);
        return;
    }
    name = parse_name(p, "");
    o->kind = PTX_OPERAND_NAME;
    o->name = name ? name->text : "";
}

/* ---- operands ---- */

PtxOperand *parse_new_operands(Parser *p, size_t n)
{
    if (n > OPERANDS_BLOCK)
        return parse_alloc(p, n * sizeof(PtxOperand));
    if (n > p->n_operands_free) {
        p->operands = parse_alloc(p, OPERANDS_BLOCK * sizeof(PtxOperand));
        p->n_operands_free = p->operands ? OPERANDS_BLOCK : 0;
        if (!p->operands)
            return NULL;
    }
    PtxOperand *first = p->operands;
    p->operands += n;
    p->n_operands_free -= n;
    return first;
}

/* + 4, - 4, + -4 after a base */
static int64_t parse_displacement(Parser *p)
{
    if (!parse_is(p, '+') && !parse_is(p, '-'))
        return 0;
    bool minus = parse_is(p, '-');
    parse_advance(p);
    uint64_t value = parse_constant(p);
    return (int64_t)(minus ? 0 - value : value);
}

PtxOperand *parse_operand_list(Parser *p, int close, uint32_t *n)
{
    PtxOperand list[PTX_OPERANDS_MAX];
    uint32_t count = 0;
    *n = 0;
    while (!p->status && !parse_is(p, close)) {
        if (count == PTX_OPERANDS_MAX) {
            parse_fail_at(p, STATUS_LIMIT, p->token.line, p->token.column, "more than %d operands",
                          PTX_OPERANDS_MAX);
            return NULL;
        }
        list[count++] = parse_operand(p);
        if (!parse_accept(p, ','))
            break;
    }
    if (p->status || count == 0)
        return NULL;
    PtxOperand *copy = parse_new_operands(p, count);
    if (!copy)
        return NULL;
    memcpy(copy, list, count * sizeof *copy);
    *n = count;
    return copy;
}

/* {a, b} or [a+4, {b, c}]: the opening bracket is the current token. */
static void parse_bracketed(Parser *p, PtxOperand *o, int close)
{
    uint32_t n = 0;
    parse_advance(p);
    if (nest(p))
        o->elems = parse_operand_list(p, close, &n);
    p->nesting--;
    o->n_elems = (uint8_t)n;
    if (!p->status && n == 0)
        parse_fail(p, "expected an operand between the brackets");
    parse_expect(p, close, "after the operands");
    if (p->status || o->kind != PTX_OPERAND_ADDRESS)
        return;
    o->offset = o->elems[0].offset;
    o->elems[0].offset = 0;
}

static void parse_number(Parser *p, PtxOperand *o)
{
    bool negative = parse_is(p, '-') && p->scanner.at[0] == '0' && (p->scanner.at[1] | 0x20) != 'x';
    Scanner scanner = p->scanner;
    Token token = p->token;
    if (negative)
        parse_advance(p);
    if (p->token.kind == TOKEN_FLOAT) {
        o->kind = PTX_OPERAND_FLOAT;
        o->type = p->token.type;
        o->value = p->token.value;
        if (negative)
            o->value ^= (uint64_t)1 << (ptx_type_bits((PtxType)o->type) - 1);
        parse_advance(p);
        return;
    }
    if (negative && !p->status) {
        p->scanner = scanner;
        p->token = token;
    }
    o->kind = PTX_OPERAND_INT;
    o->value = parse_constant(p);
}

/* p|q, {..}|p: the first part has been read. */
static PtxOperand parse_pair(Parser *p, PtxOperand first)
{
    PtxOperand pair = {.kind = PTX_OPERAND_PAIR, .line = first.line, .column = first.column, .n_elems = 2};
    parse_advance(p);
    if (!nest(p))
        return pair;
    PtxOperand second = parse_operand(p);
    p->nesting--;
    pair.elems = parse_new_operands(p, 2);
    if (pair.elems) {
        pair.elems[0] = first;
        pair.elems[1] = second;
    }
    return pair;
}

/* !p, -r; a minus before WARP_SZ begins a constant. */
static bool precedes_name(const Parser *p)
{
    const char *next = p->scanner.at;
    bool name = next[0] == '%' || next[0] == '_' || next[0] == '$' || (next[0] | 0x20) >= 'a';
    return name && (parse_is(p, '!') || (parse_is(p, '-') && strncmp(next, "WARP_SZ", 7) != 0));
}

PtxOperand parse_operand(Parser *p)
{
    PtxOperand o = {.line = p->token.line};
    o.column = (uint16_t)(p->token.column > UINT16_MAX ? UINT16_MAX : p->token.column);
    if (parse_is(p, '{')) {
        o.kind = PTX_OPERAND_VECTOR;
        parse_bracketed(p, &o, '}');
    } else if (parse_is(p, '[')) {
        o.kind = PTX_OPERAND_ADDRESS;
        parse_bracketed(p, &o, ']');
    } else if (parse_is_name(p, "_")) {
        o.kind = PTX_OPERAND_SINK;
        parse_advance(p);
    } else if (p->token.kind == TOKEN_NAME && !parse_is_name(p, "WARP_SZ")) {
        set_named(p, &o);
        parse_advance(p);
        o.offset = parse_displacement(p);
    } else if (precedes_name(p)) {
        o.negated = parse_is(p, '!');
        o.minus = !o.negated;
        parse_advance(p);
        set_named(p, &o);
        parse_advance(p);
    } else {
        parse_number(p, &o);
    }
    return parse_is(p, '|') && !p->status ? parse_pair(p, o) : o;
}
