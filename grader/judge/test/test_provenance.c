/* Records of provenance: what is a kernel's work, what is the host's, and what is no record.
 *
 * A record is put together by hand: bytes of rows in `bin`, the JSON around them.
 */
#include "grader/judge/provenance.h"

#include "common/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1024, BIN_MAX = 1 << 18 };

/* A case of two inputs of N floats and an output of as many, and its record. */
typedef struct Made {
    float a[N], b[N], sum[N];
    unsigned char bin[BIN_MAX];
    size_t n_bin;
    StrBuf host, fills, out, stores, groups, functions;
    bool complete;
    const char *cut;
    int64_t min_ops, host_bytes;
    bool host_finish;
    size_t n_in;
} Made;

/* Numbers without a pattern. */
static uint32_t noise(uint32_t i)
{
    i = (i + 0x9E3779B9u) * 0x85EBCA6Bu;
    i = (i ^ i >> 13) * 0xC2B2AE35u;
    return i ^ i >> 16;
}

static void made(Made *m)
{
    memset(m, 0, sizeof *m);
    m->complete = true;
    m->min_ops = N;
    m->n_in = 2;
    for (uint32_t i = 0; i < N; i++) {
        m->a[i] = (float)(noise(i) % 1000000) / 1000;
        m->b[i] = (float)(noise(i + 5000) % 1000000) / 777;
        m->sum[i] = m->a[i] + m->b[i];
    }
}

