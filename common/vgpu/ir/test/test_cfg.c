/* Where the sides of branches meet: known shapes, and random graphs against the definition. */
#include "common/base/rng.h"
#include "common/vgpu/ir/ir_internal.h"
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>

static void test_if_else(void **state)
{
    (void)state;
    expect_listing(
        "", "@%p1 bra A;\nmov.u32 %r1, 1;\nbra.uni B;\nA: mov.u32 %r1, 2;\nB: st.global.u32 [%rd1], %r1;",
        "@%p384 bra 3 ->4\n"
        "mov.u32 %256, 0x1\n"
        "bra.uni 4\n"
        "mov.u32 %256, 0x2\n"
        "st.global.u32 [%0], %256\n");
}

static void test_loop_with_break(void **state)
{
    (void)state;
    expect_listing("",
                   "L: @%p1 bra DONE;\n@%p2 bra L;\nst.global.u32 [%rd1], 1;\nDONE: st.global.u32 [%rd1], 2;",
                   "@%p256 bra 3 ->3\n"
                   "@%p260 bra 0 ->3\n"
                   "st.global.u32 [%0], 0x1\n"
                   "st.global.u32 [%0], 0x2\n");
}

static void test_early_return(void **state)
{
    (void)state;
    expect_listing("", "@%p1 ret;\n@!%p2 bra A;\nret;\nA: st.global.u32 [%rd1], 2;\nret;",
                   "@%p256 bra 4 ->4\n"
                   "@!%p260 bra 3 ->4\n"
                   "bra 4\n"
                   "st.global.u32 [%0], 0x2\n");
}

/* Lanes that exit do not come back: the others meet as if that path were not there. */
static void test_exit_does_not_delay_meeting(void **state)
{
    (void)state;
    expect_listing("",
                   "@%p1 bra A;\n@%p2 bra B;\nbra.uni C;\nB: exit;\nA: st.global.u32 [%rd1], 1;\nC: "
                   "st.global.u32 [%rd1], 2;",
                   "@%p256 bra 4 ->5\n"
                   "@%p260 bra 3 ->2\n"
                   "bra.uni 5\n"
                   "exit\n"
                   "st.global.u32 [%0], 0x1\n"
                   "st.global.u32 [%0], 0x2\n");
}

static void test_only_exits(void **state)
{
    (void)state;
    expect_listing("", "@%p1 bra A;\n@%p2 bra B;\nst.global.u32 [%rd1], 1;\nB: exit;\nA: trap;",
                   "@%p256 bra 4 ->end\n"
                   "@%p260 bra 3 ->3\n"
                   "st.global.u32 [%0], 0x1\n"
                   "exit\n"
                   "trap\n");
}

static void test_loop_for_ever(void **state)
{
    (void)state;
    expect_listing("", "L: @%p1 bra A;\nst.global.u32 [%rd1], 1;\nA: st.global.u32 [%rd1], 2;\nbra L;",
                   "@%p256 bra 2 ->2\n"
                   "st.global.u32 [%0], 0x1\n"
                   "st.global.u32 [%0], 0x2\n"
                   "bra 0\n");
}

/* Two loops into each other: neither heads the other. */
static void test_irreducible(void **state)
{
    (void)state;
    expect_listing("", "@%p1 bra B;\nA: @%p2 bra OUT;\nB: @%p3 bra A;\nOUT: st.global.u32 [%rd1], 2;",
                   "@%p256 bra 2 ->3\n"
                   "@%p260 bra 3 ->3\n"
                   "@%p264 bra 1 ->3\n"
                   "st.global.u32 [%0], 0x2\n");
}

static void test_indexed_branch(void **state)
{
    (void)state;
    expect_listing("",
                   "T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: bra.uni C;\nB: st.global.u32 [%rd1], "
                   "2;\nC: st.global.u32 [%rd1], 3;",
                   "brx %256 {1, 2, 1} ->3\n"
                   "bra.uni 3\n"
                   "st.global.u32 [%0], 0x2\n"
                   "st.global.u32 [%0], 0x3\n");
}

static void test_assertion_ends_its_path(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = decode_body_diag(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "
                                   ".param .b64 d, .param .b64 e);\n",
                                   "@%p1 bra A;\n{ .param .b64 p; .param .b32 q; call.uni __assertfail, (p, "
                                   "p, q, p, p); }\nA: @%p2 bra B;\n"
                                   "st.global.u32 [%rd1], 2;\nB: ret;",
                                   &diag);
    const IrInst *in = find_function(m, "k")->insts;
    assert_int_equal(in[1].call->builtin, BUILTIN_ASSERTFAIL);
    assert_int_equal(in[0].reconverge, 2);
    ir_module_free(m);
}

