/* Looking at, and ending, the processes of a command; see runner.h.
 *
 * Memory is counted as the kernel counts it for each process: anonymous and shared resident pages. Pages that
 * forked processes still share are counted for each of them, so that the sum is never too low. Files in
 * memory (the sandbox's own file systems, memfds) are counted from their blocks, as no process need have them
 * mapped.
 */
#include "grader/runner/runner.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { INODE_KIB = 1, PROCESSES_MAX = 8192 };

/* What /proc/PID/stat and statm say. */
typedef struct ProcessFacts {
    pid_t parent;
    char state;
    int64_t threads, cpu_ms, memory_kib;
} ProcessFacts;

static bool read_proc(pid_t pid, const char *name, char *text, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* RssAnon + RssShmem of /proc/PID/status, in KiB: statm lumps shared memory with mapped files. */
static int64_t resident_kib(pid_t pid)
{
    char text[4096];
    if (!read_proc(pid, "status", text, sizeof text))
        return 0;
    const char *anon = strstr(text, "RssAnon:"), *shared = strstr(text, "RssShmem:");
    return (anon ? atoll(anon + 8) : 0) + (shared ? atoll(shared + 9) : 0);
}

static bool read_facts(pid_t pid, ProcessFacts *f)
{
    char text[1024];
    if (!read_proc(pid, "stat", text, sizeof text))
        return false;
    const char *after_name = strrchr(text, ')'); /* the name may hold anything, parentheses too */
    unsigned long long user, system;
    long long threads;
    int parent;
    if (!after_name ||
        sscanf(after_name + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %lld",
               &f->state, &parent, &user, &system, &threads) != 5)
        return false;
    f->parent = parent;
    f->threads = threads;
    f->cpu_ms = (int64_t)((user + system) * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK));
    return true;
}

/* Blocks of the memfds that a process holds open. */
static int64_t memfd_kib(pid_t pid)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    int64_t kib = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char target[64];
        struct stat st;
        ssize_t n = readlinkat(dirfd(dir), e->d_name, target, sizeof target - 1);
        bool memfd = n > 7 && strncmp(target, "/memfd:", 7) == 0;
        if (memfd && fstatat(dirfd(dir), e->d_name, &st, 0) == 0)
            kib += st.st_blocks / 2;
    }
    if (dir)
        closedir(dir);
    return kib;
}

/* What the sandbox's writable file systems hold. */
static int64_t scratch_kib(void)
{
    static const char *const places[] = {"/tmp", "/dev/shm", "/case", "/build"};
    int64_t kib = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct statvfs v;
        if (statvfs(places[i], &v) != 0)
            continue;
        kib += (int64_t)(v.f_blocks - v.f_bfree) * (int64_t)v.f_frsize / 1024;
        kib += (int64_t)(v.f_files - v.f_ffree) * INODE_KIB;
    }
    return kib;
}

/* Whether pid stems from the runner; in a sandbox all do. */
static bool is_ours(const RunnerState *state, pid_t pid, pid_t self)
{
    if (pid == self)
        return false;
    if (!state->weak)
        return true;
    ProcessFacts f;
    for (int depth = 0; depth < PROCESSES_MAX && pid > 1 && read_facts(pid, &f); depth++) {
        if (f.parent == self)
            return true;
        pid = f.parent;
    }
    return false;
}

/* Calls visit for each process of the command. */
static void each_process(const RunnerState *state, void (*visit)(pid_t pid, void *context), void *context)
{
    DIR *proc = opendir("/proc");
    pid_t self = getpid();
    for (struct dirent *e; proc && (e = readdir(proc));) {
        pid_t pid = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : 0;
        if (pid > 0 && is_ours(state, pid, self))
            visit(pid, context);
    }
    if (proc)
        closedir(proc);
}

typedef struct SumContext {
    WatchSum sum;
    bool thorough;
} SumContext;

static void add_process(pid_t pid, void *context)
{
    SumContext *c = context;
    ProcessFacts f;
    if (!read_facts(pid, &f) || f.state == 'Z')
        return;
    c->sum.processes += f.threads;
    c->sum.memory_kib += resident_kib(pid);
    if (c->thorough)
        c->sum.memory_kib += memfd_kib(pid);
    if (f.cpu_ms > c->sum.cpu_ms)
        c->sum.cpu_ms = f.cpu_ms;
}

WatchSum watch_processes(const RunnerState *state, bool thorough)
{
    SumContext c = {.thorough = thorough};
    each_process(state, add_process, &c);
    if (!state->weak)
        c.sum.memory_kib += scratch_kib();
    return c.sum;
}

/* The second number of a thread's schedstat: nanoseconds in which it could have run and did not. */
static int64_t thread_waited_ms(pid_t pid, const char *thread)
{
    char name[300], text[128];
    long long waited_ns;
    snprintf(name, sizeof name, "task/%s/schedstat", thread);
    if (!read_proc(pid, name, text, sizeof text) || sscanf(text, "%*s %lld", &waited_ns) != 1)
        return 0; /* a kernel without it, or a thread that has ended */
    return waited_ns / 1000000;
}

static void find_longest_wait(pid_t pid, void *context)
{
    char path[64];
    int64_t *longest_ms = context;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        int64_t ms = isdigit((unsigned char)e->d_name[0]) ? thread_waited_ms(pid, e->d_name) : 0;
        *longest_ms = ms > *longest_ms ? ms : *longest_ms;
    }
    if (dir)
        closedir(dir);
}

int64_t watch_waited_ms(const RunnerState *state)
{
    int64_t longest_ms = 0;
    each_process(state, find_longest_wait, &longest_ms);
    return longest_ms;
}

static void kill_one(pid_t pid, void *context)
{
    ProcessFacts f;
    if (read_facts(pid, &f) && f.state != 'Z' && kill(pid, SIGKILL) == 0)
        *(bool *)context = true;
}

bool watch_kill_all(const RunnerState *state)
{
    if (!state->weak) /* one call reaches all: a fork that is under way fails on the pending signal */
        return kill(-1, SIGKILL) != 0 && errno == ESRCH;
    bool killed = false;
    each_process(state, kill_one, &killed);
    return !killed;
}
