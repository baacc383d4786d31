/* grade roster: who is in the course. */
#include "grader/archive/download.h"
#include "grader/archive/roster.h"
#include "grader/cli/cli.h"
#include "grader/core/when.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "grade roster import FILE...|list|add [COLUMN=VALUE...]|set COLUMN=VALUE...|drop --out DIR";

static void put_safely(StrBuf *line, const char *text)
{
    report_plain(line, text, strlen(text));
}

/* import ------------------------------------------------------------------------------------------- */

static Status choose_system(const Options *o, RosterImport *import, Diag *d)
{
    const char *names[SYSTEM_N];
    for (int i = 0; i < SYSTEM_N; i++) {
        names[i] = roster_system_word((RosterSystem)i);
        if (o->layout && strcmp(o->layout, names[i]) == 0) {
            import->system = (RosterSystem)i;
            return STATUS_OK;
        }
    }
    diag_set(d, STATUS_INVALID,
             o->layout ? "%s is no system whose students can be taken" : "--layout must be given", o->layout);
    cli_hint_nearest(d, o->layout ? o->layout : "", names, SYSTEM_N,
                     "--layout must be canvas, moodle, gradescope or csv");
    return STATUS_INVALID;
}

static Status choose_column(const char *word, RosterColumn *column, Diag *d)
{
    const char *names[ROSTER_N];
    for (int i = 0; i < ROSTER_N; i++)
        names[i] = roster_column_word((RosterColumn)i);
    *column = roster_column_from_word(word);
    if (*column != ROSTER_N)
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "a roster has no column %s", word);
    cli_hint_nearest(
        d, word, names, ROSTER_N,
        "student, name, canvas, sis, login, moodle, email, section, group, extra_hours, dropped");
    return STATUS_NOT_FOUND;
}

static Status import_file(Arena *a, const char *path, Roster *roster, RosterImport *import, Diag *d)
{
    Sheet sheet;
    HandinList left = {0};
    Status s = sheet_load(a, path, &sheet, d);
    if (s == STATUS_OK)
        s = roster_import(a, roster, &sheet, import, &left, d);
    for (size_t i = 0; i < left.n; i++) {
        StrBuf line = {0};
        strbuf_puts(&line, "not taken: ");
        put_safely(&line, left.items[i].name);
        strbuf_puts(&line, ": ");
        put_safely(&line, left.items[i].text);
        strbuf_puts(&line, "\n");
        strbuf_print(&line, stderr);
    }
    if (s == STATUS_OK)
        printf("%s: %zu new, %zu known already\n", path, import->n_added, import->n_known);
    free(left.items);
    return s;
}

static Status import_files(Arena *a, const Options *o, Roster *roster, Diag *d)
{
    RosterImport import = {.id = ROSTER_N};
    Status s = choose_system(o, &import, d);
    if (s == STATUS_OK && o->id)
        s = choose_column(o->id, &import.id, d);
    if (s == STATUS_OK && o->n_operands < 2) {
        s = diag_set(d, STATUS_INVALID, "which file?");
        diag_hint(d, "grade roster import --out DIR --layout %s FILE", o->layout);
    }
    for (size_t i = 1; s == STATUS_OK && i < o->n_operands; i++)
        s = import_file(a, o->operands[i], roster, &import, d);
    return s == STATUS_OK ? roster_save_out(roster, o->out, d) : s;
}

/* list --------------------------------------------------------------------------------------------- */

/* The gradebook's class, where there is one: c is NULL without. */
static Status load_results(Arena *a, const Options *o, const Roster *roster, Gradebook **book,
                           ReportClass **c, GradeRules *rules, Diag *d)
{
    const char *path = arena_printf(a, "%s/gradebook.db", o->out);
    *book = NULL;
    *c = NULL;
    if (!path || access(path, F_OK) != 0)
        return STATUS_OK;
    const ReportChoice choice = {.roster = roster};
    Status s = gradebook_open(path, book, d);
    if (s == STATUS_OK)
        s = grade_rules_load(*book, a, rules, d);
    return s == STATUS_OK ? report_class_load(*book, &choice, c, d) : s;
}