static void put_format(StrBuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(StrBuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (b->length)
        strbuf_puts(b, ",");
    strbuf_vprintf(b, format, args);
    va_end(args);
}

static size_t keep(Made *m, const void *bytes, size_t n)
{
    size_t at = m->n_bin;
    assert_true(at + n <= BIN_MAX);
    memcpy(m->bin + at, bytes, n);
    m->n_bin += n;
    return at;
}

static void host(Made *m, int id, const void *bytes, size_t n)
{
    put_format(&m->host, "{\"id\":%d,\"how\":\"copy\",\"at\":%zu,\"bytes\":%zu,\"times\":1}", id,
               keep(m, bytes, n), n);
}

static void out(Made *m, const void *bytes, size_t n, int id)
{
    put_format(&m->out, "{\"at\":%zu,\"bytes\":%zu,\"how\":\"copy\",\"times\":1,\"origins\":[[%zu,%d]]}",
               keep(m, bytes, n), n, n, id);
}

/* A kernel of three instructions: 0 and 1 load, 2 adds and stores. */
static void add_kernel(Made *m, int store_id, int group, const char *reads, int ops)
{
    put_format(&m->stores, "{\"id\":%d,\"group\":%d,\"site\":2}", store_id, group);
    put_format(&m->groups,
               "{\"kernel\":\"add\",\"function\":0,\"launches\":1,\"ops\":[[2,%d]],\"reads\":[%s]}", ops,
               reads);
    if (!m->functions.length)
        put_format(&m->functions, "{\"name\":\"add\",\"n\":4,\"slices\":[{\"site\":2,\"pcs\":\"07\"}]}");
}

static const char *part(const StrBuf *b)
{
    return b->text ? b->text : "";
}

static ProvenanceFound judge_text(Made *m, const char *json, size_t length)
{
    static char kept[512];
    Arena a = {0};
    ProvenanceFound found;
    ProvenanceArray in[] = {{'f', 4, sizeof m->a, (unsigned char *)m->a},
                            {'f', 4, sizeof m->b, (unsigned char *)m->b}};
    ProvenanceArray outs[] = {{'f', 4, sizeof m->sum, (unsigned char *)m->sum}};
    ProvenanceCase c = {.in = in,
                        .n_in = m->n_in,
                        .out = outs,
                        .n_out = 1,
                        .min_ops = m->min_ops,
                        .host_bytes = m->host_bytes,
                        .host_finish = m->host_finish};
    assert_int_equal(STATUS_OK, provenance_judge(&a, &c, json, length, m->bin, m->n_bin, &found, NULL));
    snprintf(kept, sizeof kept, "%s", found.message);
    found.message = kept;
    arena_free(&a);
    return found;
}

static ProvenanceFound judge(Made *m)
{
    StrBuf json = {0};
    strbuf_printf(&json,
                  "{\"schema\":1,\"complete\":%s%s,\"host\":[%s],\"fills\":[%s],\"out\":[%s],\"stores\":[%s],"
                  "\"groups\":[%s],\"functions\":[%s]}",
                  m->complete ? "true" : "false", m->cut ? m->cut : "", part(&m->host), part(&m->fills), part(&m->out),
                  part(&m->stores), part(&m->groups), part(&m->functions));
    ProvenanceFound found = judge_text(m, json.text, json.length);
    strbuf_free(&json);
    StrBuf *parts[] = {&m->host, &m->fills, &m->out, &m->stores, &m->groups, &m->functions};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        strbuf_free(parts[i]);
    return found;
}

static void assert_found(Verdict verdict, ProvenanceFound f)
{
    if (f.verdict != verdict)
        print_message("# %s: %s\n", verdict_word(f.verdict), f.message);
    assert_int_equal(verdict, f.verdict);
}

static void assert_says(const char *text, ProvenanceFound f)
{
    if (!strstr(f.message, text))
        print_message("# %s\n", f.message);
    assert_non_null(strstr(f.message, text));
}

static Made m;

/* Right programs ----------------------------------------------------------------------------------- */

static void right_program(void)
{
    made(&m);
    host(&m, 1, m.a, sizeof m.a);
    host(&m, 2, m.b, sizeof m.b);
    add_kernel(&m, 3, 0, "[0,[1]],[1,[2]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
}

static void test_right(void **state)
{
    (void)state;
    right_program();
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_PASS, f);
    assert_int_equal(sizeof m.sum, f.out_bytes);
    assert_int_equal(0, f.host_made);
    assert_int_equal(0, f.foreign);
    assert_true(f.ops == N && f.has_input);
    assert_string_equal("", f.message);
}

static void test_chunks_that_overlap(void **state)
{
    (void)state;
    made(&m);
    host(&m, 1, m.a, 1000);
    host(&m, 2, m.b, sizeof m.b);
    host(&m, 3, (char *)m.a + 900, sizeof m.a - 900);
    add_kernel(&m, 4, 0, "[0,[1,3]],[1,[2]]", N);
    out(&m, m.sum, 1500, 4);
    out(&m, (char *)m.sum + 1500, 1, 4);
    out(&m, (char *)m.sum + 1501, 11, 4);
    out(&m, (char *)m.sum + 1512, sizeof m.sum - 1512, 4);
    assert_found(VERDICT_PASS, judge(&m));
}

static void test_array_of_structs(void **state)
{
    (void)state;
    static float structs[N][8];
    made(&m);
    for (int i = 0; i < N; i++) {
        float s[8] = {1, 2, 3, m.a[i], m.b[i], 0, 4, 5};
        memcpy(structs[i], s, sizeof s);
    }
    host(&m, 1, structs, sizeof structs);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_PASS, f);
    assert_true(f.foreign < PROVENANCE_FLOOR);
}

