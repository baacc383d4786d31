/* Random kernels of nested branches, loops with breaks, early exits and calls, run twice: as warps of 32
 * lanes, and as blocks of one thread, where nothing can diverge. Both must leave the same bytes, for every
 * seed and number of jobs.
 *
 * And random kernels of warp operations: written at each end of nested branches, or once behind them, on what each
 * end has chosen. Both must leave the same bytes, without a finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/rng.h"
#include "common/base/strbuf.h"
#include "common/vgpu/exec/exec.h"

#include <stdio.h>
#include <string.h>

enum { KERNELS = 400, THREADS = 96, DEPTH_MAX = 5, STATEMENTS_MAX = 4 };

typedef struct Writer {
    StrBuf text;
    Rng rng;
    int labels, depth;
    int loop_end; /* label after the innermost loop; 0: none */
} Writer;

static uint32_t pick(Writer *w, uint32_t n)
{
    return (uint32_t)rng_below(&w->rng, n);
}

static void write_block(Writer *w);

/* %p1 becomes true in about half of the threads: a bit of a mix of the value and the thread's number. */
static void write_condition(Writer *w)
{
    strbuf_printf(&w->text,
                  "mad.lo.u32 %%r3, %%r1, %u, %%r2;\nshr.u32 %%r4, %%r3, %u;\nand.b32 %%r4, %%r4, 1;\n"
                  "setp.ne.u32 %%p1, %%r4, 0;\n",
                  pick(w, 1000) * 2 + 1, pick(w, 8));
}

static void write_if(Writer *w)
{
    int otherwise = ++w->labels, end = ++w->labels;
    write_condition(w);
    strbuf_printf(&w->text, "@%%p1 bra L%d;\n", otherwise);
    write_block(w);
    strbuf_printf(&w->text, "bra.uni L%d;\nL%d:\n", end, otherwise);
    if (pick(w, 2))
        write_block(w);
    strbuf_printf(&w->text, "L%d:\n", end);
}

/* A counter register for each depth, up to 4 rounds, another number for each thread. */
static void write_loop(Writer *w)
{
    int start = ++w->labels, end = ++w->labels, outer = w->loop_end, counter = 10 + w->depth;
    strbuf_printf(&w->text, "and.b32 %%r%d, %%r1, 3;\nL%d:\n", counter, start);
    w->loop_end = end;
    write_block(w);
    w->loop_end = outer;
    strbuf_printf(&w->text, "sub.u32 %%r%d, %%r%d, 1;\nsetp.ge.s32 %%p1, %%r%d, 0;\n@%%p1 bra L%d;\nL%d:\n",
                  counter, counter, counter, start, end);
}

static void write_break(Writer *w)
{
    write_condition(w);
    strbuf_printf(&w->text, "@%%p1 bra L%d;\n", w->loop_end);
}

static void write_exit(Writer *w)
{
    int on = ++w->labels;
    write_condition(w);
    strbuf_printf(&w->text, "shl.b32 %%r4, %%r3, 28;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L%d;\n", on);
    strbuf_puts(&w->text, "st.global.u32 [%rd2], %r1;\nexit;\n");
    strbuf_printf(&w->text, "L%d:\n", on);
}

static void write_call(Writer *w)
{
    strbuf_printf(&w->text,
                  "{\n.param .b32 p0;\nst.param.b32 [p0], %%r1;\n.param .b32 p1;\nst.param.b32 [p1], %u;\n"
                  ".param .b32 q;\ncall.uni (q), f, (p0, p1);\nld.param.b32 %%r1, [q];\n}\n",
                  pick(w, 4));
}

static void write_update(Writer *w)
{
    strbuf_printf(&w->text, "mad.lo.u32 %%r1, %%r1, %u, %u;\nred.global.add.u32 [%%rd3], %%r1;\n",
                  pick(w, 500) * 2 + 1, pick(w, 1000));
}

