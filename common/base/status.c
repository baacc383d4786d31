/* Status and Diag; see status.h. */
#include "common/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void place(Diag *d, Status code, const char *file, int line, int column)
{
    d->code = code;
    d->line = line;
    d->column = column;
    d->hint[0] = '\0';
    snprintf(d->file, sizeof d->file, "%s", file ? file : "");
}

Status diag_set(Diag *d, Status code, const char *format, ...)
{
    if (!d)
        return code;
    va_list args;
    va_start(args, format);
    place(d, code, "", 0, 0);
    vsnprintf(d->message, sizeof d->message, format, args);
    va_end(args);
    return code;
}

Status diag_set_at(Diag *d, Status code, const char *file, int line, int column, const char *format, ...)
{
    if (!d)
        return code;
    va_list args;
    va_start(args, format);
    place(d, code, file, line, column);
    vsnprintf(d->message, sizeof d->message, format, args);
    va_end(args);
    return code;
}

void diag_hint(Diag *d, const char *format, ...)
{
    if (!d)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(d->hint, sizeof d->hint, format, args);
    va_end(args);
}

const char *status_name(Status s)
{
    static const char *const names[] = {
        [STATUS_OK] = "ok",           [STATUS_NO_MEMORY] = "no memory",
        [STATUS_IO] = "system error", [STATUS_PARSE] = "parse error",
        [STATUS_INVALID] = "invalid", [STATUS_UNSUPPORTED] = "not supported",
        [STATUS_LIMIT] = "limit hit", [STATUS_NOT_FOUND] = "not found",
    };
    return names[s];
}

/* The start of line `line` (1-based) in text, and its length without the newline; NULL past the end. */
static const char *line_of(const char *text, int line, size_t *length)
{
    for (int i = 1; i < line; i++) {
        text = strchr(text, '\n');
        if (!text)
            return NULL;
        text++;
    }
    *length = strcspn(text, "\n");
    return text;
}

void diag_format(const Diag *d, const char *source, char *buf, size_t size)
{
    size_t n = 0;
#define APPEND(...) (n += n < size ? (size_t)snprintf(buf + n, size - n, __VA_ARGS__) : 0)
    if (d->file[0] && d->line > 0 && d->column > 0)
        APPEND("%s:%d:%d: ", d->file, d->line, d->column);
    else if (d->file[0] && d->line > 0)
        APPEND("%s:%d: ", d->file, d->line);
    else if (d->file[0])
        APPEND("%s: ", d->file);
    APPEND("%s\n", d->message);
    size_t length = 0;
    const char *text = source && d->line > 0 ? line_of(source, d->line, &length) : NULL;
    if (text) {
        APPEND("    %.*s\n", (int)length, text);
        if (d->column > 0)
            APPEND("    %*s^\n", d->column - 1, "");
    }
    if (d->hint[0])
        APPEND("  hint: %s\n", d->hint);
#undef APPEND
}
