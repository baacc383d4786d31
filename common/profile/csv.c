/* csv: records of comma-separated values, as NVIDIA's profilers write them (RFC 4180: quotes around a field
 * that holds a comma, a quote doubled, a record may go over lines inside quotes). */
#include "common/profile/profile_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The field at `at`, copied without its quotes; gives back the comma or line end behind it. */
static const char *read_field(const char *at, Arena *arena, const char **field)
{
    size_t room = 0;
    bool quoted = *at == '"';
    const char *end = at + quoted;
    for (; *end; end++, room++) {
        if (quoted && *end == '"' && end[1] != '"')
            break;
        if (!quoted && (*end == ',' || *end == '\n' || *end == '\r'))
            break;
        if (quoted && *end == '"')
            end++;
    }
    char *to = arena_alloc(arena, room + 1);
    *field = to;
    if (to == NULL)
        return end;
    for (const char *from = at + quoted; from < end; from++) {
        *to++ = *from;
        if (quoted && *from == '"')
            from++;
    }
    return end + (quoted && *end == '"');
}

const char *profile_csv_next(const char *at, Arena *arena, CsvRecord *record)
{
    record->n_fields = 0;
    if (*at == 0)
        return NULL;
    for (;;) {
        const char *field;
        if (record->n_fields == record->cap) {
            size_t cap = record->cap == 0 ? 64 : 2 * record->cap;
            const char **grown = ARENA_NEW_ARRAY(arena, const char *, cap);
            if (grown == NULL)
                break;
            if (record->n_fields > 0)
                memcpy(grown, record->fields, record->n_fields * sizeof *grown);
            record->fields = grown;
            record->cap = cap;
        }
        at = read_field(at, arena, &field);
        if (field == NULL)
            break;
        record->fields[record->n_fields++] = field;
        if (*at == ',') {
            at++;
            continue;
        }
        at += strcspn(at, "\n");
        return *at ? at + 1 : at;
    }
    record->n_fields = 0;
    return NULL;
}

size_t profile_csv_find(const CsvRecord *record, const char *name)
{
    size_t i = 0;
    while (i < record->n_fields && strcmp(record->fields[i], name) != 0)
        i++;
    return i;
}

double profile_csv_number(const char *text)
{
    char plain[64];
    size_t n = 0;
    for (; *text; text++) {
        if (*text == ',')
            continue;
        if (n + 1 == sizeof plain)
            return NAN;
        plain[n++] = *text;
    }
    plain[n] = 0;
    char *end;
    double value = strtod(plain, &end);
    return n == 0 || *end ? NAN : value;
}
