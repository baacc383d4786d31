/* The arithmetic of affine values, of blocks and of grids, against brute force: over small blocks and grids,
 * with bases at the edges of the types, each instruction is done for every thread by itself.
 *
 * What is said of a value must hold in every thread, and it must be said wherever it holds: a bound that is
 * one too careful loses a plan, one that is too bold a finding. Of a comparison a plan says for which blocks
 * its outcome holds: exactly those.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/rng.h"
#include "common/vgpu/exec/affine/affine.h"
#include "common/vgpu/exec/affine/plan.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 200000, OFF_A = 0, OFF_B = 512, OFF_C = 1024, OFF_D = 1536, REG_BYTES = 2048 };

typedef __int128 Big;

/* One instruction on three values: a form each, of so many bytes. */
typedef struct Trial {
    IrInst inst;
    AffineValue in[3];
    uint32_t most[AFFINE_GRID];
    bool is_signed; /* as the instruction sees its sources */
    unsigned bytes; /* of its sources */
} Trial;

/* What came of it. */
typedef struct Outcome {
    bool known;
    AffineValue value;       /* of the result */
    int predicate;         /* of a comparison */
    bool planned[4][4][2]; /* by block [X][Y][Z]: plans only */
} Outcome;

static Rng rng = {1};

static uint32_t pick(uint32_t n)
{
    return (uint32_t)rng_below(&rng, n);
}

/* ---- What threads work out by themselves ---- */

static uint64_t cut(uint64_t x, unsigned bytes)
{
    return bytes == 8 ? x : bytes == 4 ? (uint32_t)x : (uint16_t)x;
}

static Big number(uint64_t x, unsigned bytes, bool is_signed)
{
    if (!is_signed)
        return cut(x, bytes);
    return bytes == 8 ? (int64_t)x : bytes == 4 ? (int32_t)x : (int16_t)x;
}

/* The register's bits in the thread and block of these indexes. */
static uint64_t bits_in(const AffineValue *v, unsigned bytes, const uint32_t at[AFFINE_GRID])
{
    uint64_t x = v->base;
    for (int i = 0; i < AFFINE_GRID; i++)
        x += (uint64_t)v->step[i] * at[i];
    return cut(x, bytes);
}

static bool holds(uint8_t cmp, Big d)
{
    switch (cmp) {
    case CMP_EQ:
        return d == 0;
    case CMP_NE:
        return d != 0;
    case CMP_LT:
    case CMP_LO:
        return d < 0;
    case CMP_LE:
    case CMP_LS:
        return d <= 0;
    case CMP_GT:
    case CMP_HI:
        return d > 0;
    default:
        return d >= 0;
    }
}

static uint64_t result_in(const Trial *t, const uint32_t at[AFFINE_GRID])
{
    uint64_t x[3];
    for (int k = 0; k < 3; k++)
        x[k] = bits_in(&t->in[k], k == 2 ? t->inst.dst.bytes : t->bytes, at);
    switch ((WideKind)t->inst.wide) {
    case WIDE_ADD:
        return cut(x[0] + x[1], t->bytes);
    case WIDE_SUB:
        return cut(x[0] - x[1], t->bytes);
    case WIDE_SHL:
        return x[1] >= t->bytes * 8u ? 0 : cut(x[0] << x[1], t->bytes);
    case WIDE_CVT:
        return cut((uint64_t)number(x[0], t->bytes, t->is_signed), t->inst.dst.bytes);
    default: /* mul, mad: lo or wide */
        return cut((uint64_t)(number(x[0], t->bytes, t->is_signed) * number(x[1], t->bytes, t->is_signed)) +
                       (t->inst.wide == WIDE_MAD ? x[2] : 0),
                   t->inst.dst.bytes);
    }
}

/* Whether the form, as a sum of numbers, leaves the type in no thread of any block: its ends are at corners.
 */
static bool wraps(const AffineValue *v, unsigned bytes, bool is_signed, const uint32_t most[AFFINE_GRID])
{
    Big low = number(v->base, bytes, is_signed), high = low;
    for (int i = 0; i < AFFINE_GRID; i++)
        *(v->step[i] < 0 ? &low : &high) += (Big)v->step[i] * most[i];
    if (bytes == 8)
        return (!is_signed && low < 0) || low < -(Big)AFFINE_MAX || high > AFFINE_MAX;
    return is_signed ? low < INT32_MIN || high > INT32_MAX : low < 0 || high > UINT32_MAX;
}