static void test_doubles_and_halves(void **state)
{
    (void)state;
    static double doubles[N];
    static uint16_t brains[N];
    made(&m);
    for (int i = 0; i < N; i++) {
        uint32_t bits;
        doubles[i] = (double)m.a[i];
        memcpy(&bits, &m.b[i], 4);
        brains[i] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
    host(&m, 1, doubles, sizeof doubles);
    host(&m, 2, brains, sizeof brains);
    add_kernel(&m, 3, 0, "[0,[1]],[1,[2]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_PASS, f);
    assert_int_equal(0, f.foreign);
}

/* Half precision by its definition: of the values that there are, the nearest. */
static void test_half_precision(void **state)
{
    (void)state;
    static uint16_t halves[N];
    made(&m);
    m.n_in = 1;
    for (int i = 0; i < N; i++) {
        halves[i] = (uint16_t)(noise((uint32_t)i) % 0x7C00);
        int exponent = halves[i] >> 10, fraction = halves[i] & 1023;
        double value =
            exponent ? (1024 + fraction) * (double)(1 << exponent) / (1 << 25) : fraction / (double)(1 << 24);
        double step = (exponent ? (double)(1 << exponent) : 2) / (1 << 25);
        m.a[i] = (float)(value + (fraction ? i % 3 - 1 : i % 2) * step * 0.49);
        m.a[i] = m.a[i] < 0 ? 0 : m.a[i];
        halves[i] = m.a[i] == 0 ? 0 : halves[i];
    }
    host(&m, 1, halves, sizeof halves);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    assert_int_equal(0, judge(&m).foreign);
}

static void test_round_by_the_host(void **state)
{
    (void)state;
    static float half_done[N];
    made(&m);
    for (int i = 0; i < N; i++)
        half_done[i] = m.a[i] * 3;
    host(&m, 1, m.a, sizeof m.a);
    host(&m, 2, m.b, sizeof m.b);
    add_kernel(&m, 3, 0, "[0,[1]],[1,[2]]", N);
    out(&m, half_done, sizeof half_done, 3);
    host(&m, 4, half_done, sizeof half_done);
    add_kernel(&m, 5, 1, "[0,[4]],[1,[2]]", N);
    out(&m, m.sum, sizeof m.sum, 5);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_PASS, f);
    assert_int_equal(0, f.foreign);
    assert_true(f.ops == 2 * N);
}

/* Zeros first, and then nothing that the inputs ask for. One number that is none, and the work is asked for. */
static void test_zeros_alone(void **state)
{
    (void)state;
    for (int others = 0; others < 2; others++) {
        made(&m);
        memset(m.sum, 0, sizeof m.sum);
        m.sum[N / 2] = (float)others;
        put_format(&m.fills, "{\"id\":9,\"value\":0}");
        out(&m, m.sum, sizeof m.sum, 9);
        assert_found(others == 0 ? VERDICT_PASS : VERDICT_NO_GPU_WORK, judge(&m));
    }
}

static void test_host_finishes(void **state)
{
    (void)state;
    float parts[64] = {1, 2, 3};
    made(&m);
    host(&m, 1, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, parts, sizeof parts, 3);
    m.host_finish = true;
    assert_found(VERDICT_PASS, judge(&m));
    host(&m, 1, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, parts, sizeof parts, 3);
    m.host_finish = false;
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

static void test_zeros_of_a_fill(void **state)
{
    (void)state;
    right_program();
    memset(m.sum, 0, sizeof m.sum / 2);
    strbuf_free(&m.out);
    put_format(&m.fills, "{\"id\":9,\"value\":0}");
    put_format(&m.out, "{\"at\":%zu,\"bytes\":%zu,\"how\":\"copy\",\"origins\":[[%zu,9],[%zu,3]]}",
               keep(&m, m.sum, sizeof m.sum), sizeof m.sum, sizeof m.sum / 2, sizeof m.sum / 2);
    assert_found(VERDICT_PASS, judge(&m));
}

/* Runs in the bytes, of two stores. */
static void test_runs_as_bytes(void **state)
{
    (void)state;
    static uint32_t pairs[N][2];
    for (int host_made = 0; host_made < 2; host_made++) {
        right_program();
        strbuf_free(&m.out);
        for (int i = 0; i < N; i++)
            memcpy(pairs[i], (uint32_t[2]){4, i % 2 && host_made ? 1 : 3}, sizeof pairs[i]);
        size_t at = keep(&m, m.sum, sizeof m.sum), runs = keep(&m, pairs, sizeof pairs);
        put_format(&m.out, "{\"at\":%zu,\"bytes\":%zu,\"how\":\"copy\",\"runs\":[%zu,%d]}", at, sizeof m.sum,
                   runs, N);
        ProvenanceFound f = judge(&m);
        assert_found(host_made ? VERDICT_NO_GPU_WORK : VERDICT_PASS, f);
        assert_int_equal(host_made ? sizeof m.sum / 2 : 0, f.host_made);
    }
}

static void test_few_constants(void **state)
{
    (void)state;
    float weights[60];
    for (uint32_t i = 0; i < 60; i++)
        weights[i] = (float)noise(i);
    right_program();
    host(&m, 7, weights, sizeof weights);
    strbuf_free(&m.groups);
    put_format(&m.groups, "{\"function\":0,\"ops\":[[2,%d]],\"reads\":[[0,[1,7]],[1,[2]]]}", N);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_PASS, f);
    assert_int_equal(sizeof weights, f.foreign);
}

/* Structs of sizes as parameters: 250 words, and few that differ. So many that all differ are too many. */
static void test_sizes_again_and_again(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 10, 16, 24, 33, 50, 144};
    uint32_t words[250];
    for (int differ = 0; differ < 2; differ++) {
        for (uint32_t i = 0; i < 250; i++)
            words[i] = differ ? noise(i) : sizes[noise(i) % 7];
        right_program();
        host(&m, 7, words, sizeof words);
        strbuf_free(&m.groups);
        put_format(&m.groups, "{\"function\":0,\"ops\":[[2,%d]],\"reads\":[[0,[1,7]],[1,[2]]]}", N);
        ProvenanceFound f = judge(&m);
        assert_found(differ ? VERDICT_SUSPECT : VERDICT_PASS, f);
        if (differ)
            assert_int_equal(sizeof words, f.foreign);
        else
            assert_in_range(f.foreign, 7 * 4, 7 * 4 + 250 - 7);
    }
}

