/* Lives and places of registers: on random functions, two registers that are live at once never share a
 * place, by a plain data flow analysis, instruction by instruction. */
#include "common/base/rng.h"
#include "common/vgpu/ir/ir_internal.h"
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>

enum { N_INSTS = 40, N_REGS = 24 };

typedef struct Random {
    IrInst insts[N_INSTS];
    IrFunction f;
    uint8_t reg_bytes[N_REGS];
    bool in[N_INSTS][N_REGS]; /* live before the instruction */
} Random;

static IrOperand random_reg(Rng *rng)
{
    return (IrOperand){.kind = IR_REG, .off = (uint32_t)rng_below(rng, N_REGS)};
}

static void make_function(Rng *rng, Random *r)
{
    static const uint8_t widths[] = {0, 2, 4, 4, 8, 16};
    memset(r, 0, sizeof *r);
    for (int i = 0; i < N_REGS; i++)
        r->reg_bytes[i] = widths[rng_below(rng, sizeof widths)];
    for (uint32_t pc = 0; pc < N_INSTS; pc++) {
        IrInst *in = &r->insts[pc];
        bool branch = rng_below(rng, 4) == 0;
        *in = (IrInst){.opcode = branch ? PTX_BRA : PTX_ADD, .n_vec = 1, .target = IR_NO_PC};
        if (rng_below(rng, 3) == 0)
            in->guard = random_reg(rng);
        if (branch) {
            in->target = (uint32_t)rng_below(rng, N_INSTS);
            continue;
        }
        in->dst = random_reg(rng);
        in->src[0] = random_reg(rng);
        if (rng_below(rng, 2))
            in->src[1] = random_reg(rng);
    }
    r->insts[N_INSTS - 1] = (IrInst){.opcode = PTX_RET, .n_vec = 1, .target = IR_NO_PC};
    r->f = (IrFunction){.name = "random", .insts = r->insts, .n_insts = N_INSTS, .epilogue = N_INSTS - 1};
}

static bool reads_register(const IrInst *in, uint32_t reg)
{
    return (in->guard.kind == IR_REG && in->guard.off == reg) ||
           (in->src[0].kind == IR_REG && in->src[0].off == reg) ||
           (in->src[1].kind == IR_REG && in->src[1].off == reg);
}

static bool writes(const IrInst *in, uint32_t reg)
{
    return in->dst.kind == IR_REG && in->dst.off == reg;
}

static bool live_after(const Random *r, uint32_t pc, uint32_t reg)
{
    const IrInst *in = &r->insts[pc];
    bool guarded = in->guard.kind != IR_NONE,
         next = in->opcode != PTX_RET && (in->opcode != PTX_BRA || guarded);
    return (in->opcode == PTX_BRA && r->in[in->target][reg]) ||
           (next && pc + 1 < N_INSTS && r->in[pc + 1][reg]);
}

static void solve_plainly(Random *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = N_INSTS; pc-- > 0;)
            for (uint32_t reg = 0; reg < N_REGS; reg++) {
                bool kills = writes(&r->insts[pc], reg) && r->insts[pc].guard.kind == IR_NONE;
                bool live = reads_register(&r->insts[pc], reg) || (live_after(r, pc, reg) && !kills);
                changed = changed || live != r->in[pc][reg];
                r->in[pc][reg] = live;
            }
    }
}

/* Places of all registers, read back from the rewritten operands. */
static void read_places(const IrInst *before, const IrInst *after, uint32_t *place)
{
    if (before->guard.kind == IR_REG)
        place[before->guard.off] = after->guard.off;
    if (before->dst.kind == IR_REG)
        place[before->dst.off] = after->dst.off;
    for (int i = 0; i < 2; i++)
        if (before->src[i].kind == IR_REG)
            place[before->src[i].off] = after->src[i].off;
}

static bool overlap(const Random *r, const uint32_t *place, uint32_t a, uint32_t b)
{
    uint32_t size_a = r->reg_bytes[a] ? r->reg_bytes[a] * 32u : 4,
             size_b = r->reg_bytes[b] ? r->reg_bytes[b] * 32u : 4;
    return place[a] < place[b] + size_b && place[b] < place[a] + size_a;
}

/* Registers at work at pc: live before it, live after it, or written by it. */
static bool busy(const Random *r, uint32_t pc, uint32_t reg)
{
    return r->in[pc][reg] || live_after(r, pc, reg) || writes(&r->insts[pc], reg);
}

