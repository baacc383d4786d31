/* vgpu_report: the virtual GPU's report of one case (CASEDIR/report.json), read as what it is: a file that a
 * hostile program may have written.
 *
 * Every field is type-checked and every list is cut at a limit; what is missing has its zero, what has the
 * wrong type makes the report invalid as a whole. Numbers are finite. Text is not cleaned here: escapes
 * belong where text is shown.
 */
#ifndef GRADER_JUDGE_VGPU_REPORT_H
#define GRADER_JUDGE_VGPU_REPORT_H

#include "common/base/arena.h"
#include "common/base/finding.h"
#include "common/base/status.h"
#include "grader/core/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VGPU_REPORT_BYTES_MAX = 16 << 20,
    VGPU_REPORT_FINDINGS_MAX = 100,
    VGPU_REPORT_ERRORS_MAX = 100,
    VGPU_REPORT_LAUNCHES_MAX = 1000,
    VGPU_REPORT_NUMBERS_MAX = 512, /* totals, metrics and memory together */
    VGPU_REPORT_TEXT_MAX = 4096,   /* bytes of one string */
};

/* A runtime call that returned an error. */
typedef struct VgpuError {
    const char *call, *error; /* "cudaMalloc", "cudaErrorMemoryAllocation" */
    int64_t code, line;
    const char *file;
    bool sticky;
    bool met; /* the devices gave an answer that was an error; else it is the program's word alone */
} VgpuError;

typedef struct VgpuLaunch {
    const char *kernel;      /* "void tiled<32>(float const*, int)" */
    const char *launched_as; /* "<<<(4,2), 256>>>(#1, 1000)" */
    double blocks, threads;  /* how many; threads of a block */
    double stored;           /* bytes in global memory; NaN: not known */
} VgpuLaunch;

typedef struct VgpuNumber {
    const char *name;
    double value;
} VgpuNumber;

typedef struct VgpuReport {
    Arena arena;
    const char *device_kind, *device_name;
    int64_t exit_status, exit_signal;
    Finding *findings; /* in the report's order; no text is NULL */
    size_t n_findings;
    VgpuError *errors;
    size_t n_errors;
    VgpuLaunch *launches;
    size_t n_launches;
    VgpuNumber *totals, *memory, *metrics; /* each in name order */
    size_t n_totals, n_memory, n_metrics;
    double timeline_us;
    double kernel_us; /* of all launches together */
    const char *bound; /* what limited the launch that took longest: "memory", "compute"...; "" */
    /* Of a run with --fail-at: the calls that could fail, and whether the devices made one of them fail. */
    int64_t can_fail, injected_code;
    bool injected;
    bool cut;          /* a list was longer than its limit */
} VgpuReport;

/* Reads the report named `name` in the folder dir_fd. STATUS_NOT_FOUND when there is none; STATUS_PARSE or
 * STATUS_LIMIT when it is no report. *r is NULL on failure. */
Status vgpu_report_read(int dir_fd, const char *name, VgpuReport **r, Diag *d);
/* The same from bytes in memory. */
Status vgpu_report_parse(const char *bytes, size_t length, VgpuReport **r, Diag *d);
void vgpu_report_free(VgpuReport *r);
/* Names files as their author does: takes "FOLDER/" out of all texts that name a place ("/src/a.cu:3" ->
 * "a.cu:3"). */
void vgpu_report_strip_folder(VgpuReport *r, const char *folder);

/* The number of that name among totals, metrics, memory (in this order), "timeline_us" and "kernel_us"; false when there
 * is none. */
bool vgpu_report_number(const VgpuReport *r, const char *name, double *value);

/* What a finding of a report leads to; VERDICT_PASS for advice. */
Verdict vgpu_finding_verdict(const Finding *f);
/* The finding that counts most: the gravest verdict, the first of several; NULL when there are none but
 * advice. */
const Finding *vgpu_report_worst(const VgpuReport *r);

#endif
