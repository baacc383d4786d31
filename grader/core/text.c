/* Cleaning text of unknown origin; see text.h. */
#include "grader/core/text.h"

#include "common/base/strbuf.h"
#include "grader/text/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { ESCAPE_BYTE = 0x1b, BELL_BYTE = 0x07 };

/* Bytes of the terminal escape sequence that starts at text (an ESC): CSI up to its final byte, OSC and other
 * strings up to BEL or ESC \, else two bytes. */
static size_t escape_length(const char *text, size_t length)
{
    if (length < 2)
        return length;
    size_t i = 2;
    if (text[1] == '[') {
        while (i < length && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] <= 0x3f)
            i++;
        return i < length ? i + 1 : i;
    }
    if (!strchr("]PX^_", text[1]))
        return 2;
    while (i < length && text[i] != BELL_BYTE && text[i] != ESCAPE_BYTE && text[i] != '\n')
        i++;
    if (i < length && text[i] == BELL_BYTE)
        return i + 1;
    return i + 1 < length && text[i] == ESCAPE_BYTE && text[i + 1] == '\\' ? i + 2 : i;
}

/* Appends the character at text, cleaned, and returns how many bytes it took. */
static size_t clean_one(StrBuf *out, const char *text, size_t length)
{
    if (text[0] == ESCAPE_BYTE)
        return escape_length(text, length);
    if (text[0] == '\r' && length > 1 && text[1] == '\n')
        return 1;
    Utf8Char c = utf8_next(text, length);
    if (c.code == '\n' || c.code == '\t')
        strbuf_append(out, text, 1);
    else if (!c.valid || utf8_is_deceptive(c.code))
        strbuf_puts(out, "\xEF\xBF\xBD");
    else if (utf8_is_control(c.code))
        strbuf_puts(out, "?");
    else
        strbuf_append(out, text, c.bytes);
    return c.bytes;
}

char *text_clean(Arena *a, const char *bytes, size_t length, size_t bytes_max)
{
    StrBuf out = {0};
    size_t i = 0;
    while (i < length && out.length < bytes_max)
        i += clean_one(&out, bytes + i, length - i);
    if (i < length)
        strbuf_printf(&out, "\n[... %zu more bytes cut]\n", length - i);
    return strbuf_keep(&out, a);
}

/* Whether the character may stand in a path, so that what follows it does not begin one. */
static bool is_of_path(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("._-/+~", c));
}

void text_strip_folder(char *text, const char *folder)
{
    size_t length = strlen(folder);
    char *to = text, before = ' ';
    if (length == 0)
        return;
    for (const char *from = text; *from;) {
        if (!is_of_path(before) && strncmp(from, folder, length) == 0 && from[length] == '/') {
            from += length + 1;
            before = '/';
        } else {
            before = *from++;
            if (to + 1 != from)
                *to = before;
            to++;
        }
    }
    if (*to)
        *to = '\0';
}

int text_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
