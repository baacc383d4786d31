/* ncu: launches out of the CSV that Nsight Compute prints: a line of names, a line of units, then a line a
 * launch. */
#include "common/profile/profile_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Busy: from this share of its peak on a unit is what limits a kernel; below it, for both, latency does.
 * Nsight Compute's own rule for its "speed of light". */
#define BUSY_PERCENT 60.0

static const char *const metrics_of[N_PROFILE_INPUTS] = {
#define X(name, ours, scale, theirs) [INPUT_##name] = theirs,
#include "common/profile/inputs.def"
#undef X
};

/* A term of a sum, [NUMBER*]METRIC: how it weighs, its name, and in *at where the next one begins. */
typedef struct Term {
    double weight;
    const char *name;
    size_t length;
} Term;

static bool next_term(const char **at, Term *term)
{
    if (**at == 0)
        return false;
    size_t length = strcspn(*at, "+"), star = strcspn(*at, "*+");
    *term = (Term){1, *at, length};
    if (star < length) {
        term->weight = strtod(*at, NULL);
        term->name += star + 1;
        term->length -= star + 1;
    }
    *at += length + ((*at)[length] == '+');
    return true;
}

void profile_ncu_metrics(StrBuf *out)
{
    const char *between = "";
    for (size_t i = 0; i < N_PROFILE_INPUTS; i++) {
        const char *at = metrics_of[i];
        Term term;
        while (next_term(&at, &term)) {
            strbuf_printf(out, "%s%.*s", between, (int)term.length, term.name);
            between = ",";
        }
    }
}

/* ncu scales what it prints (--print-units base keeps it from doing so); this takes it back. */
static double scale_of(const char *unit, bool is_time)
{
    static const struct {
        const char *unit;
        double scale;
    } times[] = {{"ns", 1e-3}, {"nsecond", 1e-3}, {"us", 1},  {"usecond", 1},
                 {"ms", 1e3},  {"msecond", 1e3},  {"s", 1e6}, {"second", 1e6}},
      prefixes[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    if (is_time) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            if (strcmp(times[i].unit, unit) == 0)
                return times[i].scale;
        return NAN;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(unit, prefixes[i].unit, 1) == 0)
            return prefixes[i].scale;
    return 1;
}

static double ncu_value(const CsvRow *names, const CsvRow *units, const CsvRow *launch, ProfileInput input)
{
    const char *at = metrics_of[input];
    double sum = 0;
    Term term;
    while (next_term(&at, &term)) {
        char name[128];
        if (term.length >= sizeof name)
            return NAN;
        memcpy(name, term.name, term.length);
        name[term.length] = 0;
        size_t column = csv_find(names, name);
        if (column >= launch->n || column >= units->n)
            return NAN;
        sum += term.weight * profile_number(launch->cells[column].text) *
               scale_of(units->cells[column].text, input == INPUT_TIME);
    }
    return sum;
}

static const char *bound_of(const double *inputs)
{
    double sm = inputs[INPUT_BUSY_SM], memory = inputs[INPUT_BUSY_MEMORY];
    if (isnan(sm) || isnan(memory))
        return "";
    if (sm < BUSY_PERCENT && memory < BUSY_PERCENT)
        return "latency";
    return sm > memory ? "compute" : "memory";
}

static const char *field(const CsvRow *names, const CsvRow *record, const char *name)
{
    size_t column = csv_find(names, name);
    return column < record->n ? record->cells[column].text : "";
}

static Status ncu_add(const CsvRow *names, const CsvRow *units, const CsvRow *record, Profile *profile,
                  Diag *diag)
{
    ProfileKernel launch = {.name = field(names, record, "Kernel Name")};
    for (int i = 0; i < N_PROFILE_INPUTS; i++)
        launch.inputs[i] = ncu_value(names, units, record, (ProfileInput)i);
    launch.bound = bound_of(launch.inputs);
    launch.shape = arena_printf(&profile->arena, "<<<%s, %s>>>", field(names, record, "Grid Size"),
                                field(names, record, "Block Size"));
    if (!launch.shape)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for the profile");
    return profile_add_launch(profile, &launch, diag);
}

Status profile_read_ncu(const char *text, Profile *profile, Diag *diag)
{
    CsvRow names, units, launch;
    size_t length = strlen(text);
    /* What ncu and the program say stands around the page; each of the page's lines begins with a quote. */
    const char *page = text;
    while (page && strncmp(page, "\"ID\",", 5) != 0)
        page = (page = strchr(page, '\n')) ? page + 1 : NULL;
    if (!page)
        return diag_set(diag, STATUS_NOT_FOUND, "Nsight Compute measured no kernel");
    if (!csv_read_row(&profile->arena, text, length, (size_t)(page - text), &names) ||
        csv_find(&names, "Kernel Name") == names.n ||
        !csv_read_row(&profile->arena, text, length, names.end, &units))
        return diag_set(diag, STATUS_PARSE,
                        "this is no page of ncu --csv --page raw: no column 'Kernel Name'");
    for (size_t at = units.end; at < length;) {
        bool read = text[at] == '"' && csv_read_row(&profile->arena, text, length, at, &launch);
        Status status = read && launch.n == names.n ? ncu_add(&names, &units, &launch, profile, diag) : STATUS_OK;
        if (status)
            return status;
        at = read ? launch.end : csv_next_line(text, length, at);
    }
    if (profile->n_kernels == 0)
        return diag_set(diag, STATUS_NOT_FOUND, "Nsight Compute measured no kernel");
    return STATUS_OK;
}
