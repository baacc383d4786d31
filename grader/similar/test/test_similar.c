/* Similar submissions: what disguise does not hide, what does not count, and that nothing odd in a source
 * harms. */
#include "grader/similar/similar_internal.h"

#include "common/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two functions that somebody wrote; and the same in disguise: names, comments, layout, braces, qualifiers,
 * order. */
static const char ORIGINAL[] =
    "__global__ void sum(const float *in, float *out, int n)\n"
    "{\n"
    "    __shared__ float part[256];\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;\n"
    "    float s = 0.0f;\n"
    "    for (; i < n; i += gridDim.x * blockDim.x)\n"
    "        s += in[i] > 0.5f ? in[i] : -in[i];\n"
    "    part[threadIdx.x] = s;\n"
    "    __syncthreads();\n"
    "    for (int w = blockDim.x / 2; w > 0; w >>= 1) {\n"
    "        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (lane == 0 && threadIdx.x == 0) atomicAdd(out, part[0]);\n"
    "}\n"
    "int run(const float *in, float *out, int n)\n"
    "{\n"
    "    float *d_in, *d_out;\n"
    "    if (cudaMalloc(&d_in, n * sizeof(float)) != cudaSuccess) return 1;\n"
    "    if (cudaMalloc(&d_out, sizeof(float)) != cudaSuccess) { cudaFree(d_in); return 1; }\n"
    "    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);\n"
    "    cudaMemset(d_out, 0, sizeof(float));\n"
    "    sum<<<(n + 255) / 256, 256>>>(d_in, d_out, n);\n"
    "    cudaMemcpy(out, d_out, sizeof(float), cudaMemcpyDeviceToHost);\n"
    "    return 0;\n"
    "}\n";
static const char DISGUISED[] =
    "/* my own work */\n"
    "int run(float *source, float *target, const int count) {\n"
    "  // first the memory\n"
    "  float *a, *b; if (cudaMalloc(&a, count * sizeof(double)) != cudaSuccess) { return 1; }\n"
    "  if (cudaMalloc(&b, sizeof(double)) != cudaSuccess)\n"
    "  {\n"
    "    cudaFree(a);\n"
    "    return 1;\n"
    "  }\n"
    "  cudaMemcpy(a, source, count * sizeof(double), cudaMemcpyHostToDevice);\n"
    "  cudaMemset(b, 0, sizeof(double)); /* } */\n"
    "  add_up<<<(count + 127) / 128, 128>>>(a, b, count);\n"
    "  cudaMemcpy(target, b, sizeof(double), cudaMemcpyDeviceToHost);\n"
    "  return 0;\n"
    "}\n"
    "__global__ void add_up(float *x, float *result, const unsigned count) {\n"
    "  __shared__ double cache[128];\n"
    "  unsigned k = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x & 31;\n"
    "  double t = 1e-30; for (; k < count; k += gridDim.x * blockDim.x) { t += x[k] > .25 ? x[k] : -x[k]; }\n"
    "  cache[threadIdx.x] = t; __syncthreads();\n"
    "  for (int step = blockDim.x / 2; step > 0; step >>= 1) {\n"
    "    if (threadIdx.x < step) { cache[threadIdx.x] += cache[threadIdx.x + step]; }\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (l == 0 && threadIdx.x == 0) { atomicAdd(result, cache[0]); }\n"
    "}\n";
/* The same task, another way. */
static const char HONEST[] =
    "__global__ void total(const float *v, float *t, int n)\n"
    "{\n"
    "    const int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
    "    float mine = i < n ? fabsf(v[i]) : 0.0f;\n"
    "    for (int d = 16; d; d /= 2)\n"
    "        mine += __shfl_down_sync(0xFFFFFFFFu, mine, d);\n"
    "    if (!(threadIdx.x % warpSize))\n"
    "        atomicAdd(t, mine);\n"
    "}\n"
    "#define CHECK(call) do { cudaError_t e = (call); if (e) return (int)e; } while (0)\n"
    "int run(const float *in, float *out, int n)\n"
    "{\n"
    "    void *memory;\n"
    "    size_t bytes = sizeof *in * (size_t)n;\n"
    "    CHECK(cudaMalloc(&memory, bytes + sizeof *out));\n"
    "    float *v = (float *)memory, *t = v + n;\n"
    "    CHECK(cudaMemset(t, 0, sizeof *t));\n"
    "    CHECK(cudaMemcpy(v, in, bytes, cudaMemcpyDefault));\n"
    "    dim3 grid((unsigned)(n / 128 + 1)), block(128);\n"
    "    total<<<grid, block>>>(v, t, n);\n"
    "    CHECK(cudaMemcpy(out, t, sizeof *t, cudaMemcpyDefault));\n"
    "    return cudaFree(memory);\n"
    "}\n";

static SimilarFile file(const char *text)
{
    return (SimilarFile){.name = "a.cu", .text = text, .length = strlen(text)};
}

typedef struct Found {
    Arena arena;
    SimilarPair *pairs;
    size_t n;
} Found;

