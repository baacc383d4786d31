/* ncu_report: what Nsight Compute measured of a case's program, from the page that it wrote.
 *
 *     ==PROF== Connected to process 7 (/prog/program)
 *     "ID","Process ID",...,"Kernel Name",...,"dram__bytes_read.sum",...      names
 *     "","",...,"","byte",...                                                 units
 *     "0","7",...,"scale_kernel(const float *, float *)",...,"8,001,536",...  a line a launch
 *
 * The program stands beside ncu and can write the same file. So the page is read as a whole or not at all:
 * every line is one of ncu's, launches are counted from 0 on without a gap, numbers have their unit and no
 * other form, and everything has an end. That it was ncu who wrote it nobody can tell from the page; who uses
 * the numbers holds them against others (grader/submission/counters.h).
 */
#ifndef GRADER_JUDGE_NCU_REPORT_H
#define GRADER_JUDGE_NCU_REPORT_H

#include "common/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { NCU_REPORT_BYTES_MAX = 8 << 20, NCU_REPORT_LAUNCHES_MAX = 1000 };

typedef enum NcuNumber {
#define X(number, name) NCU_##number,
#include "grader/judge/ncu_numbers.def"
#undef X
    NCU_N_NUMBERS
} NcuNumber;

/* Over all launches. */
typedef struct NcuCounters {
    double numbers[NCU_N_NUMBERS];
    size_t n_launches;
} NcuCounters;

/* The name that lab.yaml has for a number. */
const char *ncu_number_name(NcuNumber number);

/* The metrics that are read, for ncu's --metrics; NULL without memory. */
const char *ncu_report_metrics(Arena *a);

/* Reads a page. False when it is none, or ncu says in it that it failed: *why is then the reason, the
 * arena's, to be put into a sentence. */
bool ncu_report_read(Arena *a, const char *bytes, size_t length, NcuCounters *counters, const char **why);

#endif
