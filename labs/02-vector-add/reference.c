/* Lab 02: inputs and right answers.
 *
 * Parameters: n, `special: 1` for infinities, NaN and the smallest floats among the inputs (where n is at least
 * 8), and `grid: 1` where the record of calls tells how many blocks there were. a and b have different ranges, so that a + a, b + b and a alone are all told from a + b.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

static void put_specials(float *a, float *b, size_t n)
{
    if (n < 8)
        return;
    a[1] = INFINITY;
    a[2] = -INFINITY;
    a[3] = INFINITY; /* inf + -inf is NaN */
    b[3] = -INFINITY;
    a[4] = 0x1p-149f; /* the smallest float there is: must not be flushed to zero */
    b[4] = 0x1p-148f;
    a[5] = b[5] = 0x1.8p127f; /* their sum is more than a float holds: infinity */
    b[n - 1] = NAN;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    float *a = judge_input_make_f32(c, "a", n);
    float *b = judge_input_make_f32(c, "b", n);
    judge_fill_f32(c, a, -100, 100);
    judge_fill_f32(c, b, 1, 8);
    if (judge_has_param(c, "special"))
        put_specials(a, b, n);
}

/* No launch has more blocks than n or 256. */
static void judge_blocks(JudgeCase *c, size_t n)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0 && calls[i].number > (n > 256 ? n : 256))
            judge_refuse(
                c, "A launch had more blocks than there are elements, and more than 256: is their number that of elements over those of a block, "
                   "rounded up?");
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    const float *a = judge_input_f32(c, "a", &n);
    const float *b = judge_input_f32(c, "b", NULL);
    float *sum = judge_expect_f32(c, "c", n);
    for (size_t i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
    if (judge_has_param(c, "grid"))
        judge_blocks(c, n);
}

/* ---- What certain mistakes give ---- */

typedef enum Gives {
    A_PLUS_A,
    B_PLUS_B,
    HALF_B_PLUS_B,
    A_LESS_B,
    B_LESS_A,
    PRODUCT,
    QUOTIENT,
    B_OF_FIRST_BLOCK,
    A_OF_FIRST_BLOCK,
    BOTH_OF_FIRST_BLOCK,
    FIRST_OF_A,
    FIRST_OF_B,
    FIRST_OF_WARP_OF_B,
    B_BACKWARDS,
    A_ALONE,
    B_ALONE,
    NUMBER_ALONE,
    WITH_NUMBER,
    OTHER_SIGN,
    MEAN,
    LARGER,
    SUM_IN_INT,
    BOTH_IN_INT,
    SMALLEST_ARE_0,
    NAN_IS_0
} Gives;

enum { BLOCK = 256 }; /* as the handout has it */

static float value_of(Gives gives, const float *a, const float *b, size_t i, size_t n)
{
    switch (gives) {
    case A_PLUS_A:
        return a[i] + a[i];
    case B_PLUS_B:
        return b[i] + b[i];
    case HALF_B_PLUS_B:
        return (i < n / 2 ? b[i] : a[i]) + b[i];
    case A_LESS_B:
        return a[i] - b[i];
    case B_LESS_A:
        return b[i] - a[i];
    case PRODUCT:
        return a[i] * b[i];
    case QUOTIENT:
        return a[i] / b[i];
    case B_OF_FIRST_BLOCK:
        return a[i] + b[i % BLOCK];
    case A_OF_FIRST_BLOCK:
        return a[i % BLOCK] + b[i];
    case BOTH_OF_FIRST_BLOCK:
        return a[i % BLOCK] + b[i % BLOCK];
    case FIRST_OF_A:
        return a[0] + b[i];
    case FIRST_OF_B:
        return a[i] + b[0];
    case FIRST_OF_WARP_OF_B:
        return a[i] + b[i / 32 * 32];
    case B_BACKWARDS:
        return a[i] + b[n - 1 - i];
    case A_ALONE:
        return a[i];
    case B_ALONE:
        return b[i];
    case NUMBER_ALONE:
        return (float)i;
    case WITH_NUMBER:
        return a[i] + b[i] + (float)i;
    case OTHER_SIGN:
        return -(a[i] + b[i]);
    case MEAN:
        return (a[i] + b[i]) / 2;
    case LARGER:
        return a[i] > b[i] ? a[i] : b[i];
    case SUM_IN_INT:
        return truncf(a[i] + b[i]);
    case BOTH_IN_INT:
        return truncf(a[i]) + truncf(b[i]);
    case SMALLEST_ARE_0:
        return fabsf(a[i] + b[i]) < 0x1p-126f ? 0 : a[i] + b[i];
    case NAN_IS_0:
        return isnan(a[i] + b[i]) ? 0 : a[i] + b[i];
    }
    return 0;
}