/* The next index; false after the last one. */
static bool next(uint32_t at[AFFINE_GRID], const uint32_t most[AFFINE_GRID], int first, int end)
{
    for (int i = first; i < end; i++) {
        if (at[i]++ < most[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* ---- What the arithmetic says ---- */

static IrOperand reg(unsigned bytes, uint32_t off)
{
    return (IrOperand){.kind = IR_REG, .bytes = (uint8_t)bytes, .off = off};
}

/* Where the plan's moves let a block go as planned. */
static bool goes(const Plan *plan, const uint32_t at[AFFINE_GRID])
{
    for (uint32_t k = 0; k < plan->n_moves; k++) {
        const PlanMove *m = &plan->moves[k];
        int64_t shift = m->step[0] * at[3] + m->step[1] * at[4] + m->step[2] * at[5];
        if (shift < m->min || shift > m->max)
            return false;
    }
    return true;
}

static void ask_plan(const Trial *t, Outcome *o)
{
    static Plan plan;
    uint8_t held[REG_BYTES / 4] = {0};
    AffineValue values[REG_BYTES / 64] = {0}, room;
    PlanState s = {.affine = {.held = held, .values = values, .dims = AFFINE_GRID}, .plan = &plan};
    memset(&plan, 0, sizeof plan);
    memcpy(s.affine.most, t->most, sizeof s.affine.most);
    for (int i = 0; i < 3; i++) {
        s.at[i] = (t->most[3 + i] + 1) / 2;
        held[t->inst.src[i].off / 4] = HELD_AFFINE;
        values[t->inst.src[i].off / 64] = t->in[i];
    }
    *o = (Outcome){.predicate = -1};
    /* compute_once would have the handler do what is alike everywhere: here there is none, as with forms. */
    Trial form = *t;
    form.inst.dst2.bytes = 16;
    o->known = plan_compute(&s, &form.inst);
    if (!o->known)
        return;
    if (t->inst.wide != WIDE_SETP) {
        o->value = *affine_known(&s.affine, &t->inst.dst, &room);
        return;
    }
    o->predicate = affine_predicate(&s.affine, &t->inst.dst);
    uint32_t at[AFFINE_GRID] = {0};
    do
        o->planned[at[3]][at[4]][at[5]] = goes(&plan, at);
    while (next(at, t->most, 3, AFFINE_GRID));
}

/* A block's values have three steps: what stands behind them is nobody's. */
static void ask_block(const Trial *t, Outcome *o)
{
    uint8_t held[REG_BYTES / 4] = {0};
    AffineValue values[REG_BYTES / 64], room;
    AffineState s = {.held = held, .values = values, .dims = AFFINE_BLOCK};
    memset(values, 0x55, sizeof values);
    memcpy(s.most, t->most, sizeof s.most);
    for (int i = 0; i < 3; i++) {
        AffineValue *to = &values[t->inst.src[i].off / 64];
        held[t->inst.src[i].off / 4] = HELD_AFFINE;
        to->base = t->in[i].base;
        memcpy(to->step, t->in[i].step, AFFINE_BLOCK * sizeof *to->step);
    }
    *o = (Outcome){.predicate = -1};
    o->known = affine_compute(&s, &t->inst);
    if (o->known && t->inst.wide == WIDE_SETP) {
        o->predicate = affine_predicate(&s, &t->inst.dst);
    } else if (o->known) {
        const AffineValue *x = affine_known(&s, &t->inst.dst, &room);
        o->value.base = x->base;
        memcpy(o->value.step, x->step, AFFINE_BLOCK * sizeof *x->step);
    }
}

/* ---- Trials ---- */

/* A number at an edge of its type, or small. */
static uint64_t base_of(unsigned bytes)
{
    static const uint64_t edges[] = {0, 0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000u};
    return cut(edges[pick(sizeof edges / sizeof *edges)] + pick(25) - 12, bytes);
}

static AffineValue form_of(unsigned bytes, const uint32_t most[AFFINE_GRID], bool alike)
{
    AffineValue v = {.base = base_of(bytes)};
    for (int i = 0; i < AFFINE_GRID && !alike; i++)
        if (most[i] && pick(2))
            v.step[i] = pick(40) ? (int64_t)pick(9) - 4 : (int32_t)(0x7FFFFFF0 + pick(0x20));
    for (int i = 0; i < AFFINE_GRID && bytes == 8; i++)
        if (v.step[i] && pick(40) == 0) /* times an index it may wrap to a small number */
            v.step[i] = (int64_t)((uint64_t)1 << (59 + pick(5)));
    return v;
}

/* n_dims: 6 for plans, 3 for a block alone. */
static Trial trial_of(int n_dims, WideKind kind)
{
    static const uint32_t largest[AFFINE_GRID] = {3, 2, 1, 3, 3, 1};
    Trial t = {.is_signed = pick(2), .bytes = pick(3) ? 4 : 8};
    bool wider = kind == WIDE_CVT || ((kind == WIDE_MUL || kind == WIDE_MAD) && pick(2));
    bool one_is_alike = kind == WIDE_MUL || kind == WIDE_MAD || kind == WIDE_SHL;
    if (wider)
        t.bytes = 4;
    unsigned result = kind == WIDE_SETP ? 0 : wider ? 8 : t.bytes;
    uint8_t type = t.bytes == 4  ? (t.is_signed ? PTX_TYPE_S32 : PTX_TYPE_U32)
                   : t.is_signed ? PTX_TYPE_S64
                                 : PTX_TYPE_U64;
    for (int i = 0; i < n_dims; i++)
        t.most[i] = pick(largest[i] + 1);
    t.inst = (IrInst){.wide = (uint8_t)kind,
                      .type = type,
                      .type2 = type,
                      .n_src = 3,
                      .mode = wider ? MUL_WIDE : MUL_LO,
                      .dst = reg(result, OFF_D),
                      .src = {reg(t.bytes, OFF_A), reg(t.bytes, OFF_B), reg(result ? result : 8, OFF_C)}};
    t.in[0] = form_of(t.bytes, t.most, false);
    t.in[1] = form_of(t.bytes, t.most, one_is_alike || pick(2));
    t.in[2] = form_of(result, t.most, false);
    if (kind == WIDE_SHL)
        t.in[1].base = pick(70);
    if (kind == WIDE_SETP) {
        static const uint8_t numbers[] = {CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE},
                             bits[] = {CMP_EQ, CMP_NE, CMP_LO, CMP_LS, CMP_HI, CMP_HS};
        t.inst.cmp = t.is_signed ? numbers[pick(6)] : bits[pick(6)];
        if (pick(2)) /* so that they meet */
            t.in[1].base = cut(t.in[0].base + pick(9) - 4, t.bytes);
    }
    return t;
}

static void tell(const Trial *t, const char *what)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s: kind %u, cmp %u, mode %u, %u bytes, %s, most", what,
                     t->inst.wide, t->inst.cmp, t->inst.mode, t->bytes, t->is_signed ? "signed" : "unsigned");
    for (int i = 0; i < AFFINE_GRID; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", t->most[i]);
    for (int k = 0; k < 3; k++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "; %#llx", (unsigned long long)t->in[k].base);
        for (int i = 0; i < AFFINE_GRID; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, " %lld", (long long)t->in[k].step[i]);
    }
    fail_msg("%s", text);
}

typedef void Ask(const Trial *t, Outcome *o);

/* A result is right in every thread, and stands in its register as one number does: base without more bits,
 * steps signed. */
static void check_result(const Trial *t, const Outcome *o)
{
    unsigned bytes = t->inst.dst.bytes;
    uint32_t at[AFFINE_GRID] = {0};
    if (o->value.base != cut(o->value.base, bytes))
        tell(t, "the base has more bits than the register");
    for (int i = 0; i < AFFINE_GRID; i++)
        if (bytes == 4 && o->value.step[i] != (int32_t)o->value.step[i])
            tell(t, "a step has more bits than the register");
    do
        if (bits_in(&o->value, bytes, at) != result_in(t, at))
            tell(t, "not what a thread works out");
    while (next(at, t->most, 0, AFFINE_GRID));
}

static bool sources_wrap(const Trial *t)
{
    return wraps(&t->in[0], t->bytes, t->is_signed, t->most) ||
           wraps(&t->in[1], t->bytes, t->is_signed, t->most);
}

static int check_arithmetic(int n_dims, Ask *ask)
{
    static const WideKind kinds[] = {WIDE_ADD, WIDE_SUB, WIDE_MUL, WIDE_MAD, WIDE_SHL, WIDE_CVT};
    int n_refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Trial t = trial_of(n_dims, kinds[pick(sizeof kinds / sizeof *kinds)]);
        bool widens = t.inst.wide == WIDE_CVT ||
                      ((t.inst.wide == WIDE_MUL || t.inst.wide == WIDE_MAD) && t.inst.mode == MUL_WIDE);
        bool one_wraps = t.inst.wide == WIDE_CVT ? wraps(&t.in[0], 4, t.is_signed, t.most) : sources_wrap(&t);
        Outcome o;
        ask(&t, &o);
        if (o.known)
            check_result(&t, &o);
        else if (!widens || !one_wraps)
            tell(&t, "a result that is a form was not given");
        n_refused += !o.known;
    }
    return n_refused;
}

/* What the comparison comes to in one block: 1 or 0 in all threads; -1: they differ. *sign: of a - b in all
 * of them, 2 where it differs. */
static int outcome_in(const Trial *t, const uint32_t block[AFFINE_GRID], int *sign)
{
    uint32_t at[AFFINE_GRID] = {0, 0, 0, block[3], block[4], block[5]};
    int outcome = -2;
    *sign = 3;
    do {
        Big d = number(bits_in(&t->in[0], t->bytes, at), t->bytes, t->is_signed) -
                number(bits_in(&t->in[1], t->bytes, at), t->bytes, t->is_signed);
        int here = holds(t->inst.cmp, d), side = (d > 0) - (d < 0);
        outcome = outcome == -2 || outcome == here ? here : -1;
        *sign = *sign == 3 || *sign == side ? side : 2;
    } while (next(at, t->most, 0, 3));
    return outcome;
}

/* Whether the comparison's outcome can be told in the deciding block: all threads agree, and equality is not
 * met in passing. */
static bool can_tell(const Trial *t, int outcome, int sign)
{
    bool equality = t->inst.cmp == CMP_EQ || t->inst.cmp == CMP_NE;
    return outcome >= 0 && (!equality || sign != 2);
}

static void check_blocks(const Trial *t, const Outcome *o, int decided_sign)
{
    bool equality = t->inst.cmp == CMP_EQ || t->inst.cmp == CMP_NE;
    uint32_t at[AFFINE_GRID] = {0};
    do {
        int sign, outcome = outcome_in(t, at, &sign);
        bool same = outcome == o->predicate && (!equality || sign == decided_sign);
        if (o->planned[at[3]][at[4]][at[5]] && outcome != o->predicate)
            tell(t, "a block goes as planned in which the comparison comes out otherwise");
        if (!o->planned[at[3]][at[4]][at[5]] && same)
            tell(t, "a block does not go as planned in which the comparison comes out so");
    } while (next(at, t->most, 3, AFFINE_GRID));
}

static int check_comparisons(int n_dims, Ask *ask)
{
    int n_known = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Trial t = trial_of(n_dims, WIDE_SETP);
        uint32_t at[AFFINE_GRID] = {0};
        int sign;
        Outcome o;
        for (int i = 3; i < AFFINE_GRID; i++)
            at[i] = (t.most[i] + 1) / 2;
        int outcome = outcome_in(&t, at, &sign);
        ask(&t, &o);
        if (!o.known && !sources_wrap(&t) && can_tell(&t, outcome, sign))
            tell(&t, "a comparison that can be told was not");
        if (o.known && o.predicate != outcome)
            tell(&t, "the comparison comes out otherwise");
        if (o.known && n_dims == AFFINE_GRID)
            check_blocks(&t, &o, sign);
        n_known += o.known;
    }
    return n_known;
}

