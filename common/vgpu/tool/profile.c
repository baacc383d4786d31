/* profile: --profile, a table of kernels by modelled time, and for each what its counters say.
 *
 * The figures are counted on PTX and the times modelled, and the heading says so.
 */
#include "common/vgpu/tool/tool.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 200, SHOWN_METRICS = 6 };

typedef struct KernelRow {
    const char *name;
    uint64_t launches, time_ns;
    const json_t *last; /* launch whose metrics are shown: the longest */
    uint64_t last_ns;
} KernelRow;

/* Metrics shown under a kernel, in this order. */
static const char *const shown[SHOWN_METRICS] = {
    "sectors_per_load", "sectors_per_store", "bank_conflicts_per_request",
    "active_lanes",     "divergence",        "dram_ratio"};

static size_t collect(const Records *r, KernelRow *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_launches; i++) {
        const char *name = json_string_value(json_object_get(r->launches[i], "kernel"));
        uint64_t ns = (uint64_t)json_integer_value(json_object_get(r->launches[i], "time_ns"));
        size_t k = 0;
        while (name != NULL && k < n && strcmp(rows[k].name, name) != 0)
            k++;
        if (name == NULL || k == KERNELS_MAX)
            continue;
        if (k == n)
            rows[n++] = (KernelRow){.name = name};
        rows[k].launches++;
        rows[k].time_ns += ns;
        if (rows[k].last == NULL || ns > rows[k].last_ns) {
            rows[k].last = r->launches[i];
            rows[k].last_ns = ns;
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

static void put_row(const KernelRow *row, uint64_t total_ns, StrBuf *out)
{
    double share = total_ns == 0 ? 0 : 100.0 * (double)row->time_ns / (double)total_ns;
    strbuf_printf(out, "%5.1f%% %12.3f us %7llu  %s\n", share, (double)row->time_ns / 1e3,
                  (unsigned long long)row->launches, row->name);
    const json_t *metrics = json_object_get(row->last, "metrics");
    const char *bound = json_string_value(json_object_get(row->last, "bound"));
    strbuf_printf(out, "       bound by %s", bound == NULL ? "?" : bound);
    for (int i = 0; i < SHOWN_METRICS; i++)
        strbuf_printf(out, ", %s %.2f", shown[i], json_number_value(json_object_get(metrics, shown[i])));
    strbuf_puts(out, "\n");
}

static void put_memory(const Records *r, StrBuf *out)
{
    const json_t *m = json_object_get(r->end, "memory");
    strbuf_printf(out,
                  "copied to the device %lld bytes, to the host %lld, on the device %lld; most memory in use "
                  "%lld bytes\n",
                  (long long)json_integer_value(json_object_get(m, "h2d_bytes")),
                  (long long)json_integer_value(json_object_get(m, "d2h_bytes")),
                  (long long)json_integer_value(json_object_get(m, "d2d_bytes")),
                  (long long)json_integer_value(json_object_get(m, "peak_bytes")));
    strbuf_printf(out, "end of the last operation: %.3f us\n",
                  (double)json_integer_value(json_object_get(r->end, "end_ns")) / 1e3);
}

void print_profile(const Records *r, StrBuf *out)
{
    KernelRow *rows = calloc(KERNELS_MAX, sizeof *rows);
    const char *device = json_string_value(json_object_get(r->start, "device"));
    if (rows == NULL)
        return;
    size_t n = collect(r, rows);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += rows[i].time_ns;
    qsort(rows, n, sizeof *rows, longest_first);
    strbuf_printf(out, "vgpu: profile on %s: times are modelled, counters are counted on PTX\n",
                  device == NULL ? "no device" : device);
    strbuf_puts(out, " share         time launches  kernel\n");
    for (size_t i = 0; i < n; i++)
        put_row(&rows[i], total, out);
    if (r->end != NULL)
        put_memory(r, out);
    free(rows);
}
