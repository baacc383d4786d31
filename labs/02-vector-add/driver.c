/* Lab 02: calls vector_add on the arrays of a case, the first of several times on half of them. With `before` so many zeros come
 * before the arrays' elements, so that there are more than a float can count.
 */
#include "lab.h"

#include "vector_add.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_behind_zeros(const float *a, const float *b, float *sum, size_t n, size_t before)
{
    float *of_a = calloc(before + n, sizeof *a), *of_b = calloc(before + n, sizeof *b), *all = calloc(before + n, sizeof *sum);
    if (!of_a || !of_b || !all) {
        fprintf(stderr, "no memory for %zu elements\n", before + n);
        exit(1);
    }
    memcpy(of_a + before, a, n * sizeof *a);
    memcpy(of_b + before, b, n * sizeof *b);
    memcpy(all + before, sum, n * sizeof *sum);
    int status = vector_add(of_a, of_b, all, (int)(before + n));
    memcpy(sum, all + before, n * sizeof *sum);
    free(of_a);
    free(of_b);
    free(all);
    return status;
}

void lab_main(LabCase *c)
{
    size_t n = 0;
    const float *a = lab_input_f32(c, "a", &n);
    const float *b = lab_input_f32(c, "b", NULL);
    float *sum = lab_output_f32(c, "c", n);
    int64_t calls = lab_has_param(c, "calls") ? lab_param_int(c, "calls") : 1;

    int status = 0;
    for (int64_t i = 1; i < calls && status == 0; i++)
        status = vector_add(b, b, sum, (int)(i == 1 ? n / 2 : n)); /* another sum each time but the last */
    if (lab_has_param(c, "before"))
        status = add_behind_zeros(a, b, sum, n, (size_t)lab_param_int(c, "before"));
    else if (status == 0)
        status = vector_add(a, b, sum, (int)n);
    lab_status(c, "vector_add", status);
}
