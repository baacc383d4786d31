/* roster: see archive/roster.h. Taking students from other systems is in systems.c. */
#include "grader/archive/roster.h"
#include "grader/archive/archive.h"
#include "grader/core/files.h"
#include "common/base/csv.h"
#include "grader/text/escape.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double EXTRA_HOURS_MAX = 10000;

static Status roster_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the roster");
}

RosterColumn roster_column_from_word(const char *word)
{
    for (int i = 0; i < ROSTER_N; i++)
        if (strcasecmp(roster_column_word((RosterColumn)i), word) == 0)
            return (RosterColumn)i;
    return ROSTER_N;
}

Status roster_set(RosterRow *row, RosterColumn column, const char *text, Diag *d)
{
    char *end;
    double hours = column == ROSTER_EXTRA_HOURS ? strtod(text, &end) : 0;
    if (column == ROSTER_STUDENT && !handin_student_is_fit(text))
        return diag_set(d, STATUS_INVALID, "the student's id cannot name a folder");
    if (column == ROSTER_EXTRA_HOURS && text[0] && (*end || !(hours >= 0 && hours <= EXTRA_HOURS_MAX)))
        return diag_set(d, STATUS_INVALID, "extra_hours must be a number from 0 to %g, not '%s'",
                        EXTRA_HOURS_MAX, text);
    if (column == ROSTER_DROPPED && text[0] && strcmp(text, "yes") != 0)
        return diag_set(d, STATUS_INVALID, "dropped must be 'yes' or empty, not '%s'", text);
    row->cells[column] = text;
    return STATUS_OK;
}

Status roster_add(Arena *a, Roster *roster, const char *student, RosterRow **row, Diag *d)
{
    /* Powers of two are where the rows move: the arena keeps what they leave. */
    if ((roster->n & (roster->n - 1)) == 0) {
        RosterRow *rows = ARENA_NEW_ARRAY(a, RosterRow, roster->n ? 2 * roster->n : 1);
        if (!rows)
            return roster_no_memory(d);
        if (roster->n)
            memcpy(rows, roster->rows, roster->n * sizeof *rows);
        roster->rows = rows;
    }
    *row = &roster->rows[roster->n];
    **row = (RosterRow){.extra = ARENA_NEW_ARRAY(a, const char *, roster->n_extra + 1)};
    for (int i = 0; i < ROSTER_N; i++)
        (*row)->cells[i] = "";
    for (size_t i = 0; (*row)->extra && i < roster->n_extra; i++)
        (*row)->extra[i] = "";
    Status s = (*row)->extra ? roster_set(*row, ROSTER_STUDENT, student, d) : roster_no_memory(d);
    roster->n += s == STATUS_OK;
    return s;
}

/* Reading and writing ------------------------------------------------------------------------------- */

/* Which column of the file is which: known[i] for the roster's, the rest are further ones. */
typedef struct Heads {
    RosterColumn *columns; /* of each of the file's; ROSTER_N for a further one */
    size_t n;
} Heads;

static Status read_heads(Arena *a, const Sheet *sheet, Roster *roster, Heads *heads, Diag *d)
{
    const SheetRow *row = &sheet->rows[0];
    bool seen[ROSTER_N + 1] = {false};
    heads->n = row->n;
    heads->columns = ARENA_NEW_ARRAY(a, RosterColumn, row->n + 1);
    roster->extra = ARENA_NEW_ARRAY(a, const char *, row->n + 1);
    if (!heads->columns || !roster->extra)
        return roster_no_memory(d);
    bool has_student = sheet_column(sheet, roster_column_word(ROSTER_STUDENT)) != SIZE_MAX;
    for (size_t i = 0; i < row->n; i++) {
        RosterColumn column = !has_student && i == 0
                                  ? ROSTER_STUDENT
                                  : roster_column_from_word(csv_unguarded(row->cells[i].text));
        heads->columns[i] = seen[column] ? ROSTER_N : column;
        seen[column] = true;
        if (heads->columns[i] == ROSTER_N)
            roster->extra[roster->n_extra++] = csv_unguarded(row->cells[i].text);
    }
    return STATUS_OK;
}

/* A row as the roster keeps it. Rows without an id, such as an empty last line, are passed over. */
static Status read_row(Arena *a, const SheetRow *from, const Heads *heads, Roster *roster, Diag *d)
{
    const char *student = "";
    RosterRow *row;
    for (size_t i = 0; i < heads->n; i++)
        if (heads->columns[i] == ROSTER_STUDENT)
            student = csv_unguarded(sheet_text(from, i));
    if (!student[0])
        return STATUS_OK;
    Status s = roster_add(a, roster, student, &row, d);
    size_t n_extra = 0;
    for (size_t i = 0; s == STATUS_OK && i < heads->n; i++) {
        const char *text = csv_unguarded(sheet_text(from, i));
        if (heads->columns[i] == ROSTER_N)
            row->extra[n_extra++] = text;
        else
            s = roster_set(row, heads->columns[i], text, d);
    }
    return s;
}

