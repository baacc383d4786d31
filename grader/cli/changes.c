/* grade policy, extend, adjust, comment, withdraw, log: what an instructor says beside the grader's results.
 * Each adds lines to the gradebook's log; nothing is ever overwritten, and the exports and pages made
 * afterwards show what follows from it. */
#include "common/base/nearest.h"
#include "grader/archive/roster.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"
#include "grader/core/when.h"
#include "grader/db/grade.h"
#include "grader/report/report.h"
#include "grader/text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES_MAX = 16 << 10 };
static const double POINTS_MAX = 1e6;

/* The gradebook of --out; made, where `make` says so, when it is not there yet. */
static Status open_book(Arena *a, const Options *o, bool make, Gradebook **book, Diag *d)
{
    *book = NULL;
    if (!o->out) {
        diag_set(d, STATUS_INVALID, "--out must be given");
        diag_hint(d, "the folder that `grade run` writes to");
        return STATUS_INVALID;
    }
    const char *path = arena_printf(a, "%s/gradebook.db", o->out);
    if (!path || (!make && access(path, R_OK) != 0))
        return diag_set(d, STATUS_NOT_FOUND, "there is no gradebook in %s", o->out);
    Status s = make ? dir_make(o->out, d) : STATUS_OK;
    return s == STATUS_OK ? gradebook_open(path, book, d) : s;
}

static Status check_text(const char *name, const char *text, Diag *d)
{
    if (!text || !text[0])
        return diag_set(d, STATUS_INVALID, "--%s must be given", name);
    if (strlen(text) > TEXT_BYTES_MAX)
        return diag_set(d, STATUS_LIMIT, "--%s has more than %d bytes", name, TEXT_BYTES_MAX);
    return utf8_is_valid(text, strlen(text)) ? STATUS_OK
                                             : diag_set(d, STATUS_INVALID, "--%s is not UTF-8", name);
}

static Status read_moment(const char *name, const char *text, int64_t *seconds, Diag *d)
{
    if (when_parse(text, seconds))
        return STATUS_OK;
    return diag_set(d, STATUS_INVALID,
                    "--%s must be as 2026-10-12T23:59:00+02:00, with its distance from UTC, not '%s'", name,
                    text);
}

static Status read_points(const char *name, const char *text, double *points, Diag *d)
{
    char *end;
    *points = strtod(text, &end);
    bool fine = end != text && *end == '\0' && fabs(*points) <= POINTS_MAX; /* false for NaN */
    return fine ? STATUS_OK : diag_set(d, STATUS_INVALID, "--%s must be a number, not '%s'", name, text);
}

/* Who says it, when and why. */
static Status fill_origin(const Options *o, bool needs_why, GradebookChange *c, Diag *d)
{
    *c = (GradebookChange){.who = o->by, .student = "", .lab = "", .text = "", .why = o->why ? o->why : ""};
    c->at = (int64_t)time(NULL);
    Status s = check_text("by", o->by, d);
    if (s == STATUS_OK && (needs_why || o->why))
        s = check_text("why", o->why, d);
    return s == STATUS_OK && o->at ? read_moment("at", o->at, &c->at, d) : s;
}

/* The log ------------------------------------------------------------------------------------------------ */

static void put_quoted(StrBuf *out, const char *text)
{
    report_plain(out, text, strlen(text));
}

/* "extend: in time until 2026-..." */
static void put_meaning(StrBuf *out, const GradebookChange *c)
{
    char value[64];
    const char *meaning = change_meaning(c->kind), *gap = strstr(meaning, "%s");
    if (c->kind == CHANGE_EXTEND)
        when_format((int64_t)c->value, value);
    else
        snprintf(value, sizeof value, "%s%.10g", c->kind == CHANGE_ADJUST && c->value > 0 ? "+" : "",
                 c->value);
    strbuf_printf(out, "%s: %.*s", change_word(c->kind), (int)(gap ? gap - meaning : (long)strlen(meaning)),
                  meaning);
    if (gap)
        strbuf_printf(out, "%s%s", value, gap + 2);
}

/* "3  2026-10-14T09:00:00Z  ta1  s001 02-vector-add  adjust: -5 points: the report is missing" */
static void put_change(StrBuf *out, const GradebookChange *c)
{
    char at[WHEN_TEXT];
    when_format(c->at, at);
    strbuf_printf(out, "%lld  %s  ", (long long)c->id, at);
    put_quoted(out, c->who);
    strbuf_puts(out, "  ");
    put_quoted(out, c->student[0] ? c->student : "all");
    strbuf_puts(out, " ");
    put_quoted(out, c->lab[0] ? c->lab : "all");
    strbuf_puts(out, "  ");
    put_meaning(out, c);
    const char *texts[] = {c->kind == CHANGE_POLICY ? "" : c->text, c->why};
    for (size_t i = 0; i < 2; i++) {
        strbuf_puts(out, texts[i][0] ? ": " : "");
        put_quoted(out, texts[i]);
    }
    strbuf_puts(out, c->withdrawn ? "  (withdrawn)\n" : "\n");
}

