/* Lab 19: inputs and right answers.
 *
 * Parameters: `function`, one of profiling_and_roofline.h, or `every`; n; `against`, `timed`, `again` and `ridge` are the driver's. With `slow` some particles
 * are a million times slower than the others, and some a million times slower than those.
 * The functions on 16 bits keep the upper half of each float, so that results differ by the last of those bits.
 *
 * For dot the numbers are quarters and small, so that every sum is exact. For the others they lie between 0 and 1:
 * a polynomial of high degree stays small there. Velocities have both signs.
 */
#include "judge.h"

#include "profiling_and_roofline.h"

#include <math.h>
#include <string.h>

enum { FEWER = 70 }; /* of the driver's last call */

static int is(JudgeCase *c, const char *prefix)
{
    return strncmp(judge_param_text(c, "function"), prefix, strlen(prefix)) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    const char *names[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        float *array = judge_input_make_f32(c, names[k], n);
        judge_fill_f32(c, array, is(c, "dot") ? 1 : is(c, "speeds") ? -0.9 : 0, is(c, "dot") ? 5 : 0.9);
        for (size_t i = 0; i < n && is(c, "dot"); i++)
            array[i] = (float)(int)array[i] / 4;
        for (size_t i = 0; i < n && judge_has_param(c, "slow"); i++)
            array[i] *= i % 7 == 3 ? 0x1p-20F : i % 7 == 5 ? 0x1p-40F : 1;
        if (n > 0 && is(c, "speeds"))
            array[n / 2] = 0; /* a particle at rest */
    }
}

/* A number as the function keeps it: in the upper half of a float, or all of it. gcc 14.2 leaves out a mask that it knows. */
static double as_stored(int in_16, float x)
{
    const volatile uint32_t upper_half = 0xffff0000u;
    uint32_t bits;
    if (!in_16)
        return x;
    memcpy(&bits, &x, sizeof bits);
    bits &= upper_half;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double polynomial_of(double x)
{
    double p = 1;
    for (int k = 1; k <= POLYNOMIAL_DEGREE; k++)
        p = p * x + 1.0 / k;
    return p;
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0, n_out;
    if (is(c, "every")) {
        judge_expect_launches(c);
        return;
    }
    const float *x = judge_input_f32(c, "x", &n), *y = judge_input_f32(c, "y", NULL),
                *z = judge_input_f32(c, "z", NULL);
    const int dot = is(c, "dot"), speeds = is(c, "speeds"), scale = is(c, "scale"),
              in_16 = strstr(judge_param_text(c, "function"), "_16") != NULL;
    n_out = dot ? 1 : n;
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n_out);
    for (size_t i = 0; i < n; i++) {
        double vx = as_stored(in_16, x[i]), vy = as_stored(in_16, y[i]), vz = z[i];
        if (dot && i == FEWER && judge_has_param(c, "again"))
            judge_expect_value(c, "sum_of_the_first_70", out[0]);
        if (dot)
            out[0] += vx * vy;
        else if (speeds)
            out[i] = sqrt(vx * vx + vy * vy + vz * vz);
        else
            out[i] = as_stored(in_16, (float)(scale ? 3 * vx + vy : polynomial_of(vx)));
    }
}

/* ---- Mistakes in speeds_apart ---- */

enum { WITHOUT_X, WITHOUT_Y, WITHOUT_Z, X_FOR_Y, X_FOR_Z, Y_FOR_Z, WITHOUT_ROOT, WITHOUT_SQUARES, N_SPEEDS };

static const char *const component_hint = "A speed is made of three components: of which arrays are the squares?";

static const struct {
    const char *sentence, *hint;
} of_speeds[N_SPEEDS] = {
    [WITHOUT_X] = {"vx is missing", component_hint},
    [WITHOUT_Y] = {"vy is missing", component_hint},
    [WITHOUT_Z] = {"vz is missing", component_hint},
    [X_FOR_Y] = {"vx stands where vy belongs", component_hint},
    [X_FOR_Z] = {"vx stands where vz belongs", component_hint},
    [Y_FOR_Z] = {"vy stands where vz belongs", component_hint},
    [WITHOUT_ROOT] = {"it is the square of the speed", "What is taken of the sum of the squares?"},
    [WITHOUT_SQUARES] = {"it is the root of the sum of the components, which are not squared", "What is summed up, before the root is taken?"},
};

