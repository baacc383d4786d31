/* Random kernels whose branches and addresses depend on no loaded data, so that a plan is made of them: with
 * the plan and warp by warp, the same bytes, the same counts, the same accesses told. And what a plan must
 * leave to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/exec/test/loaded.h"
#include "common/vgpu/exec/test/ways.h"

#include <stdio.h>

enum { KERNELS = 400, GRID_X = 4, GRID_Y = 3, BLOCKS = GRID_X * GRID_Y, IN_WORDS = 1 << 14, F = 6 };

typedef struct Writer {
    StrBuf text;
    Rng rng;
    uint32_t apart, labels; /* branches that only the first threads go into */
} Writer;

static const uint32_t shapes[][3] = {{256, 1, 1}, {128, 1, 1}, {16, 16, 1}, {32, 4, 1},
                                     {64, 2, 1},  {48, 2, 1},  {100, 1, 1}, {16, 4, 2},
                                     {8, 8, 1},   {32, 1, 3},  {16, 2, 1},  {32, 1, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t pick(Writer *w, uint32_t n)
{
    return (uint32_t)rng_below(&w->rng, n);
}

#define PICK(w, list) list[pick(w, sizeof list / sizeof *list)]

/* %at becomes an index of words that is a form of the thread's and the block's index, and of the loop's turn.
 */
static void write_index(Writer *w)
{
    static const int across[] = {0, 1, 1, 1, 1, 2, 3};
    static const int down[] = {0, 0, 1, 16, 32, 48, 64};
    strbuf_printf(&w->text,
                  "mul.lo.s32 %%at, %%x, %d; mad.lo.s32 %%at, %%y, %d, %%at; mad.lo.s32 %%at, %%z, %u, %%at; "
                  "mad.lo.s32 %%at, %%bx, "
                  "%u, %%at; mad.lo.s32 %%at, %%by, %u, %%at; mad.lo.s32 %%at, %%turn, %u, %%at;\n",
                  PICK(w, across), PICK(w, down), pick(w, 3) * 40, pick(w, 70), pick(w, 90), pick(w, 20));
}

static void write_load(Writer *w)
{
    static const char *const kinds[] = {"f32", "f32", "f32", "b32"};
    write_index(w);
    if (pick(w, 8) == 0)
        strbuf_printf(&w->text,
                      "shl.b32 %%at, %%at, 2; mul.wide.u32 %%to, %%at, 4; add.s64 %%to, %%to, %%in;\n"
                      "ld.global.v4.f32 {%%f%u, %%f%u, %%g0, %%g1}, [%%to];\n",
                      pick(w, 3), 3 + pick(w, 3));
    else
        strbuf_printf(
            &w->text,
            "mul.wide.u32 %%to, %%at, 4; add.s64 %%to, %%to, %%in;\nld.global.%s %%f%u, [%%to+%u];\n",
            PICK(w, kinds), pick(w, F), 4 * pick(w, 9));
}

/* A word of the thread's own: written, and read at once or past a barrier. */
static void write_own(Writer *w)
{
    bool shared = pick(w, 2);
    const char *space = shared ? "shared" : "global", *place = shared ? "%own" : "%mine";
    bool before = pick(w, 2); /* what was there before is used afterwards */
    if (before)
        strbuf_printf(&w->text, "ld.%s.f32 %%g0, [%s];\n", space, place);
    strbuf_printf(&w->text, "st.%s.f32 [%s], %%f%u;\n%s", space, place, pick(w, F),
                  w->apart || pick(w, 3) ? "" : "bar.sync 0;\n");
    if (before)
        strbuf_printf(&w->text, "fma.rn.f32 %%f%u, %%g0, %%f%u, %%f%u;\n", pick(w, F), pick(w, F),
                      pick(w, F));
    strbuf_printf(&w->text, "ld.%s.f32 %%f%u, [%s];\n", space, pick(w, F), place);
}

/* Between barriers: words that others have written. */
static void write_meeting(Writer *w)
{
    static const char *const places[] = {"%its", "%line", "%first"};
    strbuf_printf(&w->text, "bar.sync 0;\nst.shared.f32 [%%own], %%f%u;\nbar.sync 0;\n", pick(w, F));
    for (uint32_t n = 1 + pick(w, 4); n--;) {
        strbuf_printf(&w->text, "ld.shared.f32 %%f%u, [%s];\n", pick(w, F), PICK(w, places));
        strbuf_printf(&w->text, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", pick(w, F), pick(w, F),
                      pick(w, F), pick(w, F));
    }
    strbuf_puts(&w->text, "bar.sync 0;\n");
}

static void write_float(Writer *w)
{
    static const char *const two[] = {"add.f32",     "sub.f32",    "mul.f32", "add.rn.f32",
                                      "mul.ftz.f32", "add.rz.f32", "max.f32", "sub.sat.f32"};
    static const char *const three[] = {"fma.rn.f32", "fma.rn.f32", "mad.rn.f32", "fma.rn.ftz.f32",
                                        "fma.rm.f32"};
    static const char *const numbers[] = {"0f3F800000", "0f80000000", "0f7F800000",
                                          "0f7FC00000", "0f00000001", "0fC0490FDB"};
    if (pick(w, 5) == 0)
        strbuf_printf(&w->text, "%s %%f%u, %%f%u, %s;\n", PICK(w, two), pick(w, F), pick(w, F),
                      PICK(w, numbers));
    else if (pick(w, 2))
        strbuf_printf(&w->text, "%s %%f%u, %%f%u, %%f%u;\n", PICK(w, two), pick(w, F), pick(w, F),
                      pick(w, F));
    else
        strbuf_printf(&w->text, "%s %%f%u, %%f%u, %%f%u, %%f%u;\n", PICK(w, three), pick(w, F), pick(w, F),
                      pick(w, F), pick(w, F));
}

/* What is loaded for one operation alone. */
static void write_fused(Writer *w)
{
    static const char *const two[] = {"add.f32", "sub.f32", "mul.f32"};
    static const char *const places[] = {"%its", "%line", "%first", "%own"};
    bool shared = !w->apart && pick(w, 3) == 0; /* words that others write: between barriers */
    strbuf_puts(&w->text, shared ? "bar.sync 0;\n" : "");
    for (int i = 0; i < 2; i++) {
        write_index(w);
        if (!shared || pick(w, 2))
            strbuf_printf(
                &w->text,
                "mul.wide.u32 %%to, %%at, 4; add.s64 %%to, %%to, %%in;\nld.global.f32 %%g%d, [%%to];\n", i);
        else
            strbuf_printf(&w->text, "ld.shared.f32 %%g%d, [%s];\n", i, PICK(w, places));
    }
    switch (pick(w, 5)) {
    case 0:
        strbuf_printf(&w->text, "fma.rn.f32 %%f%u, %%g0, %%g1, %%f%u;\n", pick(w, F), pick(w, F));
        break;
    case 1:
        strbuf_printf(&w->text, "fma.rn.f32 %%f%u, %%f%u, %%g1, %%g0;\n", pick(w, F), pick(w, F));
        break;
    case 2:
        strbuf_printf(&w->text, "%s %%f%u, %%f%u, %%g0;\n", PICK(w, two), pick(w, F), pick(w, F));
        break;
    case 3:
        strbuf_printf(&w->text, "%s %%f%u, %%g1, %%g0;\n", PICK(w, two), pick(w, F));
        break;
    default:
        strbuf_printf(&w->text, "%s %%f%u, %%g1, %%f%u;\n", PICK(w, two), pick(w, F), pick(w, F));
    }
    strbuf_puts(&w->text, shared ? "bar.sync 0;\n" : "");
}

/* Values that threads, blocks or nobody have in their own way, as data. */
static void write_value(Writer *w)
{
    switch (pick(w, 5)) {
    case 0:
        strbuf_printf(&w->text, "cvt.rn.f32.s32 %%f%u, %%lin;\n", pick(w, F));
        break;
    case 1:
        strbuf_printf(&w->text, "shr.u32 %%at, %%n, 1; div.u32 %%at, %%at, 3; cvt.rn.f32.u32 %%f%u, %%at;\n",
                      pick(w, F));
        break;
    case 2:
        strbuf_printf(&w->text, "and.b32 %%at, %%bx, 1; cvt.rn.f32.u32 %%f%u, %%at;\n", pick(w, F));
        break;
    case 3:
        strbuf_printf(&w->text, "setp.lt.s32 %%q, %%x, %u; selp.f32 %%f%u, %%f%u, %%f%u, %%q;\n",
                      1 + pick(w, 20), pick(w, F), pick(w, F), pick(w, F));
        break;
    default:
        strbuf_printf(&w->text,
                      "setp.lt.u32 %%q, %%turn, %u; selp.f32 %%f%u, %%f%u, %%f%u, %%q; @%%q add.s32 %%lin, "
                      "%%lin, %%turn;\n",
                      pick(w, 4), pick(w, F), pick(w, F), pick(w, F));
    }
}

static void write_body(Writer *w, uint32_t n);

/* A branch for the first threads; of a block with more dimensions those of each line, and then there is no
 * plan. */
static void write_apart(Writer *w)
{
    static const uint32_t counts[] = {1, 2, 5, 8, 16, 31, 32, 33, 64, 100};
    uint32_t label = w->labels++, n = PICK(w, counts);
    switch (pick(w, 10) % 4) {
    case 0:
        strbuf_printf(&w->text, "setp.gt.s32 %%q, %%x, %u;\n@%%q bra MEET%u;\n", n - 1, label);
        break;
    case 1:
        strbuf_printf(&w->text, "setp.lt.u32 %%q, %%x, %u;\n@!%%q bra MEET%u;\n", n, label);
        break;
    case 2:
        strbuf_printf(&w->text, "setp.ne.s32 %%q, %%x, 0;\n@%%q bra MEET%u;\n", label);
        break;
    default: /* the others */
        strbuf_printf(&w->text, "setp.lt.s32 %%q, %%x, %u;\n@%%q bra MEET%u;\n", n, label);
    }
    w->apart++;
    write_body(w, 1 + pick(w, 3));
    w->apart--;
    strbuf_printf(&w->text, "MEET%u:\n", label);
}

static void write_body(Writer *w, uint32_t n)
{
    while (n--) {
        uint32_t kind = pick(w, 18);
        if (kind >= 16 && w->apart < 3)
            write_apart(w);
        else if (kind >= 12)
            write_fused(w);
        else if (kind < 4)
            write_load(w);
        else if (kind < 8)
            write_float(w);
        else if (kind == 8)
            write_own(w);
        else if (kind == 9 && !w->apart)
            write_meeting(w);
        else
            write_value(w);
    }
}

static const char head[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, "
    ".param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %p, %q; .reg .f32 %f<6>; .reg .f32 %g<2>; .reg .u32 %x, %y, %z, %bx, "
    "%by, %n, %lin, %at, %s, %turn, %own, %its, %line, "
    "%first, %gx;\n.reg .u64 %in, %mine, %to;\n.shared .align 16 .b8 shared[4096];\n"
    "ld.param.u64 %in, [in]; ld.param.u64 %mine, [out]; ld.param.u32 %n, [n];\n"
    "mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z; mov.u32 %bx, "
    "%ctaid.x; mov.u32 %by, %ctaid.y;\n"
    "mov.u32 %s, %ntid.x; mad.lo.s32 %gx, %bx, %s, %x; mov.u32 %at, %ntid.y; "
    "mad.lo.s32 %lin, %z, %at, %y; mad.lo.s32 %lin, %lin, %s, "
    "%x;\n"
    "mul.lo.s32 %at, %at, %s; mov.u32 %line, %ntid.z; mul.lo.s32 %at, %at, %line; "
    "mov.u32 %turn, %nctaid.x; mad.lo.s32 %turn, %by, "
    "%turn, %bx; mad.lo.s32 %turn, %turn, %at, %lin;\n"
    "mul.wide.s32 %to, %turn, 4; add.s64 %mine, %mine, %to; mov.u32 %first, shared; "
    "shl.b32 %own, %lin, 2; add.s32 %own, %own, %first;\n"
    "sub.s32 %its, %at, %lin; shl.b32 %its, %its, 2; add.s32 %its, %its, %first; "
    "sub.s32 %its, %its, 4; mul.lo.s32 %line, %y, %s; shl.b32 "
    "%line, %line, 2; add.s32 %line, %line, %first;\n"
    "cvt.rn.f32.s32 %f0, %gx; mov.f32 %f1, 0f40490FDB; mov.f32 %f2, 0f00000000; "
    "mov.f32 %f3, 0fBF800000; mov.f32 %f4, 0f00000001; mov.f32 %f5, 0f7F800000; mov.u32 %turn, 0;\n"
    "st.shared.f32 [%own], %f0;\n";

/* The blocks from some x on have threads that n leaves out, or none that it does not. */
static void write_kernel(Writer *w)
{
    strbuf_puts(&w->text, head);
    strbuf_puts(&w->text, "setp.ge.s32 %p, %gx, %n;\n@%p bra DONE;\n");
    for (int i = 0; i < F; i++)
        strbuf_printf(&w->text, "fma.rn.f32 %%f%d, %%f%d, %%f0, %%f0;\n", i, i);
    write_body(w, 4);
    strbuf_puts(&w->text, "LOOP:\n");
    write_body(w, 6);
    strbuf_printf(&w->text, "add.s32 %%turn, %%turn, 1; setp.lt.s32 %%q, %%turn, %u;\n@%%q bra LOOP;\n",
                  1 + pick(w, 4));
    strbuf_puts(&w->text, "mov.u32 %s, %lin;\n");
    for (int i = 0; i < F; i++)
        strbuf_printf(&w->text, "mov.b32 %%at, %%f%d; mad.lo.s32 %%s, %%s, 31, %%at;\n", i);
    strbuf_puts(&w->text, "st.global.u32 [%mine], %s;\nDONE:\nret;\n}\n");
}

typedef struct Result {
    uint32_t out[BLOCKS * 256];
    uint64_t instructions, planned;
    ExecError error;
    Ways ways;
} Result;

typedef struct Way {
    bool narrow, takes_wide;
    unsigned jobs;
    bool unwatched;
    bool constant; /* `in` is a variable of constant memory */
} Way;

static void run(const Loaded *l, const uint32_t shape[3], uint32_t n, uint64_t in_bytes, Way way, Result *r)
{
    Mem *mem = NULL;
    memset(r, 0, sizeof *r);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 22, 1, &mem));
    MemAlloc *in = mem_alloc(mem, in_bytes, way.constant ? MEM_CONST_VAR : MEM_DEVICE, 0, NULL),
             *out = mem_alloc(mem, sizeof r->out, MEM_DEVICE, 0, NULL);
    for (uint64_t i = 0; i < in_bytes / 4; i++)
        ((uint32_t *)in->host)[i] =
            i % 5 ? 0x3F000000u + (uint32_t)rng_mix(i) % 0x1000000u : (uint32_t)rng_mix(i);
    memset(out->host, 0, sizeof r->out);
    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {in->addr, out->addr, n};
    r->ways.takes_wide = way.takes_wide;
    ExecObserver observer = ways_observer(&r->ways);
    ExecLaunch launch = {.instance = l->instance,
                         .function = (uint32_t)ir_find_function(l->module, "k"),
                         .grid = {GRID_X, GRID_Y, 1},
                         .block = {shape[0], shape[1], shape[2]},
                         .params = (const uint8_t *)&params,
                         .mem = mem,
                         .narrow = way.narrow,
                         .jobs = way.jobs,
                         .observers = &observer,
                         .n_observers = !way.unwatched};
    ExecResult result;
    exec_launch(&launch, &result);
    memcpy(r->out, out->host, sizeof r->out);
    r->error = result.error;
    r->instructions = result.instructions;
    r->planned = result.planned;
    mem_destroy(mem);
}

static void compare(const Result *wanted, const Result *got, bool told, const char *how, const Writer *w)
{
    const char *differs = told ? ways_differ(&wanted->ways, &got->ways) : NULL;
    assert_int_equal(wanted->error, got->error);
    for (size_t i = 0; i < sizeof wanted->out / 4; i++)
        if (wanted->out[i] != got->out[i])
            fail_msg("%s: word %zu: expected %u, got %u\n%s", how, i, wanted->out[i], got->out[i],
                     w->text.text);
    if (wanted->instructions != got->instructions || differs)
        fail_msg("%s: %s\n%s", how, differs ? differs : "number of instructions", w->text.text);
}

static void test_planned_and_by_warp(void **state)
{
    static Result narrow, planned;
    uint64_t n_planned = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t *shape = shapes[k % N_SHAPES];
        Writer w = {.rng = {k * 104729 + 3}};
        write_kernel(&w);
        Loaded l = loaded_of(&w.text);
        uint32_t n = pick(&w, 3) ? shape[0] * GRID_X - pick(&w, shape[0] * 3 / 2) : 1 << 20;
        run(&l, shape, n, IN_WORDS * 4, (Way){.narrow = true, .jobs = 1}, &narrow);
        assert_int_equal(EXEC_OK, narrow.error);
        assert_int_equal(0, narrow.planned);
        run(&l, shape, n, IN_WORDS * 4, (Way){.jobs = 1}, &planned);
        n_planned += planned.planned;
        compare(&narrow, &planned, true, "told by warp", &w);
        run(&l, shape, n, IN_WORDS * 4, (Way){.takes_wide = true, .jobs = 1}, &planned);
        compare(&narrow, &planned, false, "told by block", &w);
        run(&l, shape, n, IN_WORDS * 4, (Way){.jobs = 2, .unwatched = true}, &planned);
        compare(&narrow, &planned, false, "two workers, nobody told", &w);
        loaded_free(&l);
        strbuf_free(&w.text);
    }
    assert_in_range(n_planned, KERNELS * BLOCKS / 4, KERNELS * BLOCKS); /* it does happen */
}

