/* Grading a class from the command line; see class_run.h. */
#include "grader/cli/class_run.h"

#include "grader/archive/download.h"
#include "grader/build/places.h"
#include "grader/core/files.h"
#include "common/base/version.h"
#include "grader/class/done.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { SEED_BYTES_MAX = 64, LOCK_TRIES = 50, LOCK_PAUSE_MS = 100 };

/* The lock ---------------------------------------------------------------------------------------- */

static int try_lock(const char *out, int how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/lock", out);
    int fd = open(path, O_RDWR | (how == LOCK_EX ? O_CREAT : 0) | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, how | LOCK_NB) != 0) {
        close(fd);
        fd = -1;
        errno = EWOULDBLOCK;
    }
    return fd;
}

Status class_run_lock(const char *out, int *lock, Diag *d)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000L};
    *lock = try_lock(out, LOCK_EX);
    for (int i = 0; i < LOCK_TRIES && *lock < 0 && errno == EWOULDBLOCK && !cli_stop; i++) {
        nanosleep(&pause, NULL);
        *lock = try_lock(out, LOCK_EX);
    }
    if (*lock >= 0)
        return STATUS_OK;
    return errno == EWOULDBLOCK ? diag_set(d, STATUS_INVALID, "another grader is at work in %s", out)
                                : diag_set(d, STATUS_IO, "cannot make %s/lock: %s", out, strerror(errno));
}

