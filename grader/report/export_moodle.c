/* Moodle's offline grading worksheet, filled in.
 *
 * The file is the one that Moodle gave: its columns are named in the site's language, and its first column
 * holds numbers of Moodle's own, so none can be made up here. Only the cells of the grade column change;
 * every other byte stays. A student's row is the one in which some cell is the student's id, or in which the
 * first cell ends with it ("Participant 123"). A student without a row, or with two, makes the whole refused:
 * no grade is lost silently.
 */
#include "grader/report/report_internal.h"

#include "common/base/csv.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with_word(const char *text, const char *word)
{
    size_t n = strlen(text), m = strlen(word);
    return n > m && text[n - m - 1] == ' ' && strcmp(text + n - m, word) == 0;
}

static bool is_row_of(const CsvRow *row, size_t column, const char *student)
{
    bool found = row->n > 0 && ends_with_word(row->cells[0].text, student);
    for (size_t i = 0; i < row->n && !found; i++)
        found = i != column && (strcmp(row->cells[i].text, student) == 0 ||
                                strcmp(csv_unguarded(row->cells[i].text), student) == 0);
    return found;
}

/* The one student of a row, by index; n_students when it is nobody's, n_students + 1 when of several. */
static size_t find_student(const ReportClass *c, const CsvRow *row, size_t column)
{
    size_t found = c->n_students;
    for (size_t i = 0; i < c->n_students; i++)
        if (is_row_of(row, column, c->students[i]))
            found = found == c->n_students ? i : c->n_students + 1;
    return found;
}

static void put_row(StrBuf *out, const char *sheet, size_t start, const CsvRow *row, size_t column,
                    GradeThatCounts counting)
{
    if (!counting.counts) {
        strbuf_append(out, sheet + start, row->end - start);
        return;
    }
    const CsvCell *cell = &row->cells[column];
    strbuf_append(out, sheet + start, cell->start - start);
    strbuf_printf(out, "%.2f", counting.points);
    strbuf_append(out, sheet + cell->end, row->end - cell->end);
}

typedef struct Filling {
    const ReportClass *c;
    const char *sheet;
    size_t length, column;
    unsigned char *n_rows; /* of each student, at most 2 */
    StrBuf *out;
} Filling;

static Status fill_rows(Arena *a, const Filling *f, size_t at, Diag *d)
{
    CsvRow row;
    for (size_t line = 2; at < f->length; line++, at = row.end) {
        if (!csv_read_row(a, f->sheet, f->length, at, &row))
            return diag_set(d, STATUS_PARSE, "row %zu of the worksheet is no CSV", line);
        size_t i = find_student(f->c, &row, f->column);
        if (i > f->c->n_students)
            return diag_set(d, STATUS_INVALID, "row %zu of the worksheet fits several students", line);
        if (i < f->c->n_students && row.n <= f->column)
            return diag_set(d, STATUS_INVALID, "row %zu of the worksheet has no cell for the grade", line);
        if (i < f->c->n_students && f->n_rows[i]++)
            return diag_set(d, STATUS_INVALID, "%s has several rows in the worksheet", f->c->students[i]);
        const char *student = i < f->c->n_students ? f->c->students[i] : "";
        put_row(f->out, f->sheet, at, &row, f->column, report_class_counting(f->c, student, f->c->labs[0]));
    }
    for (size_t i = 0; i < f->c->n_students; i++)
        if (!f->n_rows[i])
            return diag_set(d, STATUS_NOT_FOUND, "the worksheet has no row for %s", f->c->students[i]);
    return STATUS_OK;
}

Status report_moodle(const ReportClass *c, const char *sheet, size_t length, const char *column, StrBuf *out,
                     Diag *d)
{
    Arena a = {0};
    CsvRow head;
    Filling f = {
        .c = c, .sheet = sheet, .length = length, .out = out, .n_rows = arena_alloc(&a, c->n_students + 1)};
    Status s = STATUS_OK;
    if (c->n_labs != 1) {
        s = diag_set(d, STATUS_INVALID, "a worksheet is of one lab, and %zu are chosen", c->n_labs);
        diag_hint(d, "choose one by --labs");
    } else if (!f.n_rows) {
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
    } else if (!csv_read_row(&a, sheet, length, csv_start(sheet, length), &head)) {
        s = diag_set(d, STATUS_PARSE, "row 1 of the worksheet is no CSV");
    } else if ((f.column = csv_find(&head, column)) == head.n) {
        s = diag_set(d, STATUS_NOT_FOUND, "the worksheet has no column '%s'", column);
        diag_hint(d, "--column names the grade's column as your Moodle calls it");
    } else {
        strbuf_append(out, sheet, head.end);
        s = fill_rows(&a, &f, head.end, d);
    }
    arena_free(&a);
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the export") : s;
}
