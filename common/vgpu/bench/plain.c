/* The benchmark's work in plain C on one core: what a machine can do without any GPU program in between. */
#include "common/vgpu/bench/bench.h"

static float a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];
static uint32_t words[WORDS_MAX], results[WORDS_MAX];

static void vector_add(void)
{
    plain_add(a, b, c);
}

static void naive(void)
{
    plain_naive(a, b, c);
}

static void tiled(void)
{
    plain_tiled(a, b, c);
}

static void reduce(void)
{
    plain_reduce(a, c);
}

static void histogram(void)
{
    plain_histogram(words, results);
}

static void stencil(void)
{
    plain_stencil(a, c);
}

static void divergent(void)
{
    plain_divergent(words, results);
}

static void scattered(void)
{
    plain_scattered(a, c);
}

static void lock(void)
{
    plain_lock(results);
}

/* These results are what the others are compared with. */
static bool is_reference(void)
{
    return true;
}

int main(void)
{
    bench_inputs(a, b, words);
    static const BenchCase cases[] = {
        {"vector-add", vector_add, is_reference, NULL},
        {"matmul-naive", naive, is_reference, NULL},
        {"matmul-tiled", tiled, is_reference, NULL},
        {"reduction", reduce, is_reference, NULL},
        {"histogram-global", histogram, is_reference, NULL},
        {"histogram-shared", histogram, is_reference, NULL},
        {"stencil", stencil, is_reference, NULL},
        {"divergent", divergent, is_reference, NULL},
        {"scattered", scattered, is_reference, NULL},
        {"spin-lock", lock, is_reference, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench_measure(&cases[i]);
    return 0;
}