bool class_run_is_locked(const char *out)
{
    int fd = try_lock(out, LOCK_SH);
    bool locked = fd < 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* The seed --------------------------------------------------------------------------------------- */

/* Given, else that of an earlier run into the same folder, else a new one; kept in OUT/seed, for the owner's
 * eyes. */
static Status choose_seed(ClassRun *c, bool must_exist, Diag *d)
{
    const Options *o = c->options;
    const char *path = arena_printf(c->arena, "%s/seed", o->out);
    char *text;
    size_t length;
    Status s = path ? file_read(c->arena, path, SEED_BYTES_MAX, &text, &length, d) : STATUS_NO_MEMORY;
    if (s != STATUS_OK && s != STATUS_NOT_FOUND)
        return s;
    if (s == STATUS_NOT_FOUND && must_exist)
        return diag_set(d, s, "%s holds no earlier run: there is no %s", o->out, path);
    if (o->seed >= 0)
        c->run.seed = (uint64_t)o->seed;
    else if (s == STATUS_OK)
        c->run.seed = strtoull(text, NULL, 10);
    else if (getrandom(&c->run.seed, sizeof c->run.seed, 0) != sizeof c->run.seed)
        return diag_set(d, STATUS_IO, "no random numbers: %s", strerror(errno));
    c->run.seed &= (UINT64_C(1) << 53) - 1;
    return STATUS_OK;
}

static Status keep_seed(const ClassRun *c, Diag *d)
{
    const char *path = arena_printf(c->arena, "%s/seed", c->options->out);
    const char *line = arena_printf(c->arena, "%llu\n", (unsigned long long)c->run.seed);
    return path && line ? file_write_secret(path, line, strlen(line), d)
                        : diag_set(d, STATUS_NO_MEMORY, "no memory");
}

/* The compiler ------------------------------------------------------------------------------------ */

/* What OUT was graded with compiles all of it: points of two compilers are not compared in one class. */
static Status keep_compiler(ClassRun *c, Diag *d)
{
    Plan plan;
    const char *path = arena_printf(c->arena, "%s/plan.json", c->options->out);
    Options *own = ARENA_NEW(c->arena, Options);
    if (!path || !own)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    Status s = plan_load(c->arena, path, &plan, d);
    if (s != STATUS_OK)
        return s == STATUS_NOT_FOUND ? STATUS_OK : s;
    *own = *c->options;
    const char *asked = own->compiler && strcmp(own->compiler, "auto") != 0 ? own->compiler : NULL;
    own->compiler = plan.compiler[0] ? arena_strndup(c->arena, plan.compiler, strcspn(plan.compiler, " "))
                                     : compiler_word(COMPILER_NVCC); /* the one that earlier kits knew */
    c->options = own;
    if (!own->compiler)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (!asked || strcmp(asked, own->compiler) == 0)
        return STATUS_OK;
    diag_set(d, STATUS_INVALID, "%s was graded with %s: a class has one compiler", own->out, own->compiler);
    diag_hint(d, "leave --compiler out, or begin afresh with another --out");
    return STATUS_INVALID;
}

/* Preparing ---------------------------------------------------------------------------------------- */

Status class_run_prepare(ClassRun *c, bool must_exist, Diag *d)
{
    c->lock = -1;
    Status s = keep_compiler(c, d);
    if (s == STATUS_OK)
        s = cli_prepare(c->arena, c->options, c->options->allow_weak, &c->run, d);
    if (s == STATUS_OK)
        s = cli_isolate(c->arena, c->options, &c->run, d);
    if (s == STATUS_OK)
        s = places_stage_kit(&c->run.kit, c->run.work, d);
    if (s == STATUS_OK)
        s = class_run_list(c, d);
    if (s == STATUS_OK)
        s = choose_seed(c, must_exist, d);
    if (s == STATUS_OK)
        s = dir_make(c->options->out, d);
    if (s == STATUS_OK)
        s = class_run_lock(c->options->out, &c->lock, d);
    if (s == STATUS_OK)
        done_sweep(c->options->out);
    if (s == STATUS_OK)
        s = choose_seed(c, must_exist, d); /* again: another grader may have just kept one */
    return s != STATUS_OK ? s
                          : plan_make(c->arena, &c->run, c->labs, c->n_labs, c->submissions, c->n_submissions,
                                      &c->plan, d);
}

Status class_run_open_book(ClassRun *c, Diag *d)
{
    const char *path = arena_printf(c->arena, "%s/gradebook.db", c->options->out);
    Status s = path ? gradebook_open(path, &c->book, d) : STATUS_NO_MEMORY;
    c->book_run = (GradebookRun){.kit_version = KIT_VERSION,
                                 .device_kind = c->run.gpu ? "gpu" : "virtual",
                                 .device_name = c->run.device,
                                 .seed = c->run.seed,
                                 .started_at = (int64_t)time(NULL)};
    return s != STATUS_OK ? s : gradebook_start_run(c->book, &c->book_run, d);
}

/* Grading -------------------------------------------------------------------------------------- */

/* What the book has already, from before a kill, is not put there again. */
static Status keep_in_book(ClassRun *c, const Result *r, Diag *d)
{
    bool holds = false;
    Status s = c->book ? gradebook_holds(c->book, r, &holds, d) : STATUS_OK;
    return s == STATUS_OK && c->book && !holds ? gradebook_save(c->book, c->book_run.id, r, NULL, d) : s;
}

static void on_graded(void *context, size_t i, const Result *r, GradedHow how)
{
    ClassRun *c = context;
    Diag d;
    if (keep_in_book(c, r, &d) != STATUS_OK && !c->save_failed) {
        c->save_failed = true;
        cli_fail(&d);
    }
    if (strcmp(r->submission_sha256, c->plan.entries[i].sha256) != 0 && r->verdict != VERDICT_KIT_ERROR)
        fprintf(stderr,
                "grade: a submission for %s changed while it was being graded: start again to grade "
                "what it is now\n",
                r->lab);
    cli_progress_tell(&c->progress, r, how);
}

Status class_run_grade(ClassRun *c, Diag *d)
{
    const char *results = arena_printf(c->arena, "%s/results", c->dir);
    const char *plan = arena_printf(c->arena, "%s/plan.json", c->dir);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    ClassGrading grading = {.run = &c->run,
                            .submissions = c->submissions,
                            .plan = &c->plan,
                            .n = c->n_submissions,
                            .jobs = c->options->jobs > 0 ? (int)c->options->jobs
                                    : processors > 0     ? (int)processors
                                                         : 1,
                            .share = !c->options->no_sharing,
                            .results_dir = results,
                            .graded = on_graded,
                            .context = c,
                            .stop = &cli_stop};
    if (!results || !plan)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    Status s = dir_make(c->dir, d);
    if (s == STATUS_OK && cli_is_for_cluster(c->options))
        s = class_run_place(c, &grading.slurm, d);
    if (s == STATUS_OK)
        s = keep_seed(c, d);
    if (s == STATUS_OK)
        s = plan_save(&c->plan, plan, d);
    cli_progress_start(&c->progress, c->n_submissions);
    if (s == STATUS_OK)
        s = class_grade(&grading, d);
    cli_progress_end(&c->progress);
    return s == STATUS_OK && grading.slurm ? class_run_leave_place(c, grading.slurm, d) : s;
}

Status class_run_keep_receipts(ClassRun *c, Diag *d)
{
    Receipts receipts;
    Status s = receipts_load(c->arena, c->options->submissions, &receipts, d);
    for (size_t i = 0; s == STATUS_OK && i < c->n_submissions; i++) {
        const PlanEntry *e = &c->plan.entries[i];
        const Receipt *r = receipts_find(&receipts, e->student, e->lab);
        if (r && (r->has_time || r->late))
            s = gradebook_receive(c->book, e->student, e->lab, e->sha256, r->has_time, r->received_at,
                                  r->late, d);
    }
    free(receipts.items);
    return s;
}

void class_run_free(ClassRun *c)
{
    gradebook_close(c->book);
    for (size_t i = 0; i < c->n_labs; i++)
        lab_free(c->labs[i]);
    cli_clean_up(&c->run);
    if (c->lock >= 0)
        close(c->lock);
}
