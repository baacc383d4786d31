/* Students from the files of other systems: Canvas's gradebook, Moodle's grading worksheet or list of
 * participants, Gradescope's roster, or a CSV file with a roster's own headings.
 *
 * A row is the student who has one of its ids already, else the only one of that name who has no id of that
 * kind yet, else a new one. Rows that are nobody (points possible, a test student, staff) are passed over.
 */
#include "grader/archive/download.h"
#include "grader/archive/roster.h"
#include "common/base/csv.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Columns of a file beyond a roster's. */
enum { FIELD_FIRST = ROSTER_N, FIELD_LAST, FIELD_ROLE, FIELD_N };

static const struct {
    RosterSystem system;
    const char *heading;
    int field;
} aliases[] = {
#define ROSTER_FIRST                   FIELD_FIRST
#define ROSTER_LAST                    FIELD_LAST
#define ROSTER_ROLE                    FIELD_ROLE
#define ALIAS(SYSTEM, heading, COLUMN) {SYSTEM_##SYSTEM, heading, (int)ROSTER_##COLUMN},
#include "grader/archive/systems.def"
#undef ALIAS
};

static const char *const words[] = {"canvas", "moodle", "gradescope", "csv"};

const char *roster_system_word(RosterSystem system)
{
    return words[system];
}

static Status systems_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the roster");
}

/* A row of the file as a student. */
typedef struct Person {
    const char *fields[FIELD_N];
} Person;

static void find_fields(const Sheet *sheet, RosterSystem system, size_t fields[FIELD_N])
{
    for (int i = 0; i < FIELD_N; i++)
        fields[i] = SIZE_MAX;
    for (int i = 0; system == SYSTEM_CSV && i < ROSTER_N; i++)
        fields[i] = sheet_column(sheet, roster_column_word((RosterColumn)i));
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (aliases[i].system == system && fields[aliases[i].field] == SIZE_MAX)
            fields[aliases[i].field] = sheet_column(sheet, aliases[i].heading);
}

/* The number at the end of "Participant 4711", in whatever language. */
static const char *last_number(const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && isdigit((unsigned char)text[n - 1]))
        n--;
    return text + n;
}

static const char *trimmed(Arena *a, const char *text)
{
    text = csv_unguarded(text);
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t", text[n - 1]))
        n--;
    return arena_strndup(a, text, n);
}

static Status read_person(Arena *a, const SheetRow *row, const size_t fields[FIELD_N], Person *p, Diag *d)
{
    for (int i = 0; i < FIELD_N; i++) {
        p->fields[i] = fields[i] == SIZE_MAX ? "" : trimmed(a, sheet_text(row, fields[i]));
        if (!p->fields[i])
            return systems_no_memory(d);
    }
    p->fields[ROSTER_MOODLE] = last_number(p->fields[ROSTER_MOODLE]);
    if (!p->fields[ROSTER_NAME][0] && (p->fields[FIELD_FIRST][0] || p->fields[FIELD_LAST][0]))
        p->fields[ROSTER_NAME] = arena_printf(
            a, "%s%s%s", p->fields[FIELD_FIRST],
            p->fields[FIELD_FIRST][0] && p->fields[FIELD_LAST][0] ? " " : "", p->fields[FIELD_LAST]);
    return p->fields[ROSTER_NAME] ? STATUS_OK : systems_no_memory(d);
}

/* Rows that are no student's, with the reason where it should be said; NULL for a student's. */
static const char *why_nobody(const Person *p, RosterSystem system)
{
    const char *name = p->fields[ROSTER_NAME], *role = p->fields[FIELD_ROLE];
    bool has_id = false;
    for (int i = 0; i < ROSTER_N; i++)
        has_id = has_id || (i != ROSTER_NAME && roster_column_is_name((RosterColumn)i) && p->fields[i][0]);
    if (system == SYSTEM_CANVAS && (strcasestr(name, "Points Possible") || (!has_id && !name[0])))
        return "";
    if (system == SYSTEM_CANVAS &&
        (strcasecmp(name, "Student, Test") == 0 || strcasecmp(name, "Test Student") == 0))
        return "Canvas's test student";
    if (role[0] && strcasecmp(role, "Student") != 0)
        return "no student, but staff";
    if (!has_id)
        return name[0] ? "it has no id" : "";
    return NULL;
}

/* Finding the student ---------------------------------------------------------------------------------- */

