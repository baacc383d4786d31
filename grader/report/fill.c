/* Rows and students, and points of another scale; see fill.h. */
#include "grader/report/fill_internal.h"

#include "common/base/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with_word(const char *text, const char *word)
{
    size_t n = strlen(text), m = strlen(word);
    return n > m && text[n - m - 1] == ' ' && strcmp(text + n - m, word) == 0;
}

/* Ids are compared as systems do, without case. */
static bool is_id(const char *cell, const char *id)
{
    return id[0] && (strcasecmp(cell, id) == 0 || strcasecmp(csv_unguarded(cell), id) == 0);
}

static bool has_id(const Matching *m, const SheetRow *row, size_t student)
{
    const char *own = m->c->ids[student];
    const RosterRow *known = roster_row(m->c->roster, own);
    bool has = false;
    for (size_t i = 0; i < m->n_ids && !has; i++) {
        const char *id = known && known->cells[m->ids[i].id][0] ? known->cells[m->ids[i].id] : own;
        const char *cell = sheet_text(row, m->ids[i].column);
        has = is_id(cell, id) ||
              (m->ids[i].id == ROSTER_MOODLE && ends_with_word(cell, id)); /* "Participant 4711" */
    }
    return has;
}

static bool has_name(const Matching *m, const SheetRow *row, size_t student)
{
    const char *name = report_student_name(m->c, m->c->students[student]);
    return name[0] && strcasecmp(csv_unguarded(sheet_text(row, m->name)), name) == 0;
}

Status fill_match(Matching *m, const SheetRow *row, size_t number, size_t *student, Diag *d)
{
    size_t n = 0;
    *student = m->c->n_students;
    for (int by_name = 0; by_name < 2 && n == 0; by_name++)
        for (size_t i = 0; i < m->c->n_students; i++)
            if ((by_name ? m->rows[i] == 0 && has_name(m, row, i) : has_id(m, row, i)) && n++ == 0)
                *student = i;
    if (n > 1)
        return diag_set(d, STATUS_INVALID, "row %zu of the %s fits several students", number, m->what);
    if (n == 0)
        return STATUS_OK;
    if (m->rows[*student])
        return diag_set(d, STATUS_INVALID, "%s has several rows in the %s: %zu and %zu",
                        m->c->students[*student], m->what, m->rows[*student], number);
    m->rows[*student] = number;
    return STATUS_OK;
}

Status fill_check_all(const Matching *m, Diag *d)
{
    size_t n = 0, first = 0;
    for (size_t i = m->c->n_students; i-- > 0;)
        if (!m->rows[i]) {
            first = i;
            n++;
        }
    if (!n)
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "the %s has no row for %s%s", m->what, m->c->students[first],
             n > 1 ? ", nor for others" : "");
    diag_hint(d, m->c->has_roster
                     ? "`grade roster set` gives a student the ids of that file, `grade roster drop` is for "
                       "who has left, and --students chooses"
                     : "`grade roster import` tells which ids are whose; --students chooses");
    return STATUS_NOT_FOUND;
}

bool fill_read_points(const char *text, double *points)
{
    char copy[FILL_NUMBER], *end;
    text += strspn(text, " ");
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789.,") < strcspn(text, " "))
        return false;
    memcpy(copy, text, length + 1);
    char *comma = strchr(copy, ',');
    if (comma && !strchr(copy, '.'))
        *comma = '.';
    *points = strtod(copy, &end);
    return end != copy && end[strspn(end, " ")] == '\0' && isfinite(*points);
}

Status fill_points(const char *student, double points, double max_score, double possible,
                   char text[FILL_NUMBER], Diag *d)
{
    double scaled = max_score == possible || max_score <= 0 ? points : points * possible / max_score;
    if (scaled > possible + 1e-9) {
        diag_set(d, STATUS_INVALID, "%s has %.2f of %.2f points, more than the system takes", student, scaled,
                 possible);
        diag_hint(d, "raise the points of the assignment there, or `grade adjust` them");
        return STATUS_INVALID;
    }
    snprintf(text, FILL_NUMBER, "%.2f", scaled);
    return STATUS_OK;
}

void fill_note_scale(StrBuf *notes, const char *lab, double max_score, double possible)
{
    if (max_score == possible)
        return;
    strbuf_puts(notes, lab);
    strbuf_puts(notes, ": ");
    report_points(notes, max_score);
    strbuf_puts(notes, " points are ");
    report_points(notes, possible);
    strbuf_puts(notes, " there: the grades are written in those\n");
}
