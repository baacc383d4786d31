/* utf8: see utf8.h. */
#include "grader/text/utf8.h"

static const Utf8Char BROKEN = {.code = UTF8_REPLACEMENT, .bytes = 1, .valid = false};

/* Bytes of the sequence that a first byte announces; 0 for bytes that begin none. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

Utf8Char utf8_next(const char *text, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t bytes = announced(s[0]);
    if (bytes == 1)
        return (Utf8Char){.code = s[0], .bytes = 1, .valid = true};
    if (bytes == 0 || bytes > length)
        return BROKEN;
    uint32_t code = s[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return BROKEN;
        code = code << 6 | (s[i] & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least[bytes] || code > 0x10FFFF || surrogate)
        return BROKEN;
    return (Utf8Char){.code = code, .bytes = bytes, .valid = true};
}

bool utf8_is_valid(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        Utf8Char c = utf8_next(text + i, length - i);
        if (!c.valid)
            return false;
        i += c.bytes;
    }
    return true;
}

size_t utf8_append(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

bool utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

bool utf8_is_deceptive(uint32_t code)
{
    return code == 0x061C || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
           (code >= 0xE0000 && code <= 0xE007F);
}

int utf8_width(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        int columns;
    } ranges[] = {
#define W(first, last, columns) {first, last, columns},
#include "grader/text/width.def"
#undef W
    };
    size_t low = 0, high = sizeof ranges / sizeof ranges[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code < ranges[middle].first)
            high = middle;
        else if (code > ranges[middle].last)
            low = middle + 1;
        else
            return ranges[middle].columns;
    }
    return 1;
}

size_t utf8_text_width(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length;) {
        Utf8Char c = utf8_next(text + i, length - i);
        columns += (size_t)utf8_width(c.code);
        i += c.bytes;
    }
    return columns;
}