/* Wrong ones --------------------------------------------------------------------------------------- */

static void test_host_loop(void **state)
{
    (void)state;
    made(&m);
    float constant[N] = {0};
    host(&m, 1, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[1]]", 10 * N);
    out(&m, constant, sizeof constant, 3);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_NO_GPU_WORK, f);
    assert_says("4096 did not come from a kernel", f);
}

static void test_round_trip(void **state)
{
    (void)state;
    made(&m);
    host(&m, 1, m.sum, sizeof m.sum);
    host(&m, 2, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[2]]", N);
    out(&m, m.sum, sizeof m.sum, 1);
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

static void copy_kernel_of(Made *to, const void *bytes, size_t n)
{
    host(to, 1, bytes, n);
    host(to, 2, to->a, sizeof to->a);
    add_kernel(to, 3, 0, "[0,[1]],[1,[2]]", N);
    out(to, to->sum, sizeof to->sum, 3);
}

static void copy_kernel(Made *to, const void *bytes, size_t n)
{
    made(to);
    copy_kernel_of(to, bytes, n);
}

static void test_copy_kernel(void **state)
{
    (void)state;
    made(&m);
    copy_kernel(&m, m.sum, sizeof m.sum);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_NO_GPU_WORK, f);
    assert_says("4096 bytes from the host that are no input", f);
}

/* A table that the lab has the host make. */
static void test_table_of_the_host(void **state)
{
    (void)state;
    copy_kernel(&m, m.sum, sizeof m.sum);
    m.host_bytes = sizeof m.sum - PROVENANCE_FLOOR;
    assert_found(VERDICT_PASS, judge(&m));
    copy_kernel(&m, m.sum, sizeof m.sum);
    m.host_bytes = sizeof m.sum - PROVENANCE_FLOOR - 4;
    assert_found(VERDICT_SUSPECT, judge(&m));
}

