/* Grading a class; see class.h. */
#include "grader/exec/class.h"

#include "grader/core/files.h"
#include "grader/core/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { WORKER_FINE = 0, WORKER_NOT_SAVED = 3 };

static const char *result_dir(Arena *a, const ClassGrading *c, size_t i)
{
    const Submission *s = &c->submissions[i];
    return arena_printf(a, "%s/%s/%s", c->results_dir, s->student, s->lab->lab);
}

/* In the worker. */
static int grade_one(void *context, size_t i, int slot)
{
    const ClassGrading *c = context;
    Timing timing;
    Arena arena = {0};
    Diag d;
    Result *r = submission_grade(c->run, &c->submissions[i], slot, &timing);
    const char *dir = result_dir(&arena, c, i);
    bool saved = r && dir && result_save(r, &timing, dir, &d) == STATUS_OK;
    result_free(r);
    arena_free(&arena);
    return saved ? WORKER_FINE : WORKER_NOT_SAVED;
}

/* What stands for a result when the worker died or could not save: every case at the kit's fault. */
static Result *lost_result(const ClassGrading *c, size_t i, int status)
{
    const Submission *s = &c->submissions[i];
    Result *r = result_create();
    if (!r)
        return NULL;
    char why[128];
    snprintf(why, sizeof why,
             WIFSIGNALED(status) ? "The grader's worker died by signal %d."
                                 : "The grader's worker failed (%d).",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    const char *message = arena_strndup(&r->arena, why, strlen(why));
    r->student = s->student;
    r->lab = s->lab->lab;
    r->kit_version = KIT_VERSION;
    r->seed = c->run->seed;
    r->device_kind = c->run->gpu ? "gpu" : "virtual";
    r->sandbox = c->run->sandbox.layers;
    r->n_sandbox = c->run->sandbox.n_layers;
    r->build_verdict = VERDICT_KIT_ERROR;
    r->cases = ARENA_NEW_ARRAY(&r->arena, CaseResult, s->lab->n_cases + 1);
    for (size_t k = 0; r->cases && k < s->lab->n_cases; k++)
        r->cases[r->n_cases++] = (CaseResult){.name = s->lab->cases[k].name,
                                              .hidden = s->lab->cases[k].hidden,
                                              .points = s->lab->cases[k].points,
                                              .max_points = s->lab->cases[k].points,
                                              .verdict = VERDICT_KIT_ERROR,
                                              .message = message ? message : "",
                                              .lesson = "",
                                              .hint = "",
                                              .replay = ""};
    result_sum_up(r);
    return r;
}

/* In the caller: the worker's result comes by way of its file. */
static void finish_one(void *context, size_t i, int status)
{
    const ClassGrading *c = context;
    Arena arena = {0};
    Result *r = NULL;
    Diag d;
    const char *dir = result_dir(&arena, c, i);
    const char *path = dir ? arena_printf(&arena, "%s/result.json", dir) : NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_FINE && path)
        result_load(path, &r, &d);
    if (!r && dir) {
        r = lost_result(c, i, status);
        Timing none = {0};
        if (r)
            result_save(r, &none, dir, &d);
    }
    if (r && c->graded)
        c->graded(c->context, i, r);
    result_free(r);
    arena_free(&arena);
}

Status class_grade(const ClassGrading *c, Diag *d)
{
    Pool pool = {.n_jobs = c->n,
                 .n_slots = c->jobs,
                 .work = grade_one,
                 .done = finish_one,
                 .context = (void *)c,
                 .stop = c->stop};
    return pool_run(&pool, d);
}
