/* Grading a class; see class.h. */
#include "grader/class/class.h"

#include "grader/core/files.h"
#include "grader/class/done.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKER_FINE = 0, WORKER_NOT_SAVED = 3, WORKER_LOST = 4 };

/* A class under way. */
typedef struct Progress {
    const ClassGrading *c;
    bool *done;
    size_t *jobs; /* indices of the submissions that the pool grades */
    size_t n_jobs;
    bool share;
} Progress;

static const char *result_dir(Arena *a, const ClassGrading *c, size_t i)
{
    const Submission *s = &c->submissions[i];
    return arena_printf(a, "%s/%s/%s", c->results_dir, s->student, s->lab->lab);
}

/* Saves a result and marks it for the key of what was graded, which is the plan's unless it changed since. */
static Status save_and_mark(const ClassGrading *c, const Result *r, const Timing *timing, const char *dir,
                            Diag *d)
{
    Arena a = {0};
    const char *key = plan_key(&a, c->plan, r->lab, r->submission_sha256);
    Status s =
        key ? result_save(r, timing, dir, d) : diag_set(d, STATUS_NO_MEMORY, "no memory to save a result");
    if (s == STATUS_OK && r->verdict != VERDICT_KIT_ERROR)
        s = done_mark(dir, key, d);
    arena_free(&a);
    return s;
}

/* In the worker. */
static int grade_one(void *context, size_t job, int slot)
{
    const Progress *p = context;
    const ClassGrading *c = p->c;
    size_t i = p->jobs[job];
    Timing timing;
    Arena arena = {0};
    Diag d;
    Result *r = submission_grade(c->run, &c->submissions[i], c->first_slot + slot, &timing);
    const char *dir = result_dir(&arena, c, i);
    bool saved = r && dir && save_and_mark(c, r, &timing, dir, &d) == STATUS_OK;
    result_free(r);
    arena_free(&arena);
    return saved ? WORKER_FINE : WORKER_NOT_SAVED;
}

/* What stands for a result when the worker died or could not save. */
static Result *lost_result(const ClassGrading *c, size_t i, int status)
{
    char why[128];
    if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_LOST)
        snprintf(why, sizeof why, "The cluster ended its task %d times without a result.", SLURM_TRIES_MAX);
    else
        snprintf(why, sizeof why,
                 WIFSIGNALED(status) ? "The grader's worker died by signal %d."
                                     : "The grader's worker failed (%d).",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return submission_lost(c->run, &c->submissions[i], why);
}

static void class_tell(Progress *p, size_t i, const Result *r, GradedHow how)
{
    p->done[i] = true;
    if (p->c->graded)
        p->c->graded(p->c->context, i, r, how);
}

/* A result that stands in the folder of submission i; NULL when there is none. */
static Result *load_result(const ClassGrading *c, size_t i)
{
    Arena a = {0};
    Result *r = NULL;
    const char *dir = result_dir(&a, c, i);
    const char *path = dir ? arena_printf(&a, "%s/result.json", dir) : NULL;
    if (path)
        result_load(path, &r, NULL);
    arena_free(&a);
    return r;
}

/* Gives a result that is as the plan has it to the others with its key. */
static void share_result(Progress *p, size_t from, Result *r)
{
    const ClassGrading *c = p->c;
    const PlanEntry *e = &c->plan->entries[from];
    if (!p->share || !e->sha256[0] || r->verdict == VERDICT_KIT_ERROR ||
        strcmp(r->submission_sha256, e->sha256) != 0)
        return;
    const char *student = r->student;
    for (size_t i = 0; i < c->n; i++) {
        if (p->done[i] || strcmp(c->plan->entries[i].key, e->key) != 0)
            continue;
        Arena a = {0};
        Timing none = {0};
        Diag d;
        const char *dir = result_dir(&a, c, i);
        r->student = c->submissions[i].student;
        if (dir && save_and_mark(c, r, &none, dir, &d) == STATUS_OK)
            class_tell(p, i, r, GRADED_AS_ANOTHER);
        arena_free(&a);
    }
    r->student = student;
}

/* In the caller: the worker's result comes by way of its file. */
static void finish_one(void *context, size_t job, int status)
{
    Progress *p = context;
    const ClassGrading *c = p->c;
    size_t i = p->jobs[job];
    Arena arena = {0};
    Diag d;
    const char *dir = result_dir(&arena, c, i);
    Result *r = WIFEXITED(status) && WEXITSTATUS(status) == WORKER_FINE ? load_result(c, i) : NULL;
    if (!r && dir) {
        r = lost_result(c, i, status);
        Timing none = {0};
        if (r)
            result_save(r, &none, dir, &d);
    }
    if (r) {
        class_tell(p, i, r, GRADED_NOW);
        share_result(p, i, r);
    }
    result_free(r);
    arena_free(&arena);
}

/* What an earlier run left whole. */
static void keep_done(Progress *p)
{
    const ClassGrading *c = p->c;
    for (size_t i = 0; i < c->n; i++) {
        Arena a = {0};
        const char *dir = result_dir(&a, c, i);
        Result *r = dir && done_check(dir, c->plan->entries[i].key) ? load_result(c, i) : NULL;
        if (r)
            class_tell(p, i, r, GRADED_BEFORE);
        result_free(r);
        arena_free(&a);
    }
}

static void share_done(Progress *p)
{
    for (size_t i = 0; p->share && i < p->c->n; i++) {
        Result *r = p->done[i] ? load_result(p->c, i) : NULL;
        if (r)
            share_result(p, i, r);
        result_free(r);
    }
}