/* An output that repeats itself says less than its bytes: 150 numbers, again and again. */
static void test_output_that_says_little(void **state)
{
    (void)state;
    static float table[N];
    for (uint32_t i = 0; i < N; i++)
        table[i] = (float)noise(i + 70000);
    for (int from_host = 0; from_host < 3; from_host++) {
        made(&m);
        for (int i = 0; i < N; i++)
            m.sum[i] = (float)(i % 150) * 1.01f - 7;
        float own[N];
        memcpy(own, m.sum, sizeof own);
        host(&m, 1,
             from_host == 0   ? m.sum
             : from_host == 1 ? own
                              : table,
             from_host == 0   ? sizeof m.sum
             : from_host == 1 ? 600
                              : 1000);
        host(&m, 2, m.a, sizeof m.a);
        add_kernel(&m, 3, 0, "[0,[1]],[1,[2]]", N);
        out(&m, m.sum, sizeof m.sum, 3);
        ProvenanceFound f = judge(&m);
        assert_true(f.foreign < sizeof m.sum / 4 && f.foreign > PROVENANCE_FLOOR);
        /* A table that the host made of something else is for a person to look at. */
        assert_found(from_host == 0 ? VERDICT_NO_GPU_WORK : VERDICT_SUSPECT, f);
    }
}

/* The same, hidden by a key: what is left says a quarter of the output or more. */
static void test_output_behind_a_key(void **state)
{
    (void)state;
    static uint32_t hidden[N];
    made(&m);
    for (uint32_t i = 0; i < N; i++) {
        m.sum[i] = (float)(noise(i % 512 + 3) % 1000);
        memcpy(&hidden[i], &m.sum[i], 4);
        hidden[i] ^= 0x12345678;
    }
    copy_kernel_of(&m, hidden, sizeof hidden);
    ProvenanceFound f = judge(&m);
    assert_true(f.foreign < sizeof m.sum);
    assert_found(VERDICT_NO_GPU_WORK, f);
}

static void test_key_and_cipher(void **state)
{
    (void)state;
    static uint32_t key[N], cipher[N];
    made(&m);
    for (uint32_t i = 0; i < N; i++) {
        key[i] = noise(i + 99999);
        memcpy(&cipher[i], &m.sum[i], 4);
        cipher[i] ^= key[i];
    }
    host(&m, 1, key, sizeof key);
    host(&m, 2, cipher, sizeof cipher);
    host(&m, 4, m.a, sizeof m.a);
    add_kernel(&m, 5, 0, "[0,[1,4]],[1,[2]]", N);
    out(&m, m.sum, sizeof m.sum, 5);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_NO_GPU_WORK, f);
    assert_int_equal(2 * sizeof m.sum, f.foreign);
}

static void test_half_of_it(void **state)
{
    (void)state;
    made(&m);
    copy_kernel(&m, m.sum, sizeof m.sum / 2);
    assert_found(VERDICT_SUSPECT, judge(&m));
    made(&m);
    copy_kernel(&m, m.sum, PROVENANCE_FLOOR);
    assert_found(VERDICT_PASS, judge(&m));
    made(&m);
    copy_kernel(&m, m.sum, PROVENANCE_FLOOR + 4);
    assert_found(VERDICT_SUSPECT, judge(&m));
}

