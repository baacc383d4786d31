/* What reading a tool's report and wording a finding share. */
#ifndef GRADER_JUDGE_SANITIZER_INTERNAL_H
#define GRADER_JUDGE_SANITIZER_INTERNAL_H

#include "grader/judge/sanitizer_report.h"

enum { SANITIZER_DETAILS_MAX = 48 };

typedef enum SanitizerKind {
#define X(name, ...) KIND_##name,
#include "common/vgpu/check/findings.def"
#undef X
    N_KINDS
} SanitizerKind;

/* A place that a line names: "FUNCTION+0x80 in FILE:LINE". */
typedef struct SanitizerPlace {
    const char *function, *file; /* "" when not told */
    int64_t line;
} SanitizerPlace;

/* One report, read: its lines, and the facts that they tell. */
typedef struct SanitizerFacts {
    SanitizerTool tool;
    const char *head;
    const char *details[SANITIZER_DETAILS_MAX];
    size_t n_details;
    SanitizerKind kind;
    const char *title;     /* NULL: the kind's */
    SanitizerPlace at;     /* of the access */
    SanitizerPlace launch; /* of the host: the launch, the call, the allocation */
    SanitizerPlace other;  /* of a race's other access */
    const char *other_access;
} SanitizerFacts;

/* Fills what is worded of a finding (kind, verdict, message, hint, text) from its other fields and the facts.
 * False without memory. */
bool sanitizer_word_finding(Arena *a, const SanitizerFacts *facts, Finding *f);

#endif
