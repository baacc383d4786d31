/* Random kernels with values that are formulas in the thread's index, run with all warps of a block at once
 * and warp by warp: the same bytes, the same counts, the same accesses told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/exec/test/loaded.h"
#include "common/vgpu/exec/test/ways.h"

#include <stdio.h>

enum { KERNELS = 300, BLOCKS = 5, WORDS = 4096, DEPTH_MAX = 3, R = 8, RD = 4, P = 4 };

typedef struct Writer {
    StrBuf text;
    Rng rng;
    int labels, depth;
    bool whole_warps;
} Writer;

static const uint32_t shapes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 4, 1}, {8, 8, 2},   {5, 7, 3},
                                     {32, 3, 1}, {16, 16, 1}, {1, 40, 1}, {256, 1, 1}, {20, 1, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t pick(Writer *w, uint32_t n)
{
    return (uint32_t)rng_below(&w->rng, n);
}

#define PICK(w, list) list[pick(w, sizeof list / sizeof *list)]

/* A register, or a number that is likely to make something wrap. */
static const char *word(Writer *w, char *text, size_t size)
{
    static const char *const numbers[] = {"0",  "1",          "2",           "4",          "-1",
                                          "31", "2147483647", "-2147483648", "1073741824", "100"};
    if (pick(w, 3))
        snprintf(text, size, "%%r%u", pick(w, R));
    else
        snprintf(text, size, "%s", PICK(w, numbers));
    return text;
}

static void guard(Writer *w)
{
    if (pick(w, 6) == 0)
        strbuf_printf(&w->text, "@%s%%p%u ", pick(w, 2) ? "!" : "", pick(w, P));
}

static void write_integer(Writer *w)
{
    static const char *const names[] = {"add.s32", "sub.u32", "mul.lo.s32", "and.b32", "or.b32",
                                        "xor.b32", "min.s32", "max.u32",    "add.s32", "sub.s32"};
    char a[16], b[16], c[16];
    guard(w);
    switch (pick(w, 6)) {
    case 0:
        strbuf_printf(&w->text, "shl.b32 %%r%u, %s, %u;\n", pick(w, R), word(w, a, sizeof a), pick(w, 36));
        break;
    case 1:
        strbuf_printf(&w->text, "mad.lo.s32 %%r%u, %s, %s, %s;\n", pick(w, R), word(w, a, sizeof a),
                      word(w, b, sizeof b), word(w, c, sizeof c));
        break;
    case 2:
        strbuf_printf(&w->text, "mov.u32 %%r%u, %s;\n", pick(w, R), word(w, a, sizeof a));
        break;
    default:
        strbuf_printf(&w->text, "%s %%r%u, %s, %s;\n", PICK(w, names), pick(w, R), word(w, a, sizeof a),
                      word(w, b, sizeof b));
    }
}

static void write_long(Writer *w)
{
    static const char *const names[] = {"add.s64", "sub.s64", "mul.lo.s64", "xor.b64"};
    static const char *const widen[] = {"cvt.s64.s32", "cvt.u64.u32"};
    static const char *const product[] = {"mul.wide.s32", "mul.wide.u32"};
    static const char *const sum[] = {"mad.wide.s32", "mad.wide.u32"};
    char a[16], b[16];
    guard(w);
    switch (pick(w, 6)) {
    case 0:
        strbuf_printf(&w->text, "%s %%rd%u, %%r%u;\n", PICK(w, widen), pick(w, RD), pick(w, R));
        break;
    case 1:
        strbuf_printf(&w->text, "%s %%rd%u, %s, %s;\n", PICK(w, product), pick(w, RD), word(w, a, sizeof a),
                      word(w, b, sizeof b));
        break;
    case 2:
        strbuf_printf(&w->text, "cvt.u32.u64 %%r%u, %%rd%u;\n", pick(w, R), pick(w, RD));
        break;
    case 3:
        strbuf_printf(&w->text, "%s %%rd%u, %%r%u, 4, %%rd%u;\n", PICK(w, sum), pick(w, RD), pick(w, R),
                      pick(w, RD));
        break;
    case 4:
        strbuf_printf(&w->text, "shl.b64 %%rd%u, %%rd%u, %u;\n", pick(w, RD), pick(w, RD), pick(w, 70));
        break;
    default:
        strbuf_printf(&w->text, "%s %%rd%u, %%rd%u, %%rd%u;\n", PICK(w, names), pick(w, RD), pick(w, RD),
                      pick(w, RD));
    }
}

