/* Slices of kernels written by hand: exactly these instructions, and no others. In each body a store to
 * global memory, the last one, is sliced; what is in its slice is marked with a + in the listing. */
#include "common/vgpu/ir/slice.h"
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>

/* Marks of the pcs: '+' in the slice, '-' not. */
static char *marks_of(const IrModule *m, uint32_t site, IrTree *t)
{
    assert_true(ir_tree_make(m, (uint32_t)ir_find_function(m, "k"), t));
    uint8_t *bits = calloc(t->n_insts / 8 + 1, 1);
    char *marks = calloc(t->n_insts + 1, 1);
    assert_non_null(bits);
    assert_non_null(marks);
    assert_true(ir_tree_slice(t, site, bits));
    for (uint32_t pc = 0; pc < t->n_insts; pc++)
        marks[pc] = bits[pc / 8] >> pc % 8 & 1 ? '+' : '-';
    free(bits);
    return marks;
}

static uint32_t last_store(const IrFunction *f)
{
    uint32_t last = IR_NO_PC;
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        if ((f->insts[pc].opcode == PTX_ST || f->insts[pc].opcode == PTX_RED) &&
            f->insts[pc].space == SPACE_GLOBAL)
            last = pc;
    assert_int_not_equal(IR_NO_PC, last);
    return last;
}

/* wanted: of all instructions of the tree, the kernel's own first. */
static void expect_slice(const char *globals, const char *body, const char *wanted)
{
    Diag diag = {0};
    IrTree t;
    IrModule *m = decode_body_diag(globals, body, &diag);
    if (!m)
        fail_msg("%s", diag.message);
    const IrFunction *k = find_function(m, "k");
    char *marks = marks_of(m, last_store(k), &t);
    if (strcmp(marks, wanted) != 0) {
        char listing[16384];
        list_function(m, k, listing, sizeof listing);
        fail_msg("wanted %s\ngot    %s\n%s", wanted, marks, listing);
    }
    free(marks);
    ir_tree_free(&t);
    ir_module_free(m);
}

static void test_registers(void **state)
{
    (void)state;
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, 5;"
                 "mul.lo.u32 %r4, %r2, 7; add.u32 %r5, %r4, 1; st.global.u32 [%rd1], %r5; ret;",
                 "+-+-+++-");
}

static void test_a_later_definition_hides_an_earlier_one(void **state)
{
    (void)state;
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 100; add.u32 %r2, %r1, 200;"
                 "st.global.u32 [%rd1], %r2; ret;",
                 "++-++-");
}

static void test_a_guarded_definition_hides_none(void **state)
{
    (void)state;
    expect_slice(
        "",
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; setp.gt.u32 %p2, %r1, 9;"
        "add.u32 %r2, %r1, 100; @%p1 add.u32 %r2, %r1, 200; st.global.u32 [%rd1], %r2; ret;",
        "+++-+++-");
}

static void test_branches_decide(void **state)
{
    (void)state;
    expect_slice("", /* the second branch decides nothing that is stored */
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %r1; mov.u32 %r3, %r1;"
                 "setp.gt.u32 %p1, %r1, 7; @%p1 bra A; add.u32 %r2, %r2, 3;"
                 "A: setp.gt.u32 %p2, %r1, 9; @%p2 bra B; add.u32 %r3, %r3, 3;"
                 "B: st.global.u32 [%rd1], %r2; ret;",
                 "+++-+++---+-");
}

static void test_loops(void **state)
{
    (void)state;
    expect_slice(
        "",
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;"
        "L: add.u32 %r3, %r3, %r2; add.u32 %r4, %r4, 9; add.u32 %r2, %r2, 1;"
        "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; st.global.u32 [%rd1], %r3; ret;",
        "++++-+-++++-");
}

static void test_a_thread_that_exits_stores_nothing(void **state)
{
    (void)state;
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; @%p1 exit;"
                 "add.u32 %r2, %r1, 1; st.global.u32 [%rd1], 5; ret;",
                 "++++-+-");
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; @%p1 bra A;"
                 "add.u32 %r2, %r1, 1; st.global.u32 [%rd1], 5; A: ret;",
                 "++++-+-");
}

static void test_the_carry_flag(void **state)
{
    (void)state;
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.cc.u32 %r3, %r1, 5;"
                 "addc.u32 %r4, %r2, 0; st.global.u32 [%rd1], %r4; ret;",
                 "++++++-");
}

static void test_shared_memory(void **state)
{
    (void)state;
    expect_slice(
        ".shared .u32 s[64]; .shared .u32 t[64];",
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 3; st.shared.u32 [s], %r2;"
        "bar.sync 0; add.u32 %r3, %r1, 9; ld.shared.u32 %r4, [s]; st.global.u32 [%rd1], %r4; ret;",
        "++++--++-");
}

