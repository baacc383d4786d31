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

static Columns columns_of(const CsvRow *header)
{
    return (Columns){header->n,
                     csv_find(header, "Name"),
                     csv_find(header, "Operation"),
                     csv_find(header, "Count"),
                     csv_find(header, "Instances"),
                     csv_find(header, "Total Time (ns)"),
                     csv_find(header, "Total (MB)")};
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
static Status nsys_add(const Columns *c, const CsvRow *line, Profile *profile, Diag *diag)
{
    ProfileOperation o = {.bytes = NAN};
    bool is_kernel = c->name < c->n && c->instances < c->n && c->time_ns < c->n;
    if (!is_kernel && (c->operation == c->n || c->count == c->n))
        return STATUS_OK;
    o.name = is_kernel ? "kernels" : plain_name(line->cells[c->operation].text);
    if (c->time_ns < c->n) {
        o.count = (unsigned)profile_number(line->cells[is_kernel ? c->instances : c->count].text);
        o.total_us = profile_number(line->cells[c->time_ns].text) / 1e3;
    } else if (c->megabytes < c->n) {
        o.bytes = profile_number(line->cells[c->megabytes].text) * 1e6;
    } else {
        return STATUS_OK;
    }
    return profile_add_operation(profile, &o, diag);
}

Status profile_read_nsys(const char *text, Profile *profile, Diag *diag)
{
    Columns columns = {0};
    CsvRow line;
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        if (!csv_read_row(&profile->arena, text, length, at, &line)) { /* what is printed between tables */
            at = csv_next_line(text, length, at);
            continue;
        }
        at = line.end;
        Columns header = columns_of(&line);
        bool is_header = header.name < header.n || header.operation < header.n;
        if (is_header)
            columns = header;
        if (is_header || columns.n == 0 || line.n != columns.n)
            continue;
        Status status = nsys_add(&columns, &line, profile, diag);
        if (status)
            return status;
    }
    if (profile->n_operations == 0)
        return diag_set(diag, STATUS_NOT_FOUND, "Nsight Systems saw no copy and no kernel");
    return STATUS_OK;
}
