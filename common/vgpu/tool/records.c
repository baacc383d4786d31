/* records: what the runtime wrote while the program ran (device/record.c has the format). */
#include "common/vgpu/tool/tool.h"

#include "common/vgpu/device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program can write to the descriptor as well: more than this is not read. */
#define RECORD_BYTES_MAX ((size_t)512 << 20)
enum { FINDINGS_MAX = 10000, ERRORS_MAX = 100, DEVICES_MAX = 64 };
/* Of a finding that no later record replaces. */
#define NO_SOURCE UINT32_MAX

/* ---- reading members ---- */

static const char *get_text(const json_t *o, const char *name, const char *fallback)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : fallback;
}

static uint64_t get_number(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static bool get_bool(const json_t *o, const char *name)
{
    return json_is_true(json_object_get(o, name));
}

/* ---- findings ---- */

/* The finding in a record. Its host places get tokens of ours. False: it has fields that no finding has. */
static bool read_finding(const json_t *o, uint32_t process, Finding *f)
{
    FindingWrong wrong;
    if (!finding_read(f, json_object_get(o, "finding"), FINDING_RECORD, &wrong))
        return false;
    FindingSite *const sites[] = {&f->site, &f->alloc_site, &f->free_site, &f->other_site};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        sites[i]->token = places_token(process, sites[i]->token);
    return true;
}

static bool has_room(Records *r)
{
    size_t n = r->n_findings;
    return n < FINDINGS_MAX && VEC_GROW(r->findings, n, r->findings_cap) &&
           VEC_GROW(r->finding_source, n, r->source_cap);
}

/* Host code touched a device's memory, or what is none: the runtime noted the facts in a signal handler, the
 * words are made here. */
static void add_host_access(Records *r, uint32_t process, const json_t *o)
{
    Finding f;
    uint64_t what = get_number(o, "what");
    if (what >= HOST_ACCESSES || !read_finding(o, process, &f) || !has_room(r))
        return;
    FindingKind kind = device_access_kind((uint32_t)what);
    f.kind = finding_kind_text(kind);
    f.verdict = finding_kind_verdict(kind);
    f.message = finding_kind_title(kind);
    f.hint = finding_kind_hint(kind);
    if (kind == FINDING_HOST_FAULT)
        finding_tell_host_fault(&f);
    f.site.token = places_add_fault(r->places, o);
    f.count = 1;
    f.id = (uint32_t)r->n_findings;
    r->findings[r->n_findings] = f;
    r->finding_source[r->n_findings++] = NO_SOURCE;
}

static void add_finding(Records *r, uint32_t process, const json_t *o)
{
    Finding f;
    FindingKind kind;
    uint64_t device = get_number(o, "device");
    if (device >= DEVICES_MAX || !read_finding(o, process, &f) || !finding_kind_named(f.kind, strlen(f.kind), &kind))
        return;
    f.verdict = f.advice ? "" : finding_kind_verdict(kind);
    uint32_t source = process * DEVICES_MAX + (uint32_t)device;
    for (size_t i = 0; i < r->n_findings; i++)
        if (r->finding_source[i] == source && r->findings[i].id == f.id) {
            r->findings[i] = f;
            return;
        }
    if (has_room(r)) {
        r->findings[r->n_findings] = f;
        r->finding_source[r->n_findings++] = source;
    }
}

/* ---- the rest ---- */

static void add_error(Records *r, uint32_t process, const json_t *o)
{
    if (r->n_errors < ERRORS_MAX && VEC_GROW(r->errors, r->n_errors, r->errors_cap))
        r->errors[r->n_errors++] = (CallError){.call = get_text(o, "call", ""),
                                               .error = get_text(o, "error", ""),
                                               .code = json_integer_value(json_object_get(o, "code")),
                                               .site = {.token = places_token(process, get_number(o, "site"))},
                                               .sticky = get_bool(o, "sticky"),
                                               .met = get_bool(o, "met")};
}

/* Index of the process that wrote a record; false for one too many. */
static bool find_process(Records *r, const json_t *o, uint32_t *process)
{
    int64_t id = json_integer_value(json_object_get(o, "p"));
    for (size_t i = 0; i < r->n_processes; i++)
        if (r->processes[i] == id) {
            *process = (uint32_t)i;
            return true;
        }
    if (r->n_processes == TOOL_PROCESSES_MAX || !VEC_GROW(r->processes, r->n_processes, r->processes_cap))
        return false;
    r->processes[r->n_processes] = id;
    *process = (uint32_t)r->n_processes++;
    return true;
}

/* Launches, the time line and the totals are those of the first process that used a device. */
static void add_record(Records *r, json_t *o)
{
    const char *type = get_text(o, "t", "");
    uint32_t process;
    if (!find_process(r, o, &process))
        return;
    if (strcmp(type, "site") == 0)
        places_add(r->places, process, o);
    else if (strcmp(type, "finding") == 0)
        add_finding(r, process, o);
    else if (strcmp(type, "host-access") == 0)
        add_host_access(r, process, o);
    else if (strcmp(type, "error") == 0)
        add_error(r, process, o);
    else if (process != 0)
        return;
    else if (strcmp(type, "launch") == 0 && VEC_GROW(r->launches, r->n_launches, r->launches_cap))
        r->launches[r->n_launches++] = o;
    else if (strcmp(type, "span") == 0 && VEC_GROW(r->spans, r->n_spans, r->spans_cap))
        r->spans[r->n_spans++] = o;
    else if (strcmp(type, "start") == 0 && !r->start)
        r->start = o;
    else if (strcmp(type, "injected") == 0 && !r->injected)
        r->injected = o;
    else if (strcmp(type, "end") == 0)
        r->end = o;
}

static Status read_all(int fd, StrBuf *out, Diag *diag)
{
    char piece[65536];
    ssize_t n;
    if (lseek(fd, 0, SEEK_SET) != 0)
        return diag_set(diag, STATUS_IO, "cannot read the records: %s", strerror(errno));
    while (out->length < RECORD_BYTES_MAX && (n = read(fd, piece, sizeof piece)) > 0)
        strbuf_append(out, piece, (size_t)n);
    return out->failed ? diag_set(diag, STATUS_NO_MEMORY, "no memory for the records") : STATUS_OK;
}

/* Looks up the finding's host places, and makes its text. */
static Status complete_finding(Records *r, Finding *f, Diag *diag)
{
    FindingSite *const sites[] = {&f->site, &f->alloc_site, &f->free_site, &f->other_site};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        places_find(r->places, sites[i]);
    if (f->other_site.line > 0)
        f->other = (FindingPlace){.file = f->other_site.file, .line = f->other_site.line};
    StrBuf text = {0};
    const FindingLookup lookup = {
        .self = r->places, .source_line = places_source_line, .has_debug = places_has_debug(r->places)};
    finding_text(f, &lookup, &text);
    f->text = strbuf_keep(&text, &r->arena);
    return f->text ? STATUS_OK : diag_set(diag, STATUS_NO_MEMORY, "no memory for the findings");
}

Status records_read(int fd, const char *sources, Records *out, Diag *diag)
{
    *out = (Records){.places = places_new(sources)};
    StrBuf all = {0};
    Status st = read_all(fd, &all, diag);
    const char *at = all.text;
    while (st == STATUS_OK && out->places && at && *at != 0) {
        const char *end = strchr(at, '\n');
        if (!end)
            break; /* the program ended while it wrote */
        json_t *o = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
        if (o && VEC_GROW(out->lines, out->n_lines, out->lines_cap)) {
            out->lines[out->n_lines++] = o;
            add_record(out, o);
        }
        at = end + 1;
    }
    strbuf_free(&all);
    for (size_t i = 0; i < out->n_findings && st == STATUS_OK; i++)
        st = complete_finding(out, &out->findings[i], diag);
    return st;
}

void records_free(Records *r)
{
    for (size_t i = 0; i < r->n_lines; i++)
        json_decref(r->lines[i]);
    arena_free(&r->arena);
    places_free(r->places);
    free(r->lines);
    free(r->findings);
    free(r->finding_source);
    free(r->processes);
    free(r->errors);
    free(r->launches);
    free(r->spans);
    *r = (Records){0};
}

size_t records_n_faults(const Records *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        n += !r->findings[i].advice;
    return n;
}
