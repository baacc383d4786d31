/* Lab 02: calls vector_add on the arrays of a case, the first of several times on half of them. */
#include "lab.h"

#include "vector_add.h"

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
    if (status == 0)
        status = vector_add(a, b, sum, (int)n);
    lab_status(c, "vector_add", status);
}
