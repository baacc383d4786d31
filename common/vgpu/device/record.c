/* record: what the server tells the `vgpu` command while the program runs.
 *
 * One JSON object a line, written at once, so that a crash loses none. Member "p" is the process (forked
 * children write to the same stream), "t" says what a line is:
 *
 *   start    device, model, options
 *   finding  a finding; a later one of the same device and id replaces it
 *   launch   a kernel launch with its counters
 *   span     an operation on the modelled time line
 *   end      totals
 *
 *   site     a place of the program's: the stack of calls that led to a call of the runtime
 *   error    a call that returned an error, as the program tells it; met: the devices gave one
 *   injected a call that was made to fail
 *   host-access  see access.c
 *
 * Without a record stream, findings become text for standard error instead.
 */

#include "common/base/io.h"
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Launches and spans that get a record; totals cover all. */
enum { LAUNCH_RECORDS_MAX = 1000, LINE_RECORDS_MAX = 1000, SPAN_RECORDS_MAX = 200000 };

/* Adds the process to an object and writes it, in one piece. */
void record_line(DeviceServer *s, const StrBuf *line)
{
    if (s->options.stream_fd < 0 || line->failed || !line->text)
        return;
    StrBuf whole = {0};
    strbuf_printf(&whole, "{\"p\":%d,", (int)getpid());
    strbuf_append(&whole, line->text + 1, line->length - 1);
    if (!whole.failed)
        io_write_all(s->options.stream_fd, whole.text, whole.length);
    strbuf_free(&whole);
}

/* The C++ library's demangler, if the program has it: nvcc links it, we do not want to. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status) __attribute__((weak));

const char *record_demangle(void *self, const char *mangled)
{
    DeviceServer *s = self;
    int status = -1;
    char *text = __cxa_demangle ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    free(s->demangled);
    s->demangled = strdup(status == 0 && text ? text : mangled);
    free(text);
    return s->demangled ? s->demangled : mangled;
}

static void record_put_text(StrBuf *b, const char *name, const char *text)
{
    strbuf_printf(b, ",\"%s\":", name);
    if (!text)
        strbuf_puts(b, "null");
    else
        strbuf_json_string(b, text, strlen(text));
}

static void record_put_number(StrBuf *b, const char *name, uint64_t value)
{
    strbuf_printf(b, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_triple(StrBuf *b, const char *name, const uint32_t v[3])
{
    strbuf_printf(b, ",\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
}

void record_start(DeviceServer *s)
{
    StrBuf b = {0};
    strbuf_puts(&b, "{\"t\":\"start\"");
    record_put_text(&b, "device", s->devices[0]->model->title);
    record_put_number(&b, "devices", s->n_devices);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

/* ---- what the caller tells of itself ---- */

