/* What the files of diagnose share. */
#ifndef COMMON_LAB_DIAGNOSE_INTERNAL_H
#define COMMON_LAB_DIAGNOSE_INTERNAL_H

#include "common/lab/diagnose.h"

/* A finder of patterns.def: whether the pattern fits; if so, its sentence is written (without a full stop).
 */
typedef bool Finder(const Evidence *e, char sentence[DIAGNOSIS_TEXT_MAX]);

#define X(slug, finder, hint) Finder find_##finder;
#include "common/lab/patterns.def"
#undef X

/* Whether all wrong elements (all elements) are device memory that nobody wrote, as the virtual GPU fills it. */
bool diagnose_is_fresh(const Evidence *e, bool wrong_ones);

/* The index of the first wrong element; there is one. */
size_t diagnose_first_wrong(const Evidence *e);

/* Whether all wrong elements are 0. */
bool diagnose_is_zero_there(const Evidence *e);

/* Relations are looked for in arrays of at least this size: smaller ones fit too many by chance. */
enum { RELATION_MIN = 4 };

#endif
