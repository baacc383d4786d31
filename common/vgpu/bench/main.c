/* bench-rate: how many warp instructions a second one worker retires in the inner loop of a naive matrix
 * multiply, 8 PTX operations an iteration, with all checks. No observers: what the checkers add is theirs to
 * measure. */
#include "common/vgpu/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 256, REPEATS = 8 };

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
    ".reg .pred %p<3>; .reg .u32 %r<16>; .reg .f32 %f<8>; .reg .u64 %rd<16>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "mov.u32 %r6, %ctaid.y; mul.lo.s32 %r7, %r6, %r1; mul.wide.u32 %rd4, %r7, 4; add.s64 %rd5, %rd1, %rd4;\n"
    "mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd2, %rd6; mul.wide.u32 %rd8, %r1, 4; mov.f32 %f1, "
    "0f00000000;\n"
    "mov.u32 %r8, 0;\n"
    "LOOP:\n"
    "ld.global.f32 %f2, [%rd5];\n"
    "ld.global.f32 %f3, [%rd7];\n"
    "fma.rn.f32 %f1, %f2, %f3, %f1;\n"
    "add.s64 %rd5, %rd5, 4;\n"
    "add.s64 %rd7, %rd7, %rd8;\n"
    "add.s32 %r8, %r8, 1;\n"
    "setp.lt.u32 %p1, %r8, %r1;\n"
    "@%p1 bra LOOP;\n"
    "add.s32 %r9, %r7, %r5; mul.wide.u32 %rd9, %r9, 4; add.s64 %rd10, %rd3, %rd9; st.global.f32 [%rd10], "
    "%f1;\n"
    "ret;\n}\n";

/* Seconds of a clock: of the wall, or of processor time, which tells more on a machine that does other work
 * too. */
static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static MemAlloc *matrix(Mem *m)
{
    MemAlloc *a = mem_alloc(m, N * N * 4, MEM_DEVICE, 0, NULL);
    float *f = (float *)(void *)a->host;
    for (int i = 0; i < N * N; i++)
        f[i] = (float)(i % 7);
    mem_mark_init(a, a->addr, a->bytes, true);
    return a;
}

static void measure(const ExecLaunch *launch)
{
    ExecResult result;
    double wall = 1e9, cpu = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = now(CLOCK_MONOTONIC), cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
        exec_launch(launch, &result);
        double took = now(CLOCK_MONOTONIC) - start, cpu_took = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
        wall = took < wall ? took : wall;
        cpu = cpu_took < cpu ? cpu_took : cpu;
    }
    double millions = (double)result.instructions / 1e6;
    printf("jobs %u: %.1f million warp instructions, %.1f million a second, %.1f million a second of "
           "processor time\n",
           launch->jobs, millions, millions / wall, millions / cpu);
}

int main(void)
{
    Diag diag = {0};
    PtxModule *ptx = NULL;
    IrModule *module = NULL;
    IrInstance *instance = NULL;
    Mem *mem = NULL;
    if (ptx_parse(text, sizeof text - 1, "bench.ptx", &ptx, &diag) || ir_decode(&ptx, 1, &module, &diag) ||
        exec_bind(module, &diag) || ir_instantiate(module, NULL, &instance) ||
        mem_create(0, 1u << 30, 1, &mem)) {
        fprintf(stderr, "bench-rate: line %d: %s\n", diag.line, diag.message);
        return 2;
    }
    struct {
        uint64_t a, b, c;
        uint32_t n;
    } params = {matrix(mem)->addr, matrix(mem)->addr, matrix(mem)->addr, N};
    ExecLaunch launch = {.instance = instance,
                         .grid = {N / 128, N, 1},
                         .block = {128, 1, 1},
                         .params = (const uint8_t *)&params,
                         .mem = mem};
    for (launch.jobs = 1; launch.jobs <= 2; launch.jobs++)
        measure(&launch);
    ir_instance_free(instance);
    ir_module_free(module);
    ptx_module_free(ptx);
    mem_destroy(mem);
    return 0;
}
