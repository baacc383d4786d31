/* One command from its start to the death of its last process; see runner.h. */
#include "grader/runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TICK_MS = 20,       /* how often processes are looked at, where the request does not say */
    THOROUGH_TICKS = 5, /* every so many ticks open files are looked at too */
    END_TRIES = 2000,   /* of ending all processes, a millisecond apart */
};

typedef struct Command {
    const RunnerState *state;
    const RunnerRequest *request;
    RunnerOutcome *outcome;
    pid_t pid;
    bool ended;
    int64_t started_us;
    int64_t beside_ns; /* what the other command of the meter had used at the last look */
    Watch *watch;
} Command;

static int64_t microseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

/* Starts the command; false, and the outcome says why, when that fails. */
static bool start_command(Command *c)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, error[2] = {-1, -1};
    if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(error, O_CLOEXEC)) {
        c->outcome->end = WIRE_END_EXEC;
        c->outcome->status = errno;
        return false;
    }
    c->started_us = wire_now_us();
    c->pid = fork();
    if (c->pid == 0)
        runner_become(c->state, c->request, out[1], err[1], error[1]);
    RunnerProblem problem = {.error = c->pid < 0 ? errno : 0};
    close(out[1]);
    close(err[1]);
    close(error[1]);
    if (c->pid > 0 && read(error[0], &problem, sizeof problem) <= 0)
        problem.error = 0; /* the pipe closed on exec: it runs */
    close(error[0]);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    c->outcome->out.fd = out[0];
    c->outcome->err.fd = err[0];
    c->ended = c->pid < 0;
    if (problem.error) {
        c->outcome->end = problem.refused ? WIRE_END_REFUSED : WIRE_END_EXEC;
        c->outcome->status = problem.error;
    }
    return !problem.error;
}

/* Takes what is there to read; past the limit it is dropped, and `cut` is set. */
static void take_output(RunnerOutput *o, size_t bytes_max)
{
    char chunk[16384];
    ssize_t n = 1;
    /* A bounded number of reads: a program that prints for ever must not keep the loop from its other duties.
     */
    for (int i = 0; i < 16 && n > 0 && o->fd >= 0; i++) {
        n = read(o->fd, chunk, sizeof chunk);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            close(o->fd);
            o->fd = -1;
            return;
        }
        size_t room = bytes_max - o->length, keep = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
        char *grown = keep ? realloc(o->bytes, o->length + keep) : NULL;
        if (grown) {
            memcpy(grown + o->length, chunk, keep);
            o->bytes = grown;
            o->length += keep;
        }
        o->cut = o->cut || (n > 0 && (size_t)n > keep);
    }
}

static void take_outputs(Command *c)
{
    size_t bytes_max = (size_t)c->request->limits.output_bytes;
    take_output(&c->outcome->out, bytes_max);
    take_output(&c->outcome->err, bytes_max);
}

/* Takes in whoever died; notes how the command's first process ended. */
static void reap(Command *c)
{
    int status;
    struct rusage usage;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
        int64_t cpu_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
        c->outcome->cpu_us += cpu_us;
        watch_reaped(c->watch, pid, cpu_us / 1000);
        if (usage.ru_maxrss > c->outcome->rss_kib)
            c->outcome->rss_kib = usage.ru_maxrss;
        if (pid != c->pid)
            continue;
        c->ended = true;
        if (c->outcome->end == WIRE_END_NONE) {
            c->outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
            c->outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        }
    }
}

/* The other command's slot of the meter. */
static MeterSlot *beside(const Command *c)
{
    Meter *m = c->request->meter;
    return m ? &m->slots[1 - c->request->slot] : NULL;
}

/* How long others had the processors that this command, or the one that works with it, could have used. */
static int64_t waited_ms(const Command *c)
{
    const MeterSlot *other = beside(c);
    return c->watch->waited_ns / 1000000 + (other ? atomic_load(&other->waited_ms) : 0);
}

static bool wall_is_passed(const Command *c)
{
    int64_t limit_ms = c->request->limits.wall_ms, ms = (wire_now_us() - c->started_us) / 1000;
    return ms >= (1 + WIRE_WAIT_FACTOR) * limit_ms || ms - waited_ms(c) >= limit_ms;
}