static void write_predicate(Writer *w)
{
    static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const types[] = {"s32", "u32"}, *const longs[] = {"s64", "u64"};
    static const char *const logic[] = {"and", "or", "xor"};
    char a[16], b[16];
    switch (pick(w, 5)) {
    case 0:
        strbuf_printf(&w->text, "%s.pred %%p%u, %%p%u, %%p%u;\n", PICK(w, logic), pick(w, P), pick(w, P),
                      pick(w, P));
        break;
    case 1:
        strbuf_printf(&w->text, "not.pred %%p%u, %%p%u;\n", pick(w, P), pick(w, P));
        break;
    case 2:
        strbuf_printf(&w->text, "setp.%s.%s %%p%u, %%rd%u, %%rd%u;\n", PICK(w, tests), PICK(w, longs),
                      pick(w, P), pick(w, RD), pick(w, RD));
        break;
    default:
        strbuf_printf(&w->text, "setp.%s.%s %%p%u, %s, %s;\n", PICK(w, tests), PICK(w, types), pick(w, P),
                      word(w, a, sizeof a), word(w, b, sizeof b));
    }
}

/* Places of the array that all stay inside: a formula, or anything cut to it. */
static void write_place(Writer *w, uint32_t bytes)
{
    static const char *const from[] = {"%lin", "%x", "%y", "%zero"};
    static const char *const limits[] = {"and.b32 %at, %at, 1023;\n", "min.u32 %at, %at, 1023;\n"};
    bool formula = pick(w, 3) != 0;
    if (formula && pick(w, 2))
        strbuf_printf(&w->text, "add.u32 %%at, %s, %u;\n", PICK(w, from), pick(w, 200));
    else if (formula)
        strbuf_printf(&w->text, "mad.lo.u32 %%at, %%lin, %u, %u;\n", pick(w, 4), pick(w, 200));
    else
        strbuf_printf(&w->text, "mov.u32 %%at, %%r%u;\n", pick(w, R));
    if (!formula || pick(w, 8) == 0)
        strbuf_puts(&w->text, PICK(w, limits));
    strbuf_printf(&w->text, "mul.wide.u32 %%to, %%at, %u; add.s64 %%to, %%to, %%in;\n", bytes);
}

static void write_access(Writer *w)
{
    switch (pick(w, 6)) {
    case 0:
        write_place(w, 8);
        strbuf_printf(&w->text, "ld.global.v2.u32 {%%r%u, %%s}, [%%to];\n", pick(w, R));
        break;
    case 1:
        write_place(w, 8);
        strbuf_printf(&w->text, "ld.global.u64 %%rd%u, [%%to+8];\n", pick(w, RD));
        break;
    case 2:
        strbuf_printf(&w->text, "st.shared.u32 [%%own], %%r%u;\n", pick(w, R));
        break;
    case 3:
        strbuf_printf(&w->text, "ld.shared.u32 %%r%u, [%%own];\n", pick(w, R));
        break;
    case 4:
        strbuf_printf(&w->text, "st.global.u32 [%%mine+%u], %%r%u;\n", pick(w, 2) * 4, pick(w, R));
        break;
    default:
        write_place(w, 4);
        guard(w);
        strbuf_printf(&w->text, "ld.global.u32 %%r%u, [%%to];\n", pick(w, R));
    }
}

static void write_other(Writer *w)
{
    switch (pick(w, 5)) {
    case 0:
        strbuf_printf(&w->text, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", pick(w, R), pick(w, R), pick(w, R),
                      pick(w, P));
        break;
    case 1:
        strbuf_printf(&w->text, "red.global.add.u32 [%%sum], %%r%u;\n", pick(w, R));
        break;
    case 2:
        strbuf_printf(&w->text,
                      "cvt.u16.u32 %%h0, %%r%u; add.u16 %%h1, %%h0, %%h1; cvt.s32.s16 %%r%u, %%h1;\n",
                      pick(w, R), pick(w, R));
        break;
    case 3:
        strbuf_puts(&w->text,
                    pick(w, 4) ? "activemask.b32 %s;\n" : "membar.cta;\n"); /* which is done warp by warp */
        break;
    default:
        strbuf_printf(&w->text, "cvt.rn.f32.s32 %%f0, %%r%u; fma.rn.f32 %%f1, %%f0, %%f1, 0f3F800000;\n",
                      pick(w, R));
    }
}

static void write_block(Writer *w);

static void write_if(Writer *w)
{
    int otherwise = ++w->labels, end = ++w->labels;
    write_predicate(w);
    strbuf_printf(&w->text, "@%%p%u bra L%d;\n", pick(w, P), otherwise);
    write_block(w);
    strbuf_printf(&w->text, "bra L%d;\nL%d:\n", end, otherwise);
    if (pick(w, 2))
        write_block(w);
    strbuf_printf(&w->text, "L%d:\n", end);
}

