/* See encoding.h. */
#include "grader/text/encoding.h"

#include "grader/text/utf8.h"

#include <stdint.h>
#include <string.h>

/* UTF-16 without a byte order mark: most characters of a source are ASCII, so every other byte is zero. */
static Encoding guess_utf16(const char *bytes, size_t length)
{
    size_t zeros[2] = {0};
    for (size_t i = 0; i < length; i++)
        zeros[i % 2] += bytes[i] == '\0';
    if (zeros[0] + zeros[1] == 0)
        return ENCODING_UTF8;
    if (length % 2 == 0 && zeros[0] == 0 && zeros[1] * 4 >= length)
        return ENCODING_UTF16_LE;
    if (length % 2 == 0 && zeros[1] == 0 && zeros[0] * 4 >= length)
        return ENCODING_UTF16_BE;
    return ENCODING_BINARY;
}

Encoding encoding_of(const char *bytes, size_t length)
{
    if (length >= 2 && memcmp(bytes, "\xFF\xFE", 2) == 0)
        return ENCODING_UTF16_LE;
    if (length >= 2 && memcmp(bytes, "\xFE\xFF", 2) == 0)
        return ENCODING_UTF16_BE;
    Encoding e = guess_utf16(bytes, length);
    return e == ENCODING_UTF8 && !utf8_is_valid(bytes, length) ? ENCODING_8BIT : e;
}

const char *encoding_word(Encoding e)
{
    static const char *const words[] = {"UTF-8", "UTF-16", "UTF-16", "Latin-1 or another 8-bit code page",
                                        "no text"};
    return words[e];
}

/* The code unit at bytes. */
static uint32_t unit(Encoding e, const char *bytes)
{
    uint32_t first = (unsigned char)bytes[0], second = (unsigned char)bytes[1];
    return e == ENCODING_UTF16_LE ? second << 8 | first : first << 8 | second;
}

static void put_code(StrBuf *out, uint32_t code)
{
    char text[4];
    strbuf_append(out, text, utf8_append(code, text));
}

static void convert_utf16(StrBuf *out, Encoding e, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 2) {
        if (i + 1 == length) {
            put_code(out, UTF8_REPLACEMENT);
            return;
        }
        uint32_t code = unit(e, bytes + i), low = i + 3 < length ? unit(e, bytes + i + 2) : 0;
        if (i == 0 && code == 0xFEFF)
            continue;
        bool high_half = code >= 0xD800 && code < 0xDC00, low_half = low >= 0xDC00 && low < 0xE000;
        if (high_half && low_half) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        } else if (code >= 0xD800 && code < 0xE000) {
            code = UTF8_REPLACEMENT;
        }
        put_code(out, code);
    }
}

void encoding_to_utf8(StrBuf *out, Encoding e, const char *bytes, size_t length)
{
    if (e == ENCODING_UTF16_LE || e == ENCODING_UTF16_BE) {
        convert_utf16(out, e, bytes, length);
        return;
    }
    bool marked = e == ENCODING_UTF8 && length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    if (e != ENCODING_8BIT) {
        strbuf_append(out, bytes + (marked ? 3 : 0), length - (marked ? 3 : 0));
        return;
    }
    for (size_t i = 0; i < length; i++)
        put_code(out, (unsigned char)bytes[i]);
}
