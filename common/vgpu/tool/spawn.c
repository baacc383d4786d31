/* spawn: starts the program with our runtime in front, and waits for it. */
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static void set_environment(const ToolOptions *o, const char *folder, int fd)
{
    char number[32];
    StrBuf preload = {0};
    snprintf(number, sizeof number, "%d", fd);
    strbuf_printf(&preload, "%s%s/libcudart.so.13", VGPU_PRELOAD_FIRST, folder);
    prepend("LD_PRELOAD", preload.text, ":");
    prepend("LD_LIBRARY_PATH", folder, ":");
    strbuf_free(&preload);
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

static int open_records(void)
{
    int fd = memfd_create("vgpu-records", 0);
    if (fd < 0) {
        FILE *file = tmpfile();
        fd = file == NULL ? -1 : dup(fileno(file));
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND); /* forked children write too */
    return fd;
}

Status program_run(const ToolOptions *o, const Program *p, Ending *out, int *records_fd, Diag *diag)
{
    char folder[4096];
    if (!library_folder(folder, sizeof folder))
        return diag_set(diag, STATUS_IO, "cannot tell where this program lies");
    int fd = open_records();
    if (fd < 0)
        return diag_set(diag, STATUS_IO, "cannot make a file for records: %s", strerror(errno));
    sigset_t before;
    fflush(NULL);
    block_signals(&before);
    pid_t child = fork();
    if (child < 0)
        return diag_set(diag, STATUS_IO, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        set_environment(o, folder, fd);
        execv(p->path, o->program);
        fprintf(stderr, "vgpu: %s: %s\n", p->path, strerror(errno));
        _exit(127);
    }
    hand_on_signals(child, &before);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    the_child = 0;
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *records_fd = fd;
    return STATUS_OK;
}
