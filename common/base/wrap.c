/* wrap: see wrap.h. */
#include "common/base/wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24 };

/* The character at text, which has length > 0 bytes, and how many of them it takes. */
static size_t next_code(const char *text, size_t length, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t n = at[0] < 0xC0 ? 1 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    *code = n == 1 ? at[0] : at[0] & (0xFFu >> (n + 1));
    if (n > length)
        return 1;
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 1;
        *code = *code << 6 | (at[i] & 0x3F);
    }
    return n;
}

/* East Asian text, which takes two columns a character and has no blanks between words. */
static bool is_wide(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) || (code >= 0xAC00 && code <= 0xD7A3) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
           (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x20000 && code <= 0x3FFFD);
}

/* Bytes of the control sequence that begins here; 0 for none. */
static size_t sequence_bytes(const char *at)
{
    if (at[0] != '\033')
        return 0;
    size_t n = strcspn(at, "m");
    return at[n] ? n + 1 : n;
}

static bool closes(uint32_t code)
{
    return code == 0x3001 || code == 0x3002 || code == 0xFF0C || code == 0xFF1A || code == 0xFF1B || code == 0xFF09;
}

/* Where the line at `text` (of `length` bytes) is to be broken to take at most `columns`; length when it fits, or when
 * there is no place. A line breaks at a blank, and on either side of a wide character. */
static size_t break_of(const char *text, size_t length, int columns)
{
    size_t best = length, start = strspn(text, " ");
    int width = 0;
    bool after_wide = false;
    for (size_t i = 0; i < length;) {
        size_t skipped = sequence_bytes(text + i);
        if (skipped) {
            i += skipped;
            continue;
        }
        uint32_t code;
        size_t bytes = next_code(text + i, length - i, &code);
        int w = is_wide(code) ? 2 : 1;
        bool place = text[i] == ' ' || ((w == 2 || after_wide) && !closes(code));
        if (i > start && place && (width <= columns || best == length))
            best = i;
        if (width + w > columns && best < length)
            return best;
        after_wide = w == 2;
        width += w;
        i += bytes;
    }
    return length;
}

static bool is_source_line(const char *line, size_t length)
{
    size_t i = strspn(line, " 0123456789");
    return i < length && line[i] == '|';
}

void text_wrap(StrBuf *out, const char *text, int columns)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        const char *line = text;
        text += length + (text[length] == '\n');
        bool first = true;
        while (!is_source_line(line, length)) {
            int room = columns - (first ? 0 : (int)indent + 2);
            size_t n = break_of(line, length, room);
            if (n == length)
                break;
            if (!first)
                strbuf_printf(out, "%*s", (int)indent + 2, "");
            size_t shown = n;
            while (shown > 0 && line[shown - 1] == ' ')
                shown--;
            strbuf_append(out, line, shown);
            strbuf_puts(out, "\n");
            n += strspn(line + n, " ");
            line += n;
            length -= n;
            first = false;
        }
        if (!first)
            strbuf_printf(out, "%*s", (int)indent + 2, "");
        strbuf_append(out, line, length);
        strbuf_puts(out, "\n");
    }
}

int terminal_size(int fd, int *columns, int *rows)
{
    struct winsize size = {0};
    bool known = isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0;
    *columns = known && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
    *rows = known && size.ws_row > 0 ? size.ws_row : ROWS_DEFAULT;
    return known;
}
