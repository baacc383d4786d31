/* The least operations of a case's work, from the lab's `work` and the case's parameters; see lab_internal.h. */
#include "grader/core/lab_internal.h"

#include "common/base/formula.h"

#include <string.h>

const char *lab_find_param(const void *lab_case, const char *name)
{
    const LabCase *c = lab_case;
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, name) == 0)
            return c->params[i].value;
    return NULL;
}

bool lab_is_of(const LabCase *c, const char *of)
{
    for (size_t i = 0; i < c->n_params && of[0]; i++)
        if (strcmp(c->params[i].value, of) == 0)
            return true;
    return !of[0];
}

/* The first rule that is for the case: one without `of`, or with the value of one of its parameters. */
static const LabWork *work_of(const Lab *lab, const LabCase *c)
{
    for (size_t i = 0; i < lab->n_work; i++)
        if (lab_is_of(c, lab->work[i].of))
            return &lab->work[i];
    return NULL;
}

/* The value of an expression of the case's parameters, no less than 0. */
static Status evaluate(const LabCase *c, const char *text, int64_t *value, const char *path, Diag *d)
{
    const char *problem;
    double number = formula_value(text, lab_find_param, c, &problem);
    if (!problem && !(number < 1e15))
        problem = "its value is no number below 1e15";
    if (problem)
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "'%s' in 'work' of lab.yaml, for case '%s': %s",
                           text, c->name, problem);
    *value = number > 0 ? (int64_t)number : 0;
    return STATUS_OK;
}

Status lab_set_case_work(const Lab *lab, LabCase *c, const char *path, Diag *d)
{
    const LabWork *w = work_of(lab, c);
    bool asked = c->run && c->gpu_work;
    c->min_ops = c->has_min_ops ? c->min_ops : 1;
    if (asked && !c->has_min_ops && !w && lab->n_work > 0)
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0,
                           "no item of 'work' in lab.yaml is for case '%s'", c->name);
    if (!w || !asked)
        return STATUS_OK;
    c->host_finish = c->host_finish || w->host_finish;
    Status s = c->has_min_ops ? STATUS_OK : evaluate(c, w->ops, &c->min_ops, path, d);
    return s == STATUS_OK && !c->has_host_bytes ? evaluate(c, w->host_bytes, &c->host_bytes, path, d) : s;
}

Status lab_set_work(Lab *lab, size_t n_public, const char *path, const char *hidden_path, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; i < lab->n_cases && s == STATUS_OK; i++) {
        LabCase *c = &lab->cases[i];
        c->has_min_ops = c->min_ops >= 0;
        c->has_host_bytes = c->host_bytes != 0;
        s = lab_set_case_work(lab, c, i < n_public ? path : hidden_path, d);
    }
    return s;
}
