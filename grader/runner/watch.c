/* Looking at, and ending, the processes of a command; see runner.h.
 *
 * Memory is counted as the kernel counts it for each process: anonymous and shared resident pages, what is in swap, page
 * tables. Pages that forked processes still share are counted for each of them, so that the sum is never too low. Files in
 * memory (the sandbox's own file systems, memfds) are counted from their blocks, as no process need have them
 * mapped. What else of the kernel's a process can make grow is estimated from above: so much for each descriptor and each
 * mapping. What no process has at all (memfds that are closed and mapped, System V segments) the filter refuses.
 *
 * Processor time is the sum over all processes, dead ones too: the runner adopts orphans and takes in what they and those
 * they waited for have used. Who vanishes without having been waited for (its parent ignores SIGCHLD) is charged the whole
 * time between two looks. The same look tells how long the command was kept waiting by others (add_wait).
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

enum {
    INODE_KIB = 1,
    PROCESSES_MAX = 8192,
    SOCKET_KIB = 256,
    DESCRIPTOR_KIB = 64,
    DESCRIPTORS_MAX = 256, /* child.c lets a command have no more */
    MAPPING_BYTES = 512,   /* of a mapping, with what it has of trees and reverse maps */
    MAPPINGS_MAX = 65530   /* vm.max_map_count, where nobody changed it */
};

/* What /proc/PID/stat and statm say. */
typedef struct ProcessFacts {
    pid_t parent;
    char state;
    uint64_t started; /* clock ticks since the machine's start */
    int64_t threads, cpu_ms, children_ms; /* children: those that it has waited for */
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

static bool read_facts(pid_t pid, ProcessFacts *f)
{
    char text[1024];
    if (!read_proc(pid, "stat", text, sizeof text))
        return false;
    const char *after_name = strrchr(text, ')'); /* the name may hold anything, parentheses too */
    unsigned long long user, system, started;
    long long threads, children_user, children_system;
    int parent;
    if (!after_name || sscanf(after_name + 1,
                              " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %lld %*d %llu",
                              &f->state, &parent, &user, &system, &children_user, &children_system, &threads,
                              &started) != 8)
        return false;
    int64_t ticks = sysconf(_SC_CLK_TCK);
    f->parent = parent;
    f->threads = threads;
    f->started = started;
    f->cpu_ms = (int64_t)(user + system) * 1000 / ticks;
    f->children_ms = (children_user + children_system) * 1000 / ticks;
    return true;
}

/* Memory ---------------------------------------------------------------------------------------- */

/* A number of KiB in /proc/PID/status. */
static int64_t status_kib(const char *text, const char *name)
{
    const char *p = strstr(text, name);
    return p ? atoll(p + strlen(name)) : 0;
}

/* What one descriptor can keep in the kernel: a socket what its buffer for sending takes (net.core.wmem_default), a pipe
 * its 16 pages, the others less. */
static int64_t descriptor_kib(const char *target)
{
    return strncmp(target, "socket:", 7) == 0 ? SOCKET_KIB : DESCRIPTOR_KIB;
}

/* A process's descriptors: memory of the kernel that they can keep, and blocks of memfds. Where a process's folder cannot be
 * looked into (a program that may be run and not read), it has as many as it may. */
static int64_t descriptors_kib(const char *task, int64_t *memfd_kib)
{
    char path[400];
    snprintf(path, sizeof path, "%s/fd", task);
    DIR *dir = opendir(path);
    int64_t kib = dir || errno == ENOENT ? 0 : (int64_t)DESCRIPTORS_MAX * SOCKET_KIB;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char target[64] = "";
        struct stat st;
        if (!isdigit((unsigned char)e->d_name[0]) ||
            readlinkat(dirfd(dir), e->d_name, target, sizeof target - 1) < 0)
            continue;
        kib += descriptor_kib(target);
        if (strncmp(target, "/memfd:", 7) == 0 && fstatat(dirfd(dir), e->d_name, &st, 0) == 0)
            *memfd_kib += st.st_blocks / 2;
    }
    if (dir)
        closedir(dir);
    return kib;
}

