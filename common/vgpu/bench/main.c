/* bench-rate: how many warp instructions a second one worker retires, by what a program does most, where no
 * plan helps: each kernel's number of rounds is loaded, and so is what its addresses are made of.
 *
 *      bench-rate                          the tables
 *      bench-rate CLASS all|counters|none  one launch, for a profiler (after one that warms up)
 *      bench-rate CLASS                    the number of warp instructions of such a launch
 *
 * Three ways take turns: all checks and counters; counters alone, which is what --check=none leaves; nothing.
 * A second table has what several workers cost with all checks: their processor time over that of one, and how often a worker
 * slept, for a lock or for work, in a launch of 128 blocks.
 *
 * Processor time; the median of several rounds, and between which two rates all of them lie. The last columns are
 * parts of the rate of unchecked arithmetic (counters alone) in the same run.
 */
#include "common/vgpu/check/check.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/perf/perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    BLOCKS = 128,
    THREADS = 256,
    N_WARPS = BLOCKS * THREADS / 32,
    LOOPS = 64,
    ROW_WORDS = LOOPS * 32, /* a warp's, 128 bytes an iteration */
    WORDS = N_WARPS * ROW_WORDS,
    REPEATS = 5,
};
_Static_assert(WORDS == 1 << 21, "the scattered kernel's shift");

/* Every kernel: %rd1 floats, %rd2 floats, %rd3 words by thread, %rd4 the rows of warps; %r1 thread, %r2 of all threads, %r3 lane,
 * %r4 a random word, %r5 the row of the warp, %r6 iterations, %r7 counts them. */
#define KERNEL(before, body, result)                                                                         \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 words, .param .u64 rows, .param .u64 n)\n{" \
    ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .f32 %f<24>; .reg .f64 %fd<8>; .reg .b64 %rd<24>;\n"           \
    ".shared .align 4 .b8 tile[1024]; .local .align 4 .b8 own[64];\n"                                        \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [words]; ld.param.u64 %rd4, [rows];" \
    "ld.param.u64 %rd5, [n]; mov.u32 %r1, %tid.x; mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ntid.x;\n"            \
    "mad.lo.s32 %r2, %r8, %r9, %r1; and.b32 %r3, %r1, 31;\n"                                                 \
    "mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd6, %rd3; ld.global.u32 %r4, [%rd6];\n"                      \
    "shr.u32 %r9, %r2, 5; mul.wide.u32 %rd7, %r9, 4; add.s64 %rd7, %rd7, %rd4; ld.global.u32 %r5, [%rd7];\n" \
    "ld.global.u32 %r6, [%rd5]; mov.u32 %r7, 0; cvt.rn.f32.u32 %f1, %r4; cvt.rn.f64.u32 %fd1, %r4;\n" before \
    "LOOP:\n" body                                                                                           \
    "add.s32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r6; @%p1 bra LOOP;\n" result "st.global.u32 [%rd6], %r4;"   \
    "ret;\n}\n"
#define RANDOM_WORD "mad.lo.s32 %r4, %r4, 1664525, 1013904223; "

typedef struct BenchClass {
    const char *name, *text;
    uint32_t loops; /* 0: LOOPS */
} BenchClass;