static void put_pair(StrBuf *line, const char *name, const char *value)
{
    if (!value[0])
        return;
    strbuf_printf(line, "  %s ", name);
    put_safely(line, value);
}

static void put_extensions(StrBuf *line, const GradeRules *rules, const char *student)
{
    for (size_t i = 0; i < rules->n_changes; i++) {
        const GradebookChange *c = &rules->changes[i];
        char until[WHEN_TEXT];
        if (c->kind != CHANGE_EXTEND || c->withdrawn || strcmp(c->student, student) != 0)
            continue;
        when_format((int64_t)c->value, until);
        strbuf_puts(line, "  ");
        put_safely(line, c->lab[0] ? c->lab : "all labs");
        strbuf_printf(line, " until %s", until);
    }
}

static void roster_put_row(StrBuf *line, const RosterRow *row, const ReportClass *c, const GradeRules *rules)
{
    const char *student = row->cells[ROSTER_STUDENT];
    put_safely(line, student);
    strbuf_puts(line, row->cells[ROSTER_NAME][0] ? "  " : "");
    put_safely(line, row->cells[ROSTER_NAME]);
    for (int i = ROSTER_NAME + 1; i < ROSTER_N; i++)
        if (i != ROSTER_DROPPED)
            put_pair(line, roster_column_word((RosterColumn)i), row->cells[i]);
    if (c)
        put_extensions(line, rules, student);
    if (roster_is_dropped(row)) {
        strbuf_puts(line, "  has left");
    } else if (c && !report_has_handed_in(c, student)) {
        strbuf_puts(line, "  handed in nothing");
    } else if (c) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_labs; i++) {
            const Result *r = report_class_find(c, student, c->labs[i]);
            n += r && r->verdict != VERDICT_NOT_SUBMITTED;
        }
        strbuf_printf(line, "  %zu of %zu labs", n, c->n_labs);
    }
    strbuf_puts(line, "\n");
}

static Status list(Arena *a, const Options *o, const Roster *roster, const char *const *chosen, Diag *d)
{
    Gradebook *book;
    ReportClass *c;
    GradeRules rules = {0};
    size_t n = 0, n_left = 0;
    Status s = load_results(a, o, roster, &book, &c, &rules, d);
    for (size_t i = 0; s == STATUS_OK && i < roster->n; i++) {
        const RosterRow *row = &roster->rows[i];
        StrBuf line = {0};
        if (!cli_listed(chosen, row->cells[ROSTER_STUDENT]))
            continue;
        roster_put_row(&line, row, c, &rules);
        strbuf_print(&line, stdout);
        n++;
        n_left += roster_is_dropped(row);
    }
    if (s == STATUS_OK)
        printf("%zu student%s, %zu %s left\n", n, n == 1 ? "" : "s", n_left, n_left == 1 ? "has" : "have");
    report_class_free(c);
    gradebook_close(book);
    return s;
}

/* add, set, drop -------------------------------------------------------------------------------------- */

/* The COLUMN=VALUE operands into the row. */
static Status set_values(Arena *a, const Options *o, RosterRow *row, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 1; s == STATUS_OK && i < o->n_operands; i++) {
        const char *equals = strchr(o->operands[i], '=');
        RosterColumn column;
        if (!equals) {
            diag_set(d, STATUS_INVALID, "%s is no COLUMN=VALUE", o->operands[i]);
            diag_hint(d, "as in: name=\"Student One\" canvas=1201");
            return STATUS_INVALID;
        }
        const char *word = arena_strndup(a, o->operands[i], (size_t)(equals - o->operands[i]));
        s = word ? choose_column(word, &column, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
        if (s == STATUS_OK && column == ROSTER_STUDENT)
            s = diag_set(d, STATUS_INVALID, "a student's id is given by --students, and stays");
        if (s == STATUS_OK)
            s = roster_set(row, column, equals + 1, d);
    }
    return s;
}

