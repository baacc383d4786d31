/* What must hold of `shapes`: names, numbers of lengths, and formulas whose values are whole numbers; see lab_internal.h. Who asks for a case's
 * shapes is `labtool shapes`. */
#include "grader/core/lab_internal.h"

#include "common/base/formula.h"

#include <math.h>

enum { DIMS_MAX = 3 };
static const double length_max = 1 << 30;

/* The formulas' values for a case. *has: the case has all their parameters. */
static Status check_values(const LabCase *c, const char **formulas, size_t n, bool *has, const char *path, Diag *d)
{
    for (size_t i = 0; i < n; i++) {
        const char *problem;
        double value = formula_value(formulas[i], lab_find_param, c, &problem);
        *has &= problem != formula_no_name;
        if (problem == formula_no_name)
            continue;
        if (!problem && !(value >= 0 && value <= length_max && floor(value) == value))
            problem = "its value is no whole number from 0 to 2^30";
        if (problem)
            return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "'%s' in 'shapes', for case '%s': %s", formulas[i], c->name, problem);
    }
    return STATUS_OK;
}

static Status check_shape(const Lab *lab, const LabShape *shape, size_t number, const char *path, Diag *d)
{
    bool used = false;
    if (shape->n_arrays == 0 || shape->n_shape == 0 || shape->n_shape > DIMS_MAX)
        return diag_set_at(d, STATUS_PARSE, path, 0, 0, "item %zu of 'shapes' must have 'arrays', and one to three lengths in 'shape'", number);
    if (shape->n_halo > 1 && shape->n_halo != shape->n_shape)
        return diag_set_at(d, STATUS_PARSE, path, 0, 0, "'halo' in item %zu of 'shapes' must have one number, or as many as 'shape'", number);
    for (size_t i = 0; i < shape->n_arrays; i++)
        if (!lab_is_identifier(shape->arrays[i]))
            return diag_set_at(d, STATUS_PARSE, path, 0, 0, "the array '%s' in 'shapes' must be letters, digits and underscores", shape->arrays[i]);
    for (size_t i = 0; i < lab->n_cases; i++) {
        bool has = true;
        Status s = check_values(&lab->cases[i], shape->shape, shape->n_shape, &has, path, d);
        if (s == STATUS_OK)
            s = check_values(&lab->cases[i], shape->halo, shape->n_halo, &has, path, d);
        if (s != STATUS_OK)
            return s;
        used |= has;
    }
    return used ? STATUS_OK : diag_set_at(d, STATUS_PARSE, path, 0, 0, "no case has all parameters that item %zu of 'shapes' names", number);
}

Status lab_check_shapes(const Lab *lab, const char *path, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; i < lab->n_shapes && s == STATUS_OK; i++)
        s = check_shape(lab, &lab->shapes[i], i + 1, path, d);
    return s;
}
