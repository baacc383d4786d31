/* grade baselines: what the reports of the solutions' runs say, beside the numbers in lab.yaml and hidden.yaml.
 *
 * A case's `baseline` holds a number of a run of the lab's solution, so that nothing of the solution is needed to
 * grade, and a student's own `make check` judges as the grader does. Here each of these runs is made, and its number
 * held against the file's: further apart than DIFFER_MAX is an error. Hidden cases draw their inputs from --seed,
 * and their numbers must hold for all.
 */
#include "grader/build/places.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIFFER_MAX 0.03 /* of the file's number */

/* The case whose run gives the solution's number. */
static LabCase run_of_solution(Arena *a, const LabCase *c)
{
    LabCase run = *c;
    const LabBaseline *b = &c->baseline;
    run.params = ARENA_NEW_ARRAY(a, LabParam, c->n_params + 1);
    for (size_t i = 0; run.params && i < c->n_params; i++) {
        run.params[i] = c->params[i];
        for (size_t k = 0; k < b->n_params; k++)
            if (strcmp(c->params[i].key, b->params[k].key) == 0)
                run.params[i] = b->params[k];
    }
    run.baseline = (LabBaseline){0};
    run.speed = (LabSpeedGoal){0};
    run.metric = b->of;
    run.leaderboard = "";
    run.least = 0;
    run.n_tiers = run.n_answers = 0;
    run.check_output = false; /* a run without the work has no right output */
    run.gpu_work = false;
    return run;
}

static bool find_metric(const CaseResult *r, const char *name, double *value)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        if (strcmp(r->metrics[i].name, name) == 0) {
            *value = r->metrics[i].value;
            return true;
        }
    return false;
}

/* Says what one run gave; false when the file says otherwise. */
static bool baselines_tell(const Lab *lab, const LabCase *c, const CaseResult *r)
{
    double number = 0;
    if (!find_metric(r, c->baseline.of, &number)) {
        printf("%s %s: no %s: %s\n", lab->lab, c->name, c->baseline.of, r->message);
        return false;
    }
    bool same = fabs(number - c->baseline.number) <= DIFFER_MAX * c->baseline.number;
    printf("%s %s: %s %.7g%s", lab->lab, c->name, c->baseline.of, number, same ? "\n" : "");
    if (!same)
        printf(", and the file says %.7g\n", c->baseline.number);
    return same;
}

/* Runs the solution in the cases of one lab that have a baseline. */
static Status check_lab(Arena *a, GradeRun *run, const Lab *lab, bool *right, Diag *d)
{
    Lab only = *lab;
    const char *folder = arena_printf(a, "%s/solutions/%s", run->kit.root, lab->lab);
    const LabCase **of = ARENA_NEW_ARRAY(a, const LabCase *, lab->n_cases + 1);
    only.cases = ARENA_NEW_ARRAY(a, LabCase, lab->n_cases + 1);
    only.n_cases = 0;
    if (!folder || !only.cases || !of)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; i < lab->n_cases; i++)
        if (lab->cases[i].baseline.name) {
            of[only.n_cases] = &lab->cases[i];
            only.cases[only.n_cases++] = run_of_solution(a, &lab->cases[i]);
        }
    if (only.n_cases == 0)
        return STATUS_OK;
    Status s = kit_check_lab(&run->kit, lab->lab, d);
    if (s == STATUS_OK)
        s = places_stage_lab(&run->kit, lab, run->work, d);
    if (s != STATUS_OK)
        return s;
    Timing timing;
    Submission submission = {.student = "solution", .lab = &only, .folder = folder};
    Result *r = submission_grade(run, &submission, 0, &timing);
    if (!r)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; i < r->n_cases; i++)
        *right = baselines_tell(lab, of[i], &r->cases[i]) && *right;
    result_free(r);
    return STATUS_OK;
}

static Status check_name(Arena *a, GradeRun *run, const char *name, bool *right, Diag *d)
{
    Lab *lab;
    const char *dir = arena_printf(a, "%s/labs/%s", run->kit.root, name);
    Status s = dir ? lab_load(dir, cli_hidden_path(a, &run->kit, name), &lab, d)
                   : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (s != STATUS_OK)
        return s;
    s = check_lab(a, run, lab, right, d);
    lab_free(lab);
    return s;
}

int cli_baselines(Arena *a, const Options *o)
{
    Diag d;
    GradeRun run = {0};
    bool right = true;
    const char **names = NULL;
    size_t n = 0;
    Status s = cli_prepare(a, o, true, &run, &d);
    if (s == STATUS_OK)
        s = cli_isolate(a, o, &run, &d);
    if (s == STATUS_OK)
        s = places_stage_kit(&run.kit, run.work, &d);
    run.seed = o->seed >= 0 ? (uint64_t)o->seed : 1;
    const char *labs = s == STATUS_OK ? arena_printf(a, "%s/labs", run.kit.root) : NULL;
    if (s == STATUS_OK && o->labs)
        names = cli_split(a, o->labs, &n);
    else if (s == STATUS_OK)
        s = labs ? dir_list(a, labs, &names, &n, &d) : diag_set(&d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        s = check_name(a, &run, names[i], &right, &d);
    cli_clean_up(&run);
    return s != STATUS_OK ? cli_fail(&d) : right ? EXIT_FINE : EXIT_SHORT;
}
