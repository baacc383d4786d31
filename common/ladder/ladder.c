/* The timing of ladders; see ladder.h. */
#include "common/ladder/ladder.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_MAX = 1000, CACHES_WRITTEN = 2, REPEATS_LEAST = 3, ENOUGH_MS = 300 };

typedef struct Flush {
    void *buffer;
    size_t bytes;
} Flush;

static void need(int error, const Ladder *l, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "ladder %s %s: %s failed: %s: %s\n", l->lab, l->name, what,
            cudaGetErrorName((cudaError_t)error), cudaGetErrorString((cudaError_t)error));
    exit(1);
}

static _Noreturn void usage(const char *problem)
{
    fprintf(stderr, "%s; usage: [--size=N] [--repeats=1..%d] [--flush] [--cpu]\n", problem, REPEATS_MAX);
    exit(2);
}

static long parse_number(const char *text, long most)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > most)
        usage(text);
    return n;
}

LadderOptions ladder_options(int argc, char **argv)
{
    LadderOptions o = {.repeats = 1};
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--size=", 7) == 0)
            o.size = (size_t)parse_number(argv[i] + 7, 1L << 32);
        else if (strncmp(argv[i], "--repeats=", 10) == 0)
            o.repeats = (int)parse_number(argv[i] + 10, REPEATS_MAX);
        else if (strcmp(argv[i], "--flush") == 0)
            o.flush = 1;
        else if (strcmp(argv[i], "--cpu") == 0)
            o.cpu = 1;
        else
            usage(argv[i]);
    }
    return o;
}

static int by_time(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double host_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static float time_once(const Ladder *l, const LadderRung *rung, const Flush *flush, double *on_host)
{
    cudaEvent_t start, stop;
    float ms = 0;
    need(l->reset(l->problem), l, "poisoning the outputs");
    if (flush->buffer)
        need(cudaMemset(flush->buffer, 0, flush->bytes), l, "flushing the cache");
    need(cudaEventCreate(&start), l, "an event");
    need(cudaEventCreate(&stop), l, "an event");
    need(cudaDeviceSynchronize(), l, "the device");
    double began = host_ms();
    need(cudaEventRecord(start, 0), l, "an event");
    need(rung->run(l->problem), l, rung->name);
    need(cudaEventRecord(stop, 0), l, "an event");
    need(cudaDeviceSynchronize(), l, rung->name);
    *on_host = host_ms() - began;
    need(cudaEventElapsedTime(&ms, start, stop), l, "the time");
    need(cudaEventDestroy(start), l, "an event");
    need(cudaEventDestroy(stop), l, "an event");
    return ms;
}

/* Prints a rung's line; ms: of `repeats` runs. Gives back `right`. */
static int put_rung(const Ladder *l, const LadderRung *rung, float *ms, int repeats, double on_host,
                    int right)
{
    qsort(ms, (size_t)repeats, sizeof *ms, by_time);
    double bytes = rung->bytes > 0 ? rung->bytes : l->bytes, flops = rung->flops > 0 ? rung->flops : l->flops;
    printf("ladder\t%s\t%s\t%s\t", l->lab, l->name, rung->name);
    if (right)
        printf("%.6f\t%.6f\t%.6f\t", (double)ms[repeats / 2], (double)ms[0], (double)ms[repeats - 1]);
    else
        printf("-\t-\t-\t");
    printf("%.0f\t%.0f\t%s\t%s\t", bytes, flops, right ? "right" : "wrong", rung->gain);
    if (right)
        printf("%.6f", on_host);
    else
        putchar('-');
    printf("\t%s\t%s\n", rung->is_mark ? "mark" : "version", l->ceiling ? l->ceiling : "copy_memcpy");
    fflush(stdout);
    return right;
}

static int time_rung(const LadderOptions *o, const Ladder *l, const LadderRung *rung, const Flush *flush)
{
    float ms[REPEATS_MAX];
    double on_host = 0, all = 0;
    int n = 0;
    time_once(l, rung, flush, &on_host);
    while (n < o->repeats && (n < REPEATS_LEAST || all < ENOUGH_MS)) {
        ms[n] = time_once(l, rung, flush, &on_host);
        all += (double)ms[n++];
    }
    return put_rung(l, rung, ms, n, on_host, l->check(l->problem));
}

/* One run that is not timed, then the repeats; what the last one gave is checked as any rung's result is. */
static int time_cpu(const LadderOptions *o, const Ladder *l)
{
    static const LadderRung rung = {.name = "cpu", .gain = "plain C on one core of the host"};
    float ms[REPEATS_MAX];
    l->cpu.run(l->problem);
    for (int i = 0; i < o->repeats; i++) {
        double began = host_ms();
        l->cpu.run(l->problem);
        ms[i] = (float)(host_ms() - began);
    }
    need(l->reset(l->problem), l, "poisoning the outputs");
    need(cudaMemcpy(l->cpu.device_out, l->cpu.out, l->cpu.bytes, cudaMemcpyDefault), l, "the CPU's result");
    return put_rung(l, &rung, ms, o->repeats, (double)ms[o->repeats - 1], l->check(l->problem));
}

int ladder_run(const LadderOptions *o, const Ladder *l)
{
    Flush flush = {0};
    if (o->flush) {
        struct cudaDeviceProp device;
        need(cudaGetDeviceProperties(&device, 0), l, "the device's properties");
        flush.bytes = CACHES_WRITTEN * (size_t)device.l2CacheSize;
        need(cudaMalloc(&flush.buffer, flush.bytes), l, "a buffer as large as the cache");
    }
    int all = o->cpu && l->cpu.run ? time_cpu(o, l) : 1;
    for (int i = 0; i < l->n_rungs; i++)
        all &= time_rung(o, l, &l->rungs[i], &flush);
    need(cudaFree(flush.buffer), l, "the buffer");
    return all ? 0 : 1;
}

void ladder_fill(float *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)((uint32_t)(i * 2654435761u) >> 28) - 8.0f;
}
