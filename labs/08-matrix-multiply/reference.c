/* Lab 08: inputs and right answers.
 *
 * Parameters: `function`, one of matrix_multiply.h; m, n, k, alpha and beta as there; `old`: C holds
 * something at first; `tile`, `fresh` and `timed` are the driver's; with `again` it calls the function before, with half
 * of m, n and k, and with k = 0.
 *
 * All elements are multiples of a half, so that sums in integers differ: those of A up to 2,048, which half
 * precision cannot hold, those of B and C small. So every sum of up to 1,024 products is a multiple of a quarter
 * below 2^22 and exact in a float, in whatever order it is taken, also times an alpha of a half and with a beta
 * of a quarter: one product that is lost, or taken twice, shows.
 */
#include "judge.h"

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static double factor_param(JudgeCase *c, const char *key, double otherwise)
{
    return judge_has_param(c, key) ? judge_param_float(c, key) : otherwise;
}

/* A matrix of halves of whole numbers from -largest to largest, without 0: a 0 would hide what it is multiplied
 * with. */
static void make_matrix(JudgeCase *c, const char *name, size_t rows, size_t columns, int largest)
{
    LabArray *array = judge_input_make(c, name, LAB_F32, 2, (size_t[]){rows, columns});
    float *element = array->data;
    judge_fill(c, array, -largest, largest);
    for (size_t i = 0; i < array->elements; i++)
        element[i] = 0.5f * ((float)(int)element[i] + (element[i] < 0 ? -1.0f : 1.0f));
}

void judge_inputs(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    make_matrix(c, "a", m, k, 4095);
    make_matrix(c, "b", k, n, 3);
    if (judge_has_param(c, "old"))
        make_matrix(c, "old", m, n, 4095);
}

/* The product of the first m * k and k * n elements of A and B; C is the output `name`. */
static void expect(JudgeCase *c, const char *name, size_t m, size_t n, size_t k)
{
    const float *of_a = judge_input(c, "a")->data, *of_b = judge_input(c, "b")->data;
    const float *old = judge_has_param(c, "old") ? judge_input(c, "old")->data : NULL;
    double alpha = factor_param(c, "alpha", 1), beta = factor_param(c, "beta", 0);
    double *wanted = judge_expect_precise(c, name, LAB_F32, 2, (size_t[]){m, n});
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            double sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += (double)of_a[row * k + i] * of_b[i * n + column];
            wanted[row * n + column] = alpha * sum + (old ? beta * old[row * n + column] : 0);
        }
}

void judge_reference(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    expect(c, "c", m, n, k);
    if (judge_has_param(c, "again")) {
        expect(c, "c_of_half", m / 2, (n + 1) / 2, k / 2);
        expect(c, "c_for_k_0", m / 2, (n + 1) / 2, 0);
    }
    if (m * n == 0)
        judge_expect_nothing(c);
}
