/* Lab 15: inputs and right answers of the eight programs.
 *
 * Parameters: `request`, one of debugging_clinic.h, and the sizes that it takes: width and height, or n;
 * `length` of the curve; `times`, `by`; `calls` is the driver's.
 */
#include "judge.h"

#include "debugging_clinic.h"

#include <math.h>
#include <string.h>

static int is(JudgeCase *c, const char *request)
{
    return strcmp(judge_param_text(c, "request"), request) == 0;
}

static int is_picture(JudgeCase *c)
{
    return judge_has_param(c, "width");
}

static size_t size_of_list(JudgeCase *c)
{
    if (is(c, "stretch"))
        return (size_t)judge_param_int(c, "length");
    size_t n = (size_t)judge_param_int(c, "n");
    return is(c, "lengths") ? 1 + 4 * n : n;
}

void judge_inputs(JudgeCase *c)
{
    size_t shape[2] = {0};
    if (is_picture(c)) {
        shape[0] = (size_t)judge_param_int(c, "height");
        shape[1] = (size_t)judge_param_int(c, "width");
    } else {
        shape[0] = size_of_list(c);
    }
    LabArray *in = judge_input_make(c, "in", LAB_F32, is_picture(c) ? 2 : 1, shape);
    double middle = judge_has_param(c, "middle") ? judge_param_float(c, "middle") : 0;
    double around = fabs(middle) > 1e6 ? fabs(middle) / 4 : 100; /* floats so far from 0 are far apart */
    judge_fill(c, in, middle - around, middle + around);
}

/* ---- One function for each request ---- */

static void make_picture(JudgeCase *c, double factor, double plus)
{
    const LabArray *in = judge_input(c, "in");
    const float *from = in->data;
    double *out = judge_expect_precise(c, "out", LAB_F32, 2, in->shape);
    for (size_t i = 0; i < in->elements; i++)
        out[i] = factor * from[i] + plus;
}

static void make_moving_sum(const float *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n && k < i + SUM_LENGTH; k++)
            out[i] += in[k];
}

static double slope(const float *height, size_t i)
{
    return i == 0 ? 0 : fabs((double)height[i] - height[i - 1]);
}

static void make_roughness(const float *height, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = slope(height, i) + (i + 1 < n ? slope(height, i + 1) : 0);
}

static void make_row_maxima(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    const float *from = in->data;
    float *out = judge_expect_f32(c, "out", in->shape[0]);
    for (size_t y = 0; y < in->shape[0]; y++) {
        out[y] = -INFINITY;
        for (size_t x = 0; x < in->shape[1]; x++)
            if (from[y * in->shape[1] + x] > out[y])
                out[y] = from[y * in->shape[1] + x];
    }
}

static void make_lengths(const float *file, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 1 + 4 * i; k < 5 + 4 * i; k++)
            sum += (double)file[k] * file[k];
        out[i] = sqrt(sum);
    }
}

static void smooth_once(double *now, size_t n)
{
    double before = now[0];
    for (size_t i = 0; i < n; i++) {
        double own = now[i], after = now[i < n - 1 ? i + 1 : n - 1];
        now[i] = 0.25 * before + 0.5 * own + 0.25 * after;
        before = own;
    }
}

static void make_smooth(JudgeCase *c, const float *in, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i];
    for (int64_t i = judge_param_int(c, "times"); i > 0; i--)
        smooth_once(out, n);
}

static void make_stretch(const float *curve, size_t length, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double place = (double)i * (double)(length - 1) / (double)(n - 1);
        size_t left = (size_t)place;
        if (left > length - 2)
            left = length - 2;
        out[i] = (1 - (place - (double)left)) * curve[left] + (place - (double)left) * curve[left + 1];
    }
}

static void make_list(JudgeCase *c)
{
    const float *in = judge_input_f32(c, "in", NULL);
    size_t n = (size_t)judge_param_int(c, "n");
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    if (is(c, "moving_sum"))
        make_moving_sum(in, out, n);
    else if (is(c, "roughness"))
        make_roughness(in, out, n);
    else if (is(c, "lengths"))
        make_lengths(in, out, n);
    else if (is(c, "smooth"))
        make_smooth(c, in, out, n);
    else
        make_stretch(in, size_of_list(c), out, n);
}

