/* formula: the value of an expression of a case's parameters, such as "height * (2*radius + 1)".
 *
 *   expression  term (+ or - term)...        term  factor (* or / factor)...
 *   factor      number   name   name?number   (expression)   min(expression, expression)   max(...)
 *
 * A name is a parameter of the case; with a question mark, what stands for one that the case does not have.
 */
#ifndef COMMON_BASE_FORMULA_H
#define COMMON_BASE_FORMULA_H

/* The text of a parameter; NULL: there is none. */
typedef const char *FormulaFind(const void *self, const char *name);

/* *problem: NULL, or what is wrong; formula_no_name: a parameter that is not there. */
extern const char formula_no_name[];
double formula_value(const char *text, FormulaFind *find, const void *self, const char **problem);

#endif