static void test_local_memory(void **state)
{
    (void)state;
    expect_slice(
        "",
        ".local .align 4 .b8 l[64]; ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u64 %rd2, l;"
        "add.u64 %rd3, %rd2, 8; mul.lo.u32 %r2, %r1, 3; st.local.u32 [%rd3], %r2; add.u32 %r3, %r1, 1;"
        "ld.local.u32 %r4, [%rd2]; st.global.u32 [%rd1], %r4; ret;",
        "++++++-++-");
}

static void test_vectors_and_shuffles(void **state)
{
    (void)state;
    expect_slice("",
                 "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; ld.global.v2.u32 {%r2, %r3}, [%rd1];"
                 "shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; add.u32 %r5, %r1, 1; mul.lo.u32 %r6, %r3, 3;"
                 "st.global.v2.u32 [%rd1+8], {%r4, %r6}; ret;",
                 "+-++-++-");
}

static const char callee[] = ".func (.param .b32 r) f(.param .b32 x, .param .b32 y)\n"
                             "{ .reg .b32 %r<9>; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];\n"
                             "mul.lo.u32 %r3, %r1, 3; add.u32 %r4, %r2, 1; st.param.b32 [r], %r3; ret; }\n";

static void test_calls(void **state)
{
    (void)state;
    /* The tree: the kernel, then f. Arguments are not told apart, so that y's value counts. */
    expect_slice(
        callee,
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.u32 %r5, %r1, 1;"
        "{ .param .b32 p0; .param .b32 p1; .param .b32 q; st.param.b32 [p0], %r1; st.param.b32 [p1], %r2;"
        "call (q), f, (p0, p1); ld.param.b32 %r3, [q]; } st.global.u32 [%rd1], %r3; ret;",
        "+++-+++++-"
        "+-+-+-");
}

static void test_pcs_of_a_tree(void **state)
{
    Diag diag = {0};
    IrTree t;
    (void)state;
    IrModule *m =
        decode_body_diag(callee,
                         "{ .param .b32 p0; .param .b32 p1; .param .b32 q; st.param.b32 [p0], 70000;"
                         "call (q), f, (p0, p1); } ret;",
                         &diag);
    assert_non_null(m);
    assert_true(ir_tree_make(m, (uint32_t)ir_find_function(m, "k"), &t));
    assert_int_equal(2, t.n);
    assert_int_equal(0, ir_tree_base(&t, find_function(m, "k")));
    assert_int_equal(find_function(m, "k")->n_insts, ir_tree_base(&t, find_function(m, "f")));
    assert_int_equal(find_function(m, "k")->n_insts + find_function(m, "f")->n_insts, t.n_insts);
    ir_tree_free(&t);
    ir_module_free(m);
}

typedef struct Seen {
    uint32_t pcs[8], n;
    uint64_t values[8];
} Seen;

static void see(void *self, uint32_t pc, const uint8_t *value, unsigned bytes)
{
    Seen *s = self;
    assert_in_range(s->n, 0, 7);
    s->pcs[s->n] = pc;
    memcpy(&s->values[s->n++], value, bytes < 8 ? bytes : 8);
}

static void test_immediates_and_parameters(void **state)
{
    Diag diag = {0};
    IrTree t;
    Seen seen = {.n = 0};
    uint32_t from, bytes;
    (void)state;
    IrModule *m = decode_body_diag(".global .u32 g;",
                                   "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u64 %rd2, g;"
                                   "add.u32 %r2, %r1, 123456; st.global.u32 [%rd1], 99999; ret;",
                                   &diag);
    assert_non_null(m);
    assert_true(ir_tree_make(m, 0, &t));
    ir_tree_immediates(&t, see, &seen);
    assert_int_equal(2, seen.n); /* not the variable's address */
    assert_int_equal(3, seen.pcs[0]);
    assert_int_equal(123456, seen.values[0]);
    assert_int_equal(4, seen.pcs[1]);
    assert_int_equal(99999, seen.values[1]);
    assert_true(ir_tree_param(&t, 1, &from, &bytes));
    assert_int_equal(8, from);
    assert_int_equal(4, bytes);
    assert_false(ir_tree_param(&t, 3, &from, &bytes));
    ir_tree_free(&t);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_a_later_definition_hides_an_earlier_one),
        cmocka_unit_test(test_a_guarded_definition_hides_none),
        cmocka_unit_test(test_branches_decide),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_a_thread_that_exits_stores_nothing),
        cmocka_unit_test(test_the_carry_flag),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_vectors_and_shuffles),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_pcs_of_a_tree),
        cmocka_unit_test(test_immediates_and_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
