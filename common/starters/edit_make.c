/* edit: makes an edit from a whole source.
 *
 * The longest common subsequence of the lines says which lines go and which come. A hunk is a run of such
 * lines with a line of both at either end, and with more until what it shows of the solution stands there
 * once. Hunks that come to share a line become one.
 */
#include "common/starters/edit_internal.h"

#include <stdint.h>
#include <string.h>

enum { LINES_MAX = 5000 };

/* The lines [from, to) of the solution that a hunk shows. */
typedef struct Piece {
    size_t from, to;
} Piece;

/* Lines of the submission that come before a line of the solution. */
typedef struct Added {
    size_t first, n;
} Added;

typedef struct Maker {
    Lines whole, solution; /* without their heads */
    uint16_t *common;      /* [i][j]: how many lines solution[i..] and whole[j..] have in common */
    bool *gone;            /* for each line of the solution */
    Added *added;          /* before each of them, and at the end */
    Piece *pieces;
    size_t n_pieces;
    Arena arena;
} Maker;

static uint16_t *common_at(const Maker *m, size_t i, size_t j)
{
    return &m->common[i * (m->whole.n + 1) + j];
}

static void fill_common(Maker *m)
{
    for (size_t i = m->solution.n; i-- > 0;)
        for (size_t j = m->whole.n; j-- > 0;) {
            uint16_t down = *common_at(m, i + 1, j), right = *common_at(m, i, j + 1);
            uint16_t both = (uint16_t)(*common_at(m, i + 1, j + 1) + 1);
            bool same = lines_same(m->solution.line[i], m->whole.line[j]);
            *common_at(m, i, j) = same ? both : down > right ? down : right;
        }
}

/* Takes one change: lines that go and lines that come, until a line stays. */
static void take_change(Maker *m, size_t *i, size_t *j)
{
    Piece piece = {.from = *i};
    size_t first = *j;
    while (*i < m->solution.n || *j < m->whole.n) {
        bool both = *i < m->solution.n && *j < m->whole.n;
        if (both && lines_same(m->solution.line[*i], m->whole.line[*j]))
            break;
        if (*j == m->whole.n || (both && *common_at(m, *i + 1, *j) >= *common_at(m, *i, *j + 1)))
            m->gone[(*i)++] = true;
        else
            ++*j;
    }
    piece.to = *i;
    m->added[*i] = (Added){first, *j - first};
    m->pieces[m->n_pieces++] = piece;
}

static void take_changes(Maker *m)
{
    for (size_t i = 0, j = 0; i < m->solution.n || j < m->whole.n;) {
        if (i < m->solution.n && j < m->whole.n && lines_same(m->solution.line[i], m->whole.line[j])) {
            i++;
            j++;
        } else {
            take_change(m, &i, &j);
        }
    }
}

static bool says_place(const Maker *m, const Piece *piece)
{
    size_t first;
    Lines shown = {m->solution.line + piece->from, piece->to - piece->from};
    return shown.n == m->solution.n || (shown.n > 0 && lines_count(m->solution, shown, &first) == 1);
}

static void widen_piece(const Maker *m, Piece *piece)
{
    do {
        piece->from -= piece->from > 0;
        piece->to += piece->to < m->solution.n;
    } while (!says_place(m, piece));
}

/* Widens all, and makes one of those that share a line. */
static void widen_pieces(Maker *m)
{
    size_t n = 0;
    for (size_t k = 0; k < m->n_pieces; k++) {
        Piece piece = m->pieces[k];
        widen_piece(m, &piece);
        while (n > 0 && m->pieces[n - 1].to > piece.from) {
            const Piece *last = &m->pieces[--n];
            piece.from = last->from < piece.from ? last->from : piece.from;
            piece.to = last->to > piece.to ? last->to : piece.to;
        }
        m->pieces[n++] = piece;
    }
    m->n_pieces = n;
}

static void write_added(const Maker *m, size_t i, StrBuf *edit)
{
    for (size_t k = 0; k < m->added[i].n; k++)
        lines_append(edit, '+', m->whole.line[m->added[i].first + k]);
}

/* What comes before the first line of a piece, or behind its last one, is that of another piece, but at the
 * ends of the text. */
static void write_piece(const Maker *m, const Piece *piece, StrBuf *edit)
{
    strbuf_puts(edit, "@@\n");
    for (size_t i = piece->from; i < piece->to; i++) {
        Line line = m->solution.line[i];
        if (i > piece->from || i == 0)
            write_added(m, i, edit);
        lines_append(edit, m->gone[i] ? '-' : line.length > 0 ? ' ' : 0, line);
    }
    if (piece->to == m->solution.n)
        write_added(m, piece->to, edit);
}

