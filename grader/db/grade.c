/* grade: see grade.h. */
#include "grader/db/grade.h"

#include <math.h>
#include <string.h>

Grade grade_plain(const Result *r)
{
    size_t n = r->verdict != VERDICT_NOT_SUBMITTED;
    return (Grade){.score = r->score,
                   .max_score = r->max_score,
                   .attempt = n,
                   .n_attempts = n,
                   .final = r->score,
                   .verdict = r->verdict,
                   .n_inconclusive = grade_count_inconclusive(r)};
}

size_t grade_count_inconclusive(const Result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_cases; i++)
        n += r->cases[i].verdict == VERDICT_INCONCLUSIVE;
    return n;
}

GradeThatCounts grade_that_counts(const Grade *g)
{
    size_t n_points = g->n_items - g->n_comments;
    bool set = false;
    for (size_t i = 0; i < n_points; i++)
        set = set || g->items[i].set;
    GradeState state = n_points > 0 ? GRADE_BY_HAND : GRADE_GRADED;
    if (g->verdict == VERDICT_KIT_ERROR && !set)
        state = GRADE_UNGRADED;
    else if (g->attempt == 0 && n_points == 0)
        state = GRADE_NOT_HANDED_IN;
    bool counts = state == GRADE_GRADED || state == GRADE_BY_HAND;
    return (GradeThatCounts){.state = state, .counts = counts, .points = counts ? g->final : 0};
}

const char *grade_state_word(GradeState state)
{
    static const char *const words[] = {[GRADE_NOT_HANDED_IN] = "not-handed-in",
                                        [GRADE_UNGRADED] = "ungraded",
                                        [GRADE_GRADED] = "graded",
                                        [GRADE_BY_HAND] = "by-hand"};
    return words[state];
}

bool grade_is_plain(const Grade *g)
{
    return g->n_items == 0 && !g->late && g->n_attempts <= 1 && g->final == g->score &&
           g->n_inconclusive == 0 && g->verdict != VERDICT_KIT_ERROR;
}

Status grade_rules_load(Gradebook *g, Arena *a, GradeRules *rules, Diag *d)
{
    *rules = (GradeRules){0};
    Status s = gradebook_changes(g, a, &rules->changes, &rules->n_changes, d);
    if (s == STATUS_OK)
        s = gradebook_attempts(g, a, &rules->attempts, &rules->n_attempts, d);
    const char *policy = "";
    for (size_t i = 0; s == STATUS_OK && i < rules->n_changes; i++)
        if (rules->changes[i].kind == CHANGE_POLICY && !rules->changes[i].withdrawn)
            policy = rules->changes[i].text;
    return s != STATUS_OK
               ? s
               : policy_read(a, "the gradebook's policy", policy, strlen(policy), &rules->policy, d);
}

/* Whether a line of the log holds for this student in this lab. */
static bool concerns(const GradebookChange *c, const char *student, const char *lab)
{
    return !c->withdrawn && (!c->student[0] || strcmp(c->student, student) == 0) &&
           (!c->lab[0] || strcmp(c->lab, lab) == 0);
}

/* The moment until which the student is in time: the policy's, or the latest extension. */
static bool find_due(const GradeRules *rules, const char *student, const char *lab, int64_t *due,
                     bool *extended)
{
    const PolicyDue *planned = policy_due(&rules->policy, lab);
    *due = (planned ? planned->at : 0) + roster_extra_seconds(rules->roster, student);
    *extended = false;
    for (size_t i = 0; i < rules->n_changes; i++) {
        const GradebookChange *c = &rules->changes[i];
        if (c->kind != CHANGE_EXTEND || !concerns(c, student, lab))
            continue;
        *extended = true;
        *due = (int64_t)c->value > *due ? (int64_t)c->value : *due;
    }
    return planned;
}

