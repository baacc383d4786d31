/* table: the rows of rows.def for each kernel, and what was copied. */
#include "common/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 34, NUMBER_WIDTH = 11, UNIT_WIDTH = 8, OPERATION_WIDTH = 30, LINE_WIDTH = 80 };

static int longest_first(const void *a, const void *b)
{
    const ProfileKernel *x = *(const ProfileKernel *const *)a, *y = *(const ProfileKernel *const *)b;
    if (x->total_us != y->total_us)
        return x->total_us < y->total_us ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void table_put_number(double value, int decimals, StrBuf *out)
{
    if (isfinite(value))
        strbuf_printf(out, " %*.*f", NUMBER_WIDTH, decimals, value);
    else
        strbuf_printf(out, " %*s", NUMBER_WIDTH, "-");
}

/* What a kernel does not do at all has no row: `empty` is 0. What its source does not tell is NAN, and has.
 */
static void table_put_row(const char *label, double value, int decimals, const char *unit, const char *metric,
                          double empty, StrBuf *out)
{
    if (empty == 0)
        return;
    strbuf_printf(out, "  %-*s", LABEL_WIDTH, label);
    table_put_number(value, decimals, out);
    bool fits = 2 + LABEL_WIDTH + 1 + NUMBER_WIDTH + 1 + UNIT_WIDTH + 1 + strlen(metric) <= LINE_WIDTH;
    if (fits)
        strbuf_printf(out, " %-*s %s\n", UNIT_WIDTH, unit, metric);
    else
        strbuf_printf(out, " %s\n      %s\n", unit, metric);
}

static void put_bound(const ProfileKernel *kernel, StrBuf *out)
{
    if (*kernel->bound)
        strbuf_printf(out, "  %-*s %*s\n", LABEL_WIDTH, "what limits it", NUMBER_WIDTH, kernel->bound);
}

static void put_kernel(const ProfileKernel *kernel, StrBuf *out)
{
    strbuf_printf(out, "%s %s", kernel->name, kernel->shape);
    if (kernel->launches > 1)
        strbuf_printf(out, ", the longest of %u launches (%.3f us together)", kernel->launches,
                      kernel->total_us);
    strbuf_puts(out, "\n");
#define V(input) kernel->inputs[INPUT_##input]
#define X(label, value, decimals, unit, metric, empty)                                                       \
    table_put_row(label, value, decimals, unit, metric, empty, out);
#include "common/profile/rows.def"
#undef X
#undef V
    put_bound(kernel, out);
}

void profile_put_kernels(const Profile *profile, StrBuf *out)
{
    const ProfileKernel *sorted[PROFILE_KERNELS_MAX];
    for (size_t i = 0; i < profile->n_kernels; i++)
        sorted[i] = &profile->kernels[i];
    qsort(sorted, profile->n_kernels, sizeof *sorted, longest_first);
    for (size_t i = 0; i < profile->n_kernels; i++)
        put_kernel(sorted[i], out);
    if (profile->n_kernels == 0)
        strbuf_puts(out, "no kernel ran\n");
}

/* Always in this order, so that tables of two sources stand side by side; others follow as they came. */
static const char *const usual[] = {"kernels", "[CUDA memcpy Host-to-Device]", "[CUDA memcpy Device-to-Host]",
                                    "[CUDA memcpy Device-to-Device]", "[CUDA memset]"};
enum { N_USUAL = sizeof usual / sizeof *usual };

static void put_operation(const ProfileOperation *o, StrBuf *out)
{
    strbuf_printf(out, "  %-*s %8u", OPERATION_WIDTH, o->name, o->count);
    table_put_number(o->total_us, 3, out);
    table_put_number(o->bytes, 0, out);
    strbuf_puts(out, "\n");
}

static bool is_usual(const ProfileOperation *o, size_t i)
{
    return strcmp(o->name, usual[i]) == 0;
}

void profile_put_operations(const Profile *profile, StrBuf *out)
{
    strbuf_printf(out, "  %-*s %8s %*s %*s\n", OPERATION_WIDTH, "operation", "count", NUMBER_WIDTH, "us",
                  NUMBER_WIDTH, "bytes");
    for (size_t u = 0; u < N_USUAL; u++)
        for (size_t i = 0; i < profile->n_operations; i++)
            if (is_usual(&profile->operations[i], u))
                put_operation(&profile->operations[i], out);
    for (size_t i = 0; i < profile->n_operations; i++) {
        bool other = true;
        for (size_t u = 0; u < N_USUAL; u++)
            other = other && !is_usual(&profile->operations[i], u);
        if (other)
            put_operation(&profile->operations[i], out);
    }
}

static void put_total(const char *name, double value, int decimals, StrBuf *out)
{
    strbuf_printf(out, "%-*s", OPERATION_WIDTH, name);
    table_put_number(value, decimals, out);
    strbuf_puts(out, "\n");
}

void profile_put_totals(const Profile *profile, StrBuf *out)
{
    const double *t = profile->totals;
    put_total("flops32", t[INPUT_FLOPS32], 0, out);
    put_total("dram_read_bytes", t[INPUT_DRAM_READ], 0, out);
    put_total("dram_write_bytes", t[INPUT_DRAM_WRITE], 0, out);
    put_total("arithmetic_intensity", t[INPUT_FLOPS32] / (t[INPUT_DRAM_READ] + t[INPUT_DRAM_WRITE]), 3, out);
    for (size_t i = 0; i < profile->n_kernels; i++) {
        const ProfileKernel *k = &profile->kernels[i];
        strbuf_printf(out, "%-*.*s", OPERATION_WIDTH, (int)strcspn(k->name, "("), k->name);
        table_put_number(k->inputs[INPUT_TIME], 3, out);
        strbuf_printf(out, " us  %s\n", k->bound);
    }
}