static const BenchClass classes[] = {
    {.name = "arithmetic", .text = KERNEL("", "fma.rn.f32 %f2, %f1, %f1, %f1; xor.b32 %r10, %r4, %r7; add.f32 %f3, %f2, %f1;"
                              "shl.b32 %r11, %r10, 3; mul.f32 %f1, %f3, 0f3F000000; add.s32 %r4, %r11, %r10;"
                              "max.f32 %f1, %f1, %f2; and.b32 %r4, %r4, 0xFFFFFF;\n", "")},
    {.name = "double", .text = KERNEL("", "fma.rn.f64 %fd2, %fd1, %fd1, %fd1; add.f64 %fd3, %fd2, %fd1;"
                          "mul.f64 %fd1, %fd3, 0d3FE0000000000000; fma.rn.f64 %fd2, %fd1, %fd3, %fd2;"
                          "add.f64 %fd1, %fd1, %fd2; mul.f64 %fd1, %fd1, 0d3FD0000000000000;\n",
                      "cvt.rn.f32.f64 %f1, %fd1; mov.b32 %r4, %f1;")},
    {.name = "shared", .text = KERNEL("mov.u32 %r10, tile; shl.b32 %r11, %r1, 2; add.s32 %r12, %r10, %r11;",
                      "st.shared.f32 [%r12], %f1; bar.sync 0; add.s32 %r13, %r1, %r7; and.b32 %r13, %r13, 255;"
                      "shl.b32 %r13, %r13, 2; add.s32 %r13, %r10, %r13; ld.shared.f32 %f2, [%r13];"
                      "fma.rn.f32 %f1, %f2, 0f3F000000, %f1; bar.sync 0;\n", "mov.b32 %r4, %f1;")},
    {.name = "local", .text = KERNEL("mov.u32 %r10, own; mov.u32 %r15, 0;\nFILL: shl.b32 %r11, %r15, 2; add.s32 %r12, %r10, %r11;"
                     "st.local.u32 [%r12], %r4; add.s32 %r15, %r15, 1; setp.lt.u32 %p2, %r15, 16; @%p2 bra FILL;\n",
                     "add.s32 %r11, %r4, %r7; and.b32 %r11, %r11, 15; shl.b32 %r11, %r11, 2; add.s32 %r12, %r10, %r11;"
                     "ld.local.u32 %r13, [%r12]; add.s32 %r4, %r4, %r13; st.local.u32 [%r12], %r4;\n", "")},
    {.name = "coalesced", .text = KERNEL("shl.b32 %r10, %r5, 11; add.s32 %r10, %r10, %r3; mul.wide.u32 %rd8, %r10, 4;" /* ROW_WORDS */
                         "add.s64 %rd9, %rd1, %rd8; add.s64 %rd10, %rd2, %rd8;",
                         "ld.global.f32 %f2, [%rd9]; ld.global.f32 %f3, [%rd10]; fma.rn.f32 %f3, %f2, 0f3F000000, %f3;"
                         "st.global.f32 [%rd10], %f3; add.s64 %rd9, %rd9, 128; add.s64 %rd10, %rd10, 128;\n", "")},
    {.name = "atomics", .text = KERNEL("", RANDOM_WORD "shr.u32 %r10, %r4, 20; mul.wide.u32 %rd8, %r10, 4; add.s64 %rd8, %rd8, %rd2;"
                           "red.global.add.u32 [%rd8], 1;\n", "")},
    {.name = "scattered", .text = KERNEL("", RANDOM_WORD "shr.u32 %r10, %r4, 11; mul.wide.u32 %rd8, %r10, 4; add.s64 %rd8, %rd8, %rd1;"
                             "ld.global.f32 %f2, [%rd8]; add.f32 %f1, %f1, %f2;\n", "")},
    {.name = "mma", .text = KERNEL("mov.b32 %r20, 0x3C003C00; mov.b32 %r21, %r4; and.b32 %r21, %r21, 0x3FFF3FFF; mov.f32 %f4, %f1;"
                   "mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1;",
                   "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r20, %r21, %r20, %r21},"
                   "{%r21, %r20}, {%f4, %f5, %f6, %f7}; and.b32 %r21, %r21, 0x3CFF3CFF;\n", "mov.b32 %r4, %f4;"), .loops = 16},
};
enum { N_CLASSES = sizeof classes / sizeof *classes };

typedef enum Way { WAY_ALL, WAY_COUNTERS, WAY_NONE, N_WAYS } Way;
static const char *const way_names[N_WAYS] = {"all", "counters", "none"};

typedef struct Bench {
    Mem *mem;
    MemAlloc *a, *b, *words, *rows, *n;
    CheckSet *check;
    PerfSet *perf;
    PtxModule *ptx;
    IrModule *module;
    IrInstance *instance;
    uint32_t jobs;
} Bench;

