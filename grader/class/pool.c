/* Running jobs; see pool.h. */
#include "grader/class/pool.h"

#include "grader/class/processor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Slot {
    pid_t pid; /* 0: free */
    size_t job;
} Slot;

/* A pool under way. */
typedef struct Work {
    const Pool *pool;
    Slot *slots;
    Processors *processors; /* NULL: jobs run where they like */
} Work;

static bool start_job(const Work *w, int i, size_t job)
{
    const Pool *pool = w->pool;
    fflush(NULL); /* what is buffered must not be printed twice */
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        signal(SIGINT, SIG_IGN); /* the caller decides */
        if (getppid() != parent)
            _exit(1);
        processors_take(w->processors, i);
        int status = pool->work(pool->context, job, i);
        fflush(NULL);
        _exit(status);
    }
    if (pid > 0)
        w->slots[i] = (Slot){.pid = pid, .job = job};
    return pid > 0;
}

static bool is_stopped(const Pool *pool)
{
    return pool->stop && *pool->stop;
}

static int find_slot_of_pid(const Slot *slots, int n, pid_t pid)
{
    for (int i = 0; i < n; i++)
        if (slots[i].pid == pid)
            return i;
    return -1;
}

static void end_all(Slot *slots, int n)
{
    for (int i = 0; i < n; i++)
        if (slots[i].pid)
            kill(slots[i].pid, SIGKILL);
    for (int i = 0; i < n; i++)
        if (slots[i].pid)
            while (waitpid(slots[i].pid, NULL, 0) < 0 && errno == EINTR)
                ;
}

/* Waits for one job's end; false when there is none to wait for, or on a stop. */
static bool wait_one(const Work *w)
{
    const Pool *pool = w->pool;
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0)
        return errno == EINTR && !is_stopped(pool);
    int i = find_slot_of_pid(w->slots, pool->n_slots, pid);
    if (i < 0)
        return true;
    w->slots[i].pid = 0;
    processors_give_back(w->processors, i);
    pool->done(pool->context, w->slots[i].job, status);
    return true;
}

Status pool_run(const Pool *pool, Diag *d)
{
    Slot *slots = calloc((size_t)pool->n_slots, sizeof *slots);
    if (!slots)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for %d jobs", pool->n_slots);
    Work w = {.pool = pool, .slots = slots, .processors = pool->one_processor ? processors_share() : NULL};
    Status s = STATUS_OK;
    size_t started = 0;
    bool running = true;
    while (s == STATUS_OK && running && !is_stopped(pool)) {
        int free_slot = started < pool->n_jobs ? find_slot_of_pid(slots, pool->n_slots, 0) : -1;
        if (free_slot < 0)
            running = wait_one(&w);
        else if (start_job(&w, free_slot, started))
            started++;
        else
            s = diag_set(d, STATUS_IO, "cannot start a job: %s", strerror(errno));
    }
    if (s == STATUS_OK && is_stopped(pool))
        s = diag_set(d, STATUS_LIMIT, "stopped after %zu of %zu", started, pool->n_jobs);
    end_all(slots, pool->n_slots);
    processors_end(w.processors);
    free(slots);
    return s;
}
