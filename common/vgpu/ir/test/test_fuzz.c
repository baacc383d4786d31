/* Hostile input: thousands of mutations of real-looking modules, always the same ones; and inputs made to be
 * slow. The test is that nothing crashes (build with SAN=address,undefined to see more), and that time stays
 * in proportion. */
#include "common/base/rng.h"
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>
#include <time.h>

#include "common/vgpu/ir/test/fuzz_parse.c"

enum { N_MUTANTS = 6000, MUTANT_MAX = 4096, SECONDS_MAX = 20 };

static const char *const seeds[] = {
    PTX_HEAD
    ".file 1 \"a.cu\"\n.global .align 8 .u64 t[3] = {f, generic(g)+4, 0xFF00(g)};\n.global .b8 g[4] = {1, "
    "2};\n"
    ".extern .shared .align 16 .b8 dyn[];\n.const .f32 c = 0f3F800000;\n"
    ".func (.param .b32 r) f(.param .b64 x, .param .align 4 .b8 s[12]) { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    ".loc 1 3 4\nld.param.u32 %r1, [s+8]; mov.u64 %rd1, s; st.param.b32 [r+0], %r1; ret; }\n"
    ".section .debug_str { $L__info_string0: .b8 102,111,0 }\n",
    PTX_HEAD ".visible .entry k(.param .u64 a, .param .u32 n) .maxntid 128, 1, 1 { .reg .pred %p<4>; .reg "
             ".b32 %r<9>; .reg .b64 %rd<5>; .reg .f32 %f<5>;\n"
             ".shared .align 4 .b8 s[128]; .local .align 8 .b8 depot[16];\n"
             "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mad.lo.s32 %r2, %r1, 4, %r1; setp.ge.s32 %p1|%p2, "
             "%r1, %r2;\n"
             "L: @!%p1 bra D; mul.wide.s32 %rd2, %r1, 4; ld.global.v2.f32 {%f1, _}, [%rd2+-4]; "
             "fma.rn.ftz.f32 %f2, %f1, 0f40000000, %f1;\n"
             "@%p2 bra L; mov.b64 {%r3, %r4}, %rd2; shfl.sync.down.b32 %r5|%p3, %r4, 1, 31, -1; "
             "atom.global.add.u32 %r6, [%rd1], 1;\n"
             "bar.sync 0; T: .branchtargets L, D; brx.idx %r6, T;\n"
             "{ .param .b64 p0; .param .b32 q0; st.param.b64 [p0+0], %rd1; call.uni (q0), vprintf, (p0, p0); "
             "ld.param.b32 %r7, [q0+0]; }\n"
             "D: mov.u64 %rd4, depot; st.local.u32 [depot+4], %r7; st.shared.u32 [s+4], dyn; ret; }\n"
             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n",
};

static const char *const words[] = {"{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    ";",
                                    ",",
                                    "%r1",
                                    ".b32",
                                    ".reg",
                                    "@%p1 ",
                                    "bra L;",
                                    "0x",
                                    "4294967295",
                                    "18446744073709551615",
                                    ".align",
                                    ".param",
                                    ".shared .b8 z[4294967295];",
                                    "<9>",
                                    "+",
                                    "-",
                                    "/",
                                    "<<",
                                    "|",
                                    ".loc 1 1 1",
                                    "inlined_at 1 3 4",
                                    "L:",
                                    "call",
                                    "0f3F800000",
                                    ".v4",
                                    ".extern",
                                    ".func",
                                    ".entry",
                                    "\"",
                                    "/*",
                                    "_"};

static size_t mutate(Rng *rng, uint8_t *buf, size_t n)
{
    for (uint64_t changes = 1 + rng_below(rng, 6); changes > 0; changes--) {
        size_t at = rng_below(rng, n), length = 1 + rng_below(rng, 12);
        length = at + length > n ? n - at : length;
        const char *word = words[rng_below(rng, sizeof words / sizeof words[0])];
        switch (rng_below(rng, 5)) {
        case 0: /* another byte */
            buf[at] = (uint8_t)rng_next(rng);
            break;
        case 1: /* leave some out */
            memmove(buf + at, buf + at + length, n - at - length);
            n -= length;
            break;
        case 2: /* copy some from elsewhere over it */
            memmove(buf + at, buf + rng_below(rng, n - length + 1), length);
            break;
        default: /* put a word in */
            if (n + strlen(word) >= MUTANT_MAX)
                break;
            memmove(buf + at + strlen(word), buf + at, n - at);
            memcpy(buf + at, word, strlen(word));
            n += strlen(word);
        }
        if (n == 0)
            return 0;
    }
    return n;
}

