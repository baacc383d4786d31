/* What `--executor slurm` makes of the options of a class run; see class_run.h, and grader/class/slurm.h for
 * how the tasks are run. */
#include "grader/cli/class_run.h"
#include "grader/core/files.h"
#include "grader/core/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_TASK = 8,
    COMPILER_MIB = 1024, /* on top of what a case may take */
    TASK_ARGS_MAX = 24
};

/* The path as the nodes see it. */
static const char *real_path(Arena *a, const char *path, Diag *d)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? arena_strndup(a, real, strlen(real)) : NULL;
    if (!copy)
        diag_set(d, STATUS_IO, "cannot find %s: %s", path, strerror(errno));
    free(real);
    return copy;
}

/* The same for a folder always, so that a run that was killed finds its tasks again. */
static const char *name_jobs(Arena *a, const char *dir)
{
    char hex[SHA256_HEX];
    Sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, dir, strlen(dir));
    sha256_end_hex(&sum, hex);
    return arena_printf(a, "grade-%.16s", hex);
}

static int64_t largest_memory_mib(const ClassRun *c)
{
    int64_t most = 0;
    for (size_t i = 0; i < c->n_labs; i++)
        for (size_t k = 0; k < c->labs[i]->n_cases; k++)
            if (c->labs[i]->cases[k].limits.memory_mib > most)
                most = c->labs[i]->cases[k].limits.memory_mib;
    return most;
}

static void add_option(const char **args, const char *name, const char *value)
{
    size_t n = 0;
    while (args[n])
        n++;
    if (value) {
        args[n++] = name;
        args[n] = value;
    }
}

static void add_argument(const char **args, const char *word)
{
    size_t n = 0;
    while (args[n])
        n++;
    args[n] = word;
}

/* The command line of `grade task`, but for which task. */
static const char **task_args(ClassRun *c, const char *dir, const SlurmPlace *place, Diag *d)
{
    const Options *o = c->options;
    const char **args = ARENA_NEW_ARRAY(c->arena, const char *, TASK_ARGS_MAX);
    const char *submissions = real_path(c->arena, o->submissions, d);
    if (!args || !submissions)
        return NULL;
    args[0] = "task";
    add_option(args, "--submissions", submissions);
    add_option(args, "--out", dir);
    add_option(args, "--jobs", arena_printf(c->arena, "%d", place->processors));
    add_option(args, "--case", o->only);
    add_option(args, "--device", o->device);
    add_option(args, "--compiler", compiler_word(c->run.kit.compiler.kind));
    if (o->sanitize)
        add_argument(args, arena_printf(c->arena, "--sanitize=%s", o->sanitize));
    add_option(args, "--model", o->model);
    add_option(args, "--bwrap", o->bwrap);
    if (o->allow_weak)
        add_argument(args, "--allow-weak-sandbox");
    if (o->public)
        add_argument(args, arena_printf(c->arena, "--public=%s", o->public));
    if (o->in_process)
        add_argument(args, "--in-process");
    return args;
}

Status class_run_place(ClassRun *c, const SlurmPlace **place, Diag *d)
{
    Arena *a = c->arena;
    const Options *o = c->options;
    SlurmPlace *p = ARENA_NEW(a, SlurmPlace);
    const char *dir = real_path(a, c->dir, d);
    if (!p || !dir)
        return p ? STATUS_IO : diag_set(d, STATUS_NO_MEMORY, "no memory");
    *p = (SlurmPlace){.dir = arena_printf(a, "%s/slurm", dir),
                      .name = name_jobs(a, dir),
                      .program = real_path(a, "/proc/self/exe", d),
                      .options = o->sbatch,
                      .per_task = o->per_task > 0 ? (size_t)o->per_task : PER_TASK,
                      .processors = o->jobs > 0 ? (int)o->jobs : 1};
    p->memory_mib = p->processors * (largest_memory_mib(c) + COMPILER_MIB);
    p->args = task_args(c, dir, p, d);
    *place = p;
    if (!p->program || !p->args)
        return STATUS_IO;
    return p->dir && p->name ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory");
}

Status class_run_leave_place(const ClassRun *c, const SlurmPlace *place, Diag *d)
{
    if (!c->progress.n_kit_errors)
        return dir_remove(place->dir, d);
    fprintf(stderr, "grade: what the tasks printed is in %s\n", place->dir);
    return STATUS_OK;
}
