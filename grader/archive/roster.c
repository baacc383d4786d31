/* roster: who is who in a download; see download.h. */
#include "grader/archive/download.h"
#include "grader/core/files.h"
#include "common/base/csv.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROSTER_BYTES_MAX = 16 << 20 };

static Status no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the roster");
}

/* Which columns of the header are not plain names. */
typedef struct Columns {
    size_t student, group; /* group: past the last one where there is none */
} Columns;

/* A row as the roster keeps it. Rows without an id, such as an empty last line, are passed over. */
static Status add_row(Arena *a, const char *path, const CsvRow *row, const Columns *columns, int line,
                      Roster *roster, size_t *cap, Diag *d)
{
    size_t column = columns->student;
    const char *student = column < row->n ? csv_unguarded(row->cells[column].text) : "";
    if (!student[0])
        return STATUS_OK;
    if (!handin_student_is_fit(student))
        return diag_set_at(d, STATUS_INVALID, path, line, 0, "the student's id cannot name a folder");
    if (!VEC_GROW(roster->rows, roster->n, *cap))
        return no_memory(d);
    struct RosterRow *r = &roster->rows[roster->n];
    *r = (struct RosterRow){.student = student,
                            .others = ARENA_NEW_ARRAY(a, const char *, row->n),
                            .groups = columns->group < row->n ? row->cells[columns->group].text : ""};
    if (!r->others)
        return no_memory(d);
    for (size_t i = 0; i < row->n; i++)
        if (i != columns->group && row->cells[i].text[0])
            r->others[r->n_others++] = csv_unguarded(row->cells[i].text);
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
    Columns columns = {csv_find(row, "student"), csv_find(row, "group")};
    columns.student = columns.student == row->n ? 0 : columns.student;
    columns.group = columns.group == row->n || columns.group == columns.student ? SIZE_MAX : columns.group;
    int line = 2;
    for (size_t at = row->end; s == STATUS_OK && at < length; at = row->end, line++)
        s = csv_read_row(a, bytes, length, at, row) ? add_row(a, path, row, &columns, line, roster, &cap, d)
                                                    : diag_set_at(d, STATUS_PARSE, path, line, 0, "no CSV");
    struct RosterRow *rows = ARENA_NEW_ARRAY(a, struct RosterRow, roster->n + 1);
    if (rows && roster->n)
        memcpy(rows, roster->rows, roster->n * sizeof *rows);
    free(roster->rows);
    roster->rows = rows;
    if (!rows)
        return no_memory(d);
    const char **students = s == STATUS_OK ? ARENA_NEW_ARRAY(a, const char *, roster->n + 1) : NULL;
    for (size_t i = 0; students && i < roster->n; i++)
        students[i] = rows[i].student;
    if (students)
        s = handin_refuse_twins(students, roster->n, d);
    if (s == STATUS_OK && roster->n == 0)
        s = diag_set_at(d, STATUS_INVALID, path, 0, 0, "the roster holds no student");
    return s;
}

/* The next character at p that a file name may have, an underscore as a blank; *p moves behind it. */
static int next_in_name(const char **p, const char *end)
{
    while (*p < end && strchr("&<>\"`|':\\/", **p))
        (*p)++;
    int c = *p < end ? tolower((unsigned char)*(*p)++) : '\0';
    return c == '_' ? ' ' : c;
}

/* Whether one[0..length) and other are the same name but for case and what a file name cannot have. */
static bool same_name(const char *one, size_t length, const char *other)
{
    const char *p = one, *q = other, *p_end = one + length, *q_end = other + strlen(other);
    for (int c, e;;) {
        c = next_in_name(&p, p_end);
        e = next_in_name(&q, q_end);
        if (c != e || !c)
            return c == e;
    }
}

static bool has_name(const struct RosterRow *row, const char *name, bool exactly)
{
    for (size_t i = 0; i < row->n_others; i++)
        if (exactly ? strcasecmp(row->others[i], name) == 0
                    : same_name(row->others[i], strlen(row->others[i]), name))
            return true;
    return false;
}

bool roster_in_group(const struct RosterRow *row, const char *group)
{
    for (const char *p = row->groups; *p;) {
        size_t blanks = strspn(p, " ;"), length = strcspn(p + blanks, ";");
        p += blanks;
        if (length && same_name(p, length, group))
            return true;
        p += length;
    }
    return false;
}

/* The rows that have the name; *found is the first. */
static size_t count_rows(const Roster *roster, const char *name, bool exactly, const struct RosterRow **found)
{
    size_t n = 0;
    for (size_t j = 0; j < roster->n; j++) {
        if (!has_name(&roster->rows[j], name, exactly))
            continue;
        if (n++ == 0)
            *found = &roster->rows[j];
    }
    return n;
}

Status roster_find(const Roster *roster, const char *const *names, size_t n, const char **student, Diag *d)
{
    const struct RosterRow *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t rows = names[i][0] ? count_rows(roster, names[i], true, &found) : 0;
        if (rows == 0 && names[i][0])
            rows = count_rows(roster, names[i], false, &found);
        if (rows > 1)
            return diag_set(d, STATUS_INVALID, "several students of the roster have this name");
        if (rows == 0)
            continue;
        *student = found->student;
        return STATUS_OK;
    }
    return diag_set(d, STATUS_NOT_FOUND, "the roster has nobody of this name");
}
