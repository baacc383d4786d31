/* Canvas's gradebook, filled in; see fill.h.
 *
 * The first row has Student (or LastName, FirstName), ID, perhaps SIS User ID, SIS Login ID, Integration ID
 * and Root Account, Section, and then an assignment a column, "Title (4711)". Rows follow that are nobody's:
 * one of blanks and "Manual Posting", and "Points Possible", where "(read only)" marks a column that Canvas
 * works out. On import Canvas finds an assignment by the number in its heading, else by the whole heading as
 * a title, and makes a new one otherwise; a student by ID, SIS User ID, SIS Login ID, then name.
 */
#include "grader/report/fill_internal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Canvas drops columns of these names without a word. */
static bool is_dropped_by_canvas(const char *lab)
{
    static const char *const reserved[] = {"current score", "current points", "current grade", "final score",
                                           "final points",  "final grade",    "override "};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcasestr(lab, reserved[i]))
            return true;
    return false;
}

/* A lab's column. */
typedef struct Assignment {
    const char *lab;
    size_t column; /* past the header's end: a new one */
    double max_score, possible;
} Assignment;

/* The length of "Title" in "Title (4711)"; of the whole text where no number follows. */
static size_t title_length(const char *heading)
{
    size_t n = strlen(heading), i = n;
    if (n == 0 || heading[n - 1] != ')')
        return n;
    for (i = n - 1; i > 0 && isdigit((unsigned char)heading[i - 1]); i--) {
    }
    return i < n - 1 && i >= 2 && heading[i - 1] == '(' && heading[i - 2] == ' ' ? i - 2 : n;
}

/* Whether an assignment is the lab's: its title, or the whole heading, is the name. */
static bool is_titled(const char *heading, const char *name)
{
    size_t title = title_length(heading);
    return strcasecmp(heading, name) == 0 ||
           (strlen(name) == title && strncasecmp(heading, name, title) == 0);
}

static Status find_assignment(const Sheet *sheet, size_t first, const char *name, bool must, Assignment *x,
                              Diag *d)
{
    const SheetRow *head = &sheet->rows[0];
    size_t n = 0;
    x->column = SIZE_MAX;
    for (size_t i = first; i < head->n; i++)
        if (is_titled(head->cells[i].text, name) && n++ == 0)
            x->column = i;
    if (n > 1) {
        diag_set(d, STATUS_INVALID, "the gradebook has %zu assignments named %s", n, name);
        diag_hint(d, "--column with the whole heading, number and all, says which");
        return STATUS_INVALID;
    }
    if (n == 0 && must) {
        diag_set(d, STATUS_NOT_FOUND, "the gradebook has no assignment %s", name);
        diag_hint(d, "--column names it as Canvas does; without --column the lab becomes a new one");
        return STATUS_NOT_FOUND;
    }
    if (n == 0 && is_dropped_by_canvas(name))
        return diag_set(d, STATUS_INVALID,
                        "Canvas would drop the column of the lab %s without a word: rename it", name);
    return STATUS_OK;
}

/* The row of Points Possible; 0 without one. */
static size_t points_row(const Sheet *sheet)
{
    for (size_t i = 1; i < sheet->n; i++)
        if (strstr(sheet_text(&sheet->rows[i], 0), "Points Possible"))
            return i;
    return 0;
}

static Status find_assignments(const ReportClass *c, const Sheet *sheet, size_t first,
                               const FillOptions *options, Assignment *list, StrBuf *notes, Diag *d)
{
    size_t next = sheet->rows[0].n, points = points_row(sheet);
    if (options->column && c->n_labs != 1) {
        diag_set(d, STATUS_INVALID, "--column is of one lab, and %zu are chosen", c->n_labs);
        diag_hint(d, "choose one by --labs");
        return STATUS_INVALID;
    }
    for (size_t i = 0; i < c->n_labs; i++) {
        Assignment *x = &list[i];
        *x = (Assignment){.lab = c->labs[i], .max_score = report_lab_statistics(c, c->labs[i]).max_score};
        const char *name = options->column ? options->column : x->lab;
        Status s = find_assignment(sheet, first, name, options->column, x, d);
        if (s != STATUS_OK)
            return s;
        const char *text =
            x->column == SIZE_MAX || !points ? "" : sheet_text(&sheet->rows[points], x->column);
        if (strstr(text, "read only"))
            return diag_set(d, STATUS_INVALID,
                            "Canvas works the column of %s out itself, and takes no grades for it", name);
        if (!fill_read_points(text, &x->possible) || x->possible == 0)
            x->possible = x->max_score;
        if (x->column == SIZE_MAX) {
            x->column = next++;
            strbuf_printf(notes, "%s: Canvas has no assignment of that name and will make one\n", x->lab);
        }
        fill_note_scale(notes, x->lab, x->max_score, x->possible);
    }
    return STATUS_OK;
}

