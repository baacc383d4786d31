/* Status and Diag: how a library function says what went wrong.
 *
 * Library code never prints and never exits. It returns a Status and, where the caller gave one,
 * fills a Diag; only main.c files turn a Diag into text and an exit code (diag_print does the text).
 */
#ifndef COMMON_BASE_STATUS_H
#define COMMON_BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Status {
    STATUS_OK = 0,
    STATUS_NO_MEMORY,   /* the machine: allocation failed */
    STATUS_IO,          /* the machine: a system call failed */
    STATUS_PARSE,       /* the input is not what its format says */
    STATUS_INVALID,     /* an argument or a value is out of its range */
    STATUS_UNSUPPORTED, /* legal, and not built here; the message names it */
    STATUS_LIMIT,       /* a named limit was hit */
    STATUS_NOT_FOUND,
} Status;

enum { DIAG_FILE_MAX = 512, DIAG_TEXT_MAX = 1024, DIAG_HINT_MAX = 512 };

typedef struct Diag {
    Status code;
    char file[DIAG_FILE_MAX]; /* "" when the error is not in a file */
    int line, column;         /* 1-based; 0 when unknown */
    char message[DIAG_TEXT_MAX];
    char hint[DIAG_HINT_MAX]; /* "" when there is none */
} Diag;

/* Fills *d (which may be NULL) and returns code, so that a caller writes `return diag_set(d, ...)`. */
Status diag_set(Diag *d, Status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with a place in a file. */
Status diag_set_at(Diag *d, Status code, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Adds a hint to a filled Diag; d may be NULL. */
void diag_hint(Diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Name of a status: "no memory", "parse error"... */
const char *status_name(Status s);

/* Writes "file:line:column: message", the source line with a caret when `source` (the file's text, may
 * be NULL) is given, and the hint, as text that ends in a newline, into buf of `size` bytes. */
void diag_format(const Diag *d, const char *source, char *buf, size_t size);

#endif
