/* print: what a person reads when the program has ended: findings, calls that failed, one line that sums up.
 */
#include "common/vgpu/tool/tool.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { ERRORS_SHOWN = 5 };

static void put_errors(const Records *r, StrBuf *out)
{
    for (size_t i = 0; i < r->n_errors && i < ERRORS_SHOWN; i++) {
        const CallError *e = &r->errors[i];
        FindingSite site = e->site;
        bool known = places_find(r->places, &site);
        if (known)
            strbuf_printf(out, "%s:%u: ", site.file, site.line);
        bool by_brackets = strncmp(e->call, "__cudaLaunchKernel", strlen("__cudaLaunchKernel")) == 0;
        const char *why = strstr(e->call, ": "); /* behind the name */
        size_t name = why ? (size_t)(why - e->call) : strlen(e->call);
        strbuf_printf(out, "%.*s returned %s (%d)%s%s\n", by_brackets ? (int)strlen("the launch") : (int)name,
                      by_brackets ? "the launch" : e->call, e->error, (int)e->code, why ? why : "",
                      e->sticky ? ": every later call does too" : "");
        if (e->sticky)
            return;
    }
    if (r->n_errors > ERRORS_SHOWN)
        strbuf_printf(out, "and %zu more calls returned an error\n", r->n_errors - ERRORS_SHOWN);
}

/* After an error that stays nothing runs, and frees fail. */
static void put_unchecked(const Records *r, StrBuf *out)
{
    bool stays = false;
    for (size_t i = 0; i < r->n_errors; i++)
        stays |= r->errors[i].sticky;
    if (stays)
        strbuf_puts(out, "vgpu: kernels after that error did not run, and leaks were not looked for\n");
}

/* "2 findings (race, leak)": each kind once, in order of the first of it. */
static void put_kinds(const Records *r, bool advice, StrBuf *out)
{
    const char *separator = " (";
    for (size_t i = 0; i < r->n_findings; i++) {
        const Finding *f = &r->findings[i];
        bool seen = f->advice != advice;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(r->findings[k].kind, f->kind) == 0 && r->findings[k].advice == advice;
        if (seen)
            continue;
        strbuf_printf(out, "%s%s", separator, f->kind);
        separator = ", ";
    }
    if (separator[0] == ',')
        strbuf_puts(out, ")");
}

static void put_summary(const Records *r, const Ending *e, int status, StrBuf *out)
{
    size_t n = records_n_faults(r), advice = r->n_findings - n;
    if (n == 0)
        strbuf_puts(out, "vgpu: no findings");
    else
        strbuf_printf(out, "vgpu: %zu finding%s", n, n == 1 ? "" : "s");
    put_kinds(r, false, out);
    if (advice > 0) {
        strbuf_printf(out, ", %zu piece%s of advice", advice, advice == 1 ? "" : "s");
        put_kinds(r, true, out);
    }
    if (e->signal != 0)
        strbuf_printf(out, "; the program ended by signal %d (%s)", e->signal, strsignal(e->signal));
    strbuf_printf(out, "; exit status %d\n", status);
}

/* Lines that cannot be named, and how to get them. */
static void put_missing_lines(const Records *r, const Program *p, StrBuf *out)
{
    bool kernel_lines = true;
    for (size_t i = 0; i < r->n_launches; i++)
        kernel_lines = kernel_lines && json_is_true(json_object_get(r->launches[i], "has_lines"));
    if (!kernel_lines && r->n_findings > 0)
        strbuf_puts(out,
                    "vgpu: kernels were compiled without line numbers: add -lineinfo to nvcc's options\n");
    if (!p->has_debug && (r->n_findings > 0 || r->n_errors > 0))
        strbuf_puts(out, "vgpu: host code was compiled without line numbers: add -g to nvcc's options\n");
}

/* Whether a path may begin here: not in the middle of another one. A colour may stand before it. */
static bool begins_word(const char *text, const char *at)
{
    if (at == text || (at - text >= 4 && strncmp(at - 4, "\033[1m", 4) == 0))
        return true;
    return !isalnum((unsigned char)at[-1]) && !strchr("/._-", at[-1]);
}

/* How long the folder's name `here` is where it stands in `from`, with "./" between its parts and after it,
 * as a compiler writes the path of "./file"; 0 when it does not stand there. */
static size_t length_of_folder(const char *from, const char *here)
{
    const char *at = from;
    for (; *here; here++) {
        if (*at++ != *here)
            return 0;
        while (*here == '/' && at[0] == '.' && at[1] == '/')
            at += 2;
    }
    return (size_t)(at - from);
}

/* Files below the current folder are named as from there: that is how they were named to the compiler, and
 * how they are opened. */
static void name_from_here(StrBuf *out)
{
    char here[PATH_MAX];
    if (!out->length || !getcwd(here, sizeof here - 1) || strcmp(here, "/") == 0)
        return;
    strcat(here, "/");
    char *to = out->text;
    for (const char *from = out->text; *from; from++) {
        size_t n = begins_word(out->text, from) ? length_of_folder(from, here) : 0;
        if (n > 0)
            from += n - 1;
        else
            *to++ = *from;
    }
    *to = '\0';
    out->length = (size_t)(to - out->text);
}

/* A limit that nobody chose. */
static void put_limit(const Records *r, const ToolOptions *o, StrBuf *out)
{
    bool timed_out = false;
    for (size_t i = 0; i < r->n_findings; i++)
        timed_out |= strcmp(r->findings[i].kind, "timeout") == 0;
    if (timed_out && !o->max_instructions && !o->max_seconds)
        strbuf_puts(out, "vgpu: a launch may take 10^11 instructions of warps: --max-instructions=N changes that, 0 lifts "
                         "the limit\n");
}

void print_findings(const Records *r, const ToolOptions *o, const Program *p, const Ending *e, int status,
                    StrBuf *out)
{
    const FindingLookup lookup = {
        .self = r->places, .source_line = places_source_line, .color = o->color, .has_debug = p->has_debug};
    for (size_t i = 0; i < r->n_findings; i++) {
        finding_text(&r->findings[i], &lookup, out);
        strbuf_puts(out, "\n");
    }
    put_errors(r, out);
    put_unchecked(r, out);
    name_from_here(out);
    put_missing_lines(r, p, out);
    put_limit(r, o, out);
    if (r->start && !r->end)
        strbuf_puts(out, "vgpu: the program ended without leaving the runtime (_exit or a signal): leaks and "
                         "totals are not known\n");
    put_summary(r, e, status, out);
}