void judge_reference(JudgeCase *c)
{
    if (is(c, "brighten"))
        make_picture(c, 1, judge_param_float(c, "by"));
    else if (is(c, "negative"))
        make_picture(c, -1, 255);
    else if (is(c, "row_maxima"))
        make_row_maxima(c);
    else
        make_list(c);
}

/* ---- What certain mistakes give: others than those that are planted, which the students are to find ---- */

static void name_picture(JudgeCase *c, double factor, double plus, const char *sentence, const char *hint)
{
    const LabArray *in = judge_input(c, "in");
    const float *from = in->data;
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < in->elements && out != NULL; i++)
        out[i] = factor * from[i] + plus;
}

static void name_brightened(JudgeCase *c)
{
    double by = judge_param_float(c, "by");
    name_picture(c, 1, 0, "it is in, unchanged", "Is `by` added, and does out get what the kernel has written?");
    if (by != trunc(by))
        name_picture(c, 1, trunc(by), "`by` has lost its fraction", "Of which type is what `by` goes through on its way to the kernel?");
    name_picture(c, 1, 2 * by, "they are what comes out when `by` is added twice", "Is each pixel written once, from in? Some launch, or some thread, adds `by` to what has it already.");
    name_picture(c, 1, -by, "they are what comes out when `by` is subtracted", "A positive `by` makes a pixel brighter.");
}

static void name_negatives(JudgeCase *c)
{
    name_picture(c, 1, 0, "it is in, unchanged", "Does the kernel run, and does out get what it has written?");
    name_picture(c, 1, -255, "it is in - 255", "What is subtracted from what?");
    name_picture(c, -1, 0, "it is -in", "255 - in is wanted.");
    name_picture(c, -1, 256, "it is 256 - in", "255 - in is wanted.");
    name_picture(c, -1, 1, "it is 1 - in", "255 - in is wanted.");
}

/* out[i] = the sum of in[i + first] ... in[i + end - 1]; a piece of so many numbers has none of what is behind it. */
static void name_sums(JudgeCase *c, long first, long end, long piece, const char *sentence, const char *hint)
{
    size_t n_in = 0;
    const float *in = judge_input_f32(c, "in", &n_in);
    double *out = judge_mistake(c, "out", sentence, hint);
    long n = (long)n_in;
    for (long i = 0; i < n && out != NULL; i++) {
        long stop = piece > 0 && (i / piece + 1) * piece < n ? (i / piece + 1) * piece : n;
        out[i] = 0;
        for (long k = i + first; k < i + end && k < stop; k++)
            out[i] += k >= 0 ? in[k] : 0;
    }
}

static void name_sums_of_one(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", "each sum is SUM_LENGTH times its own number", "Does the index in the loop go on with each turn?");
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = SUM_LENGTH * (double)in[i];
}

/* At the end, where fewer numbers follow than a sum has. */
static void name_sums_at_the_end(JudgeCase *c, int is_last_again, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        if (i + SUM_LENGTH > n)
            out[i] = is_last_again ? out[i] + (double)(i + SUM_LENGTH - n) * in[n - 1] : 0;
}

static void name_moving_sums(JudgeCase *c)
{
    static const char end[] = "What does the contract say of the numbers behind the end? They count as 0, and the others of the sum as ever.";
    name_sums_at_the_end(c, 0, "the sums that reach behind the end are 0", end);
    name_sums_at_the_end(c, 1, "they are what comes out when the last number stands for those behind the end", end);
    name_sums(c, 0, SUM_LENGTH - 1, 0, "each sum lacks its last number", "How many numbers does the loop add up? SUM_LENGTH are wanted, with its own one.");
    name_sums(c, 0, SUM_LENGTH + 1, 0, "each sum has one number too many", "How many numbers does the loop add up? SUM_LENGTH are wanted, with its own one.");
    name_sums(c, 1, SUM_LENGTH, 0, "each sum lacks its own number", "With which number does the loop begin?");
    name_sums(c, 1 - SUM_LENGTH, 1, 0, "each sum is of its own number and those before it", "Those after it are wanted: in[i] to in[i + SUM_LENGTH - 1].");
    name_sums(c, 0, 1, 0, "it is in, unchanged", "Which numbers does the loop add up?");
    name_sums_of_one(c);
    name_sums(c, 0, SUM_LENGTH, 128, "they are what comes out when what lies behind a piece of 128 numbers counts as 0", "The last sums of a piece need the numbers behind it: who brings them into shared memory?");
}

