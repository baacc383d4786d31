/* edit: applies an edit. See edit.h for its form. */
#include "common/starters/edit_internal.h"

#include <stdio.h>
#include <string.h>

/* One hunk: its lines, signs first, and where they begin in the edit (the number of the `@@`, from 1). */
typedef struct Hunk {
    Lines lines;
    int line;
    size_t n_old; /* lines of the solution in it */
} Hunk;

typedef struct Edit {
    const char *name;
    Lines head, rest;
    Lines solution; /* without its first comment where the edit has a head */
    Arena arena;
    Diag *diag;
} Edit;

static const char hunk_sign[] = "@@";

bool edit_is(const char *path)
{
    size_t length = strlen(path), suffix = strlen(EDIT_SUFFIX);
    return length > suffix && strcmp(path + length - suffix, EDIT_SUFFIX) == 0;
}

static bool starts_hunk(Line line)
{
    return line.length == strlen(hunk_sign) && memcmp(line.text, hunk_sign, line.length) == 0;
}

static Status fail_at(const Edit *e, int line, const char *message)
{
    return diag_set_at(e->diag, STATUS_PARSE, e->name, line, 0, "%s", message);
}

/* ---- The number of a marked line ---- */

bool edit_line_mark(Line line, Line *before, Line *value)
{
    static const char *const signs[] = {"// line: ", "# line: "};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(signs[i]);
        if (line.length < length || memcmp(line.text, signs[i], length) != 0)
            continue;
        *before = (Line){line.text, length};
        *value = lines_trim((Line){line.text + length, line.length - length});
        return true;
    }
    return false;
}

/* Takes ` (2 of 5)` from the end of a value: which of how many lines. */
static void take_which(Line *value, size_t *which, size_t *of)
{
    char end[32], again[32];
    *which = *of = 1;
    size_t start = value->length;
    while (start > 0 && value->text[start - 1] != '(')
        start--;
    size_t length = value->length - start;
    if (start < 2 || length >= sizeof end)
        return;
    size_t a, b;
    memcpy(end, value->text + start, length);
    end[length] = '\0';
    if (sscanf(end, "%zu of %zu)", &a, &b) != 2)
        return;
    snprintf(again, sizeof again, "%zu of %zu)", a, b);
    if (strcmp(again, end) != 0)
        return;
    *which = a;
    *of = b;
    *value = lines_trim((Line){value->text, start - 1});
}

static bool is_number(Line value)
{
    size_t digits = 0;
    while (digits < value.length && value.text[digits] >= '0' && value.text[digits] <= '9')
        digits++;
    return digits == value.length;
}

/* The number, from 1, of the line that a mark means; 0 when not so many lines have that text: *found have. */
static size_t find_marked(Lines all, Line value, size_t *found)
{
    size_t which, of, number = 0;
    take_which(&value, &which, &of);
    *found = 0;
    for (size_t i = 0; i < all.n; i++)
        if (lines_same(lines_trim(all.line[i]), value) && ++*found == which)
            number = i + 1;
    return *found == of ? number : 0;
}

/* Appends line i of the head, its mark as a number. */
static Status number_line(const char *name, Lines all, size_t i, StrBuf *whole, Diag *diag)
{
    Line before, value;
    if (!edit_line_mark(all.line[i], &before, &value) || is_number(value)) {
        lines_append(whole, 0, all.line[i]);
        return STATUS_OK;
    }
    size_t found, number = find_marked(all, value, &found);
    strbuf_append(whole, before.text, before.length);
    strbuf_printf(whole, "%zu\n", number);
    return number > 0 ? STATUS_OK
                      : diag_set_at(diag, STATUS_PARSE, name, (int)i + 1, 0,
                                    "%zu lines of the source have this text: write `line: TEXT`, or `line: "
                                    "TEXT (2 of 5)` where several do",
                                    found);
}

Status edit_number_lines(const char *name, const char *text, StrBuf *whole, Diag *diag)
{
    Arena arena = {0};
    Lines all = lines_split(&arena, text);
    size_t n_head = lines_comment(all);
    Status status = all.line ? STATUS_OK : diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", name);
    for (size_t i = 0; i < n_head && !status; i++)
        status = number_line(name, all, i, whole, diag);
    if (!status && n_head < all.n)
        strbuf_puts(whole, all.line[n_head].text);
    arena_free(&arena);
    return status;
}

/* ---- Hunks ---- */

/* Reads the hunk that begins at rest.line[*at], and moves *at behind it. Lines of both lose nothing when an
 * editor took their only blank. */
