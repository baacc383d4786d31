/* Working through jobs on a cluster; see slurm.h. */
#include "grader/class/slurm.h"

#include "common/base/strbuf.h"
#include "grader/core/files.h"
#include "grader/class/slurm_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PAUSE_MIN_MS = 200, /* between two looks; doubled while nothing happens */
    PAUSE_MAX_MS = 5000,
    ABSENT_LOOKS = 2,    /* before a task counts as gone */
    DEAF_LOOKS_MAX = 60, /* without an answer of squeue: a controller may restart */
    CANCEL_WAIT_S = 60,  /* for tasks of a killed caller to end */
    PROBLEM_BYTES_MAX = 4096
};

/* A task of ours on the cluster. */
typedef struct Task {
    long array, index;
    size_t n_left; /* of its jobs, those without a result */
    int absent;    /* looks in which SLURM did not know it any more */
} Task;

typedef struct Job {
    bool done;
    int tries;
    size_t task;
} Job;

typedef struct Cluster {
    const SlurmRun *run;
    char *dir; /* of this run alone: a task of a killed one that is just ending writes nothing here */
    Job *jobs;
    size_t *pending; /* jobs to be submitted, in order */
    size_t n_pending, n_done;
    Task *tasks; /* of all arrays */
    size_t n_tasks, cap_tasks;
    int n_arrays;
} Cluster;

/* Submitting -------------------------------------------------------------------------------------- */

static void put_quoted(StrBuf *b, const char *text)
{
    strbuf_puts(b, " '");
    for (; *text; text++)
        strbuf_append(b, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    strbuf_puts(b, "'");
}

static Status write_file(const char *folder, const char *name, const StrBuf *text, Diag *d)
{
    Arena a = {0};
    const char *path = arena_printf(&a, "%s/%s", folder, name);
    Status s = path && !text->failed ? file_write_atomic(path, text->text ? text->text : "", text->length, d)
                                     : diag_set(d, STATUS_NO_MEMORY, "no memory for a task's files");
    arena_free(&a);
    return s;
}

static Status write_script(const SlurmPlace *place, const char *folder, Diag *d)
{
    StrBuf text = {0};
    strbuf_puts(&text, "#!/bin/sh\nexec");
    put_quoted(&text, place->program);
    for (const char *const *arg = place->args; *arg; arg++)
        put_quoted(&text, *arg);
    strbuf_puts(&text, " --tasks");
    put_quoted(&text, folder);
    strbuf_puts(&text, "/tasks --task \"$SLURM_ARRAY_TASK_ID\"\n");
    Status s = write_file(folder, "script", &text, d);
    strbuf_free(&text);
    return s;
}

static Status write_tasks(const Cluster *c, const char *folder, size_t per_task, Diag *d)
{
    Arena a = {0};
    StrBuf text = {0};
    for (size_t i = 0; i < c->n_pending; i++) {
        const char *word = c->run->word(c->run->context, c->pending[i], &a);
        text.failed = text.failed || !word;
        strbuf_printf(&text, "%zu\t%s\n", i / per_task, word ? word : "");
    }
    Status s = write_file(folder, "tasks", &text, d);
    strbuf_free(&text);
    arena_free(&a);
    return s;
}

/* Jobs a task: fewer with each try of one of them, but no more tasks than an array may have. */
static size_t choose_per_task(const Cluster *c)
{
    int tries = 0;
    for (size_t i = 0; i < c->n_pending; i++)
        if (c->jobs[c->pending[i]].tries > tries)
            tries = c->jobs[c->pending[i]].tries;
    size_t n = c->run->place->per_task >> tries;
    size_t least = (c->n_pending + SLURM_TASKS_MAX - 1) / SLURM_TASKS_MAX;
    return n > least ? n : least;
}

/* Notes the tasks of an array that was accepted; the pending jobs are theirs. */
static Status note_tasks(Cluster *c, long array, size_t per_task, Diag *d)
{
    for (size_t i = 0; i < c->n_pending; i++) {
        if (i % per_task == 0) {
            if (!VEC_GROW(c->tasks, c->n_tasks, c->cap_tasks))
                return diag_set(d, STATUS_NO_MEMORY, "no memory for the tasks");
            c->tasks[c->n_tasks++] = (Task){.array = array, .index = (long)(i / per_task)};
        }
        Job *job = &c->jobs[c->pending[i]];
        job->task = c->n_tasks - 1;
        job->tries++;
        c->tasks[job->task].n_left++;
    }
    c->n_pending = 0;
    return STATUS_OK;
}

static Status submit_pending(Cluster *c, Diag *d)
{
    if (!c->n_pending)
        return STATUS_OK;
    Arena a = {0};
    const SlurmPlace *place = c->run->place;
    size_t per_task = choose_per_task(c);
    long array = 0;
    const char *folder = arena_printf(&a, "%s/array-%d", c->dir, ++c->n_arrays);
    Status s = folder ? dir_make(folder, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for an array");
    if (s == STATUS_OK)
        s = write_script(place, folder, d);
    if (s == STATUS_OK)
        s = write_tasks(c, folder, per_task, d);
    if (s == STATUS_OK)
        s = slurm_submit(place, folder, (c->n_pending + per_task - 1) / per_task, &array, d);
    if (s == STATUS_OK)
        s = note_tasks(c, array, per_task, d);
    arena_free(&a);
    return s;
}

/* Looking ----------------------------------------------------------------------------------------- */

static bool is_listed(const SlurmTask *list, size_t n, const Task *t)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].array == t->array && list[i].index == t->index)
            return true;
    return false;
}