/* {"t":"site","id":1,"frames":[["/path/of/object",address in it],...]} */
void record_site(DeviceServer *s, const DeviceMsg *m)
{
    StrBuf b = {0};
    const char *at = m->in.data, *end = at + m->in.bytes, *separator = "[";
    strbuf_puts(&b, "{\"t\":\"site\"");
    record_put_number(&b, "id", m->token);
    strbuf_puts(&b, ",\"frames\":[");
    for (uint64_t address; end - at > (ptrdiff_t)sizeof address; separator = ",[") {
        memcpy(&address, at, sizeof address);
        at += sizeof address;
        size_t length = strnlen(at, (size_t)(end - at));
        strbuf_puts(&b, separator);
        strbuf_json_string(&b, at, length);
        strbuf_printf(&b, ",%llu]", (unsigned long long)address);
        at += length < (size_t)(end - at) ? length + 1 : length;
    }
    strbuf_puts(&b, "]}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

void record_injected(DeviceServer *s, uint64_t code)
{
    StrBuf b = {0};
    strbuf_puts(&b, "{\"t\":\"injected\"");
    record_put_number(&b, "code", code);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

/* An error is met when the devices have answered a call with one that nobody has told of yet: what a program only
 * says is not. */
static bool is_met(DeviceServer *s)
{
    if (s->n_errors_met >= s->n_errors_given)
        return false;
    s->n_errors_met++;
    return true;
}

void record_failed(Device *d, const DeviceMsg *m)
{
    StrBuf b = {0};
    size_t length = strnlen(m->in.data, m->in.bytes);
    const char *name = (const char *)m->in.data + length + 1;
    strbuf_puts(&b, "{\"t\":\"error\",\"call\":");
    strbuf_json_string(&b, m->in.data, length);
    strbuf_puts(&b, ",\"error\":");
    strbuf_json_string(&b, length + 1 < m->in.bytes ? name : "",
                       length + 1 < m->in.bytes ? strnlen(name, m->in.bytes - length - 1) : 0);
    record_put_number(&b, "code", m->token);
    record_put_number(&b, "site", m->site);
    strbuf_printf(&b, ",\"sticky\":%s", m->sticky && d->error != DEVICE_OK ? "true" : "false");
    strbuf_printf(&b, ",\"met\":%s}\n", is_met(d->server) ? "true" : "false");
    record_line(d->server, &b);
    strbuf_free(&b);
}

/* ---- findings ---- */

/* The finding with places in kernels that the reader of a record does not know. */
static Finding with_places(const DeviceServer *s, const Finding *f)
{
    Finding mine = *f;
    device_heap_place(s, &mine.site);
    device_heap_place(s, &mine.alloc_site);
    return mine;
}

void record_finding(void *device, const Finding *f)
{
    const Device *d = device;
    DeviceServer *s = d->server;
    if (s->options.stream_fd < 0)
        return; /* record_texts */
    StrBuf b = {0};
    strbuf_printf(&b, "{\"t\":\"finding\",\"device\":%u,\"finding\":", d->index);
    const Finding mine = with_places(s, f);
    finding_write(&mine, FINDING_RECORD, &b);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

/* Without a record stream: findings that are new since the last message, each once, with the count it has by
 * now. */
void record_texts(DeviceServer *s)
{
    if (s->options.stream_fd >= 0 || s->options.quiet)
        return;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        Device *d = s->devices[i];
        const Finding *f;
        for (; (f = check_finding(d->check, d->n_findings_told)); d->n_findings_told++) {
            const Finding mine = with_places(s, f);
            finding_text(&mine, &(FindingLookup){0}, &s->messages);
        }
    }
}

/* ---- launches and the time line ---- */

/* Warps that are there at once, over those that an SM has room for: at most, and on average over the waves of
 * blocks and the SMs that have any. */
static void put_occupancy(StrBuf *b, const Device *d, const LaunchFigures *l)
{
    const PerfOccupancy *o = l->occupancy;
    if (o->blocks_per_sm == 0)
        return;
    double room = (double)o->blocks_per_sm * d->model->n_sms, blocks = (double)l->blocks;
    uint64_t waves = (l->blocks + (uint64_t)room - 1) / (uint64_t)room;
    double sms = l->blocks < d->model->n_sms ? blocks : d->model->n_sms;
    double most = (double)o->warps_per_sm / o->warps_per_sm_max;
    strbuf_puts(b, ",\"occupancy\":{\"theoretical\":");
    strbuf_json_number(b, most);
    strbuf_puts(b, ",\"achieved\":");
    strbuf_json_number(b, most * blocks / ((double)waves * sms * o->blocks_per_sm));
    record_put_text(b, "limit", perf_limit_text(o->limit));
    strbuf_puts(b, "}");
}

static void record_put_lines(StrBuf *b, const Device *d)
{
    size_t n;
    const PerfLine *lines = perf_lines(d->perf, &n);
    if (!lines || !d->server->options.lines)
        return;
    strbuf_puts(b, ",\"lines\":[");
    for (size_t i = 0; i < n && i < LINE_RECORDS_MAX; i++) {
        strbuf_puts(b, i == 0 ? "{\"file\":" : ",{\"file\":");
        strbuf_json_string(b, lines[i].file, strlen(lines[i].file));
        record_put_number(b, "line", lines[i].line);
        for (int k = 0; k < PERF_N_LINE_COUNTERS; k++)
            record_put_number(b, perf_line_name((PerfLineCounter)k), lines[i].v[k]);
        strbuf_puts(b, "}");
    }
    strbuf_puts(b, "]");
}

static void put_written(StrBuf *b, const Device *d, const Grid *g, const IrFunction *f)
{
    StrBuf text = {0};
    check_put_launch(&text, &(CheckLaunchText){.function = f,
                                               .grid = g->shape.grid,
                                               .block = g->shape.block,
                                               .dynamic_shared = g->shape.dynamic_shared,
                                               .params = g->params,
                                               .mem = d->mem});
    record_put_text(b, "launched_as", text.text ? text.text : "");
    strbuf_free(&text);
}

void record_launch(Device *d, const QueueOp *op, const Grid *g, const LaunchFigures *l)
{
    const IrFunction *f = &g->instance->module->functions[g->function];
    DeviceServer *s = d->server;
    s->kernel_ns += l->time->total_ns;
    if (s->options.stream_fd < 0 || s->n_launch_records >= LAUNCH_RECORDS_MAX)
        return;
    s->n_launch_records++;
    StrBuf b = {0};
    strbuf_puts(&b, "{\"t\":\"launch\"");
    record_put_number(&b, "device", d->index);
    record_put_text(&b, "kernel", g->kernel);
    if (g->launcher)
        record_put_text(&b, "launcher", g->launcher->kernel);
    put_triple(&b, "grid", g->shape.grid);
    put_triple(&b, "block", g->shape.block);
    record_put_number(&b, "dynamic_shared", g->shape.dynamic_shared);
    put_written(&b, d, g, f);
    record_put_number(&b, "static_shared", f->static_shared_bytes);
    record_put_number(&b, "registers", f->n_regs32);
    record_put_number(&b, "stream", op->stream);
    record_put_number(&b, "site", op->site);
    strbuf_printf(&b, ",\"has_lines\":%s", f->has_lines ? "true" : "false");
    strbuf_puts(&b, ",\"counters\":");
    perf_counters_json(l->counters, false, &b);
    strbuf_puts(&b, ",\"metrics\":");
    perf_metrics_json(l->counters, false, &b);
    put_occupancy(&b, d, l);
    record_put_number(&b, "time_ns", l->time->total_ns);
    record_put_text(&b, "bound", l->time->bound);
    record_put_text(&b, "unit", l->time->unit);
    record_put_lines(&b, d);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

void record_span(Device *d, const QueueOp *op, const char *what, const char *name, uint64_t start_ns,
                 uint64_t end_ns, uint64_t bytes)
{
    DeviceServer *s = d->server;
    if (!s->options.timeline || s->n_span_records >= SPAN_RECORDS_MAX)
        return;
    s->n_span_records++;
    StrBuf b = {0};
    strbuf_puts(&b, "{\"t\":\"span\"");
    record_put_number(&b, "device", d->index);
    record_put_number(&b, "stream", op->stream);
    record_put_text(&b, "what", what);
    record_put_text(&b, "name", name);
    record_put_number(&b, "start_ns", start_ns);
    record_put_number(&b, "end_ns", end_ns);
    record_put_number(&b, "bytes", bytes);
    record_put_number(&b, "site", op->site);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}

/* The film that there is now: the lengths of its two texts in 64 bits each, then those. One that is written later is the better one. All of it goes at once:
 * processes share the file. */
void record_film(DeviceServer *s)
{
    const StrBuf *film = film_json(s->film), *steps = film_steps(s->film);
    char begin[32];
    const int n = snprintf(begin, sizeof begin, "{\"p\":%d,", (int)getpid());
    uint64_t lengths[2] = {(uint64_t)n + film->length, steps->length};
    struct iovec parts[] = {{lengths, sizeof lengths}, {begin, (size_t)n}, {film->text, film->length}, {steps->text, steps->length}};
    while (writev(s->options.film_fd, parts, sizeof parts / sizeof *parts) < 0 && errno == EINTR) {
    }
}

/* ---- the end ---- */

static void add_totals(DeviceServer *s, PerfCounters *counters, MemoryTotals *memory, uint64_t *end_ns)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const Device *d = s->devices[i];
        perf_counters_add(counters, perf_totals(d->perf));
        memory->h2d += d->totals.h2d;
        memory->d2h += d->totals.d2h;
        memory->d2h_kernel += d->totals.d2h_kernel;
        memory->d2d += d->totals.d2d;
        memory->peak += d->totals.peak;
        memory->page_faults += d->totals.page_faults;
        memory->host_faults += d->totals.host_faults;
        memory->migrated_to_device += d->totals.migrated_to_device;
        memory->migrated_to_host += d->totals.migrated_to_host;
        memory->evicted += d->totals.evicted;
        memory->taken += d->totals.taken;
        if (d->end_ns > *end_ns)
            *end_ns = d->end_ns;
    }
}

static void count_leaks(DeviceServer *s, uint64_t *bytes, uint64_t *n)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const MemAlloc *a;
        if (s->devices[i]->error != DEVICE_OK)
            continue; /* nothing can be freed on a device that failed */
        for (size_t k = 0; (a = mem_at(s->devices[i]->mem, k)); k++)
            if (a->kind == MEM_DEVICE || a->kind == MEM_POOL || a->kind == MEM_MANAGED ||
                a->kind == MEM_PINNED || a->kind == MEM_MAPPED) {
                *bytes += a->bytes;
                (*n)++;
            }
    }
}

