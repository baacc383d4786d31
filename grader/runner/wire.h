/* wire: what the grader and its runner say to each other over a socket.
 *
 * Outside stands the grader, which knows cases and verdicts. Inside the sandbox stands grade-runner, its
 * first process, which knows only this: run one command under limits, end all that is left of it, tell how it
 * ended, hand over files.
 *
 *     grader -> runner, lines                    runner -> grader, lines, some followed by bytes
 *         dir PATH                                   exit STATUS SIGNAL LIMIT WALL_US CPU_US RSS_KIB WAITED_US
 *         arg TEXT        (one each)                 stdout BYTES CUT     and that many bytes
 *         env NAME=VALUE  (one each)                 stderr BYTES CUT     and that many bytes
 *         limit NAME N    (rows of limits.def)       file PATH BYTES      and that many bytes
 *         filter N        (0 where none is named)    skipped PATH WHY
 *         pass 3          (with a descriptor)        end
 *         meter SLOT      (with a descriptor)
 *         collect PATH    (file or folder)
 *         go
 *         empty PATH                                 empty PATH, or left PATH
 *
 * A request ends with `go`, an answer with `end`; then the next request may come, and end of file ends the
 * runner. `empty` stands between requests and is answered at once: it removes all in a folder, and answers
 * `left` when it could not. No text may hold a newline: the grader has made all of them. This module uses
 * nothing but libc, as it is linked into the static runner too.
 */
#ifndef GRADER_RUNNER_WIRE_H
#define GRADER_RUNNER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_LINE_MAX = 8192,
    WIRE_ARGS_MAX = 128, /* of a command, its environment, and what is collected, each */
    WIRE_FILTERS = 4,    /* system-call filters to choose from (SandboxFilter) */
    WIRE_WAIT_FACTOR = 3 /* at most so many times its wall limit may a command wait for a processor */
};

/* The runner's ends of what it inherits. */
enum { RUNNER_SOCKET_FD = 3, RUNNER_FILTER_FD = 4 };

/* Rows of limits.def. */
typedef struct WireLimits {
#define X(name, ...) int64_t name;
#include "grader/runner/limits.def"
#undef X
} WireLimits;

/* Why the runner ended a command; the words on the wire are these names in small letters. */
typedef enum WireEnd {
    WIRE_END_NONE,      /* it ended by itself */
    WIRE_END_WALL,      /* wall time */
    WIRE_END_CPU,       /* processor time */
    WIRE_END_MEMORY,    /* memory of all processes, and of files in memory */
    WIRE_END_PROCESSES, /* processes and threads */
    WIRE_END_OUTPUT,    /* printed too much */
    WIRE_END_EXEC,      /* it could not be started: STATUS is errno */
    WIRE_END_REFUSED,   /* the kernel refused the file itself, for what is in it: STATUS is errno */
    WIRE_N_ENDS
} WireEnd;

const char *wire_end_word(WireEnd end);
/* The end of a word; WIRE_N_ENDS when there is none. */
WireEnd wire_end_of(const char *word);

/* A buffered reader of lines and bytes from fd. */
typedef struct Wire {
    int fd;
    bool takes; /* descriptors, if some come along */
    int passed; /* the newest of them + 1; 0: none */
    size_t start, end;
    char buffer[1 << 16];
} Wire;

/* An empty one; the buffer, which is large, is not cleared. */
void wire_begin(Wire *w, int fd);
/* Whether the next line is here already. */
bool wire_has_line(const Wire *w);
/* The next line without its newline, at most WIRE_LINE_MAX - 1 bytes; false at the end, on errors, and past
 * deadline_ms of the monotonic clock (0 = none). */
bool wire_read_line(Wire *w, char line[WIRE_LINE_MAX], int64_t deadline_ms);
/* Exactly `length` bytes. */
bool wire_read_bytes(Wire *w, char *bytes, size_t length, int64_t deadline_ms);

/* What is to be sent, gathered: each message by itself would wake its reader. Errors stick. */
typedef struct WireOut {
    int fd;
    bool failed;
    size_t length;
    char buffer[1 << 14];
} WireOut;

void wire_out_init(WireOut *out, int fd);
void wire_put(WireOut *out, const void *bytes, size_t length);
/* A formatted text, which must be shorter than WIRE_LINE_MAX. */
void wire_putf(WireOut *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends all; false after any error. */
bool wire_flush(WireOut *out);

/* The line `WORD NUMBER` and a descriptor: `pass 3`, the command's descriptor 3; `meter SLOT`, what it shares
 * with another (meter.h). */
bool wire_pass(int fd, const char *word, int number, int passed);

/* Milliseconds and microseconds of the monotonic clock. */
int64_t wire_now_ms(void);
int64_t wire_now_us(void);

#endif
