/* grade task: one task of a class on a node of a cluster; `grade run --executor slurm` starts it through
 * sbatch.
 *
 * It reads which submissions are its own, makes its own plan for them and compares that with OUT/plan.json: a
 * node with another compiler, or with fewer layers in its sandbox, would judge by other rules, and must not.
 * It takes no lock and touches no gradebook: results on the shared folder are all that it leaves. What a node
 * cannot do at all it says in a file, for the submitting side to end with.
 */
#include "grader/cli/class_run.h"

#include "grader/build/places.h"
#include "grader/core/files.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_BYTES_MAX = 64 << 20, USERS = 256 /* for tasks that meet on a node and are root's */ };

/* Reads the lines "TASK <tab> STUDENT <tab> LAB" of this task. */
static Status read_list(ClassRun *c, Diag *d)
{
    const Options *o = c->options;
    char *text;
    size_t length, n = 0;
    Status s = file_read(c->arena, o->tasks, LIST_BYTES_MAX, &text, &length, d);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < length; i++)
        n += text[i] == '\n';
    c->submissions = ARENA_NEW_ARRAY(c->arena, Submission, n + 1);
    c->labs = ARENA_NEW_ARRAY(c->arena, Lab *, n + 1);
    if (!c->submissions || !c->labs)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the task");
    char *next = text;
    for (char *line; s == STATUS_OK && (line = strsep(&next, "\n")) && *line;) {
        const char *task = strsep(&line, "\t"), *student = strsep(&line, "\t"), *lab = line;
        if (!student || !lab)
            s = diag_set(d, STATUS_PARSE, "%s is no list of tasks", o->tasks);
        else if (strtoll(task, NULL, 10) == o->task)
            s = class_run_add(c, student, lab, d);
    }
    return s;
}

/* Whether this node judges by the plan's rules. */
static Status check_rules(ClassRun *c, Diag *d)
{
    Plan all;
    PlanChanges changes;
    const char *path = arena_printf(c->arena, "%s/plan.json", c->dir);
    Status s = path ? plan_load(c->arena, path, &all, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (s != STATUS_OK)
        return s;
    c->run.seed = all.seed;
    s = plan_make(c->arena, &c->run, c->labs, c->n_labs, c->submissions, c->n_submissions, &c->plan, d);
    if (s != STATUS_OK)
        return s;
    plan_compare(&all, &c->plan, &changes);
    if (changes.rules.length)
        s = diag_set(d, STATUS_INVALID, "it would judge by other rules than the class is planned with: %.*s",
                     (int)strcspn(changes.rules.text, "\n"), changes.rules.text);
    plan_changes_free(&changes);
    return s;
}

static Status prepare_class_run(ClassRun *c, Diag *d)
{
    Status s = cli_prepare(c->arena, c->options, c->options->allow_weak, &c->run, d);
    if (s == STATUS_OK)
        s = cli_isolate(c->arena, c->options, &c->run, d);
    if (s == STATUS_OK)
        s = places_stage_kit(&c->run.kit, c->run.work, d);
    if (s == STATUS_OK)
        s = read_list(c, d);
    return s == STATUS_OK ? check_rules(c, d) : s;
}

/* Leaves word for the submitting side; the first of several tasks to do so is as good as the last. */
static void tell_problem(const Options *o, const Diag *d)
{
    char copy[PATH_MAX], path[PATH_MAX + 16], node[256] = "?", text[DIAG_TEXT_MAX + 512];
    snprintf(copy, sizeof copy, "%s", o->tasks);
    snprintf(path, sizeof path, "%s/" SLURM_PROBLEM_FILE, dirname(dirname(copy)));
    const char *name = getenv("SLURMD_NODENAME");
    if (!name && gethostname(node, sizeof node - 1) == 0)
        name = node;
    int n = snprintf(text, sizeof text, "node %s: %s\n", name ? name : node, d->message);
    file_write_atomic(path, text, (size_t)n, NULL);
}

int cli_task(Arena *a, const Options *o)
{
    if (!o->submissions || !o->out || !o->tasks || o->task < 0)
        return cli_fail_text("this command is for `grade run --executor slurm` alone", NULL);
    cli_catch_signals();
    ClassRun c = {.arena = a, .options = o, .dir = o->out, .lock = -1};
    Diag d;
    const char *results = arena_printf(a, "%s/results", o->out);
    Status s = results ? prepare_class_run(&c, &d) : diag_set(&d, STATUS_NO_MEMORY, "no memory");
    if (s != STATUS_OK && !cli_stop) /* a command that was cancelled with us is no problem of the node's */
        tell_problem(o, &d);
    int jobs = o->jobs > 0 ? (int)o->jobs : 1;
    ClassGrading grading = {.run = &c.run,
                            .submissions = c.submissions,
                            .plan = &c.plan,
                            .n = c.n_submissions,
                            .jobs = jobs,
                            .first_slot = (int)(o->task * jobs % USERS),
                            .results_dir = results,
                            .stop = &cli_stop};
    if (s == STATUS_OK)
        s = class_grade(&grading, &d);
    class_run_free(&c);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
