/* runner: runs one command after another under limits, as the first process of a sandbox (theory of
 * operation).
 *
 *     request --> start_command: fork, limits, filter, exec
 *                 wait_command:  one poll loop over its output, SIGCHLD and a tick; each tick looks at
 *                                all processes of the sandbox (watch.c) and ends them when a limit is passed
 *                 end_all:       kills whatever is left, waits until nothing is
 *                 collect:       only now are files opened, when nobody can change them any more
 *             <-- answer
 *     empty   --> runner_empty:  nothing that the command left in files is there for the next
 *             <-- empty or left
 *
 * The wall limit is the program's, not the machine's: while a thread of it could run and other programs have
 * the processors, its clock stands still (for WIRE_WAIT_FACTOR times the limit at most), so that a verdict
 * does not depend on what else is going on. A wait that other threads and processes of the command can have
 * caused does not stop it. Two commands that work as one (meter.h) have their memory and
 * their waits added up.
 *
 * In a sandbox the runner is process 1 of its pid namespace: `kill(-1)` reaches every process of the command
 * and no other, whatever sessions and groups they made, and nothing in there can signal or trace it. Where
 * there is no sandbox
 * (`weak`), it adopts orphans (PR_SET_CHILD_SUBREAPER) and looks for descendants in /proc, until none is
 * left.
 */
#ifndef GRADER_RUNNER_RUNNER_H
#define GRADER_RUNNER_RUNNER_H

#include "grader/runner/meter.h"
#include "grader/runner/wire.h"

#include <linux/filter.h>
#include <sys/types.h>

typedef struct RunnerRequest {
    char *dir;
    char *args[WIRE_ARGS_MAX + 1], *env[WIRE_ARGS_MAX + 1], *collect[WIRE_ARGS_MAX + 1]; /* NULL-terminated */
    WireLimits limits;
    int filter;   /* which of the state's */
    int pass;     /* becomes the command's descriptor 3; -1: none */
    Meter *meter; /* shared with another command; NULL: none */
    int slot;     /* this command's in it */
} RunnerRequest;

/* The beginning of what a command printed. */
typedef struct RunnerOutput {
    int fd; /* -1 when at its end */
    char *bytes;
    size_t length;
    bool cut;
} RunnerOutput;

typedef struct RunnerState {
    bool weak;
    struct sock_fprog filters[WIRE_FILTERS]; /* no instructions: none */
    int signals;              /* signalfd for SIGCHLD */
} RunnerState;

/* How a command ended. */
typedef struct RunnerOutcome {
    WireEnd end;
    int status, signal;
    int64_t wall_us, cpu_us, rss_kib;
    int64_t waited_us; /* of the wall's time, how long others had the processors */
    RunnerOutput out, err;
} RunnerOutcome;

/* Why a new process did not become the command. */
typedef struct RunnerProblem {
    int error;    /* errno; 0: none */
    bool refused; /* execve said so of a file that is there and may be executed: the file's own doing */
} RunnerProblem;

/* command.c: runs request's command until it and all it left behind are dead. */
void runner_run(const RunnerState *state, const RunnerRequest *request, RunnerOutcome *outcome);

/* child.c: in the new process: takes on limits, descriptors and filter, and becomes the command. Does not
 * return; what fails is written to error_fd. */
_Noreturn void runner_become(const RunnerState *state, const RunnerRequest *request, int out, int err,
                             int error_fd);

/* What all processes of the command have come to. */
typedef struct WatchSum {
    int64_t memory_kib, processes;
    int64_t cpu_ms; /* of all, dead ones too */
} WatchSum;

/* What is known of a process, and of a thread, since the last look. */
typedef struct WatchProcess {
    pid_t pid;
    uint64_t started;
    int64_t own_ms, children_ms; /* processor time; children: those that it waited for */
    int64_t seen_ns, hidden_ns;  /* of own_ms, seen in its threads; of threads that ended unseen */
    uint64_t look;
} WatchProcess;

typedef struct WatchThread {
    pid_t id;
    int fd; /* its schedstat; -1: not kept open */
    int64_t ran_ns, waited_ns;
    uint64_t look;
} WatchThread;

enum { WATCH_PROCESSES_MAX = 1024, WATCH_THREADS_MAX = 1024, WATCH_OPEN_MAX = 128 };

/* What is known of a command's processes from look to look. */
typedef struct Watch {
    WatchProcess processes[WATCH_PROCESSES_MAX];
    WatchThread threads[WATCH_THREADS_MAX];
    size_t n_processes, n_threads, n_open;
    uint64_t n_looks;
    int64_t started_ms, looked_ms;
    int64_t cpu_ms;    /* of all processes */
    int64_t used_ns;   /* the same, finer, as it is held against waits */
    int64_t owed_ns;   /* use that no wait has been held against yet */
    int64_t told_ns;   /* waits of the longest waiting threads, as they were told */
    int64_t waited_ns; /* how long others kept the command waiting for a processor */
} Watch;

/* watch.c: before a command starts. */
void watch_start(Watch *w);
/* When all of its processes are dead and taken in. */
void watch_end(Watch *w);
/* Sums over the command's processes. thorough also counts what descriptors and mappings keep in the kernel. beside_ns:
 * processor time that the command beside this one used since the last look. */
WatchSum watch_look(const RunnerState *state, Watch *w, bool thorough, int64_t beside_ns);
/* A process was taken in that used so much, together with those that it waited for. */
void watch_reaped(Watch *w, pid_t pid, int64_t cpu_ms);
/* Kills all processes of the command; true when there was none left. */
bool watch_kill_all(const RunnerState *state);

/* empty.c: removes all that is in a folder but mount points, and what its attributes may say. False when
 * something is left; a folder that is not there is empty. */
bool runner_empty(const char *path);

/* collect.c: sends the regular files of each path of the request. */
void runner_collect(WireOut *out, const RunnerRequest *request);

#endif