static void write_statement(Writer *w)
{
    uint32_t kind = pick(w, 12);
    bool deep = w->depth >= DEPTH_MAX;
    if (kind < 4 && !deep)
        write_if(w);
    else if (kind < 6 && !deep)
        write_loop(w);
    else if (kind == 6 && w->loop_end)
        write_break(w);
    else if (kind == 7)
        write_exit(w);
    else if (kind == 8)
        write_call(w);
    else
        write_update(w);
}

static void write_block(Writer *w)
{
    uint32_t n = 1 + pick(w, STATEMENTS_MAX);
    w->depth++;
    while (n--)
        write_statement(w);
    w->depth--;
}

/* f(a, n) recurses n times, by one of two ways. */
static const char function[] =
    ".func (.param .b32 r) f(.param .b32 a, .param .b32 n)\n{\n.reg .pred %p<3>; .reg .u32 %r<8>;\n"
    "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [n]; mad.lo.u32 %r3, %r1, 77, %r2;\n"
    "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nsub.u32 %r2, %r2, 1; and.b32 %r4, %r3, 16; setp.ne.u32 %p2, "
    "%r4, 0;\n"
    "@%p2 bra OTHER;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %r3; .param .b32 p1; st.param.b32 [p1], %r2; .param .b32 q;\n"
    "call.uni (q), f, (p0, p1); ld.param.b32 %r3, [q]; }\nbra.uni DONE;\nOTHER:\nxor.b32 %r3, %r3, 12345;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %r3; .param .b32 p1; st.param.b32 [p1], %r2; .param .b32 q;\n"
    "call.uni (q), f, (p0, p1); ld.param.b32 %r3, [q]; }\nadd.u32 %r3, %r3, 5;\nDONE:\nst.param.b32 [r], "
    "%r3;\nret;\n}\n";

static void write_kernel(Writer *w)
{
    strbuf_puts(&w->text, ".version 8.0\n.target sm_75\n.address_size 64\n");
    strbuf_puts(&w->text, function);
    strbuf_puts(
        &w->text,
        ".visible .entry k(.param .u64 out, .param .u64 sum)\n{\n.reg .pred %p<4>; .reg .u32 %r<32>;\n"
        ".reg .u64 %rd<6>;\nld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [sum];\n"
        "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x;\n"
        "mad.lo.u32 %r2, %r5, %r6, %r7; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd2, %rd1, %rd4;\n"
        "mad.lo.u32 %r1, %r2, 2654435761, 99;\n");
    write_block(w);
    strbuf_puts(&w->text, "st.global.u32 [%rd2], %r1;\nret;\n}\n");
}

typedef struct Bytes {
    uint32_t words[THREADS + 1]; /* each thread's, and the sum */
    uint64_t threads;            /* thread instructions of a launch */
    uint64_t faults;
} Bytes;

static void count_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    (void)who;
    if (fault->kind == FAULT_SYNC_MASK) /* a shuffle between halves reads a lane that the mask does not name: advice */
        __atomic_fetch_add(&((Bytes *)self)->faults, 1, __ATOMIC_RELAXED);
}

static void add_counts(void *self, const ExecWho *who, const ExecCounts *counts)
{
    (void)who;
    for (int i = 0; i < EXEC_N_CLASSES; i++)
        __atomic_fetch_add(&((Bytes *)self)->threads, counts->thread_insts[i], __ATOMIC_RELAXED);
}

