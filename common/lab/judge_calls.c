/* The record of calls, CASEDIR/calls: what the devices' server saw (common/vgpu/device/calls.c has the form).
 * The server is out of the program's reach; a line that is no line makes the record as a whole worthless.
 */
#include "common/lab/judge_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS_BYTES_MAX = 16 << 20 };

static const char head[] = "vgpu-calls 1";

/* "OP ERROR NUMBER TEXT", taken apart in place. */
static bool read_call(char *line, JudgeCall *call)
{
    char *end = NULL;
    call->op = strsep(&line, " ");
    call->error = line ? strsep(&line, " ") : NULL;
    char *number = line ? strsep(&line, " ") : NULL;
    if (!number || !*number || !line)
        return false;
    errno = 0;
    call->number = strtoull(number, &end, 10);
    call->text = line;
    return errno == 0 && *end == '\0';
}

/* Why the record is none; NULL when it is one. */
static const char *read_lines(JudgeCase *c, char *text)
{
    char *rest = text;
    size_t n_heads = 0, n = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n++;
    c->calls = arena_alloc(&c->arena, (n + 1) * sizeof *c->calls);
    if (!c->calls)
        return language_say(c->language, "there is no memory for the record of calls");
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        if (strcmp(line, head) == 0)
            n_heads++;
        else if (strcmp(line, "cut") == 0)
            return language_say(c->language, "it made more calls than are recorded");
        else if (n_heads == 0 || !read_call(line, &c->calls[c->n_calls++]))
            return language_say(c->language, "the record of its calls is damaged");
    }
    return n_heads > 1 ? language_say(c->language, "more than one process used the devices") : NULL;
}

Status judge_read_calls(JudgeCase *c, const char *folder, Diag *diag)
{
    const char *path = arena_printf(&c->arena, "%s/calls", folder);
    int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat info;
    if (fd < 0)
        return errno == ENOENT ? STATUS_OK
                               : diag_set(diag, STATUS_IO, "no record of calls: %s", strerror(errno));
    c->has_calls = true;
    bool plain = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= CALLS_BYTES_MAX;
    char *text = plain ? arena_alloc(&c->arena, (size_t)info.st_size + 1) : NULL;
    ssize_t got = 0;
    for (size_t n = 0;
         text && n < (size_t)info.st_size && (got = read(fd, text + n, (size_t)info.st_size - n)) > 0;)
        n += (size_t)got;
    close(fd);
    if (!text || got < 0)
        return diag_set(diag, STATUS_IO, "the record of calls cannot be read");
    c->calls_fault = read_lines(c, text);
    return STATUS_OK;
}

const JudgeCall *judge_calls(JudgeCase *c, size_t *n)
{
    *n = c->n_calls;
    c->needs_calls = true;
    return c->has_calls && !c->calls_fault ? c->calls : NULL;
}

const char *judge_note(const JudgeCall *call, const char *what)
{
    size_t length = strlen(what);
    if (strcmp(call->op, "NOTE") != 0 || strncmp(call->text, what, length) != 0)
        return NULL;
    return call->text[length] == ' ' ? call->text + length + 1 : call->text[length] == '\0' ? "" : NULL;
}

static size_t count_launches(const JudgeCall *calls, size_t n)
{
    size_t launches = 0;
    for (size_t i = 0; calls && i < n; i++)
        launches += strcmp(calls[i].op, "LAUNCH") == 0;
    return launches;
}

void judge_expect_launches(JudgeCase *c)
{
    size_t n = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    if (calls && count_launches(calls, n) == 0)
        judge_refuse(c, "No kernel was launched, and the work is to be done by one.");
}

void judge_expect_launches_at_most(JudgeCase *c, size_t n)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    if (calls && count_launches(calls, n_calls) > n)
        judge_refuse(c, "More kernels were launched than functions were called, and each call launches one.");
}

void judge_expect_threads(JudgeCase *c, size_t n)
{
    size_t n_calls = 0;
    uint64_t most = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        uint64_t threads = strcmp(calls[i].op, "LAUNCH") == 0 ? calls[i].number * strtoull(calls[i].text, NULL, 10) : 0;
        most = threads > most ? threads : most;
    }
    if (most > 0 && most < n) /* without any it is no work of the GPU's */
        judge_refuse(c, "No launch had as many threads as there are elements, and each element is to have a thread of its own.");
}

/* Whether more were made than destroyed. */
static bool stays(const JudgeCall *calls, size_t n, const char *create, const char *destroy)
{
    long long left = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(calls[i].error, "OK") == 0)
            left += (strcmp(calls[i].op, create) == 0) - (strcmp(calls[i].op, destroy) == 0);
    return left > 0;
}

void judge_expect_destroyed(JudgeCase *c)
{
    size_t n = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    if (calls && stays(calls, n, "STREAM_CREATE", "STREAM_DESTROY"))
        judge_refuse(c, "A stream was made and never destroyed (cudaStreamDestroy).");
    if (calls && stays(calls, n, "EVENT_CREATE", "EVENT_DESTROY"))
        judge_refuse(c, "An event was made and never destroyed (cudaEventDestroy).");
}

/* A launch that the devices took. */
static bool is_launch(const JudgeCall *call)
{
    return strcmp(call->op, "LAUNCH") == 0 && strcmp(call->error, "OK") == 0;
}

void judge_expect_nothing(JudgeCase *c)
{
    size_t n = 0;
    bool nothing = false;
    const JudgeCall *calls = judge_calls(c, &n);
    for (size_t i = 0; calls && i < n; i++) {
        nothing = judge_note(&calls[i], "nothing") || (nothing && !judge_note(&calls[i], "something"));
        if (nothing && is_launch(&calls[i]))
            judge_refuse(c, "A kernel was launched, and there is nothing to do: return before the launch.");
    }
}

void judge_refuse(JudgeCase *c, const char *why)
{
    for (size_t i = 0; i < c->n_refusals; i++)
        if (strcmp(c->refusals[i], why) == 0)
            return;
    if (c->n_refusals < JUDGE_REFUSALS_MAX)
        c->refusals[c->n_refusals++] = why;
}
