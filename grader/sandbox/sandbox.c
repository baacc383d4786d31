/* Starting and ending sandboxes; see sandbox.h. */
#include "grader/sandbox/sandbox.h"

#include "grader/runner/wire.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_WAIT_MS = 3000 }; /* before what did not end by itself is killed */
enum {
    CHILD_SOCKET = 3,
    CHILD_FILTER = 4
}; /* RUNNER_SOCKET_FD and RUNNER_FILTER_FD of the runner's wire.h */

/* What the child needs; made before the fork, as it may only make system calls. */
typedef struct Launch {
    const char *const *args;
    int socket, filter, errors;
    const char *cgroup; /* "" for none */
    bool switch_user, drop;
    int slot;
} Launch;

static char *const empty_environment[] = {NULL};

/* In the child: 0 to 4 are what they should be, nothing else is open, no privilege is left. */
static _Noreturn void become(const Launch *l)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* First out of the way of 0 to 4, then into place; duplicates do not close on exec. */
    int null = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 10);
    int socket = fcntl(l->socket, F_DUPFD_CLOEXEC, 10), filter = fcntl(l->filter, F_DUPFD_CLOEXEC, 10);
    int errors = fcntl(l->errors, F_DUPFD_CLOEXEC, 10);
    bool fine = dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(errors, 2) == 2 &&
                dup2(socket, CHILD_SOCKET) > 0 && dup2(filter, CHILD_FILTER) > 0 &&
                syscall(SYS_close_range, CHILD_FILTER + 1u, ~0u, 0u) == 0;
    if (fine && l->cgroup[0])
        fine = cgroup_enter(l->cgroup);
    if (fine && l->drop && !sandbox_drop_privileges(l->switch_user, l->slot))
        fine = false;
    if (fine)
        execve(l->args[0], (char *const *)l->args, empty_environment);
    dprintf(2, "cannot start %s: %s\n", l->args[0], strerror(errno));
    _exit(127);
}

static bool append(int fd, const void *bytes, size_t n)
{
    return n == 0 || write(fd, bytes, n) == (ssize_t)n;
}

/* The filters as a file that the runner reads: how many instructions each has, then all of them. */
static int filter_file(const struct sock_fprog filters[SANDBOX_N_FILTERS])
{
    int fd = memfd_create("filters", MFD_CLOEXEC);
    uint32_t lengths[WIRE_FILTERS];
    _Static_assert((int)SANDBOX_N_FILTERS == (int)WIRE_FILTERS, "the runner knows them by number");
    for (int i = 0; i < SANDBOX_N_FILTERS; i++)
        lengths[i] = filters[i].len;
    bool fine = fd >= 0 && append(fd, lengths, sizeof lengths);
    for (int i = 0; fine && i < SANDBOX_N_FILTERS; i++)
        fine = append(fd, filters[i].filter, lengths[i] * sizeof *filters[i].filter);
    if (fine && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Forks the child; its ends of the pairs are closed here again. */
static Status launch_bubblewrap(Launch *l, SandboxProcess *p, Diag *d)
{
    int pair[2] = {-1, -1}, errors[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return diag_set(d, STATUS_IO, "no socket for the sandbox: %s", strerror(errno));
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(pair[0]);
        close(pair[1]);
        return diag_set(d, STATUS_IO, "no pipe for the sandbox: %s", strerror(errno));
    }
    l->socket = pair[1];
    l->errors = errors[1];
    pid_t pid = fork();
    if (pid == 0)
        become(l);
    int error = errno;
    close(pair[1]);
    close(errors[1]);
    p->pid = pid;
    p->socket = pair[0];
    p->errors = errors[0];
    if (pid > 0)
        return STATUS_OK;
    close(pair[0]);
    close(errors[0]);
    return diag_set(d, STATUS_IO, "cannot start a process: %s", strerror(error));
}

/* The command line: bubblewrap and the runner, or the runner alone. */
static const char **full_args(Arena *a, const Sandbox *s, const SandboxSpec *spec)
{
    if (s->weak) {
        const char **args = ARENA_NEW_ARRAY(a, const char *, 3);
        if (args) {
            args[0] = spec->runner;
            args[1] = "--weak";
        }
        return args;
    }
    const char **args = sandbox_bwrap_args(a, s->bwrap, spec);
    size_t n = 0;
    while (args && args[n])
        n++;
    if (args)
        args[n] = spec->runner;
    return args;
}

Status sandbox_start(const Sandbox *s, const SandboxSpec *spec, SandboxProcess *p, Diag *d)
{
    *p = (SandboxProcess){.pid = -1, .socket = -1, .errors = -1};
    Arena arena = {0};
    if (s->cgroup && !cgroup_open(s->cgroup, p->cgroup, sizeof p->cgroup))
        return diag_set(d, STATUS_IO, "cannot make a group of processes below %s: %s", s->cgroup, strerror(errno));
    Launch l = {.args = full_args(&arena, s, spec),
                .filter = filter_file(s->filters),
                .cgroup = p->cgroup,
                .switch_user = s->switch_user,
                .drop = !s->weak || s->switch_user,
                .slot = spec->slot};
    Status status;
    if (!l.args || l.filter < 0)
        status = diag_set(d, STATUS_NO_MEMORY, "no memory for a sandbox");
    else
        status = launch_bubblewrap(&l, p, d);
    if (l.filter >= 0)
        close(l.filter);
    if (status != STATUS_OK && p->cgroup[0])
        cgroup_close(p->cgroup);
    arena_free(&arena);
    return status;
}

/* Waits until the other end of the pipe is closed, which is when bubblewrap and the runner are gone. */
static void wait_closed(int fd, int wait_ms, char *text, size_t size)
{
    size_t length = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, wait_ms) > 0) {
        char rest[256];
        bool room = length + 1 < size;
        ssize_t n = read(fd, room ? text + length : rest, room ? size - 1 - length : sizeof rest);
        if (n <= 0)
            break;
        length += room ? (size_t)n : 0;
    }
    if (size)
        text[length] = '\0';
}

void sandbox_stop(SandboxProcess *p, char *errors, size_t size)
{
    if (p->pid <= 0)
        return;
    /* The runner ends at the end of its input, and as process 1 takes all inside with it before bubblewrap
     * ends. */
    close(p->socket);
    wait_closed(p->errors, STOP_WAIT_MS, errors, size);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(p->errors);
    if (p->cgroup[0])
        cgroup_close(p->cgroup);
    *p = (SandboxProcess){.pid = -1, .socket = -1, .errors = -1};
}