/* rough[i] = own * slope[i] + after * slope[i + 1], with this slope[0] and this one behind the end. */
static void name_rough(JudgeCase *c, double own, double after, double first, double behind, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = own * (i == 0 ? first : slope(in, i)) + after * (i + 1 < n ? slope(in, i + 1) : behind);
}

static void name_roughs(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", "they are what comes out when slopes are added with their signs", "slope[i] is how steep it is, up or down: what makes a number positive?");
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = (i > 0 ? (double)in[i] - in[i - 1] : 0) + (i + 1 < n ? (double)in[i + 1] - in[i] : 0);
    name_rough(c, 1, 1, in[0], 0, "they are what comes out when slope[0] is height[0]", "What does the contract say of slope[0]?");
    name_rough(c, 1, 1, fabs((double)in[0]), 0, "they are what comes out when slope[0] is |height[0]|, as if 0 stood before it", "What does the contract say of slope[0]?");
    name_rough(c, 1, 1, slope(in, n > 1), 0, "they are what comes out when slope[0] is slope[1]", "What does the contract say of slope[0]?");
    name_rough(c, 1, 0, 0, 0, "it is slope[i] alone", "Two slopes are added: which is the other one?");
    name_rough(c, 0, 1, 0, 0, "it is slope[i + 1] alone", "Two slopes are added: which is the other one?");
    name_rough(c, 1, 1, 0, fabs((double)in[n - 1]), "they are what comes out when a height of 0 counts behind the end", "What does the contract say of the last one?");
    name_rough(c, 1, 1, 0, -slope(in, n - 1), "the last one is 0", "What does the contract say of the last one?");
}

/* The largest of `begin` (-INFINITY: none) and the numbers that some of 128 threads look at: x % 128 is a multiple of `step` and
 * below `threads`, x at least `first` and below `end`. */
static void name_maxima(JudgeCase *c, float begin, size_t step, size_t threads, size_t first, size_t end, const char *sentence, const char *hint)
{
    const LabArray *in = judge_input(c, "in");
    float *out = judge_mistake(c, "out", sentence, hint);
    size_t width = in->shape[1];
    for (size_t y = 0; y < in->shape[0] && out != NULL; y++) {
        out[y] = begin;
        for (size_t x = first; x < width && x < end; x++)
            if (x % 128 % step == 0 && x % 128 < threads)
                out[y] = fmaxf(out[y], ((const float *)in->data)[y * width + x]);
    }
}

