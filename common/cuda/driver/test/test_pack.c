/* What pack writes is what the runtime's fatbin reads: images come back byte by byte, for every architecture;
 * random ones too; and a container of ours with any byte changed is answered, never a crash. */
#include "common/cuda/driver/pack.h"
#include "common/base/rng.h"
#include "common/vgpu/cudart/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { IMAGES_MAX = 6, TEXT_MAX = 3000, ROUNDS = 400 };

static void assert_image(const StrBuf *packed, const PackImage *wanted, uint32_t device)
{
    FatbinText text;
    uint32_t highest;
    Diag d = {0};
    assert_int_equal(STATUS_OK, fatbin_extract(packed->text, packed->length, device, &text, &highest, &d));
    assert_int_equal(wanted->arch, text.arch);
    assert_int_equal(wanted->length, text.length);
    assert_memory_equal(wanted->text, text.text, text.length + 1);
    free(text.text);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const PackImage images[] = {
        {"seventy-five", 12, 75}, {"ninety", 6, 90}, {"1234567", 7, 80}, {"", 0, 100}};
    StrBuf packed = {0};
    pack_container(&packed, images, 4);
    assert_false(packed.failed);
    assert_int_equal(0, packed.length % 8);
    assert_image(&packed, &images[0], 75);
    assert_image(&packed, &images[0], 79);
    assert_image(&packed, &images[2], 89);
    assert_image(&packed, &images[1], 99);
    assert_image(&packed, &images[3], 120);
    strbuf_free(&packed);
}

static void test_nothing_packed(void **state)
{
    (void)state;
    StrBuf packed = {0};
    FatbinText text;
    uint32_t highest;
    Diag d = {0};
    pack_container(&packed, NULL, 0);
    assert_int_equal(STATUS_NOT_FOUND, fatbin_extract(packed.text, packed.length, 90, &text, &highest, &d));
    assert_int_equal(0, highest);
    strbuf_free(&packed);
}

/* Images of random lengths and texts, their architectures apart; each device gets the best of them. */
static void test_random_images(void **state)
{
    (void)state;
    static char texts[IMAGES_MAX][TEXT_MAX + 1];
    Rng rng = {17};
    for (int round = 0; round < ROUNDS; round++) {
        PackImage images[IMAGES_MAX];
        size_t n = 1 + rng_below(&rng, IMAGES_MAX);
        for (size_t i = 0; i < n; i++) {
            images[i] =
                (PackImage){texts[i], rng_below(&rng, TEXT_MAX), (uint32_t)(75 + 10 * ((i * 5 + 2) % 6))};
            for (size_t k = 0; k < images[i].length; k++)
                texts[i][k] = (char)(1 + rng_below(&rng, 255));
            texts[i][images[i].length] = '\0';
        }
        StrBuf packed = {0};
        pack_container(&packed, images, n);
        for (size_t i = 0; i < n; i++)
            assert_image(&packed, &images[i], images[i].arch + (uint32_t)rng_below(&rng, 10));
        strbuf_free(&packed);
    }
}

static void test_every_byte_changed(void **state)
{
    (void)state;
    static const PackImage images[] = {{".version 8.3", 12, 75}, {".target sm_80", 13, 80}};
    StrBuf packed = {0};
    pack_container(&packed, images, 2);
    for (size_t i = 0; i < packed.length * 8; i++) {
        FatbinText text;
        uint32_t highest;
        Diag d;
        char *changed = malloc(packed.length);
        assert_non_null(changed);
        memcpy(changed, packed.text, packed.length);
        changed[i / 8] ^= (char)(1 << i % 8);
        fatbin_extract(changed, packed.length, 90, &text, &highest, &d);
        free(text.text);
        free(changed);
    }
    strbuf_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_nothing_packed),
        cmocka_unit_test(test_random_images),
        cmocka_unit_test(test_every_byte_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
