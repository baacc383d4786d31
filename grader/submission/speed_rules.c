/* The rules of speed; see speed_rules.h. */
#include "grader/submission/speed_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time at a share of the sorted times, between two of them where it falls there. */
static double quantile(const SpeedTimes *t, double share)
{
    SpeedTimes sorted = *t;
    if (t->n == 0)
        return 0;
    qsort(sorted.s, sorted.n, sizeof *sorted.s, by_size);
    double place = share * (double)(sorted.n - 1);
    size_t below = (size_t)place, above = below + 1 < sorted.n ? below + 1 : below;
    return sorted.s[below] + (place - (double)below) * (sorted.s[above] - sorted.s[below]);
}

double speed_median(const SpeedTimes *t)
{
    return quantile(t, 0.5);
}

double speed_quartile_distance(const SpeedTimes *t)
{
    return quantile(t, 0.75) - quantile(t, 0.25);
}

/* What the card needs at least, by its own measured rates, in seconds. */
static double roofline(const LabSpeedGoal *goal, const SpeedCeilings *c)
{
    double memory = c->copy_bytes_s > 0 ? goal->bytes / c->copy_bytes_s : 0;
    double arithmetic = c->ops_s > 0 ? goal->ops / c->ops_s : 0;
    return memory > arithmetic ? memory : arithmetic;
}

static const LabTier *tier_of(const LabSpeedGoal *goal, double share)
{
    for (size_t i = 0; i < goal->n_tiers; i++) {
        const LabTier *t = &goal->tiers[i];
        if (isnan(t->at_least) ? share <= t->at_most : share >= t->at_least)
            return t;
    }
    return NULL;
}

/* The share, and how it was measured. */
static const char *tell_share(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m,
                              const SpeedJudgement *j)
{
    bool of_ceiling = strcmp(goal->of, "ceiling") == 0;
    const char *of =
        of_ceiling ? "what the card's memory and arithmetic allow" : "the solution's speed on the same card";
    const char *text =
        arena_printf(a, "It reaches %.0f %% of %s (%.1f us a call, median of %d measurements).",
                     100 * j->share, of, j->call_us, (int)m->student.n);
    return text ? text : "";
}

/* The share that a time of a call, in microseconds, comes to. */
static double share_of(const LabSpeedGoal *goal, const SpeedJudgement *j, double call_us)
{
    double against = strcmp(goal->of, "ceiling") == 0 ? j->roofline_us : j->reference_us;
    return call_us > 0 ? against / call_us : 0;
}

static void decide_by(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m, const LabTier *tier,
                      SpeedJudgement *j)
{
    j->verdict = tier == &goal->tiers[0] ? VERDICT_PASS : VERDICT_SLOW;
    j->points = tier ? tier->points : 0;
    j->message = tell_share(a, goal, m, j);
}

/* Times that differ too much: the machine's fault or the program's wish. */
static void decide_spread(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m, SpeedJudgement *j)
{
    double reference_spread = speed_quartile_distance(&m->reference) / (1e-6 * j->reference_us);
    double fastest_us = 1e6 * (quantile(&m->student, 0) - speed_median(&m->blank));
    const LabTier *at_best = tier_of(goal, share_of(goal, j, fastest_us));
    if (reference_spread <= SPEED_SPREAD_MAX && at_best != &goal->tiers[0]) {
        decide_by(a, goal, m, at_best, j);
        return;
    }
    j->verdict = VERDICT_INCONCLUSIVE;
    j->message = "The measured times differ too much from one another to say how fast it is.";
}

static bool is_steady(const SpeedMeasured *m, const SpeedJudgement *j)
{
    return j->spread <= SPEED_SPREAD_MAX &&
           1e6 * speed_quartile_distance(&m->reference) <= SPEED_SPREAD_MAX * j->reference_us;
}

/* Sets verdict, points and message from the numbers. */
static void decide(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m, SpeedJudgement *j)
{
    double blank_us = 1e6 * speed_median(&m->blank);
    if (m->reference.n == 0 || m->blank.n == 0 || j->roofline_us <= 0 || j->reference_us <= 0 ||
        j->reference_us < SPEED_SIGNAL_MIN * blank_us) {
        j->verdict = VERDICT_INCONCLUSIVE;
        j->message = "Its speed could not be measured on this card.";
    } else if (j->call_us < SPEED_BEYOND_ROOFLINE * j->roofline_us) {
        j->verdict = VERDICT_SUSPECT;
        j->message = "It is faster than the card's memory and arithmetic allow; a person looks at it.";
    } else if (!is_steady(m, j)) {
        decide_spread(a, goal, m, j);
    } else {
        decide_by(a, goal, m, tier_of(goal, j->share), j);
    }
}

SpeedJudgement speed_judge(Arena *a, const LabSpeedGoal *goal, const SpeedMeasured *m)
{
    double blank = speed_median(&m->blank);
    SpeedJudgement j = {.verdict = VERDICT_WRONG_RESULT, .message = ""};
    if (m->differs || m->silent) {
        j.message = m->differs ? "A timed call on other inputs gave another result than the lab's solution."
                               : "The program ended, or gave no answer, while it was timed.";
        return j;
    }
    j.call_us = 1e6 * (speed_median(&m->student) - blank);
    j.reference_us = 1e6 * (speed_median(&m->reference) - blank);
    j.roofline_us = 1e6 * roofline(goal, &m->ceilings);
    j.spread = j.call_us > 0 ? 1e6 * speed_quartile_distance(&m->student) / j.call_us : 0;
    j.share = share_of(goal, &j, j.call_us);
    decide(a, goal, m, &j);
    return j;
}
