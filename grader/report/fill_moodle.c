/* Moodle's offline grading worksheet, filled in; see fill.h.
 *
 * Its columns are named in the site's language, and its first column holds numbers of Moodle's own
 * ("Participant 4711"). On upload Moodle finds a student by that number, skips a grade that is empty or
 * beyond the maximum, and puts the comment, which is HTML, in place of the one that it has.
 */
#include "grader/report/fill_internal.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* A comment of ours begins so; what stands before it is somebody else's and stays. */
static const char OURS[] = "<p>CUDA Lab Kit: ";

static void put_pre(StrBuf *out, const char *text)
{
    if (!text[0])
        return;
    strbuf_puts(out, "<pre>");
    html_text(out, text);
    strbuf_puts(out, "</pre>");
}

static void put_case(StrBuf *out, const CaseResult *k)
{
    strbuf_puts(out, "<li>");
    html_text(out, k->name);
    strbuf_printf(out, ": %s, ", verdict_word(k->verdict));
    report_score(out, k->points, k->max_points);
    if (k->verdict != VERDICT_PASS) {
        put_pre(out, k->message);
        html_text(out, k->lesson);
        put_pre(out, report_hint_beyond_message(k));
    }
    strbuf_puts(out, "</li>");
}

/* What the student may read of a result, in the little HTML that editors of learning systems keep. */
static bool put_comment(StrBuf *out, const Result *r, const Grade *g)
{
    Arena a = {0};
    const char **notes;
    size_t n = 0;
    Result *view = report_student_view(r);
    bool fine = view && report_grade_notes(&a, g, true, &notes, &n);
    if (fine) {
        strbuf_printf(out, "%s%s, ", OURS, verdict_word(view->verdict));
        report_counting(out, grade_that_counts(g), view->max_score);
        strbuf_puts(out, ".</p>");
        for (size_t i = 0; i < n; i++) {
            strbuf_puts(out, "<p>");
            html_text(out, notes[i]);
            strbuf_puts(out, "</p>");
        }
        if (view->build_verdict != VERDICT_PASS)
            put_pre(out, view->build_log);
        strbuf_puts(out, view->n_cases ? "<ul>" : "");
        for (size_t i = 0; i < view->n_cases; i++)
            put_case(out, &view->cases[i]);
        strbuf_puts(out, view->n_cases ? "</ul>" : "");
    }
    result_free(view);
    arena_free(&a);
    return fine && !out->failed;
}

typedef struct Columns {
    size_t grade, comments, max, may_change;
} Columns;

static Status find_columns(const Sheet *sheet, const FillOptions *options, Columns *columns, Diag *d)
{
    const char *grade = options->column ? options->column : "Grade";
    columns->grade = sheet_column(sheet, grade);
    columns->comments = sheet_column(sheet, options->comments ? options->comments : "Feedback comments");
    columns->max = sheet_column(sheet, "Maximum Grade");
    columns->may_change = sheet_column(sheet, "Grade can be changed");
    if (columns->grade == SIZE_MAX) {
        diag_set(d, STATUS_NOT_FOUND, "the worksheet has no column '%s'", grade);
        diag_hint(d, "--column names the grade's column as your Moodle calls it");
        return STATUS_NOT_FOUND;
    }
    if (options->comments && columns->comments == SIZE_MAX)
        return diag_set(d, STATUS_NOT_FOUND, "the worksheet has no column '%s'", options->comments);
    return STATUS_OK;
}

/* The comment behind what somebody else has written there. */
static Status make_comment(const char *was, const Result *r, const Grade *g, StrBuf *comment, Diag *d)
{
    const char *ours = strstr(was, OURS);
    strbuf_append(comment, was, ours ? (size_t)(ours - was) : strlen(was));
    return put_comment(comment, r, g) ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
}

