/* Kernels whose two ways may differ are left out, those that may not are compared; and a difference is told:
 * of a race that nobody was asked to look for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/strbuf.h"
#include "common/vgpu/fuzz/both/both.h"

#include <string.h>

enum { WORDS = 256, THREADS = 96, BLOCKS = 2 };

/* Thread t of the block: %r0 = t, %r1 = t + 32 mod 96: a thread of another warp. %own, %its, %at: their
 * words, and the place in the array (96 words a block) of its own result. */
static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<2>; .reg .u32 %r<8>; .reg .f32 %f<2>; .reg .u64 %rd<4>; .reg .u32 %own, %its; .reg .u64 "
    "%at, %sum;\n"
    ".shared .align 4 .b8 shared[384];\n"
    "mov.u32 %r0, %tid.x; add.u32 %r1, %r0, 32; rem.u32 %r1, %r1, 96; mov.u32 %r2, shared;\n"
    "mad.lo.u32 %own, %r0, 4, %r2; mad.lo.u32 %its, %r1, 4, %r2; ld.param.u64 %sum, [out];\n"
    "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r2, %r2, 96, %r0; mul.wide.u32 %at, %r2, 4; add.s64 %at, %at, %sum;\n"
    "add.s64 %sum, %sum, 1020; mov.u32 %r7, 0;\n";
static const char tail[] = "st.global.u32 [%at], %r7;\nret;\n}\n";

typedef struct Case {
    const char *name, *body;
    unsigned tools;
    BothVerdict verdict;
} Case;

enum { TOOLS = CHECK_RACE | CHECK_INIT | CHECK_SYNC };

static const Case cases[] = {
    {"threads that meet at a barrier", "st.shared.u32 [%own], %r0; bar.sync 0; ld.shared.u32 %r7, [%its];",
     TOOLS, BOTH_ALIKE},
    {"threads that do not meet", "st.shared.u32 [%own], %r0; ld.shared.u32 %r7, [%its];", TOOLS,
     BOTH_LEFT_OUT},
    {"a race that nobody looks for", "st.shared.u32 [%own], %r0; ld.shared.u32 %r7, [%its];", CHECK_SYNC,
     BOTH_DIFFER},
    {"sums of integers", "red.global.add.u32 [%sum], %r0;", TOOLS, BOTH_ALIKE},
    {"sums and a maximum", "red.global.add.u32 [%sum], %r0; red.global.max.u32 [%sum], 7;", TOOLS,
     BOTH_LEFT_OUT},
    {"sums of floats", "cvt.rn.f32.u32 %f0, %r0; red.global.add.f32 [%sum], %f0;", TOOLS, BOTH_LEFT_OUT},
    {"an old value", "atom.global.add.u32 %r7, [%sum], 1;", TOOLS, BOTH_LEFT_OUT},
    {"an old value that nobody uses", "atom.global.add.u32 %r6, [%sum], 1;", TOOLS, BOTH_ALIKE},
    {"an old value of the thread's own", "atom.global.add.u32 %r7, [%at], 1;", TOOLS, BOTH_ALIKE},
    {"sums, and a maximum of others", "red.global.add.u32 [%sum], %r0; red.global.max.u32 [%sum-8], 7;",
     TOOLS, BOTH_ALIKE},
    {"volatile loads", "ld.volatile.global.u32 %r7, [%sum];", TOOLS, BOTH_ALIKE},
    {"volatile accesses", "st.volatile.global.u32 [%sum], %r0; ld.volatile.global.u32 %r7, [%sum];", TOOLS,
     BOTH_LEFT_OUT},
    {"a barrier of two warps at a time",
     "setp.ge.u32 %p0, %r0, 64; @%p0 bra L; bar.sync 1, 64;\nL: mov.u32 %r7, 5;", TOOLS, BOTH_LEFT_OUT},
    {"a fault", "ld.global.u32 %r7, [%at+4096];", TOOLS, BOTH_LEFT_OUT},
    {"no end", "L: bra L;", TOOLS, BOTH_LEFT_OUT},
    {"threads that go apart and meet",
     "setp.lt.u32 %p0, %r0, 40; @%p0 bra L; add.u32 %r7, %r0, 5; bra M;\nL: mul.lo.u32 %r7, %r0, 3;\nM: "
     "bar.sync 0;",
     TOOLS, BOTH_ALIKE},
};

static BothVerdict judge(const Case *c, BothWatch watch, const char **what)
{
    PtxModule *ptx = NULL;
    IrModule *module = NULL;
    IrInstance *instance = NULL;
    Mem *mem = NULL;
    CheckSet *check = NULL;
    Diag diag = {0};
    StrBuf text = {0};
    BothVerdict verdict;
    strbuf_printf(&text, "%s%s\n%s", head, c->body, tail);
    if (ptx_parse(text.text, text.length, "k.ptx", &ptx, &diag) || ir_decode(&ptx, 1, &module, &diag) ||
        exec_bind(module, &diag) || ir_instantiate(module, NULL, &instance))
        fail_msg("%s: line %d: %s", c->name, diag.line, diag.message);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &mem));
    assert_int_equal(STATUS_OK, check_create(&(CheckOptions){.tools = c->tools}, &check));
    MemAlloc *out = mem_alloc(mem, WORDS * 4, MEM_DEVICE, 0, NULL);
    memset(out->host, 0, out->bytes);
    const ExecLaunch launch = {.instance = instance,
                               .function = (uint32_t)ir_find_function(module, "k"),
                               .grid = {BLOCKS, 1, 1},
                               .block = {THREADS, 1, 1},
                               .params = (const uint8_t *)&out->addr,
                               .mem = mem,
                               .max_instructions = 4000,
                               .jobs = 1};
    assert_int_equal(STATUS_OK, both_run(&launch, (BothMemory){&out, 1}, watch, check, &verdict, what));
    mem_destroy(mem);
    check_destroy(check);
    ir_instance_free(instance);
    ir_module_free(module);
    ptx_module_free(ptx);
    strbuf_free(&text);
    return verdict;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int watch = 0; watch < BOTH_N_WATCHES; watch++) {
            const char *what;
            BothVerdict verdict = judge(&cases[i], (BothWatch)watch, &what);
            if (verdict != cases[i].verdict)
                fail_msg("%s, watch %d: expected %d, got %d (%s)", cases[i].name, watch, cases[i].verdict,
                         verdict, what ? what : "");
            if (verdict == BOTH_DIFFER)
                assert_string_equal("memory", what);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
