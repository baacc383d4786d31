/* csv: see csv.h. */
#include "common/base/csv.h"

#include <string.h>

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

size_t csv_start(const char *sheet, size_t length)
{
    return length >= 3 && memcmp(sheet, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* The end of the cell that begins at `at`; *fine says whether its quotes are closed where it ends. */
static size_t find_cell_end(const char *sheet, size_t length, size_t at, bool *fine)
{
    bool quoted = at < length && sheet[at] == '"', open = quoted;
    size_t i = at + quoted;
    for (; i < length && open; i++) {
        if (sheet[i] == '"' && i + 1 < length && sheet[i + 1] == '"')
            i++;
        else
            open = sheet[i] != '"';
    }
    while (!quoted && i < length && sheet[i] != ',' && !is_line_end(sheet[i]))
        i++;
    *fine = !open && (i == length || sheet[i] == ',' || is_line_end(sheet[i]));
    return i;
}

/* One cell, from *at on; false when it is none, or there is no memory. */
static bool read_cell(Arena *a, const char *sheet, size_t length, size_t *at, CsvCell *cell)
{
    bool fine;
    size_t start = *at, end = find_cell_end(sheet, length, start, &fine), n = 0;
    *at = end;
    *cell = (CsvCell){.start = start, .end = end, .text = fine ? arena_alloc(a, end - start + 1) : NULL};
    bool quoted = end > start && sheet[start] == '"';
    for (size_t i = start + quoted; cell->text && i < end - quoted; i++) {
        cell->text[n++] = sheet[i];
        i += quoted && sheet[i] == '"';
    }
    return cell->text;
}

bool csv_read_row(Arena *a, const char *sheet, size_t length, size_t at, CsvRow *row)
{
    row->n = 0;
    for (;;) {
        if (row->n == CSV_CELLS_MAX || !read_cell(a, sheet, length, &at, &row->cells[row->n++]))
            return false;
        if (at == length || sheet[at] != ',')
            break;
        at++;
    }
    at += at < length && sheet[at] == '\r';
    at += at < length && sheet[at] == '\n';
    row->end = at;
    return true;
}

size_t csv_next_line(const char *sheet, size_t length, size_t at)
{
    const char *end = memchr(sheet + at, '\n', length - at);
    return end ? (size_t)(end - sheet) + 1 : length;
}

size_t csv_find(const CsvRow *row, const char *text)
{
    size_t i = 0;
    while (i < row->n && strcmp(row->cells[i].text, text) != 0)
        i++;
    return i;
}

bool csv_is_formula(const char *text)
{
    static const char *const starts[] = {
        "=", "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    text += strspn(text, "'");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

const char *csv_unguarded(const char *text)
{
    return text[0] == '\'' && csv_is_formula(text) ? text + 1 : text;
}
