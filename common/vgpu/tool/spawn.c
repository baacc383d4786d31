/* spawn: starts the program with our runtime in front, and waits for it. */
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's runtime must come before a runtime of ours that was built with it. */
#ifndef VGPU_PRELOAD_FIRST
#define VGPU_PRELOAD_FIRST ""
#endif

enum { SERVER_FAILED = 3, SERVER_WAIT_MS = 2000 };

/* Where our runtime lies: ../lib/vgpu beside this program, so that a build folder can be moved. */
static bool library_folder(char *out, size_t size)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (slash == NULL)
            return false;
        *slash = 0;
    }
    int length = snprintf(out, size, "%s/lib/vgpu", self);
    return length > 0 && (size_t)length < size;
}

static void prepend(const char *name, const char *value, const char *separator)
{
    const char *old = getenv(name);
    StrBuf b = {0};
    strbuf_puts(&b, value);
    if (old != NULL && *old != 0)
        strbuf_printf(&b, "%s%s", separator, old);
    if (!b.failed)
        setenv(name, b.text, 1);
    strbuf_free(&b);
}

static void set_or_clear(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* What the runtime reads, or the server of the devices. */
static void set_options(const ToolOptions *o, int records)
{
    char number[32];
    snprintf(number, sizeof number, "%d", records);
    setenv("VGPU_STREAM_FD", number, 1);
    set_or_clear("VGPU_CHECK", o->check);
    set_or_clear("VGPU_DEVICE", o->device);
    set_or_clear("VGPU_SEED", o->seed);
    set_or_clear("VGPU_FAIL_AT", o->fail_at);
    set_or_clear("VGPU_MAX_INSTRUCTIONS", o->max_instructions);
    set_or_clear("VGPU_JOBS", o->jobs);
    set_or_clear("VGPU_MEMORY", o->memory);
    set_or_clear("VGPU_TIMELINE",
                 o->timeline != NULL || o->timeline_text || o->svg != NULL || o->profile ? "1" : NULL);
    set_or_clear("VGPU_LINES", o->profile ? "1" : NULL);
    if (o->devices != NULL)
        setenv("VGPU_DEVICES", o->devices, 1);
}

/* The program's environment. door < 0: the devices are in the program's process. */
static void set_environment(const ToolOptions *o, const char *folder, int records, int door)
{
    char number[32];
    StrBuf preload = {0};
    snprintf(number, sizeof number, "%d", door);
    strbuf_printf(&preload, "%s%s/libcudart.so.13", VGPU_PRELOAD_FIRST, folder);
    prepend("LD_PRELOAD", preload.text, ":");
    prepend("LD_LIBRARY_PATH", folder, ":");
    strbuf_free(&preload);
    if (door < 0)
        set_options(o, records);
    set_or_clear(REMOTE_ENVIRONMENT, door < 0 ? NULL : number);
}

/* ---- signals: what we are told to do, the program is told ---- */

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

static volatile sig_atomic_t the_child;

static void hand_on(int signal)
{
    if (the_child > 0)
        kill((pid_t)the_child, signal);
}

/* Held back while the program starts: none is lost in between. */
static void block_signals(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof handed_on / sizeof handed_on[0]; i++)
        sigaddset(&set, handed_on[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

static void hand_on_signals(pid_t child, const sigset_t *before)
{
    the_child = child;
    for (size_t i = 0; i < sizeof handed_on / sizeof handed_on[0]; i++) {
        struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
        sigaction(handed_on[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* ---- running ---- */

static int open_records(bool inherited)
{
    int fd = memfd_create("vgpu-records", inherited ? 0 : MFD_CLOEXEC);
    if (fd < 0) {
        FILE *file = tmpfile();
        fd = file == NULL ? -1 : fcntl(fileno(file), inherited ? F_DUPFD : F_DUPFD_CLOEXEC, 0);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND); /* several processes write */
    return fd;
}

static _Noreturn void become_server(const ToolOptions *o, int records, int door)
{
    RemoteOptions options = {.fail_at = 0};
    Diag diag = {0};
    setsid(); /* signals of the terminal are the program's */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    set_options(o, records);
    Status st = device_options_read(&options.device, &diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_FAIL_AT", 0, &options.fail_at, &diag);
    if (st != STATUS_OK)
        fprintf(stderr, "vgpu: %s\n", diag.message);
    _exit(st == STATUS_OK && remote_serve(door, &options) ? 0 : SERVER_FAILED);
}

/* other: the other end of the door, which the server may not hold; -1: we do not have it. */
static pid_t start_server(const ToolOptions *o, int records, int door, int other)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (other >= 0)
            close(other);
        become_server(o, records, door);
    }
    return pid;
}

/* The server ends when nobody is left who could ask. A daemon of the program's may stay: then it is ended, as
 * all that counts is there. */
static Status end_server(pid_t pid, bool in_time, Diag *diag)
{
    int status = 0, handle = in_time ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    struct pollfd p = {.fd = handle, .events = POLLIN};
    bool ended = handle < 0 || poll(&p, 1, SERVER_WAIT_MS) > 0;
    if (!ended)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (handle >= 0)
        close(handle);
    if (ended && status != 0)
        return diag_set(diag, STATUS_IO, "the process of the virtual GPU ended too early");
    return STATUS_OK;
}

static Status run_here(const ToolOptions *o, const Program *p, int records, int door, Ending *out, Diag *diag)
{
    char folder[4096];
    sigset_t before;
    if (!library_folder(folder, sizeof folder))
        return diag_set(diag, STATUS_IO, "cannot tell where this program lies");
    fflush(NULL);
    block_signals(&before);
    pid_t child = fork();
    if (child < 0)
        return diag_set(diag, STATUS_IO, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        set_environment(o, folder, records, door);
        execv(p->path, o->program);
        fprintf(stderr, "vgpu: %s: %s\n", p->path, strerror(errno));
        _exit(127);
    }
    if (door >= 0)
        close(door);
    hand_on_signals(child, &before);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    the_child = 0;
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return STATUS_OK;
}

static Status run_isolated(const ToolOptions *o, const Program *p, int records, Ending *out, Diag *diag)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return diag_set(diag, STATUS_IO, "no socket for the virtual GPU: %s", strerror(errno));
    pid_t server = start_server(o, records, pair[0], pair[1]);
    close(pair[0]);
    fcntl(pair[1], F_SETFD, 0);
    Status st = server < 0 ? diag_set(diag, STATUS_IO, "cannot start a process: %s", strerror(errno))
                           : run_here(o, p, records, pair[1], out, diag);
    return st == STATUS_OK ? end_server(server, true, diag) : st;
}

static Status run_served(const ToolOptions *o, int records, Diag *diag)
{
    pid_t server = start_server(o, records, o->serve, -1);
    close(o->serve);
    if (server < 0)
        return diag_set(diag, STATUS_IO, "cannot start a process: %s", strerror(errno));
    return end_server(server, false, diag);
}

Status program_run(const ToolOptions *o, const Program *p, Ending *out, int *records_fd, Diag *diag)
{
    bool inside = !o->isolated && o->serve < 0;
    *records_fd = open_records(inside);
    if (*records_fd < 0)
        return diag_set(diag, STATUS_IO, "cannot make a file for records: %s", strerror(errno));
    if (inside)
        return run_here(o, p, *records_fd, -1, out, diag);
    return o->serve >= 0 ? run_served(o, *records_fd, diag) : run_isolated(o, p, *records_fd, out, diag);
}
