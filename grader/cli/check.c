/* grade check LABDIR: a lab's own files on its public cases, for students. The engine is that of `grade run`;
 * where bubblewrap does not work the program runs without it, as it is the student's own on the student's own
 * machine.
 *
 * KIT_LANG=zh-CN in the environment gives a lab's texts and the kit's own sentences in Chinese, where the lab
 * has them. */
#include "common/base/wrap.h"
#include "grader/build/places.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_WITHOUT_TERMINAL = 80, STATE_BYTES_MAX = 1 << 16 };

static int print_result(const Result *r, Language language, bool all)
{
    StrBuf out = {0}, long_lines = {0};
    ReportStyle style = report_style_for(1);
    style.language = language;
    if (all) {
        report_cases(&long_lines, r, true, style);
        text_wrap(&out, long_lines.text ? long_lines.text : "",
                    style.columns > 0 ? style.columns : COLUMNS_WITHOUT_TERMINAL);
    } else {
        report_screen(&out, r, style);
    }
    bool whole = strbuf_print(&out, stdout) && !long_lines.failed;
    bool kit_failed = r->verdict == VERDICT_KIT_ERROR || !whole;
    strbuf_free(&long_lines);
    return kit_failed ? EXIT_KIT : r->verdict == VERDICT_PASS ? EXIT_FINE : EXIT_SHORT;
}

/* Keeps what the cases say for `make run`, `make hint` and `make progress` (common/starters/state.h): a line each, CASE TODO VERDICT POINTS.
 * Cases that were not run keep their lines. */
static Status keep_state(Arena *a, const char *path, const Result *r, Diag *d)
{
    char *old = NULL, *rest;
    size_t length;
    StrBuf text = {0};
    Status s = file_read(a, path, STATE_BYTES_MAX, &old, &length, d);
    rest = s == STATUS_OK ? old : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        const char *name = arena_strndup(a, line, strcspn(line, " "));
        if (name && name[0] && !result_case(r, name))
            strbuf_printf(&text, "%s\n", line);
    }
    for (size_t i = 0; i < r->n_cases; i++)
        strbuf_printf(&text, "%s %lld %s %g\n", r->cases[i].name, (long long)r->cases[i].todo,
                      verdict_word(r->cases[i].verdict), r->cases[i].points);
    s = text.failed ? diag_set(d, STATUS_NO_MEMORY, "no memory")
                    : file_write_atomic(path, text.text ? text.text : "", text.length, d);
    strbuf_free(&text);
    return s;
}

static bool has_case(const Lab *lab, const char *name)
{
    for (size_t i = 0; i < lab->n_cases; i++)
        if (strcmp(lab->cases[i].name, name) == 0)
            return true;
    return false;
}

static int refuse_case(Arena *a, const Lab *lab, const char *only)
{
    Diag d;
    StrBuf names = {0};
    for (size_t i = 0; i < lab->n_cases; i++)
        strbuf_printf(&names, "%s%s", i > 0 ? ", " : "", lab->cases[i].name);
    const char *list = strbuf_keep(&names, a);
    diag_set(&d, STATUS_NOT_FOUND, "%s has no public case %s", lab->lab, only);
    diag_hint(&d, "its cases: %s", list ? list : "see its lab.yaml");
    return cli_fail(&d);
}

static int check_lab(Arena *a, const Options *o, GradeRun *run, const Lab *lab)
{
    Diag d;
    Status s = kit_check_lab(&run->kit, lab->lab, &d);
    if (s == STATUS_OK)
        s = places_stage_kit(&run->kit, run->work, &d);
    if (s == STATUS_OK)
        s = places_stage_lab(&run->kit, lab, run->work, &d);
    if (s != STATUS_OK)
        return cli_fail(&d);
    Submission submission = {.student = "me", .lab = lab, .folder = o->operands[0]};
    Timing timing;
    Result *r = submission_grade(run, &submission, 0, &timing);
    if (!r)
        return cli_fail_text("no memory", NULL);
    int status = print_result(r, lab->language, o->all);
    if (o->state && status != EXIT_KIT && keep_state(a, o->state, r, &d) != STATUS_OK)
        status = cli_fail(&d);
    result_free(r);
    return status;
}

int cli_check(Arena *a, const Options *o)
{
    Diag d;
    GradeRun run = {0};
    Lab *lab = NULL;
    Language language;
    if (o->n_operands != 1)
        return cli_fail_text("which lab?", "grade check LABDIR, e.g. grade check labs/02-vector-add");
    Status s = lab_load(o->operands[0], NULL, &lab, &d);
    if (s != STATUS_OK)
        return cli_fail(&d);
    if (language_find(getenv("KIT_LANG"), &language) && language != LANGUAGE_ENGLISH)
        s = lab_translate(lab, language, &d);
    int status;
    if (s != STATUS_OK)
        status = cli_fail(&d);
    else if (o->only && !has_case(lab, o->only))
        status = refuse_case(a, lab, o->only);
    else if (cli_prepare(a, o, true, &run, &d) != STATUS_OK)
        status = cli_fail(&d);
    else
        status = check_lab(a, o, &run, lab);
    cli_clean_up(&run);
    lab_free(lab);
    return status;
}
