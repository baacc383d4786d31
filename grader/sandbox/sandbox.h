/* sandbox: where everything of a submission runs: compiler, linker, program (theory of operation).
 *
 * Layers, each of which holds when another fails:
 * - user: as root the grader first becomes an unprivileged user without any capability; only then the rest.
 * - bubblewrap: namespaces of its own (user, pid, mount, network without an interface, ipc, uts, cgroup), a
 * new session, and a root in which the system, the toolkit and what the kit shows are read-only. Everything
 *   writable is a file system in memory with a size, which the runner empties between two cases.
 * - seccomp: a filter on what the command may ask of the kernel (syscalls.def), by the kind of command.
 * - limits: rlimits (processor time, file size, processes, open files, no core dumps).
 * - cgroup: where the kernel has it and lets us, a share of the processors and bounds on memory and processes.
 * - watcher: the runner, process 1 inside, sums memory and processes of all, and keeps the wall clock.
 *
 * Nothing of the environment and no descriptor but two is inherited. When the grader dies, so does the
 * sandbox.
 *
 * RLIMIT_AS and RLIMIT_DATA are not used: the virtual GPU reserves address space far beyond what it touches,
 * and a hog shall be told from a program whose malloc failed. What counts is what is resident, and the
 * watcher's tick of 20 ms lets a hog overshoot by what it can touch in that time.
 *
 * Where bubblewrap does not work, a `weak` sandbox has the last three layers only: fit for a student's own
 * machine.
 */
#ifndef GRADER_SANDBOX_SANDBOX_H
#define GRADER_SANDBOX_SANDBOX_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kinds of command, each with a filter of its own (syscalls.def). What names none is a student's. */
typedef enum SandboxFilter {
    SANDBOX_FILTER_PROGRAM,             /* a student's program; its device is elsewhere */
    SANDBOX_FILTER_PROGRAM_WITH_DEVICE, /* the same with the virtual GPU, or a driver, in its process */
    SANDBOX_FILTER_KIT,                 /* the kit's own, which run nothing of a student's: compilers, the device's server */
    SANDBOX_FILTER_TOOL,                /* a tool that watches the program: it may trace, and use the loopback */
    SANDBOX_N_FILTERS
} SandboxFilter;

/* What this machine offers, found once. All text belongs to the caller's arena. */
typedef struct Sandbox {
    bool weak;           /* no bubblewrap: not to be used for strangers' programs */
    const char *problem; /* why it is weak; "" */
    const char *mend;    /* the command that allows it, where the cause is known; "" */
    const char *bwrap;   /* path of the program; NULL when there is none */
    const char **layers; /* for results; "weak" first when weak */
    size_t n_layers;
    bool switch_user;    /* we are root */
    const char *cgroup;  /* of this run (cgroup.h); NULL where there is none */
    struct sock_fprog filters[SANDBOX_N_FILTERS]; /* no instructions: the kernel has none */
} Sandbox;

/* A folder or file of the host at a place inside, read-only. */
typedef struct SandboxBind {
    const char *host, *inside;
} SandboxBind;

/* An empty writable folder in memory. */
typedef struct SandboxScratch {
    const char *inside;
    int64_t bytes_max;
} SandboxScratch;

typedef struct SandboxSpec {
    const SandboxBind *binds;
    size_t n_binds;
    const SandboxScratch *scratch;
    size_t n_scratch;
    const char *const *devices; /* device files that are there too: a GPU's */
    size_t n_devices;
    const char *const *hide; /* folders that are empty inside, where the system's folders hold them */
    size_t n_hide;
    const char *runner; /* path of grade-runner inside; on the host when weak */
    int slot;           /* of the worker: sandboxes of different slots run as different users */
} SandboxSpec;

typedef struct SandboxProcess {
    pid_t pid;
    int socket; /* to the runner; see grader/runner/wire.h */
    int errors; /* what bubblewrap and the runner say on standard error */
    char cgroup[256]; /* its own; "" for none */
    int64_t kills;    /* of the kernel there, before this step */
} SandboxProcess;

/* Finds out which layers work here, by starting a sandbox. allow: names a bwrap to use, NULL to search PATH.
 * Fails only for want of memory. */
Status sandbox_probe(Arena *a, const char *bwrap, Sandbox *s, Diag *d);

/* Removes what the probe made on the machine, when all sandboxes have ended. */
void sandbox_forget(const Sandbox *s);

/* Starts a sandbox with the runner in it. */
Status sandbox_start(const Sandbox *s, const SandboxSpec *spec, SandboxProcess *p, Diag *d);
/* Ends all of it. What was said on standard error goes to errors (cut at `size`). */
void sandbox_stop(SandboxProcess *p, char *errors, size_t size);

enum { SANDBOX_UID_BASE = 64000, SANDBOX_SLOTS_MAX = 256 };
/* The user (and group) that processes of a slot run as when the grader is root. */
static inline uid_t sandbox_user(int slot)
{
    return (uid_t)(SANDBOX_UID_BASE + slot % SANDBOX_SLOTS_MAX);
}

#endif