static Bytes run(const char *text, size_t length, uint32_t block, unsigned jobs, uint64_t seed)
{
    Bytes bytes = {0};
    Diag diag = {0};
    PtxModule *ptx = NULL;
    IrModule *module = NULL;
    IrInstance *instance = NULL;
    Mem *mem = NULL;
    if (ptx_parse(text, length, "random.ptx", &ptx, &diag) || ir_decode(&ptx, 1, &module, &diag) ||
        exec_bind(module, &diag) || ir_instantiate(module, NULL, &instance))
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &mem));
    MemAlloc *out = mem_alloc(mem, sizeof bytes.words, MEM_DEVICE, 0, NULL);
    memset(out->host, 0, sizeof bytes.words);
    uint64_t params[2] = {out->addr, out->addr + 4 * THREADS};
    ExecObserver observer = {.self = &bytes, .retired = add_counts, .fault = count_fault};
    ExecLaunch launch = {.instance = instance,
                         .function = (uint32_t)ir_find_function(module, "k"),
                         .grid = {THREADS / block, 1, 1},
                         .block = {block, 1, 1},
                         .params = (const uint8_t *)params,
                         .mem = mem,
                         .seed = seed,
                         .jobs = jobs,
                         .observers = &observer,
                         .n_observers = 1};
    ExecResult result;
    exec_launch(&launch, &result);
    if (result.error != EXEC_OK)
        fail_msg("error %d: %s\n%s", (int)result.error, result.diag.message, text);
    memcpy(bytes.words, out->host, sizeof bytes.words);
    mem_destroy(mem);
    ir_instance_free(instance);
    ir_module_free(module);
    ptx_module_free(ptx);
    return bytes;
}

static void compare(const Bytes *wanted, const Bytes *got, const char *text)
{
    for (int i = 0; i <= THREADS; i++)
        if (wanted->words[i] != got->words[i])
            fail_msg("thread %d: expected %u, got %u\n%s", i, wanted->words[i], got->words[i], text);
    if (wanted->threads != got->threads)
        fail_msg("expected %lu thread instructions, got %lu\n%s", wanted->threads, got->threads, text);
}

static void test_warps_do_what_threads_do(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= KERNELS; k++) {
        Writer w = {.rng = {k * 7919}};
        write_kernel(&w);
        Bytes wanted = run(w.text.text, w.text.length, 1, 1, k);
        Bytes warps = run(w.text.text, w.text.length, 32, 1, 0),
              block = run(w.text.text, w.text.length, THREADS, 1, k % 2 ? 0 : k);
        Bytes jobs = run(w.text.text, w.text.length, 48, 2, k % 3 ? 0 : k);
        compare(&wanted, &warps, w.text.text);
        compare(&wanted, &block, w.text.text);
        compare(&wanted, &jobs, w.text.text);
        strbuf_free(&w.text);
    }
}

/* ---- warp operations on the sides of branches ---- */

typedef enum Form { FORM_IDX, FORM_UP, FORM_DOWN, FORM_BFLY, FORM_MATCH, FORM_REDUX, FORM_VOTE, FORM_BARRIER, FORMS } Form;

typedef struct Op {
    Form form;
    bool in_halves;   /* each half of a warp for itself: its mask is in %r22 */
    bool at_each_end; /* written at each end; else behind them */
} Op;

/* On a value, by a lane or a distance, or on %p3; the result is in %r23. */
static void write_operation(Writer *w, const Op *op, const char *value, const char *by)
{
    static const char *const names[] = {"idx", "up", "down", "bfly"};
    const char *mask = op->in_halves ? "%r22" : "0xffffffff";
    if (op->form <= FORM_BFLY)
        strbuf_printf(&w->text, "shfl.sync.%s.b32 %%r23, %s, %s, %d, %s;\n", names[op->form], value, by, op->form == FORM_UP ? 0 : 31, mask);
    else if (op->form == FORM_VOTE)
        strbuf_printf(&w->text, "vote.sync.ballot.b32 %%r23, %%p3, %s;\n", mask);
    else if (op->form == FORM_BARRIER)
        strbuf_printf(&w->text, "bar.warp.sync %s;\nmov.u32 %%r23, %s;\n", mask, value);
    else
        strbuf_printf(&w->text, "%s.b32 %%r23, %s, %s;\n", op->form == FORM_MATCH ? "match.any.sync" : "redux.sync.xor", value, mask);
}