static void check_function(Random *r)
{
    IrInst before[N_INSTS];
    uint32_t place[N_REGS];
    Cfg cfg;
    Lives lives;
    memcpy(before, r->insts, sizeof before);
    memset(place, 0xFF, sizeof place);
    solve_plainly(r);
    assert_true(cfg_build(&r->f, &cfg));
    assert_true(live_compute(&r->f, N_REGS, &cfg, &lives));
    assert_int_equal(regs_allocate(&r->f, r->reg_bytes, N_REGS, &lives), STATUS_OK);
    for (uint32_t pc = 0; pc < N_INSTS; pc++)
        read_places(&before[pc], &r->insts[pc], place);
    memcpy(r->insts, before, sizeof before);
    for (uint32_t pc = 0; pc < N_INSTS; pc++)
        for (uint32_t a = 0; a < N_REGS; a++)
            for (uint32_t b = 0; b < a; b++)
                if (busy(r, pc, a) && busy(r, pc, b))
                    assert_false(overlap(r, place, a, b));
    live_free(&lives);
    cfg_free(&cfg);
}

static void test_random_functions(void **state)
{
    (void)state;
    Rng rng = {7};
    Random *r = malloc(sizeof *r);
    for (int i = 0; i < 3000; i++) {
        make_function(&rng, r);
        check_function(r);
    }
    free(r);
}

static void test_chain_needs_few_places(void **state)
{
    (void)state;
    char body[8192] = "";
    for (int i = 0; i < 200; i++)
        snprintf(body + strlen(body), sizeof body - strlen(body), "add.s32 %%x%d, %%x%d, 1;\n", i + 1, i);
    char text[9000];
    snprintf(text, sizeof text, ".entry k() { .reg .b32 %%x<201>;\n%s }", body);
    IrModule *m = must_decode(text);
    assert_int_equal(find_function(m, "k")->reg_bytes, 2 * 128);
    assert_in_range(find_function(m, "k")->n_regs32, 2, 8);
    ir_module_free(m);
}

static uint32_t registers_under(const char *limits)
{
    char text[8192] = "", body[6144] = "";
    size_t used = 0;
    for (int i = 0; i < 60; i++) /* all loaded before the first is stored */
        used +=
            (size_t)snprintf(body + used, sizeof body - used, "ld.global.u32 %%x%d, [%%a+%d];\n", i, 4 * i);
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(body + used, sizeof body - used, "st.global.u32 [%%a+%d], %%x%d;\n", 4 * i,
                                 59 - i);
    snprintf(text, sizeof text,
             ".entry k(.param .u64 a) %s { .reg .b32 %%x<60>; .reg .b64 %%a;\nld.param.u64 %%a, [a];\n%s }",
             limits, body);
    IrModule *m = must_decode(text);
    uint32_t n = find_function(m, "k")->n_regs32;
    ir_module_free(m);
    return n;
}

/* __launch_bounds__: what would keep the blocks from fitting is not counted. */
static void test_bounds_limit_registers(void **state)
{
    (void)state;
    uint32_t free = registers_under("");
    assert_in_range(free, 62, 80);
    assert_int_equal(registers_under(".maxntid 256, 1, 1"), free);
    assert_int_equal(registers_under(".maxntid 256, 1, 1 .minnctapersm 6"), 40);
    assert_int_equal(registers_under(".maxntid 250, 1, 1 .minnctapersm 6"), 40);
    assert_int_equal(registers_under(".maxntid 512, 2, 1"), free < 64 ? free : 64);
    assert_int_equal(registers_under(".maxntid 1024 .minnctapersm 32"), 24);
}

/* A value that the next round of a loop reads keeps its place through the whole loop. */
static void test_loop_carried(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = decode_body_diag(
        "",
        "mov.u32 %r1, 0;\nmov.u32 %r2, 5;\nL: add.s32 %r3, %r1, 1;\nadd.s32 %r4, %r3, 2;\n"
        "st.global.u32 [%rd1], %r4;\nadd.s32 %r1, %r1, %r2;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra L;",
        &diag);
    const IrFunction *k = find_function(m, "k");
    uint32_t r1 = k->insts[0].dst.off, r2 = k->insts[1].dst.off;
    for (uint32_t pc = 2; pc < 5; pc++) {
        assert_int_not_equal(k->insts[pc].dst.kind == IR_REG ? k->insts[pc].dst.off : IR_NO_PC, r1);
        assert_int_not_equal(k->insts[pc].dst.kind == IR_REG ? k->insts[pc].dst.off : IR_NO_PC, r2);
    }
    assert_int_equal(k->insts[5].dst.off, r1);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_functions),
        cmocka_unit_test(test_chain_needs_few_places),
        cmocka_unit_test(test_bounds_limit_registers),
        cmocka_unit_test(test_loop_carried),
    };
    return cmocka_run_group_tests_name("ir live", tests, NULL, NULL);
}
