/* spawn: starts the program with our runtime in front, and waits for it. */
#include "common/base/heap_check.h"
#include "common/vgpu/device/device.h"
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's runtime must come before a runtime of ours that was built with it. */
#ifndef VGPU_PRELOAD_FIRST
#define VGPU_PRELOAD_FIRST ""
#endif

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
        if (!slash)
            return false;
        *slash = 0;
    }
    int length = snprintf(out, size, "%s/lib/vgpu", self);
    return length > 0 && (size_t)length < size;
}

static bool prepend(const char *name, const char *value, const char *separator)
{
    const char *old = getenv(name);
    StrBuf b = {0};
    strbuf_puts(&b, value);
    if (old && *old != 0)
        strbuf_printf(&b, "%s%s", separator, old);
    bool ok = !b.failed && setenv(name, b.text, 1) == 0;
    strbuf_free(&b);
    return ok;
}

static void set_or_clear(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* What the runtime reads, or the server of the devices. */
static void set_options(const ToolOptions *o, const ToolFiles *files)
{
    char number[32];
    snprintf(number, sizeof number, "%d", files->records);
    setenv("VGPU_STREAM_FD", number, 1);
    snprintf(number, sizeof number, "%d", files->provenance);
    set_or_clear("VGPU_PROVENANCE_FD", files->provenance < 0 ? NULL : number);
    snprintf(number, sizeof number, "%d", files->calls);
    set_or_clear("VGPU_CALLS_FD", files->calls < 0 ? NULL : number);
    snprintf(number, sizeof number, "%d", files->film);
    set_or_clear("VGPU_FILM_FD", files->film < 0 ? NULL : number);
    snprintf(number, sizeof number, "%d", files->shared);
    set_or_clear("VGPU_SHARED_FD", files->shared < 0 ? NULL : number);
    set_or_clear("VGPU_FILM_LAUNCH", o->film_launch);
    set_or_clear("VGPU_FILM_BLOCKS", o->film_blocks);
    set_or_clear("VGPU_FILM_REGISTERS", o->film_registers ? "1" : NULL);
    set_or_clear("VGPU_CHECK", o->check);
    set_or_clear("VGPU_RAISE", o->raise);
    set_or_clear("VGPU_DEVICE", o->device);
    set_or_clear("VGPU_SEED", o->seed);
    set_or_clear("VGPU_FAIL_AT", o->fail_at);
    set_or_clear("VGPU_FAIL_QUESTIONS", o->fail_questions ? "1" : NULL);
    set_or_clear("VGPU_PART_LANES", o->part_lanes ? "1" : NULL);
    set_or_clear("VGPU_MAX_INSTRUCTIONS", o->max_instructions);
    set_or_clear("VGPU_MAX_SECONDS", o->max_seconds);
    set_or_clear("VGPU_JOBS", o->jobs);
    set_or_clear("VGPU_MEMORY", o->memory);
    set_or_clear("VGPU_TIMELINE", o->timeline || o->timeline_text || o->svg || o->profile ? "1" : NULL);
    set_or_clear("VGPU_LINES", o->profile ? "1" : NULL);
    if (o->devices)
        setenv("VGPU_DEVICES", o->devices, 1);
}

/* The program's environment; false for want of memory. door < 0: the devices are in the program's process. */
static bool set_environment(const ToolOptions *o, const Program *p, const char *folder, const ToolFiles *files, int door)
{
    const char *preloaded = getenv("LD_PRELOAD");
    char number[32];
    StrBuf preload = {0};
    snprintf(number, sizeof number, "%d", door);
    strbuf_printf(&preload, "%s%s/libcudart.so.13", VGPU_PRELOAD_FIRST, folder);
    if (!p->has_malloc && (!preloaded || *preloaded == 0)) { /* who preloads a library may have a malloc there */
        heap_check_preload(&preload);
        setenv(HEAP_CHECK_VARIABLE, HEAP_CHECK_ABORT, 0);
    }
    bool ok = !preload.failed && prepend("LD_PRELOAD", preload.text, ":") &&
              prepend("LD_LIBRARY_PATH", folder, ":");
    strbuf_free(&preload);
    if (door < 0)
        set_options(o, files);
    set_or_clear(REMOTE_ENVIRONMENT, door < 0 ? NULL : number);
    return ok;
}

/* ---- signals: what we are told to do, the program is told ---- */

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

static volatile sig_atomic_t the_child;

/* What does not end by SIGTERM, because it handles or blocks it, is ended all the same after a while. */
enum { PATIENCE_SECONDS = 5 };

static volatile sig_atomic_t is_ending;

static void hand_on(int signal)
{
    if (signal != SIGUSR1 && signal != SIGUSR2 && !(signal == SIGALRM && is_ending))
        remote_interrupt();
    if (the_child > 0)
        kill((pid_t)the_child, signal == SIGALRM && is_ending ? SIGKILL : signal);
    if (signal == SIGTERM && !is_ending) {
        is_ending = 1;
        alarm(PATIENCE_SECONDS);
    }
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
        struct sigaction now, action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
        if (sigaction(handed_on[i], NULL, &now) != 0 || now.sa_handler != SIG_IGN) /* nohup: the program ignores it, too */
            sigaction(handed_on[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* ---- running ---- */

static int open_records(const char *name, bool inherited)
{
    int fd = memfd_create(name, inherited ? 0 : MFD_CLOEXEC);
    if (fd < 0) {
        FILE *file = tmpfile();
        fd = file ? fcntl(fileno(file), inherited ? F_DUPFD : F_DUPFD_CLOEXEC, 0) : -1;
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND); /* several processes write */
    return fd;
}

/* Serves the devices in this process and children of it. stop: the end of the program is readable there; -1:
 * it is not ours. */
static Status serve_devices(const ToolOptions *o, const ToolFiles *files, int door, int stop, Diag *diag)
{
    RemoteOptions options = {.watched = o->serve >= 0};
    set_options(o, files);
    Status st = device_options_read(&options.device, diag);
    if (st == STATUS_OK && !remote_serve(door, stop, &options))
        st = diag_set(diag, STATUS_IO, "the process of the virtual GPU ended too early");
    return st;
}

/* The program's process; -1: none can be made. */
static pid_t start_program(const ToolOptions *o, const Program *p, const char *folder, const ToolFiles *files,
                           int door)
{
    sigset_t before;
    fflush(NULL);
    block_signals(&before);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = ENOMEM;
        if (set_environment(o, p, folder, files, door))
            execv(p->path, o->program);
        fprintf(stderr, "vgpu: %s: %s\n", p->path, strerror(errno));
        _exit(127);
    }
    hand_on_signals(child, &before);
    return child;
}

static void wait_program(pid_t child, Ending *out)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    the_child = 0;
    alarm(0);
    for (size_t i = 0; i < sizeof handed_on / sizeof handed_on[0]; i++) /* reporting may be ended */
        signal(handed_on[i], SIG_DFL);
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static Status no_process(Diag *diag)
{
    return diag_set(diag, STATUS_IO, "cannot start a process: %s", strerror(errno));
}

static Status run_isolated(const ToolOptions *o, const Program *p, const char *folder, const ToolFiles *files,
                           Ending *out, Diag *diag)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return diag_set(diag, STATUS_IO, "no socket for the virtual GPU: %s", strerror(errno));
    fcntl(pair[1], F_SETFD, 0);
    pid_t child = start_program(o, p, folder, files, pair[1]);
    close(pair[1]);
    if (child < 0)
        return no_process(diag);
    int ended = (int)syscall(SYS_pidfd_open, child, 0);
    Status st = serve_devices(o, files, pair[0], ended, diag);
    close(pair[0]);
    wait_program(child, out);
    if (ended >= 0)
        close(ended);
    return st;
}

Status spawn_program(const ToolOptions *o, const Program *p, Ending *out, ToolFiles *files, Diag *diag)
{
    char folder[4096];
    bool inside = !o->isolated && o->serve < 0;
    if (!library_folder(folder, sizeof folder))
        return diag_set(diag, STATUS_IO, "cannot tell where this program lies");
    *files = (ToolFiles){.records = open_records("vgpu-records", inside), .provenance = -1, .calls = -1, .film = -1, .shared = -1};
    if (o->provenance)
        files->provenance = provenance_is_written(o) ? open_records("vgpu-provenance", inside)
                                                     : open("/dev/null", O_WRONLY | (inside ? 0 : O_CLOEXEC));
    if (o->calls)
        files->calls = open_records("vgpu-calls", inside);
    if (o->film)
        files->film = open_records("vgpu-film", inside);
    if (o->serve < 0 && !o->provenance)
        files->shared = device_shared_file(inside);
    if (files->records < 0 || (o->provenance && files->provenance < 0) || (o->calls && files->calls < 0) ||
        (o->film && files->film < 0))
        return diag_set(diag, STATUS_IO, "cannot make a file for records: %s", strerror(errno));
    if (o->serve >= 0)
        return serve_devices(o, files, (int)o->serve, -1, diag);
    if (o->isolated)
        return run_isolated(o, p, folder, files, out, diag);
    pid_t child = start_program(o, p, folder, files, -1);
    if (child < 0)
        return no_process(diag);
    wait_program(child, out);
    return STATUS_OK;
}
