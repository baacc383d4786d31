/* compare: are two arrays the same within a tolerance, as numpy.allclose defines it?
 *
 *   right = !( |got - wanted| > atol + rtol * |wanted| )   written so that a NaN is never right by accident
 *
 * Equal infinities are equal; NaN equals NaN only when the tolerance says so. Integers are compared exactly,
 * without a detour through floating point, and their error is rounded to double once.
 */
#ifndef COMMON_LAB_COMPARE_H
#define COMMON_LAB_COMPARE_H

#include "common/lab/array.h"

#include <stdbool.h>

typedef struct Tolerance {
    double rtol, atol;
    bool nan_equal;
} Tolerance;

/* Element i as a double (64-bit integers are rounded). */
double compare_element(const LabArray *array, size_t i);

/* Whether one value is right; *error = |got - wanted|, *allowed = atol + rtol * |wanted| (both may be NaN or
 * infinite). */
bool compare_values(double got, double wanted, const Tolerance *tolerance, double *error, double *allowed);
/* The same for element i of got and element j of wanted. */
bool compare_at(const LabArray *got, size_t i, const LabArray *wanted, size_t j, const Tolerance *tolerance,
                double *error, double *allowed);

typedef struct CompareResult {
    size_t elements, mismatches;
    double max_error; /* the largest that is a number; 0 when there is none */
} CompareResult;

/* Compares arrays of as many elements. wrong[i] is set to 1 where element i is not right, else 0. */
CompareResult compare_arrays(const LabArray *got, const LabArray *wanted, const Tolerance *tolerance,
                             uint8_t *wrong);

#endif