static void count_shared(DeviceServer *s)
{
    const MemAlloc *a;
    for (uint32_t i = 0; i < s->n_devices; i++)
        for (size_t k = 0; (a = mem_at(s->devices[i]->mem, k)); k++)
            origin_count_shared(s->devices[i], a);
}

void record_totals(DeviceServer *s)
{
    PerfCounters counters = {0};
    MemoryTotals memory = {0};
    uint64_t end_ns = 0, leaked_bytes = 0, leaked = 0;
    count_shared(s);
    add_totals(s, &counters, &memory, &end_ns);
    count_leaks(s, &leaked_bytes, &leaked);
    StrBuf b = {0};
    strbuf_puts(&b, "{\"t\":\"end\",\"totals\":");
    perf_counters_json(&counters, false, &b);
    strbuf_puts(&b, ",\"metrics\":");
    strbuf_puts(&b, "{");
    perf_metrics_json(&counters, true, &b);
    strbuf_puts(&b, ",\"overlap_ratio\":");
    strbuf_json_number(&b, clock_overlap(s));
    strbuf_puts(&b, "}");
    strbuf_printf(&b, ",\"memory\":{\"h2d_bytes\":%llu", (unsigned long long)memory.h2d);
    record_put_number(&b, "d2h_bytes", memory.d2h);
    record_put_number(&b, "d2h_kernel_bytes", memory.d2h_kernel);
    record_put_number(&b, "d2d_bytes", memory.d2d);
    record_put_number(&b, "peak_bytes", memory.peak);
    record_put_number(&b, "page_faults", memory.page_faults);
    record_put_number(&b, "host_page_faults", memory.host_faults);
    record_put_number(&b, "migrated_to_device_bytes", memory.migrated_to_device);
    record_put_number(&b, "migrated_to_host_bytes", memory.migrated_to_host);
    record_put_number(&b, "evicted_bytes", memory.evicted);
    record_put_number(&b, "allocations", memory.taken);
    record_put_number(&b, "leaked_bytes", leaked_bytes);
    record_put_number(&b, "leaked_allocations", leaked);
    strbuf_puts(&b, "}");
    record_put_number(&b, "end_ns", end_ns);
    record_put_number(&b, "kernel_ns", s->kernel_ns);
    record_put_number(&b, "can_fail", s->n_can_fail);
    strbuf_puts(&b, "}\n");
    record_line(s, &b);
    strbuf_free(&b);
}
