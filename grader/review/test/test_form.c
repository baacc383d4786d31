/* What a request must be, byte by byte: forms, hosts, origins, cookies; and any bytes as a form. */
#include "grader/review/review.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char TOKEN[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static void test_forms(void **state)
{
    (void)state;
    Arena a = {0};
    ReviewForm form;
    static const char good[] = "a=1+2&b=%C3%A9%26&c=&d&a=3";
    assert_true(review_read_form(&a, good, strlen(good), &form));
    assert_int_equal(5, form.n);
    assert_string_equal("1 2", review_field(&form, "a"));
    assert_string_equal("\xC3\xA9&", review_field(&form, "b"));
    assert_string_equal("", review_field(&form, "c"));
    assert_string_equal("", review_field(&form, "none"));
    static const char *const bad[] = {"a=%", "a=%4", "a=%4g", "a=%00", "a=%ff", "%80=1", "a=\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(review_read_form(&a, bad[i], strlen(bad[i]), &form));
    char many[2 * REVIEW_FIELDS_MAX + 2] = "";
    for (size_t i = 0; i < REVIEW_FIELDS_MAX; i++)
        strcat(many, "x&");
    assert_true(review_read_form(&a, many, strlen(many), &form));
    strcat(many, "x");
    assert_false(review_read_form(&a, many, strlen(many), &form));
    arena_free(&a);
}

/* Mutations of a form: whatever it says is valid and within the limits. */
static void test_any_bytes(void **state)
{
    (void)state;
    static const char seed[] = "act=comment&student=s001&lab=02-vector-add&text=%C3%A9+x&line=3";
    uint64_t r = 1;
    for (int round = 0; round < 20000; round++) {
        char bytes[sizeof seed];
        memcpy(bytes, seed, sizeof seed);
        for (int k = 0; k < 4; k++) {
            r = r * 6364136223846793005u + 1442695040888963407u;
            bytes[(r >> 33) % (sizeof seed - 1)] = (char)(r >> 56);
        }
        Arena a = {0};
        ReviewForm form;
        size_t length = (size_t)(r >> 20) % sizeof seed;
        char *copy = malloc(length + 1); /* so that a sanitizer sees the end */
        memcpy(copy, bytes, length);
        if (review_read_form(&a, copy, length, &form)) {
            assert_true(form.n <= REVIEW_FIELDS_MAX);
            for (size_t i = 0; i < form.n; i++)
                assert_true(strlen(form.fields[i].value) <= length);
        }
        free(copy);
        arena_free(&a);
    }
}

static void test_walls(void **state)
{
    (void)state;
    assert_true(review_host_is_ours("127.0.0.1:8000", 8000));
    assert_true(review_host_is_ours("localhost:8000", 8000));
    static const char *const hosts[] = {
        "127.0.0.1", "127.0.0.1:80001", "evil.example:8000", "127.0.0.1:8000.evil.example",
        "",          "localhost.:8000"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        assert_false(review_host_is_ours(hosts[i], 8000));
    assert_false(review_host_is_ours(NULL, 8000));
    assert_true(review_origin_is_ours("http://127.0.0.1:8000", "cross-site", 8000));
    assert_true(review_origin_is_ours(NULL, "same-origin", 8000));
    assert_false(review_origin_is_ours("null", "same-origin", 8000));
    assert_false(review_origin_is_ours("https://127.0.0.1:8000", NULL, 8000));
    assert_false(review_origin_is_ours(NULL, "same-site", 8000));
    assert_false(review_origin_is_ours(NULL, "none", 8000));
    assert_false(review_origin_is_ours(NULL, NULL, 8000));
    char cookie[256];
    snprintf(cookie, sizeof cookie, "x=1; grade_review_8000=%s; y=2", TOKEN);
    assert_true(review_cookie_is_ours(cookie, TOKEN, 8000));
    assert_false(review_cookie_is_ours(cookie, TOKEN, 8001));
    snprintf(cookie, sizeof cookie, "grade_review_8000=%.63s", TOKEN);
    assert_false(review_cookie_is_ours(cookie, TOKEN, 8000));
    snprintf(cookie, sizeof cookie, "grade_review_8000=%s0", TOKEN);
    assert_false(review_cookie_is_ours(cookie, TOKEN, 8000));
    assert_false(review_cookie_is_ours("grade_review_8000=", TOKEN, 8000));
    assert_false(review_cookie_is_ours(NULL, TOKEN, 8000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_any_bytes),
                                       cmocka_unit_test(test_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