/* Looks at the processes, and tells the other command's runner. */
static WatchSum look(Command *c, bool thorough)
{
    const MeterSlot *other = beside(c);
    int64_t used_ns = other ? atomic_load(&other->used_ns) : 0;
    WatchSum sum = watch_look(c->state, c->watch, thorough, used_ns - c->beside_ns);
    c->beside_ns = used_ns;
    if (other) {
        MeterSlot *own = &c->request->meter->slots[c->request->slot];
        atomic_store(&own->memory_kib, sum.memory_kib);
        atomic_store(&own->waited_ms, c->watch->waited_ns / 1000000);
        atomic_store(&own->used_ns, c->watch->used_ns);
        sum.memory_kib += atomic_load(&other->memory_kib);
    }
    return sum;
}

/* The limit that is passed now, if any. */
static WireEnd limit_passed(Command *c, int tick)
{
    const WireLimits *l = &c->request->limits;
    WatchSum sum = look(c, tick % THOROUGH_TICKS == 0);
    if (wall_is_passed(c))
        return WIRE_END_WALL;
    if (!l->output_cut && (c->outcome->out.cut || c->outcome->err.cut))
        return WIRE_END_OUTPUT;
    if (sum.memory_kib > l->memory_kib)
        return WIRE_END_MEMORY;
    if (sum.processes > l->processes)
        return WIRE_END_PROCESSES;
    return sum.cpu_ms >= l->cpu_ms ? WIRE_END_CPU : WIRE_END_NONE;
}

/* Waits for output, a death or the next tick. */
static void wait_event(Command *c, int64_t next_tick_us)
{
    int64_t left_ms = (next_tick_us - wire_now_us() + 999) / 1000;
    struct pollfd fds[] = {
        {.fd = c->state->signals, .events = POLLIN},
        {.fd = c->outcome->out.fd, .events = POLLIN}, /* a negative descriptor is passed over */
        {.fd = c->outcome->err.fd, .events = POLLIN},
    };
    poll(fds, sizeof fds / sizeof *fds, left_ms < 0 ? 0 : (int)left_ms);
    struct signalfd_siginfo info;
    while (read(c->state->signals, &info, sizeof info) > 0)
        ; /* several deaths can share one signal: reap() asks for all */
}

static void wait_command(Command *c)
{
    int64_t tick_us = 1000 * (c->request->limits.tick_ms > 0 ? c->request->limits.tick_ms : TICK_MS);
    int64_t next_tick_us = c->started_us + tick_us;
    for (int tick = 1; !c->ended && c->outcome->end == WIRE_END_NONE;) {
        wait_event(c, next_tick_us);
        take_outputs(c);
        reap(c);
        if (c->ended || wire_now_us() < next_tick_us)
            continue;
        c->outcome->end = limit_passed(c, tick++);
        next_tick_us = wire_now_us() + tick_us;
    }
}

/* Kills all processes until none is left, and takes in what they printed. */
static void end_all(Command *c)
{
    for (int i = 0; i < END_TRIES; i++) {
        bool none_left = watch_kill_all(c->state);
        reap(c);
        if (none_left && waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            break;
        wait_event(c, wire_now_us() + 1000);
    }
    bool more = true;
    while (more) { /* what is still in the pipes; all writers are dead, so this ends */
        size_t before = c->outcome->out.length + c->outcome->err.length;
        take_outputs(c);
        more = c->outcome->out.length + c->outcome->err.length > before;
    }
    if (c->outcome->out.fd >= 0)
        close(c->outcome->out.fd);
    if (c->outcome->err.fd >= 0)
        close(c->outcome->err.fd);
}

void runner_run(const RunnerState *state, const RunnerRequest *request, RunnerOutcome *outcome)
{
    static Watch watch; /* large, and there is one command at a time */
    *outcome = (RunnerOutcome){.out.fd = -1, .err.fd = -1};
    Command c = {.state = state, .request = request, .outcome = outcome, .watch = &watch};
    watch_start(&watch);
    bool started = start_command(&c);
    if (request->pass >= 0)
        close(request->pass); /* its other end shall see when the last of the command's processes is gone */
    if (started)
        wait_command(&c);
    outcome->wall_us = wire_now_us() - c.started_us;
    outcome->waited_us = 1000 * waited_ms(&c);
    end_all(&c);
    watch_end(&watch);
    if (request->meter)
        atomic_store(&request->meter->slots[request->slot].memory_kib, 0);
    /* A program may print a flood and end before the next tick. */
    if (outcome->end == WIRE_END_NONE && !request->limits.output_cut &&
        (outcome->out.cut || outcome->err.cut))
        outcome->end = WIRE_END_OUTPUT;
}
