/* Fat binaries made by hand: every kind of compression, the choice of architecture, and hostile sizes. */
#include "common/vgpu/cudart/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
#include <zstd.h>

enum { HEADER = 16, ENTRY = 64, PTX = 1, MACHINE_CODE = 2, PLAIN = 0, LZ4 = 0x2000, ZSTD = 0x8000 };

typedef struct Image {
    uint8_t bytes[65536];
    size_t n;
} Image;

static void image_put(Image *m, size_t at, const void *value, size_t size)
{
    memcpy(m->bytes + at, value, size);
}

static void put_u16(Image *m, size_t at, uint16_t v)
{
    image_put(m, at, &v, sizeof v);
}

static void put_u32(Image *m, size_t at, uint32_t v)
{
    image_put(m, at, &v, sizeof v);
}

static void put_u64(Image *m, size_t at, uint64_t v)
{
    image_put(m, at, &v, sizeof v);
}

static void begin_image(Image *m)
{
    memset(m, 0, sizeof *m);
    put_u32(m, 0, 0xBA55ED50u);
    put_u16(m, 4, 1);
    put_u16(m, 6, HEADER);
    m->n = HEADER;
}

/* Adds an entry and gives back where it starts. */
static size_t image_add(Image *m, int kind, uint32_t arch, uint64_t flags, const char *text)
{
    size_t at = m->n, length = strlen(text) + 1, packed = length;
    uint8_t *to = m->bytes + at + ENTRY;
    if (flags == ZSTD)
        packed = ZSTD_compress(to, 30000, text, length, 3);
    else if (flags == LZ4)
        packed = (size_t)LZ4_compress_default(text, (char *)to, (int)length, 30000);
    else
        memcpy(to, text, length);
    size_t padded = (packed + 7) / 8 * 8;
    put_u16(m, at, (uint16_t)kind);
    put_u16(m, at + 2, 0x101);
    put_u32(m, at + 4, ENTRY);
    put_u64(m, at + 8, padded);
    put_u32(m, at + 16, flags == PLAIN ? 0 : (uint32_t)packed);
    put_u32(m, at + 28, arch);
    put_u64(m, at + 40, flags | 0x11);
    put_u64(m, at + 56, flags == PLAIN ? 0 : length);
    m->n = at + ENTRY + padded;
    put_u64(m, 8, m->n - HEADER);
    return at;
}

static Status extract(const Image *m, uint32_t arch, FatbinText *out, uint32_t *highest)
{
    Diag d = {0};
    Status st = fatbin_extract(m->bytes, m->n, arch, out, highest, &d);
    if (st != STATUS_OK && st != STATUS_NOT_FOUND)
        assert_true(d.message[0] != 0);
    return st;
}

static void assert_text(const Image *m, uint32_t arch, uint32_t wanted_arch, const char *wanted)
{
    FatbinText text;
    uint32_t highest;
    assert_int_equal(STATUS_OK, extract(m, arch, &text, &highest));
    assert_int_equal(wanted_arch, text.arch);
    assert_string_equal(wanted, text.text);
    assert_int_equal(strlen(wanted), text.length);
    free(text.text);
}

