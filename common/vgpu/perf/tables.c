/* The tables of perf: counters, metrics and device models, and what is looked up in them. */
#include "common/vgpu/perf/perf.h"

#include <string.h>
#include <strings.h>

static const char *const counters[PERF_N_COUNTERS] = {
#define X(NAME, name, ...) [PERF_##NAME] = name,
#include "common/vgpu/perf/counters.def"
#undef X
};

void perf_counters_add(PerfCounters *to, const PerfCounters *from)
{
    for (int i = 0; i < PERF_N_COUNTERS; i++)
        to->v[i] += from->v[i];
}

void perf_counters_json(const PerfCounters *c, bool bare, StrBuf *out)
{
    strbuf_puts(out, bare ? "" : "{");
    for (int i = 0; i < PERF_N_COUNTERS; i++)
        strbuf_printf(out, "%s\"%s\":%llu", i ? "," : "", counters[i], (unsigned long long)c->v[i]);
    strbuf_puts(out, bare ? "" : "}");
}

static const char *const metrics[PERF_N_METRICS] = {
#define X(NAME, name, ...) [PERF_METRIC_##NAME] = name,
#include "common/vgpu/perf/metrics.def"
#undef X
};

static double ratio(double numerator, double denominator, double empty)
{
    return denominator > 0 ? numerator / denominator : empty;
}

double perf_metric(const PerfCounters *c, PerfMetric m)
{
#define C(NAME) ((double)c->v[PERF_##NAME])
    switch (m) {
#define X(NAME, name, numerator, denominator, empty, meaning)                                                \
    case PERF_METRIC_##NAME:                                                                                 \
        return ratio(numerator, denominator, empty);
#include "common/vgpu/perf/metrics.def"
#undef X
    case PERF_N_METRICS:
        break;
    }
#undef C
    return 0;
}

void perf_metrics_json(const PerfCounters *c, bool bare, StrBuf *out)
{
    strbuf_puts(out, bare ? "" : "{");
    for (int i = 0; i < PERF_N_METRICS; i++) {
        strbuf_printf(out, "%s\"%s\":", i ? "," : "", metrics[i]);
        strbuf_json_number(out, perf_metric(c, (PerfMetric)i));
    }
    strbuf_puts(out, bare ? "" : "}");
}

static const PerfModel models[] = {
#define X(...) {__VA_ARGS__},
#include "common/vgpu/perf/models.def"
#undef X
};

const PerfModel *perf_model(size_t i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

const PerfModel *perf_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcasecmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}