static Status refuse_twins(Arena *a, const Roster *roster, Diag *d)
{
    const char **students = ARENA_NEW_ARRAY(a, const char *, roster->n + 1);
    for (size_t i = 0; students && i < roster->n; i++)
        students[i] = roster->rows[i].cells[ROSTER_STUDENT];
    return students ? handin_refuse_twins(students, roster->n, d) : roster_no_memory(d);
}

static Status load_roster_file(Arena *a, const char *path, Roster *roster, Diag *d)
{
    Sheet sheet;
    Heads heads;
    *roster = (Roster){0};
    Status s = sheet_load(a, path, &sheet, d);
    if (s == STATUS_OK)
        s = read_heads(a, &sheet, roster, &heads, d);
    for (size_t i = 1; s == STATUS_OK && i < sheet.n; i++) {
        Diag odd = {0};
        s = read_row(a, &sheet.rows[i], &heads, roster, &odd);
        if (s != STATUS_OK)
            diag_set_at(d, s, path, (int)i + 1, 0, "%s", odd.message);
    }
    return s == STATUS_OK ? refuse_twins(a, roster, d) : s;
}

Status roster_load(Arena *a, const char *path, Roster *roster, Diag *d)
{
    Status s = load_roster_file(a, path, roster, d);
    if (s == STATUS_OK && roster->n == 0)
        s = diag_set_at(d, STATUS_INVALID, path, 0, 0, "the roster holds no student");
    return s;
}

Status roster_load_out(Arena *a, const char *out_dir, Roster *roster, Diag *d)
{
    const char *path = arena_printf(a, "%s/roster.csv", out_dir);
    Status s = path ? load_roster_file(a, path, roster, d) : roster_no_memory(d);
    return s == STATUS_NOT_FOUND ? STATUS_OK : s;
}

static void put_cell(StrBuf *out, const char *text, bool first)
{
    strbuf_puts(out, first ? "" : ",");
    escape_csv(out, text, strlen(text));
}

Status roster_save_out(const Roster *roster, const char *out_dir, Diag *d)
{
    Arena a = {0};
    StrBuf out = {0};
    for (int k = 0; k < ROSTER_N; k++)
        put_cell(&out, roster_column_word((RosterColumn)k), k == 0);
    for (size_t k = 0; k < roster->n_extra; k++)
        put_cell(&out, roster->extra[k], false);
    strbuf_puts(&out, "\r\n");
    for (size_t i = 0; i < roster->n; i++) {
        for (int k = 0; k < ROSTER_N; k++)
            put_cell(&out, roster->rows[i].cells[k], k == 0);
        for (size_t k = 0; k < roster->n_extra; k++)
            put_cell(&out, roster->rows[i].extra[k], false);
        strbuf_puts(&out, "\r\n");
    }
    const char *path = arena_printf(&a, "%s/roster.csv", out_dir);
    Status s = refuse_twins(&a, roster, d);
    if (s == STATUS_OK)
        s = dir_make(out_dir, d);
    if (s == STATUS_OK)
        s = path && !out.failed ? file_write_atomic(path, out.text, out.length, d) : roster_no_memory(d);
    strbuf_free(&out);
    arena_free(&a);
    return s;
}

/* Who is who ------------------------------------------------------------------------------------------ */

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

static bool is_same(const char *own, const char *name, bool exactly)
{
    return own[0] && (exactly ? strcasecmp(own, name) == 0 : same_name(own, strlen(own), name));
}

static bool has_name(const Roster *roster, const RosterRow *row, const char *name, bool exactly)
{
    for (int i = 0; i < ROSTER_N; i++)
        if (roster_column_is_name((RosterColumn)i) && is_same(row->cells[i], name, exactly))
            return true;
    for (size_t i = 0; i < roster->n_extra; i++)
        if (is_same(row->extra[i], name, exactly))
            return true;
    return false;
}

bool roster_in_group(const RosterRow *row, const char *group)
{
    for (const char *p = row->cells[ROSTER_GROUP]; *p;) {
        size_t blanks = strspn(p, " ;"), length = strcspn(p + blanks, ";");
        p += blanks;
        if (length && same_name(p, length, group))
            return true;
        p += length;
    }
    return false;
}

/* The rows that have the name; *found is the first. */
static size_t count_rows(const Roster *roster, const char *name, bool exactly, const RosterRow **found)
{
    size_t n = 0;
    for (size_t j = 0; j < roster->n; j++) {
        if (!has_name(roster, &roster->rows[j], name, exactly))
            continue;
        if (n++ == 0)
            *found = &roster->rows[j];
    }
    return n;
}

Status roster_find(const Roster *roster, const char *const *names, size_t n, const char **student, Diag *d)
{
    const RosterRow *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t rows = names[i][0] ? count_rows(roster, names[i], true, &found) : 0;
        if (rows == 0 && names[i][0])
            rows = count_rows(roster, names[i], false, &found);
        if (rows > 1)
            return diag_set(d, STATUS_INVALID, "several students of the roster have this name");
        if (rows == 0)
            continue;
        *student = found->cells[ROSTER_STUDENT];
        return STATUS_OK;
    }
    return diag_set(d, STATUS_NOT_FOUND, "the roster has nobody of this name");
}