static double wrong_speed(double x, double y, double z, int mistake)
{
    switch (mistake) {
    case WITHOUT_X: return sqrt(y * y + z * z);
    case WITHOUT_Y: return sqrt(x * x + z * z);
    case WITHOUT_Z: return sqrt(x * x + y * y);
    case X_FOR_Y: return sqrt(x * x + x * x + z * z);
    case X_FOR_Z: return sqrt(x * x + y * y + x * x);
    case Y_FOR_Z: return sqrt(x * x + y * y + y * y);
    case WITHOUT_ROOT: return x * x + y * y + z * z;
    default: return sqrt(fmax(0, x + y + z));
    }
}

static void name_speeds(JudgeCase *c, const float *x, const float *y, const float *z, size_t n)
{
    for (int mistake = 0; mistake < N_SPEEDS; mistake++) {
        double *out = judge_mistake(c, "out", of_speeds[mistake].sentence, of_speeds[mistake].hint);
        for (size_t i = 0; out && i < n; i++)
            out[i] = wrong_speed(x[i], y[i], z[i], mistake);
    }
}

/* ---- Mistakes in dot_spread ---- */

enum {
    FIRST_WARPS_128,
    FIRST_WARPS_256,
    FIRST_WARPS_512,
    FIRST_WARPS_1024,
    FIRST_HALVES,
    EVERY_32ND,
    THREAD_0,
    LOWER_LANES,
    EVEN_THREADS,
    EVERY_SECOND_STEP,
    FIRST_BLOCK,
    GRID_160,
    WHOLE_BLOCKS,
    X_ALONE,
    Y_ALONE,
    SUM_OF_BOTH,
    X_TWICE,
    Y_TWICE,
    TIMES_2,
    TIMES_8,
    TIMES_32,
    TIMES_256,
    N_DOTS
};

static const char *const warps_hint = "Each warp has a sum of its own after the shuffles: where do those of a block's other warps come to the one that is added to *sum?";
static const char *const once_hint = "Which threads add to *sum, and what does each of them have? A block's sum is added once, by one thread.";
static const char *const product_hint = "Which two numbers are multiplied?";

static const struct {
    const char *sentence, *hint;
} of_dots[N_DOTS] = {
    [FIRST_WARPS_128] = {"only what the first warp of each block (of 128 threads) takes is in it", warps_hint},
    [FIRST_WARPS_256] = {"only what the first warp of each block (of 256 threads) takes is in it", warps_hint},
    [FIRST_WARPS_512] = {"only what the first warp of each block (of 512 threads) takes is in it", warps_hint},
    [FIRST_WARPS_1024] = {"only what the first warp of each block (of 1,024 threads) takes is in it", warps_hint},
    [FIRST_HALVES] = {"what the second half of each block of 256 threads takes is missing", "With which distance does the tree begin, or how many sums of warps are there, and who adds those of the last ones?"},
    [EVERY_32ND] = {"only what lane 0 of each warp takes is in it", "How do the sums of the other 31 lanes come to lane 0?"},
    [THREAD_0] = {"only what thread 0 of each block (of 256) takes is in it", "How do the sums of the block's other threads come to the one that adds to *sum?"},
    [LOWER_LANES] = {"what lanes 16 to 31 take is missing", "With which distance do the lanes begin to add up, if there are 32 of them?"},
    [EVEN_THREADS] = {"what every second thread takes is missing", "Down to which distance do the threads add up? The last one is 1."},
    [EVERY_SECOND_STEP] = {"every second step of the tree is missing", "By how much does the distance of the tree shrink from turn to turn?"},
    [FIRST_BLOCK] = {"only the first 256 numbers are in it", "How many numbers do all blocks take together, and which of them is a thread's? Each block adds its sum to *sum."},
    [GRID_160] = {"only the first 40,960 numbers are in it, as many as 160 blocks of 256 have threads", "There are more numbers than threads: which further ones does each thread take, and how far apart are they?"},
    [WHOLE_BLOCKS] = {"the last numbers, which do not fill a block of 256, are missing", "Is the number of blocks rounded up, and does the loop go up to n?"},
    [X_ALONE] = {"it is the sum of x, without y", product_hint},
    [Y_ALONE] = {"it is the sum of y, without x", product_hint},
    [SUM_OF_BOTH] = {"it is the sum of all numbers, which are not multiplied", product_hint},
    [X_TWICE] = {"x is multiplied by itself", product_hint},
    [Y_TWICE] = {"y is multiplied by itself", product_hint},
    [TIMES_2] = {"it is twice the sum", once_hint},
    [TIMES_8] = {"it is 8 times the sum, as if each of a block's 8 warps had added all of it", once_hint},
    [TIMES_32] = {"it is 32 times the sum, as if each lane of a warp had added all of it", once_hint},
    [TIMES_256] = {"it is 256 times the sum, as if each thread of a block had added all of it", once_hint},
};

