/* Lab 11: inputs and right answers.
 *
 * Parameters: `function`, one of transpose.h; width and height, or n and factor for transpose_in_place.
 * `timed` is the driver's. Elements are moved, and factors are powers of two, so every element must be
 * exactly right. The factor is there so that a matrix in place is written as a whole: its diagonal stays
 * where it is.
 */
#include "judge.h"

#include <string.h>

static int is_in_place(JudgeCase *c)
{
    return strcmp(judge_param_text(c, "function"), "transpose_in_place") == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t shape[2] = {(size_t)judge_param_int(c, is_in_place(c) ? "n" : "height"),
                       (size_t)judge_param_int(c, is_in_place(c) ? "n" : "width")};
    judge_fill(c, judge_input_make(c, "in", LAB_F32, 2, shape), -1000, 1000);
}

void judge_reference(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    size_t height = in->shape[0], width = in->shape[1], shape[2] = {width, height};
    const float *from = in->data;
    float factor = is_in_place(c) ? (float)judge_param_float(c, "factor") : 1;
    float *to = judge_expect(c, "out", LAB_F32, 2, shape);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            to[x * height + y] = factor * from[y * width + x];
}