static const struct {
    Gives gives;
    int is_of_calls; /* only where there is a call before */
    const char *sentence, *hint;
} mistakes[] = {
    {HALF_B_PLUS_B, 1, "the first half is b + b, as the first call of the program had it",
     "What of the first call is still there: device arrays that a static or global variable keeps, with what was copied into them, or its result?"},
    {B_PLUS_B, 1, "it is b + b, which an earlier call of the program had to work out",
     "Is a copied into d_a in this call, too? Does a static or global variable keep what belongs to an earlier call?"},
    {B_PLUS_B, 0, "it is b + b, and not a + b",
     "Is a copied into d_a, and not b? Does the kernel read a[i], and is d_a its first argument in the launch?"},
    {A_PLUS_A, 0, "it is a + a, and not a + b",
     "Is b copied into d_b, and not a? Does the kernel read b[i], and is d_b its second argument in the launch?"},
    {A_LESS_B, 0, "it is a - b, and not a + b", "Which operator stands between a[i] and b[i]?"},
    {B_LESS_A, 0, "it is b - a, and not a + b", "Which operator stands between a[i] and b[i]?"},
    {PRODUCT, 0, "it is a * b, and not a + b", "Which operator stands between a[i] and b[i]?"},
    {QUOTIENT, 0, "it is a / b, and not a + b", "Which operator stands between a[i] and b[i]?"},
    {B_OF_FIRST_BLOCK, 0, "every 256 elements the same part of b is added, that of the first block",
     "Does the kernel read both arrays at i, the number in the whole array?"},
    {A_OF_FIRST_BLOCK, 0, "every 256 elements the same part of a is added, that of the first block",
     "Does the kernel read both arrays at i, the number in the whole array?"},
    {BOTH_OF_FIRST_BLOCK, 0, "every 256 elements the sums of the first block come again",
     "Does the kernel read both arrays at i, the number in the whole array, or at threadIdx.x, the number in the block?"},
    {FIRST_OF_A, 0, "b[i] is added to a[0], whichever element i is",
     "With which index is each of the arrays read? A pointer without an index is its first element."},
    {FIRST_OF_B, 0, "b[0] is added to each a[i]", "With which index is each of the arrays read? A pointer without an index is its first element."},
    {FIRST_OF_WARP_OF_B, 0, "the same element of b is added to 32 elements of a, the first of theirs",
     "With which index is each of the arrays read? Each thread of a warp has an element of its own in both."},
    {B_BACKWARDS, 0, "a[i] and b[n - 1 - i] are added: b is read backwards", "With which index is each of the arrays read?"},
    {A_ALONE, 0, "it is a alone: b is not added",
     "Does the kernel add b[i], of the array that b was copied into? Or is a copied back in place of the sum?"},
    {B_ALONE, 0, "it is b alone: a is not added",
     "Does the kernel add a[i], of the array that a was copied into? Or is b copied back in place of the sum?"},
    {NUMBER_ALONE, 0, "element i is i", "What is stored: the two elements' sum, or the number of the element?"},
    {OTHER_SIGN, 0, "it is the sum with the other sign", "Which operators stand before a[i] and b[i]?"},
    {MEAN, 0, "it is half of the sum", "What is the sum divided by, or multiplied with?"},
    {LARGER, 0, "it is the larger one of a[i] and b[i], and not their sum", "Which operator stands between a[i] and b[i]?"},
    {SUM_IN_INT, 0, "it is the sum without what is behind the point",
     "Of which type is the variable, the parameter or the function that the sum passes through: int or float?"},
    {BOTH_IN_INT, 0, "it is the sum of a[i] and b[i] without what is behind the point of each",
     "Of which type are the variables that the two elements pass through: int or float?"},
    {SMALLEST_ARE_0, 0, "all is right but the smallest sum there is, which became 0",
     "Does a test take small numbers for 0, or does the compiler (--use_fast_math, -ftz=true)? Nothing but the addition belongs there."},
    {NAN_IS_0, 0, "all is right but the sums that are NaN, which became 0",
     "Which test takes NaN for something else? Infinity and -infinity have the sum NaN."},
    {WITH_NUMBER, 0, "element i is a[i] + b[i] + i", "Which terms are added in the kernel? Only the two elements belong there."},
};

void judge_mistakes(JudgeCase *c)
{
    size_t n = 0;
    const float *a = judge_input_f32(c, "a", &n);
    const float *b = judge_input_f32(c, "b", NULL);
    int is_called_before = judge_has_param(c, "calls") && judge_param_int(c, "calls") > 1;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        if (mistakes[m].is_of_calls && !is_called_before)
            continue;
        float *sum = judge_mistake(c, "c", mistakes[m].sentence, mistakes[m].hint);
        for (size_t i = 0; sum && i < n; i++)
            sum[i] = value_of(mistakes[m].gives, a, b, i, n);
    }
}