/* Adds the lines and prints them. */
static Status changes_add(Gradebook *book, GradebookChange *changes, size_t n, Diag *d)
{
    Status s = gradebook_change(book, changes, n, d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        StrBuf line = {0};
        put_change(&line, &changes[i]);
        strbuf_print(&line, stdout);
    }
    return s;
}

int cli_log(Arena *a, const Options *o)
{
    Gradebook *book;
    GradebookChange *log;
    size_t n = 0;
    Diag d;
    Status s = open_book(a, o, false, &book, &d);
    if (s == STATUS_OK)
        s = gradebook_changes(book, a, &log, &n, &d);
    Roster roster;
    if (s == STATUS_OK)
        s = roster_load_out(a, o->out, &roster, &d);
    const char **students, **labs;
    if (s == STATUS_OK)
        s = cli_choose_in_book(a, o, book, &roster, &students, &labs, &d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        bool chosen = (!log[i].student[0] || cli_listed(students, log[i].student)) &&
                      (!log[i].lab[0] || cli_listed(labs, log[i].lab));
        StrBuf line = {0};
        if (chosen)
            put_change(&line, &log[i]);
        strbuf_print(&line, stdout);
    }
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

/* Lines about students in labs
 * ------------------------------------------------------------------------------- */

/* Holds --students and --labs against the gradebook. More time may be given in a lab that nobody handed in
 * yet, and to anybody before the first run. */
static Status check_names(Arena *a, Gradebook *book, const Options *o, bool must_know, Diag *d)
{
    BookNames names;
    Kit kit;
    const char **chosen;
    Roster roster;
    Status s = roster_load_out(a, o->out, &roster, d);
    if (s == STATUS_OK)
        s = cli_book_names(a, book, &roster, &names, d);
    KnownNames known = {"students", "student", "the gradebook", names.students, names.n_students};
    if (s == STATUS_OK && (must_know || names.n_students))
        s = cli_choose(a, &known, o->students, &chosen, d);
    if (s == STATUS_NOT_FOUND && !must_know && !nearest_name(o->students, names.students, names.n_students))
        diag_hint(d, "`grade run` takes up who is new");
    known = (KnownNames){"labs", "lab", "the gradebook", names.labs, names.n_labs};
    if (s != STATUS_OK || must_know)
        return s == STATUS_OK ? cli_choose(a, &known, o->labs, &chosen, d) : s;
    s = kit_find(a, &kit, d);
    return s == STATUS_OK ? cli_choose_kit_labs(a, &kit, o->labs, &chosen, d) : s;
}

/* There must be a result to speak of. */
static Status check_result(Gradebook *book, const char *student, const char *lab, Diag *d)
{
    bool known = false;
    Status s = gradebook_knows(book, student, lab, &known, d);
    if (s != STATUS_OK || known)
        return s;
    diag_set(d, STATUS_NOT_FOUND, "the gradebook has no result of %s in %s", student, lab);
    diag_hint(d, "`grade status` lists those it has; grade run --labs %s makes one", lab);
    return STATUS_NOT_FOUND;
}

/* A line like c for each student and lab named; without labs, for all labs of the student. */
static Status for_each(Arena *a, Gradebook *book, const Options *o, bool must_know, const GradebookChange *c,
                       Diag *d)
{
    size_t n_students = 0, n_labs = 0, n = 0;
    const char **students = cli_split(a, o->students, &n_students), **labs = cli_split(a, o->labs, &n_labs);
    if (n_students == 0)
        return diag_set(d, STATUS_INVALID, "--students must be given");
    if (n_labs == 0 && must_know)
        return diag_set(d, STATUS_INVALID, "--labs must be given");
    GradebookChange *changes = ARENA_NEW_ARRAY(a, GradebookChange, n_students * (n_labs + 1));
    Status s = changes ? check_names(a, book, o, must_know, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; i < n_students; i++) {
        for (size_t k = 0; s == STATUS_OK && k < (n_labs ? n_labs : 1); k++) {
            changes[n] = *c;
            changes[n].student = students[i];
            changes[n].lab = n_labs ? labs[k] : "";
            if (must_know)
                s = check_result(book, students[i], changes[n].lab, d);
            n++;
        }
    }
    return s == STATUS_OK ? changes_add(book, changes, n, d) : s;
}

/* Adds c for the students and labs of the options. */
static int change_students(Arena *a, const Options *o, bool must_know, const GradebookChange *c)
{
    Gradebook *book;
    Diag d;
    Status s = open_book(a, o, !must_know, &book, &d);
    if (s == STATUS_OK)
        s = for_each(a, book, o, must_know, c, &d);
    gradebook_close(book);
    if (s == STATUS_OK)
        printf("`grade report --out %s` writes the pages again\n", o->out);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

int cli_extend(Arena *a, const Options *o)
{
    GradebookChange c;
    Diag d;
    int64_t until = 0;
    Status s = fill_origin(o, true, &c, &d);
    if (s == STATUS_OK)
        s = o->until ? read_moment("until", o->until, &until, &d)
                     : diag_set(&d, STATUS_INVALID, "--until must be given");
    c.kind = CHANGE_EXTEND;
    c.value = (double)until;
    return s == STATUS_OK ? change_students(a, o, false, &c) : cli_fail(&d);
}

int cli_adjust(Arena *a, const Options *o)
{
    GradebookChange c;
    Diag d;
    double points = 0;
    Status s = fill_origin(o, true, &c, &d);
    if (s == STATUS_OK && !o->points == !o->score)
        s = diag_set(&d, STATUS_INVALID, "either --points or --score must be given");
    if (s == STATUS_OK)
        s = read_points(o->points ? "points" : "score", o->points ? o->points : o->score, &points, &d);
    if (s == STATUS_OK && o->score && points < 0)
        s = diag_set(&d, STATUS_INVALID, "--score must not be negative");
    c.kind = o->points ? CHANGE_ADJUST : CHANGE_SCORE;
    c.value = points;
    return s == STATUS_OK ? change_students(a, o, true, &c) : cli_fail(&d);
}

int cli_comment(Arena *a, const Options *o)
{
    GradebookChange c;
    Diag d;
    Status s = fill_origin(o, false, &c, &d);
    if (s == STATUS_OK)
        s = check_text("text", o->text, &d);
    c.kind = o->private ? CHANGE_NOTE : CHANGE_COMMENT;
    c.text = o->text;
    return s == STATUS_OK ? change_students(a, o, true, &c) : cli_fail(&d);
}

/* Lines about the course
 * --------------------------------------------------------------------------------------- */

int cli_withdraw(Arena *a, const Options *o)
{
    GradebookChange c;
    Gradebook *book = NULL;
    Diag d;
    Status s = fill_origin(o, true, &c, &d);
    if (s == STATUS_OK && o->change < 0)
        s = diag_set(&d, STATUS_INVALID, "--change must be given: `grade log` shows the numbers");
    if (s == STATUS_OK)
        s = open_book(a, o, false, &book, &d);
    c.kind = CHANGE_WITHDRAW;
    c.value = (double)o->change;
    if (s == STATUS_OK)
        s = changes_add(book, &c, 1, &d);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

/* The policy as it was given, its lines made safe for a terminal. */
static void print_policy(const GradeRules *rules)
{
    const char *text = "";
    for (size_t i = 0; i < rules->n_changes; i++)
        if (rules->changes[i].kind == CHANGE_POLICY && !rules->changes[i].withdrawn)
            text = rules->changes[i].text;
    if (!text[0])
        puts("no policy: the last attempt counts, and being late costs nothing");
    while (*text) {
        size_t length = strcspn(text, "\n");
        StrBuf line = {0};
        report_plain(&line, text, length);
        strbuf_puts(&line, "\n");
        strbuf_print(&line, stdout);
        text += length + (text[length] == '\n');
    }
}

static Status show_policy(Arena *a, const Options *o, Diag *d)
{
    Gradebook *book;
    GradeRules rules;
    Status s = open_book(a, o, false, &book, d);
    if (s == STATUS_OK)
        s = grade_rules_load(book, a, &rules, d);
    if (s == STATUS_OK)
        print_policy(&rules);
    gradebook_close(book);
    return s;
}

/* Labs that are due and that the kit does not have are most likely misspelt. */
static Status check_labs(Arena *a, const Policy *p, Diag *d)
{
    Kit kit;
    Status s = kit_find(a, &kit, d);
    for (size_t i = 0; s == STATUS_OK && i < p->n_due; i++) {
        const char *path =
            strchr(p->due[i].lab, '/') ? NULL : arena_printf(a, "%s/labs/%s", kit.root, p->due[i].lab);
        if (!path || access(path, F_OK) != 0)
            s = diag_set(d, STATUS_NOT_FOUND, "the policy names a lab that the kit does not have: %s",
                         p->due[i].lab);
    }
    return s;
}

static Status set_policy(Arena *a, const Options *o, Diag *d)
{
    GradebookChange c;
    Gradebook *book = NULL;
    Policy policy;
    char *text;
    size_t length;
    Status s = fill_origin(o, true, &c, d);
    if (s == STATUS_OK)
        s = file_read(a, o->from, POLICY_BYTES_MAX, &text, &length, d);
    if (s == STATUS_OK && strlen(text) != length)
        s = diag_set_at(d, STATUS_PARSE, o->from, 0, 0, "a policy is text, and this holds a NUL");
    if (s == STATUS_OK)
        s = policy_read(a, o->from, text, length, &policy, d);
    if (s == STATUS_OK)
        s = check_labs(a, &policy, d);
    if (s == STATUS_OK)
        s = open_book(a, o, true, &book, d);
    c.kind = CHANGE_POLICY;
    c.text = s == STATUS_OK ? text : "";
    if (s == STATUS_OK)
        s = changes_add(book, &c, 1, d);
    gradebook_close(book);
    return s;
}

int cli_policy(Arena *a, const Options *o)
{
    Diag d;
    Status s = o->from ? set_policy(a, o, &d) : show_policy(a, o, &d);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
