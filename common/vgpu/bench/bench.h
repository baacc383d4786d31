/* What the three runners of the benchmark share (virtual GPU, OpenCL, plain C): sizes, inputs, what the
 * results must be, and how time is taken. C and C++.
 *
 * A case runs once to warm up and is checked; then it is timed from launch to synchronise, the best of
 * several runs, so that what other programs do to the machine counts as little as may be. Each runner prints
 * a line "name milliseconds" a case, and nothing when a result is wrong: then it ends with status 1.
 *
 * Inputs are small whole numbers, so that sums are exact in any order.
 */
#ifndef COMMON_VGPU_BENCH_BENCH_H
#define COMMON_VGPU_BENCH_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ADD_N = 1 << 20,
    NAIVE_N = 256,
    TILED_N = 512,
    TILE = 16,
    REDUCE_N = 1 << 22,
    REDUCE_BLOCK = 256,
    HISTOGRAM_N = 1 << 20,
    BINS = 256,
    STENCIL_N = 1024,
    STENCIL_STEPS = 10,
    DIVERGENT_N = 1 << 18,
    DIVERGENT_STEPS = 100,
    SCATTER_N = 1 << 20,
    SCATTER_FACTOR = 40503, /* odd: i * factor mod 2^20 is a permutation, and neighbours land far apart */
    LOCK_BLOCKS = 32,
    LOCK_THREADS = 64,
    WORDS_MAX = REDUCE_N, /* of any array */
    RUNS_MIN = 3,
    RUNS_MAX = 30,
};
#define RUN_SECONDS_MAX 0.6

static inline uint32_t bench_hash(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return i ^ i >> 16;
}

static inline double bench_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_seconds(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

/* Inputs of all cases: floats of 0 to 3, and words for the histograms and the divergent case. */
static inline void bench_inputs(float *a, float *b, uint32_t *words)
{
    for (uint32_t i = 0; i < WORDS_MAX; i++) {
        a[i] = (float)(bench_hash(i) & 3);
        b[i] = (float)(bench_hash(i + 77777) & 3);
        words[i] = bench_hash(i + 12345) & 0xFFFF;
    }
}

/* ---- the work in plain C: what the results must be, and the column "plain C" ---- */

static inline void plain_add(const float *a, const float *b, float *c)
{
    for (int i = 0; i < ADD_N; i++)
        c[i] = a[i] + b[i];
}

static inline void plain_naive(const float *a, const float *b, float *c)
{
    for (int i = 0; i < NAIVE_N; i++)
        for (int j = 0; j < NAIVE_N; j++) {
            float sum = 0;
            for (int k = 0; k < NAIVE_N; k++)
                sum += a[i * NAIVE_N + k] * b[k * NAIVE_N + j];
            c[i * NAIVE_N + j] = sum;
        }
}

static inline void plain_tiled(const float *a, const float *b, float *c)
{
    for (int i = 0; i < TILED_N; i++) {
        memset(&c[i * TILED_N], 0, TILED_N * sizeof *c);
        for (int k = 0; k < TILED_N; k++)
            for (int j = 0; j < TILED_N; j++)
                c[i * TILED_N + j] += a[i * TILED_N + k] * b[k * TILED_N + j];
    }
}

static inline void plain_reduce(const float *a, float *sums)
{
    for (int block = 0; block < REDUCE_N / REDUCE_BLOCK; block++) {
        float sum = 0;
        for (int i = 0; i < REDUCE_BLOCK; i++)
            sum += a[block * REDUCE_BLOCK + i];
        sums[block] = sum;
    }
}

static inline void plain_histogram(const uint32_t *words, uint32_t *bins)
{
    memset(bins, 0, BINS * sizeof *bins);
    for (int i = 0; i < HISTOGRAM_N; i++)
        bins[words[i] % BINS]++;
}

/* The result of an even number of steps lies in `from`. */
static inline void plain_stencil(float *from, float *to)
{
    for (int step = 0; step < STENCIL_STEPS; step++) {
        for (int y = 0; y < STENCIL_N; y++)
            for (int x = 0; x < STENCIL_N; x++) {
                int i = y * STENCIL_N + x;
                bool inside = x > 0 && y > 0 && x < STENCIL_N - 1 && y < STENCIL_N - 1;
                to[i] = inside ? 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - STENCIL_N] +
                                         from[i + STENCIL_N])
                               : from[i];
            }
        float *swap = from;
        from = to;
        to = swap;
    }
}

static inline void plain_divergent(const uint32_t *words, uint32_t *steps)
{
    for (int i = 0; i < DIVERGENT_N; i++) {
        uint32_t x = words[i] + 1, n = 0;
        while (x != 1 && n < DIVERGENT_STEPS) {
            if (x & 1) {
                x = 3 * x + 1;
                n++;
            } else {
                do {
                    x >>= 1;
                    n++;
                } while (!(x & 1));
            }
        }
        steps[i] = n;
    }
}

static inline void plain_scattered(const float *a, float *out)
{
    for (uint32_t i = 0; i < SCATTER_N; i++)
        out[i * SCATTER_FACTOR % SCATTER_N] = a[(i * 7919u + 13) % SCATTER_N];
}

static inline void plain_lock(uint32_t *counter)
{
    volatile uint32_t *c = counter;
    *c = 0;
    for (int i = 0; i < LOCK_BLOCKS * LOCK_THREADS; i++)
        *c = *c + 1;
}

/* ---- checking and timing ---- */

static inline bool bench_same_floats(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= 1e-5f * (1 + fabsf(want[i])))) {
            fprintf(stderr, "element %d is %g, must be %g\n", i, (double)got[i], (double)want[i]);
            return false;
        }
    return true;
}

static inline bool bench_same_words(const uint32_t *got, const uint32_t *want, int n)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            fprintf(stderr, "element %d is %u, must be %u\n", i, got[i], want[i]);
            return false;
        }
    return true;
}

typedef struct BenchCase {
    const char *name;
    void (*run)(void);   /* launch and synchronise */
    bool (*check)(void); /* of the first run */
    void (*reset)(void); /* before each run, not timed; or NULL */
} BenchCase;

static inline void bench_measure(const BenchCase *c)
{
    double best = 1e9, best_cpu = 1e9, all = 0;
    if (c->reset)
        c->reset();
    c->run();
    if (!c->check()) {
        fprintf(stderr, "%s: wrong result\n", c->name);
        exit(1);
    }
    for (int i = 0; i < RUNS_MIN || (i < RUNS_MAX && all < RUN_SECONDS_MAX); i++) {
        if (c->reset)
            c->reset();
        double start = bench_seconds(), cpu_start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        c->run();
        double took = bench_seconds() - start, cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
        best = took < best ? took : best;
        best_cpu = cpu < best_cpu ? cpu : best_cpu;
        all += took;
    }
    printf("%s %.4f %.4f\n", c->name, best * 1e3, best_cpu * 1e3);
    fflush(stdout);
}

#endif
