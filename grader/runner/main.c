/* grade-runner: the first process of a sandbox; see runner.h for how it works and wire.h for what it is told.
 *
 * It is started by the grader with a socket as descriptor 3, and system-call filters (struct sock_filter,
 * possibly none) to read from descriptor 4. `--weak`: there is no sandbox around it.
 */
#include "grader/runner/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { FILTER_INSTRUCTIONS_MAX = 8192, EXIT_KIT_FAULT = 2 };

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "grade-runner: %s\n", why);
    exit(EXIT_KIT_FAULT);
}

static void read_all(void *to, size_t bytes)
{
    size_t done = 0;
    for (ssize_t n; done < bytes && (n = read(RUNNER_FILTER_FD, (char *)to + done, bytes - done)) > 0;)
        done += (size_t)n;
    if (done != bytes)
        die("bad filters");
}

/* How many instructions each filter has, then the instructions of all. */
static void read_filters(RunnerState *state)
{
    static struct sock_filter instructions[FILTER_INSTRUCTIONS_MAX];
    uint32_t lengths[WIRE_FILTERS];
    size_t n = 0;
    read_all(lengths, sizeof lengths);
    for (int i = 0; i < WIRE_FILTERS; i++) {
        if (lengths[i] > FILTER_INSTRUCTIONS_MAX - n)
            die("bad filters");
        read_all(instructions + n, lengths[i] * sizeof *instructions);
        state->filters[i] =
            (struct sock_fprog){.len = (unsigned short)lengths[i], .filter = instructions + n};
        n += lengths[i];
    }
    close(RUNNER_FILTER_FD);
}

static void choose_filter(RunnerRequest *r, const char *text)
{
    r->filter = atoi(text);
    if (r->filter < 0 || r->filter >= WIRE_FILTERS)
        die("unknown filter");
}

/* Deaths come as readable bytes, so that one poll waits for all there is. */
static int open_signals(void)
{
    sigset_t deaths;
    sigemptyset(&deaths);
    sigaddset(&deaths, SIGCHLD);
    sigprocmask(SIG_BLOCK, &deaths, NULL);
    return signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void append(char **list, const char *text)
{
    size_t n = 0;
    while (list[n])
        n++;
    if (n == WIRE_ARGS_MAX || !(list[n] = strdup(text)))
        die("a request is too long");
}

static void set_limit(WireLimits *l, const char *text)
{
    char name[32];
    long long value;
    if (sscanf(text, "%31s %lld", name, &value) != 2)
        die("bad limit");
#define X(field, ...)                                                                                        \
    if (strcmp(name, #field) == 0) {                                                                         \
        l->field = value;                                                                                    \
        return;                                                                                              \
    }
#include "grader/runner/limits.def"
#undef X
    die("unknown limit");
}

static void take_meter(Wire *w, RunnerRequest *r, const char *slot)
{
    r->meter = meter_map(w->passed - 1);
    r->slot = atoi(slot);
    close(w->passed - 1);
    w->passed = 0;
    if (!r->meter || r->slot < 0 || r->slot >= METER_SLOTS)
        die("bad meter");
}

static void empty_folder(WireOut *out, const char *path)
{
    wire_putf(out, "%s %s\n", runner_empty(path) ? "empty" : "left", path);
}

/* The next line; before it is waited for, what has gathered is sent. */
static bool next_line(Wire *w, WireOut *out, char line[WIRE_LINE_MAX])
{
    if (out->length && !wire_has_line(w))
        wire_flush(out);
    return wire_read_line(w, line, 0);
}

/* Reads a request; false at the end of file. */
static bool read_request(Wire *w, WireOut *out, RunnerRequest *r)
{
    char line[WIRE_LINE_MAX];
    while (next_line(w, out, line)) {
        char *text = strchr(line, ' ');
        if (text)
            *text++ = '\0';
        if (strcmp(line, "go") == 0)
            return r->args[0] && r->dir;
        if (!text)
            die("bad request");
        if (strcmp(line, "dir") == 0)
            r->dir = strdup(text);
        else if (strcmp(line, "arg") == 0)
            append(r->args, text);
        else if (strcmp(line, "env") == 0)
            append(r->env, text);
        else if (strcmp(line, "collect") == 0)
            append(r->collect, text);
        else if (strcmp(line, "limit") == 0)
            set_limit(&r->limits, text);
        else if (strcmp(line, "filter") == 0)
            choose_filter(r, text);
        else if (strcmp(line, "pass") == 0 && w->passed) {
            r->pass = w->passed - 1;
            w->passed = 0;
        } else if (strcmp(line, "meter") == 0 && w->passed) {
            take_meter(w, r, text);
        } else if (strcmp(line, "empty") == 0)
            empty_folder(out, text);
        else
            die("unknown request");
    }
    return false;
}

static void send_output(WireOut *out, const char *name, const RunnerOutput *o)
{
    wire_putf(out, "%s %zu %d\n", name, o->length, o->cut);
    wire_put(out, o->bytes, o->length);
}

static bool send_outcome(WireOut *out, const RunnerRequest *request, const RunnerOutcome *o)
{
    wire_putf(out, "exit %d %d %s %lld %lld %lld %lld\n", o->status, o->signal, wire_end_word(o->end),
              (long long)o->wall_us, (long long)o->cpu_us, (long long)o->rss_kib, (long long)o->waited_us);
    send_output(out, "stdout", &o->out);
    send_output(out, "stderr", &o->err);
    runner_collect(out, request);
    wire_putf(out, "end\n");
    return wire_flush(out);
}

static void free_list(char **list)
{
    for (; *list; list++)
        free(*list);
}

static void serve_requests_of_grade(const RunnerState *state)
{
    static Wire wire = {.fd = RUNNER_SOCKET_FD, .takes = true};
    static WireOut out = {.fd = RUNNER_SOCKET_FD};
    bool more = true;
    while (more) {
        static RunnerRequest request;
        request = (RunnerRequest){.pass = -1};
        if (!read_request(&wire, &out, &request))
            return;
        RunnerOutcome outcome;
        runner_run(state, &request, &outcome);
        more = send_outcome(&out, &request, &outcome);
        free(outcome.out.bytes);
        free(outcome.err.bytes);
        meter_unmap(request.meter);
        free(request.dir);
        free_list(request.args);
        free_list(request.env);
        free_list(request.collect);
    }
}

int main(int argc, char **argv)
{
    RunnerState state = {.weak = argc > 1 && strcmp(argv[1], "--weak") == 0};
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* nobody inside may trace it or read its memory */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!state.weak && getpid() != 1)
        die("it must be the first process of its sandbox; use the grade command");
    signal(SIGPIPE, SIG_IGN);
    read_filters(&state);
    state.signals = open_signals();
    if (state.signals < 0)
        die("no signalfd");
    serve_requests_of_grade(&state);
    return 0;
}
