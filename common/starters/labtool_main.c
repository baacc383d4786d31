/* labtool: what a lab's Makefile asks of lab.yaml.
 *
 *   labtool case LABDIR [NAME [STATE]]  a public case as the fields of the judge's commands, separated by tabs:
 *                                       NAME SEED RTOL ATOL NAN KEY=VALUE...; without NAME the first that falls
 *                                       short, as the file STATE has it (state.h), or the first one
 *   labtool options LABDIR [NAME]       the options of the vgpu command that the case asks for, one a line
 *   labtool shapes LABDIR NAME [KEY=VALUE...]
 *                                       how a film of the case shows arrays, as --shape of the vgpu command has it;
 *                                       KEY=VALUE: in the place of the case's own parameter. Nothing where lab.yaml says nothing
 *   labtool expects LABDIR NAME         what the case's program has to end with: its exit status, and `compared` or `alone`
 *                                       (nothing is compared)
 *   labtool cases LABDIR                the names of the public cases that run a program, one a line
 *   labtool files LABDIR                the names of the files that are handed in, one a line
 *   labtool libraries LABDIR            the libraries that its program links beside the runtime, one a line
 *   labtool hint LABDIR RECORD STATE [TODO [CASE]]
 *                                       the next hint, of the first TODO whose cases fall short; RECORD is the
 *                                       file that remembers what was shown. CASE: of its TODO, and its own
 *   labtool next LABDIR STATE           the number of that TODO; nothing when all cases are right
 *   labtool progress LABDIR STATE       how far the lab is: a line of the table of `make progress`
 *   labtool mark LABDIR STATE CASE right|short
 *                                       notes what a run of the case said
 *   labtool untouched LABDIR            what of the files to hand in is as the student got it (untouched.h)
 *   labtool language LABDIR             the language that the lab speaks
 *   labtool say LABDIR ENGLISH          a sentence of the kit in that language
 *   labtool messages LABDIR             standard input, what a compiler says, as `make check` shows it
 *   labtool wrap                        standard input, its lines made to fit the terminal where the output is one
 *
 * And, where the solutions are, of the lab's wrong (broken) and unusual (accepted) submissions, most of which
 * are edits of the solution (edit.h):
 *
 *   labtool broken LABDIR NAME          the whole source of one: NAME as no-guard, or half-mended/smooth.cu
 *                                       of a folder
 *   labtool accepted LABDIR NAME        the same
 *   labtool submissions LABDIR TO       all of them as whole sources, in TO/broken and TO/accepted
 *   labtool edit LABDIR FILE            the edit that makes the source in FILE of the solution
 *
 * LABDIR is labs/NN-name; in the kit's folder NN-name is enough.
 *
 * KIT_LANG=zh-CN in the environment asks for Chinese, which those labs speak that have their texts in it
 * (language.h); English otherwise.
 *
 * Exit status: 0; 2 when something is not there or not understood.
 */
#include "common/base/formula.h"
#include "common/base/messages.h"
#include "common/base/wrap.h"
#include "common/starters/hint.h"
#include "common/starters/source.h"
#include "common/starters/state.h"
#include "common/starters/submission.h"
#include "common/starters/untouched.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FINE = 0, EXIT_KIT = 2 };

static const char usage[] =
    "labtool "
    "case|options|shapes|expects|cases|files|libraries|hint|next|progress|mark|untouched|language|"
    "messages|say|broken|accepted|submissions|edit LABDIR "
    "...";

static const LabFileCase *find_case(const LabFile *lab, const char *name)
{
    for (size_t i = 0; i < lab->n_cases; i++)
        if (name ? strcmp(lab->cases[i].name, name) == 0 : lab->cases[i].run)
            return &lab->cases[i];
    return NULL;
}