static bool make_room(Maker *m)
{
    size_t n = m->solution.n + 1;
    m->common = ARENA_NEW_ARRAY(&m->arena, uint16_t, n * (m->whole.n + 1));
    m->gone = ARENA_NEW_ARRAY(&m->arena, bool, n);
    m->added = ARENA_NEW_ARRAY(&m->arena, Added, n);
    m->pieces = ARENA_NEW_ARRAY(&m->arena, Piece, n + m->whole.n);
    return m->common && m->gone && m->added && m->pieces;
}

static bool write_hunks(Maker *m, StrBuf *edit)
{
    if (m->solution.n == 0 || m->solution.n > LINES_MAX || m->whole.n > LINES_MAX || !make_room(m))
        return false;
    fill_common(m);
    take_changes(m);
    widen_pieces(m);
    for (size_t k = 0; k < m->n_pieces; k++)
        write_piece(m, &m->pieces[k], edit);
    return true;
}

/* ---- The head ---- */

/* The line of the source that a mark means, as edit.c finds it again: its text, and which of how many it is.
 */
static void write_mark(Lines whole, Line before, Line value, Line mark, StrBuf *edit)
{
    size_t number = 0, which = 0, of = 0;
    for (size_t i = 0; i < value.length && number < LINES_MAX; i++)
        number = number * 10 + (size_t)(value.text[i] - '0');
    Line text = number >= 1 && number <= whole.n ? lines_trim(whole.line[number - 1]) : (Line){0};
    for (size_t i = 0; i < whole.n && text.length > 0; i++) {
        of += lines_same(lines_trim(whole.line[i]), text);
        which += i < number && lines_same(lines_trim(whole.line[i]), text);
    }
    if (of == 0) {
        lines_append(edit, 0, mark);
        return;
    }
    strbuf_append(edit, before.text, before.length);
    strbuf_append(edit, text.text, text.length);
    if (of > 1)
        strbuf_printf(edit, " (%zu of %zu)", which, of);
    strbuf_puts(edit, "\n");
}

static void write_head(Lines whole, size_t n_head, StrBuf *edit)
{
    for (size_t i = 0; i < n_head; i++) {
        Line before, value;
        if (edit_line_mark(whole.line[i], &before, &value) &&
            strspn(value.text, "0123456789") >= value.length)
            write_mark(whole, before, value, whole.line[i], edit);
        else
            lines_append(edit, 0, whole.line[i]);
    }
}

/* How many lines are comments at the start when blank ones between them count too. */
static size_t long_head(Lines whole)
{
    size_t n = lines_comment(whole), end = n;
    while (end < whole.n && (whole.line[end].length == 0 || lines_comment(lines_from(whole, end)) > 0)) {
        end++;
        n = whole.line[end - 1].length > 0 ? end : n;
    }
    return n;
}

typedef struct Attempt {
    const char *name, *whole, *solution;
    Lines whole_lines, solution_lines;
    StrBuf best;
} Attempt;

static size_t count_lines(const StrBuf *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->length; i++)
        n += text->text[i] == '\n';
    return n;
}

/* The edit with a head of so many lines (0: the solution's comment stays) becomes the best one where it has
 * fewer lines, and gives the source back. */
static void try_head(Attempt *a, size_t n_head)
{
    Maker m = {.whole = lines_from(a->whole_lines, n_head), .solution = a->solution_lines};
    StrBuf edit = {0}, again = {0};
    if (n_head > 0)
        m.solution = lines_from(m.solution, lines_comment(m.solution));
    write_head(a->whole_lines, n_head, &edit);
    bool good = write_hunks(&m, &edit) && edit.text &&
                edit_apply(a->name, edit.text, a->solution, &again, NULL) == STATUS_OK && again.text &&
                strcmp(again.text, a->whole) == 0;
    if (good && (!a->best.text || count_lines(&edit) < count_lines(&a->best))) {
        StrBuf worse = a->best;
        a->best = edit;
        edit = worse;
    }
    strbuf_free(&edit);
    strbuf_free(&again);
    arena_free(&m.arena);
}

Status edit_make(const char *name, const char *whole, const char *solution, StrBuf *edit, Diag *diag)
{
    Arena arena = {0};
    Attempt a = {.name = name, .whole = whole, .solution = solution};
    a.whole_lines = lines_split(&arena, whole);
    a.solution_lines = lines_split(&arena, solution);
    try_head(&a, 0);
    try_head(&a, lines_comment(a.whole_lines));
    try_head(&a, long_head(a.whole_lines));
    if (a.best.text)
        strbuf_append(edit, a.best.text, a.best.length);
    Status status = a.best.text ? STATUS_OK
                                : diag_set_at(diag, STATUS_INVALID, name, 0, 0,
                                              "no edit of the solution gives this text: it stays a file");
    strbuf_free(&a.best);
    arena_free(&arena);
    return status;
}