/* What x[i] and y[i] give to the sum. */
static double wrong_term(double x, double y, size_t i, size_t n, int mistake)
{
    switch (mistake) {
    case FIRST_WARPS_128: return i % 128 < 32 ? x * y : 0;
    case FIRST_WARPS_256: return i % 256 < 32 ? x * y : 0;
    case FIRST_WARPS_512: return i % 512 < 32 ? x * y : 0;
    case FIRST_WARPS_1024: return i % 1024 < 32 ? x * y : 0;
    case FIRST_HALVES: return i % 256 < 128 ? x * y : 0;
    case EVERY_32ND: return i % 32 == 0 ? x * y : 0;
    case THREAD_0: return i % 256 == 0 ? x * y : 0;
    case LOWER_LANES: return i % 32 < 16 ? x * y : 0;
    case EVEN_THREADS: return i % 2 == 0 ? x * y : 0;
    case EVERY_SECOND_STEP: return (i & 0x55) == 0 ? x * y : 0; /* steps of 128, 32, 8 and 2 */
    case FIRST_BLOCK: return i < 256 ? x * y : 0;
    case GRID_160: return i < 160 * 256 ? x * y : 0;
    case WHOLE_BLOCKS: return i < n / 256 * 256 ? x * y : 0;
    case X_ALONE: return x;
    case Y_ALONE: return y;
    case SUM_OF_BOTH: return x + y;
    case X_TWICE: return x * x;
    case Y_TWICE: return y * y;
    case TIMES_2: return 2 * x * y;
    case TIMES_8: return 8 * x * y;
    case TIMES_32: return 32 * x * y;
    default: return 256 * x * y;
    }
}

static void name_dots(JudgeCase *c, const float *x, const float *y, size_t n)
{
    for (int mistake = 0; mistake < N_DOTS; mistake++) {
        if (n == 1 && mistake >= X_ALONE && mistake <= Y_TWICE) /* of one pair several may give the same */
            continue;
        double *sum = judge_mistake(c, "out", of_dots[mistake].sentence, of_dots[mistake].hint);
        if (!sum)
            continue;
        *sum = 0;
        for (size_t i = 0; i < n; i++)
            *sum += wrong_term(x[i], y[i], i, n, mistake);
    }
    double *both = judge_has_param(c, "again") ? judge_mistake(c, "out", "the sum of the call before is in it", "What of the first call is still there in the second (a variable of the device, a counter), and who sets it back?") : NULL;
    for (size_t i = 0; both && i < n / 2; i++)
        *both += (double)x[i] * y[i];
}

/* The other functions stand in subjects.h. */
void judge_mistakes(JudgeCase *c)
{
    size_t n = 0;
    const float *x = judge_input_f32(c, "x", &n);
    if (is(c, "speeds_apart"))
        name_speeds(c, x, judge_input_f32(c, "y", NULL), judge_input_f32(c, "z", NULL), n);
    else if (is(c, "dot_spread"))
        name_dots(c, x, judge_input_f32(c, "y", NULL), n);
}