/* Rounds that are the same for all, or a thread's own. */
static void write_loop(Writer *w)
{
    int start = ++w->labels;
    if (pick(w, 2))
        strbuf_printf(&w->text, "mov.u32 %%n%d, 3;\n", w->depth);
    else
        strbuf_printf(&w->text, "and.b32 %%n%d, %%lin, 3;\n", w->depth);
    strbuf_printf(&w->text, "L%d:\n", start);
    write_block(w);
    strbuf_printf(&w->text, "sub.s32 %%n%d, %%n%d, 1; setp.gt.s32 %%q, %%n%d, 0;\n@%%q bra L%d;\n", w->depth,
                  w->depth, w->depth, start);
}

/* What all threads must come to. */
static void write_meeting(Writer *w)
{
    strbuf_printf(&w->text,
                  "bar.sync 0;\nst.shared.u32 [%%own], %%r%u;\nbar.sync 0;\nld.shared.u32 %%r%u, "
                  "[%%its];\nbar.sync 0;\n",
                  pick(w, R), pick(w, R));
    if (w->whole_warps)
        strbuf_printf(&w->text, "shfl.sync.bfly.b32 %%r%u, %%r%u, 1, 31, -1;\n", pick(w, R), pick(w, R));
}

static void write_statement(Writer *w)
{
    uint32_t kind = pick(w, 20);
    bool deep = w->depth >= DEPTH_MAX;
    if (kind < 2 && !deep)
        write_if(w);
    else if (kind == 2 && !deep)
        write_loop(w);
    else if (kind == 3 && w->depth == 1)
        write_meeting(w);
    else if (kind < 8)
        write_integer(w);
    else if (kind < 11)
        write_long(w);
    else if (kind < 13)
        write_predicate(w);
    else if (kind < 18)
        write_access(w);
    else
        write_other(w);
}

static void write_block(Writer *w)
{
    uint32_t n = w->depth ? 1 + pick(w, 5) : 12;
    w->depth++;
    while (n--)
        write_statement(w);
    w->depth--;
}

