/* The least of work that the labs ask for (`work` in lab.yaml): each case's bound is held against a
 * count of what a plain program does, operation by operation, in loops of its own. Never more than the plain
 * program does, and not less than a part of it.
 */
#include "grader/core/lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const LabCase *now;

static int64_t p_or(const char *key, int64_t other)
{
    for (size_t i = 0; i < now->n_params; i++)
        if (strcmp(now->params[i].key, key) == 0)
            return strtoll(now->params[i].value, NULL, 10);
    return other;
}

static int64_t p(const char *key)
{
    int64_t value = p_or(key, INT64_MIN);
    if (value == INT64_MIN)
        fail_msg("case %s has no %s", now->name, key);
    return value;
}

static bool has_value(const char *value)
{
    for (size_t i = 0; i < now->n_params; i++)
        if (strcmp(now->params[i].value, value) == 0)
            return true;
    return false;
}

/* Places of a line that a filter reads, of all its elements together: those outside are left out. */
static int64_t taps(int64_t n, int64_t radius)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t at = i - radius; at <= i + radius; at++)
            count += at >= 0 && at < n;
    return count;
}

/* A sum that slides over a line: a window's first sum, then an element in and one out. */
static int64_t sliding(int64_t n, int64_t radius)
{
    int64_t count = 0;
    for (int64_t at = 1; at <= radius && at < n; at++)
        count++;
    for (int64_t i = 1; i < n; i++)
        count += (i + radius < n) + (i - radius - 1 >= 0);
    return count > n ? count : n;
}

static int64_t product(int64_t rows, int64_t columns, int64_t depth)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            count += 2 * depth; /* a multiplication and an addition each */
    return count;
}

static int64_t n_1(void)
{
    return p("n");
}
static int64_t n_2(void)
{
    return 2 * p("n");
}
static int64_t n_3(void)
{
    return 3 * p("n");
}
static int64_t n_6(void)
{
    return 6 * p("n");
}
static int64_t n_72(void)
{
    return 2 * 72 * p("n");
}
static int64_t image(void)
{
    return p("width") * p("height");
}
static int64_t volume(void)
{
    return image() * p("depth");
}
static int64_t strip(void)
{
    return p("rows") * p("width");
}
static int64_t stencil_1(void)
{
    return p("n") * 2;
}
static int64_t stencil(void)
{
    return p("radius") == 0 ? 0 : sliding(p("n"), p("radius"));
}
static int64_t one(void)
{
    return 1;
}
static int64_t sum(void)
{
    int64_t count = 0;
    for (int64_t i = 1; i < p("n"); i++)
        count++;
    return count;
}
static int64_t matrices(void)
{
    return product(p("m"), p("n"), p("k"));
}
static int64_t line(void)
{
    return taps(p("n"), p("radius_x"));
}
static int64_t across(void)
{
    return p("height") * taps(p("width"), p("radius_x")) + p("width") * taps(p("height"), p("radius_y"));
}
static int64_t plane(void)
{
    return taps(p("height"), p("radius_y")) * taps(p("width"), p("radius_x"));
}
static int64_t windows(void)
{
    return sliding(p("n"), p("radius"));
}
static int64_t rounds(void)
{
    return p("n") * p("rounds");
}
static int64_t frames(void)
{
    return 2 * p("n") * p("frames");
}
static int64_t times(void)
{
    return 2 * p("n") * p_or("times", 1);
}
static int64_t square(void)
{
    return p("n") * p("n");
}
/* By squares: a multiplication for each further bit of the exponent, and one more where it is set. */
static int64_t power(void)
{
    int64_t count = p("exponent") > 0;
    for (int64_t e = p("exponent"); e > 1; e /= 2)
        count += 1 + e % 2;
    return p("n") * count;
}
static int64_t rows(void)
{
    return product(p("rows"), 1, p("columns"));
}
static int64_t a_row(void)
{
    return p("rows");
}
static int64_t steps(void)
{
    return 2 * p("n") * p("steps");
}
static int64_t heat(void)
{
    int64_t count = 0;
    for (int64_t step = 0; step < p("steps"); step++)
        for (int64_t i = 1; i < p("n") - 1; i++)
            count += 4; /* twice itself, two neighbours, a factor */
    return count;
}
static int64_t errors(void)
{
    return 32 * p("n") * p("steps");
}
static int64_t polynomial(void)
{
    return 512 * p("n");
}
static int64_t losses(void)
{
    return 3 * p("m") * p("classes");
}
static int64_t backward(void)
{
    return 2 * matrices();
}
static int64_t weights(void)
{
    return 2 * (p("inputs") + 1) * p("hidden");
}
static int64_t network(void)
{
    return product(p("m") * p_or("steps", 1), p("hidden"), p_or("inputs", 144));
}
static int64_t nothing(void)
{
    return 0;
}
static int64_t classes(void)
{
    return product(p("n"), p("hidden"), p("inputs"));
}

/* A bound may be 1 / part of the plain program's count: what cleverer programs and wider instructions save.
 */
