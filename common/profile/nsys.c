/* nsys: copies, fills and kernels out of the tables that `nsys stats --format csv` prints one after the
 * other. The columns of a table say which it is: "Instances" and "Name" (kernels), "Total Time (ns)" and
 * "Operation", "Total (MB)" and "Operation". */
#include "common/profile/profile_internal.h"

#include <math.h>
#include <string.h>

/* The columns that a table has of these; its number of fields where it has them not. */
typedef struct Columns {
    size_t n, name, operation, count, instances, time_ns, megabytes;
} Columns;

static Columns columns_of(const CsvRecord *header)
{
    return (Columns){header->n_fields,
                     profile_csv_find(header, "Name"),
                     profile_csv_find(header, "Operation"),
                     profile_csv_find(header, "Count"),
                     profile_csv_find(header, "Instances"),
                     profile_csv_find(header, "Total Time (ns)"),
                     profile_csv_find(header, "Total (MB)")};
}

/* Older releases write HtoD. */
static const char *plain_name(const char *name)
{
    static const char *const short_names[][2] = {{"[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]"},
                                                 {"[CUDA memcpy DtoH]", "[CUDA memcpy Device-to-Host]"},
                                                 {"[CUDA memcpy DtoD]", "[CUDA memcpy Device-to-Device]"}};
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
        if (strcmp(name, short_names[i][0]) == 0)
            return short_names[i][1];
    return name;
}

/* A line of a table. Times come from one table and bytes from another: count is taken with the time. */
static Status add(const Columns *c, const CsvRecord *line, Profile *profile, Diag *diag)
{
    ProfileOperation o = {.bytes = NAN};
    bool is_kernel = c->name < c->n && c->instances < c->n && c->time_ns < c->n;
    if (!is_kernel && (c->operation == c->n || c->count == c->n))
        return STATUS_OK;
    o.name = is_kernel ? "kernels" : plain_name(line->fields[c->operation]);
    if (c->time_ns < c->n) {
        o.count = (unsigned)profile_csv_number(line->fields[is_kernel ? c->instances : c->count]);
        o.total_us = profile_csv_number(line->fields[c->time_ns]) / 1e3;
    } else if (c->megabytes < c->n) {
        o.bytes = profile_csv_number(line->fields[c->megabytes]) * 1e6;
    } else {
        return STATUS_OK;
    }
    return profile_add_operation(profile, &o, diag);
}

Status profile_read_nsys(const char *text, Profile *profile, Diag *diag)
{
    Columns columns = {0};
    CsvRecord line = {0};
    for (const char *at = text; *at;) {
        at = profile_csv_next(at, &profile->arena, &line);
        if (at == NULL)
            return diag_set(diag, STATUS_NO_MEMORY, "no memory for the profile");
        Columns header = columns_of(&line);
        bool is_header = header.name < header.n || header.operation < header.n;
        if (is_header)
            columns = header;
        if (is_header || columns.n == 0 || line.n_fields != columns.n)
            continue;
        Status status = add(&columns, &line, profile, diag);
        if (status)
            return status;
    }
    if (profile->n_operations == 0)
        return diag_set(diag, STATUS_NOT_FOUND, "Nsight Systems saw no copy and no kernel");
    return STATUS_OK;
}