/* The last blocks would leave the memory: what the plan does not allow is a fault, as it always was. */
static void test_fault_in_a_later_block(void **state)
{
    static Result narrow, planned;
    static const uint32_t shape[3] = {64, 1, 1};
    (void)state;
    Writer w = {.rng = {1}};
    strbuf_puts(&w.text, head);
    strbuf_puts(&w.text, "mul.wide.s32 %to, %gx, 4; add.s64 %to, %to, %in; ld.global.f32 %f0, [%to]; "
                         "st.global.f32 [%mine], %f0;\nret;\n}\n");
    Loaded l = loaded_of(&w.text);
    run(&l, shape, 0, 64 * 3 * 4, (Way){.narrow = true, .jobs = 1}, &narrow);
    run(&l, shape, 0, 64 * 3 * 4, (Way){.jobs = 1}, &planned);
    assert_int_not_equal(EXEC_OK, narrow.error);
    assert_int_equal(3, planned.planned);
    assert_int_equal(narrow.error, planned.error);
    assert_memory_equal(narrow.out, planned.out, 64 * 3 * 4);
    loaded_free(&l);
    strbuf_free(&w.text);
}

/* Runs what stands in a kernel both ways: the same faults and bytes, the same told. How many blocks were
 * planned. */
static uint64_t run_both(const char *body, const uint32_t shape[3], bool constant)
{
    static Result narrow, planned;
    Writer w = {.rng = {1}};
    strbuf_puts(&w.text, head);
    strbuf_puts(&w.text, body);
    strbuf_puts(&w.text, "ret;\n}\n");
    Loaded l = loaded_of(&w.text);
    run(&l, shape, 0, IN_WORDS * 4, (Way){.narrow = true, .jobs = 1, .constant = constant}, &narrow);
    run(&l, shape, 0, IN_WORDS * 4, (Way){.jobs = 1, .constant = constant}, &planned);
    assert_int_equal(0, narrow.planned);
    if (narrow.error == EXEC_OK)
        compare(&narrow, &planned, true, "told by warp", &w);
    else if (narrow.error != planned.error)
        fail_msg("expected error %d, got %d\n%s", (int)narrow.error, (int)planned.error, body);
    loaded_free(&l);
    strbuf_free(&w.text);
    return narrow.error == EXEC_OK ? planned.planned : 0;
}

