/* vprintf: a format string and a buffer of arguments, both in the device's memory.
 *
 * Arguments lie in the buffer with natural alignment: 4 bytes for int and what is promoted to it, 8 for long,
 * pointers and double. %s takes a device pointer. Whatever cannot be read prints as "(null)", and nothing is
 * longer than a limit.
 */
#include "common/vgpu/exec/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_MAX = 4096, OUTPUT_MAX = 32 * 1024, STRING_MAX = 4096, NUMBER_MAX = 1024, SPEC_MAX = 64 };

typedef struct Printer {
    ExecWarp *w;
    int lane;
    uint64_t args; /* device address of the buffer */
    uint64_t used; /* bytes of it */
    int n_args;
    size_t length;
    char out[OUTPUT_MAX];
} Printer;

static void printer_put_text(Printer *p, const char *text, size_t n)
{
    size_t room = sizeof p->out - p->length;
    n = n < room ? n : room;
    memcpy(p->out + p->length, text, n);
    p->length += n;
}

static uint64_t next_arg(Printer *p, uint64_t bytes)
{
    uint64_t value = 0;
    p->used = (p->used + bytes - 1) / bytes * bytes;
    exec_peek(p->w, p->lane, p->args + p->used, &value, bytes);
    p->used += bytes;
    p->n_args++;
    return value;
}

/* A conversion: %[flags][width][.precision][length]letter */
typedef struct Spec {
    char flags[8];
    int width, precision; /* -1: none */
    bool is_long;
    char letter;
} Spec;

