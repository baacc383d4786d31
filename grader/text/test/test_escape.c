/* Escapes and UTF-8: what hostile names and messages become in each format. */
#include "grader/text/escape.h"
#include "grader/text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void (*Escape)(StrBuf *out, const char *text, size_t length);

static void expect_escaped(Escape escape, const char *wanted, const char *text, size_t length)
{
    StrBuf out = {0};
    escape(&out, text, length);
    assert_string_equal(out.text ? out.text : "", wanted);
    strbuf_free(&out);
}
#define EXPECT(escape, wanted, text) expect_escaped(escape, wanted, text, sizeof(text) - 1)

static void test_html(void **state)
{
    (void)state;
    EXPECT(escape_html, "", "");
    EXPECT(escape_html, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;", "<script>alert(\"1\")</script>");
    EXPECT(escape_html, "&#39; onload=&#39;x &amp;amp;", "' onload='x &amp;");
    EXPECT(escape_html, "a\nb\tc", "a\nb\tc");
    EXPECT(escape_html, "\xE2\x90\x9B[31m\xE2\x90\x80\xE2\x90\xA1", "\x1b[31m\0\x7f");
    EXPECT(escape_html,
           "\xEF\xBF\xBD"
           "exe.txt",
           "\xE2\x80\xAE"
           "exe.txt"); /* right-to-left override */
    EXPECT(escape_html, "\xEF\xBF\xBDx\xEF\xBF\xBD", "\xFFx\xC3");
    EXPECT(escape_html, "\xEF\xBF\xBD\xEF\xBF\xBD&lt;", "\xC0\xBC<"); /* overlong '<' */
    EXPECT(escape_html, "\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80");
}

static void test_xml(void **state)
{
    (void)state;
    EXPECT(escape_xml, "]]&gt;&lt;x/&gt;", "]]><x/>");
    EXPECT(escape_xml, "\xE2\x90\x80\xE2\x90\x88", "\0\x08");
    EXPECT(escape_xml, "\xEF\xBF\xBD.\xEF\xBF\xBD", "\xEF\xBF\xBE.\xEF\xBF\xBF");
    EXPECT(escape_xml, "\xEF\xBF\xBD", "\xC2\x85"); /* C1 next line */
}

static void test_csv(void **state)
{
    (void)state;
    EXPECT(escape_csv, "plain", "plain");
    EXPECT(escape_csv, "\"a,b\"", "a,b");
    EXPECT(escape_csv, "\"say \"\"hi\"\"\"", "say \"hi\"");
    EXPECT(escape_csv, "\"a\nb\"", "a\nb");
    EXPECT(escape_csv, "\"'=HYPERLINK(\"\"x\"\")\"", "=HYPERLINK(\"x\")");
    EXPECT(escape_csv, "\"'+1\"", "+1");
    EXPECT(escape_csv, "\"'-1\"", "-1");
    EXPECT(escape_csv, "\"'@SUM(A1)\"", "@SUM(A1)");
    EXPECT(escape_csv, "\"'\t=1\"", "\t=1");
    EXPECT(escape_csv, "\"'\xE2\x90\x8D=1\"", "\r=1");
    EXPECT(escape_csv, "a=1", "a=1");
    EXPECT(escape_csv, "\"'\n=1\"", "\n=1");
    EXPECT(escape_csv,
           "\"'\xEF\xBC\x9D"
           "1\"",
           "\xEF\xBC\x9D"
           "1"); /* wide = + - @ */
    EXPECT(escape_csv,
           "\"'\xEF\xBC\x8B"
           "1\"",
           "\xEF\xBC\x8B"
           "1");
    EXPECT(escape_csv,
           "\"'\xEF\xBC\x8D"
           "1\"",
           "\xEF\xBC\x8D"
           "1");
    EXPECT(escape_csv,
           "\"'\xEF\xBC\xA0"
           "1\"",
           "\xEF\xBC\xA0"
           "1");
    EXPECT(escape_csv, "\"''=1\"", "'=1"); /* so that taking one off gives each text back */
    EXPECT(escape_csv, "'s001", "'s001");
    EXPECT(escape_csv, "\"s,001\"", "s,001");
}

static void test_markdown(void **state)
{
    (void)state;
    EXPECT(escape_markdown, "\\[a\\]\\(javascript\\:x\\)", "[a](javascript:x)");
    EXPECT(escape_markdown, "&lt;img src\\=x&gt;", "<img src=x>");
    EXPECT(escape_markdown, "\\# a \\| b", "# a | b");
    EXPECT(escape_markdown, "a b", "a\nb");
    EXPECT(escape_markdown, "\\$x\\_1\\$ \\`\\\\input\\`", "$x_1$ `\\input`");
}

static void test_terminal(void **state)
{
    (void)state;
    EXPECT(escape_terminal, "\xE2\x90\x9B]0;owned\xE2\x90\x87 x", "\x1b]0;owned\x07\nx");
    EXPECT(escape_terminal, "\xEF\xBF\xBD[31m", "\xC2\x9B[31m"); /* C1 CSI */
    EXPECT(escape_terminal,
           "a\xEF\xBF\xBD"
           "b",
           "a\xE2\x80\x8B"
           "b");
    StrBuf out = {0};
    escape_terminal_block(&out, "one\n\ttwo\x1b\n\n", 10, "  | ");
    assert_string_equal(out.text, "one\n  |  two\xE2\x90\x9B");
    strbuf_free(&out);
}

static void test_file_name(void **state)
{
    (void)state;
    EXPECT(escape_file_name, "s001", "s001");
    EXPECT(escape_file_name, "02-vector-add", "02-vector-add");
    EXPECT(escape_file_name, "~2e.~2f", "../");
    EXPECT(escape_file_name, "~2e.~2f..", "../..");
    EXPECT(escape_file_name, "~41nna", "Anna"); /* differs from "anna" on any file system */
    EXPECT(escape_file_name, "~2dn", "-n");
    EXPECT(escape_file_name, "~", "");
    EXPECT(escape_file_name, "~7e", "~");
    EXPECT(escape_file_name, "a~0ab~ff", "a\nb\xFF");
}

static void test_long_file_name(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'A', sizeof text);
    StrBuf one = {0}, other = {0};
    escape_file_name(&one, text, sizeof text);
    text[299] = 'B';
    escape_file_name(&other, text, sizeof text);
    assert_true(one.length <= ESCAPE_FILE_NAME_MAX && other.length <= ESCAPE_FILE_NAME_MAX);
    assert_string_not_equal(one.text, other.text);
    strbuf_free(&one);
    strbuf_free(&other);
}

