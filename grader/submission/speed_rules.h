/* speed_rules: from measured times to a verdict on speed, in one place.
 *
 * Nothing in here reads a clock or knows a process. Times are those of a single call, in seconds, with all
 * that the harness does around it; `blank` is what that takes by itself, and is taken off.
 */
#ifndef GRADER_SUBMISSION_SPEED_RULES_H
#define GRADER_SUBMISSION_SPEED_RULES_H

#include "common/base/arena.h"
#include "grader/core/lab.h"
#include "grader/core/verdict.h"

enum { SPEED_PAIRS = 2, SPEED_ROUNDS = 5, SPEED_TIMES_MAX = SPEED_PAIRS * SPEED_ROUNDS };

typedef struct SpeedTimes {
    double s[SPEED_TIMES_MAX];
    size_t n;
} SpeedTimes;

/* What the card does at best, in bytes, operations and seconds; 0: not measured. */
typedef struct SpeedCeilings {
    double copy_bytes_s, ops_s, link_bytes_s, launch_s;
} SpeedCeilings;

typedef struct SpeedMeasured {
    SpeedTimes student, reference, blank;
    SpeedCeilings ceilings;
    bool differs; /* an answer of the student's is not the reference's */
    bool silent;  /* the student's program ended, or gave no answer in time */
} SpeedMeasured;

typedef struct SpeedJudgement {
    Verdict verdict; /* wrong-result, inconclusive, suspect, slow or pass */
    double points;
    double share;                 /* of the reference's or the ceiling's speed */
    double call_us, reference_us; /* medians, without what is around the call */
    double spread;                /* between the quartiles, over the median */
    double roofline_us;           /* what the ceilings allow at best */
    const char *message;
} SpeedJudgement;

/* More spread than this, of either program, is inconclusive; but who falls short by the fastest of the
 * measured times does so by all of them. */
#define SPEED_SPREAD_MAX 0.15
/* A call this much faster than the ceilings allow is for a person to look at. */
#define SPEED_BEYOND_ROOFLINE 0.8
/* A call must take this share of what is measured around it, at least, to be told from that. */
#define SPEED_SIGNAL_MIN 0.05

/* The median, and the distance of the quartiles; 0 of no times. */
double speed_median(const SpeedTimes *t);
double speed_quartile_distance(const SpeedTimes *t);

/* The message belongs to the arena. */
SpeedJudgement speed_judge(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m);

#endif