static _Noreturn void die(const char *what, const Diag *diag)
{
    fprintf(stderr, "bench-rate: %s: line %d: %s\n", what, diag ? diag->line : 0, diag ? diag->message : "");
    exit(2);
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How often threads of this process have slept. */
static long sleeps(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_nvcsw;
}

static MemAlloc *array(Mem *m, uint32_t words)
{
    MemAlloc *a = mem_alloc(m, (uint64_t)words * 4, MEM_DEVICE, 0, NULL);
    if (!a)
        die("no memory", NULL);
    memset(a->host, 0, a->bytes);
    mem_mark_init(a, a->addr, a->bytes, true);
    return a;
}

static void make_arrays(Bench *x)
{
    x->a = array(x->mem, WORDS);
    x->b = array(x->mem, WORDS);
    x->words = array(x->mem, BLOCKS * THREADS);
    x->rows = array(x->mem, N_WARPS);
    x->n = array(x->mem, 1);
    uint32_t *row = (uint32_t *)(void *)x->rows->host;
    for (uint32_t i = 0; i < N_WARPS; i++)
        row[i] = i * 405 % N_WARPS; /* odd: a permutation */
}

/* The same random words before each launch. */
static void fill_words(Bench *x)
{
    uint32_t *word = (uint32_t *)(void *)x->words->host, value = 1;
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
        word[i] = value = (value ^ value >> 15) * 0x2C1B3C6Du + i;
}

static void load_class(Bench *x, const BenchClass *c)
{
    Diag diag = {0};
    const uint32_t loops = c->loops ? c->loops : LOOPS;
    memcpy(x->n->host, &loops, sizeof loops);
    if (ptx_parse(c->text, strlen(c->text), c->name, &x->ptx, &diag) || ir_decode(&x->ptx, 1, &x->module, &diag) ||
        exec_bind(x->module, &diag) || ir_instantiate(x->module, NULL, &x->instance))
        die(c->name, &diag);
}

static void drop_class(Bench *x)
{
    ir_instance_free(x->instance);
    ir_module_free(x->module);
    ptx_module_free(x->ptx);
}

/* One launch: warp instructions; *seconds: of processor time. */
static uint64_t launch_once(Bench *x, Way way, double *seconds)
{
    uint64_t params[] = {x->a->addr, x->b->addr, x->words->addr, x->rows->addr, x->n->addr};
    const ExecObserver observers[] = {*perf_observer(x->perf), *check_observer(x->check)};
    const ExecLaunch launch = {.instance = x->instance,
                               .grid = {BLOCKS, 1, 1},
                               .block = {THREADS, 1, 1},
                               .params = (const uint8_t *)params,
                               .mem = x->mem,
                               .jobs = x->jobs,
                               .observers = observers,
                               .n_observers = way == WAY_ALL ? 2 : way == WAY_COUNTERS};
    ExecResult result;
    fill_words(x);
    double start = processor_seconds();
    exec_launch(&launch, &result);
    *seconds = processor_seconds() - start;
    if (result.error || result.planned || check_n_findings(x->check)) {
        fprintf(stderr, "bench-rate: a kernel failed, was planned, or has findings\n");
        exit(1);
    }
    return result.instructions;
}

/* Millions of warp instructions a second, from the least to the most. */
typedef struct Rates {
    double at[REPEATS];
} Rates;

static int by_rate(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void measure_class(Bench *x, Rates rates[N_WAYS])
{
    double seconds;
    for (Way way = 0; way < N_WAYS; way++)
        launch_once(x, way, &seconds);
    for (int i = 0; i < REPEATS; i++)
        for (Way way = 0; way < N_WAYS; way++)
            rates[way].at[i] = (double)launch_once(x, way, &seconds) / 1e6 / seconds;
    for (Way way = 0; way < N_WAYS; way++)
        qsort(rates[way].at, REPEATS, sizeof(double), by_rate);
}

static void print_table(Bench *x)
{
    static Rates rates[N_CLASSES][N_WAYS];
    for (int i = 0; i < N_CLASSES; i++) {
        load_class(x, &classes[i]);
        measure_class(x, rates[i]);
        drop_class(x);
    }
    const double base = rates[0][WAY_COUNTERS].at[REPEATS / 2];
    printf("%-12s%-24s%-24s%-24sparts of unchecked arithmetic\n", "million/s", "all checks", "counters", "nothing");
    for (int i = 0; i < N_CLASSES; i++) {
        printf("%-12s", classes[i].name);
        for (Way way = 0; way < N_WAYS; way++) {
            const double *at = rates[i][way].at;
            printf("%7.2f (%.2f-%.2f)%*s", at[REPEATS / 2], at[0], at[REPEATS - 1], at[REPEATS - 1] < 100 ? 3 : 0, "");
        }
        for (Way way = 0; way < N_WAYS; way++)
            printf("%7.3f", rates[i][way].at[REPEATS / 2] / base);
        printf("\n");
    }
}

/* A worker's launches take turns with one worker's. */
static void print_workers(Bench *of[], int n)
{
    printf("\n%-12s", "workers");
    for (int w = 1; w < n; w++)
        printf("%u: processor time, slept%6s", of[w]->jobs, "");
    printf("\n");
    for (int i = 0; i < N_CLASSES; i++) {
        double seconds, over[REPEATS];
        printf("%-12s", classes[i].name);
        for (int w = 1; w < n; w++) {
            long slept = 0;
            load_class(of[0], &classes[i]);
            load_class(of[w], &classes[i]);
            for (int r = 0; r < REPEATS; r++) {
                launch_once(of[0], WAY_ALL, &seconds);
                over[r] = -seconds;
                slept -= sleeps();
                launch_once(of[w], WAY_ALL, &seconds);
                slept += sleeps();
                over[r] = seconds / -over[r];
            }
            qsort(over, REPEATS, sizeof(double), by_rate);
            printf("%.2f (%.2f-%.2f) %4ld%10s", over[REPEATS / 2], over[0], over[REPEATS - 1], slept / REPEATS, "");
            drop_class(of[0]);
            drop_class(of[w]);
        }
        printf("\n");
    }
}

static int run_one(Bench *x, const char *name, const char *way_name)
{
    const BenchClass *c = NULL;
    Way way = WAY_ALL;
    double seconds;
    for (int i = 0; i < N_CLASSES; i++)
        c = strcmp(classes[i].name, name) == 0 ? &classes[i] : c;
    while (way_name && way < N_WAYS && strcmp(way_names[way], way_name) != 0)
        way++;
    if (!c || way == N_WAYS) {
        fprintf(stderr, "bench-rate: no such class, or way: %s\n", name);
        return 2;
    }
    load_class(x, c);
    uint64_t instructions = launch_once(x, way_name ? way : WAY_NONE, &seconds);
    if (way_name)
        launch_once(x, way, &seconds);
    else
        printf("%llu\n", (unsigned long long)instructions);
    drop_class(x);
    return 0;
}

static void bench_create(Bench *x, uint32_t jobs)
{
    const CheckOptions options = {.tools = CHECK_ALL, .jobs = jobs};
    x->jobs = jobs;
    if (mem_create(0, 1u << 30, 1, &x->mem) || check_create(&options, &x->check) ||
        perf_create(perf_model(0), jobs, &x->perf))
        die("no memory", NULL);
    make_arrays(x);
}

static void bench_destroy(Bench *x)
{
    check_destroy(x->check);
    perf_destroy(x->perf);
    mem_destroy(x->mem);
}

int main(int argc, char **argv)
{
    static Bench one, two, four, eight;
    Bench *of[] = {&one, &two, &four, &eight};
    int status = 0, n = argc > 1 ? 1 : 4;
    for (int i = 0; i < n; i++)
        bench_create(of[i], 1u << i);
    if (argc > 1) {
        status = run_one(&one, argv[1], argc > 2 ? argv[2] : NULL);
    } else {
        print_table(&one);
        print_workers(of, n);
    }
    for (int i = 0; i < n; i++)
        bench_destroy(of[i]);
    return status;
}