/* Whatever goes in, what comes out is valid UTF-8 without a control or deceiving character and without the
 * format's own. */
static void test_every_byte_pair(void **state)
{
    (void)state;
    static const struct {
        Escape escape;
        const char *banned;
    } formats[] = {
        {escape_html, "<>\"'\r\x1b"},      {escape_xml, "<>\"'\r\x1b"},      {escape_terminal, "\r\n\t\x1b"},
        {escape_markdown, "\r\n\t\x1b<>"}, {escape_file_name, "/ \n\"'<>&"},
    };
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        for (int pair = 0; pair < 65536; pair++) {
            char text[3] = {(char)(pair >> 8), (char)pair, 'x'};
            StrBuf out = {0};
            formats[f].escape(&out, text, 3);
            assert_true(utf8_is_valid(out.text, out.length));
            assert_int_equal(strlen(out.text), out.length);
            assert_null(strpbrk(out.text, formats[f].banned));
            strbuf_free(&out);
        }
    }
}

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(utf8_text_width("abc", 3), 3);
    assert_int_equal(utf8_text_width("\xC3\xA9", 2), 1);
    assert_int_equal(utf8_text_width("e\xCC\x81", 3), 1);                /* combining acute */
    assert_int_equal(utf8_text_width("\xE6\xBC\xA2\xE5\xAD\x97", 6), 4); /* two Han characters */
    assert_int_equal(utf8_text_width("\xF0\x9F\x98\x80", 4), 2);         /* emoji */
    assert_int_equal(utf8_text_width("\xEF\xBC\xA1", 3), 2);             /* fullwidth A */
    assert_int_equal(utf8_width(0x1FFFF), 1);
}

static void test_encode_round_trip(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char bytes[4];
        size_t n = utf8_append(code, bytes);
        Utf8Char c = utf8_next(bytes, n);
        if (!c.valid || c.code != code || c.bytes != n)
            fail_msg("U+%04X", code);
        if (n > 1)
            assert_false(utf8_next(bytes, n - 1).valid);
    }
    assert_false(utf8_is_valid("\xED\xA0\x80", 3)); /* a surrogate */
    assert_false(utf8_is_valid("\xF4\x90\x80\x80", 4));
    assert_false(utf8_is_valid("\x80", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_xml),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_file_name),
        cmocka_unit_test(test_long_file_name),
        cmocka_unit_test(test_every_byte_pair),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_encode_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
