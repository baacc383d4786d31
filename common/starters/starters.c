/* starters: see starters.h. */
#include "common/starters/starters.h"

#include "common/starters/handout.h"
#include "common/starters/labfile.h"
#include "common/starters/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_TEXT_MAX = STARTERS_PATH_MAX + 128, HANDOUT_NAME_MAX = 32 };

/* Solution lines shorter than this, blanks apart, say too little to be secret (`return 0;`). */
enum { SECRET_LINE_MIN = 24 };

/* So many characters, and operators among them, in a case's hint and in the last hint of a TODO are code that is given away. */
enum { SHARED_CODE_MIN = 12, SHARED_OPERATORS_MIN = 2 };

static void join(char *path, const char *folder, const char *name)
{
    snprintf(path, PATH_TEXT_MAX, "%s/%s", folder, name);
}

Status starters_open(const char *kit, const char *name, StarterLab *lab, Diag *diag)
{
    int a = snprintf(lab->lab_dir, sizeof lab->lab_dir, "%s/labs/%s", kit, name);
    int b = snprintf(lab->solution_dir, sizeof lab->solution_dir, "%s/solutions/%s", kit, name);
    int c = snprintf(lab->name, sizeof lab->name, "%s", name);
    if (a >= (int)sizeof lab->lab_dir || b >= (int)sizeof lab->solution_dir || c >= (int)sizeof lab->name)
        return diag_set(diag, STATUS_LIMIT, "the path of lab %s is too long", name);
    char path[PATH_TEXT_MAX];
    join(path, lab->lab_dir, "lab.yaml");
    if (access(path, R_OK) != 0)
        return diag_set_at(diag, STATUS_NOT_FOUND, path, 0, 0, "no such lab");
    return STATUS_OK;
}

/* "README.md" in English, "README.zh-CN.md" in Chinese. */
static void handout_name(char name[HANDOUT_NAME_MAX], Language language)
{
    const char *tag = language_name(language);
    snprintf(name, HANDOUT_NAME_MAX, "README%s%s.md", language == LANGUAGE_ENGLISH ? "" : ".",
             language == LANGUAGE_ENGLISH ? "" : tag);
}

static Status read_labfile(const StarterLab *lab, LabFile *file, Diag *diag)
{
    char path[PATH_TEXT_MAX];
    join(path, lab->lab_dir, "lab.yaml");
    return labfile_read(path, file, diag);
}

static Status parse_at(const char *folder, const char *name, Source *source, Diag *diag)
{
    char path[PATH_TEXT_MAX];
    StrBuf text = {0};
    *source = (Source){0};
    join(path, folder, name);
    Status status = source_read_file(path, &text, diag);
    if (!status)
        status = source_parse(path, text.text, source, diag);
    strbuf_free(&text);
    return status;
}

/* What a student sees of a file: a handed-in file comes from its solution, others are in the lab's folder. */
static Status lookup(void *context, const char *file, Source *source, Diag *diag)
{
    const StarterLab *lab = context;
    if (strchr(file, '/'))
        return diag_set(diag, STATUS_INVALID, "'%s': only files of the lab's own folder can be shown", file);
    Status status = parse_at(lab->solution_dir, file, source, diag);
    return status == STATUS_NOT_FOUND ? parse_at(lab->lab_dir, file, source, diag) : status;
}

/* Makes what README.md, or its translation into the language of the file, should be, from what it is (given
 * back in *now). */
static Status make_handout(const StarterLab *lab, const LabFile *file, StrBuf *now, StrBuf *wanted,
                           Diag *diag)
{
    char path[PATH_TEXT_MAX], name[HANDOUT_NAME_MAX];
    handout_name(name, file->language);
    join(path, lab->lab_dir, name);
    Status status = source_read_file(path, now, diag);
    return status ? status : handout_expand(path, now->text, file, lookup, (void *)lab, wanted, diag);
}