static void test_mutants(void **state)
{
    (void)state;
    Rng rng = {2026};
    for (int i = 0; i < N_MUTANTS; i++) {
        const char *seed = seeds[i % 2];
        uint8_t buf[MUTANT_MAX];
        memcpy(buf, seed, strlen(seed));
        size_t n = mutate(&rng, buf, strlen(seed));
        uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, buf, n);
        LLVMFuzzerTestOneInput(exact, n);
        free(exact);
    }
}

static void test_seeds_are_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        PtxModule *m = NULL;
        Diag diag = {0};
        if (ptx_parse(seeds[i], strlen(seeds[i]), "seed", &m, &diag))
            fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
        ptx_module_free(m);
    }
}

/* head, then n times a piece with a number in it, then tail */
static char *repeat(const char *head, const char *piece, const char *tail, int n)
{
    size_t size = strlen(head) + strlen(tail) + (size_t)n * (strlen(piece) + 24) + 1;
    char *text = malloc(size), *at = text + sprintf(text, "%s", head);
    for (int i = 0; i < n; i++) {
        char number[16];
        sprintf(number, "%d", i);
        for (const char *c = piece; *c; c++)
            at += *c == '#' ? sprintf(at, "%s", number) : (*at = *c, 1);
    }
    strcpy(at, tail);
    return text;
}

static void test_slow_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *head, *piece, *tail;
        int n;
    } cases[] = {
        {PTX_HEAD ".entry k() { .reg .pred p;\n", "{ L: @p bra L; }\n", "}", 60000},
        {PTX_HEAD ".entry k() { .reg .pred p;\n", "L#: @p bra L0;\n@p bra E;\n", "E: }", 60000},
        {PTX_HEAD ".entry k() { .reg .pred p;\n", "@p bra E#;\nE#:\n", "}", 60000},
        {PTX_HEAD ".entry k() { .reg .b32 %r<60000>; .reg .pred p;\n",
         "L#: add.s32 %r#, %r#, 1; @p bra L0;\n", "}", 20000},
        {PTX_HEAD ".entry k() { .reg .b32 r;\n", "add.s32 r, r, #;\n", "}", 60000},
        {PTX_HEAD ".entry k() { .reg .b32 r;\n",
         ".loc 1 # 1, function_name x, inlined_at 1 0 1\nmov.u32 r, 1;\n", "}", 60000},
        {PTX_HEAD, ".func f#() { ret; }\n", ".entry k() { call f0; }", 40000},
        {PTX_HEAD, ".entry k#() { .shared .u32 s; .reg .b32 r; mov.u32 r, s; }\n", "", 4096},
        {PTX_HEAD, ".global .u32 g# = #;\n", "", 60000},
        {PTX_HEAD, ".entry k#() { .reg .b32 %r<1000000>; }\n", "", 60000},
        {PTX_HEAD, ".func f#(); .global .u64 p# = f#;\n", "", 20000},
        {PTX_HEAD ".global .u64 p[] = {", "p+#,", "0};", 60000},
        {PTX_HEAD ".entry k() { .reg .b32 r; T: .branchtargets L", ", L", "; brx.idx r, T; L: }", 60000},
        {PTX_HEAD ".entry k() { .reg .b32 r; ", "T#: .branchtargets L; brx.idx r, T#; ", " L: }", 30000},
        {PTX_HEAD ".func f(); .entry k() { .param .b64 p; ", "call f, (p); ", "}", 30000},
        {PTX_HEAD ".global .u32 a = ", "-(", "1", 60000},
        {PTX_HEAD ".global .u32 a = ", "1+(", "1", 60000},
        {PTX_HEAD, "/* ", "", 60000},
        {PTX_HEAD ".entry k() ", "{", "", 60000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = repeat(cases[i].head, cases[i].piece, cases[i].tail, cases[i].n);
        clock_t start = clock();
        LLVMFuzzerTestOneInput((const uint8_t *)text, strlen(text));
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds > SECONDS_MAX)
            fail_msg("case %zu takes %.1f s", i, seconds);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_are_valid),
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_slow_inputs),
    };
    return cmocka_run_group_tests_name("ir fuzz", tests, NULL, NULL);
}