static void test_arithmetic_of_a_block(void **state)
{
    (void)state;
    assert_in_range(check_arithmetic(3, ask_block), ROUNDS / 100, ROUNDS / 2);
}

static void test_arithmetic_of_a_plan(void **state)
{
    (void)state;
    assert_in_range(check_arithmetic(AFFINE_GRID, ask_plan), ROUNDS / 100, ROUNDS / 2);
}

static void test_comparisons_in_a_block(void **state)
{
    (void)state;
    assert_in_range(check_comparisons(3, ask_block), ROUNDS / 10, ROUNDS);
}

static void test_comparisons_in_a_plan(void **state)
{
    (void)state;
    assert_in_range(check_comparisons(AFFINE_GRID, ask_plan), ROUNDS / 10, ROUNDS);
}

/* Predicates of which one or both are not known: an outcome is known where all that they may be give the same. */
static void test_logic(void **state)
{
    (void)state;
    static const uint16_t opcodes[] = {PTX_AND, PTX_OR, PTX_NOT};
    for (int k = 0; k < 3; k++)
        for (int a = -1; a <= 1; a++)
            for (int b = -1; b <= 1; b++) {
                bool may[2] = {false, false};
                for (int x = 0; x <= 1; x++)
                    for (int y = 0; y <= 1; y++)
                        if ((a < 0 || a == x) && (b < 0 || b == y))
                            may[k == 0 ? x & y : k == 1 ? x | y : !x] = true;
                int wanted = may[0] && may[1] ? -1 : may[1];
                if (affine_logic(opcodes[k], a, b) != wanted)
                    fail_msg("opcode %d of %d and %d: not %d", k, a, b, wanted);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic_of_a_block), cmocka_unit_test(test_arithmetic_of_a_plan),
        cmocka_unit_test(test_comparisons_in_a_block), cmocka_unit_test(test_comparisons_in_a_plan), cmocka_unit_test(test_logic)};
    return cmocka_run_group_tests_name("affine", tests, NULL, NULL);
}