/* The submissions still to be graded, of each key the first where results are shared. */
static void choose_jobs(Progress *p)
{
    const PlanEntry *entries = p->c->plan->entries;
    p->n_jobs = 0;
    for (size_t i = 0; i < p->c->n; i++) {
        bool first = !p->done[i];
        for (size_t k = 0; first && p->share && entries[i].sha256[0] && k < p->n_jobs; k++)
            first = strcmp(entries[p->jobs[k]].key, entries[i].key) != 0;
        if (first)
            p->jobs[p->n_jobs++] = i;
    }
}

/* On a cluster ------------------------------------------------------------------------------------ */

/* A job for the list of its task. */
static const char *word_job(void *context, size_t job, Arena *a)
{
    const Progress *p = context;
    const Submission *s = &p->c->submissions[p->jobs[job]];
    return arena_printf(a, "%s\t%s", s->student, s->lab->lab);
}

/* Whether a task has left a whole result for submission i: for what the plan has, or for what was handed in
 * meanwhile. */
static bool is_there(const ClassGrading *c, size_t i)
{
    Arena a = {0};
    const char *dir = result_dir(&a, c, i);
    /* Opening the folder makes a network file system look again. */
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool there = fd >= 0 && faccessat(fd, "key", R_OK, 0) == 0;
    if (fd >= 0)
        close(fd);
    Result *r = there && !done_check(dir, c->plan->entries[i].key) ? load_result(c, i) : NULL;
    if (r) {
        const char *key = plan_key(&a, c->plan, r->lab, r->submission_sha256);
        there = key && done_check(dir, key);
    }
    result_free(r);
    arena_free(&a);
    return there;
}

static bool find_job(void *context, size_t job)
{
    Progress *p = context;
    bool there = is_there(p->c, p->jobs[job]);
    if (there)
        finish_one(p, job, W_EXITCODE(WORKER_FINE, 0));
    return there;
}

/* What a task saved without marking it is at the kit's fault and says why; without even that there is no more
 * to say than how it ended. */
static void give_up_job(void *context, size_t job)
{
    Progress *p = context;
    Result *r = load_result(p->c, p->jobs[job]);
    bool told = r && r->verdict == VERDICT_KIT_ERROR;
    result_free(r);
    finish_one(p, job, W_EXITCODE(told ? WORKER_FINE : WORKER_LOST, 0));
}

/* What stands there from before is of other rules or files, or no whole result: it must not be taken for a
 * task's. */
static Status make_room(const Progress *p, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t job = 0; s == STATUS_OK && job < p->n_jobs; job++) {
        Arena a = {0};
        static const char *const names[] = {"key", "result.json"};
        const char *dir = result_dir(&a, p->c, p->jobs[job]);
        s = dir ? dir_make(dir, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for the class");
        for (size_t k = 0; s == STATUS_OK && k < sizeof names / sizeof *names; k++) {
            const char *path = arena_printf(&a, "%s/%s", dir, names[k]);
            if (!path || (unlink(path) != 0 && errno != ENOENT))
                s = diag_set(d, STATUS_IO, "cannot remove %s/%s: %s", dir, names[k], strerror(errno));
        }
        arena_free(&a);
    }
    return s;
}

static Status grade_on_cluster(Progress *p, Diag *d)
{
    SlurmRun run = {.place = p->c->slurm,
                    .n_jobs = p->n_jobs,
                    .word = word_job,
                    .find = find_job,
                    .give_up = give_up_job,
                    .context = p,
                    .stop = p->c->stop};
    Status s = make_room(p, d);
    return s == STATUS_OK ? slurm_run(&run, d) : s;
}

/* The whole --------------------------------------------------------------------------------------- */

static Status grade_rest(Progress *p, Diag *d)
{
    choose_jobs(p);
    if (p->n_jobs && p->c->slurm)
        return grade_on_cluster(p, d);
    Pool pool = {.n_jobs = p->n_jobs,
                 .n_slots = p->c->jobs,
                 .one_processor = !p->c->run->gpu,
                 .work = grade_one,
                 .done = finish_one,
                 .context = p,
                 .stop = p->c->stop};
    return p->n_jobs ? pool_run(&pool, d) : STATUS_OK;
}

/* What a stop came to, of all that was to be there. */
static Status tell_stop(const Progress *p, Diag *d)
{
    size_t n = 0;
    for (size_t i = 0; i < p->c->n; i++)
        n += p->done[i];
    if (n == p->c->n)
        return STATUS_OK;
    diag_set(d, STATUS_LIMIT, "stopped after %zu of %zu results", n, p->c->n);
    diag_hint(d, "the same command makes the rest");
    return STATUS_LIMIT;
}

Status class_grade(const ClassGrading *c, Diag *d)
{
    Progress p = {.c = c,
                  .done = calloc(c->n + 1, sizeof *p.done),
                  .jobs = calloc(c->n + 1, sizeof *p.jobs),
                  .share = c->share};
    Status s = p.done && p.jobs ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the class");
    if (s == STATUS_OK) {
        keep_done(&p);
        share_done(&p);
        s = grade_rest(&p, d);
    }
    /* What got no share of another's result, because that one changed or failed, is graded for itself. */
    p.share = false;
    if (s == STATUS_OK)
        s = grade_rest(&p, d);
    if (s == STATUS_LIMIT && c->stop && *c->stop)
        s = tell_stop(&p, d);
    free(p.done);
    free(p.jobs);
    return s;
}

size_t class_count_done(const Plan *plan, const char *results_dir)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_entries; i++) {
        Arena a = {0};
        const PlanEntry *e = &plan->entries[i];
        const char *dir = arena_printf(&a, "%s/%s/%s", results_dir, e->student, e->lab);
        n += dir && done_check(dir, e->key);
        arena_free(&a);
    }
    return n;
}