static void name_all_maxima(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    size_t width = in->shape[1];
    static const char tree[] = "With which step does the tree begin, with which does it end, and by what is it divided? All 128 numbers in shared memory have to come together in the first.";
    name_maxima(c, 0, 1, 128, 0, width, "they are what comes out when 0 counts as one of the numbers", "With what does a thread begin that has no number yet? All numbers of a row may be negative.");
    float *positive = judge_mistake(c, "out", "negative numbers do not count", "How are two numbers compared: as floats, or by their bits as whole numbers (atomicMax on an int)? As an int -1.0f is smaller than -INFINITY.");
    for (size_t y = 0; y < in->shape[0] && positive != NULL; y++) {
        positive[y] = -INFINITY;
        for (size_t x = 0; x < width; x++)
            if (((const float *)in->data)[y * width + x] >= 0)
                positive[y] = fmaxf(positive[y], ((const float *)in->data)[y * width + x]);
    }
    name_maxima(c, -INFINITY, 1, 128, 0, 128, "only the first 128 numbers of a row count", "A row may be longer than a block: on which numbers does each thread go?");
    name_maxima(c, -INFINITY, 1, 128, 0, width / 128 * 128, "the last numbers of a row, which are fewer than 128, do not count", "On which numbers of its row does a thread go, and which is the last?");
    name_maxima(c, -INFINITY, 1, 1, 0, width, "only the numbers of the first thread of a block count", tree);
    name_maxima(c, -INFINITY, 2, 128, 0, width, "only the numbers of every second thread of a block count", tree);
    name_maxima(c, -INFINITY, 1, 64, 0, width, "only the numbers of the first 64 threads of a block count", tree);
    name_maxima(c, -INFINITY, 1, 32, 0, width, "only the numbers of the first 32 threads of a block count", tree);
    name_maxima(c, -INFINITY, 1, 128, 1, width, "the first number of a row does not count", "With which number of its row does thread 0 begin?");
    name_maxima(c, -INFINITY, 1, 128, 0, width - 1, "the last number of a row does not count", "Where does a thread's loop over its row end?");
    float *first = judge_mistake(c, "out", "each is the largest of row 0", "Where does row y begin, and which row does a block take?");
    for (size_t y = 1; y < in->shape[0] && first != NULL; y++)
        first[y] = first[0];
    float *size = judge_mistake(c, "out", "it is the largest without its sign", "A negative number is smaller than a positive one, however large it is without its sign.");
    for (size_t y = 0; y < in->shape[0] && size != NULL; y++) {
        size[y] = 0;
        for (size_t x = 0; x < width; x++)
            size[y] = fmaxf(size[y], fabsf(((const float *)in->data)[y * width + x]));
    }
    float *out = judge_mistake(c, "out", "it is the smallest of each row", "Which of two numbers stays?");
    for (size_t y = 0; y < in->shape[0] && out != NULL; y++) {
        out[y] = INFINITY;
        for (size_t x = 0; x < width; x++)
            out[y] = fminf(out[y], ((const float *)in->data)[y * width + x]);
    }
}

/* Of `many` numbers from file[first + step * i] on. */
static void name_length(JudgeCase *c, size_t first, size_t step, size_t many, int is_root, const char *sentence, const char *hint)
{
    size_t n = (size_t)judge_param_int(c, "n");
    const float *file = judge_input_f32(c, "in", NULL);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++) {
        double sum = 0;
        for (size_t k = first + step * i; k < first + step * i + many; k++)
            sum += (double)file[k] * file[k];
        out[i] = is_root ? sqrt(sum) : sum;
    }
}

static void name_lengths(JudgeCase *c)
{
    static const char begins[] = "At which float of the file does point i begin? file[0] is the version, and each point has 4 floats.";
    name_length(c, 0, 4, 4, 1, "they are what comes out when each point begins one float too early", begins);
    name_length(c, 1, 1, 4, 1, "they are what comes out when point i begins at float 1 + i", begins);
    name_length(c, 1, 3, 4, 1, "they are what comes out when point i begins at float 1 + 3 * i", begins);
    name_length(c, 1, 4, 3, 1, "they are what comes out when the last of the four numbers of a point is left out", "How many numbers has a point?");
    name_length(c, 2, 4, 3, 1, "they are what comes out when the first of the four numbers of a point is left out", begins);
    name_length(c, 1, 4, 4, 0, "it is the sum of the squares", "The length is the root of it.");
    name_length(c, 1, 0, 4, 1, "each length is that of point 0", begins);
}

static void name_smoothed(JudgeCase *c, int64_t times, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = in[i];
    for (; times > 0 && out != NULL; times--)
        smooth_once(out, n);
}

/* With the other end for the neighbour that is not there, or with ends that stay as they are. */
static void name_smoothed_ends(JudgeCase *c, int64_t times, int is_ring, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = n > 1 ? judge_mistake(c, "out", sentence, hint) : NULL;
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = in[i];
    for (; times > 0 && out != NULL; times--) {
        double first = out[0], last = out[n - 1];
        smooth_once(out, n);
        out[0] = is_ring ? out[0] + 0.25 * (last - first) : first;
        out[n - 1] = is_ring ? out[n - 1] + 0.25 * (first - last) : last;
    }
}

