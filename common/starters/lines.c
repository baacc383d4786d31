/* lines: see lines.h. */
#include "common/starters/lines.h"

#include <string.h>

static size_t count_newlines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

Lines lines_split(Arena *arena, const char *text)
{
    Lines lines = {.line = ARENA_NEW_ARRAY(arena, Line, count_newlines(text) + 1)};
    while (lines.line && *text) {
        size_t length = strcspn(text, "\n");
        lines.line[lines.n++] = (Line){text, length};
        text += length + (text[length] == '\n');
    }
    return lines;
}

Lines lines_from(Lines all, size_t first)
{
    return (Lines){all.line + first, all.n - first};
}

bool lines_same(Line a, Line b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

Line lines_trim(Line line)
{
    while (line.length > 0 && strchr(" \t", *line.text))
        line = (Line){line.text + 1, line.length - 1};
    while (line.length > 0 && strchr(" \t\r", line.text[line.length - 1]))
        line.length--;
    return line;
}

static bool is_comment(Line line)
{
    if (line.length > 0 && *line.text == '#')
        return line.length == 1 || line.text[1] == ' ';
    return line.length > 1 && line.text[0] == '/' && line.text[1] == '/';
}

size_t lines_comment(Lines lines)
{
    size_t n = 0;
    while (n < lines.n && is_comment(lines.line[n]))
        n++;
    return n;
}

static bool stand_at(Lines all, size_t at, Lines part)
{
    size_t i = 0;
    while (i < part.n && lines_same(all.line[at + i], part.line[i]))
        i++;
    return i == part.n;
}

size_t lines_count(Lines all, Lines part, size_t *first)
{
    size_t n = 0;
    for (size_t at = 0; at + part.n <= all.n; at++)
        if (stand_at(all, at, part) && n++ == 0)
            *first = at;
    return n;
}

void lines_append(StrBuf *text, char sign, Line line)
{
    if (sign)
        strbuf_append(text, &sign, 1);
    strbuf_append(text, line.text, line.length);
    strbuf_append(text, "\n", 1);
}