/* ---- random graphs ---- */

enum { GRAPH_MAX = 24 };

typedef struct Graph {
    uint32_t n, succ[GRAPH_MAX * 2], begin[GRAPH_MAX + 1];
    bool ends[GRAPH_MAX];
} Graph;

/* Whether some path from a gets to an end without passing `avoid`. */
static bool escapes(const Graph *g, uint32_t a, uint32_t avoid)
{
    bool seen[GRAPH_MAX] = {0};
    uint32_t stack[GRAPH_MAX], depth = 0;
    if (a == avoid)
        return false;
    stack[depth++] = a;
    seen[a] = true;
    while (depth > 0) {
        uint32_t b = stack[--depth];
        if (g->ends[b])
            return true;
        for (uint32_t e = g->begin[b]; e < g->begin[b + 1]; e++)
            if (!seen[g->succ[e]] && g->succ[e] != avoid) {
                seen[g->succ[e]] = true;
                stack[depth++] = g->succ[e];
            }
    }
    return false;
}

static void make_graph(Rng *rng, Graph *g)
{
    uint32_t n_edges = 0;
    g->n = 2 + (uint32_t)rng_below(rng, GRAPH_MAX - 2);
    for (uint32_t b = 0; b < g->n; b++) {
        g->begin[b] = n_edges;
        for (uint64_t i = rng_below(rng, 3); i > 0; i--)
            g->succ[n_edges++] = (uint32_t)rng_below(rng, g->n);
        g->ends[b] = g->begin[b] == n_edges || rng_below(rng, 12) == 0;
    }
    g->begin[g->n] = n_edges;
}

/* d post-dominates b when no path from b to an end avoids d; the immediate one is post-dominated by all
 * others. */
static void check_graph(const Graph *g)
{
    uint32_t ipdom[GRAPH_MAX];
    assert_true(postdom_compute(g->n, g->succ, g->begin, g->ends, ipdom));
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t wanted = IR_NO_PC;
        if (!escapes(g, b, GRAPH_MAX)) {
            assert_int_equal(ipdom[b], IR_NO_PC);
            continue;
        }
        for (uint32_t d = 0; d < g->n; d++) /* of two post-dominators the nearer one cannot avoid the other */
            if (d != b && !escapes(g, b, d) && (wanted == IR_NO_PC || !escapes(g, d, wanted)))
                wanted = d;
        assert_int_equal(ipdom[b], wanted);
    }
}

static void test_random_graphs(void **state)
{
    (void)state;
    Rng rng = {42};
    for (int i = 0; i < 20000; i++) {
        Graph g;
        make_graph(&rng, &g);
        check_graph(&g);
    }
}

/* Long chains and ladders: deep, and with no recursion to run out of. */
static void test_deep_graph(void **state)
{
    (void)state;
    enum { N = 200000 };
    uint32_t *succ = malloc(2 * N * sizeof *succ), *begin = malloc((N + 1) * sizeof *begin);
    uint32_t *ipdom = malloc(N * sizeof *ipdom), n_edges = 0;
    bool *ends = calloc(N, 1);
    for (uint32_t b = 0; b < N; b++) {
        begin[b] = n_edges;
        if (b + 1 < N)
            succ[n_edges++] = b + 1;
        if (b % 3 == 0 && b + 3 < N)
            succ[n_edges++] = b + 3;
    }
    begin[N] = n_edges;
    ends[N - 1] = true;
    assert_true(postdom_compute(N, succ, begin, ends, ipdom));
    assert_int_equal(ipdom[0], 3);
    assert_int_equal(ipdom[1], 2);
    assert_int_equal(ipdom[N - 2], N - 1);
    assert_int_equal(ipdom[N - 1], IR_NO_PC);
    free(succ);
    free(begin);
    free(ipdom);
    free(ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_loop_with_break),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_exit_does_not_delay_meeting),
        cmocka_unit_test(test_only_exits),
        cmocka_unit_test(test_loop_for_ever),
        cmocka_unit_test(test_irreducible),
        cmocka_unit_test(test_indexed_branch),
        cmocka_unit_test(test_assertion_ends_its_path),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_deep_graph),
    };
    return cmocka_run_group_tests_name("ir cfg", tests, NULL, NULL);
}
