/* grade check LABDIR: a lab's own files on its public cases, for students. The engine is that of `grade run`;
 * where bubblewrap does not work the program runs without it, as it is the student's own on the student's own
 * machine.
 *
 * KIT_LANG=zh-CN in the environment gives a lab's texts and the kit's own sentences in Chinese, where the lab
 * has them. */
#include "grader/build/places.h"
#include "grader/cli/cli.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_result(const Result *r, Language language)
{
    StrBuf out = {0};
    ReportStyle style = report_style_for(1);
    style.language = language;
    report_cases(&out, r, true, style);
    if (out.text)
        fwrite(out.text, 1, out.length, stdout);
    bool kit_failed = r->verdict == VERDICT_KIT_ERROR || out.failed;
    strbuf_free(&out);
    return kit_failed ? EXIT_KIT : r->verdict == VERDICT_PASS ? EXIT_FINE : EXIT_SHORT;
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
    const char **names = ARENA_NEW_ARRAY(a, const char *, lab->n_cases + 1);
    for (size_t i = 0; names && i < lab->n_cases; i++)
        names[i] = lab->cases[i].name;
    diag_set(&d, STATUS_NOT_FOUND, "%s has no public case %s", lab->lab, only);
    cli_hint_nearest(&d, only, names, names ? lab->n_cases : 0, "its lab.yaml lists them");
    return cli_fail(&d);
}

static int check(GradeRun *run, const Lab *lab, const char *folder)
{
    Diag d;
    Status s = kit_check_lab(&run->kit, lab->lab, &d);
    if (s == STATUS_OK)
        s = places_stage_kit(&run->kit, run->work, &d);
    if (s == STATUS_OK)
        s = places_stage_lab(&run->kit, lab, run->work, &d);
    if (s != STATUS_OK)
        return cli_fail(&d);
    Submission submission = {.student = "me", .lab = lab, .folder = folder};
    Timing timing;
    Result *r = submission_grade(run, &submission, 0, &timing);
    if (!r)
        return cli_fail_text("no memory", NULL);
    int status = print_result(r, lab->language);
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
        status = check(&run, lab, o->operands[0]);
    cli_clean_up(&run);
    lab_free(lab);
    return status;
}