static Status no_case(const LabFile *lab, const char *name, Diag *diag)
{
    StrBuf names = {0};
    for (size_t i = 0; i < lab->n_cases; i++)
        strbuf_printf(&names, "%s%s", i > 0 ? ", " : "", lab->cases[i].name);
    diag_set(diag, STATUS_NOT_FOUND, "no case '%s'", name ? name : "");
    diag_hint(diag, "the cases: %s", names.text ? names.text : "none");
    strbuf_free(&names);
    return STATUS_NOT_FOUND;
}

/* The case of that name; without one the first that falls short, by the record, or the first. */
static const LabFileCase *chosen_case(const LabFile *lab, const char *name, const char *state)
{
    Arena arena = {0};
    CaseState *states = name || !state ? NULL : state_read(&arena, lab, state);
    const LabFileCase *c = states ? state_case(lab, states) : NULL;
    arena_free(&arena);
    return c ? c : find_case(lab, name);
}

static Status print_options(const LabFile *lab, const char *name, StrBuf *out, Diag *diag)
{
    const LabFileCase *c = find_case(lab, name);
    if (!c)
        return no_case(lab, name, diag);
    if (strcmp(c->devices, "1") != 0)
        strbuf_printf(out, "--devices=%s\n", c->devices);
    for (size_t i = 0; i < c->n_vgpu; i++)
        strbuf_printf(out, "%s\n", c->vgpu[i]);
    return STATUS_OK;
}

/* A case's parameters, and KEY=VALUEs that stand in the place of its own. */
typedef struct Params {
    const LabFileCase *own;
    char **given;
    int n_given;
} Params;

static const char *find_param(const void *self, const char *name)
{
    const Params *p = self;
    const size_t n = strlen(name);
    for (size_t i = 0; i < p->own->n_params; i++) {
        if (strcmp(p->own->params[i].key, name) != 0)
            continue;
        for (int k = p->n_given - 1; k >= 0; k--)
            if (strncmp(p->given[k], name, n) == 0 && p->given[k][n] == '=')
                return p->given[k] + n + 1;
        return p->own->params[i].value;
    }
    return NULL;
}

/* "48x96": the formulas' values; false, and nothing: one is no number above `least`, or the case has not what it needs. */
static bool put_lengths(const char **formulas, size_t n, double least, const Params *p, StrBuf *out)
{
    for (size_t i = 0; i < n; i++) {
        const char *problem;
        double value = formula_value(formulas[i], find_param, p, &problem);
        if (problem || !(value >= least && value < INT32_MAX))
            return false;
        strbuf_printf(out, "%s%d", i > 0 ? "x" : "", (int)value);
    }
    return true;
}

/* "in=48x96,tile=18x36+1x2" */
static Status print_shapes(const LabFile *lab, const char *name, const Params *given, StrBuf *out, Diag *diag)
{
    const Params p = {find_case(lab, name), given->given, given->n_given};
    if (!p.own)
        return no_case(lab, name, diag);
    for (size_t i = 0; i < lab->n_shapes; i++) {
        const LabFileShape *s = &lab->shapes[i];
        StrBuf text = {0}, halo = {0};
        bool is_of_case =
            put_lengths(s->shape, s->n_shape, 1, &p, &text) && put_lengths(s->halo, s->n_halo, 0, &p, &halo);
        for (size_t k = 0; is_of_case && k < s->n_arrays; k++)
            strbuf_printf(out, "%s%s=%s%s%s", out->length ? "," : "", s->arrays[k], text.text,
                          halo.length ? "+" : "", halo.length ? halo.text : "");
        strbuf_free(&text);
        strbuf_free(&halo);
    }
    strbuf_puts(out, out->length ? "\n" : "");
    return STATUS_OK;
}

static Status print_expected(const LabFile *lab, const char *name, StrBuf *out, Diag *diag)
{
    const LabFileCase *c = find_case(lab, name);
    if (!c)
        return no_case(lab, name, diag);
    strbuf_printf(out, "%s\t%s\n", c->expect_status, c->check_output ? "compared" : "alone");
    return STATUS_OK;
}

static Status print_lines(const char *const *texts, size_t n, StrBuf *out)
{
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%s\n", texts[i]);
    return STATUS_OK;
}