/* With 0 for the neighbour that is not there. */
static void name_smoothed_to_zero(JudgeCase *c, int64_t times)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", "they are what comes out when 0 stands at the ends for the neighbour that is not there", "What does the contract say of the ends?");
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = in[i];
    for (; times > 0 && out != NULL; times--) {
        double first = 0.25 * out[0], last = 0.25 * out[n - 1];
        smooth_once(out, n);
        out[0] -= first;
        out[n - 1] -= last;
    }
}

static void name_smooth(JudgeCase *c)
{
    int64_t times = judge_param_int(c, "times");
    if (times > 1)
        name_smoothed(c, times - 1, "it is what one round fewer gives", "Which array has the result of the last round when the two have changed places behind it? Or does the loop make a round too few?");
    name_smoothed(c, times + 1, "it is what one round more gives", "How many rounds does the loop make for `times`, and for 0?");
    name_smoothed(c, 0, "it is in, unchanged", "Which of the arrays did the kernel write last? Is that the one that is copied back?");
    name_smoothed(c, 1, "it is what a single round gives", "Does each round begin with what the round before has made?");
    name_smoothed_to_zero(c, times);
    name_smoothed_ends(c, times, 1, "they are what comes out when the other end stands for the neighbour that is not there", "What does the contract say of the ends?");
    name_smoothed_ends(c, times, 0, "they are what comes out when the first and the last number stay as they are", "What does the contract say of the ends? They are smoothed, too.");
    name_smoothed(c, 2 * times, "it is what twice as many rounds give", "How many rounds does one call make, and does it begin with in?");
}

typedef enum Between { EXCHANGED, MIDDLE, NEARER } Between;

/* Places are i * top / bottom of the curve; the share of the right number is as `between` says (-1: right). */
static void name_stretched(JudgeCase *c, size_t top, size_t bottom, int between, const char *sentence, const char *hint)
{
    size_t n = (size_t)judge_param_int(c, "n"), length = size_of_list(c);
    const float *curve = judge_input_f32(c, "in", NULL);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++) {
        double place = (double)i * (double)top / (double)bottom;
        size_t left = (size_t)place < length - 2 ? (size_t)place : length - 2;
        double share = place - (double)left;
        share = between == EXCHANGED ? 1 - share : between == MIDDLE ? 0.5 : between == NEARER ? (share < 0.5 ? 0 : 1) : share;
        out[i] = (1 - share) * curve[left] + share * curve[left + 1];
    }
}

static void name_all_stretched(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n"), length = size_of_list(c);
    static const char ends[] = "The last of n results lies at the last number of the curve: work out the place of i = n - 1.";
    name_stretched(c, length, n, -1, "they are what comes out when places are i * length / n", ends);
    name_stretched(c, length - 1, n, -1, "they are what comes out when places are i * (length - 1) / n", ends);
    name_stretched(c, length, n - 1, -1, "they are what comes out when places are i * length / (n - 1)", ends);
    name_stretched(c, length - 1, n - 1, EXCHANGED, "they are what comes out when the two shares are exchanged", "At a place that is nearly the left number, which of the two has the larger share?");
    name_stretched(c, length - 1, n - 1, MIDDLE, "each result is the mean of its two numbers", "How large is the share of each, and of which type is it?");
    name_stretched(c, length - 1, n - 1, NEARER, "each result is the nearer one of its two numbers", "Between two numbers the result lies on a straight line: is share rounded?");
}

void judge_mistakes(JudgeCase *c)
{
    if (is(c, "brighten"))
        name_brightened(c);
    else if (is(c, "negative"))
        name_negatives(c);
    else if (is(c, "moving_sum"))
        name_moving_sums(c);
    else if (is(c, "roughness"))
        name_roughs(c);
    else if (is(c, "row_maxima"))
        name_all_maxima(c);
    else if (is(c, "lengths"))
        name_lengths(c);
    else if (is(c, "smooth"))
        name_smooth(c);
    else
        name_all_stretched(c);
}
