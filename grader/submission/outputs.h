/* outputs: what the grader itself needs to know of a case's output files, beside what the judge says. They
 * are read as what they are: files that a hostile program wrote. */
#ifndef GRADER_SUBMISSION_OUTPUTS_H
#define GRADER_SUBMISSION_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

/* The number that the driver reported under a key, by the record of calls (CASEDIR/calls), or by CASEDIR/out/values where nobody kept one;
 * false when there is none. */
bool outputs_value(const char *case_dir, const char *key, double *value);

#endif
