/* Tests of the base library: arena, status, strbuf, rng, language. */
#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/rng.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    Arena a = {0};
    for (size_t size = 1; size < 300; size += 7) {
        unsigned char *p = arena_alloc(&a, size);
        assert_non_null(p);
        assert_int_equal(0, (uintptr_t)p % (size >= 64 ? 64 : 16));
        for (size_t i = 0; i < size; i++)
            assert_int_equal(0, p[i]);
        memset(p, 0xAB, size); /* the next one must not overlap it */
    }
    unsigned char *big = arena_alloc(&a, 1 << 20);
    big[(1 << 20) - 1] = 1;
    assert_string_equal("x=7", arena_printf(&a, "x=%d", 7));
    assert_string_equal("abc", arena_strndup(&a, "abcdef", 3));
    assert_null(arena_alloc(&a, SIZE_MAX - 100));
    arena_free(&a);
    assert_null(a.blocks);
}

static void vec_grows(void **state)
{
    (void)state;
    int *items = NULL;
    size_t n = 0, cap = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(VEC_GROW(items, n, cap));
        items[n++] = i;
    }
    assert_int_equal(999, items[999]);
    free(items);
}

static void diag_draws_a_caret_under_the_column(void **state)
{
    (void)state;
    Diag d;
    assert_int_equal(STATUS_PARSE, diag_set_at(&d, STATUS_PARSE, "a.ptx", 2, 5, "expected %s", "a register"));
    diag_hint(&d, "look left");
    char text[256];
    diag_format(&d, "one\nadd %x;\nthree", text, sizeof text);
    assert_string_equal("a.ptx:2:5: expected a register\n    add %x;\n        ^\n  hint: look left\n", text);
    assert_int_equal(STATUS_IO, diag_set(NULL, STATUS_IO, "nobody listens"));
    diag_format(&d, NULL, text, 10); /* cut, not overrun */
    assert_int_equal(9, strlen(text));
}

static void json_strings_are_valid_whatever_the_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "\"plain\""},
        {"q\"b\\n\n\t\x01", "\"q\\\"b\\\\n\\n\\t\\u0001\""},
        {"\xC3\xA9", "\"\xC3\xA9\""},
        {"\xC3(", "\"\xEF\xBF\xBD(\""},                               /* bad continuation */
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, /* surrogate */
        {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                 /* overlong */
        {"\xF0\x9F\x98", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""}, /* cut short */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        StrBuf b = {0};
        strbuf_json_string(&b, cases[i].in, strlen(cases[i].in));
        assert_string_equal(cases[i].out, b.text);
        strbuf_free(&b);
    }
}

static void json_numbers_read_back_the_same(void **state)
{
    (void)state;
    const double values[] = {0, 1, -1, 0.1, 1e300, 1.0 / 3, 123456789012.5, 5e-324};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        StrBuf b = {0};
        strbuf_json_number(&b, values[i]);
        assert_true(strtod(b.text, NULL) == values[i]);
        strbuf_free(&b);
    }
    StrBuf b = {0};
    strbuf_json_number(&b, NAN);
    strbuf_json_number(&b, 0.1);
    assert_string_equal("null0.1", b.text);
    strbuf_free(&b);
}

static void rng_is_the_same_everywhere(void **state)
{
    (void)state;
    Rng r = {.state = 0};
    assert_true(rng_next(&r) == 0xE220A8397B1DCDAFu); /* SplitMix64's published first value for seed 0 */
    for (int i = 0; i < 1000; i++) {
        assert_true(rng_below(&r, 7) < 7);
        double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
    }
}

