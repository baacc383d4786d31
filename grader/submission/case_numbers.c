/* See case_numbers.h. */
#include "grader/submission/case_numbers.h"

#include <math.h>
#include <string.h>

/* The solution's number, and the submission's own. */
static double compare_with_baseline(const LabBaseline *b, double own)
{
    if (strcmp(b->as, "difference") == 0)
        return (own - b->number) / b->by;
    return b->number / own;
}

bool case_number(const LabCase *c, const VgpuReport *report, const char *name, double *value)
{
    const LabBaseline *b = &c->baseline;
    if (!b->name || strcmp(name, b->name) != 0)
        return vgpu_report_number(report, name, value);
    if (!vgpu_report_number(report, b->of, value))
        return false;
    *value = compare_with_baseline(b, *value);
    return isfinite(*value);
}

/* How many times more than is in order the parts of a ratio come to; 1 where they are in order. */
static double excess(const LabCase *c, const VgpuReport *report, const char *const *parts)
{
    double sum = 0;
    for (int i = 0; i < LAB_RATIO_PARTS && parts[i]; i++) {
        double part = 0;
        sum += vgpu_report_number(report, parts[i], &part) ? part : 0;
    }
    return c->least > 0 && sum > c->slack * c->least ? sum / (c->slack * c->least) : 1;
}

static bool share_right(const JudgeAnswer *answer, const char *name, double *value)
{
    for (size_t i = 0; answer && i < answer->n_outputs; i++) {
        const JudgeOutput *o = &answer->outputs[i];
        if (strcmp(o->name, name) != 0 || o->elements < 1)
            continue;
        *value = 1 - (double)o->mismatches / (double)o->elements;
        return true;
    }
    return false;
}

bool case_metric(const LabCase *c, const VgpuReport *report, const JudgeAnswer *answer, double *value)
{
    if (strncmp(c->metric, LAB_RIGHT, strlen(LAB_RIGHT)) == 0)
        return share_right(answer, c->metric + strlen(LAB_RIGHT), value);
    const char *const *parts = lab_ratio_parts(c->metric);
    if (!report || !case_number(c, report, c->metric, value))
        return false;
    double times = parts ? excess(c, report, parts) : 1;
    bool large_is_good = c->n_tiers > 0 && isnan(c->tiers[0].at_most);
    *value = large_is_good ? *value / times : *value * times;
    return true;
}
