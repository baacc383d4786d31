/* Encodings of sources: which one it is, and what it is in UTF-8. */
#include "grader/text/encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *bytes;
    size_t length;
    Encoding encoding;
    const char *utf8;
} rows[] = {
    {BYTES(""), ENCODING_UTF8, ""},
    {BYTES("int x;"), ENCODING_UTF8, "int x;"},
    {BYTES("\xEF\xBB\xBFint"), ENCODING_UTF8, "int"},
    {BYTES("// \xC3\xA9"), ENCODING_UTF8, "// \xC3\xA9"},
    {BYTES("// \xE9t\xE9"), ENCODING_8BIT, "// \xC3\xA9t\xC3\xA9"},
    {BYTES("\xFF\xFEi\0n\0"), ENCODING_UTF16_LE, "in"},
    {BYTES("\xFE\xFF\0i\0n"), ENCODING_UTF16_BE, "in"},
    {BYTES("i\0n\0t\0 \0"), ENCODING_UTF16_LE, "int "},
    {BYTES("\0i\0n\0t\0 "), ENCODING_UTF16_BE, "int "},
    {BYTES("\xFF\xFE\x3D\xD8\x00\xDE"), ENCODING_UTF16_LE, "\xF0\x9F\x98\x80"},
    {BYTES("\xFF\xFE\x3D\xD8i\0"), ENCODING_UTF16_LE, "\xEF\xBF\xBDi"},
    {BYTES("\xFF\xFEi\0n"), ENCODING_UTF16_LE, "i\xEF\xBF\xBD"},
    {BYTES("\xFF\xFE"), ENCODING_UTF16_LE, ""},
};

static void test_encodings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        StrBuf out = {0};
        assert_int_equal(rows[i].encoding, encoding_of(rows[i].bytes, rows[i].length));
        encoding_to_utf8(&out, rows[i].encoding, rows[i].bytes, rows[i].length);
        assert_string_equal(rows[i].utf8, out.text ? out.text : "");
        strbuf_free(&out);
    }
    assert_int_equal(ENCODING_BINARY, encoding_of(BYTES("\x7F"
                                                        "ELF\0\0\0\1")));
    assert_int_equal(ENCODING_BINARY, encoding_of(BYTES("\0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encodings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