static bool same_text(const StrBuf *a, const StrBuf *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* ---- Writing ---- */

static Status write_if_changed(const char *path, const StrBuf *now, const StrBuf *wanted, StrBuf *report,
                               Diag *diag)
{
    if (now->text && same_text(now, wanted))
        return STATUS_OK;
    strbuf_printf(report, "wrote %s\n", path);
    return source_write_file(path, wanted, diag);
}

static Status write_starter(const StarterLab *lab, const char *file, StrBuf *report, Diag *diag)
{
    Source source;
    StrBuf now = {0};
    char path[PATH_TEXT_MAX];
    Status status = parse_at(lab->solution_dir, file, &source, diag);
    if (status)
        return status;
    join(path, lab->lab_dir, file);
    status = source_read_file(path, &now, diag);
    if (status == STATUS_OK || status == STATUS_NOT_FOUND)
        status = write_if_changed(path, &now, &source.starter, report, diag);
    strbuf_free(&now);
    source_free(&source);
    return status;
}

static Status write_handout(const StarterLab *lab, const LabFile *file, StrBuf *report, Diag *diag)
{
    StrBuf now = {0}, wanted = {0};
    char path[PATH_TEXT_MAX], name[HANDOUT_NAME_MAX];
    handout_name(name, file->language);
    join(path, lab->lab_dir, name);
    Status status = make_handout(lab, file, &now, &wanted, diag);
    if (!status)
        status = write_if_changed(path, &now, &wanted, report, diag);
    strbuf_free(&now);
    strbuf_free(&wanted);
    return status;
}

/* Calls one for each language, but English, in which the lab has texts. */
typedef Status WithTranslation(const LabFile *file, void *context, Diag *diag);

static Status each_translation(const StarterLab *lab, WithTranslation *one, void *context, Diag *diag)
{
    Status status = STATUS_OK;
    for (int i = LANGUAGE_ENGLISH + 1; i < N_LANGUAGES && !status; i++) {
        LabFile file = {0};
        status = labfile_read_texts(lab->lab_dir, (Language)i, &file, diag);
        if (!status && file.language == (Language)i)
            status = one(&file, context, diag);
        labfile_free(&file);
    }
    return status;
}

typedef struct WriteRun {
    const StarterLab *lab;
    StrBuf *report;
} WriteRun;

static Status write_translation(const LabFile *file, void *context, Diag *diag)
{
    const WriteRun *run = context;
    return write_handout(run->lab, file, run->report, diag);
}

Status starters_write(const StarterLab *lab, StrBuf *report, Diag *diag)
{
    LabFile file;
    Status status = read_labfile(lab, &file, diag);
    for (size_t i = 0; i < file.n_files && !status; i++)
        status = write_starter(lab, file.files[i], report, diag);
    for (size_t i = 0; i < file.n_extra && !status; i++)
        status = write_starter(lab, file.extra[i], report, diag);
    if (!status)
        status = write_handout(lab, &file, report, diag);
    WriteRun run = {lab, report};
    if (!status)
        status = each_translation(lab, write_translation, &run, diag);
    labfile_free(&file);
    return status;
}

/* ---- Checking ---- */

typedef struct CheckRun {
    const StarterLab *lab;
    const LabFile *file;
    bool todos[SOURCE_TODOS_MAX + 1];  /* the TODOs of all solution files */
    bool graded[SOURCE_TODOS_MAX + 1]; /* those of the files that are handed in */
    StrBuf handout;
    StrBuf *report;
    size_t *n_faults;
} CheckRun;

static void report_fault(CheckRun *r, const char *folder, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report_fault(CheckRun *r, const char *folder, const char *name, const char *format, ...)
{
    va_list args;
    strbuf_printf(r->report, "%s/%s: ", folder, name);
    va_start(args, format);
    strbuf_vprintf(r->report, format, args);
    va_end(args);
    strbuf_puts(r->report, "\n");
    *r->n_faults += 1;
}

/* The line without the blanks at its ends. */
static char *trim(char *line)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    return line;
}

/* Whether a line of the solution stands somewhere in the starter. What stands there is a leak: the starter
 * was made without the solution's lines, so only a stub can hold one, or code that is given away elsewhere in
 * the file. */
static void check_leaks(CheckRun *r, const char *file, const Source *source)
{
    char *secret = strdup(source->secret.text ? source->secret.text : "");
    char *rest = secret;
    for (char *line; secret && (line = strsep(&rest, "\n"));) {
        line = trim(line);
        bool comment = strncmp(line, "//", 2) == 0;
        if (!comment && strlen(line) >= SECRET_LINE_MIN && source->starter.text &&
            strstr(source->starter.text, line))
            report_fault(r, r->lab->lab_dir, file, "the starter gives away the solution's line: %s", line);
    }
    free(secret);
}

static void check_todos_of_starter(CheckRun *r, const char *file, const Source *source)
{
    for (int todo = 1; todo <= SOURCE_TODOS_MAX; todo++) {
        bool solved = false;
        for (size_t i = 0; i < source->n_todos; i++)
            solved |= source->todos[i] == todo;
        bool asked = source->starter.text && handout_mentions_todo(source->starter.text, todo);
        if (solved && !asked)
            report_fault(r, r->lab->solution_dir, file, "no stub says TODO %d", todo);
        if (asked && !solved)
            report_fault(r, r->lab->solution_dir, file, "TODO %d has no solution block", todo);
        r->todos[todo] |= solved;
    }
}

static Status check_starter(CheckRun *r, const char *file, Diag *diag)
{
    Source source;
    StrBuf now = {0};
    char path[PATH_TEXT_MAX];
    Status status = parse_at(r->lab->solution_dir, file, &source, diag);
    if (status)
        return status;
    join(path, r->lab->lab_dir, file);
    status = source_read_file(path, &now, diag);
    if (status == STATUS_NOT_FOUND || (!status && !same_text(&now, &source.starter)))
        report_fault(r, r->lab->lab_dir, file, "not what the solution gives: run `make starters`");
    check_leaks(r, file, &source);
    check_todos_of_starter(r, file, &source);
    strbuf_free(&now);
    source_free(&source);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static Status check_handout(CheckRun *r, Diag *diag)
{
    StrBuf wanted = {0};
    Status status = make_handout(r->lab, r->file, &r->handout, &wanted, diag);
    if (!status && !same_text(&r->handout, &wanted))
        report_fault(r, r->lab->lab_dir, "README.md",
                     "shown code differs from its source: run `make starters`");
    strbuf_free(&wanted);
    return status;
}

/* A translation shows the same code as the original, and has as many hints for the same TODOs. */
static Status check_translation(const LabFile *file, void *context, Diag *diag)
{
    CheckRun *r = context;
    char name[HANDOUT_NAME_MAX];
    StrBuf now = {0}, wanted = {0};
    handout_name(name, file->language);
    Status status = make_handout(r->lab, file, &now, &wanted, diag);
    if (!status && !same_text(&now, &wanted))
        report_fault(r, r->lab->lab_dir, name, "shown code differs from its source: run `make starters`");
    bool same = file->n_hints == r->file->n_hints;
    for (size_t i = 0; same && i < file->n_hints; i++)
        same = file->hints[i].todo == r->file->hints[i].todo &&
               file->hints[i].n_tiers == r->file->hints[i].n_tiers;
    if (!same)
        report_fault(r, r->lab->lab_dir, name, "not as many hints, for the same TODOs, as in lab.yaml");
    strbuf_free(&now);
    strbuf_free(&wanted);
    return status;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\n")] == '\0';
}

static void check_hints(CheckRun *r)
{
    bool hinted[SOURCE_TODOS_MAX + 1] = {false};
    for (size_t i = 0; i < r->file->n_hints; i++) {
        const LabFileHint *hint = &r->file->hints[i];
        if (hint->todo > SOURCE_TODOS_MAX || !r->todos[hint->todo])
            report_fault(r, r->lab->lab_dir, "lab.yaml", "hints for TODO %d, which no solution has",
                         hint->todo);
        else
            hinted[hint->todo] = true;
        if (hint->n_tiers < 3)
            report_fault(r, r->lab->lab_dir, "lab.yaml",
                         "TODO %d has %zu hints; a question, the idea and nearly the "
                         "code are expected",
                         hint->todo, hint->n_tiers);
        for (size_t t = 0; t < hint->n_tiers; t++)
            if (is_blank(hint->tiers[t]))
                report_fault(r, r->lab->lab_dir, "lab.yaml", "hint %zu of TODO %d is empty", t + 1,
                             hint->todo);
    }
    for (int todo = 1; todo <= SOURCE_TODOS_MAX; todo++) {
        if (r->todos[todo] && !hinted[todo])
            report_fault(r, r->lab->lab_dir, "lab.yaml", "no hints for TODO %d", todo);
        if (r->todos[todo] != handout_mentions_todo(r->handout.text ? r->handout.text : "", todo))
            report_fault(r, r->lab->lab_dir, "README.md",
                         r->todos[todo] ? "does not mention TODO %d"
                                        : "mentions TODO %d, which no solution has",
                         todo);
    }
}

/* The blanks and the words apart, the longest text that stands in both, if there is an operator in it. */
static size_t shared_code(const char *a, const char *b)
{
    size_t longest = 0;
    for (; *a; a++)
        for (const char *start = b; *start; start++) {
            size_t n = 0, code = 0;
            const char *x = a, *y = start;
            for (; *x && *x == *y; x++, y++) {
                n += *x != ' ';
                code += strchr("=*+/%<>[]", *x) != NULL;
            }
            longest = code >= SHARED_OPERATORS_MIN && n > longest ? n : longest;
        }
    return longest;
}

/* What a case says when it falls short is a question or an idea: the code of the last hint is for who asks for it. */
static void check_case_hint(CheckRun *r, const LabFileCase *c)
{
    for (size_t i = 0; i < r->file->n_hints && c->hint; i++) {
        const LabFileHint *h = &r->file->hints[i];
        if (h->n_tiers > 0 && shared_code(c->hint, h->tiers[h->n_tiers - 1]) >= SHARED_CODE_MIN)
            report_fault(r, r->lab->lab_dir, "lab.yaml", "case %s says what the last hint for TODO %d says", c->name,
                         h->todo);
    }
}

static void check_cases(CheckRun *r)
{
    bool served[SOURCE_TODOS_MAX + 1] = {false};
    for (size_t i = 0; i < r->file->n_signs; i++)
        if (r->file->signs[i] > 0 && r->file->signs[i] <= SOURCE_TODOS_MAX)
            served[r->file->signs[i]] = true;
    for (size_t i = 0; i < r->file->n_cases; i++) {
        const LabFileCase *c = &r->file->cases[i];
        if (c->todo < 1 || c->todo > SOURCE_TODOS_MAX || !r->graded[c->todo])
            report_fault(r, r->lab->lab_dir, "lab.yaml", "case %s serves TODO %d, which no solution has", c->name,
                         c->todo);
        else
            served[c->todo] = true;
        check_case_hint(r, c);
    }
    for (int todo = 1; todo <= SOURCE_TODOS_MAX; todo++)
        if (r->graded[todo] && !served[todo])
            report_fault(r, r->lab->lab_dir, "lab.yaml", "no case serves TODO %d", todo);
}

Status starters_check(const StarterLab *lab, StrBuf *report, size_t *n_faults, Diag *diag)
{
    LabFile file;
    CheckRun r = {.lab = lab, .file = &file, .report = report, .n_faults = n_faults};
    Status status = read_labfile(lab, &file, diag);
    if (status)
        return status;
    for (size_t i = 0; i < file.n_files && !status; i++)
        status = check_starter(&r, file.files[i], diag);
    memcpy(r.graded, r.todos, sizeof r.graded);
    for (size_t i = 0; i < file.n_extra && !status; i++)
        status = check_starter(&r, file.extra[i], diag);
    if (!status)
        status = check_handout(&r, diag);
    if (!status)
        status = each_translation(lab, check_translation, &r, diag);
    if (!status) {
        check_hints(&r);
        check_cases(&r);
    }
    strbuf_free(&r.handout);
    labfile_free(&file);
    return status;
}
