/* check_close, check_equal: the judge's comparison and words, for a student's own experiments. */
#include "common/lab/diagnose.h"
#include "common/lab/lab.h"

#include <stdio.h>
#include <stdlib.h>

static LabArray vector_of(const char *name, LabType type, const void *data, size_t n)
{
    LabArray array = {.type = type, .n_dims = 1, .shape = {n}, .elements = n, .data = (void *)data};
    snprintf(array.name, sizeof array.name, "%s", name);
    return array;
}

static size_t check_elements(const LabArray *got, const LabArray *wanted, Tolerance tolerance)
{
    uint8_t *wrong = malloc(wanted->elements + 1);
    if (!wrong) {
        fprintf(stderr, "%s: no memory to compare %zu elements\n", wanted->name, wanted->elements);
        return wanted->elements;
    }
    CompareResult result = compare_arrays(got, wanted, &tolerance, wrong);
    if (result.mismatches == 0) {
        printf("%s: all %zu elements are right\n", wanted->name, wanted->elements);
    } else {
        Evidence e = {.got = got, .wanted = wanted, .tolerance = tolerance, .result = result, .wrong = wrong};
        Diagnosis d = diagnose_result(&e);
        StrBuf text = {0};
        diagnose_write(&text, &e, &d);
        strbuf_print(&text, stdout);
    }
    free(wrong);
    return result.mismatches;
}

size_t check_close(const char *name, const float *got, const float *wanted, size_t n, double rtol,
                   double atol)
{
    LabArray g = vector_of(name, LAB_F32, got, n);
    LabArray w = vector_of(name, LAB_F32, wanted, n);
    return check_elements(&g, &w, (Tolerance){.rtol = rtol, .atol = atol});
}

size_t check_equal(const char *name, const int *got, const int *wanted, size_t n)
{
    LabArray g = vector_of(name, LAB_I32, got, n);
    LabArray w = vector_of(name, LAB_I32, wanted, n);
    return check_elements(&g, &w, (Tolerance){0});
}
