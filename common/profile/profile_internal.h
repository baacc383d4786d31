/* What the readers of common/profile share. */
#ifndef COMMON_PROFILE_PROFILE_INTERNAL_H
#define COMMON_PROFILE_PROFILE_INTERNAL_H

#include "common/profile/profile.h"

/* Counts a launch: `launch` becomes the one that is shown of its kernel when none was longer. */
Status profile_add_launch(Profile *profile, const ProfileKernel *launch, Diag *diag);

/* Adds count, time and bytes to the operation of that name; NAN bytes leave them as they are. */
Status profile_add_operation(Profile *profile, const ProfileOperation *operation, Diag *diag);

/* One record of CSV: fields without their quotes, in the arena. Several spaces of a field stay; a quote in a
 * quoted field is doubled. */
typedef struct CsvRecord {
    const char **fields;
    size_t n_fields, cap;
} CsvRecord;

/* Reads the record that begins at `at` and gives back where the next one begins; NULL past the last one, or
 * when memory ran out (n_fields is 0 then). */
const char *profile_csv_next(const char *at, Arena *arena, CsvRecord *record);

/* The place of the first field with that text; record->n_fields when there is none. */
size_t profile_csv_find(const CsvRecord *record, const char *name);

/* A number as the profilers print it, with or without commas between thousands; NAN for anything else. */
double profile_csv_number(const char *text);

#endif