/* Compares up to 16 works of one file each. */
static Found find_in_texts(const char *const *texts, size_t n, const char *given, SimilarSettings settings)
{
    Found f = {0};
    SimilarFile files[16], start = file(given ? given : "");
    SimilarWork works[16];
    Diag d = {0};
    for (size_t i = 0; i < n; i++) {
        files[i] = file(texts[i]);
        works[i] = (SimilarWork){.who = "s", .files = &files[i], .n_files = 1};
    }
    if (similar_find(&f.arena, works, n, &start, 1, &settings, &f.pairs, &f.n, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return f;
}

static void test_disguise(void **state)
{
    (void)state;
    const char *const texts[] = {HONEST, ORIGINAL, DISGUISED};
    Found f = find_in_texts(texts, 3, NULL, (SimilarSettings){0});
    assert_int_equal(1, f.n);
    assert_int_equal(1, f.pairs[0].work[0]);
    assert_int_equal(2, f.pairs[0].work[1]);
    assert_in_range(f.pairs[0].percent, 90, 100);
    assert_int_equal(2, f.pairs[0].n_passages); /* the functions changed places */
    const SimilarPassage *p = f.pairs[0].passages;
    assert_in_range(p[0].first[0], 1, 3);
    assert_in_range(p[0].last[0], 14, 16);
    assert_in_range(p[0].first[1], 16, 18);
    assert_in_range(p[1].first[0], 15, 18);
    assert_in_range(p[1].first[1], 2, 4);
    arena_free(&f.arena);
}

/* Whoever looks for honest pairs has to ask for them. */
static void test_honest(void **state)
{
    (void)state;
    const char *const texts[] = {HONEST, ORIGINAL};
    Found f = find_in_texts(texts, 2, NULL, (SimilarSettings){.percent = 1});
    assert_int_equal(0, f.n);
    arena_free(&f.arena);
}

/* What students were given is nobody's own. */
static void test_given(void **state)
{
    (void)state;
    const char *const same[] = {ORIGINAL, ORIGINAL};
    Found f = find_in_texts(same, 2, ORIGINAL, (SimilarSettings){.percent = 1});
    assert_int_equal(0, f.n);
    arena_free(&f.arena);
    f = find_in_texts(
        same, 2, DISGUISED,
        (SimilarSettings){.percent = 1}); /* names are no disguise here either; its edges are left */
    assert_int_equal(0, f.n);
    arena_free(&f.arena);
    StrBuf mine = {0};
    strbuf_printf(&mine, "%s%s", HONEST, ORIGINAL);
    const char *const grown[] = {mine.text, mine.text};
    f = find_in_texts(grown, 2, HONEST, (SimilarSettings){0});
    assert_int_equal(1, f.n);
    assert_int_equal(100, f.pairs[0].percent);
    assert_true(f.pairs[0].own[0] < 330);
    strbuf_free(&mine);
    arena_free(&f.arena);
}

/* What more than a handful have is common knowledge. */
static void test_common(void **state)
{
    (void)state;
    const char *texts[16];
    for (size_t i = 0; i < 16; i++)
        texts[i] = i < 6 ? ORIGINAL : "";
    Found f = find_in_texts(texts, 6, NULL, (SimilarSettings){0}); /* 6 of 6 */
    assert_int_equal(0, f.n);
    arena_free(&f.arena);
    f = find_in_texts(texts, 6, NULL, (SimilarSettings){.common = 6});
    assert_int_equal(15, f.n);
    arena_free(&f.arena);
    f = find_in_texts(texts, 5, NULL, (SimilarSettings){0});
    assert_int_equal(10, f.n);
    for (size_t i = 1; i < f.n; i++) /* in one order, always */
        assert_true(f.pairs[i - 1].work[0] < f.pairs[i].work[0] ||
                    f.pairs[i - 1].work[1] < f.pairs[i].work[1]);
    arena_free(&f.arena);
    f = find_in_texts(texts, 16, NULL, (SimilarSettings){.common = 5});
    assert_int_equal(0, f.n);
    arena_free(&f.arena);
}

/* A passage never spans two files. */
static void test_files(void **state)
{
    (void)state;
    Arena a = {0};
    size_t half = (size_t)(strstr(ORIGINAL, "int run") - ORIGINAL), n;
    SimilarFile apart[] = {{"a.cu", ORIGINAL, half}, {"b.cu", ORIGINAL + half, strlen(ORIGINAL) - half}},
                whole = file(ORIGINAL);
    SimilarWork works[] = {{"s001", apart, 2, false}, {"s002", &whole, 1, false}};
    SimilarPair *pairs;
    assert_int_equal(STATUS_OK, similar_find(&a, works, 2, NULL, 0, &(SimilarSettings){0}, &pairs, &n, NULL));
    assert_int_equal(1, n);
    assert_int_equal(2, pairs[0].n_passages);
    assert_int_equal(1, pairs[0].passages[1].file[0]);
    assert_int_equal(1, pairs[0].passages[1].first[0]);
    assert_int_equal(0, pairs[0].passages[1].file[1]);
    assert_int_equal(16, pairs[0].passages[1].first[1]);
    arena_free(&a);
}

static size_t count_tokens(const char *text, size_t length)
{
    Tokens t = {0};
    assert_int_equal(STATUS_OK, tokens_read(&t, &(SimilarFile){"x", text, length}, 0, NULL));
    free(t.items);
    return t.n - 1; /* without the file's end */
}

static void test_tokens(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } rows[] = {
        {"", 0},
        {"  \t\n", 0},
        {"a /* b */ + // d\ne", 3},
        {"a /* b", 1},
        {"a // b \\\n c\n= d", 3},
        {"\"a b \\\" c\" 'x' '\\''", 3},
        {"\"open\nnext", 2},
        {"1.5e-3f + .5 + 0x1Fu + 1'000", 7},
        {"k<<<1, 2>>>(x)", 9},
        {"a->b ++c >>= 2", 7},
        {"#include <stdio.h>\n  # include \"x\"\n#define A 1\n", 3},
        {"const unsigned int x;", 2},
        {"if (a) { b; }", 6},
        {"\xFF\xFE, z\xC3\xA4hler", 3},
        {"/", 1},
        {"\\", 0},
        {"/*/ a", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (count_tokens(rows[i].text, strlen(rows[i].text)) != rows[i].n)
            fail_msg("%s: %zu tokens", rows[i].text, count_tokens(rows[i].text, strlen(rows[i].text)));
    assert_int_equal(2, count_tokens("a\0b", 3) - 1);      /* a NUL is a token like another */
    for (size_t cut = 0; cut <= strlen(ORIGINAL); cut++) { /* each truncation, in memory of its own */
        char *copy = malloc(cut + 1);
        memcpy(copy, ORIGINAL, cut);
        count_tokens(copy, cut);
        free(copy);
    }
    StrBuf large = {0};
    for (int i = 0; i < SIMILAR_TOKENS_MAX + 100; i++)
        strbuf_puts(&large, "a,");
    assert_int_equal(SIMILAR_TOKENS_MAX - 1, count_tokens(large.text, large.length));
    strbuf_free(&large);
}

static void check_group(const SimilarGroup *g, size_t n, const size_t *works)
{
    assert_int_equal(n, g->n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(works[i], g->works[i]);
}

static void same_texts_are_groups(void **state)
{
    (void)state;
    static const char *const texts[] = {"int a;\nint b;\n", "int b;\n",         "int a;  \r\n\r\nint b;",
                                        "int a; int b;\n",  "start\n",          "start",
                                        "inta;\nint b;\n",  "int b;\n\n\n\t\n", ""};
    enum { N = sizeof texts / sizeof *texts };
    SimilarFile files[N], given = {"a.cu", "start\n\n", 7};
    SimilarWork works[N];
    SimilarGroup *groups;
    size_t n;
    Arena a = {0};
    for (size_t i = 0; i < N; i++) {
        files[i] = (SimilarFile){"a.cu", texts[i], strlen(texts[i])};
        works[i] = (SimilarWork){.who = "s", .files = &files[i], .n_files = 1};
    }
    assert_int_equal(STATUS_OK, similar_identical(&a, works, N, &given, 1, &groups, &n, NULL));
    assert_int_equal(2, n); /* and not the starters, nor blanks inside a line */
    check_group(&groups[0], 2, (const size_t[]){0, 2});
    check_group(&groups[1], 2, (const size_t[]){1, 7});
    arena_free(&a);
}

static void pairs_join_to_clusters(void **state)
{
    (void)state;
    Arena a = {0};
    SimilarGroup *clusters, identical[] = {{(size_t[]){1, 6}, 2}, {(size_t[]){8, 9}, 2}};
    const SimilarPair pairs[] = {
        {.work = {2, 4}}, {.work = {1, 4}}, {.work = {0, 7}}, {.work = {3, 5}}, {.work = {5, 7}}};
    size_t n;
    assert_int_equal(STATUS_OK, similar_clusters(&a, 10, pairs, 5, identical, 2, &clusters, &n, NULL));
    assert_int_equal(2, n);
    check_group(&clusters[0], 4, (const size_t[]){0, 3, 5, 7});
    check_group(&clusters[1], 4, (const size_t[]){1, 2, 4, 6});
    assert_int_equal(STATUS_OK, similar_clusters(&a, 10, pairs, 0, identical, 2, &clusters, &n, NULL));
    assert_int_equal(0, n);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_disguise),
                                       cmocka_unit_test(test_honest),
                                       cmocka_unit_test(test_given),
                                       cmocka_unit_test(test_common),
                                       cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_tokens),
                                       cmocka_unit_test(same_texts_are_groups),
                                       cmocka_unit_test(pairs_join_to_clusters)};
    return cmocka_run_group_tests_name("similar", tests, NULL, NULL);
}
