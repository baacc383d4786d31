/* formula: how it is read; the grammar is in formula.h. */
#include "common/base/formula.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char formula_no_name[] = "the case does not have a parameter";

enum { NESTED_MAX = 32, NAME_MAX_BYTES = 64 };

typedef struct FormulaReader {
    FormulaFind *find;
    const void *self;
    const char *at;
    int nested;
    const char *problem; /* NULL: none yet */
    char name[NAME_MAX_BYTES];
} FormulaReader;

static double read_sum(FormulaReader *r);

static double formula_fail(FormulaReader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
    return 0;
}

static void skip_blanks(FormulaReader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool formula_take(FormulaReader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static double formula_read_number(FormulaReader *r)
{
    skip_blanks(r);
    if (!isdigit((unsigned char)*r->at))
        return formula_fail(r, "expected a number, a parameter or a parenthesis");
    char *end;
    double value = strtod(r->at, &end);
    r->at = end;
    return value;
}

static double read_param(FormulaReader *r)
{
    bool has_default = formula_take(r, '?');
    double value = has_default ? formula_read_number(r) : 0;
    const char *text = r->find(r->self, r->name);
    if (!text)
        return has_default ? value : formula_fail(r, formula_no_name);
    char *end;
    value = strtod(text, &end);
    return *end == '\0' && end != text ? value : formula_fail(r, "a parameter is no number");
}

/* After its name. */
static double read_function(FormulaReader *r, bool smaller)
{
    double a = read_sum(r);
    if (!formula_take(r, ','))
        return formula_fail(r, "expected a comma");
    double b = read_sum(r);
    if (!formula_take(r, ')'))
        return formula_fail(r, "a parenthesis is not closed");
    return smaller == (a < b) ? a : b;
}

static double read_name(FormulaReader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    if (n >= sizeof r->name)
        return formula_fail(r, "a name is too long");
    memcpy(r->name, r->at, n);
    r->name[n] = '\0';
    r->at += n;
    bool smaller = strcmp(r->name, "min") == 0;
    if ((smaller || strcmp(r->name, "max") == 0) && formula_take(r, '('))
        return read_function(r, smaller);
    return read_param(r);
}

static double read_factor(FormulaReader *r)
{
    skip_blanks(r);
    if (isalpha((unsigned char)*r->at))
        return read_name(r);
    if (!formula_take(r, '('))
        return formula_read_number(r);
    double value = read_sum(r);
    return formula_take(r, ')') ? value : formula_fail(r, "a parenthesis is not closed");
}

static double read_product(FormulaReader *r)
{
    double value = read_factor(r);
    while (!r->problem) {
        if (formula_take(r, '*'))
            value *= read_factor(r);
        else if (formula_take(r, '/'))
            value /= read_factor(r);
        else
            break;
    }
    return value;
}

static double read_sum(FormulaReader *r)
{
    if (++r->nested > NESTED_MAX)
        return formula_fail(r, "too many parentheses");
    double value = read_product(r);
    while (!r->problem) {
        if (formula_take(r, '+'))
            value += read_product(r);
        else if (formula_take(r, '-'))
            value -= read_product(r);
        else
            break;
    }
    r->nested--;
    return value;
}

double formula_value(const char *text, FormulaFind *find, const void *self, const char **problem)
{
    FormulaReader r = {.find = find, .self = self, .at = text};
    double value = read_sum(&r);
    skip_blanks(&r);
    if (!r.problem && *r.at)
        formula_fail(&r, "something stands behind its end");
    *problem = r.problem;
    return value;
}