static Status print_case(const LabFile *lab, const char *name, const char *state, StrBuf *out, Diag *diag)
{
    const LabFileCase *c = chosen_case(lab, name, state);
    if (!c)
        return no_case(lab, name, diag);
    if (!c->run) {
        diag_set(diag, STATUS_INVALID, "case '%s' runs no program: it looks at the answer file alone",
                 c->name);
        diag_hint(diag, "`make check` judges it");
        return STATUS_INVALID;
    }
    strbuf_printf(out, "%s\t%s\t%s\t%s\t%s", c->name, c->seed, c->rtol, c->atol, c->nan);
    for (size_t i = 0; i < c->n_params; i++)
        strbuf_printf(out, "\t%s=%s", c->params[i].key, c->params[i].value);
    strbuf_puts(out, "\n");
    return STATUS_OK;
}

/* The lab's texts in the language of KIT_LANG; empty, and in English, where it has none. */
static Status read_texts(const char *folder, LabFile *texts, Diag *diag)
{
    Language language;
    *texts = (LabFile){0};
    bool other = language_find(getenv("KIT_LANG"), &language) && language != LANGUAGE_ENGLISH;
    return other ? labfile_read_texts(folder, language, texts, diag) : STATUS_OK;
}

/* The first TODO whose cases fall short, or that of a case; 0: all are right. */
static int todo_at_hand(const LabFile *lab, const char *state, const LabFileCase *c)
{
    Arena arena = {0};
    CaseState *states = state_read(&arena, lab, state);
    int todo = !states ? 1 : c ? states[c - lab->cases].todo : state_todo(lab, states);
    arena_free(&arena);
    return todo;
}

/* The case's own hint, in the language of the texts where they have it. */
static void print_case_hint(const LabFile *texts, const LabFileCase *c, StrBuf *out)
{
    const LabFileCase *translated = find_case(texts, c->name);
    const char *hint = translated && translated->hint ? translated->hint : c->hint;
    if (hint)
        strbuf_printf(out, language_say(texts->language, "case %s: %s\n\n"), c->name, hint);
}

/* argv: RECORD STATE [TODO [CASE]] */
static Status print_hint(const LabFile *lab, const char *folder, int argc, char **argv, StrBuf *out,
                         Diag *diag)
{
    int todo = argc > 2 ? atoi(argv[2]) : 0;
    const char *name = argc > 3 && argv[3][0] ? argv[3] : NULL;
    const LabFileCase *c = name ? find_case(lab, name) : NULL;
    LabFile texts;
    if (name && !c)
        return no_case(lab, name, diag);
    Status status = read_texts(folder, &texts, diag);
    todo = todo ? todo : todo_at_hand(lab, argv[1], c);
    StrBuf text = {0};
    if (!status && c)
        print_case_hint(&texts, c, &text);
    if (!status && todo == 0)
        strbuf_puts(&text,
                    language_say(texts.language, "All public cases are right. `make hint TODO=N` shows "
                                                 "the hints of TODO N.\n"));
    else if (!status)
        status = hint_next(texts.n_hints > 0 ? &texts : lab, todo, argv[0], &text, diag);
    int columns, rows;
    terminal_size(STDOUT_FILENO, &columns, &rows);
    text_wrap(out, text.text ? text.text : "", columns);
    strbuf_free(&text);
    labfile_free(&texts);
    return status;
}

static Status print_next(const LabFile *lab, const char *state, StrBuf *out)
{
    int todo = todo_at_hand(lab, state, NULL);
    if (todo > 0)
        strbuf_printf(out, "%d\n", todo);
    return STATUS_OK;
}

