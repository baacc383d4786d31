/* escape: see escape.h.
 *
 * One walk over the text (each_char) makes it clean UTF-8; what is left to a format is a function from a
 * character to its replacement.
 */
#include "grader/text/escape.h"

#include "common/base/csv.h"

#include "grader/text/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What a format puts in place of a character; NULL for the character itself. */
typedef const char *(*Replace)(uint32_t code);

static void append_code(StrBuf *out, uint32_t code)
{
    char bytes[4];
    strbuf_append(out, bytes, utf8_append(code, bytes));
}

/* The character that stands for `code` where controls and deceivers must not pass. */
static uint32_t visible(uint32_t code)
{
    if (code < 0x20)
        return 0x2400 + code;
    if (code == 0x7F)
        return 0x2421;
    return utf8_is_control(code) || utf8_is_deceptive(code) ? (uint32_t)UTF8_REPLACEMENT : code;
}

static void each_char(StrBuf *out, const char *text, size_t length, Replace replace)
{
    for (size_t i = 0; i < length;) {
        Utf8Char c = utf8_next(text + i, length - i);
        const char *instead = replace(c.code);
        if (instead)
            strbuf_puts(out, instead);
        else
            append_code(out, visible(c.code));
        i += c.bytes;
    }
}

static const char *replace_markup(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "\n";
    case '\t':
        return "\t";
    default:
        return NULL;
    }
}

void escape_html(StrBuf *out, const char *text, size_t length)
{
    each_char(out, text, length, replace_markup);
}

/* XML 1.0 also forbids U+FFFE and U+FFFF, which UTF-8 can spell. */
static const char *replace_xml(uint32_t code)
{
    return code == 0xFFFE || code == 0xFFFF ? "\xEF\xBF\xBD" : replace_markup(code);
}

void escape_xml(StrBuf *out, const char *text, size_t length)
{
    each_char(out, text, length, replace_xml);
}

enum { CSV_START_BYTES = 4 }; /* enough to tell a formula */

static const char *replace_csv(uint32_t code)
{
    return code == '"' ? "\"\"" : code == '\n' ? "\n" : code == '\t' ? "\t" : NULL;
}

static void put_csv_cell(StrBuf *out, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++)
        quoted |= strchr("\",;\r\n", text[i]) != NULL; /* NUL included: strchr finds the end */
    if (quoted)
        strbuf_append(out, "\"", 1);
    each_char(out, text, length, replace_csv);
    if (quoted)
        strbuf_append(out, "\"", 1);
}

void escape_csv(StrBuf *out, const char *text, size_t length)
{
    char start[CSV_START_BYTES + 1] = "";
    size_t quotes = 0;
    while (quotes < length && text[quotes] == '\'')
        quotes++;
    size_t n = length - quotes < CSV_START_BYTES ? length - quotes : CSV_START_BYTES;
    memcpy(start, text + quotes, n);
    if (!csv_is_formula(start)) {
        put_csv_cell(out, text, length);
        return;
    }
    strbuf_puts(out, "\"'");
    each_char(out, text, length, replace_csv);
    strbuf_append(out, "\"", 1);
}

static const char *replace_markdown(uint32_t code)
{
    static const char special[] = "\\`*_{}[]()<>#+-.!|~$&=:^\"'@";
    static const char *const escaped[] = {
        "\\\\", "\\`", "\\*", "\\_", "\\{", "\\}", "\\[",   "\\]", "\\(", "\\)", "&lt;", "&gt;", "\\#", "\\+",
        "\\-",  "\\.", "\\!", "\\|", "\\~", "\\$", "&amp;", "\\=", "\\:", "\\^", "\\\"", "\\'",  "\\@",
    };
    if (code == '\n' || code == '\t')
        return " ";
    const char *found = code > 0 && code < 0x80 ? strchr(special, (int)code) : NULL;
    return found ? escaped[found - special] : NULL;
}

void escape_markdown(StrBuf *out, const char *text, size_t length)
{
    each_char(out, text, length, replace_markdown);
}

static const char *replace_line(uint32_t code)
{
    return code == '\n' || code == '\t' ? " " : NULL;
}

void escape_terminal(StrBuf *out, const char *text, size_t length)
{
    each_char(out, text, length, replace_line);
}

void escape_terminal_block(StrBuf *out, const char *text, size_t length, const char *indent)
{
    while (length > 0 && text[length - 1] == '\n')
        length--;
    for (size_t start = 0; start < length;) {
        const char *newline = memchr(text + start, '\n', length - start);
        size_t end = newline ? (size_t)(newline - text) : length;
        escape_terminal(out, text + start, end - start);
        if (newline) {
            strbuf_append(out, "\n", 1);
            strbuf_puts(out, indent);
        }
        start = end + 1;
    }
}

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    return hash;
}

void escape_file_name(StrBuf *out, const char *text, size_t length)
{
    size_t start = out->length;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (i > 0 && (c == '-' || c == '.'));
        if (out->length - start + 3 > ESCAPE_FILE_NAME_MAX - 18) {
            strbuf_printf(out, "~~%016llx", (unsigned long long)hash_text(text, length));
            return;
        }
        if (plain)
            strbuf_append(out, text + i, 1);
        else
            strbuf_printf(out, "~%02x", c);
    }
    if (length == 0)
        strbuf_puts(out, "~");
}
