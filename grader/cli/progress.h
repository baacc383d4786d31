/* progress: a line for each result as it comes: how many, how fast, how long still, how many fell short.
 *
 * On a terminal one line is written over and over; elsewhere each stays. The times of day it is made from go
 * nowhere else.
 */
#ifndef GRADER_CLI_PROGRESS_H
#define GRADER_CLI_PROGRESS_H

#include "grader/core/result.h"
#include "grader/class/class.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct CliProgress {
    size_t total, n_told, n_now, n_before, n_short, n_kit_errors;
    double started_s; /* of the clock since start */
    bool terminal;
} CliProgress;

void cli_progress_start(CliProgress *p, size_t total);
void cli_progress_tell(CliProgress *p, const Result *r, GradedHow how);
void cli_progress_end(CliProgress *p);

#endif