/* "One, Student" and "Student One" are one name. */
static bool same_person(Arena *a, const char *one, const char *other)
{
    const char *names[2] = {one, other};
    for (int i = 0; i < 2; i++) {
        const char *comma = strchr(names[i], ',');
        if (comma)
            names[i] = arena_printf(a, "%s %.*s", comma + 1 + strspn(comma + 1, " "), (int)(comma - names[i]),
                                    names[i]);
    }
    return one[0] && names[0] && names[1] && strcasecmp(names[0], names[1]) == 0;
}

/* Whether a row of the roster has the id in that column, or as its own id. */
static bool has_id(const RosterRow *row, int column, const char *id)
{
    return id[0] && (strcasecmp(row->cells[column], id) == 0 ||
                     (column != ROSTER_MOODLE && strcasecmp(row->cells[ROSTER_STUDENT], id) == 0));
}

/* Whether both have an id of one kind that differs. */
static bool differs(const RosterRow *row, const Person *p)
{
    for (int i = 0; i < ROSTER_N; i++)
        if (i != ROSTER_NAME && i != ROSTER_STUDENT && i != ROSTER_MOODLE &&
            roster_column_is_name((RosterColumn)i) && row->cells[i][0] && p->fields[i][0] &&
            strcasecmp(row->cells[i], p->fields[i]) != 0)
            return true;
    return false;
}

/* The index of the student; roster->n for a new one. STATUS_INVALID when several could be meant. */
static Status find_person(Arena *a, const Roster *roster, const Person *p, size_t *found, Diag *d)
{
    /* Moodle's participant numbers are of one assignment: they change, and say the least. */
    static const int order[] = {ROSTER_STUDENT, ROSTER_CANVAS, ROSTER_SIS,
                                ROSTER_LOGIN,   ROSTER_EMAIL,  ROSTER_MOODLE};
    size_t n = 0;
    *found = roster->n;
    for (size_t k = 0; *found == roster->n && k < sizeof order / sizeof *order; k++) {
        n = 0;
        for (size_t i = 0; i < roster->n; i++)
            if (has_id(&roster->rows[i], order[k], p->fields[order[k]]) && n++ == 0)
                *found = i;
        if (n > 1)
            return diag_set(d, STATUS_INVALID, "several students of the roster have the id %s",
                            p->fields[order[k]]);
    }
    for (size_t i = 0; n == 0 && i < roster->n; i++)
        if (same_person(a, roster->rows[i].cells[ROSTER_NAME], p->fields[ROSTER_NAME]) &&
            !differs(&roster->rows[i], p)) {
            if (*found < roster->n)
                return diag_set(d, STATUS_INVALID,
                                "several students of the roster have this name, and none this id");
            *found = i;
        }
    return STATUS_OK;
}

/* The id that a new student gets. */
static const char *new_id(const Person *p, const RosterImport *import)
{
    static const int orders[SYSTEM_N][5] = {
        [SYSTEM_CANVAS] = {ROSTER_LOGIN, ROSTER_SIS, ROSTER_CANVAS, ROSTER_N},
        [SYSTEM_MOODLE] = {ROSTER_LOGIN, ROSTER_SIS, ROSTER_EMAIL, ROSTER_MOODLE, ROSTER_N},
        [SYSTEM_GRADESCOPE] = {ROSTER_SIS, ROSTER_EMAIL, ROSTER_N},
        [SYSTEM_CSV] = {ROSTER_STUDENT, ROSTER_N}};
    const char *id = "";
    if (import->id != ROSTER_N)
        return p->fields[import->id];
    for (const int *c = orders[import->system]; !id[0] && *c != ROSTER_N; c++)
        id = p->fields[*c];
    return id;
}

/* Taking ------------------------------------------------------------------------------------------------ */

static Status leave_person_out(Arena *a, struct HandinList *left, const Person *p, size_t row,
                               const char *why, Diag *d)
{
    const char *name =
        p && p->fields[ROSTER_NAME][0] ? p->fields[ROSTER_NAME] : arena_printf(a, "row %zu", row);
    const char *text = arena_strndup(a, why, strlen(why));
    if (!name || !text || !VEC_GROW(left->items, left->n, left->cap))
        return systems_no_memory(d);
    left->items[left->n++] = (HandinListItem){name, text, ""};
    return STATUS_OK;
}

