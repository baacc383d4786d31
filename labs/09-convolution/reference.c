/* Lab 09: inputs and right answers.
 *
 * Parameters: `function`, one of convolution.h; n, or height and width; radius_x, and radius_y for images;
 * `separable`: the filter is a column times a row; with `again` the driver calls the function before for the upper half of
 * the image, or the first half of the line, with as many taps of the filter (of two, of both) turned round as half the radius has. No filter is the same from both ends in
 * the public cases. Sums fit into an int, but not into the 24 bits that a float has for them: a filter of 17 x 17 taps gives
 * at most 80,000 * 289 * 60 < 2^31, one that is a column times a row 80,000 * (17 * 9) * (17 * 9), a line 80,000 * 17 * 999.
 */
#include "judge.h"

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static int is_line(JudgeCase *c)
{
    return judge_has_param(c, "n");
}

void judge_inputs(JudgeCase *c)
{
    size_t rows = is_line(c) ? 1 : 2 * size_param(c, "radius_y") + 1;
    size_t columns = 2 * size_param(c, "radius_x") + 1;
    int separable = judge_has_param(c, "separable");
    LabArray *in;
    if (is_line(c))
        in = judge_input_make(c, "in", LAB_I32, 1, (size_t[]){size_param(c, "n")});
    else
        in = judge_input_make(c, "in", LAB_I32, 2,
                              (size_t[]){size_param(c, "height"), size_param(c, "width")});
    int largest = is_line(c) ? 999 : separable ? 9 : 60; /* of the taps */
    judge_fill(c, in, 1, 80000);
    judge_fill(c, judge_input_make(c, "filter", LAB_I32, 2, (size_t[]){separable ? 1 : rows, columns}), -largest,
               largest);
    if (separable)
        judge_fill_i32(c, judge_input_make_i32(c, "column", rows), -largest, largest);
}

typedef struct Filter {
    const LabArray *taps; /* of a filter that is a column times a row: the row */
    const int *column;    /* NULL: it is none */
    size_t rows;          /* of the column */
    size_t radius_y, radius_x;
    int turned;
} Filter;

/* The tap of row j and column i. */
static int tap_at(const Filter *f, size_t j, size_t i)
{
    size_t at = (f->column ? 0 : j) * (2 * f->radius_x + 1) + i;
    int tap = ((const int *)f->taps->data)[f->turned ? f->taps->elements - 1 - at : at];
    return f->column ? f->column[f->turned ? f->rows - 1 - j : j] * tap : tap;
}

static void convolve(const int *image, int *out, size_t height, size_t width, const Filter *f)
{
    size_t radius_y = f->radius_y, radius_x = f->radius_x;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t j = 0; j <= 2 * radius_y; j++)
                for (size_t i = 0; i <= 2 * radius_x; i++) {
                    /* Below 0 they wrap round, and are too large as well. */
                    size_t from_y = y + radius_y - j, from_x = x + radius_x - i;
                    if (from_y < height && from_x < width)
                        out[y * width + x] += tap_at(f, j, i) * image[from_y * width + from_x];
                }
}

void judge_reference(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    size_t height = is_line(c) ? 1 : in->shape[0], width = in->shape[is_line(c) ? 0 : 1];
    Filter filter = {.taps = judge_input(c, "filter"),
                     .radius_y = is_line(c) ? 0 : size_param(c, "radius_y"),
                     .radius_x = size_param(c, "radius_x")};
    if (judge_has_param(c, "separable"))
        filter.column = judge_input_i32(c, "column", &filter.rows);
    convolve(in->data, judge_expect(c, "out", LAB_I32, in->n_dims, in->shape), height, width, &filter);
    if (!judge_has_param(c, "again"))
        return;
    if (height > 1)
        height /= 2;
    else
        width /= 2;
    filter.turned = 1;
    filter.radius_y /= 2;
    filter.radius_x /= 2;
    convolve(in->data, judge_expect(c, "out_of_half", LAB_I32, 2, (size_t[]){height, width}), height, width, &filter);
}