static const char head[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
    ".param .u64 sum, .param .u32 n)\n{\n"
    ".reg .pred %p<4>; .reg .pred %q; .reg .u16 %h<2>; .reg .f32 %f<2>; .reg .u32 %r<8>; .reg .u32 %n<5>; "
    ".reg .u64 %rd<4>;\n"
    ".reg .u32 %lin, %at, %s, %own, %its, %x, %y, %zero; .reg .u64 %in, %to, %mine, %sum;\n.shared .align 4 "
    ".b8 shared[4096];\n"
    "ld.param.u64 %in, [in]; ld.param.u64 %mine, [out]; ld.param.u64 %sum, [sum]; ld.param.u32 %r6, [n];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ctaid.x; mov.u32 %r4, "
    "%ntid.x;\n"
    "mov.u32 %x, %r0; mov.u32 %y, %r1; mov.u32 %zero, 0; mov.u32 %s, %ntid.y; mad.lo.u32 %lin, %r2, %s, %r1; "
    "mad.lo.u32 %lin, %lin, %r4, %r0;\n"
    "mov.u32 %s, %ntid.y; mul.lo.u32 %s, %s, %r4; mov.u32 %r5, %ntid.z; mul.lo.u32 %s, %s, %r5; mul.lo.u32 "
    "%r7, %s, %r3;\n"
    "sub.u32 %its, %s, %lin; shl.b32 %its, %its, 2; mov.u32 %r5, shared; add.u32 %its, %its, %r5; sub.u32 "
    "%its, %its, 4;\n"
    "shl.b32 %own, %lin, 2; add.u32 %own, %own, %r5; add.u32 %r7, %r7, %lin; mul.wide.u32 %to, %r7, 8; "
    "add.s64 %mine, %mine, %to;\n"
    "mov.u32 %r5, %lin; mov.u32 %r7, 77; mov.u64 %rd0, 5; cvt.u64.u32 %rd1, %lin; mul.wide.s32 %rd2, %r0, "
    "-3; mov.u64 %rd3, -1;\n"
    "setp.lt.u32 %p0, %lin, 40; setp.eq.u32 %p1, %r3, 1; setp.ne.u32 %p2, %r4, 0; setp.gt.u32 %p3, %r1, 1;\n"
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f3F800000; mov.u16 %h0, 0; mov.u16 %h1, 3; st.shared.u32 [%own], "
    "%lin;\n";

/* Everything that registers hold goes into the thread's two words. */
static void write_kernel(Writer *w)
{
    strbuf_puts(&w->text, head);
    write_block(w);
    strbuf_puts(&w->text,
                "bar.sync 0;\ncvt.rzi.s32.f32 %s, %f1; cvt.u32.u16 %at, %h1; add.u32 %s, %s, %at;\n");
    for (int i = 0; i < R; i++)
        strbuf_printf(&w->text, "mad.lo.u32 %%s, %%s, 31, %%r%d;\n", i);
    for (int i = 0; i < RD; i++)
        strbuf_printf(&w->text,
                      "mul.lo.u64 %%to, %%rd%d, 2654435761; shr.u64 %%to, %%to, 7; cvt.u32.u64 %%at, %%to; "
                      "xor.b32 %%s, %%s, %%at;\n",
                      i);
    for (int i = 0; i < P; i++)
        strbuf_printf(&w->text, "selp.b32 %%at, %d, 0, %%p%d; add.u32 %%s, %%s, %%at;\n", 1 << i, i);
    strbuf_puts(&w->text, "st.global.v2.u32 [%mine], {%s, %r1};\nret;\n}\n");
}

typedef struct Result {
    uint32_t out[2 * BLOCKS * 1024], sum;
    uint64_t instructions;
    Ways ways;
} Result;

static void run(const Loaded *l, const uint32_t shape[3], unsigned jobs, bool narrow, bool takes_wide,
                Result *r)
{
    Mem *mem = NULL;
    memset(r, 0, sizeof *r);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &mem));
    MemAlloc *in = mem_alloc(mem, WORDS * 4, MEM_DEVICE, 0, NULL),
             *out = mem_alloc(mem, sizeof r->out, MEM_DEVICE, 0, NULL);
    MemAlloc *sum = mem_alloc(mem, 4, MEM_DEVICE, 0, NULL);
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)in->host)[i] = i % 7 ? (uint32_t)rng_mix(i) : i;
    memset(out->host, 0, sizeof r->out);
    memset(sum->host, 0, 4);
    struct {
        uint64_t in, out, sum;
        uint32_t n;
    } params = {in->addr, out->addr, sum->addr, 50};
    r->ways.takes_wide = takes_wide;
    ExecObserver observer = ways_observer(&r->ways);
    ExecLaunch launch = {.instance = l->instance,
                         .function = (uint32_t)ir_find_function(l->module, "k"),
                         .grid = {BLOCKS, 1, 1},
                         .block = {shape[0], shape[1], shape[2]},
                         .params = (const uint8_t *)&params,
                         .mem = mem,
                         .narrow = narrow,
                         .jobs = jobs,
                         .observers = &observer,
                         .n_observers = jobs == 1};
    ExecResult result;
    exec_launch(&launch, &result);
    assert_int_equal(EXEC_OK, result.error);
    memcpy(r->out, out->host, sizeof r->out);
    memcpy(&r->sum, sum->host, 4);
    r->instructions = result.instructions;
    mem_destroy(mem);
}

static void compare(const Result *wanted, const Result *got, bool told, const char *how, const Writer *w)
{
    const char *differs = told ? ways_differ(&wanted->ways, &got->ways) : NULL;
    for (size_t i = 0; i < sizeof wanted->out / 4; i++)
        if (wanted->out[i] != got->out[i])
            fail_msg("%s: word %zu: expected %u, got %u\n%s", how, i, wanted->out[i], got->out[i],
                     w->text.text);
    if (wanted->sum != got->sum || wanted->instructions != got->instructions || differs)
        fail_msg("%s: %s\n%s", how, differs ? differs : "sum or number of instructions", w->text.text);
}

static void test_both_ways_do_the_same(void **state)
{
    static Result narrow, wide;
    uint64_t n_wide = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t *shape = shapes[k % N_SHAPES];
        Writer w = {.rng = {k * 7919 + 5}, .whole_warps = shape[0] * shape[1] * shape[2] % WARP_LANES == 0};
        write_kernel(&w);
        Loaded l = loaded_of(&w.text);
        run(&l, shape, 1, true, false, &narrow);
        assert_int_equal(0, narrow.ways.wide);
        run(&l, shape, 1, false, false, &wide);
        n_wide += wide.ways.wide;
        compare(&narrow, &wide, true, "told by warp", &w);
        run(&l, shape, 1, false, true, &wide);
        compare(&narrow, &wide, false, "told by block", &w);
        run(&l, shape, 2, false, false, &wide);
        compare(&narrow, &wide, false, "two workers", &w);
        loaded_free(&l);
        strbuf_free(&w.text);
    }
    assert_in_range(n_wide, 5 * KERNELS, UINT64_MAX); /* it does happen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways_do_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
