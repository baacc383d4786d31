/* result: what one submission came to, as it stands in result.json; and how long it took, in timing.json.
 *
 * A Result owns all its text and arrays through its arena. result.json holds nothing that differs between two
 * gradings of the same submission with the same seed; what does is in Timing.
 */
#ifndef GRADER_CORE_RESULT_H
#define GRADER_CORE_RESULT_H

#include "common/base/arena.h"
#include "common/base/finding.h"
#include "common/base/status.h"
#include "grader/core/verdict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESULT_SCHEMA = 1 };

typedef struct ResultMetric {
    const char *name;
    double value;
} ResultMetric;

/* An operation on the modelled timeline. */
typedef struct ResultSpan {
    const char *what; /* "kernel", "copy"... as the virtual GPU names it */
    const char *name; /* of the kernel; "copy to device"... */
    int64_t device, stream, bytes;
    double start_us, end_us;
} ResultSpan;

typedef struct CaseResult {
    const char *name;
    bool hidden;
    int64_t todo; /* that the case is about; 0 for none; not in result.json */
    double points, max_points;
    Verdict verdict;
    const char *message; /* what happened, for who may see everything */
    const char *lesson; /* what the case teaches: all that a student sees of a hidden case beside its name and
                           verdict */
    const char *hint;   /* "" when there is none or the case passed */
    const char *replay; /* a command line; "" for hidden cases */
    Finding *findings;  /* those of its fields that result.json has; no text is NULL */
    size_t n_findings;
    ResultMetric *metrics; /* in name order */
    size_t n_metrics;
    ResultSpan *spans; /* of a case that shows its timeline, in the order in which they ran */
    size_t n_spans, spans_left_out;
    const char *leaderboard; /* the metric that ranks the class; NULL where none does */
    bool highest_first;      /* of it */
} CaseResult;

typedef struct Result {
    Arena arena;
    const char *student, *lab;
    Verdict verdict;
    double score, max_score;
    const char *submission_sha256; /* 64 hex digits; "" when nothing was submitted */
    const char *kit_version;
    uint64_t seed; /* of the run; below 2^53, so that every reader of JSON sees it whole */
    const char *device_kind, *device_name;
    const char *compiler, *compiler_version; /* "nvcc" or "clang"; "" in results of earlier kits */
    const char *
        *sandbox; /* names of the active layers; "weak" stands first when the sandbox was overridden */
    size_t n_sandbox;
    Verdict build_verdict; /* pass, or what the build came to */
    const char *build_log;
    CaseResult *cases; /* in the lab's order */
    size_t n_cases;
} Result;

typedef struct CaseTiming {
    const char *name; /* owned by the Result's arena */
    double wall_s, cpu_s;
    int64_t max_rss_kib;
    bool ran_short; /* its time ran out while others had the processors; not written */
} CaseTiming;

/* Seconds of processors by what they were used for: rows of phases.def. */
typedef struct Phases {
#define X(name, ...) double name;
#include "grader/core/phases.def"
#undef X
} Phases;

typedef struct Timing {
    int64_t started_at; /* seconds since 1970, UTC */
    double total_s, build_s;
    Phases processor_s;
    CaseTiming *cases;
    size_t n_cases;
} Timing;

/* An empty Result; NULL when there is no memory. result_free takes NULL. */
Result *result_create(void);
void result_free(Result *r);

/* Whether a person must look at it: its verdict asks for one, or nothing could be taken of what lies there.
 */
bool result_needs_person(const Result *r);
/* The case of that name; NULL where there is none. */
const CaseResult *result_case(const Result *r, const char *name);
/* Whether the work falls short: exit status 1. */
bool result_falls_short(const Result *r);
/* Sets score and the submission's verdict from its cases (and the build's verdict). */
void result_sum_up(Result *r);

/* A new reference to r as JSON, its keys in a fixed order; NULL when there is no memory. */
json_t *result_to_json(const Result *r);
/* The Result that JSON of schema 1 holds; d says what was expected where. */
Status result_from_json(const json_t *json, Result **r, Diag *d);

/* Reads a result.json. */
Status result_load(const char *path, Result **r, Diag *d);
/* Writes DIR/result.json and DIR/timing.json, each whole or not at all; makes DIR when it is missing. */
Status result_save(const Result *r, const Timing *t, const char *dir, Diag *d);

#endif