/* "01-indexing     2 of 5      28/50  TODO 3" */
static Status print_progress(const LabFile *lab, const char *folder, const char *state, StrBuf *out)
{
    Arena arena = {0};
    char score[48];
    const char *slash = strrchr(folder, '/');
    CaseState *states = state_read(&arena, lab, state);
    if (states) {
        LabProgress p = state_progress(lab, states);
        snprintf(score, sizeof score, "%g/%g", p.points, p.points_max);
        strbuf_printf(out, "%-26s", slash ? slash + 1 : folder);
        if (p.begun)
            strbuf_printf(out, " %2d of %-2d %12s  ", p.todos_done, p.todos, score);
        else
            strbuf_printf(out, "       %-2d %12s  ", p.todos, "-");
        if (p.begun && p.next == 0)
            strbuf_puts(out, "done\n");
        else
            strbuf_printf(out, "TODO %d\n", p.begun ? p.next : 1);
    }
    arena_free(&arena);
    return STATUS_OK;
}

static Status mark(const LabFile *lab, const char *state, const char *name, const char *word, Diag *diag)
{
    const LabFileCase *c = find_case(lab, name);
    return c ? state_mark(lab, state, c, strcmp(word, "right") == 0, diag) : no_case(lab, name, diag);
}

static void read_input(StrBuf *text)
{
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        strbuf_append(text, piece, n);
    strbuf_puts(text, "");
}

enum { MESSAGE_ROWS = 15 };

/* What a compiler says, as the first screen of `make check` has it. */
static Status print_messages(const char *folder, StrBuf *out, Diag *diag)
{
    LabFile texts;
    StrBuf said = {0}, log = {0}, shown = {0};
    int columns, rows;
    Status status = read_texts(folder, &texts, diag);
    read_input(&said);
    terminal_size(STDOUT_FILENO, &columns, &rows);
    if (!status)
        messages_of_compiler(texts.language, said.text ? said.text : "", &log);
    messages_on_screen(status ? LANGUAGE_ENGLISH : texts.language, log.text ? log.text : "", MESSAGE_ROWS,
                       columns, &shown);
    text_wrap(out, shown.text ? shown.text : "", columns);
    strbuf_free(&said);
    strbuf_free(&log);
    strbuf_free(&shown);
    labfile_free(&texts);
    return status;
}

/* The name of the language that the lab speaks; or, in it, a sentence of the kit. */
static Status print_language(const char *folder, const char *sentence, StrBuf *out, Diag *diag)
{
    LabFile texts;
    Status status = read_texts(folder, &texts, diag);
    if (!status)
        strbuf_puts(out, sentence ? language_say(texts.language, sentence) : language_name(texts.language));
    labfile_free(&texts);
    return status;
}

static Status print_untouched(const LabFile *lab, const char *folder, StrBuf *out, Diag *diag)
{
    LabFile texts;
    Status status = read_texts(folder, &texts, diag);
    if (!status)
        status = untouched_tell(lab, folder, texts.language, out, diag);
    labfile_free(&texts);
    return status;
}

/* What is asked about submissions. */
static Status serve_submission(const char *command, const char *lab_dir, const char *what, const LabFile *lab,
                               StrBuf *out, Diag *diag)
{
    SubmissionLab s;
    size_t n_faults = 0;
    Status status = submission_open(lab_dir, lab, &s, diag);
    if (status)
        return status;
    if (strcmp(command, "edit") == 0)
        return submission_make_edit(&s, what, out, diag);
    if (strcmp(command, "submissions") != 0)
        return submission_read(&s, command, what, out, diag);
    status = submission_write_all(&s, what, out, &n_faults, diag);
    if (!status && n_faults > 0)
        status = diag_set(diag, STATUS_PARSE, "%zu of %s cannot be made", n_faults, lab_dir);
    return status;
}

static bool is_about_submissions(const char *command)
{
    static const char *const commands[] = {"broken", "accepted", "submissions", "edit"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(command, commands[i]) == 0)
            return true;
    return false;
}

