/* lines: a text as its lines, which point into it. */
#ifndef COMMON_STARTERS_LINES_H
#define COMMON_STARTERS_LINES_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* A line without its newline. */
typedef struct Line {
    const char *text;
    size_t length;
} Line;

typedef struct Lines {
    Line *line;
    size_t n;
} Lines;

/* The lines of a text; `line` is NULL when there is no memory, or no line. A newline at the end ends the last
 * line. */
Lines lines_split(Arena *arena, const char *text);
/* The lines from `first` on. */
Lines lines_from(Lines all, size_t first);
bool lines_same(Line a, Line b);
/* The line without the blanks at its ends. */
Line lines_trim(Line line);
/* How many lines at the start of a text are comments: `//`, or `#` and a blank as in YAML. */
size_t lines_comment(Lines lines);
/* How often the lines of `part` stand in `all`, one after the other; *first is where they do first. */
size_t lines_count(Lines all, Lines part, size_t *first);
/* Appends a line with a sign before it (0: none) and a newline behind it. */
void lines_append(StrBuf *text, char sign, Line line);

#endif