static int read_format_number(Printer *p, const char **at)
{
    int n = 0;
    if (**at == '*') {
        ++*at;
        n = (int)(int32_t)next_arg(p, 4);
        return n < -NUMBER_MAX ? -NUMBER_MAX : n > NUMBER_MAX ? NUMBER_MAX : n;
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n < NUMBER_MAX ? n * 10 + (**at - '0') : NUMBER_MAX;
    return n < NUMBER_MAX ? n : NUMBER_MAX;
}

/* Reads what follows a '%'; returns where it ends. */
static const char *read_spec(Printer *p, const char *at, Spec *spec)
{
    size_t n_flags = 0;
    *spec = (Spec){.width = -1, .precision = -1};
    for (; *at && strchr("-+ #0", *at); at++)
        if (n_flags < sizeof spec->flags - 2 && !strchr(spec->flags, *at))
            spec->flags[n_flags++] = *at;
    if (*at == '*' || (*at >= '1' && *at <= '9'))
        spec->width = read_format_number(p, &at);
    if (spec->width < -1) { /* a negative width from an argument */
        spec->width = -spec->width;
        if (!strchr(spec->flags, '-'))
            spec->flags[n_flags] = '-';
    }
    if (*at == '.') {
        at++;
        spec->precision = read_format_number(p, &at);
    }
    for (; *at && strchr("hljztLq", *at); at++)
        spec->is_long |= *at != 'h' && *at != 'L';
    spec->letter = *at;
    return *at ? at + 1 : at;
}

/* The same conversion for the host's printf, with the length that our value has. */
static void host_spec(const Spec *spec, const char *length, char letter, char text[SPEC_MAX])
{
    int n = snprintf(text, SPEC_MAX, "%%%s", spec->flags);
    if (spec->width >= 0)
        n += snprintf(text + n, SPEC_MAX - (size_t)n, "%d", spec->width);
    if (spec->precision >= 0)
        n += snprintf(text + n, SPEC_MAX - (size_t)n, ".%d", spec->precision);
    snprintf(text + n, SPEC_MAX - (size_t)n, "%s%c", length, letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_integer(Printer *p, const Spec *spec)
{
    char text[2 * NUMBER_MAX + 64], format[SPEC_MAX];
    uint64_t value = next_arg(p, spec->is_long ? 8 : 4);
    if (!spec->is_long && (spec->letter == 'd' || spec->letter == 'i'))
        value = (uint64_t)(int64_t)(int32_t)value;
    host_spec(spec, "ll", spec->letter, format);
    int n = snprintf(text, sizeof text, format, (long long)value);
    printer_put_text(p, text, n > 0 ? (size_t)n : 0);
}

static void put_float(Printer *p, const Spec *spec)
{
    char text[2 * NUMBER_MAX + 512], format[SPEC_MAX];
    uint64_t bits = next_arg(p, 8);
    double value;
    memcpy(&value, &bits, 8);
    host_spec(spec, "", spec->letter, format);
    int n = snprintf(text, sizeof text, format, value);
    printer_put_text(p, text, n > 0 ? (size_t)n : 0);
}

static void put_pointer(Printer *p, const Spec *spec)
{
    char text[2 * NUMBER_MAX + 64], format[SPEC_MAX];
    host_spec(spec, "", 'p', format);
    int n = snprintf(text, sizeof text, format, (void *)(uintptr_t)next_arg(p, 8));
    printer_put_text(p, text, n > 0 ? (size_t)n : 0);
}

static void put_char(Printer *p, const Spec *spec)
{
    char text[NUMBER_MAX + 64], format[SPEC_MAX];
    host_spec(spec, "", 'c', format);
    int n = snprintf(text, sizeof text, format, (int)(uint8_t)next_arg(p, 4));
    printer_put_text(p, text, n > 0 ? (size_t)n : 0);
}

static void put_string(Printer *p, const Spec *spec)
{
    char string[STRING_MAX + 1], text[STRING_MAX + NUMBER_MAX + 64], format[SPEC_MAX];
    uint64_t addr = next_arg(p, 8);
    size_t got = addr ? exec_peek(p->w, p->lane, addr, string, STRING_MAX) : 0;
    string[got] = '\0';
    host_spec(spec, "", 's', format);
    int n = snprintf(text, sizeof text, format, got ? string : "(null)");
    printer_put_text(p, text, n > 0 ? (size_t)n : 0);
}
#pragma GCC diagnostic pop

static void put_conversion(Printer *p, const Spec *spec, const char *text, size_t length)
{
    switch (spec->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_integer(p, spec);
        break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_float(p, spec);
        break;
    case 'c':
        put_char(p, spec);
        break;
    case 's':
        put_string(p, spec);
        break;
    case 'p':
        put_pointer(p, spec);
        break;
    case '%':
        printer_put_text(p, "%", 1);
        break;
    case 'n': /* not allowed on the device: its argument is passed over */
        next_arg(p, 8);
        break;
    default:
        printer_put_text(p, text, length);
    }
}

static void print_format(Printer *p, const char *format)
{
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        printer_put_text(p, at, plain);
        at += plain;
        if (!*at)
            break;
        Spec spec;
        const char *end = read_spec(p, at + 1, &spec);
        put_conversion(p, &spec, at, (size_t)(end - at));
        at = end;
    }
}

void exec_vprintf(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecHost *host = w->block->run->launch->host;
    if (!exec_turn(w))
        return;
    Printer *p = malloc(sizeof *p);
    if (!p) {
        exec_fail(w->block->run, EXEC_NO_MEMORY, "no memory for printf");
        warp_stop(w, ACTION_STOP);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        char format[FORMAT_MAX + 1];
        uint64_t addr = builtin_arg(w, inst->call, 0, lane);
        size_t got = addr ? exec_peek(w, lane, addr, format, FORMAT_MAX) : 0;
        format[got] = '\0';
        p->w = w, p->lane = lane, p->n_args = 0;
        p->args = builtin_arg(w, inst->call, 1, lane);
        p->used = p->length = 0;
        print_format(p, format);
        if (host && host->print && p->length)
            host->print(host->self, p->out, p->length);
        builtin_result(w, inst->call, lane, got ? (uint64_t)p->n_args : (uint64_t)-1);
    }
    free(p);
}