static Status add_one(Arena *a, Roster *roster, const char *student, RosterRow **row, Diag *d)
{
    for (size_t i = 0; i < roster->n; i++) {
        if (strcmp(roster->rows[i].cells[ROSTER_STUDENT], student) != 0)
            continue;
        *row = &roster->rows[i];
        if (roster_is_dropped(*row))
            return roster_set(*row, ROSTER_DROPPED, "", d); /* is back */
        diag_set(d, STATUS_INVALID, "%s is in the roster already", student);
        diag_hint(d, "`grade roster set` changes what it says of a student");
        return STATUS_INVALID;
    }
    return roster_add(a, roster, student, row, d);
}

static RosterRow *find_known(const Roster *roster, const char *student)
{
    for (size_t i = 0; i < roster->n; i++)
        if (strcmp(roster->rows[i].cells[ROSTER_STUDENT], student) == 0)
            return &roster->rows[i];
    return NULL;
}

static Status choose_known(Arena *a, const Options *o, const Roster *roster, const char ***chosen, Diag *d)
{
    const char **names = ARENA_NEW_ARRAY(a, const char *, roster->n + 1);
    for (size_t i = 0; names && i < roster->n; i++)
        names[i] = roster->rows[i].cells[ROSTER_STUDENT];
    const KnownNames known = {"students", "student", "the roster", names, roster->n};
    return names ? cli_choose(a, &known, o->students, chosen, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
}

static Status change(Arena *a, const Options *o, Roster *roster, Diag *d)
{
    bool add = strcmp(o->operands[0], "add") == 0, drop = strcmp(o->operands[0], "drop") == 0;
    const char **students = o->students ? cli_split(a, o->students, NULL) : NULL;
    if (!students || !students[0])
        return diag_set(d, STATUS_INVALID, "--students must be given");
    if (drop ? o->n_operands > 1 : !add && o->n_operands < 2) {
        diag_set(d, STATUS_INVALID, drop ? "drop takes no values" : "what is to be set?");
        diag_hint(d, "%s", usage);
        return STATUS_INVALID;
    }
    Status s = add ? STATUS_OK : choose_known(a, o, roster, &students, d);
    for (size_t i = 0; s == STATUS_OK && students[i]; i++) {
        RosterRow *row = add ? NULL : find_known(roster, students[i]);
        if (add)
            s = add_one(a, roster, students[i], &row, d);
        if (s == STATUS_OK)
            s = drop ? roster_set(row, ROSTER_DROPPED, "yes", d) : set_values(a, o, row, d);
    }
    return s == STATUS_OK ? roster_save_out(roster, o->out, d) : s;
}

int cli_roster(Arena *a, const Options *o)
{
    static const char *const verbs[] = {"import", "list", "add", "set", "drop"};
    Roster roster;
    Diag d;
    if (!o->out || !o->n_operands)
        return cli_fail_text(o->out ? "what is to be done with the roster?" : "--out must be given", usage);
    size_t verb = 0;
    while (verb < 5 && strcmp(verbs[verb], o->operands[0]) != 0)
        verb++;
    if (verb == 5) {
        diag_set(&d, STATUS_INVALID, "grade roster cannot %s", o->operands[0]);
        cli_hint_nearest(&d, o->operands[0], verbs, 5, usage);
        return cli_fail(&d);
    }
    Status s = roster_load_out(a, o->out, &roster, &d);
    const char **chosen = NULL;
    if (s == STATUS_OK && verb == 1)
        s = choose_known(a, o, &roster, &chosen, &d);
    if (s == STATUS_OK)
        s = verb == 0   ? import_files(a, o, &roster, &d)
            : verb == 1 ? list(a, o, &roster, chosen, &d)
                        : change(a, o, &roster, &d);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