static Status put_student(const ReportClass *c, size_t student, const Sheet *sheet, const SheetRow *row,
                          size_t number, const Columns *columns, double *possible, StrBuf *out, Diag *d)
{
    const Result *r = report_class_find(c, c->students[student], c->labs[0]);
    const Grade *g = report_class_grade(c, c->students[student], c->labs[0]);
    GradeThatCounts counting = report_class_counting(c, c->students[student], c->labs[0]);
    if (!counting.counts) {
        sheet_put_row(out, sheet, row, NULL, 0);
        return STATUS_OK;
    }
    if (row->n <= columns->grade)
        return diag_set(d, STATUS_INVALID, "row %zu of the worksheet has no cell for the grade", number);
    if (strcasecmp(sheet_text(row, columns->may_change), "No") == 0)
        return diag_set(d, STATUS_INVALID, "the grade of %s cannot be changed: it is locked in Moodle",
                        c->students[student]);
    char text[FILL_NUMBER];
    StrBuf comment = {0};
    if (!fill_read_points(sheet_text(row, columns->max), possible) || *possible == 0)
        *possible = r->max_score;
    Status s = fill_points(c->students[student], counting.points, r->max_score, *possible, text, d);
    bool has_comment = columns->comments != SIZE_MAX;
    if (s == STATUS_OK && has_comment)
        s = make_comment(sheet_text(row, columns->comments), r, g, &comment, d);
    SheetChange changes[2] = {{columns->grade, text}, {columns->comments, comment.text}};
    if (has_comment && columns->comments < columns->grade) {
        SheetChange first = changes[1];
        changes[1] = changes[0];
        changes[0] = first;
    }
    if (s == STATUS_OK)
        sheet_put_row(out, sheet, row, changes, 1 + (size_t)has_comment);
    strbuf_free(&comment);
    return s;
}

static Status fill_rows(Matching *m, const Sheet *sheet, const Columns *columns, StrBuf *out, StrBuf *notes,
                        Diag *d)
{
    double possible = 0, max_score = report_lab_statistics(m->c, m->c->labs[0]).max_score;
    strbuf_append(out, sheet->bytes, sheet->rows[0].end);
    for (size_t i = 1; i < sheet->n; i++) {
        size_t student;
        Status s = fill_match(m, &sheet->rows[i], i + 1, &student, d);
        if (s != STATUS_OK)
            return s;
        if (student == m->c->n_students)
            sheet_put_row(out, sheet, &sheet->rows[i], NULL, 0);
        else
            s = put_student(m->c, student, sheet, &sheet->rows[i], i + 1, columns, &possible, out, d);
        if (s != STATUS_OK)
            return s;
    }
    if (possible > 0)
        fill_note_scale(notes, m->c->labs[0], max_score, possible);
    return fill_check_all(m, d);
}

/* Every column but the grade's may hold an id of ours: none is named the same in all languages. */
static size_t list_ids(const Sheet *sheet, const Columns *columns, FillId *ids)
{
    static const struct {
        const char *heading;
        RosterColumn id;
    } known[] = {{"ID number", ROSTER_SIS}, {"Email address", ROSTER_EMAIL}, {"Username", ROSTER_LOGIN}};
    size_t n = 0;
    ids[n++] = (FillId){0, ROSTER_MOODLE};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (sheet_column(sheet, known[i].heading) != SIZE_MAX)
            ids[n++] = (FillId){sheet_column(sheet, known[i].heading), known[i].id};
    for (size_t i = 1; i < sheet->rows[0].n; i++)
        if (i != columns->grade && i != columns->comments && i != columns->max)
            ids[n++] = (FillId){i, ROSTER_STUDENT};
    return n;
}

Status report_fill_moodle(const ReportClass *c, const Sheet *sheet, const FillOptions *options, StrBuf *out,
                          StrBuf *notes, Diag *d)
{
    Arena a = {0};
    Columns columns = {0};
    FillId *ids = ARENA_NEW_ARRAY(&a, FillId, sheet->rows[0].n + 5);
    Matching m = {.c = c,
                  .ids = ids,
                  .name = 1,
                  .rows = ARENA_NEW_ARRAY(&a, size_t, c->n_students + 1),
                  .what = "worksheet"};
    Status s = STATUS_OK;
    if (c->n_labs != 1) {
        s = diag_set(d, STATUS_INVALID, "a worksheet is of one lab, and %zu are chosen", c->n_labs);
        diag_hint(d, "choose one by --labs");
    } else if (!ids || !m.rows) {
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
    } else {
        s = find_columns(sheet, options, &columns, d);
    }
    if (s == STATUS_OK) {
        m.n_ids = list_ids(sheet, &columns, ids);
        s = fill_rows(&m, sheet, &columns, out, notes, d);
    }
    arena_free(&a);
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the export") : s;
}
