/* grade: the points that count: from the grader's score, and what the course's policy and the log make of it.
 *
 *     for each attempt:  score - what lateness costs       (policy: due, late; extensions; receipts)
 *     the attempt that counts: the last, or the best of these
 *     its points, or those set by hand, + adjustments      (log: score, adjust)
 *     never less than 0
 *
 * Lateness counts from the due moment (with a student's extra hours), or an extension of it, to the receipt.
 * Up to the grace it costs nothing; beyond, each step begun from the due moment on costs its percent of the
 * lab's points. Where only the system's word "late" is known, that is one step, unless there is an extension.
 * Nothing is rounded before it is shown. All is a function of book and policy: no clock is read.
 *
 * What of it counts, grade_that_counts() says, and nobody else: every table and every export asks it.
 */
#ifndef GRADER_DB_GRADE_H
#define GRADER_DB_GRADE_H

#include "grader/core/policy.h"
#include "grader/core/roster.h"
#include "grader/db/gradebook.h"

typedef struct GradeItem {
    double points;    /* added, or with `set` the points instead of the grader's; 0 for comments */
    bool set, secret; /* secret: not for the student */
    const char *text; /* the reason, or the comment */
} GradeItem;

typedef struct Grade {
    double score, max_score;    /* of the attempt that counts */
    int64_t result;             /* that attempt's; 0: results from elsewhere */
    size_t attempt, n_attempts; /* 1 is the first; 0: nothing was handed in */
    bool late, closed;          /* closed: so late that nothing counts */
    bool late_is_said;          /* known from the system's word alone */
    int64_t late_s;             /* past due, extension and all; 0 where unknown */
    int64_t steps;
    double deduction; /* points that lateness costs */
    double final;
    GradeItem *items;           /* adjustments, then comments, each in the log's order */
    size_t n_items, n_comments; /* the comments are the last of the items */
    Verdict verdict;            /* of the attempt that counts */
    size_t n_inconclusive;      /* cases of it that could not be judged; they cost nothing */
} Grade;

/* How a student stands in a lab. */
typedef enum GradeState {
    GRADE_NOT_HANDED_IN, /* and nobody gave points */
    GRADE_UNGRADED,      /* the kit itself failed on the attempt that counts, and nobody has set points */
    GRADE_GRADED,
    GRADE_BY_HAND /* graded, with points that somebody set or added; also of nothing handed in */
} GradeState;

typedef struct GradeThatCounts {
    GradeState state;
    bool counts;   /* graded, or by hand: there are points */
    double points; /* 0 when nothing counts */
} GradeThatCounts;

/* What counts for a student and lab, for all tables and exports. Points that are only added do not settle
 * what the kit failed on; points that are set do. */
GradeThatCounts grade_that_counts(const Grade *g);
/* "not-handed-in", "ungraded", "graded", "by-hand" */
const char *grade_state_word(GradeState state);

/* A grade that is the result's score itself. */
Grade grade_plain(const Result *r);
size_t grade_count_inconclusive(const Result *r);
/* Whether there is nothing to say beside the score. */
bool grade_is_plain(const Grade *g);

/* What the book knows, read once. */
typedef struct GradeRules {
    Policy policy;
    GradebookChange *changes;
    size_t n_changes;
    GradebookAttempt *attempts;
    size_t n_attempts;
    const Roster *roster; /* the caller's: hours that students have beyond the due moment; NULL: none */
} GradeRules;

/* The rules live as long as the arena. */
Status grade_rules_load(Gradebook *g, Arena *a, GradeRules *rules, Diag *d);
/* The grade of a student in a lab; items are the arena's. False without memory. Without an attempt it is of 0
 * points. */
bool grade_work_out(const GradeRules *rules, Arena *a, const char *student, const char *lab, Grade *grade);

#endif
