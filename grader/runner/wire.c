/* Lines and bytes over a socket; see wire.h. */
#include "grader/runner/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *const end_words[WIRE_N_ENDS] = {
    [WIRE_END_NONE] = "none",     [WIRE_END_WALL] = "wall",           [WIRE_END_CPU] = "cpu",
    [WIRE_END_MEMORY] = "memory", [WIRE_END_PROCESSES] = "processes", [WIRE_END_OUTPUT] = "output",
    [WIRE_END_EXEC] = "exec",     [WIRE_END_REFUSED] = "refused",
};

const char *wire_end_word(WireEnd end)
{
    return end_words[end];
}

WireEnd wire_end_of(const char *word)
{
    int i = 0;
    while (i < WIRE_N_ENDS && strcmp(end_words[i], word) != 0)
        i++;
    return (WireEnd)i;
}

int64_t wire_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t wire_now_ms(void)
{
    return wire_now_us() / 1000;
}

/* Waits for fd to have something to read; false when the deadline passes first. */
static bool wait_readable(int fd, int64_t deadline_ms)
{
    for (;;) {
        int64_t left = deadline_ms ? deadline_ms - wire_now_ms() : -1;
        if (deadline_ms && left <= 0)
            return false;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, left > 1 << 30 ? 1 << 30 : (int)left);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* Takes a descriptor out of what came along. */
static void take_descriptor(Wire *w, struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        int fd;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof fd))
            continue;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        if (w->passed)
            close(w->passed - 1);
        w->passed = fd + 1;
    }
}

static ssize_t receive(Wire *w, void *bytes, size_t size)
{
    struct iovec iov = {.iov_base = bytes, .iov_len = size};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control};
    if (!w->takes)
        return read(w->fd, bytes, size);
    ssize_t n = recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC);
    if (n > 0)
        take_descriptor(w, &m);
    return n;
}

static bool wire_fill(Wire *w, int64_t deadline_ms)
{
    if (w->start == w->end)
        w->start = w->end = 0;
    if (w->start > 0) {
        memmove(w->buffer, w->buffer + w->start, w->end - w->start);
        w->end -= w->start;
        w->start = 0;
    }
    if (w->end == sizeof w->buffer || !wait_readable(w->fd, deadline_ms))
        return false;
    ssize_t n;
    do
        n = receive(w, w->buffer + w->end, sizeof w->buffer - w->end);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    w->end += (size_t)n;
    return true;
}

void wire_begin(Wire *w, int fd)
{
    w->fd = fd;
    w->takes = false;
    w->passed = 0;
    w->start = w->end = 0;
}

bool wire_has_line(const Wire *w)
{
    return w->end > w->start && memchr(w->buffer + w->start, '\n', w->end - w->start);
}

bool wire_read_line(Wire *w, char line[WIRE_LINE_MAX], int64_t deadline_ms)
{
    for (;;) {
        char *text = w->buffer + w->start;
        char *newline = w->end > w->start ? memchr(text, '\n', w->end - w->start) : NULL;
        size_t length = newline ? (size_t)(newline - text) : w->end - w->start;
        if (length >= WIRE_LINE_MAX)
            return false;
        if (newline) {
            memcpy(line, text, length);
            line[length] = '\0';
            w->start += length + 1;
            return true;
        }
        if (!wire_fill(w, deadline_ms))
            return false;
    }
}

bool wire_read_bytes(Wire *w, char *bytes, size_t length, int64_t deadline_ms)
{
    while (length) {
        if (w->start == w->end && !wire_fill(w, deadline_ms))
            return false;
        size_t n = w->end - w->start < length ? w->end - w->start : length;
        memcpy(bytes, w->buffer + w->start, n);
        w->start += n;
        bytes += n;
        length -= n;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t length)
{
    const char *p = bytes;
    while (length) {
        /* MSG_NOSIGNAL: a peer that died is an error here, not a SIGPIPE. */
        ssize_t n = send(fd, p, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        length -= (size_t)n;
    }
    return true;
}

void wire_out_init(WireOut *out, int fd)
{
    out->fd = fd;
    out->failed = false;
    out->length = 0;
}

bool wire_flush(WireOut *out)
{
    out->failed = out->failed || !write_all(out->fd, out->buffer, out->length);
    out->length = 0;
    return !out->failed;
}

void wire_put(WireOut *out, const void *bytes, size_t length)
{
    if (length > sizeof out->buffer - out->length)
        wire_flush(out);
    if (length > sizeof out->buffer) {
        out->failed = out->failed || !write_all(out->fd, bytes, length);
        return;
    }
    if (length)
        memcpy(out->buffer + out->length, bytes, length);
    out->length += length;
}

void wire_putf(WireOut *out, const char *format, ...)
{
    char text[WIRE_LINE_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        out->failed = true;
    else
        wire_put(out, text, (size_t)n);
}

bool wire_pass(int fd, const char *word, int number, int passed)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s %d\n", word, number);
    struct iovec iov = {.iov_base = line, .iov_len = (size_t)length};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof passed);
    memcpy(CMSG_DATA(c), &passed, sizeof passed);
    return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)iov.iov_len;
}
