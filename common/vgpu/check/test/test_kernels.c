/* The checkers on real code: kernels.cu through nvcc, the parser, the decoder and exec. Each kernel with a
 * fault must give its findings, at the right lines and no others; each sound kernel must give none. All again
 * with several workers and another order of blocks.
 */
#include "common/vgpu/check/test/rig.h"

#include <unistd.h>

enum { BUFFERS = 3, BUFFER_BYTES = 16384, ARGS_MAX = 6, EXPECT_MAX = 6 };

/* ---- the module, compiled once ---- */

typedef struct Kernels {
    PtxModule *ptx;
    IrModule *ir;
    char *source;
} Kernels;

static char *read_kernel_file(const char *path)
{
    enum { CAP = 1 << 20 };
    FILE *f = fopen(path, "rb");
    char *text = calloc(CAP, 1);
    if (!f || !text) {
        free(text);
        return NULL;
    }
    text[fread(text, 1, CAP - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int compile(void **state)
{
    static Kernels k;
    const char *kit = getenv("KIT") ? getenv("KIT") : ".",
               *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char command[2048], path[600], source[600];
    snprintf(source, sizeof source, "%s/common/vgpu/check/test/kernels/kernels.cu", kit);
    snprintf(path, sizeof path, "%s/check-kernels-%ld.ptx", build, (long)getpid());
    snprintf(command, sizeof command, "nvcc -ptx -arch=compute_75 -lineinfo -o '%s' '%s'", path, source);
    if (system(command) != 0)
        return -1;
    char *text = read_kernel_file(path);
    unlink(path);
    k.source = read_kernel_file(source);
    Diag d = {0};
    if (!text || !k.source || ptx_parse(text, strlen(text), "kernels.ptx", &k.ptx, &d) ||
        ir_decode(&k.ptx, 1, &k.ir, &d) || exec_bind(k.ir, &d)) {
        print_message("%d: %s\n", d.line, d.message);
        return -1;
    }
    free(text);
    *state = &k;
    return 0;
}

static int drop_kernels(void **state)
{
    Kernels *k = *state;
    if (!k) /* compile failed */
        return 0;
    ir_module_free(k->ir);
    ptx_module_free(k->ptx);
    free(k->source);
    return 0;
}

/* Line of kernels.cu that ends in this comment. */
static uint32_t line_of(const Kernels *k, const char *comment)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "// %s\n", comment);
    const char *at = strstr(k->source, wanted);
    if (!at)
        fail_msg("no line ends in '%s'", comment);
    uint32_t line = 1;
    for (const char *p = k->source; p < at; p++)
        line += *p == '\n';
    return line;
}

/* ---- cases ---- */

typedef struct Expect {
    FindingKind kind;
    const char *line, *other; /* comments of the lines; other: NULL without one, "*" for any */
} Expect;

/* An argument: buffer 0 (written by the host), 1 (not written), 2 (zeroed), or BUFFERS + an integer. */
#define IN     0
#define OUT    1
#define ZEROED 2
#define INT(n) (BUFFERS + (n))

typedef struct Case {
    const char *kernel;
    uint32_t grid[2], block[2];
    uint32_t args[ARGS_MAX];   /* as many as the kernel has */
    Expect expect[EXPECT_MAX]; /* up to one whose line is NULL */
    uint32_t buffer_bytes;     /* of buffers 0 and 1; 0: BUFFER_BYTES */
    bool cooperative;
} Case;

static const Case cases[] = {
    {"stencil", {4, 1}, {256, 1}, {IN, OUT, INT(1000), INT(1)}, {{0}}, 0, false},
    {"stencil",
     {4, 1},
     {256, 1},
     {IN, OUT, INT(1000), INT(0)},
     {{FINDING_RACE, "tile write", "tile read"},
      {FINDING_RACE, "left halo", "tile read"},
      {FINDING_RACE, "right halo", "tile read"},
      {FINDING_UNINITIALIZED, "tile read", NULL}},
     0,
     false},
    {"stencil_without_right_halo",
     {4, 1},
     {256, 1},
     {IN, OUT, INT(1024)},
     {{FINDING_UNINITIALIZED, "uninitialised halo", NULL}},
     0,
     false},
    {"reduce", {4, 1}, {256, 1}, {IN, OUT, INT(1000), INT(1)}, {{0}}, 0, false},
    {"reduce",
     {4, 1},
     {256, 1},
     {IN, OUT, INT(1000), INT(0)},
     {{FINDING_RACE, "warp tail write", "*"}},
     0,
     false},
    {"matmul", {2, 2}, {16, 16}, {IN, IN, OUT, INT(32), INT(1)}, {{0}}, 0, false},
    {"matmul",
     {2, 2},
     {16, 16},
     {IN, IN, OUT, INT(32), INT(0)},
     {{FINDING_RACE, "tile a write", "tiles read"}, {FINDING_RACE, "tile b write", "tiles read"}},
     0,
     false},
    {"transpose", {2, 2}, {32, 8}, {IN, OUT, INT(64)}, {{0}}, 0, false},
    {"histogram", {3, 1}, {128, 1}, {IN, ZEROED, INT(2000)}, {{0}}, 0, false},
    {"histogram_plain",
     {4, 1},
     {128, 1},
     {IN, ZEROED, INT(500)},
     {{FINDING_RACE, "plain increment", "plain increment"}},
     0,
     false},
    {"histogram_no_flush_barrier",
     {2, 1},
     {128, 1},
     {IN, ZEROED, INT(250)},
     {{FINDING_RACE, "bin atomic", "flush"}},
     0,
     false},
    {"last_block", {6, 1}, {128, 1}, {IN, OUT, ZEROED, INT(700), INT(1)}, {{0}}, 0, false},
    {"last_block",
     {6, 1},
     {128, 1},
     {IN, OUT, ZEROED, INT(700), INT(0)},
     {{FINDING_RACE, "partial write", "partial read"}},
     0,
     false},
    {"locked", {6, 1}, {32, 1}, {ZEROED, INT(1)}, {{0}}, 0, false},
    {"locked", {6, 1}, {32, 1}, {ZEROED, INT(0)}, {{FINDING_RACE, "guarded", "guarded"}}, 0, false},
    {"in_place", {4, 1}, {128, 1}, {IN, INT(500)}, {{FINDING_RACE, "own write", "neighbour read"}}, 0, false},
    {"in_place", {1, 1}, {128, 1}, {IN, INT(100)}, {{0}}, 0, false},
    {"speculated", {1, 1}, {64, 1}, {IN, OUT, INT(0)}, {{0}}, 0, false},
    {"speculated", {1, 1}, {64, 1}, {IN, OUT, INT(1)}, {{FINDING_UNINITIALIZED, "speculated", NULL}}, 0, false},
    {"unlocked", {1, 1}, {64, 1}, {OUT, OUT, INT(0)}, {{0}}, 0, false},
    {"unlocked", {1, 1}, {64, 1}, {OUT, ZEROED, INT(1)}, {{FINDING_UNINITIALIZED, "unlocked", NULL}}, 0, false},
    {"copied", {4, 1}, {64, 1}, {OUT, ZEROED, INT(256)}, {{0}}, 0, false},
    {"copied_and_changed",
     {4, 1},
     {64, 1},
     {OUT, ZEROED, INT(256)},
     {{FINDING_UNINITIALIZED, "from nobody", NULL}},
     0,
     false},
    {"found",
     {4, 1},
     {128, 1},
     {IN, OUT, INT(500)},
     {{FINDING_SAME_VALUE, "same value", "same value"}},
     0,
     false},
    {"grid_sync", {4, 1}, {128, 1}, {OUT, ZEROED, INT(512)}, {{0}}, 0, true},
    {"no_guard", {4, 1}, {128, 1}, {IN, OUT}, {{0}}, 0, false},
    {"no_guard", {4, 1}, {128, 1}, {IN, OUT}, {{FINDING_OUT_OF_BOUNDS, "no guard", NULL}}, 500 * 4, false},
    {"early_return", {1, 1}, {128, 1}, {OUT, INT(128)}, {{0}}, 0, false},
    {"early_return",
     {1, 1},
     {128, 1},
     {OUT, INT(100)},
     {{FINDING_BARRIER_EXITED, "barrier after return", NULL}},
     0,
     false},
    {"barriers_after_return", {1, 1}, {128, 1}, {OUT, INT(100)}, {{FINDING_BARRIER_EXITED, "first of two", NULL}}, 0, false},
    {"barrier_in_loop", {1, 1}, {32, 1}, {OUT}, {{FINDING_BARRIER_DIVERGENT, "barrier in loop", NULL}}, 0, false},
    {"exchange_in_if", {1, 1}, {32, 1}, {OUT, INT(20)}, {{FINDING_SYNC_MASK, "exchange in if", NULL}}, 0, false},
    {"swap_loop", {2, 1}, {64, 1}, {ZEROED, INT(3)}, {{FINDING_GUESS, "swap", "guess"}}, 0, false},
    {"swap_in_shared", {1, 1}, {64, 1}, {OUT}, {{FINDING_GUESS, "shared swap", "shared guess"}}, 0, false},
    {"add_bfloat16", {2, 1}, {64, 1}, {ZEROED}, {{FINDING_GUESS, "bfloat16", "bfloat16"}}, 0, false},
    {"swap_and_store", {1, 1}, {64, 1}, {ZEROED, OUT}, {{FINDING_RACE, "kept swap", "kept guess"}}, 0, false},
    {"swap_if_small", {1, 1}, {64, 1}, {ZEROED, INT(9)}, {{FINDING_RACE, "decided swap", "deciding read"}}, 0, false},
    {"swap_elsewhere",
     {1, 1},
     {64, 1},
     {ZEROED, IN},
     {{FINDING_RACE, "changed by others", "read for another"}},
     0,
     false},
    {"blind_swap", {1, 1}, {64, 1}, {ZEROED}, {{FINDING_RACE, "blind swap", "read for blind"}}, 0, false},
    {"swap_and_set",
     {1, 1},
     {64, 1},
     {ZEROED},
     {{FINDING_RACE, "plain set", "guess beside a set"},
      {FINDING_RACE, "plain set", "swap beside a set"},
      {FINDING_RACE, "swap beside a set", "plain set"},
      {FINDING_GUESS, "swap beside a set", "guess beside a set"}},
     0,
     false},
    {"exited_lanes_named", {1, 1}, {64, 1}, {OUT, INT(40)}, {{0}}, 0, false},
    {"vote_in_last_if", {1, 1}, {64, 1}, {OUT, INT(40)}, {{0}}, 0, false},
    {"sum_of_exited", {1, 1}, {32, 1}, {OUT, INT(32)}, {{0}}, 0, false},
    {"sum_of_exited", {1, 1}, {32, 1}, {OUT, INT(20)}, {{FINDING_SHUFFLE_SOURCE, "shuffle from exited", NULL}}, 0, false},
    {"divergent_barrier",
     {1, 1},
     {64, 1},
     {OUT},
     {{FINDING_BARRIER_DIVERGENT, "odd barrier", NULL}, {FINDING_BARRIER_DIVERGENT, "even barrier", NULL}},
     0,
     false},
};

/* ---- running one ---- */

typedef struct Run {
    Mem *mem;
    CheckSet *set;
    IrInstance *instance;
    MemAlloc *buffers[BUFFERS];
    uint64_t workspace;
} Run;

static uint64_t *place_globals(Run *r, const IrModule *m)
{
    uint64_t *at = calloc(m->n_globals + 1, sizeof *at);
    assert_non_null(at);
    for (uint32_t i = 0; i < m->n_globals; i++) {
        if (m->globals[i].space == SPACE_SHARED || m->globals[i].bytes == 0)
            continue;
        MemAlloc *a = mem_alloc(r->mem, m->globals[i].bytes, MEM_GLOBAL_VAR, 0, m->globals[i].name);
        memset(a->host, 0, a->bytes);
        mem_mark_init(a, a->addr, a->bytes, true);
        at[i] = a->addr;
    }
    return at;
}

static void prepare_run(Run *r, const Kernels *k, const Case *c, unsigned jobs)
{
    CheckOptions options = {.tools = CHECK_ALL, .jobs = jobs};
    assert_int_equal(check_create(&options, &r->set), STATUS_OK);
    assert_int_equal(mem_create(0, 64 << 20, 1, &r->mem), STATUS_OK);
    uint64_t *globals = place_globals(r, k->ir);
    assert_int_equal(ir_instantiate(k->ir, globals, &r->instance), STATUS_OK);
    free(globals);
    for (int i = 0; i < BUFFERS; i++) {
        r->buffers[i] =
            mem_alloc(r->mem, c->buffer_bytes ? c->buffer_bytes : BUFFER_BYTES, MEM_DEVICE, 0, NULL);
        MemAlloc *a = r->buffers[i];
        for (uint64_t byte = 0; i != OUT && byte < a->bytes;
             byte++) /* a small positive integer in each word */
            a->host[byte] = i == IN && byte % 4 != 3 ? (uint8_t)(byte * 37 >> 3) : 0;
        if (i != OUT)
            check_host_write(r->set, a, a->addr, a->bytes);
    }
    MemAlloc *workspace = mem_alloc(r->mem, 256, MEM_INTERNAL, 0, NULL);
    memset(workspace->host, 0, 256);
    mem_mark_init(workspace, workspace->addr, 256, true);
    r->workspace = workspace->addr;
}

static void launch_case(Run *r, const Kernels *k, const Case *c, unsigned jobs, uint64_t seed)
{
    int32_t index = ir_find_function(k->ir, c->kernel);
    assert_true(index >= 0);
    const IrFunction *f = &k->ir->functions[index];
    uint8_t params[256] = {0};
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint64_t value = c->args[i] < BUFFERS ? r->buffers[c->args[i]]->addr : c->args[i] - BUFFERS;
        memcpy(params + f->params[i].offset, &value, f->params[i].bytes);
    }
    static const ExecHost host;
    ExecLaunch l = {.instance = r->instance,
                    .function = (uint32_t)index,
                    .grid = {c->grid[0], c->grid[1], 1},
                    .block = {c->block[0], c->block[1], 1},
                    .params = params,
                    .mem = r->mem,
                    .cooperative = c->cooperative,
                    .grid_workspace = r->workspace,
                    .grid_id = 1,
                    .seed = seed,
                    .max_instructions = 10000000,
                    .n_sms = 4,
                    .jobs = jobs,
                    .host = &host,
                    .observers = check_observer(r->set),
                    .n_observers = 1};
    ExecResult result;
    exec_launch(&l, &result);
}

