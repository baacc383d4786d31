/* profile: --profile, the kernels by modelled time, and for each what limits it, what its counters say, and
 * which lines of the source to look at.
 *
 * The figures are counted on PTX and the times modelled, and the heading says so.
 */
#include "common/vgpu/tool/tool.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 200, LINES_SHOWN = 3, LABEL_WIDTH = 28, SOURCE_SHOWN = 80 };

typedef struct KernelRow {
    const char *name;
    uint64_t launches, time_ns;
    const json_t *longest; /* the launch whose figures are shown */
    uint64_t longest_ns;
} KernelRow;

static size_t collect_kernel_rows(const Records *r, KernelRow *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_launches; i++) {
        const char *name = json_string_value(json_object_get(r->launches[i], "kernel"));
        uint64_t ns = (uint64_t)json_integer_value(json_object_get(r->launches[i], "time_ns"));
        size_t k = 0;
        while (name && k < n && strcmp(rows[k].name, name) != 0)
            k++;
        if (!name || k == KERNELS_MAX)
            continue;
        if (k == n)
            rows[n++] = (KernelRow){.name = name};
        rows[k].launches++;
        rows[k].time_ns += ns;
        if (!rows[k].longest || ns > rows[k].longest_ns) {
            rows[k].longest = r->launches[i];
            rows[k].longest_ns = ns;
        }
    }
    return n;
}

static int longest_first(const void *a, const void *b)
{
    const KernelRow *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* ---- what limits a kernel ---- */

/* The model's words for a bound, for somebody who meets them the first time. */
static const char *meaning_of(const char *bound)
{
    static const struct {
        const char *bound, *meaning;
    } all[] = {
        {"compute", "the multiprocessors are busy: fewer or cheaper instructions help"},
        {"memory", "data is on its way all the time: moving less of it helps"},
        {"latency", "warps wait for one another or for loads: more of them at once, or shorter chains, help"},
        {"overhead", "the launch takes longer than the work: more work in a launch helps"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].bound, bound) == 0)
            return all[i].meaning;
    return "";
}

static const char *text_of(const json_t *o, const char *member)
{
    const char *text = json_string_value(json_object_get(o, member));
    return text ? text : "";
}

static void put_limit(const json_t *launch, StrBuf *out)
{
    const char *bound = text_of(launch, "bound");
    strbuf_printf(out, "  %-*s %s (busiest: %s): %s\n", LABEL_WIDTH, "bound by", bound,
                  text_of(launch, "unit"), meaning_of(bound));
    const json_t *o = json_object_get(launch, "occupancy");
    if (o)
        strbuf_printf(out, "  %-*s %.0f%% of an SM's warps, at most %.0f%% (limit: %s)\n", LABEL_WIDTH,
                      "occupancy", 100 * json_number_value(json_object_get(o, "achieved")),
                      100 * json_number_value(json_object_get(o, "theoretical")), text_of(o, "limit"));
}

static void put_metrics(const json_t *launch, StrBuf *out)
{
    static const struct {
        const char *metric, *counter;
        char beyond;
        double limit;
        const char *meaning, *look;
    } all[] = {
#define X(...) {__VA_ARGS__},
#include "common/vgpu/tool/profile.def"
#undef X
    };
    const json_t *metrics = json_object_get(launch, "metrics"),
                 *counters = json_object_get(launch, "counters");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double value = json_number_value(json_object_get(metrics, all[i].metric));
        if (json_integer_value(json_object_get(counters, all[i].counter)) == 0)
            continue;
        bool look =
            (all[i].beyond == '>' && value > all[i].limit) || (all[i].beyond == '<' && value < all[i].limit);
        strbuf_printf(out, "%s%-*s %-7.2f %s\n", look ? "* " : "  ", LABEL_WIDTH, all[i].metric, value,
                      all[i].meaning);
        if (look)
            strbuf_printf(out, "  %*s %s\n", LABEL_WIDTH, "", all[i].look);
    }
}

/* ---- lines to look at ---- */

static uint64_t line_value(const json_t *line, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(line, name));
}

/* The source's text, without what stands before and after it. */
static void put_source(const Records *r, const json_t *line, StrBuf *out)
{
    const char *file = text_of(line, "file"), *slash = strrchr(file, '/');
    uint32_t number = (uint32_t)line_value(line, "line");
    const char *text = places_source_line(r->places, file, number);
    strbuf_printf(out, "%s:%u", slash ? slash + 1 : file, number);
    if (text)
        strbuf_printf(out, "  %.*s", SOURCE_SHOWN, text + strspn(text, " \t"));
    strbuf_puts(out, "\n");
}