static Status take_person(Arena *a, Roster *roster, const Person *p, RosterImport *import, bool *seen,
                          Diag *odd)
{
    size_t at;
    RosterRow *row;
    Status s = find_person(a, roster, p, &at, odd);
    if (s == STATUS_OK && at < roster->n && seen[at])
        s = diag_set(odd, STATUS_INVALID, "the file has %s twice", roster->rows[at].cells[ROSTER_STUDENT]);
    if (s != STATUS_OK)
        return s;
    bool is_new = at == roster->n;
    const char *id = is_new ? new_id(p, import) : "";
    if (is_new && !id[0])
        return diag_set(odd, STATUS_INVALID, "it has no id of the kind that names students");
    if (is_new && roster_row(roster, id))
        return diag_set(odd, STATUS_INVALID, "the roster has a student %s who is somebody else", id);
    s = is_new ? roster_add(a, roster, id, &row, odd) : STATUS_OK;
    for (int i = 0; s == STATUS_OK && i < ROSTER_N; i++)
        if (i != ROSTER_STUDENT && p->fields[i][0])
            s = roster_set(&roster->rows[at], (RosterColumn)i, p->fields[i], odd);
    if (s != STATUS_OK && is_new && at < roster->n)
        roster->n--;
    if (s == STATUS_OK) {
        seen[at] = true;
        import->n_added += is_new;
        import->n_known += !is_new;
    }
    return s;
}

/* Those of the roster whom the file does not have. */
static Status note_missing(Arena *a, const Roster *roster, size_t n_before, const bool *seen,
                           struct HandinList *left, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < n_before; i++)
        if (!seen[i] && !roster_is_dropped(&roster->rows[i])) {
            Person p = {.fields = {[ROSTER_NAME] = roster->rows[i].cells[ROSTER_STUDENT]}};
            s = leave_person_out(
                a, left, &p, 0,
                "is in the roster, and not in this file; `grade roster drop` for who has left", d);
        }
    return s;
}

static Status check_headings(const Sheet *sheet, const size_t fields[FIELD_N], const RosterImport *import,
                             Diag *d)
{
    static const int needed[SYSTEM_N] = {ROSTER_CANVAS, ROSTER_MOODLE, ROSTER_SIS, ROSTER_STUDENT};
    bool moodle_list = import->system == SYSTEM_MOODLE && fields[ROSTER_EMAIL] != SIZE_MAX;
    if (fields[needed[import->system]] != SIZE_MAX || moodle_list)
        return STATUS_OK;
    static const char *const what[SYSTEM_N] = {
        "Canvas's: Grades, Export, Export Entire Gradebook gives it",
        "Moodle's: the assignment's grading worksheet, or the list of participants, in English",
        "Gradescope's: Roster, Download Roster gives it",
        "a roster: its column `student` has the ids; `grade roster list --help` names the others"};
    diag_set_at(d, STATUS_NOT_FOUND, sheet->file, 1, 0, "the file has no column of ids");
    diag_hint(d, "it should be %s", what[import->system]);
    return STATUS_NOT_FOUND;
}

Status roster_import(Arena *a, Roster *roster, const Sheet *sheet, RosterImport *import,
                     struct HandinList *left, Diag *d)
{
    size_t fields[FIELD_N], n_before = roster->n;
    find_fields(sheet, import->system, fields);
    /* Moodle names its columns in the site's language; the first one's rows end in the participant's number.
     */
    if (import->system == SYSTEM_MOODLE && fields[ROSTER_MOODLE] == SIZE_MAX &&
        fields[ROSTER_EMAIL] == SIZE_MAX && sheet->n > 1 && last_number(sheet_text(&sheet->rows[1], 0))[0])
        fields[ROSTER_MOODLE] = 0, fields[ROSTER_NAME] = 1;
    Status s = check_headings(sheet, fields, import, d);
    bool *seen = ARENA_NEW_ARRAY(a, bool, roster->n + sheet->n);
    import->n_added = import->n_known = 0;
    if (s == STATUS_OK && !seen)
        s = systems_no_memory(d);
    for (size_t i = 1; s == STATUS_OK && i < sheet->n; i++) {
        Person p;
        Diag odd = {0};
        s = read_person(a, &sheet->rows[i], fields, &p, d);
        const char *why = s == STATUS_OK ? why_nobody(&p, import->system) : "";
        Status taken = s == STATUS_OK && !why ? take_person(a, roster, &p, import, seen, &odd) : STATUS_OK;
        if (taken == STATUS_NO_MEMORY)
            s = systems_no_memory(d);
        else if (s == STATUS_OK && (taken != STATUS_OK || (why && why[0])))
            s = leave_person_out(a, left, &p, i + 1, taken != STATUS_OK ? odd.message : why, d);
    }
    return s == STATUS_OK ? note_missing(a, roster, n_before, seen, left, d) : s;
}