static bool matches(const Kernels *k, const Expect *e, const Finding *f)
{
    return e->kind == finding_kind(f) && f->place.line == line_of(k, e->line) &&
           (!e->other ? !f->has_other : strcmp(e->other, "*") == 0 || f->other.line == line_of(k, e->other));
}

static void show(const Run *r, StrBuf *out)
{
    for (size_t i = 0; check_finding(r->set, i); i++)
        finding_text(check_finding(r->set, i), NULL, out);
}

/* Every finding is expected, and there is one if one is expected. */
static void judge(const Kernels *k, const Case *c, const Run *r, const char *how)
{
    StrBuf text = {0};
    bool ok = true, any = c->expect[0].line == NULL;
    for (size_t i = 0; check_finding(r->set, i); i++) {
        bool found = false;
        for (int e = 0; e < EXPECT_MAX && c->expect[e].line; e++)
            found |= matches(k, &c->expect[e], check_finding(r->set, i));
        ok &= found;
        any |= found;
    }
    show(r, &text);
    if (!ok || !any)
        print_message("%s, %s:\n%s\n", c->kernel, how, text.text ? text.text : "no finding");
    strbuf_free(&text);
    assert_true(ok && any);
}

static void run_kernel_case(const Kernels *k, const Case *c, unsigned jobs, uint64_t seed, const char *how)
{
    Run r = {0};
    prepare_run(&r, k, c, jobs);
    launch_case(&r, k, c, jobs, seed);
    judge(k, c, &r, how);
    check_destroy(r.set);
    ir_instance_free(r.instance);
    mem_destroy(r.mem);
}

static void one_worker(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_kernel_case(*state, &cases[i], 1, 0, "one worker");
}

static void another_order(void **state)
{
    for (uint64_t seed = 1; seed < 4; seed++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            run_kernel_case(*state, &cases[i], 1, seed, "another order");
}

static void several_workers(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_kernel_case(*state, &cases[i], 3, 0, "three workers");
}

int main(void)
{
    if (system("nvcc --version >/dev/null 2>&1") != 0) {
        puts("1..0 # SKIP nvcc is not here");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker),
        cmocka_unit_test(another_order),
        cmocka_unit_test(several_workers),
    };
    return cmocka_run_group_tests(tests, compile, drop_kernels);
}