/* The lines with the largest shares of a counter, down to a twentieth. */
static void put_largest(const Records *r, const json_t *lines, const char *counter, const char *title,
                        StrBuf *out)
{
    uint64_t total = 0, before = UINT64_MAX;
    size_t n = json_array_size(lines), last = n;
    for (size_t i = 0; i < n; i++)
        total += line_value(json_array_get(lines, i), counter);
    for (int shown = 0; shown < LINES_SHOWN; shown++) {
        size_t best =
            n; /* the largest that comes after the last one shown: smaller, or as large and further down */
        for (size_t i = 0; i < n; i++) {
            uint64_t v = line_value(json_array_get(lines, i), counter);
            bool after = v < before || (v == before && last < n && i > last);
            if (after && (best == n || v > line_value(json_array_get(lines, best), counter)))
                best = i;
        }
        if (best == n || line_value(json_array_get(lines, best), counter) * 20 < total || total == 0)
            return;
        before = line_value(json_array_get(lines, best), counter);
        last = best;
        strbuf_printf(out, "    %3.0f%% of %-*s", 100.0 * (double)before / (double)total, LABEL_WIDTH - 9,
                      title);
        put_source(r, json_array_get(lines, best), out);
    }
}

static void profile_put_lines(const Records *r, const json_t *launch, StrBuf *out)
{
    static const struct {
        const char *counter, *title;
    } all[] = {{"instructions", "instructions"},         {"l2_sectors", "sectors past L1"},
               {"bank_conflicts", "bank conflicts"},     {"divergent_branches", "divergence"},
               {"atomic_conflicts", "atomic conflicts"}, {"local_requests", "local memory"}};
    const json_t *lines = json_object_get(launch, "lines");
    if (json_array_size(lines) == 0) {
        strbuf_puts(out, "  no lines: compile with -lineinfo to see where\n");
        return;
    }
    strbuf_puts(out, "  lines to look at\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put_largest(r, lines, all[i].counter, all[i].title, out);
}

/* ---- the whole ---- */

static void put_kernel(const Records *r, const KernelRow *row, uint64_t total_ns, StrBuf *out)
{
    double share = total_ns == 0 ? 0 : 100.0 * (double)row->time_ns / (double)total_ns;
    strbuf_printf(out, "\n%s\n", row->name);
    strbuf_printf(out, "  %-*s %.3f us in %llu launch%s, %.1f%% of all kernels\n", LABEL_WIDTH, "time",
                  (double)row->time_ns / 1e3, (unsigned long long)row->launches,
                  row->launches == 1 ? "" : "es", share);
    put_limit(row->longest, out);
    put_metrics(row->longest, out);
    profile_put_lines(r, row->longest, out);
}

static long long member_number(const json_t *m, const char *name)
{
    return (long long)json_integer_value(json_object_get(m, name));
}

/* Nothing for programs without managed memory. */
static void put_managed(const json_t *m, StrBuf *out)
{
    long long to_device = member_number(m, "migrated_to_device_bytes"),
              to_host = member_number(m, "migrated_to_host_bytes"), faults = member_number(m, "page_faults"),
              host_faults = member_number(m, "host_page_faults");
    if (to_device + to_host + faults + host_faults == 0)
        return;
    strbuf_printf(
        out,
        "managed memory: %lld page faults of kernels, %lld of the host; moved to the device %lld bytes, "
        "to the host %lld, of which for want of room %lld\n",
        faults, host_faults, to_device, to_host, member_number(m, "evicted_bytes"));
}

static void put_memory(const Records *r, StrBuf *out)
{
    const json_t *m = json_object_get(r->end, "memory");
    strbuf_printf(
        out,
        "\ncopied to the device %lld bytes, to the host %lld, on the device %lld; most memory in use "
        "%lld bytes\n",
        (long long)json_integer_value(json_object_get(m, "h2d_bytes")),
        (long long)json_integer_value(json_object_get(m, "d2h_bytes")),
        (long long)json_integer_value(json_object_get(m, "d2d_bytes")),
        (long long)json_integer_value(json_object_get(m, "peak_bytes")));
    put_managed(m, out);
    strbuf_printf(out, "end of the last operation: %.3f us\n",
                  (double)json_integer_value(json_object_get(r->end, "end_ns")) / 1e3);
}

void print_profile(const Records *r, StrBuf *out)
{
    KernelRow *rows = calloc(KERNELS_MAX, sizeof *rows);
    const char *device = json_string_value(json_object_get(r->start, "device"));
    if (!rows)
        return;
    size_t n = collect_kernel_rows(r, rows);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += rows[i].time_ns;
    qsort(rows, n, sizeof *rows, longest_first);
    strbuf_printf(out, "vgpu: profile on %s: times are modelled, counters are counted on PTX%s\n",
                  device ? device : "no device", n == 0 ? "; no kernel ran" : "");
    for (size_t i = 0; i < n; i++)
        put_kernel(r, &rows[i], total, out);
    if (r->end)
        put_memory(r, out);
    free(rows);
}
