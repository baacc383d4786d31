/* records: what the runtime wrote while the program ran (device/record.c has the format). */
#include "common/vgpu/tool/tool.h"

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
    return text == NULL ? fallback : text;
}

static uint64_t get_number(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static bool get_bool(const json_t *o, const char *name)
{
    return json_is_true(json_object_get(o, name));
}

static void get_triple(const json_t *o, const char *name, uint32_t out[3])
{
    const json_t *list = json_object_get(o, name);
    for (size_t i = 0; i < 3; i++)
        out[i] = (uint32_t)json_integer_value(json_array_get(list, i));
}

static FindingPlace get_place(const json_t *o, bool other)
{
    return (FindingPlace){
        .file = get_text(o, other ? "other_file" : "file", ""),
        .line = (uint32_t)get_number(o, other ? "other_line" : "line"),
        .column = (uint32_t)get_number(o, other ? "other_column" : "column"),
        .inlined_into_file = get_text(o, other ? "other_inlined_file" : "inlined_file", NULL),
        .inlined_into_line = (uint32_t)get_number(o, other ? "other_inlined_line" : "inlined_line")};
}

/* ---- findings ---- */

static bool find_kind(const char *text, FindingKind *out)
{
    for (int i = 0; i < FINDING_N_KINDS; i++)
        if (strcmp(finding_kind_text((FindingKind)i), text) == 0) {
            *out = (FindingKind)i;
            return true;
        }
    return false;
}

static void read_alloc(const json_t *o, uint32_t process, Finding *f)
{
    f->has_alloc = json_object_get(o, "alloc_bytes") != NULL;
    f->alloc_address = get_number(o, "alloc_address");
    f->alloc_bytes = get_number(o, "alloc_bytes");
    f->alloc_serial = (uint32_t)get_number(o, "alloc_serial");
    f->alloc_name = get_text(o, "alloc_name", NULL);
    f->alloc_freed = get_bool(o, "alloc_freed");
    f->distance = (int64_t)json_integer_value(json_object_get(o, "distance"));
    f->alloc_site = places_token(process, get_number(o, "alloc_site"));
    f->free_site = places_token(process, get_number(o, "free_site"));
}

static Finding read_finding(const json_t *o, uint32_t process, FindingKind kind)
{
    Finding f = {.kind = kind,
                 .advice = get_bool(o, "advice"),
                 .kernel = get_text(o, "kernel", ""),
                 .place = get_place(o, false),
                 .has_thread = get_bool(o, "has_thread"),
                 .address = get_number(o, "address"),
                 .bytes = (uint32_t)get_number(o, "bytes"),
                 .access = get_text(o, "access", ""),
                 .space = get_text(o, "space", ""),
                 .site = places_token(process, get_number(o, "site")),
                 .has_other = json_object_get(o, "other_access") != NULL,
                 .other_access = get_text(o, "other_access", ""),
                 .other_site = places_token(process, get_number(o, "other_site")),
                 .count = get_number(o, "count"),
                 .message = get_text(o, "message", ""),
                 .hint = get_text(o, "hint", ""),
                 .id = (uint32_t)get_number(o, "id"),
                 .launch = get_number(o, "launch")};
    get_triple(o, "block", f.block);
    get_triple(o, "thread", f.thread);
    get_triple(o, "other_block", f.other_block);
    get_triple(o, "other_thread", f.other_thread);
    f.other = get_place(o, true);
    read_alloc(o, process, &f);
    return f;
}

static bool has_room(Records *r)
{
    size_t n = r->n_findings;
    return n < FINDINGS_MAX && VEC_GROW(r->findings, n, r->findings_cap) &&
           VEC_GROW(r->finding_source, n, r->source_cap);
}

/* Host code touched a device's memory: the runtime noted the facts in a signal handler, the words are made
 * here. */
static void add_host_access(Records *r, uint32_t process, const json_t *o)
{
    if (!has_room(r))
        return;
    Finding f = read_finding(o, process, FINDING_HOST_ACCESS);
    f.message = finding_kind_title(FINDING_HOST_ACCESS);
    f.hint = finding_kind_hint(FINDING_HOST_ACCESS);
    f.place = f.other = (FindingPlace){.file = ""};
    f.site = places_add_fault(r->places, o);
    f.count = 1;
    f.id = (uint32_t)r->n_findings;
    r->findings[r->n_findings] = f;
    r->finding_source[r->n_findings++] = NO_SOURCE;
}

static void add_finding(Records *r, uint32_t process, const json_t *o)
{
    FindingKind kind;
    uint64_t device = get_number(o, "device");
    if (device >= DEVICES_MAX || !find_kind(get_text(o, "kind", ""), &kind))
        return;
    uint32_t source = process * DEVICES_MAX + (uint32_t)device;
    Finding f = read_finding(o, process, kind);
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
                                               .site = places_token(process, get_number(o, "site")),
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
    else if (strcmp(type, "start") == 0 && r->start == NULL)
        r->start = o;
    else if (strcmp(type, "injected") == 0 && r->injected == NULL)
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

Status records_read(int fd, const char *sources, Records *out, Diag *diag)
{
    *out = (Records){.places = places_new(sources)};
    StrBuf all = {0};
    Status st = read_all(fd, &all, diag);
    const char *at = all.text;
    while (st == STATUS_OK && out->places != NULL && at != NULL && *at != 0) {
        const char *end = strchr(at, '\n');
        if (end == NULL)
            break; /* the program ended while it wrote */
        json_t *o = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
        if (o != NULL && VEC_GROW(out->lines, out->n_lines, out->lines_cap)) {
            out->lines[out->n_lines++] = o;
            add_record(out, o);
        }
        at = end + 1;
    }
    strbuf_free(&all);
    return st;
}

void records_free(Records *r)
{
    for (size_t i = 0; i < r->n_lines; i++)
        json_decref(r->lines[i]);
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
        n += *finding_verdict(&r->findings[i]) != 0;
    return n;
}
