/* StrBuf: see strbuf.h. */
#include "common/base/strbuf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool strbuf_reserve(StrBuf *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->length + more + 1 <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap : 128;
    while (cap < b->length + more + 1)
        cap *= 2;
    char *bigger = realloc(b->text, cap);
    if (!bigger) {
        b->failed = true;
        return false;
    }
    b->text = bigger;
    b->cap = cap;
    return true;
}

void strbuf_append(StrBuf *b, const char *bytes, size_t length)
{
    if (!strbuf_reserve(b, length))
        return;
    memcpy(b->text + b->length, bytes, length);
    b->length += length;
    b->text[b->length] = '\0';
}

void strbuf_puts(StrBuf *b, const char *text)
{
    strbuf_append(b, text, strlen(text));
}

void strbuf_vprintf(StrBuf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && strbuf_reserve(b, (size_t)length)) {
        vsnprintf(b->text + b->length, (size_t)length + 1, format, again);
        b->length += (size_t)length;
    }
    va_end(again);
}

void strbuf_printf(StrBuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(b, format, args);
    va_end(args);
}

void strbuf_grouped(StrBuf *b, uint64_t n)
{
    if (n >= 1000)
        strbuf_grouped(b, n / 1000);
    strbuf_printf(b, n >= 1000 ? ",%03u" : "%u", (unsigned)(n % 1000));
}

void strbuf_free(StrBuf *b)
{
    free(b->text);
    *b = (StrBuf){0};
}

bool strbuf_print(StrBuf *b, FILE *to)
{
    bool whole = !b->failed;
    fwrite(b->text ? b->text : "", 1, b->length, to);
    strbuf_free(b);
    return whole;
}

/* Length of the valid UTF-8 sequence at s (at most n bytes), or 0. Overlong forms and surrogates are not valid. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 : (s[0] >> 3) == 30 ? 4 : 0;
    if (length <= 1 || length > n)
        return length <= n ? length : 0;
    uint32_t code = s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3F);
    }
    bool valid = code >= least[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    return valid ? length : 0;
}

void strbuf_json_string(StrBuf *b, const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    strbuf_append(b, "\"", 1);
    for (size_t i = 0; i < length;) {
        size_t step = utf8_length(s + i, length - i);
        if (step == 0) {
            strbuf_puts(b, "\xEF\xBF\xBD");
            step = 1;
        } else if (s[i] == '"' || s[i] == '\\') {
            strbuf_printf(b, "\\%c", s[i]);
        } else if (s[i] == '\n') {
            strbuf_puts(b, "\\n");
        } else if (s[i] == '\t') {
            strbuf_puts(b, "\\t");
        } else if (s[i] < 0x20 || s[i] == 0x7F) {
            strbuf_printf(b, "\\u%04x", s[i]);
        } else {
            strbuf_append(b, text + i, step);
        }
        i += step;
    }
    strbuf_append(b, "\"", 1);
}

void strbuf_json_number(StrBuf *b, double value)
{
    if (!isfinite(value)) {
        strbuf_puts(b, "null");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            strbuf_puts(b, text);
            return;
        }
    }
}

void strbuf_base64(StrBuf *b, const void *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i += 3) {
        bool second = i + 1 < n, third = i + 2 < n;
        uint32_t word =
            (uint32_t)at[i] << 16 | (second ? (uint32_t)at[i + 1] << 8 : 0) | (third ? at[i + 2] : 0);
        const char four[4] = {digits[word >> 18], digits[word >> 12 & 63],
                              second ? digits[word >> 6 & 63] : '=', third ? digits[word & 63] : '='};
        strbuf_append(b, four, sizeof four);
    }
}