static void sentences_with_values_are_said_in_another_language(void **state)
{
    (void)state;
    static const struct {
        const char *english, *chinese;
    } rows[] = {
        {"a.cu:12:5: out-of-bounds: read of 4 bytes outside every allocation of global memory\n",
         "a.cu:12:5: out-of-bounds: 全局内存的所有分配之外的读取（4 字节）\n"},
        {"\033[1ma.cu:1:\033[0m \033[1;31mleak:\033[0m 1,000 bytes never freed", "\033[1ma.cu:1:\033[0m \033[1;31mleak:\033[0m 1,000 字节从未释放"},
        {"  at 0x20, 1 byte after allocation 3 (8 bytes at 0x10, made at m.c:3 in main)",
         "  在 0x20，第 3 次分配（8 字节，在 0x10，分配于 m.c:3 in main）之后 1 字节"},
        {"  hint: thread 7 of the launch is beyond the 5 elements: does the kernel test i < n?",
         "  提示：这次启动的第 7 个线程超出了 5 个元素：核函数检查 i < n 了吗？"},
        {"  read by thread (1,0,0) of block (0,0,0) in write(int*, int)", "  读取：线程 (1,0,0)，线程块 (0,0,0)，核函数 write(int*, int)"},
        {"    12 |     x = t.of block; // a: b", "    12 |     x = t.of block; // a: b"},
        {"what nobody says before noon", "what nobody says before noon"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf out = {0};
        language_put_lines(LANGUAGE_CHINESE, rows[i].english, &out);
        assert_string_equal(rows[i].chinese, out.text);
        out.length = 0;
        language_put_lines(LANGUAGE_ENGLISH, rows[i].english, &out);
        assert_string_equal(rows[i].english, out.text);
        strbuf_free(&out);
    }
}

static void languages_are_named_and_never_guessed(void **state)
{
    (void)state;
    Language language;
    assert_true(language_find("zh-CN", &language));
    assert_int_equal(language, LANGUAGE_CHINESE);
    assert_false(language_find("zh_CN.UTF-8", &language));
    assert_int_equal(language, LANGUAGE_ENGLISH);
    assert_false(language_find(NULL, &language));
    assert_string_equal("no such sentence", language_say(LANGUAGE_CHINESE, "no such sentence"));
    assert_string_equal("wanted", language_say(LANGUAGE_ENGLISH, "wanted"));
    assert_string_not_equal("wanted", language_say(LANGUAGE_CHINESE, "wanted"));
}

/* The type of the value that each conversion of a format takes, such as "zu" or "s", in the order of the
 * values. A `*` takes an int. */
static size_t conversions(const char *format, char types[16][8])
{
    size_t n = 0;
    for (const char *at = format; (at = strchr(at, '%')); at++) {
        if (*++at == '%')
            continue;
        size_t digits = strspn(at, "0123456789"), place = n;
        if (at[digits] == '$') {
            place = strtoul(at, NULL, 10) - 1;
            at += digits + 1;
        }
        for (at += strspn(at, " +-#0123456789."); *at == '*'; at += strspn(at, "*.0123456789"))
            snprintf(types[place++], 8, "d"), n++;
        size_t length = strspn(at, "lhz") + 1;
        assert_true(place < 16 && length < 8);
        snprintf(types[place], 8, "%.*s", (int)length, at);
        at += length - 1;
        n++;
    }
    return n;
}

/* Whether two formats take the same values. */
static bool takes_the_same(const char *english, const char *other)
{
    char a[16][8] = {0}, b[16][8] = {0};
    size_t n = conversions(english, a), m = conversions(other, b);
    bool same = n == m;
    for (size_t i = 0; i < n && same; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

static void sentences_take_the_same_values_in_each_language(void **state)
{
    (void)state;
    assert_true(takes_the_same("%s: %zu of %g%%", "%1$s %3$g %% %2$zu"));
    assert_false(takes_the_same("%s: %zu", "%zu: %s"));
    assert_false(takes_the_same("%s", ""));
    static const struct {
        const char *english, *other;
    } rows[] = {
#define X(english, other) {english, other},
#include "common/base/language_zh_cn.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(*rows[i].other);
        if (!takes_the_same(rows[i].english, rows[i].other))
            fail_msg("\"%s\" takes other values than \"%s\"", rows[i].other, rows[i].english);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(vec_grows),
        cmocka_unit_test(diag_draws_a_caret_under_the_column),
        cmocka_unit_test(json_strings_are_valid_whatever_the_bytes),
        cmocka_unit_test(json_numbers_read_back_the_same),
        cmocka_unit_test(rng_is_the_same_everywhere),
        cmocka_unit_test(sentences_with_values_are_said_in_another_language),
        cmocka_unit_test(languages_are_named_and_never_guessed),
        cmocka_unit_test(sentences_take_the_same_values_in_each_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
