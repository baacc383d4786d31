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
 * does not depend on what else is going on. Two commands that work as one (meter.h) have their memory and
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
    int64_t cpu_ms; /* of the one that used most */
} WatchSum;

/* watch.c: sums over the command's processes. thorough also counts files in memory that no process has
 * mapped. */
WatchSum watch_processes(const RunnerState *state, bool thorough);
/* How long the command has been kept waiting for a processor: the longest wait of any of its threads, in all.
 */
int64_t watch_waited_ms(const RunnerState *state);
/* Kills all processes of the command; true when there was none left. */
bool watch_kill_all(const RunnerState *state);

/* empty.c: removes all that is in a folder but mount points, and what its attributes may say. False when
 * something is left; a folder that is not there is empty. */
bool runner_empty(const char *path);

/* collect.c: sends the regular files of each path of the request. */
bool runner_collect(int fd, const RunnerRequest *request);

#endif