/* Counts in how many looks the list has been without a task. */
static void note_absent(Cluster *c, const SlurmTask *list, size_t n)
{
    for (size_t i = 0; i < c->n_tasks; i++)
        if (c->tasks[i].n_left)
            c->tasks[i].absent = is_listed(list, n, &c->tasks[i]) ? 0 : c->tasks[i].absent + 1;
}

/* Takes what results are there; how many. */
static size_t find_results(Cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->run->n_jobs; i++) {
        Job *job = &c->jobs[i];
        if (job->done || !c->run->find(c->run->context, i))
            continue;
        job->done = true;
        c->tasks[job->task].n_left--;
        n++;
    }
    c->n_done += n;
    return n;
}

/* The jobs of tasks that have gone become pending again, or are given up; how many. */
static size_t take_lost(Cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->run->n_jobs; i++) {
        Job *job = &c->jobs[i];
        if (job->done || c->tasks[job->task].absent < ABSENT_LOOKS)
            continue;
        n++;
        c->tasks[job->task].n_left--;
        job->done = job->tries >= SLURM_TRIES_MAX;
        c->n_done += job->done;
        if (job->done)
            c->run->give_up(c->run->context, i);
        else
            c->pending[c->n_pending++] = i;
    }
    return n;
}

/* What a task said that makes it useless to go on. */
static Status check_problem(const Cluster *c, Diag *d)
{
    Arena a = {0};
    char *text;
    size_t length;
    const char *path = arena_printf(&a, "%s/" SLURM_PROBLEM_FILE, c->dir);
    Status s = path ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (path && file_read(&a, path, PROBLEM_BYTES_MAX, &text, &length, NULL) == STATUS_OK) {
        s = diag_set(d, STATUS_INVALID, "%.*s", (int)strcspn(text, "\n"), text);
        diag_hint(d,
                  "mend that node, or leave it out: --sbatch --exclude=NODE; the same command goes on then");
    }
    arena_free(&a);
    return s;
}

/* One look at the cluster and at the results, in this order: a task that is not listed has written all that
 * it will. *news: something happened. */