static const struct {
    const char *lab, *of; /* "": all others of the lab */
    int64_t (*plain)(void);
    double part;
} table[] = {
    {"00-first-kernel", "", nothing, 1},
    {"01-indexing", "map_1d", n_1, 1},
    {"01-indexing", "map_2d", image, 1},
    {"01-indexing", "map_3d", volume, 1},
    {"01-indexing", "add_stride", n_1, 1},
    {"01-indexing", "add_strip", strip, 1},
    {"02-vector-add", "", n_1, 1},
    {"03-shared-memory", "reverse_static", n_1, 1},
    {"03-shared-memory", "reverse_dynamic", n_1, 1},
    {"03-shared-memory", "stencil_static", stencil_1, 2},
    {"03-shared-memory", "", stencil, 2},
    {"04-streams", "", n_6, 2},
    {"05-error-handling", "", one, 1},
    {"06-reduction", "max_all", n_1, 17},
    {"06-reduction", "", sum, 1},
    {"07-scan", "", n_1, 2.1},
    {"08-matrix-multiply", "", matrices, 2},
    {"09-convolution", "convolve_1d", line, 4},
    {"09-convolution", "convolve_separable", across, 3},
    {"09-convolution", "", plane, 4},
    {"10-histogram", "histogram_range", n_1, 1},
    {"10-histogram", "", n_1, 4.1},
    {"11-transpose", "transpose_in_place", square, 1},
    {"11-transpose", "", one, 1},
    {"12-warp-primitives", "count_positive", n_1, 4.1},
    {"12-warp-primitives", "positive_first", n_1, 4.1},
    {"12-warp-primitives", "", n_1, 2.1},
    {"13-launch-configuration", "window_sums", windows, 2},
    {"13-launch-configuration", "spread", n_72, 1},
    {"13-launch-configuration", "", one, 1},
    {"14-unified-memory", "scale", n_1, 1},
    {"14-unified-memory", "table", n_1, 1},
    {"14-unified-memory", "smooth_frames", frames, 1},
    {"14-unified-memory", "", rounds, 1},
    {"15-debugging-clinic", "brighten", image, 1},
    {"15-debugging-clinic", "negative", image, 1},
    {"15-debugging-clinic", "row_maxima", image, 17},
    {"15-debugging-clinic", "lengths", n_3, 1},
    {"15-debugging-clinic", "smooth", times, 2},
    {"15-debugging-clinic", "", n_2, 2},
    {"16-runtime-compilation", "power", power, 8},
    {"16-runtime-compilation", "", n_1, 1},
    {"17-mixed-precision", "layer_tensor", matrices, 2},
    {"17-mixed-precision", "scaled_gradient", n_1, 1},
    {"17-mixed-precision", "update_weights", steps, 2},
    {"17-mixed-precision", "matvec_int8", rows, 8.1},
    {"17-mixed-precision", "matvec_csr", a_row, 1},
    {"17-mixed-precision", "", rows, 2},
    {"18-several-devices", "transform", n_6, 2},
    {"18-several-devices", "heat", heat, 2},
    {"18-several-devices", "train", errors, 2},
    {"19-profiling-and-roofline", "polynomial", polynomial, 2},
    {"19-profiling-and-roofline", "speeds", n_6, 2},
    {"19-profiling-and-roofline", "speeds_apart", n_6, 2},
    {"19-profiling-and-roofline", "dot", n_2, 2},
    {"19-profiling-and-roofline", "dot_spread", n_2, 2},
    {"19-profiling-and-roofline", "scale", n_1, 1},
    {"20-capstone", "dense_forward", matrices, 2},
    {"20-capstone", "softmax_loss", losses, 3},
    {"20-capstone", "dense_backward", backward, 8},
    {"20-capstone", "sgd_step", weights, 3},
    {"20-capstone", "train_step", network, 2},
    {"20-capstone", "classify", classes, 2},
};

enum { N_ROWS = sizeof table / sizeof table[0], LABS = 21 };

static bool judge_case(const char *lab, bool *used)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        if (strcmp(table[i].lab, lab) != 0 || (table[i].of[0] && !has_value(table[i].of)))
            continue;
        int64_t plain = table[i].plain();
        used[i] = true;
        if (now->min_ops > plain || (double)now->min_ops * table[i].part + table[i].part < (double)plain)
            fail_msg("%s, case %s: min_ops is %lld, and a plain program does %lld", lab, now->name,
                     (long long)now->min_ops, (long long)plain);
        return true;
    }
    return false;
}

static void test_bounds(void **state)
{
    (void)state;
    bool used[N_ROWS] = {0};
    const char *last = "";
    int n_labs = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        char dir[128], hidden[128];
        Lab *lab;
        if (strcmp(table[i].lab, last) == 0)
            continue;
        last = table[i].lab;
        snprintf(dir, sizeof dir, "labs/%s", last);
        snprintf(hidden, sizeof hidden, "solutions/%s/hidden.yaml", last);
        assert_int_equal(STATUS_OK, lab_load(dir, hidden, &lab, NULL));
        n_labs++;
        for (size_t k = 0; k < lab->n_cases; k++) {
            now = &lab->cases[k];
            if (now->run && now->gpu_work && now->check_output && !judge_case(last, used))
                fail_msg("%s, case %s: not in the table", last, now->name);
        }
        lab_free(lab);
    }
    assert_int_equal(LABS, n_labs);
    for (size_t i = 0; i < N_ROWS; i++)
        if (!used[i])
            fail_msg("%s %s: no case", table[i].lab, table[i].of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
