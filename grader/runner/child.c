/* The new process on its way to becoming the command; see runner.h. Only async-signal-safe calls: it was
 * forked. */
#include "grader/runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PASSED_DESCRIPTOR = 3, ERROR_DESCRIPTOR = 4, SPARE_DESCRIPTOR = 10 };
enum {
    OPEN_FILES_MAX = 256,
    SIGNALS_MAX = 1024,    /* waiting ones, and timers */
    SPARE_PROCESSES = 8,   /* above the watched limit, so that the watcher sees it passed and can say so */
    BEHIND_THE_RUNNER = 5, /* niceness: a bomb must not keep the watcher from its tick */
    SPARE_CPU_SECONDS = 2  /* the same for processor time */
};

static void set_limit(int resource, int64_t value)
{
    struct rlimit r = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
    setrlimit(resource, &r); /* a lower hard limit of the machine stays, and is stricter */
}

static void set_limits(const RunnerState *state, const WireLimits *l)
{
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_NOFILE, l->open_files > 0 ? l->open_files : OPEN_FILES_MAX);
    set_limit(RLIMIT_SIGPENDING, SIGNALS_MAX);
    set_limit(RLIMIT_MSGQUEUE, 0);
    set_limit(RLIMIT_FSIZE, l->file_bytes);
    set_limit(RLIMIT_CPU, l->cpu_ms / 1000 + SPARE_CPU_SECONDS);
    if (!state->weak) /* outside of a sandbox it would count all processes of the user */
        set_limit(RLIMIT_NPROC, l->processes + SPARE_PROCESSES);
}

/* When the machine itself runs out of memory, these processes go first. */
static void be_first_to_go(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = write(fd, "1000", 4);
    (void)n;
    close(fd);
}

static bool set_filter(const struct sock_fprog *filter)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    return filter->len == 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter) == 0;
}

static int move_away(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, SPARE_DESCRIPTOR);
}

/* 0, 1 and 2 are what they should be, 3 is what was passed on, error_fd closes on exec; nothing else is open.
 * First all out of the way of 0 to 4, then into place. */
static bool set_descriptors(int out, int err, int pass, int *error_fd)
{
    int null = move_away(open("/dev/null", O_RDONLY | O_CLOEXEC)), error = move_away(*error_fd);
    out = move_away(out);
    err = move_away(err);
    pass = pass < 0 ? -1 : move_away(pass);
    if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || dup2(error, ERROR_DESCRIPTOR) < 0)
        return false;
    *error_fd = ERROR_DESCRIPTOR;
    bool passed = pass < 0 ? (close(PASSED_DESCRIPTOR), true) : dup2(pass, PASSED_DESCRIPTOR) >= 0;
    return passed && fcntl(ERROR_DESCRIPTOR, F_SETFD, FD_CLOEXEC) == 0 &&
           syscall(SYS_close_range, ERROR_DESCRIPTOR + 1u, ~0u, 0u) == 0;
}

/* What execve says of a file that is no right program: of its headers, or of an interpreter that they name.
 * Anything else is the machine's. */
static bool is_of_the_file(int error)
{
    static const int errors[] = {ENOEXEC, EACCES, ENOENT, ENOTDIR, ENOMEM,      ELIBBAD,
                                 EINVAL,  ELOOP,  EISDIR, EPERM,   ENAMETOOLONG};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (error == errors[i])
            return true;
    return false;
}

void runner_become(const RunnerState *state, const RunnerRequest *request, int out, int err, int error_fd)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setsid();
    prctl(PR_SET_DUMPABLE, 1, 0, 0,
          0); /* the runner itself is not; without it /proc/self would not be ours */
    be_first_to_go();
    if (nice(BEHIND_THE_RUNNER) < 0)
        errno = 0; /* it is a courtesy only */
    bool ready = set_descriptors(out, err, request->pass, &error_fd) && chdir(request->dir) == 0;
    bool there = false, tried = false;
    if (ready) {
        there = access(request->args[0], X_OK) == 0;
        set_limits(state, &request->limits);
        tried = set_filter(&state->filters[request->filter]);
        if (tried)
            execve(request->args[0], request->args, request->env);
    }
    RunnerProblem problem = {.error = errno, .refused = there && tried && is_of_the_file(errno)};
    ssize_t n = write(error_fd, &problem, sizeof problem);
    (void)n;
    _exit(127);
}
