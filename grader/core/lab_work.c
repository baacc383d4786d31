/* The least operations of a case's work, from the lab's `work` and the case's parameters; see lab_internal.h.
 *
 *   expression  term (+ or - term)...        term  factor (* or / factor)...
 *   factor      number   name   name?number   (expression)   min(expression, expression)   max(...)
 *
 * A name is a parameter of the case; with a question mark, what stands for one that the case does not have.
 */
#include "grader/core/lab_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MAX = 32, NAME_MAX_BYTES = 64 };

typedef struct WorkReader {
    const LabCase *lab_case;
    const char *at;
    int nested;
    const char *problem; /* NULL: none yet */
    char name[NAME_MAX_BYTES];
} WorkReader;

static double read_sum(WorkReader *r);

static double work_fail(WorkReader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
    return 0;
}

static void skip_blanks(WorkReader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool lab_work_take(WorkReader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static double work_read_number(WorkReader *r)
{
    skip_blanks(r);
    if (!isdigit((unsigned char)*r->at))
        return work_fail(r, "expected a number, a parameter or a parenthesis");
    char *end;
    double value = strtod(r->at, &end);
    r->at = end;
    return value;
}

static double read_param(WorkReader *r)
{
    const LabCase *c = r->lab_case;
    bool has_default = lab_work_take(r, '?');
    double value = has_default ? work_read_number(r) : 0;
    for (size_t i = 0; i < c->n_params; i++) {
        if (strcmp(c->params[i].key, r->name) != 0)
            continue;
        char *end;
        value = strtod(c->params[i].value, &end);
        return *end == '\0' && end != c->params[i].value ? value : work_fail(r, "a parameter is no number");
    }
    return has_default ? value : work_fail(r, "the case does not have a parameter");
}

/* After its name. */
static double read_function(WorkReader *r, bool smaller)
{
    double a = read_sum(r);
    if (!lab_work_take(r, ','))
        return work_fail(r, "expected a comma");
    double b = read_sum(r);
    if (!lab_work_take(r, ')'))
        return work_fail(r, "a parenthesis is not closed");
    return smaller ? fmin(a, b) : fmax(a, b);
}

static double read_name(WorkReader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    if (n >= sizeof r->name)
        return work_fail(r, "a name is too long");
    memcpy(r->name, r->at, n);
    r->name[n] = '\0';
    r->at += n;
    bool smaller = strcmp(r->name, "min") == 0;
    if ((smaller || strcmp(r->name, "max") == 0) && lab_work_take(r, '('))
        return read_function(r, smaller);
    return read_param(r);
}

static double read_factor(WorkReader *r)
{
    skip_blanks(r);
    if (isalpha((unsigned char)*r->at))
        return read_name(r);
    if (!lab_work_take(r, '('))
        return work_read_number(r);
    double value = read_sum(r);
    return lab_work_take(r, ')') ? value : work_fail(r, "a parenthesis is not closed");
}

static double read_product(WorkReader *r)
{
    double value = read_factor(r);
    while (!r->problem) {
        if (lab_work_take(r, '*'))
            value *= read_factor(r);
        else if (lab_work_take(r, '/'))
            value /= read_factor(r);
        else
            break;
    }
    return value;
}

static double read_sum(WorkReader *r)
{
    if (++r->nested > NESTED_MAX)
        return work_fail(r, "too many parentheses");
    double value = read_product(r);
    while (!r->problem) {
        if (lab_work_take(r, '+'))
            value += read_product(r);
        else if (lab_work_take(r, '-'))
            value -= read_product(r);
        else
            break;
    }
    r->nested--;
    return value;
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
    WorkReader r = {.lab_case = c, .at = text};
    double number = read_sum(&r);
    skip_blanks(&r);
    if (!r.problem && *r.at)
        work_fail(&r, "something stands behind its end");
    if (!r.problem && !(number < 1e15))
        work_fail(&r, "its value is no number below 1e15");
    if (r.problem)
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "'%s' in 'work' of lab.yaml, for case '%s': %s",
                           text, c->name, r.problem);
    *value = number > 0 ? (int64_t)number : 0;
    return STATUS_OK;
}

static Status set_work(const Lab *lab, LabCase *c, const char *path, Diag *d)
{
    const LabWork *w = work_of(lab, c);
    bool given = c->min_ops >= 0, asked = c->run && c->gpu_work;
    c->min_ops = given ? c->min_ops : 1;
    if (asked && !given && !w && lab->n_work > 0)
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0,
                           "no item of 'work' in lab.yaml is for case '%s'", c->name);
    if (!w || !asked)
        return STATUS_OK;
    c->host_finish = c->host_finish || w->host_finish;
    Status s = given ? STATUS_OK : evaluate(c, w->ops, &c->min_ops, path, d);
    return s == STATUS_OK && c->host_bytes == 0 ? evaluate(c, w->host_bytes, &c->host_bytes, path, d) : s;
}

Status lab_set_work(Lab *lab, size_t n_public, const char *path, const char *hidden_path, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; i < lab->n_cases && s == STATUS_OK; i++)
        s = set_work(lab, &lab->cases[i], i < n_public ? path : hidden_path, d);
    return s;
}