/* Addresses that are aligned in all threads of some blocks, and in others not: base, thread and block each
 * decide. */
static void test_alignment_of_each_part(void **state)
{
    static const uint32_t shape[3] = {32, 1, 1}, widths[] = {4, 8, 16};
    static const uint32_t offsets[] = {0, 2, 8}, steps[] = {0, 4, 8, 16}, far[] = {0, 2, 8, 16};
    static const char *const loads[] = {"u32 %s", "u64 %to", "v4.f32 {%f0, %f1, %f2, %f3}"};
    static const char *const takes[] = {"", "cvt.u32.u64 %s, %to;", "mov.b32 %s, %f3;"};
    uint64_t n_planned = 0, n_aligned = 0;
    (void)state;
    for (uint32_t k = 0; k < 3 * 3 * 4 * 4 * 4; k++) {
        const uint32_t kind = k % 3, offset = offsets[k / 3 % 3], x = steps[k / 9 % 4], bx = far[k / 36 % 4],
                       by = far[k / 144];
        char body[1024];
        snprintf(
            body, sizeof body,
            "mul.lo.s32 %%at, %%x, %u; mad.lo.s32 %%at, %%bx, %u, %%at; mad.lo.s32 %%at, %%by, %u, %%at;\n"
            "mul.wide.u32 %%to, %%at, 1; add.s64 %%to, %%to, %%in; ld.global.%s, [%%to+%u]; %s st.global.u32 "
            "[%%mine], %%s;\n",
            x, bx, by, loads[kind], offset, takes[kind]);
        n_planned += run_both(body, shape, false) > 0;
        n_aligned += (offset | x | bx | by) % widths[kind] == 0;
    }
    assert_int_equal(n_aligned, n_planned);
}

/* Nobody writes a variable of constant memory by its address. */
static void test_constant_variables(void **state)
{
    static const uint32_t shape[3] = {64, 1, 1};
    static const char address[] = "mul.wide.s32 %to, %gx, 4; add.s64 %to, %to, %in;\n";
    static const char *const accesses[] = {"ld.global.f32 %f0, [%to]; st.global.f32 [%mine], %f0;\n",
                                           "st.global.f32 [%to], %f0;\n"};
    (void)state;
    for (int constant = 0; constant < 2; constant++)
        for (int i = 0; i < 2; i++) {
            StrBuf body = {0};
            strbuf_printf(&body, "%s%s", address, accesses[i]);
            uint64_t planned = run_both(body.text, shape, constant);
            assert_int_equal(constant ? 0 : BLOCKS, planned);
            strbuf_free(&body);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planned_and_by_warp), cmocka_unit_test(test_fault_in_a_later_block),
        cmocka_unit_test(test_alignment_of_each_part), cmocka_unit_test(test_constant_variables)};
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