/* The columns of a student's ids, and the first of the assignments. */
static Status find_columns(const Sheet *sheet, FillId ids[3], size_t *n_ids, size_t *first, Diag *d)
{
    static const struct {
        const char *heading;
        RosterColumn id;
    } known[] = {{"ID", ROSTER_CANVAS}, {"SIS User ID", ROSTER_SIS}, {"SIS Login ID", ROSTER_LOGIN}};
    size_t section = sheet_column(sheet, "Section");
    *n_ids = 0;
    for (size_t i = 0; i < 3; i++)
        if (sheet_column(sheet, known[i].heading) != SIZE_MAX)
            ids[(*n_ids)++] = (FillId){sheet_column(sheet, known[i].heading), known[i].id};
    *first = section + 1;
    if (*n_ids && ids[0].id == ROSTER_CANVAS && section != SIZE_MAX)
        return STATUS_OK;
    diag_set_at(d, STATUS_PARSE, sheet->file, 1, 0,
                "this is no gradebook of Canvas's: it has no columns ID and Section");
    diag_hint(d, "Grades, Export, Export Entire Gradebook gives it");
    return STATUS_PARSE;
}

/* Puts a row with a text for each lab; texts that are NULL leave their cells. */
static void canvas_put_row(StrBuf *out, const Sheet *sheet, const SheetRow *row, const Assignment *list,
                           size_t n, char texts[][FILL_NUMBER], SheetChange *changes)
{
    size_t n_changes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = n_changes;
        if (!texts[i][0])
            continue;
        for (; at > 0 && changes[at - 1].column > list[i].column; at--)
            changes[at] = changes[at - 1];
        changes[at] = (SheetChange){list[i].column, texts[i]};
        n_changes++;
    }
    sheet_put_row(out, sheet, row, changes, n_changes);
}

static bool is_new(const Sheet *sheet, const Assignment *x)
{
    return x->column >= sheet->rows[0].n;
}

typedef struct Filling {
    Matching m;
    const Sheet *sheet;
    const Assignment *list;
    char (*texts)[FILL_NUMBER];
    SheetChange *changes;
    size_t points; /* the row */
    StrBuf *out;
} Filling;

static Status put_student(Filling *f, const SheetRow *row, size_t student, Diag *d)
{
    const ReportClass *c = f->m.c;
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < c->n_labs; i++) {
        GradeThatCounts counting = report_class_counting(c, c->students[student], c->labs[i]);
        bool excused = strcasecmp(sheet_text(row, f->list[i].column), "EX") == 0;
        f->texts[i][0] = '\0';
        if (counting.counts && !excused)
            s = fill_points(c->students[student], counting.points, f->list[i].max_score, f->list[i].possible,
                            f->texts[i], d);
    }
    if (s == STATUS_OK)
        canvas_put_row(f->out, f->sheet, row, f->list, c->n_labs, f->texts, f->changes);
    return s;
}

/* The header gets the names of new columns, Points Possible their points; other rows of nobody stay. Canvas
 * guesses the delimiter from the first lines' widths, so all are filled up to the header's. */
static void put_other(Filling *f, size_t number)
{
    const ReportClass *c = f->m.c;
    for (size_t i = 0; i < c->n_labs; i++) {
        bool points = number == f->points && is_new(f->sheet, &f->list[i]);
        f->texts[i][0] = '\0';
        if (points)
            snprintf(f->texts[i], FILL_NUMBER, "%.2f", f->list[i].possible);
    }
    canvas_put_row(f->out, f->sheet, &f->sheet->rows[number], f->list, c->n_labs, f->texts, f->changes);
}

static void put_header(Filling *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->m.c->n_labs; i++)
        if (is_new(f->sheet, &f->list[i]))
            f->changes[n++] = (SheetChange){f->list[i].column, f->list[i].lab};
    strbuf_append(f->out, f->sheet->bytes, f->sheet->rows[0].start);
    sheet_put_row(f->out, f->sheet, &f->sheet->rows[0], f->changes, n);
}

static Status fill_rows(Filling *f, Diag *d)
{
    Status s = STATUS_OK;
    put_header(f);
    for (size_t i = 1; s == STATUS_OK && i < f->sheet->n; i++) {
        size_t student = f->m.c->n_students;
        if (i != f->points)
            s = fill_match(&f->m, &f->sheet->rows[i], i + 1, &student, d);
        if (s == STATUS_OK && student < f->m.c->n_students)
            s = put_student(f, &f->sheet->rows[i], student, d);
        else if (s == STATUS_OK)
            put_other(f, i);
    }
    return s == STATUS_OK ? fill_check_all(&f->m, d) : s;
}

Status report_fill_canvas(const ReportClass *c, const Sheet *sheet, const FillOptions *options, StrBuf *out,
                          StrBuf *notes, Diag *d)
{
    Arena a = {0};
    FillId ids[3];
    size_t first = 0;
    Assignment *list = ARENA_NEW_ARRAY(&a, Assignment, c->n_labs + 1);
    Filling f = {.m = {.c = c,
                       .ids = ids,
                       .rows = ARENA_NEW_ARRAY(&a, size_t, c->n_students + 1),
                       .what = "gradebook"},
                 .sheet = sheet,
                 .list = list,
                 .texts = arena_alloc(&a, (c->n_labs + 1) * FILL_NUMBER),
                 .changes = ARENA_NEW_ARRAY(&a, SheetChange, c->n_labs + 1),
                 .points = points_row(sheet),
                 .out = out};
    Status s = list && f.m.rows && f.texts && f.changes
                   ? find_columns(sheet, ids, &f.m.n_ids, &first, d)
                   : diag_set(d, STATUS_NO_MEMORY, "no memory for the export");
    if (s == STATUS_OK)
        s = find_assignments(c, sheet, first, options, list, notes, d);
    if (s == STATUS_OK)
        s = fill_rows(&f, d);
    arena_free(&a);
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for the export") : s;
}