static Status read_hunk(Edit *e, size_t *at, Hunk *hunk)
{
    size_t first = *at + 1, end = first;
    *hunk = (Hunk){.line = (int)(e->head.n + first)};
    for (; end < e->rest.n && !starts_hunk(e->rest.line[end]); end++) {
        Line line = e->rest.line[end];
        if (line.length > 0 && !strchr(" +-", *line.text))
            return fail_at(e, (int)(e->head.n + end + 1), "lines of a hunk begin with a blank, + or -");
        hunk->n_old += line.length == 0 || *line.text != '+';
    }
    hunk->lines = (Lines){e->rest.line + first, end - first};
    *at = end;
    return hunk->n_old > 0 ? STATUS_OK
                           : fail_at(e, hunk->line, "a hunk without a line of the solution says no place");
}

static Line without_sign(Line line)
{
    return line.length > 0 ? (Line){line.text + 1, line.length - 1} : line;
}

/* Says which line of the hunk the solution does not have, or that they do not stand together. */
static Status no_place(const Edit *e, const Hunk *hunk)
{
    size_t first;
    for (size_t i = 0; i < hunk->lines.n; i++) {
        Line line = hunk->lines.line[i], text = without_sign(line);
        if ((line.length == 0 || *line.text != '+') &&
            lines_count(e->solution, (Lines){&text, 1}, &first) == 0)
            return fail_at(e, hunk->line + (int)i + 1,
                           "the solution has no such line: the edit no longer applies");
    }
    return fail_at(e, hunk->line,
                   "the solution does not have these lines one after the other: the edit no longer applies");
}

/* Where the hunk's lines of the solution stand in it, from `least` on. */
static Status find_place(Edit *e, const Hunk *hunk, size_t least, size_t *place)
{
    Lines old = {.line = ARENA_NEW_ARRAY(&e->arena, Line, hunk->n_old)};
    if (!old.line)
        return diag_set(e->diag, STATUS_NO_MEMORY, "no memory for %s", e->name);
    for (size_t i = 0; i < hunk->lines.n; i++) {
        Line line = hunk->lines.line[i];
        if (line.length == 0 || *line.text != '+')
            old.line[old.n++] = without_sign(line);
    }
    size_t n = lines_count(e->solution, old, place);
    if (n == 0)
        return no_place(e, hunk);
    if (n > 1)
        return fail_at(e, hunk->line,
                       "the solution has these lines more than once: give more of the lines around them");
    return *place >= least
               ? STATUS_OK
               : fail_at(e, hunk->line, "hunks stand in the order of the solution, and share no line");
}

static void copy_lines(StrBuf *to, Lines from, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        lines_append(to, 0, from.line[i]);
}

static Status apply_hunks(Edit *e, StrBuf *out)
{
    size_t done = 0; /* lines of the solution that are dealt with */
    Status status = STATUS_OK;
    for (size_t at = 0; at < e->rest.n;) {
        Hunk hunk;
        size_t place = 0;
        status = read_hunk(e, &at, &hunk);
        if (!status)
            status = find_place(e, &hunk, done, &place);
        if (status)
            return status;
        copy_lines(out, e->solution, done, place);
        for (size_t i = 0; i < hunk.lines.n; i++)
            if (hunk.lines.line[i].length == 0 || *hunk.lines.line[i].text != '-')
                lines_append(out, 0, without_sign(hunk.lines.line[i]));
        done = place + hunk.n_old;
    }
    copy_lines(out, e->solution, done, e->solution.n);
    return status;
}

Status edit_apply(const char *name, const char *edit, const char *solution, StrBuf *whole, Diag *diag)
{
    Edit e = {.name = name, .diag = diag};
    Lines all = lines_split(&e.arena, edit);
    StrBuf text = {0};
    e.solution = lines_split(&e.arena, solution);
    while (e.head.n < all.n && !starts_hunk(all.line[e.head.n]))
        e.head.n++;
    e.head.line = all.line;
    e.rest = lines_from(all, e.head.n);
    if (e.head.n > 0)
        e.solution = lines_from(e.solution, lines_comment(e.solution));
    copy_lines(&text, e.head, 0, e.head.n);
    Status status = all.line && e.solution.line ? apply_hunks(&e, &text) : STATUS_NO_MEMORY;
    if (!status)
        status = edit_number_lines(name, text.text ? text.text : "", whole, diag);
    strbuf_free(&text);
    arena_free(&e.arena);
    return status;
}
