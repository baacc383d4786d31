/* What the files that make and read result.json share. */
#ifndef GRADER_CORE_RESULT_INTERNAL_H
#define GRADER_CORE_RESULT_INTERNAL_H

#include "grader/core/result.h"

/* A new reference; NULL when there is no memory. */
json_t *timing_to_json(const Timing *t);

#endif