/* The output is the input in another order, and the host knows the order. */
static void test_transposed_by_the_host(void **state)
{
    (void)state;
    made(&m);
    for (int i = 0; i < N; i++)
        m.sum[i] = m.a[i % 32 * 32 + i / 32];
    static float copy[N];
    memcpy(copy, m.sum, sizeof copy);
    host(&m, 1, copy, sizeof copy);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
    made(&m);
    for (int i = 0; i < N; i++)
        m.sum[i] = m.a[i % 32 * 32 + i / 32];
    host(&m, 1, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[1]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    assert_found(VERDICT_PASS, judge(&m));
}

static void test_spelt_with_single_bytes(void **state)
{
    (void)state;
    right_program();
    strbuf_free(&m.out);
    for (int i = 0; i < 256; i++) {
        unsigned char byte = (unsigned char)i;
        put_format(&m.out, "{\"at\":%zu,\"bytes\":1,\"how\":\"copy\",\"times\":4096,\"origins\":[[1,3]]}",
                   keep(&m, &byte, 1));
    }
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

static void test_fills_spell(void **state)
{
    (void)state;
    right_program();
    put_format(&m.fills, "{\"id\":7,\"value\":16843009,\"times\":1024}");
    strbuf_free(&m.groups);
    put_format(&m.groups, "{\"function\":0,\"ops\":[[2,%d]],\"reads\":[[0,[1,7]],[1,[2]]]}", N);
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

static void test_launches_spell(void **state)
{
    (void)state;
    right_program();
    strbuf_free(&m.groups);
    put_format(&m.groups, "{\"function\":0,\"changes\":1024,\"ops\":[[2,%d]],\"reads\":[[0,[1]],[1,[2]]]}",
               N);
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

static void test_decoys_are_not_counted(void **state)
{
    (void)state;
    made(&m);
    host(&m, 1, m.a, sizeof m.a);
    /* Another store of the kernel has all the work; another launch, too. */
    put_format(&m.stores,
               "{\"id\":3,\"group\":0,\"site\":2},{\"id\":4,\"group\":0,\"site\":3},{\"id\":5,\"group\":"
               "1,\"site\":2}");
    put_format(&m.groups,
               "{\"function\":0,\"ops\":[[2,5],[3,100000]],\"reads\":[[0,[1]]]},{\"function\":0,\"ops\":["
               "[2,100000]],\"reads\":[]}");
    put_format(&m.functions,
               "{\"n\":4,\"slices\":[{\"site\":3,\"pcs\":\"0b\"},{\"site\":2,\"pcs\":\"07\"}]}");
    out(&m, m.sum, sizeof m.sum, 3);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_NO_GPU_WORK, f);
    assert_says("did 5 operations", f);
    assert_says("at least 1024", f);
}

static void test_depends_on_no_input(void **state)
{
    (void)state;
    made(&m);
    add_kernel(&m, 3, 0, "", N);
    out(&m, m.sum, sizeof m.sum, 3);
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_NO_GPU_WORK, f);
    assert_says("does not depend on the inputs", f);
    made(&m);
    m.min_ops = 0;
    add_kernel(&m, 3, 0, "", N);
    out(&m, m.sum, sizeof m.sum, 3);
    assert_found(VERDICT_PASS, judge(&m));
    made(&m);
    m.n_in = 0;
    add_kernel(&m, 3, 0, "", N);
    out(&m, m.sum, sizeof m.sum, 3);
    assert_found(VERDICT_PASS, judge(&m));
}

/* What goes in first is not excused by what came out of it. */
static void test_sent_out_afterwards(void **state)
{
    (void)state;
    static float masked[N];
    made(&m);
    for (int i = 0; i < N; i++)
        masked[i] = m.sum[i] * 2;
    /* masked -> kernel -> sum out; sum in -> kernel -> masked out: each would excuse the other. */
    host(&m, 1, masked, sizeof masked);
    host(&m, 2, m.a, sizeof m.a);
    add_kernel(&m, 3, 0, "[0,[1,2]]", N);
    out(&m, m.sum, sizeof m.sum, 3);
    host(&m, 4, m.sum, sizeof m.sum);
    add_kernel(&m, 5, 1, "[0,[4]]", N);
    out(&m, masked, sizeof masked, 5);
    add_kernel(&m, 6, 2, "[0,[1,4]]", N);
    out(&m, m.sum, sizeof m.sum, 6);
    assert_found(VERDICT_NO_GPU_WORK, judge(&m));
}

/* Records that say nothing --------------------------------------------------------------------------- */

static void test_cut(void **state)
{
    (void)state;
    right_program();
    m.complete = false;
    m.cut = ",\"cut\":\"rows\"";
    ProvenanceFound f = judge(&m);
    assert_found(VERDICT_SUSPECT, f);
    assert_says("did so much", f);
    right_program();
    m.complete = false;
    m.cut = ",\"cut\":\"several processes\"";
    f = judge(&m);
    assert_found(VERDICT_SUSPECT, f);
    assert_says("several processes", f);
}

static void test_bad(void **state)
{
    (void)state;
#define REST "\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],\"functions\":[]}"
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"schema\":2}",
        "{\"schema\":1,\"complete\":true}",
        "{\"schema\":1,\"complete\":1,\"host\":[]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":0,\"bytes\":17}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":16,\"bytes\":1}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":17,\"bytes\":0}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":0,\"at\":0,\"bytes\":1}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":65536,\"at\":0,\"bytes\":1}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":-1,\"at\":0,\"bytes\":1}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":0,\"bytes\":1},{\"id\":1,\"at\":0,"
        "\"bytes\":1}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[{\"id\":1,\"at\":0,\"bytes\":1.5}]," REST,
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[{\"at\":0,\"bytes\":8,\"origins\":"
        "[[4,0]]}],\"stores\":[],\"groups\":[],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[{\"at\":0,\"bytes\":8,\"origins\":"
        "[[12,0]]}],\"stores\":[],\"groups\":[],\"functions\":[]}",
        /* bin is zeros: a run of none */
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[{\"at\":0,\"bytes\":8,\"runs\":"
        "[0,1]}],\"stores\":[],\"groups\":[],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[{\"at\":0,\"bytes\":8,\"runs\":"
        "[9,1]}],\"stores\":[],\"groups\":[],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[{\"at\":0,\"bytes\":8,\"runs\":"
        "[0]}],\"stores\":[],\"groups\":[],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[{\"id\":1,\"group\":"
        "0,\"site\":0}],\"groups\":[],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[{"
        "\"function\":0,\"ops\":[],\"reads\":[]}],\"functions\":[]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],"
        "\"functions\":[{\"n\":4,\"slices\":[{\"site\":0,\"pcs\":\"0\"}]}]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],"
        "\"functions\":[{\"n\":4,\"slices\":[{\"site\":0,\"pcs\":\"10\"}]}]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],"
        "\"functions\":[{\"n\":4,\"slices\":[{\"site\":0,\"pcs\":\"0102\"}]}]}",
        "{\"schema\":1,\"complete\":true,\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],"
        "\"functions\":[{\"n\":4,\"slices\":[{\"site\":0,\"pcs\":\"0G\"}]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        made(&m);
        m.n_bin = 16;
        ProvenanceFound f = judge_text(&m, texts[i], strlen(texts[i]));
        if (f.verdict != VERDICT_SUSPECT || !strstr(f.message, "cannot be read"))
            print_message("# text %zu: %s\n", i, f.message);
        assert_int_equal(VERDICT_SUSPECT, f.verdict);
        assert_says("cannot be read", f);
    }
    made(&m);
    m.n_bin = 16;
    const char *empty = "{\"schema\":1,\"complete\":true,\"host\":[]," REST;
    assert_found(VERDICT_NO_GPU_WORK, judge_text(&m, empty, strlen(empty)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_chunks_that_overlap),
        cmocka_unit_test(test_array_of_structs),
        cmocka_unit_test(test_doubles_and_halves),
        cmocka_unit_test(test_half_precision),
        cmocka_unit_test(test_round_by_the_host),
        cmocka_unit_test(test_host_finishes),
        cmocka_unit_test(test_zeros_of_a_fill),
        cmocka_unit_test(test_runs_as_bytes),
        cmocka_unit_test(test_few_constants),
        cmocka_unit_test(test_host_loop),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_copy_kernel),
        cmocka_unit_test(test_table_of_the_host),
        cmocka_unit_test(test_output_that_says_little),
        cmocka_unit_test(test_output_behind_a_key),
        cmocka_unit_test(test_key_and_cipher),
        cmocka_unit_test(test_sizes_again_and_again),
        cmocka_unit_test(test_half_of_it),
        cmocka_unit_test(test_transposed_by_the_host),
        cmocka_unit_test(test_spelt_with_single_bytes),
        cmocka_unit_test(test_fills_spell),
        cmocka_unit_test(test_launches_spell),
        cmocka_unit_test(test_decoys_are_not_counted),
        cmocka_unit_test(test_depends_on_no_input),
        cmocka_unit_test(test_zeros_alone),
        cmocka_unit_test(test_sent_out_afterwards),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests_name("provenance", tests, NULL, NULL);
}
