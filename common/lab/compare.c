/* compare: see compare.h. */
#include "common/lab/compare.h"

#include "common/lab/npy.h"

#include <math.h>
#include <string.h>

enum { RUN_ELEMENTS = 256 }; /* that are compared as bytes first */

/* IEEE 754 binary16, exactly. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1F;
    double fraction = bits & 0x3FF;
    double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 0x1F)
        return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * fraction * 0x1p-24;
    double scale = 0x1p-25;
    for (int i = 0; i < exponent; i++)
        scale *= 2;
    return sign * (1024 + fraction) * scale;
}

double compare_element(const LabArray *array, size_t i)
{
    const void *data = array->data;
    switch (array->type) {
    case LAB_F16:
        return half_value(((const uint16_t *)data)[i]);
    case LAB_F32:
        return ((const float *)data)[i];
    case LAB_F64:
        return ((const double *)data)[i];
    case LAB_I8:
        return ((const int8_t *)data)[i];
    case LAB_U8:
        return ((const uint8_t *)data)[i];
    case LAB_I16:
        return ((const int16_t *)data)[i];
    case LAB_U16:
        return ((const uint16_t *)data)[i];
    case LAB_I32:
        return ((const int32_t *)data)[i];
    case LAB_U32:
        return ((const uint32_t *)data)[i];
    case LAB_I64:
        return (double)((const int64_t *)data)[i];
    case LAB_U64:
        return (double)((const uint64_t *)data)[i];
    case LAB_N_TYPES:
        break;
    }
    return NAN;
}

/* A 64-bit integer of either signedness, with room for differences. */
static __int128 wide_integer(const LabArray *array, size_t i)
{
    if (array->type == LAB_U64)
        return ((const uint64_t *)array->data)[i];
    if (array->type == LAB_I64)
        return ((const int64_t *)array->data)[i];
    return (__int128)compare_element(array, i); /* up to 32 bits: exact */
}

bool compare_values(double got, double wanted, const Tolerance *tolerance, double *error, double *allowed)
{
    *allowed = tolerance->atol + tolerance->rtol * fabs(wanted);
    if (isnan(wanted) && isnan(got)) {
        *error = tolerance->nan_equal ? 0 : NAN;
        return tolerance->nan_equal;
    }
    if (got == wanted) { /* infinities too, whose difference is NaN */
        *error = 0;
        return true;
    }
    *error = fabs(got - wanted);
    if (isinf(wanted)) /* an infinite allowance forgives nothing */
        return false;
    return *error <= *allowed;
}

bool compare_at(const LabArray *got, size_t i, const LabArray *wanted, size_t j, const Tolerance *tolerance,
                double *error, double *allowed)
{
    if (npy_type_kind(got->type) == 'f' || npy_type_kind(wanted->type) == 'f')
        return compare_values(compare_element(got, i), compare_element(wanted, j), tolerance, error, allowed);
    __int128 difference = wide_integer(got, i) - wide_integer(wanted, j);
    *error = (double)(difference < 0 ? -difference : difference);
    *allowed = tolerance->atol + tolerance->rtol * fabs(compare_element(wanted, j));
    return *error <= *allowed;
}

/* Whether a run of elements is right at a glance: the same bytes, where the same bytes are always right. */
static bool is_same_run(const LabArray *got, const LabArray *wanted, size_t first, size_t n,
                        const Tolerance *tolerance)
{
    if (got->type != wanted->type || (npy_type_kind(got->type) == 'f' && !tolerance->nan_equal))
        return false;
    size_t size = npy_type_bytes(got->type);
    return memcmp((const char *)got->data + first * size, (const char *)wanted->data + first * size,
                  n * size) == 0;
}

CompareResult compare_arrays(const LabArray *got, const LabArray *wanted, const Tolerance *tolerance,
                             uint8_t *wrong)
{
    CompareResult result = {.elements = wanted->elements};
    for (size_t first = 0, n; first < wanted->elements; first += n) {
        n = wanted->elements - first < RUN_ELEMENTS ? wanted->elements - first : RUN_ELEMENTS;
        memset(wrong + first, 0, n);
        if (is_same_run(got, wanted, first, n, tolerance))
            continue;
        for (size_t i = first; i < first + n; i++) {
            double error, allowed;
            bool right = compare_at(got, i, wanted, i, tolerance, &error, &allowed);
            wrong[i] = !right;
            result.mismatches += !right;
            if (error > result.max_error && isfinite(error))
                result.max_error = error;
        }
    }
    return result;
}