static Status look(Cluster *c, int *deaf_looks, bool *news, Diag *d)
{
    Arena a = {0};
    SlurmTask *list;
    size_t n;
    Status s = slurm_list(&a, c->run->place, &list, &n, d);
    *deaf_looks = s == STATUS_OK ? 0 : *deaf_looks + 1;
    if (s == STATUS_OK)
        note_absent(c, list, n);
    else if (*deaf_looks < DEAF_LOOKS_MAX)
        s = STATUS_OK;
    if (s == STATUS_OK)
        *news = find_results(c) > 0;
    if (s == STATUS_OK)
        s = check_problem(c, d);
    if (s == STATUS_OK)
        *news = take_lost(c) > 0 || *news;
    arena_free(&a);
    return s;
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static Status wait_all(Cluster *c, Diag *d)
{
    const volatile sig_atomic_t *stop = c->run->stop;
    int deaf_looks = 0, pause = PAUSE_MIN_MS;
    Status s = STATUS_OK;
    while (s == STATUS_OK && c->n_done < c->run->n_jobs && !(stop && *stop)) {
        s = submit_pending(c, d);
        pause_ms(pause);
        bool news = false;
        if (s == STATUS_OK)
            s = look(c, &deaf_looks, &news, d);
        pause = news ? PAUSE_MIN_MS : 2 * pause < PAUSE_MAX_MS ? 2 * pause : PAUSE_MAX_MS;
    }
    return s == STATUS_OK && c->n_done < c->run->n_jobs
               ? diag_set(d, STATUS_LIMIT, "stopped after %zu of %zu", c->n_done, c->run->n_jobs)
               : s;
}

/* Beginning and end ------------------------------------------------------------------------------- */

/* Ends what a caller left that was killed, and begins with an empty folder. The list is believed, not scancel:
 * it also complains of a task that ends by itself at that moment. */
static Status clear(Cluster *c, Diag *d)
{
    const SlurmPlace *place = c->run->place;
    Status s = STATUS_OK;
    size_t n = 1;
    for (time_t begin = time(NULL); s == STATUS_OK && n; n ? pause_ms(PAUSE_MIN_MS) : (void)0) {
        Arena a = {0};
        SlurmTask *list;
        Status cancelled = slurm_cancel(place, d);
        s = slurm_list(&a, place, &list, &n, cancelled == STATUS_OK ? d : NULL);
        arena_free(&a);
        if (s == STATUS_OK && n && time(NULL) - begin > CANCEL_WAIT_S)
            s = diag_set(d, STATUS_IO, "tasks of an earlier run do not end (squeue --name %s)", place->name);
    }
    if (s != STATUS_OK)
        return s;
    dir_remove(place->dir, NULL); /* what a task that is just ending puts there is in nobody's way */
    return dir_make(c->dir, d);
}

/* NULL: no memory. */
static char *own_folder(const SlurmPlace *place)
{
    char *dir = NULL;
    return asprintf(&dir, "%s/run-%lld-%ld", place->dir, (long long)time(NULL), (long)getpid()) < 0 ? NULL
                                                                                                    : dir;
}

Status slurm_run(const SlurmRun *run, Diag *d)
{
    Cluster c = {.run = run,
                 .dir = own_folder(run->place),
                 .jobs = calloc(run->n_jobs + 1, sizeof *c.jobs),
                 .pending = calloc(run->n_jobs + 1, sizeof *c.pending),
                 .n_pending = run->n_jobs};
    Status s =
        c.dir && c.jobs && c.pending ? clear(&c, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for the jobs");
    for (size_t i = 0; c.pending && i < run->n_jobs; i++)
        c.pending[i] = i;
    if (s == STATUS_OK) {
        s = wait_all(&c, d);
        slurm_cancel(run->place, NULL); /* on a bad end, or where a slow task has been overtaken */
    }
    free(c.dir);
    free(c.jobs);
    free(c.pending);
    free(c.tasks);
    return s;
}