static const char long_text[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    "// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";

static void test_compressions(void **state)
{
    (void)state;
    static const uint64_t kinds[] = {PLAIN, LZ4, ZSTD};
    for (int i = 0; i < 3; i++) {
        Image m;
        begin_image(&m);
        image_add(&m, PTX, 75, kinds[i], long_text);
        assert_text(&m, 75, 75, long_text);
    }
}

static void test_best_architecture(void **state)
{
    (void)state;
    Image m;
    begin_image(&m);
    image_add(&m, PTX, 75, PLAIN, "seventy-five");
    image_add(&m, MACHINE_CODE, 80, PLAIN, "machine code");
    image_add(&m, PTX, 90, ZSTD, "ninety");
    image_add(&m, PTX, 80, LZ4, "eighty eighty eighty eighty eighty eighty");
    assert_text(&m, 75, 75, "seventy-five");
    assert_text(&m, 79, 75, "seventy-five");
    assert_text(&m, 89, 80, "eighty eighty eighty eighty eighty eighty");
    assert_text(&m, 120, 90, "ninety");
}

static void test_no_ptx(void **state)
{
    (void)state;
    Image m;
    FatbinText text;
    uint32_t highest;
    begin_image(&m);
    assert_int_equal(STATUS_NOT_FOUND, extract(&m, 90, &text, &highest));
    assert_int_equal(0, highest);
    image_add(&m, MACHINE_CODE, 75, PLAIN, "machine code");
    image_add(&m, PTX, 100, PLAIN, "too new");
    assert_int_equal(STATUS_NOT_FOUND, extract(&m, 90, &text, &highest));
    assert_int_equal(100, highest);
}

static void assert_refused(const Image *m, Status wanted)
{
    FatbinText text;
    uint32_t highest;
    assert_int_equal(wanted, extract(m, 90, &text, &highest));
    assert_null(text.text);
}

static void test_hostile_containers(void **state)
{
    (void)state;
    Image m;
    begin_image(&m);
    image_add(&m, PTX, 75, ZSTD, long_text);
    Image good = m;
    m.bytes[0] ^= 1;
    assert_refused(&m, STATUS_PARSE);
    m = good;
    put_u64(&m, 8, good.n - HEADER + 1); /* one byte more than there is */
    assert_refused(&m, STATUS_PARSE);
    put_u64(&m, 8, UINT64_MAX);
    assert_refused(&m, STATUS_PARSE);
    m = good;
    put_u16(&m, 6, 8); /* a header that ends before its own fields */
    assert_refused(&m, STATUS_PARSE);
    m = good;
    m.n = 10;
    assert_refused(&m, STATUS_PARSE);
    m = good;
    put_u64(&m, 8, ENTRY - 1); /* an entry cut off in its header */
    assert_refused(&m, STATUS_PARSE);
}

static void test_hostile_entries(void **state)
{
    (void)state;
    Image m;
    begin_image(&m);
    size_t at = image_add(&m, PTX, 75, ZSTD, long_text);
    Image good = m;
    static const uint32_t headers[] = {0, 63, 0x10000, 0xFFFFFFFFu};
    for (int i = 0; i < 4; i++) {
        put_u32(&m, at + 4, headers[i]);
        assert_refused(&m, STATUS_PARSE);
    }
    m = good;
    static const uint64_t payloads[] = {UINT64_MAX, UINT64_MAX - ENTRY + 1, 1 << 20};
    for (int i = 0; i < 3; i++) {
        put_u64(&m, at + 8, payloads[i]);
        assert_refused(&m, STATUS_PARSE);
    }
    m = good;
    put_u32(&m, at + 16, 0xFFFFFFFFu); /* compressed bytes */
    assert_refused(&m, STATUS_PARSE);
    m = good;
    put_u64(&m, at + 56, (uint64_t)FATBIN_PTX_MAX + 1); /* uncompressed bytes: one past the limit */
    assert_refused(&m, STATUS_LIMIT);
    put_u64(&m, at + 56, 0);
    assert_refused(&m, STATUS_LIMIT);
    put_u64(&m, at + 56, strlen(long_text)); /* one less than there are */
    assert_refused(&m, STATUS_PARSE);
    put_u64(&m, at + 56, strlen(long_text) + 2);
    assert_refused(&m, STATUS_PARSE);
}

/* Every byte of an image changed in turn: an answer each time, never a crash (run it with
 * SAN=address,undefined). */
static void test_every_byte_changed(void **state)
{
    (void)state;
    static const uint64_t kinds[] = {PLAIN, LZ4, ZSTD};
    for (int k = 0; k < 3; k++) {
        Image m;
        begin_image(&m);
        image_add(&m, PTX, 75, kinds[k], long_text);
        image_add(&m, PTX, 80, kinds[k], long_text);
        for (size_t i = 0; i < m.n; i++)
            for (int bit = 0; bit < 8; bit++) {
                Image *changed = malloc(sizeof *changed);
                assert_non_null(changed);
                *changed = m;
                changed->bytes[i] ^= (uint8_t)(1 << bit);
                FatbinText text;
                uint32_t highest;
                Diag d;
                fatbin_extract(changed->bytes, changed->n, 90, &text, &highest, &d);
                free(text.text);
                free(changed);
            }
    }
}

static void test_wrappers(void **state)
{
    (void)state;
    Image a, b;
    begin_image(&a);
    begin_image(&b);
    const void *list[] = {b.bytes, a.bytes, NULL};
    struct {
        uint32_t magic, version;
        const void *container, *list;
    } wrapper = {0x466243b1u, 1, a.bytes, list};
    const void *found[3];
    uint32_t n;
    Diag d = {0};
    assert_int_equal(STATUS_OK, fatbin_containers(&wrapper, found, 3, &n, &d));
    assert_int_equal(1, n); /* version 1: the second pointer means something else */
    assert_ptr_equal(a.bytes, found[0]);
    wrapper.version = 2;
    assert_int_equal(STATUS_OK, fatbin_containers(&wrapper, found, 3, &n, &d));
    assert_int_equal(3, n);
    assert_ptr_equal(b.bytes, found[1]);
    assert_int_equal(STATUS_LIMIT, fatbin_containers(&wrapper, found, 2, &n, &d));
    wrapper.version = 3;
    assert_int_equal(STATUS_PARSE, fatbin_containers(&wrapper, found, 3, &n, &d));
    wrapper.version = 1;
    wrapper.magic++;
    assert_int_equal(STATUS_PARSE, fatbin_containers(&wrapper, found, 3, &n, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compressions),    cmocka_unit_test(test_best_architecture),
        cmocka_unit_test(test_no_ptx),          cmocka_unit_test(test_hostile_containers),
        cmocka_unit_test(test_hostile_entries), cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_wrappers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