/* Fills what is known of lateness, and what it costs. */
static void judge_time(const GradeRules *rules, const GradebookAttempt *t, Grade *g)
{
    int64_t due;
    bool extended, has_due = find_due(rules, t->student, t->lab, &due, &extended);
    const PolicyLate *late = &rules->policy.late;
    if (has_due && t->has_time) {
        g->late_s = t->received_at > due ? t->received_at - due : 0;
        g->late = (double)g->late_s > late->grace_minutes * 60;
    } else {
        g->late = g->late_is_said = t->late && !extended;
    }
    if (!g->late || !rules->policy.has_late)
        return;
    g->steps = g->late_is_said ? 1 : (int64_t)ceil((double)g->late_s / (late->every_hours * 3600));
    g->closed = late->closed_after_hours > 0 && (double)g->late_s > late->closed_after_hours * 3600;
    double percent = (double)g->steps * late->deduct;
    percent = g->closed ? 100 : percent < late->at_most ? percent : late->at_most;
    g->deduction = t->max_score * percent / 100;
    if (g->deduction > t->score || g->closed)
        g->deduction = t->score;
}

static Grade grade_attempt(const GradeRules *rules, const GradebookAttempt *t)
{
    Grade g = {.score = t->score, .max_score = t->max_score, .result = t->result, .verdict = t->verdict};
    judge_time(rules, t, &g);
    g.final = g.score - g.deduction;
    return g;
}

/* The attempt that counts; of equals the last one. That nothing is there any more is no attempt, but it is
 * the last that is known. */
static Grade choose_attempt(const GradeRules *rules, const char *student, const char *lab)
{
    Grade chosen = {.verdict = VERDICT_NOT_SUBMITTED};
    size_t n = 0;
    for (size_t i = 0; i < rules->n_attempts; i++) {
        const GradebookAttempt *t = &rules->attempts[i];
        if (strcmp(t->student, student) != 0 || strcmp(t->lab, lab) != 0)
            continue;
        Grade g = grade_attempt(rules, t);
        bool is_attempt = t->verdict != VERDICT_NOT_SUBMITTED, first = chosen.result == 0;
        n += is_attempt;
        g.attempt = is_attempt ? n : 0;
        if (first || !rules->policy.best || (is_attempt && (g.final >= chosen.final || chosen.attempt == 0)))
            chosen = g;
    }
    chosen.n_attempts = n;
    return chosen;
}

/* The log's lines of some kinds become items. */
static void add_items(const GradeRules *rules, const char *student, const char *lab, bool comments, Grade *g)
{
    for (size_t i = 0; i < rules->n_changes; i++) {
        const GradebookChange *c = &rules->changes[i];
        bool comment = c->kind == CHANGE_COMMENT || c->kind == CHANGE_NOTE;
        bool points = c->kind == CHANGE_ADJUST || c->kind == CHANGE_SCORE;
        if (!concerns(c, student, lab) || !(comments ? comment : points))
            continue;
        g->items[g->n_items++] = (GradeItem){.points = points ? c->value : 0,
                                             .set = c->kind == CHANGE_SCORE,
                                             .secret = c->kind == CHANGE_NOTE,
                                             .text = comment ? c->text : c->why};
    }
}

bool grade_work_out(const GradeRules *rules, Arena *a, const char *student, const char *lab, Grade *grade)
{
    *grade = choose_attempt(rules, student, lab);
    grade->items = ARENA_NEW_ARRAY(a, GradeItem, rules->n_changes + 1);
    if (!grade->items)
        return false;
    add_items(rules, student, lab, false, grade);
    double added = 0;
    for (size_t i = 0; i < grade->n_items; i++) {
        if (grade->items[i].set)
            grade->final = grade->items[i].points; /* the last one set counts */
        else
            added += grade->items[i].points;
    }
    grade->final = grade->final + added > 0 ? grade->final + added : 0;
    size_t n_adjustments = grade->n_items;
    add_items(rules, student, lab, true, grade);
    grade->n_comments = grade->n_items - n_adjustments;
    return true;
}
