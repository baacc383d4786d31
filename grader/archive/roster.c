/* roster: who is who in a download; see download.h. */
#include "grader/archive/download.h"
#include "grader/core/files.h"
#include "common/base/csv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROSTER_BYTES_MAX = 16 << 20 };

static Status no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the roster");
}

/* A row as the roster keeps it. Rows without an id, such as an empty last line, are passed over. */
static Status add_row(Arena *a, const char *path, const CsvRow *row, size_t column, int line, Roster *roster,
                      size_t *cap, Diag *d)
{
    const char *student = column < row->n ? row->cells[column].text : "";
    if (!student[0])
        return STATUS_OK;
    if (!handin_student_is_fit(student))
        return diag_set_at(d, STATUS_INVALID, path, line, 0, "the student's id cannot name a folder");
    if (!VEC_GROW(roster->rows, roster->n, *cap))
        return no_memory(d);
    struct RosterRow *r = &roster->rows[roster->n];
    *r = (struct RosterRow){.student = student, .others = ARENA_NEW_ARRAY(a, const char *, row->n)};
    if (!r->others)
        return no_memory(d);
    for (size_t i = 0; i < row->n; i++)
        if (row->cells[i].text[0])
            r->others[r->n_others++] = row->cells[i].text;
    roster->n++;
    return STATUS_OK;
}

Status roster_load(Arena *a, const char *path, Roster *roster, Diag *d)
{
    char *bytes;
    size_t length, cap = 0;
    CsvRow *row = ARENA_NEW(a, CsvRow);
    *roster = (Roster){0};
    Status s = row ? file_read(a, path, ROSTER_BYTES_MAX, &bytes, &length, d) : no_memory(d);
    if (s != STATUS_OK)
        return s;
    if (!csv_read_row(a, bytes, length, csv_start(bytes, length), row))
        return diag_set_at(d, STATUS_PARSE, path, 1, 0, "the roster's first row is no CSV");
    size_t column = csv_find(row, "student");
    column = column == row->n ? 0 : column;
    int line = 2;
    for (size_t at = row->end; s == STATUS_OK && at < length; at = row->end, line++)
        s = csv_read_row(a, bytes, length, at, row) ? add_row(a, path, row, column, line, roster, &cap, d)
                                                    : diag_set_at(d, STATUS_PARSE, path, line, 0, "no CSV");
    struct RosterRow *rows = ARENA_NEW_ARRAY(a, struct RosterRow, roster->n + 1);
    if (rows && roster->n)
        memcpy(rows, roster->rows, roster->n * sizeof *rows);
    free(roster->rows);
    roster->rows = rows;
    if (!rows)
        return no_memory(d);
    if (s == STATUS_OK && roster->n == 0)
        s = diag_set_at(d, STATUS_INVALID, path, 0, 0, "the roster holds no student");
    return s;
}

static bool has_name(const struct RosterRow *row, const char *name)
{
    for (size_t i = 0; i < row->n_others; i++)
        if (strcasecmp(row->others[i], name) == 0)
            return true;
    return false;
}

Status roster_find(const Roster *roster, const char *const *names, size_t n, const char **student, Diag *d)
{
    for (size_t i = 0; i < n; i++) {
        const struct RosterRow *found = NULL;
        for (size_t j = 0; names[i][0] && j < roster->n; j++) {
            if (!has_name(&roster->rows[j], names[i]))
                continue;
            if (found)
                return diag_set(d, STATUS_INVALID, "several students of the roster have this name");
            found = &roster->rows[j];
        }
        if (!found)
            continue;
        *student = found->student;
        return STATUS_OK;
    }
    return diag_set(d, STATUS_NOT_FOUND, "the roster has nobody of this name");
}