static Status serve(const char *command, int argc, char **argv, const LabFile *lab, StrBuf *out, Diag *diag)
{
    if (strcmp(command, "case") == 0)
        return print_case(lab, argc > 3 && *argv[3] ? argv[3] : NULL, argc > 4 ? argv[4] : NULL, out, diag);
    if (strcmp(command, "options") == 0)
        return print_options(lab, argc > 3 && *argv[3] ? argv[3] : NULL, out, diag);
    if (strcmp(command, "shapes") == 0 && argc > 3)
        return print_shapes(lab, argv[3], &(Params){.given = argv + 4, .n_given = argc - 4}, out, diag);
    if (strcmp(command, "expects") == 0 && argc > 3)
        return print_expected(lab, argv[3], out, diag);
    if (strcmp(command, "hint") == 0 && argc > 4)
        return print_hint(lab, argv[2], argc - 3, argv + 3, out, diag);
    if (strcmp(command, "next") == 0 && argc > 3)
        return print_next(lab, argv[3], out);
    if (strcmp(command, "progress") == 0 && argc > 3)
        return print_progress(lab, argv[2], argv[3], out);
    if (strcmp(command, "mark") == 0 && argc > 5)
        return mark(lab, argv[3], argv[4], argv[5], diag);
    if (strcmp(command, "untouched") == 0)
        return print_untouched(lab, argv[2], out, diag);
    if (strcmp(command, "messages") == 0)
        return print_messages(argv[2], out, diag);
    if (strcmp(command, "language") == 0 || (strcmp(command, "say") == 0 && argc > 3))
        return print_language(argv[2], *command == 's' ? argv[3] : NULL, out, diag);
    if (is_about_submissions(command) && argc > 3)
        return serve_submission(command, argv[2], argv[3], lab, out, diag);
    if (strcmp(command, "files") == 0)
        return print_lines(lab->files, lab->n_files, out);
    if (strcmp(command, "libraries") == 0)
        return print_lines(lab->libraries, lab->n_libraries, out);
    if (strcmp(command, "cases") != 0)
        return diag_set(diag, STATUS_INVALID, "usage: %s", usage);
    for (size_t i = 0; i < lab->n_cases; i++)
        if (lab->cases[i].run)
            strbuf_printf(out, "%s\n", lab->cases[i].name);
    return STATUS_OK;
}

/* The lab's folder: as it is named, or in labs/. */
static void find_lab(const char *named, char folder[DIAG_FILE_MAX])
{
    char path[DIAG_FILE_MAX + 16];
    snprintf(folder, DIAG_FILE_MAX, "%s", named);
    snprintf(path, sizeof path, "labs/%s/lab.yaml", named);
    if (!strchr(named, '/') && access(path, R_OK) == 0)
        snprintf(folder, DIAG_FILE_MAX, "labs/%s", named);
}

static Status serve_lab(int argc, char **argv, StrBuf *out, Diag *diag)
{
    char folder[DIAG_FILE_MAX], path[DIAG_FILE_MAX + 16];
    LabFile lab = {0};
    if (argc < 3)
        return diag_set(diag, STATUS_INVALID, "usage: %s", usage);
    find_lab(argv[2], folder);
    argv[2] = folder;
    snprintf(path, sizeof path, "%s/lab.yaml", folder);
    Status status = labfile_read(path, &lab, diag);
    if (!status)
        status = serve(argv[1], argc, argv, &lab, out, diag);
    labfile_free(&lab);
    return status;
}

/* What is read, as lines of the terminal's width; unchanged where the output is no terminal. */
static int wrap_input(void)
{
    StrBuf text = {0}, out = {0};
    int columns, rows;
    read_input(&text);
    if (terminal_size(STDOUT_FILENO, &columns, &rows))
        text_wrap(&out, text.text ? text.text : "", columns);
    else
        strbuf_puts(&out, text.text ? text.text : "");
    strbuf_print(&out, stdout);
    strbuf_free(&text);
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    StrBuf out = {0};
    Diag diag = {0};
    if (argc == 2 && strcmp(argv[1], "wrap") == 0)
        return wrap_input();
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    Status status = serve_lab(argc, argv, &out, &diag);
    strbuf_print(&out, stdout);
    if (status) {
        diag_format(&diag, NULL, text, sizeof text);
        fprintf(stderr, "labtool: %s", text);
    }
    return status ? EXIT_KIT : EXIT_FINE;
}