/* What the kernel keeps for a process's mappings, which are lines of its maps. */
static int64_t mappings_kib(const char *task)
{
    char path[400], text[16384];
    snprintf(path, sizeof path, "%s/maps", task);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int64_t lines = fd < 0 && errno == EACCES ? MAPPINGS_MAX : 0;
    for (ssize_t n; fd >= 0 && (n = read(fd, text, sizeof text)) > 0;)
        for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + n - p))); p++)
            lines++;
    if (fd >= 0)
        close(fd);
    return lines * MAPPING_BYTES / 1024;
}

/* The first thread that still has memory: a process goes on when its first thread has ended. */
static bool find_living_thread(pid_t pid, char *task, size_t size, char *status, size_t status_size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    bool found = false;
    for (struct dirent *e; dir && !found && (e = readdir(dir));) {
        char name[300];
        snprintf(name, sizeof name, "task/%s/status", e->d_name);
        found = isdigit((unsigned char)e->d_name[0]) && read_proc(pid, name, status, status_size) &&
                strstr(status, "RssAnon:");
        if (found)
            snprintf(task, size, "%s/%s", path, e->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* What a process has in memory (statm would lump shared memory with mapped files), in swap, and in page tables; a thorough
 * look adds what the kernel keeps for it. Of files in memory a process has them mapped, or open, or both: the larger number
 * counts. */
static int64_t process_kib(pid_t pid, const ProcessFacts *f, bool thorough)
{
    char text[4096], task[380];
    snprintf(task, sizeof task, "/proc/%d", (int)pid);
    bool found = f->state == 'Z' ? find_living_thread(pid, task, sizeof task, text, sizeof text)
                                 : read_proc(pid, "status", text, sizeof text);
    if (!found)
        return 0;
    int64_t shared = status_kib(text, "RssShmem:"), memfds = 0;
    int64_t kib = status_kib(text, "RssAnon:") + status_kib(text, "VmPTE:") + status_kib(text, "VmSwap:") +
                  status_kib(text, "HugetlbPages:");
    if (thorough)
        kib += descriptors_kib(task, &memfds) + mappings_kib(task);
    return kib + (memfds > shared ? memfds : shared);
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

/* Adding up ------------------------------------------------------------------------------------- */

enum {
    NS_PER_MS = 1000000,
    HIDDEN_SLACK_MS = 20, /* two ticks of the kernel's clock for processor time */
    OWED_MAX_MS = 100     /* of a command's own use, how much is held against waits of later looks */
};

static WatchProcess *find_process(Watch *w, pid_t pid, uint64_t started)
{
    for (size_t i = 0; i < w->n_processes; i++)
        if (w->processes[i].pid == pid && (started == 0 || w->processes[i].started == started))
            return &w->processes[i];
    return NULL;
}

static WatchThread *find_thread(Watch *w, pid_t thread)
{
    for (size_t i = 0; i < w->n_threads; i++)
        if (w->threads[i].id == thread)
            return &w->threads[i];
    return NULL;
}

/* One look. */
typedef struct Look {
    Watch *watch;
    WatchSum sum;
    bool thorough;
    int64_t grown_ms, reported_ms; /* processor time of living processes, and of those that they have waited for */
    int64_t used_ns;               /* the same of threads, since the last look */
    int64_t longest_ns, longest_ran_ns; /* of the thread that wanted a processor longest: wait, and use */
} Look;

static void close_thread(Watch *w, WatchThread *t)
{
    if (t->fd < 0)
        return;
    close(t->fd);
    t->fd = -1;
    w->n_open--;
}

/* The first two numbers of a thread's schedstat: nanoseconds on a processor, and nanoseconds in which it could have run and
 * did not. False on a kernel without it, or of a thread that has ended. */
static bool read_times(int fd, int64_t *ran_ns, int64_t *waited_ns)
{
    char text[128];
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    long long ran, waited;
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%lld %lld", &ran, &waited) != 2)
        return false;
    *ran_ns = ran;
    *waited_ns = waited;
    return true;
}

/* Reads the times of a thread that is new, or of another one with the number of one that has ended. */
static bool open_thread(Watch *w, WatchThread *t, pid_t pid, int64_t *ran_ns, int64_t *waited_ns)
{
    char path[64];
    close_thread(w, t);
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)t->id);
    t->fd = open(path, O_RDONLY | O_CLOEXEC);
    w->n_open += t->fd >= 0;
    bool fine = read_times(t->fd, ran_ns, waited_ns);
    if (!fine || w->n_open > WATCH_OPEN_MAX)
        close_thread(w, t);
    return fine;
}

/* Takes in what a thread has run and waited since the last look.
 *
 * Its file stays open. Else the thread, on its way to its end, would have to remove from memory what the kernel keeps of the
 * file's name; preempted while it does so it keeps the runner, which takes in the process, in a loop of the kernel's without
 * end until it gets a processor again: on a busy machine that took more time than the case. */
static int64_t add_thread(Look *l, pid_t pid, const char *thread)
{
    int64_t ran, waited;
    Watch *w = l->watch;
    WatchThread *t = find_thread(w, atoi(thread)), fresh = {.id = atoi(thread), .fd = -1};
    bool known = t && read_times(t->fd, &ran, &waited);
    if (!t && w->n_threads == WATCH_THREADS_MAX)
        return 0;
    if (!known && !open_thread(w, t ? t : &fresh, pid, &ran, &waited))
        return 0;
    if (!t) {
        t = &w->threads[w->n_threads++];
        *t = fresh;
    } else if (ran < t->ran_ns) {
        t->ran_ns = t->waited_ns = 0; /* another one */
    }
    int64_t ran_ns = ran - t->ran_ns, waited_ns = waited - t->waited_ns;
    *t = (WatchThread){.id = t->id, .fd = t->fd, .ran_ns = ran, .waited_ns = waited, .look = w->n_looks};
    l->used_ns += ran_ns;
    if (ran_ns + waited_ns > l->longest_ns + l->longest_ran_ns) {
        l->longest_ns = waited_ns;
        l->longest_ran_ns = ran_ns;
    }
    return ran_ns;
}

/* The use of a process since the last look; what threads used that came and went between two looks is in the
 * process's own count. */
static void add_threads(Look *l, pid_t pid, WatchProcess *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (isdigit((unsigned char)e->d_name[0]))
            p->seen_ns += add_thread(l, pid, e->d_name);
    if (dir)
        closedir(dir);
    int64_t hidden_ns = (p->own_ms - HIDDEN_SLACK_MS) * NS_PER_MS - p->seen_ns;
    if (hidden_ns > p->hidden_ns) {
        l->used_ns += hidden_ns - p->hidden_ns;
        p->hidden_ns = hidden_ns;
    }
}

/* Takes in a process's own use, and what those used that it waited for. */
static void add_use(Look *l, pid_t pid, const ProcessFacts *f)
{
    Watch *w = l->watch;
    WatchProcess *p = find_process(w, pid, f->started);
    if (!p && w->n_processes == WATCH_PROCESSES_MAX)
        return;
    if (!p) {
        p = &w->processes[w->n_processes++];
        *p = (WatchProcess){.pid = pid, .started = f->started};
    }
    l->grown_ms += f->cpu_ms - p->own_ms;
    l->reported_ms += f->children_ms - p->children_ms;
    p->own_ms = f->cpu_ms;
    p->children_ms = f->children_ms;
    p->look = w->n_looks;
    add_threads(l, pid, p);
}

static void add_process(pid_t pid, void *context)
{
    Look *l = context;
    ProcessFacts f;
    if (!read_facts(pid, &f))
        return;
    add_use(l, pid, &f);
    if (f.state == 'Z' && f.threads <= 1)
        return;
    l->sum.processes += f.threads;
    l->sum.memory_kib += process_kib(pid, &f, l->thorough);
}

/* Forgets who is gone. Those whom the runner did not take in itself may have been waited for by their parents,
 * or by nobody: then their last interval is not known, and each is charged all of it, as far as there were
 * processors for that. */
static void charge_gone(Look *l, int64_t interval_ms)
{
    Watch *w = l->watch;
    int64_t known_ms = 0, gone = 0;
    size_t n = 0;
    for (size_t i = 0; i < w->n_processes; i++) {
        WatchProcess p = w->processes[i];
        if (p.look == w->n_looks) {
            w->processes[n++] = p;
        } else {
            known_ms += p.own_ms + p.children_ms;
            gone++;
        }
    }
    w->n_processes = n;
    n = 0;
    for (size_t i = 0; i < w->n_threads; i++) {
        if (w->threads[i].look == w->n_looks)
            w->threads[n++] = w->threads[i];
        else
            close_thread(w, &w->threads[i]);
    }
    w->n_threads = n;
    int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most_ms = interval_ms * (gone < processors ? gone : processors);
    int64_t told_ms = l->reported_ms - known_ms;
    int64_t charge_ms = told_ms > most_ms ? told_ms : most_ms;
    w->cpu_ms += l->grown_ms + charge_ms;
    l->used_ns += charge_ms * NS_PER_MS;
}

/* A thread's wait counts as far as no other of the command's own threads, here or beside it, can have caused it by using a
 * processor. Looks of two runners are not at one time: so use is held against waits a little later, too. */
static void add_wait(Look *l, int64_t beside_ns)
{
    Watch *w = l->watch;
    /* A wait is told when it ends: of many threads one may tell more of it, look after look, than time has passed. */
    int64_t room_ns = (wire_now_ms() - w->started_ms) * NS_PER_MS - w->told_ns;
    l->longest_ns = l->longest_ns < room_ns ? l->longest_ns : room_ns;
    w->told_ns += l->longest_ns;
    int64_t most_ns = (int64_t)OWED_MAX_MS * NS_PER_MS;
    w->owed_ns += l->used_ns - l->longest_ran_ns + beside_ns;
    if (w->owed_ns > most_ns + l->longest_ns)
        w->owed_ns = most_ns + l->longest_ns;
    int64_t own_ns = w->owed_ns < l->longest_ns ? w->owed_ns : l->longest_ns;
    w->owed_ns -= own_ns;
    w->waited_ns += l->longest_ns - own_ns;
}

WatchSum watch_look(const RunnerState *state, Watch *w, bool thorough, int64_t beside_ns)
{
    Look l = {.watch = w, .thorough = thorough};
    int64_t now_ms = wire_now_ms();
    w->n_looks++;
    each_process(state, add_process, &l);
    charge_gone(&l, now_ms - w->looked_ms);
    add_wait(&l, beside_ns);
    w->looked_ms = now_ms;
    w->used_ns += l.used_ns;
    if (!state->weak)
        l.sum.memory_kib += scratch_kib();
    l.sum.cpu_ms = w->cpu_ms;
    return l.sum;
}

void watch_start(Watch *w)
{
    w->n_processes = w->n_threads = w->n_open = 0;
    w->n_looks = 0;
    w->cpu_ms = w->waited_ns = w->used_ns = w->owed_ns = w->told_ns = 0;
    w->looked_ms = w->started_ms = wire_now_ms();
}

void watch_end(Watch *w)
{
    for (size_t i = 0; i < w->n_threads; i++)
        close_thread(w, &w->threads[i]);
    w->n_threads = 0;
}

void watch_reaped(Watch *w, pid_t pid, int64_t cpu_ms)
{
    WatchProcess *p = find_process(w, pid, 0);
    int64_t known_ms = p ? p->own_ms + p->children_ms : 0;
    if (cpu_ms > known_ms) {
        w->cpu_ms += cpu_ms - known_ms;
        w->used_ns += (cpu_ms - known_ms) * NS_PER_MS;
    }
    if (p)
        *p = w->processes[--w->n_processes];
}

/* Ending ---------------------------------------------------------------------------------------- */

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
