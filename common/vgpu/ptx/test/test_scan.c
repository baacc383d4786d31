/* The scanner: kinds of tokens, numbers, places, and what it refuses. */
#include "common/vgpu/ptx/test/ptx_test.h"

#include "common/vgpu/ptx/ptx_internal.h"

static Token first(const char *text)
{
    Scanner s;
    Token t;
    scan_start(&s, text, strlen(text));
    scan_next(&s, &t);
    return t;
}

typedef struct NumberCase {
    const char *text;
    uint8_t kind, type;
    uint64_t value;
} NumberCase;

static void test_numbers(void **state)
{
    (void)state;
    static const NumberCase cases[] = {
        {"0", TOKEN_INT, 0, 0},
        {"42", TOKEN_INT, 0, 42},
        {"42U", TOKEN_INT, 0, 42},
        {"017", TOKEN_INT, 0, 15},
        {"0x1F", TOKEN_INT, 0, 31},
        {"0XfFU", TOKEN_INT, 0, 255},
        {"0b101", TOKEN_INT, 0, 5},
        {"18446744073709551615", TOKEN_INT, 0, UINT64_MAX},
        {"0f3F800000", TOKEN_FLOAT, PTX_TYPE_F32, 0x3F800000},
        {"0F7f800000", TOKEN_FLOAT, PTX_TYPE_F32, 0x7F800000},
        {"0d3FF0000000000000", TOKEN_FLOAT, PTX_TYPE_F64, 0x3FF0000000000000},
        {"1.5", TOKEN_FLOAT, PTX_TYPE_F64, 0x3FF8000000000000},
        {"25e-1", TOKEN_FLOAT, PTX_TYPE_F64, 0x4004000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Token t = first(cases[i].text);
        assert_int_equal(t.kind, cases[i].kind);
        assert_int_equal(t.type, cases[i].type);
        assert_true(t.value == cases[i].value);
        assert_int_equal(t.length, strlen(cases[i].text));
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"0x",
                                        "08",
                                        "12ab",
                                        "0f3F80000",
                                        "0f3F8000000",
                                        "0d3FF000000",
                                        "0b2",
                                        "\"abc",
                                        "\"a\nb\"",
                                        "/* no end",
                                        "#",
                                        "1.5x",
                                        "\x01",
                                        "\xC3\xA9",
                                        "18446744073709551616",
                                        "0x1FFFFFFFFFFFFFFFF"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Token t = first(cases[i]);
        assert_int_equal(t.kind, TOKEN_BAD);
        assert_non_null(t.error);
    }
}

static void test_places(void **state)
{
    (void)state;
    const char *text = "a // comment\n/* two\nlines */ .b32::x\n  %r1 <<";
    static const struct {
        uint8_t kind;
        int line, column;
        size_t length;
    } wanted[] = {{TOKEN_NAME, 1, 1, 1},
                  {TOKEN_DIRECTIVE, 3, 10, 7},
                  {TOKEN_NAME, 4, 3, 3},
                  {TOKEN_PUNCT, 4, 7, 2},
                  {TOKEN_END, 4, 9, 0}};
    Scanner s;
    scan_start(&s, text, strlen(text));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        Token t;
        scan_next(&s, &t);
        assert_int_equal(t.kind, wanted[i].kind);
        assert_int_equal(t.line, wanted[i].line);
        assert_int_equal(t.column, wanted[i].column);
        assert_int_equal(t.length, wanted[i].length);
    }
}

static void test_suffixes(void **state)
{
    (void)state;
    const char *text = "tex.2d.v4.f32 x";
    Scanner s;
    Token t;
    scan_start(&s, text, strlen(text));
    scan_next(&s, &t);
    assert_int_equal(t.length, 3);
    Scanner again = s;
    Token one = t;
    scan_suffixes(&again, &one, false);
    assert_int_equal(one.length, 6);
    scan_suffixes(&s, &t, true);
    assert_int_equal(t.length, 13);
}

static void test_nul_inside(void **state)
{
    (void)state;
    Scanner s;
    Token t;
    scan_start(&s, "\0abc", 4);
    scan_next(&s, &t);
    assert_int_equal(t.kind, TOKEN_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_refused),    cmocka_unit_test(test_places),
        cmocka_unit_test(test_suffixes), cmocka_unit_test(test_nul_inside),
    };
    return cmocka_run_group_tests_name("ptx scan", tests, NULL, NULL);
}