/* The end of a path through the branches: what it chooses. */
static void write_end(Writer *w, const Op *op)
{
    char value[16] = "%r20", by[16] = "%r21";
    uint32_t chosen = pick(w, 100000), distance = pick(w, 16);
    bool constant = pick(w, 3) == 0, constant_by = pick(w, 2) == 0;
    strbuf_printf(&w->text, "mad.lo.u32 %%r20, %%r1, %u, %u;\nand.b32 %%r21, %%r1, 15;\nsetp.gt.u32 %%p3, %%r20, %u;\n", chosen * 2 + 1, distance,
                  chosen * 30000);
    if (constant)
        snprintf(value, sizeof value, "%u", chosen);
    if (constant_by)
        snprintf(by, sizeof by, "%u", distance);
    if (op->at_each_end)
        write_operation(w, op, value, by);
    else
        strbuf_printf(&w->text, "mov.u32 %%r20, %s;\nmov.u32 %%r21, %s;\n", value, by);
    for (uint32_t more = pick(w, 3); more; more--) /* the ends are of different lengths */
        strbuf_puts(&w->text, "xor.b32 %r24, %r24, %r23;\n");
}

static void write_ends(Writer *w, const Op *op, int depth)
{
    int otherwise = ++w->labels, end = ++w->labels;
    if (depth == 0 || pick(w, 4) == 0) {
        write_end(w, op);
        return;
    }
    write_condition(w);
    strbuf_printf(&w->text, "@%%p1 bra L%d;\n", otherwise);
    write_ends(w, op, depth - 1);
    strbuf_printf(&w->text, "bra.uni L%d;\nL%d:\n", end, otherwise);
    write_ends(w, op, depth - 1);
    strbuf_printf(&w->text, "L%d:\n", end);
}

static void write_exchanges(Writer *w, bool at_each_end)
{
    strbuf_puts(&w->text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 out, .param .u64 sum)\n{\n.reg .pred %p<4>; .reg .u32 %r<32>;\n"
                          ".reg .u64 %rd<6>;\nld.param.u64 %rd1, [out];\n"
                          "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x;\n"
                          "mad.lo.u32 %r2, %r5, %r6, %r7; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd2, %rd1, %rd4;\n"
                          "mad.lo.u32 %r1, %r2, 2654435761, 99;\nmov.u32 %r24, 0;\n"
                          "and.b32 %r22, %r2, 16;\nshl.b32 %r22, 65535, %r22;\nmov.u32 %r25, 3;\nAGAIN:\n");
    for (uint32_t n = 1 + pick(w, STATEMENTS_MAX); n; n--) {
        const Op op = {(Form)pick(w, FORMS), pick(w, 3) == 0, at_each_end};
        write_ends(w, &op, 3);
        if (!at_each_end)
            write_operation(w, &op, "%r20", "%r21");
        strbuf_puts(&w->text, "mad.lo.u32 %r1, %r1, 77, %r23;\n");
    }
    strbuf_puts(&w->text, "sub.u32 %r25, %r25, 1;\nsetp.ne.u32 %p1, %r25, 0;\n@%p1 bra AGAIN;\nst.global.u32 [%rd2], %r1;\nret;\n}\n");
}

static void test_operations_meet_on_the_sides(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= KERNELS; k++) {
        Writer ends = {.rng = {k * 104729}}, behind = {.rng = {k * 104729}};
        write_exchanges(&ends, true);
        write_exchanges(&behind, false);
        Bytes wanted = run(behind.text.text, behind.text.length, THREADS, 1, 0);
        for (int way = 0; way < 3; way++) {
            Bytes got = run(ends.text.text, ends.text.length, way == 1 ? 32 : THREADS, way == 2 ? 2 : 1, way * k);
            if (got.faults || wanted.faults)
                fail_msg("%lu findings, %lu behind the branches, in\n%s", got.faults, wanted.faults, ends.text.text);
            got.threads = wanted.threads;
            compare(&wanted, &got, ends.text.text);
        }
        strbuf_free(&ends.text);
        strbuf_free(&behind.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warps_do_what_threads_do), cmocka_unit_test(test_operations_meet_on_the_sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
