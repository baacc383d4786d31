/* Lab 20: inputs and right answers, in double precision.
 *
 * Parameters: `function`, one of capstone.h, and its sizes; `relu`, `first` (no dx), `share`, `rate`, `largest`
 * (how far scores are from `middle`, or from 0; of
 * classify `middle` is that of b2). For train_step: m images a step, `steps`, `room` of the workspace; with `tests`, `timed`
 * or `only_losses` only losses are wanted; `differences`: the gradient is not worked out by the formulas that students use, but from
 * differences of the loss when one parameter is moved a little, up and down.
 */
#include "judge.h"

#include "digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t size_param(JudgeCase *c, const char *key, size_t otherwise)
{
    return judge_has_param(c, key) ? (size_t)judge_param_int(c, key) : otherwise;
}

static int is(JudgeCase *c, const char *function)
{
    return strcmp(judge_param_text(c, "function"), function) == 0;
}

/* ---- Inputs ---- */

static void make(JudgeCase *c, const char *name, size_t rows, size_t columns, double low, double high)
{
    judge_fill(c, judge_input_make(c, name, LAB_F32, 2, (size_t[]){rows, columns}), low, high);
}

static void make_labels(JudgeCase *c, size_t n, size_t classes)
{
    judge_fill_i32(c, judge_input_make_i32(c, "labels", n), 0, (int32_t)classes - 1);
}

static void make_backward(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    make(c, "x", m, k, -1, 1);
    make(c, "w", k, n, -1, 1);
    make(c, "dy", m, n, -1, 1);
    make(c, "dw", k, n, -1, 1);
    make(c, "db", 1, n, -1, 1);
    if (!size_param(c, "relu", 0))
        return;
    make(c, "y", m, n, -1, 1); /* what relu leaves: about half of it 0 */
    const LabArray *y = judge_input(c, "y");
    for (size_t i = 0; i < y->elements; i++) {
        float *at = (float *)y->data + i;
        *at = fmaxf(0, *at);
        if (size_param(c, "first", 0) && i % 3 == 1) /* what is hardly above 0 is above 0 */
            *at *= 0x1p-80F;
    }
}

typedef struct Sizes {
    size_t inputs, hidden, classes;
} Sizes;

static Sizes sizes_of(JudgeCase *c)
{
    return (Sizes){size_param(c, "inputs", DIGITS_PIXELS), size_param(c, "hidden", 0),
                   size_param(c, "classes", DIGITS_CLASSES)};
}

static void make_network(JudgeCase *c)
{
    Sizes s = sizes_of(c);
    double range1 = sqrt(6.0 / (double)s.inputs), range2 = sqrt(6.0 / (double)s.hidden);
    make(c, "w1", s.inputs, s.hidden, -range1, range1);
    make(c, "b1", 1, s.hidden, -0.1, 0.1);
    make(c, "w2", s.hidden, s.classes, -range2, range2);
    double middle = is(c, "classify") && judge_has_param(c, "middle") ? judge_param_float(c, "middle") : 0;
    double around = fabs(middle) > 1e6 ? fabs(middle) / 4 : 0.1; /* so far from 0 nothing but b2 counts */
    make(c, "b2", 1, s.classes, middle - around, middle + around);
}

static void make_gradient(JudgeCase *c)
{
    Sizes s = sizes_of(c);
    make(c, "g1", s.inputs, s.hidden, -1, 1);
    make(c, "gb1", 1, s.hidden, -1, 1);
    make(c, "g2", s.hidden, s.classes, -1, 1);
    make(c, "gb2", 1, s.classes, -1, 1);
}

static void make_clear(JudgeCase *c, size_t n);

/* Digits and their labels where the network has the size for them, else numbers. The collection's number is drawn
 * like any input. */
static void make_images(JudgeCase *c, size_t n)
{
    Sizes s = sizes_of(c);
    make(c, "images", n, s.inputs, -1, 1);
    if (is(c, "classify")) {
        make_clear(c, n);
        return;
    }
    make_labels(c, n, s.classes);
    if (s.inputs != DIGITS_PIXELS || s.classes != DIGITS_CLASSES)
        return;
    float *pixels = judge_input(c, "images")->data;
    int32_t *labels = judge_input(c, "labels")->data;
    uint64_t collection = 1000 + (uint64_t)fabs(pixels[0] * 1e6);
    for (size_t i = 0; i < n; i++)
        labels[i] = digit_draw(collection, (uint32_t)i, pixels + i * DIGITS_PIXELS);
}

void judge_inputs(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    if (is(c, "dense_forward")) {
        make(c, "x", m, k, -1, 1);
        make(c, "w", k, n, -1, 1);
        make(c, "bias", 1, n, -3, 3);
    } else if (is(c, "softmax_loss")) {
        double largest = judge_param_float(c, "largest");
        double middle = judge_has_param(c, "middle") ? judge_param_float(c, "middle") : 0;
        make(c, "scores", m, size_param(c, "classes", 0), middle - largest, middle + largest);
        make_labels(c, m, size_param(c, "classes", 0));
        make(c, "loss", 1, 1, 0.5, 1);
    } else if (is(c, "dense_backward")) {
        make_backward(c);
    } else if (!is(c, "every")) {
        make_network(c);
        if (is(c, "sgd_step"))
            make_gradient(c);
        else
            make_images(c, is(c, "classify") ? n : m * size_param(c, "steps", 1));
    }
}

/* ---- One layer ---- */

static double *doubles(size_t n)
{
    double *p = calloc(n ? n : 1, sizeof *p);
    if (!p)
        abort();
    return p;
}

static double *copy_of(JudgeCase *c, const char *name)
{
    const LabArray *array = judge_input(c, name);
    double *copy = doubles(array->elements);
    for (size_t i = 0; i < array->elements; i++)
        copy[i] = ((const float *)array->data)[i];
    return copy;
}

static void forward(const double *x, const double *w, const double *bias, double *y, size_t m, size_t n, size_t k,
                    int relu)
{
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            double sum = bias[column];
            for (size_t i = 0; i < k; i++)
                sum += x[row * k + i] * w[i * n + column];
            y[row * n + column] = relu && sum < 0 ? 0 : sum;
        }
}

/* The loss of one row; its gradient goes to d_scores, unless that is NULL. */
static double softmax_row(const double *scores, size_t classes, size_t label, double share, double *d_scores)
{
    double highest = scores[0], sum = 0;
    for (size_t i = 1; i < classes; i++)
        highest = fmax(highest, scores[i]);
    for (size_t i = 0; i < classes; i++)
        sum += exp(scores[i] - highest);
    for (size_t i = 0; d_scores && i < classes; i++)
        d_scores[i] = share * (exp(scores[i] - highest) / sum - (i == label));
    return share * (log(sum) - (scores[label] - highest));
}

/* y: what decides relu, or NULL. dx may be NULL. */
static void backward(const double *x, const double *w, const double *y, const double *dy, double *dw, double *db,
                     double *dx, size_t m, size_t n, size_t k)
{
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            double d = y && y[row * n + column] <= 0 ? 0 : dy[row * n + column];
            db[column] += d;
            for (size_t i = 0; i < k; i++) {
                dw[i * n + column] += x[row * k + i] * d;
                if (dx)
                    dx[row * k + i] += w[i * n + column] * d;
            }
        }
}

/* ---- The network ---- */

/* Parameters, or a gradient: w1, b1, w2, b2 in one array, and where each begins. */
typedef struct Model {
    Sizes s;
    size_t n, b1, w2, b2;
    double *at;
} Model;

static Model model_new(Sizes s)
{
    Model m = {.s = s, .b1 = s.inputs * s.hidden};
    m.w2 = m.b1 + s.hidden;
    m.b2 = m.w2 + s.hidden * s.classes;
    m.n = m.b2 + s.classes;
    m.at = doubles(m.n);
    return m;
}

static Model model_of(JudgeCase *c, const char *w1, const char *b1, const char *w2, const char *b2)
{
    const char *names[] = {w1, b1, w2, b2};
    Model m = model_new(sizes_of(c));
    double *to = m.at;
    for (int i = 0; i < 4; i++) {
        const LabArray *array = judge_input(c, names[i]);
        for (size_t j = 0; j < array->elements; j++)
            *to++ = ((const float *)array->data)[j];
    }
    return m;
}

/* The mean loss of n images; its gradient is added to `gradient`, unless that is NULL. */
static double network_loss(const Model *p, const double *images, const int32_t *labels, size_t n, Model *gradient)
{
    Sizes s = p->s;
    double *hidden = doubles(n * s.hidden), *scores = doubles(n * s.classes), loss = 0;
    double *d_scores = doubles(n * s.classes), *d_hidden = doubles(n * s.hidden);
    forward(images, p->at, p->at + p->b1, hidden, n, s.hidden, s.inputs, 1);
    forward(hidden, p->at + p->w2, p->at + p->b2, scores, n, s.classes, s.hidden, 0);
    for (size_t i = 0; i < n; i++)
        loss += softmax_row(scores + i * s.classes, s.classes, (size_t)labels[i], 1.0 / (double)n,
                            d_scores + i * s.classes);
    if (gradient) {
        double *g = gradient->at;
        backward(hidden, p->at + p->w2, NULL, d_scores, g + p->w2, g + p->b2, d_hidden, n, s.classes, s.hidden);
        backward(images, p->at, hidden, d_hidden, g, g + p->b1, NULL, n, s.hidden, s.inputs);
    }
    free(hidden);
    free(scores);
    free(d_scores);
    free(d_hidden);
    return loss;
}

/* The gradient without any formula: how much the loss changes if one parameter is moved. */
static void difference_gradient(Model *p, const double *images, const int32_t *labels, size_t n, Model *gradient)
{
    const double step = 1e-6;
    for (size_t i = 0; i < p->n; i++) {
        double old = p->at[i];
        p->at[i] = old + step;
        double above = network_loss(p, images, labels, n, NULL);
        p->at[i] = old - step;
        double below = network_loss(p, images, labels, n, NULL);
        p->at[i] = old;
        gradient->at[i] = (above - below) / (2 * step);
    }
}

/* ---- Answers ---- */

static void expect_all(JudgeCase *c, const char *name, const double *from, size_t rows, size_t columns)
{
    memcpy(judge_expect_precise(c, name, LAB_F32, 2, (size_t[]){rows, columns}), from,
           rows * columns * sizeof *from);
}

static void expect_model(JudgeCase *c, const Model *m, const char *w1, const char *b1, const char *w2,
                         const char *b2)
{
    expect_all(c, w1, m->at, m->s.inputs, m->s.hidden);
    expect_all(c, b1, m->at + m->b1, 1, m->s.hidden);
    expect_all(c, w2, m->at + m->w2, m->s.hidden, m->s.classes);
    expect_all(c, b2, m->at + m->b2, 1, m->s.classes);
}

static void expect_forward(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    double *x = copy_of(c, "x"), *w = copy_of(c, "w"), *bias = copy_of(c, "bias");
    forward(x, w, bias, judge_expect_precise(c, "y", LAB_F32, 2, (size_t[]){m, n}), m, n, k,
            (int)size_param(c, "relu", 0));
    free(x);
    free(w);
    free(bias);
}

static void expect_softmax(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), classes = size_param(c, "classes", 0);
    double *scores = copy_of(c, "scores"), *loss = copy_of(c, "loss");
    double *d_scores = judge_expect_precise(c, "d_scores", LAB_F32, 2, (size_t[]){m, classes});
    const int32_t *labels = judge_input_i32(c, "labels", NULL);
    for (size_t i = 0; i < m; i++)
        *loss += softmax_row(scores + i * classes, classes, (size_t)labels[i], judge_param_float(c, "share"),
                             d_scores + i * classes);
    expect_all(c, "loss_after", loss, 1, 1);
    free(scores);
    free(loss);
}

static void expect_backward(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    double *x = copy_of(c, "x"), *w = copy_of(c, "w"), *dy = copy_of(c, "dy"), *dw = copy_of(c, "dw");
    double *db = copy_of(c, "db"), *y = size_param(c, "relu", 0) ? copy_of(c, "y") : NULL;
    double *dx = size_param(c, "first", 0) ? NULL : judge_expect_precise(c, "dx", LAB_F32, 2, (size_t[]){m, k});
    judge_expect_value(c, "elements_of_dy_that_changed", 0);
    judge_expect_value(c, "elements_of_x_w_and_y_that_changed", 0);
    backward(x, w, y, dy, dw, db, dx, m, n, k);
    expect_all(c, "dw_after", dw, k, n);
    expect_all(c, "db_after", db, 1, n);
    free(x);
    free(w);
    free(dy);
    free(dw);
    free(db);
    free(y);
}

static void expect_sgd(JudgeCase *c)
{
    Model p = model_of(c, "w1", "b1", "w2", "b2"), g = model_of(c, "g1", "gb1", "g2", "gb2");
    for (size_t i = 0; i < p.n; i++) {
        p.at[i] -= judge_param_float(c, "rate") * g.at[i];
        g.at[i] = 0;
    }
    expect_model(c, &p, "w1_after", "b1_after", "w2_after", "b2_after");
    expect_model(c, &g, "g1_after", "gb1_after", "g2_after", "gb2_after");
    free(p.at);
    free(g.at);
}

/* Digits that no training has seen: how many are read right is counted. */
static void expect_answers(JudgeCase *c)
{
    static float image[DIGITS_PIXELS];
    size_t n = size_param(c, "tests", 0);
    int32_t *answers = judge_expect_share_i32(c, "answers", n);
    for (size_t i = 0; i < n; i++)
        answers[i] = digit_draw((uint64_t)judge_param_int(c, "test_seed"), (uint32_t)i, image);
}

static void expect_training(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), steps = size_param(c, "steps", 1);
    Model p = model_of(c, "w1", "b1", "w2", "b2"), g = model_new(p.s);
    double *images = copy_of(c, "images"), *losses = judge_expect_precise(c, "losses", LAB_F32, 1, &steps);
    const int32_t *labels = judge_input_i32(c, "labels", NULL);
    for (size_t step = 0; step < steps; step++) {
        const double *batch = images + step * m * p.s.inputs;
        memset(g.at, 0, g.n * sizeof *g.at);
        losses[step] = network_loss(&p, batch, labels + step * m, m, &g);
        if (judge_has_param(c, "differences"))
            difference_gradient(&p, batch, labels + step * m, m, &g);
        for (size_t i = 0; i < p.n; i++)
            p.at[i] -= judge_param_float(c, "rate") * g.at[i];
    }
    if (!judge_has_param(c, "tests") && !judge_has_param(c, "timed") && !judge_has_param(c, "only_losses"))
        expect_model(c, &p, "w1_after", "b1_after", "w2_after", "b2_after");
    if (judge_has_param(c, "tests"))
        expect_answers(c);
    free(p.at);
    free(g.at);
    free(images);
}

/* The scores of n images, a row each. The caller frees them. */
static double *scores_of_images(JudgeCase *c, size_t n)
{
    Model p = model_of(c, "w1", "b1", "w2", "b2");
    double *images = copy_of(c, "images"), *hidden = doubles(n * p.s.hidden), *scores = doubles(n * p.s.classes);
    forward(images, p.at, p.at + p.b1, hidden, n, p.s.hidden, p.s.inputs, 1);
    forward(hidden, p.at + p.w2, p.at + p.b2, scores, n, p.s.classes, p.s.hidden, 0);
    free(p.at);
    free(images);
    free(hidden);
    return scores;
}

static size_t highest(const double *scores, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        best = scores[k] > scores[best] ? k : best;
    return best;
}

/* Whether rounding in float leaves the class as it is. */
static int is_clear(const double *scores, size_t classes)
{
    size_t best = highest(scores, classes);
    for (size_t k = 0; k < classes; k++)
        if (k != best && scores[best] - scores[k] < 1e-4 * (1 + fabs(scores[best])))
            return 0;
    return 1;
}

/* An image with two highest scores that rounding may exchange becomes the one before it that has none. */
static void make_clear(JudgeCase *c, size_t n)
{
    Sizes s = sizes_of(c);
    float *images = judge_input(c, "images")->data, *clear = NULL;
    double *scores = scores_of_images(c, n);
    for (size_t i = 0; i < n; i++)
        if (is_clear(scores + i * s.classes, s.classes))
            clear = images + i * s.inputs;
        else if (clear)
            memcpy(images + i * s.inputs, clear, s.inputs * sizeof *images);
    free(scores);
}

static void expect_classes(JudgeCase *c)
{
    size_t n = size_param(c, "n", 0), classes = sizes_of(c).classes;
    double *scores = scores_of_images(c, n);
    int32_t *digits = judge_expect_i32(c, "digits", n);
    for (size_t i = 0; i < n; i++)
        digits[i] = (int32_t)highest(scores + i * classes, classes);
    free(scores);
}

void judge_reference(JudgeCase *c)
{
    if (is(c, "every")) {
        judge_expect_launches(c);
        return;
    }
    if (is(c, "dense_forward"))
        expect_forward(c);
    else if (is(c, "softmax_loss"))
        expect_softmax(c);
    else if (is(c, "dense_backward"))
        expect_backward(c);
    else if (is(c, "sgd_step"))
        expect_sgd(c);
    else if (is(c, "train_step"))
        expect_training(c);
    else
        expect_classes(c);
}

/* ---- Mistakes in a layer, forwards ---- */

enum {
    NO_BIAS,
    BIAS_OF_ROW,
    RELU_BEFORE_BIAS,
    NO_RELU,
    RELU_ALWAYS,
    TAIL_OF_16,
    TAIL_OF_32,
    FIRST_16,
    FIRST_32,
    WITHOUT_FIRST_16,
    WITHOUT_FIRST_32,
    EVERY_SECOND_16,
    EVERY_SECOND_32,
    WITHOUT_LAST,
    NOT_FIRST,
    BIAS_TWICE,
    RELU_OTHER_WAY,
    X_TURNED,
    W_TURNED,
    N_FORWARDS
};

static const char *const tail_hint = "The depth is k, and no multiple of a tile: is the number of tiles rounded up, and are the elements of the last one loaded?";
static const char *const tiles_hint = "How many tiles of the depth does the loop take, with which does it begin, by how much does it go on, and is the sum kept from tile to tile?";

static const struct {
    const char *sentence, *hint;
} of_forward[N_FORWARDS] = {
    [NO_BIAS] = {"the bias is missing", "What is added to the sum before it is stored?"},
    [BIAS_OF_ROW] = {"the bias is that of the row, and not of the column", "How many biases are there, one for each row or for each column of y?"},
    [RELU_BEFORE_BIAS] = {"relu is taken of the sum, and the bias added afterwards", "relu comes after the bias: of what is it taken?"},
    [NO_RELU] = {"relu is missing", "What becomes of a result below 0 where relu is not 0?"},
    [RELU_ALWAYS] = {"relu is taken, although the argument relu is 0", "When may a result be below 0? The argument relu says it."},
    [TAIL_OF_16] = {"the last columns of x, which do not fill a tile of 16, are missing in each sum", tail_hint},
    [TAIL_OF_32] = {"the last columns of x, which do not fill a tile of 32, are missing in each sum", tail_hint},
    [FIRST_16] = {"only the first 16 products of each sum are in it", tiles_hint},
    [FIRST_32] = {"only the first 32 products of each sum are in it", tiles_hint},
    [WITHOUT_FIRST_16] = {"the first 16 products of each sum are missing", tiles_hint},
    [WITHOUT_FIRST_32] = {"the first 32 products of each sum are missing", tiles_hint},
    [EVERY_SECOND_16] = {"every second 16 products of each sum are missing", tiles_hint},
    [EVERY_SECOND_32] = {"every second 32 products of each sum are missing", tiles_hint},
    [WITHOUT_LAST] = {"the last product of each sum is missing", "Where does the loop over the depth end?"},
    [NOT_FIRST] = {"the first product of each sum is missing", "With which product does the loop over the depth begin?"},
    [BIAS_TWICE] = {"the bias is added twice", "With what does the sum begin, and what is added to it at the end?"},
    [RELU_OTHER_WAY] = {"what is above 0 has become 0, and what is below 0 has stayed", "relu(v) is v if v > 0, else 0. Which way round is it asked?"},
    [X_TURNED] = {"x is read as if it stood the other way round, column after column", "x has m rows of k numbers: where in memory is its element of a row and a column?"},
    [W_TURNED] = {"w is read as if it stood the other way round, column after column", "w has k rows of n numbers: where in memory is its element of a row and a column?"},
};

/* Whether product i of `depth` is in a sum. */
static int is_summed(size_t i, size_t depth, int mistake)
{
    switch (mistake) {
    case TAIL_OF_16:
        return i < depth / 16 * 16;
    case TAIL_OF_32:
        return i < depth / 32 * 32;
    case FIRST_16:
        return i < 16;
    case FIRST_32:
        return i < 32;
    case WITHOUT_FIRST_16:
        return i >= 16;
    case WITHOUT_FIRST_32:
        return i >= 32;
    case EVERY_SECOND_16:
        return i / 16 % 2 == 0;
    case EVERY_SECOND_32:
        return i / 32 % 2 == 0;
    case WITHOUT_LAST:
        return i + 1 < depth;
    case NOT_FIRST:
        return i > 0;
    default:
        return 1;
    }
}

static void name_forward(JudgeCase *c)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    int relu = (int)size_param(c, "relu", 0);
    if (k == 1) /* one product: many mistakes give the same */
        return;
    double *x = copy_of(c, "x"), *w = copy_of(c, "w"), *bias = copy_of(c, "bias");
    for (int mistake = 0; mistake < N_FORWARDS; mistake++) {
        double *y = mistake == BIAS_OF_ROW && m > n ? NULL : judge_mistake(c, "y", of_forward[mistake].sentence, of_forward[mistake].hint);
        for (size_t place = 0; y && place < m * n; place++) {
            size_t row = place / n, column = place % n;
            double sum = 0, b = mistake == NO_BIAS ? 0 : bias[mistake == BIAS_OF_ROW ? row : column] * (mistake == BIAS_TWICE ? 2 : 1);
            for (size_t i = 0; i < k; i++)
                if (is_summed(i, k, mistake))
                    sum += x[mistake == X_TURNED ? i * m + row : row * k + i] * w[mistake == W_TURNED ? column * k + i : i * n + column];
            if (mistake == RELU_BEFORE_BIAS)
                y[place] = (relu ? fmax(0, sum) : sum) + b;
            else if (mistake == RELU_OTHER_WAY)
                y[place] = relu ? fmin(0, sum + b) : sum + b;
            else
                y[place] = mistake == RELU_ALWAYS || (relu && mistake != NO_RELU) ? fmax(0, sum + b) : sum + b;
        }
    }
    free(x);
    free(w);
    free(bias);
}

/* ---- Mistakes in softmax_loss ---- */

enum { LABEL_LEFT, LABEL_OF_ROW_0, SHARE_OF_P, NO_SHARE, SIGN, LANES_COUNT, LOSS_SET, LOSS_OF_SCORE, LOSS_OF_SUM, LOSS_OF_WARP_0, LOSS_OF_LAST, LOSS_OF_LAST_LABEL, LOSS_OF_FIRST, NOT_OVER_SUM, SHARE_0, N_SOFTMAX };

static const struct {
    const char *sentence, *hint;
} of_softmax[N_SOFTMAX] = {
    [LABEL_LEFT] = {"1 is not subtracted in the label's place", "The gradient is p, less 1 in the label's place, times share: which lane is the label's?"},
    [LABEL_OF_ROW_0] = {"every row takes the label of row 0", "With which index is a row's label read?"},
    [SHARE_OF_P] = {"the 1 in the label's place is subtracted after share, and not before", "The gradient is p, less 1 in the label's place, and all of that times share."},
    [NO_SHARE] = {"share is missing", "By what are the loss of a row and its gradient multiplied?"},
    [SIGN] = {"it has the wrong sign", "The gradient is p less 1 in the label's place, and the loss is -log(p): what is subtracted from what?"},
    [LANES_COUNT] = {"lanes without a class count as if they had a score of 0", "What do lanes without a class hold in the search for the highest score, and what do they add to the sum of exponentials?"},
    [LOSS_SET] = {"what *loss held before is lost", "The loss is added to what *loss holds: is it stored, or added?"},
    [LOSS_OF_SCORE] = {"of the label's score the highest one is not taken off, which is in the logarithm of the sum", "The loss of a row is log(sum) - (score - highest), if the sum is one of exponentials of (score - highest)."},
    [LOSS_OF_SUM] = {"it is made of the logarithms of the sums, without the labels' scores", "The loss of a row is log(sum) - (score - highest): of which lane is the score?"},
    [LOSS_OF_WARP_0] = {"only the rows of warp 0, which are every 16th, are in it", "Each warp has a sum of its own rows: where are those of the 16 warps added up, after which barrier, and by whom?"},
    [LOSS_OF_LAST] = {"of each warp only the last row is in it", "A warp takes many rows: is a row's loss added to those before, or stored over them?"},
    [LOSS_OF_LAST_LABEL] = {"of a warp's rows with the same label only the last is in it", "A warp takes many rows, and a lane is the label's of some of them: is a row's loss added to those before, or stored over them?"},
    [LOSS_OF_FIRST] = {"only the first 16 rows are in it, one of each of 16 warps", "A warp takes many rows: by how much does its row grow, how far does it go, and is the loss added up in each turn?"},
    [NOT_OVER_SUM] = {"the exponentials are not divided by their sum", "p is an exponential over the sum of all of the row: which lanes know that sum?"},
    [SHARE_0] = {"it is what comes out with a share of 0", "Of what type is share on its way into the kernel (a whole number makes 0 of a fraction), and by what is each result multiplied?"},
};

/* Whether no later row of the same warp, with the same label if that is asked, stores over a row's loss. */
static int is_last_of_warp(const int32_t *labels, size_t row, size_t m, int of_label)
{
    for (size_t later = row + 16; later < m; later += 16)
        if (!of_label || labels[later] == labels[row])
            return 0;
    return 1;
}

static void wrong_softmax(JudgeCase *c, int mistake, double *d_scores, double *loss)
{
    size_t m = size_param(c, "m", 0), classes = size_param(c, "classes", 0);
    double *scores = copy_of(c, "scores"), *before = copy_of(c, "loss"), share = judge_param_float(c, "share"), total = 0;
    double factor = mistake == NO_SHARE ? 1 : mistake == SIGN ? -share : mistake == SHARE_0 ? 0 : share;
    const int32_t *labels = judge_input_i32(c, "labels", NULL);
    for (size_t row = 0; row < m; row++) {
        const double *of_row = scores + row * classes;
        size_t label = (size_t)labels[mistake == LABEL_OF_ROW_0 ? 0 : row];
        double highest = mistake == LANES_COUNT && classes < 32 ? 0 : of_row[0], sum = 0;
        for (size_t i = 0; i < classes; i++)
            highest = fmax(highest, of_row[i]);
        for (size_t i = 0; i < classes; i++)
            sum += exp(of_row[i] - highest);
        sum += mistake == LANES_COUNT ? (double)(32 - classes) * exp(-highest) : 0;
        for (size_t i = 0; i < classes; i++) {
            double p = exp(of_row[i] - highest) / (mistake == NOT_OVER_SUM ? 1 : sum), one = i == label && mistake != LABEL_LEFT ? 1 : 0;
            d_scores[row * classes + i] = mistake == SHARE_OF_P ? share * p - one : factor * (p - one);
        }
        double above = mistake == LOSS_OF_SCORE ? of_row[label] : mistake == LOSS_OF_SUM ? 0 : of_row[label] - highest;
        int stored = mistake == LOSS_OF_LAST || mistake == LOSS_OF_LAST_LABEL;
        if ((mistake != LOSS_OF_WARP_0 || row % 16 == 0) && (mistake != LOSS_OF_FIRST || row < 16) && (!stored || is_last_of_warp(labels, row, m, mistake == LOSS_OF_LAST_LABEL)))
            total += factor * (log(sum) - above);
    }
    *loss = total + (mistake == LOSS_SET ? 0 : *before);
    free(scores);
    free(before);
}

static void name_softmax(JudgeCase *c)
{
    for (int mistake = 0; mistake < N_SOFTMAX; mistake++) {
        double *d_scores = judge_mistake(c, "d_scores", of_softmax[mistake].sentence, of_softmax[mistake].hint);
        double *loss = judge_mistake(c, "loss_after", of_softmax[mistake].sentence, of_softmax[mistake].hint);
        if (d_scores && loss)
            wrong_softmax(c, mistake, d_scores, loss);
    }
}

/* ---- Mistakes in a layer, backwards ---- */

enum { RELU_IGNORED = N_FORWARDS, RELU_TURNED_ROUND, RELU_BY_DY, OF_Y, OF_ROW_0, STORED, STORED_WITHOUT_RELU, N_BACKWARDS };

static const struct {
    const char *sentence, *hint;
} of_backward[N_BACKWARDS] = {
    [TAIL_OF_16] = {"the last products of each sum, which do not fill a tile of 16, are missing", "Which length is summed over in each of the three results (m for dw, n for dx)? Is the number of tiles rounded up?"},
    [TAIL_OF_32] = {"the last products of each sum, which do not fill a tile of 32, are missing", "Which length is summed over in each of the three results (m for dw, n for dx)? Is the number of tiles rounded up?"},
    [FIRST_16] = {"only the first 16 products of each sum are in it", "Which length is summed over in each of the three results (m for dw, n for dx), and how many tiles does the loop take?"},
    [FIRST_32] = {"only the first 32 products of each sum are in it", "Which length is summed over in each of the three results (m for dw, n for dx), and how many tiles does the loop take?"},
    [WITHOUT_LAST] = {"the last product of each sum is missing", "Which length is summed over in each of the three results (m for dw, n for dx), and where does the loop end?"},
    [NOT_FIRST] = {"the first product of each sum is missing", "Which length is summed over in each of the three results (m for dw, n for dx), and with which does the loop begin?"},
    [X_TURNED] = {"x is read as if it stood the other way round, column after column", "x has m rows of k numbers: where in memory is its element of a row and a column?"},
    [W_TURNED] = {"w is read as if it stood the other way round, column after column", "w has k rows of n numbers, and column j of it is row j of its transpose: where in memory is that element?"},
    [RELU_IGNORED] = {"dy counts everywhere in it, also where y is not above 0", "Where y is not above 0, dy counts as 0, in each of the three results: is that asked where this one is made, and is 0 itself not above 0?"},
    [RELU_TURNED_ROUND] = {"dy counts where y is 0, and not where y is above 0", "Where y is not above 0, dy counts as 0. Which way round is it asked?"},
    [RELU_BY_DY] = {"dy counts where dy itself is above 0, and not where y is", "Of which array is it asked whether it is above 0?"},
    [OF_Y] = {"y stands where dy belongs", "Which array is the gradient that comes from behind?"},
    [OF_ROW_0] = {"it has dy of row 0 alone", "db[j] is the sum of dy[row][j]: over which rows?"},
    [STORED] = {"what was there before is lost: the gradient is stored, and not added", "dw and db hold a gradient already: is this one added to it?"},
    [STORED_WITHOUT_RELU] = {"dy counts everywhere in it, also where y is not above 0, and what was there before is lost", "Where y is not above 0, dy counts as 0, in each of the three results; and dw and db are added to what is there."},
};

/* y: what decides relu; NULL: nothing does. */
static double counting(const double *y, const double *dy, size_t i, int mistake)
{
    if (!y || mistake == RELU_IGNORED || mistake == STORED_WITHOUT_RELU)
        return dy[i];
    if (mistake == OF_Y)
        return y[i];
    double decides = mistake == RELU_BY_DY ? dy[i] : mistake == RELU_TURNED_ROUND ? -(y[i] > 0) + 0.5 : y[i];
    return decides > 0 ? dy[i] : 0;
}

static void wrong_backward(JudgeCase *c, int mistake, double *dw, double *db, double *dx)
{
    size_t m = size_param(c, "m", 0), n = size_param(c, "n", 0), k = size_param(c, "k", 0);
    double *x = copy_of(c, "x"), *w = copy_of(c, "w"), *dy = copy_of(c, "dy"), *y = size_param(c, "relu", 0) ? copy_of(c, "y") : NULL;
    double *old_w = copy_of(c, "dw"), *old_b = copy_of(c, "db"), *d = doubles(m * n);
    for (size_t i = 0; i < m * n; i++)
        d[i] = counting(y, dy, i, mistake);
    for (size_t j = 0; db && j < n; j++) {
        db[j] = mistake == STORED || mistake == STORED_WITHOUT_RELU ? 0 : old_b[j];
        for (size_t row = 0; row < (mistake == OF_ROW_0 ? 1 : m); row++)
            db[j] += is_summed(row, m, mistake) ? d[row * n + j] : 0;
    }
    for (size_t place = 0; dw && place < k * n; place++) {
        size_t i = place / n, j = place % n;
        dw[place] = mistake == STORED || mistake == STORED_WITHOUT_RELU ? 0 : old_w[place];
        for (size_t row = 0; row < m; row++)
            dw[place] += is_summed(row, m, mistake) ? x[mistake == X_TURNED ? i * m + row : row * k + i] * d[row * n + j] : 0;
    }
    for (size_t place = 0; dx && place < m * k; place++) {
        size_t row = place / k, i = place % k;
        dx[place] = 0;
        for (size_t j = 0; j < n; j++)
            dx[place] += is_summed(j, n, mistake) ? d[row * n + j] * w[mistake == W_TURNED ? j * k + i : i * n + j] : 0;
    }
    double *all[] = {x, w, dy, y, old_w, old_b, d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void name_backward(JudgeCase *c)
{
    for (int mistake = 0; mistake < N_BACKWARDS; mistake++) {
        const char *sentence = of_backward[mistake].sentence, *hint = of_backward[mistake].hint;
        if (!sentence)
            continue;
        double *dw = mistake == OF_ROW_0 ? NULL : judge_mistake(c, "dw_after", sentence, hint);
        double *db = judge_mistake(c, "db_after", sentence, hint);
        double *dx = dw && mistake < STORED ? judge_mistake(c, "dx", sentence, hint) : NULL;
        wrong_backward(c, mistake, dw, db, dx);
    }
}

/* ---- Mistakes in sgd_step ---- */

static void name_sgd(JudgeCase *c)
{
    static const char *const names[][6] = {
        {"w1", "g1", "w1_after", "g1_after", "the result is the input 'w1', unchanged", "the result is the input 'g1', unchanged"},
        {"b1", "gb1", "b1_after", "gb1_after", "the result is the input 'b1', unchanged", "the result is the input 'gb1', unchanged"},
        {"w2", "g2", "w2_after", "g2_after", "the result is the input 'w2', unchanged", "the result is the input 'g2', unchanged"},
        {"b2", "gb2", "b2_after", "gb2_after", "the result is the input 'b2', unchanged", "the result is the input 'gb2', unchanged"},
    };
    double rate = judge_param_float(c, "rate");
    for (int array = 0; array < 4; array++) {
        const LabArray *p = judge_input(c, names[array][0]), *g = judge_input(c, names[array][1]);
        double *added = judge_mistake(c, names[array][2], "the parameters moved with their gradient and not against it", "Which sign has the step?");
        double *no_rate = judge_mistake(c, names[array][2], "the rate is missing", "By what is the gradient multiplied?");
        double *step = judge_mistake(c, names[array][2], "it is the step alone, without what the parameter was before", "Is the step stored, or taken off what is there?");
        double *still = judge_mistake(c, names[array][2], names[array][4], "Has this array its threads? With which rate (a whole number makes 0 of a fraction), and with the gradient as it is before it becomes 0?");
        double *twice = judge_mistake(c, names[array][2], "the step was taken twice", "How many threads take the step of an element, and in how many launches?");
        double *kept = judge_mistake(c, names[array][3], names[array][5], "The gradient becomes 0 behind the step: all elements of each of the four arrays.");
        for (size_t i = 0; added && no_rate && step && still && twice && kept && i < p->elements; i++) {
            double old = ((const float *)p->data)[i], gradient = ((const float *)g->data)[i];
            added[i] = old + rate * gradient;
            no_rate[i] = old - gradient;
            step[i] = -rate * gradient;
            still[i] = old;
            twice[i] = old - 2 * rate * gradient;
            kept[i] = gradient;
        }
    }
}

/* ---- Where the images of a micro-batch, or of a round of classify, begin ---- */

enum { AT_ITS_IMAGE, AT_THE_FIRST, BY_FLOATS, BY_HIDDEN, BY_CLASSES, BY_ONE_IMAGE, BY_ALL_BUT_ONE };

/* The float with which the images of a turn begin whose first one is image `first`. */
static size_t first_float(Sizes s, size_t first, size_t room, int way)
{
    switch (way) {
    case AT_THE_FIRST:
        return 0;
    case BY_FLOATS:
        return first;
    case BY_HIDDEN:
        return first * s.hidden;
    case BY_CLASSES:
        return first * s.classes;
    case BY_ONE_IMAGE:
        return first / room * s.inputs;
    case BY_ALL_BUT_ONE:
        return (first - first / room) * s.inputs;
    default:
        return first * s.inputs;
    }
}

/* Whether images are read that are none: the program breaks down, or reads what nobody can tell. */
static int is_outside(Sizes s, int way)
{
    return (way == BY_HIDDEN && s.hidden > s.inputs) || (way == BY_CLASSES && s.classes > s.inputs);
}

static const char *const begin_hint = "Where in `images` does a turn begin that begins with image i? An image has `inputs` floats, so that a pointer to floats moves on by i * inputs.";

/* ---- Mistakes in train_step ---- */

enum {
    SUM_FOR_MEAN,
    MEAN_OF_PART,
    SHARE_BY_ROOM,
    SHARE_OF_0,
    STEP_AFTER_PART,
    LAST_PART_ALONE,
    SHORT_PART_LOST,
    FIRST_PART_ALONE,
    IMAGES_STAY,
    IMAGES_BY_FLOATS,
    IMAGES_BY_HIDDEN,
    IMAGES_BY_ONE,
    IMAGES_OVERLAP,
    LABELS_STAY,
    LABELS_BY_ONE,
    LOSS_OF_LAST_PART,
    W2_BEFORE_LAYER_1,
    HIDDEN_DY_DECIDES,
    NO_RELU_BACK,
    NO_RELU_IN_B1,
    NO_RELU_IN_W1,
    RELU_BACK_2,
    HIDDEN_LINEAR,
    SCORES_WITH_RELU,
    NOT_ZEROED,
    W1_NOT_ZEROED,
    B1_NOT_ZEROED,
    W2_NOT_ZEROED,
    B2_NOT_ZEROED,
    STEP_UPWARDS,
    N_TRAINED
};

static const char *const share_hint = "What is the share of an image? 1 over the number of images in the whole batch, in every micro-batch, and not in whole numbers.";
static const char *const zeros_hint = "What is in the gradient when a step begins? sgd_step sets it to 0, in all four arrays.";
static const char *const parts_hint = "Which images and labels does each micro-batch take, how many are in the last one, and is each added to the same gradient and the same loss?";
static const char *const relu_hint = "Layer 1 has relu and layer 2 has none, forwards and backwards. On the way back through layer 1 y is work->hidden, which that layer put out, and dy is work->d_hidden.";

static const struct {
    const char *sentence, *hint;
} of_training[N_TRAINED] = {
    [SUM_FOR_MEAN] = {"it is made of the sum over all images and not of their mean", share_hint},
    [MEAN_OF_PART] = {"each micro-batch counts with its own mean", share_hint},
    [SHARE_BY_ROOM] = {"an image's share is 1 over the room of the workspace", share_hint},
    [SHARE_OF_0] = {"an image's share is 0", share_hint},
    [STEP_AFTER_PART] = {"the parameters moved after each micro-batch, and not once at the end", "How many steps does a batch make, and where is sgd_step called?"},
    [LAST_PART_ALONE] = {"only the gradient of the last micro-batch is in it", "Is the gradient set to 0 between micro-batches, or stored where it is to be added?"},
    [SHORT_PART_LOST] = {"the last micro-batch, which is shorter, is left out", parts_hint},
    [FIRST_PART_ALONE] = {"only the first micro-batch is in it", parts_hint},
    [IMAGES_STAY] = {"every micro-batch takes the images of the first", parts_hint},
    [IMAGES_BY_FLOATS] = {"a micro-batch that begins with image i reads from float i on, and not from float i * inputs", begin_hint},
    [IMAGES_BY_HIDDEN] = {"a micro-batch that begins with image i reads from float i * hidden on, and not from float i * inputs", begin_hint},
    [IMAGES_BY_ONE] = {"each micro-batch begins one image behind the one before", parts_hint},
    [IMAGES_OVERLAP] = {"each micro-batch begins with the last image of the one before", parts_hint},
    [LABELS_BY_ONE] = {"the labels of each micro-batch begin one behind those of the one before", parts_hint},
    [LABELS_STAY] = {"every micro-batch takes the labels of the first", parts_hint},
    [LOSS_OF_LAST_PART] = {"it is the loss of the last micro-batch alone", "Is the loss of a micro-batch added to *loss, or stored over that of the one before?"},
    [W2_BEFORE_LAYER_1] = {"w2 had moved already when the gradient came back through it to layer 1", "When do the parameters move? Each gradient needs the weights as they were before the step."},
    [HIDDEN_DY_DECIDES] = {"d_hidden decides on relu in layer 1, and not what that layer put out", relu_hint},
    [NO_RELU_BACK] = {"it is what comes out without relu on the way back through layer 1", relu_hint},
    [NO_RELU_IN_B1] = {"it is what comes out if relu is forgotten in db of layer 1, which moves b1", "Where y is not above 0, dy counts as 0, in db too. Is TODO 3 right?"},
    [NO_RELU_IN_W1] = {"it is what comes out if relu is forgotten in dw of layer 1, which moves w1", "Where y is not above 0, dy counts as 0, in dw too. Is TODO 3 right?"},
    [RELU_BACK_2] = {"relu is taken on the way back through layer 2, which has none", relu_hint},
    [HIDDEN_LINEAR] = {"layer 1 has no relu on the way forwards", relu_hint},
    [SCORES_WITH_RELU] = {"layer 2, whose scores may be negative, has a relu on the way forwards", relu_hint},
    [NOT_ZEROED] = {"the gradients of the steps before are still in it", zeros_hint},
    [W1_NOT_ZEROED] = {"the gradient of w1 still has those of the steps before in it", zeros_hint},
    [B1_NOT_ZEROED] = {"the gradient of b1 still has those of the steps before in it", zeros_hint},
    [W2_NOT_ZEROED] = {"the gradient of w2 still has those of the steps before in it", zeros_hint},
    [B2_NOT_ZEROED] = {"the gradient of b2 still has those of the steps before in it", zeros_hint},
    [STEP_UPWARDS] = {"the parameters moved with the gradient and not against it", "Which sign has the step?"},
};

/* How the images of a mistake begin. */
static int way_of_images(int mistake)
{
    switch (mistake) {
    case IMAGES_STAY:
        return AT_THE_FIRST;
    case IMAGES_BY_FLOATS:
        return BY_FLOATS;
    case IMAGES_BY_HIDDEN:
        return BY_HIDDEN;
    case IMAGES_BY_ONE:
        return BY_ONE_IMAGE;
    case IMAGES_OVERLAP:
        return BY_ALL_BUT_ONE;
    default:
        return AT_ITS_IMAGE;
    }
}

static double share_of_image(size_t m, size_t n, size_t room, int mistake)
{
    switch (mistake) {
    case SUM_FOR_MEAN:
        return 1;
    case MEAN_OF_PART:
        return 1.0 / (double)n;
    case SHARE_BY_ROOM:
        return 1.0 / (double)room;
    case SHARE_OF_0:
        return 0;
    default:
        return 1.0 / (double)m;
    }
}

static void move(Model *p, Model *g, size_t from, double rate, int mistake)
{
    for (size_t i = from; i < p->n; i++) {
        p->at[i] -= (mistake == STEP_UPWARDS ? -rate : rate) * g->at[i];
        int array = i < p->b1 ? W1_NOT_ZEROED : i < p->w2 ? B1_NOT_ZEROED : i < p->b2 ? W2_NOT_ZEROED : B2_NOT_ZEROED;
        g->at[i] = mistake == NOT_ZEROED || mistake == array ? g->at[i] : 0;
    }
}

/* A micro-batch of n images: its gradient is added to *g; gives its loss. */
static double wrong_part(Model *p, Model *g, const double *images, const int32_t *labels, size_t n, double share, double rate, int mistake)
{
    Sizes s = p->s;
    double *hidden = doubles(n * s.hidden), *scores = doubles(n * s.classes), loss = 0;
    double *d_scores = doubles(n * s.classes), *d_hidden = doubles(n * s.hidden), *none = doubles(p->n);
    forward(images, p->at, p->at + p->b1, hidden, n, s.hidden, s.inputs, mistake != HIDDEN_LINEAR);
    forward(hidden, p->at + p->w2, p->at + p->b2, scores, n, s.classes, s.hidden, mistake == SCORES_WITH_RELU);
    for (size_t i = 0; i < n; i++)
        loss += softmax_row(scores + i * s.classes, s.classes, (size_t)labels[i], share, d_scores + i * s.classes);
    const double *decides = mistake == NO_RELU_BACK ? NULL : mistake == HIDDEN_DY_DECIDES ? d_hidden : hidden;
    backward(hidden, p->at + p->w2, mistake == RELU_BACK_2 ? scores : NULL, d_scores, g->at + p->w2, g->at + p->b2, d_hidden, n, s.classes, s.hidden);
    if (mistake == W2_BEFORE_LAYER_1) {
        move(p, g, p->w2, rate, mistake);
        memset(d_hidden, 0, n * s.hidden * sizeof *d_hidden);
        backward(hidden, p->at + p->w2, NULL, d_scores, none + p->w2, none + p->b2, d_hidden, n, s.classes, s.hidden);
    }
    backward(images, p->at, decides, d_hidden, mistake == NO_RELU_IN_W1 ? none : g->at, mistake == NO_RELU_IN_B1 ? none : g->at + p->b1, NULL, n, s.hidden, s.inputs);
    memset(none, 0, p->n * sizeof *none);
    if (mistake == NO_RELU_IN_W1 || mistake == NO_RELU_IN_B1)
        backward(images, p->at, NULL, d_hidden, mistake == NO_RELU_IN_W1 ? g->at : none, mistake == NO_RELU_IN_B1 ? g->at + p->b1 : none + p->b1, NULL, n, s.hidden, s.inputs);
    double *all[] = {hidden, scores, d_scores, d_hidden, none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return loss;
}

static Model wrong_training(JudgeCase *c, double *losses, int mistake)
{
    size_t m = size_param(c, "m", 0), steps = size_param(c, "steps", 1), room = size_param(c, "room", m);
    Model p = model_of(c, "w1", "b1", "w2", "b2"), g = model_new(p.s);
    double *images = copy_of(c, "images"), rate = judge_param_float(c, "rate");
    const int32_t *labels = judge_input_i32(c, "labels", NULL);
    for (size_t step = 0; step < steps; step++) {
        const double *batch = images + step * m * p.s.inputs;
        losses[step] = 0;
        for (size_t first = 0; first < m; first += room) {
            size_t n = m - first < room ? m - first : room;
            if ((mistake == SHORT_PART_LOST && n < room) || (mistake == FIRST_PART_ALONE && first > 0))
                break;
            if (mistake == LAST_PART_ALONE)
                memset(g.at, 0, g.n * sizeof *g.at);
            double loss = wrong_part(&p, &g, batch + first_float(p.s, first, room, way_of_images(mistake)),
                                     labels + step * m + (mistake == LABELS_STAY ? 0 : mistake == LABELS_BY_ONE ? first / room : first), n,
                                     share_of_image(m, n, room, mistake), rate, mistake);
            losses[step] = mistake == LOSS_OF_LAST_PART ? loss : losses[step] + loss;
            if (mistake == STEP_AFTER_PART)
                move(&p, &g, 0, rate, mistake);
        }
        move(&p, &g, 0, rate, mistake);
    }
    free(g.at);
    free(images);
    return p;
}

static int differ(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-9 + 1e-9 * fabs(b[i])))
            return 1;
    return 0;
}

static void name_array(JudgeCase *c, const char *name, const double *wrong, const double *right, size_t n, int mistake)
{
    double *to = differ(wrong, right, n) ? judge_mistake(c, name, of_training[mistake].sentence, of_training[mistake].hint) : NULL;
    if (to)
        memcpy(to, wrong, n * sizeof *to);
}

/* Losses and weights; biases only where nothing but layer 1 is wrong, as there is no room for all. */
static void name_training(JudgeCase *c)
{
    size_t steps = size_param(c, "steps", 1);
    if (judge_has_param(c, "tests") || judge_has_param(c, "timed")) /* long, and compared with a wide tolerance */
        return;
    double *losses = doubles(steps), *wrong_losses = doubles(steps);
    Model right = wrong_training(c, losses, -1);
    for (int mistake = 0; mistake < N_TRAINED; mistake++) {
        if (is_outside(right.s, way_of_images(mistake)))
            continue;
        Model p = wrong_training(c, wrong_losses, mistake);
        size_t n1 = p.b1, n2 = p.b2 - p.w2;
        name_array(c, "losses", wrong_losses, losses, steps, mistake);
        if (mistake == SHARE_OF_0) { /* weights that do not move may have another cause */
            free(p.at);
            continue;
        }
        name_array(c, "w1_after", p.at, right.at, n1, mistake);
        name_array(c, "w2_after", p.at + p.w2, right.at + p.w2, n2, mistake);
        if (!differ(p.at + p.w2, right.at + p.w2, n2))
            name_array(c, "b1_after", p.at + p.b1, right.at + p.b1, p.s.hidden, mistake);
        free(p.at);
    }
    free(right.at);
    free(losses);
    free(wrong_losses);
}

/* ---- Mistakes in classify ---- */

enum {
    FROM_0,
    LOWEST,
    NEVER_LAST,
    NEVER_FIRST,
    ROUND_STAYS,
    ROUND_BY_FLOATS,
    ROUND_BY_HIDDEN,
    ROUND_BY_CLASSES,
    ROUND_BY_ONE,
    ROUNDS_OVERLAP,
    DIGITS_STAY,
    SCORES_OF_FIRST,
    SCORES_BY_ONE,
    SCORES_TURNED,
    LAYER_1_LINEAR,
    N_CLASSIFIED
};

static const char *const row_hint = "Image i of a round has the `classes` scores of row i: where in `scores` do they begin, and how far apart are they?";

static const struct {
    const char *sentence, *hint;
    int way; /* in which the images of a round begin */
} of_classes[N_CLASSIFIED] = {
    [FROM_0] = {"images of which all scores are negative get class 0", "With which score does the search for the highest begin? None need be above 0, and layer 2 has no relu."},
    [LOWEST] = {"it is the class with the lowest score", "Which way round are two scores compared?"},
    [NEVER_LAST] = {"the last class is never looked at", "Up to which class does the search go?"},
    [NEVER_FIRST] = {"the first class is never looked at", "With which class does the search begin?"},
    [ROUND_STAYS] = {"every round reads the images of the first", "Which images does a round take, if there is room for work->images at a time?", AT_THE_FIRST},
    [ROUND_BY_FLOATS] = {"the first round is right, and a later one that begins with image i reads from float i on, and not from float i * inputs", begin_hint, BY_FLOATS},
    [ROUND_BY_HIDDEN] = {"the first round is right, and a later one that begins with image i reads from float i * hidden on, and not from float i * inputs", begin_hint, BY_HIDDEN},
    [ROUND_BY_CLASSES] = {"the first round is right, and a later one that begins with image i reads from float i * classes on, and not from float i * inputs", begin_hint, BY_CLASSES},
    [ROUND_BY_ONE] = {"the images of each round begin one behind those of the round before", "Which images does a round take, if there is room for work->images at a time?", BY_ONE_IMAGE},
    [ROUNDS_OVERLAP] = {"the images of each round begin with the last one of the round before", "Which images does a round take, if there is room for work->images at a time?", BY_ALL_BUT_ONE},
    [DIGITS_STAY] = {"every round stores its digits where those of the first belong", "Where do the digits of a round begin that begins with image i?"},
    [SCORES_OF_FIRST] = {"all images of a round get the digit of its first", row_hint},
    [SCORES_BY_ONE] = {"the scores of an image are read one float behind those of the image before, and not `classes` floats", row_hint},
    [SCORES_TURNED] = {"scores are read as if they stood the other way round, class after class", row_hint},
    [LAYER_1_LINEAR] = {"layer 1 has no relu", "Which of the two layers has relu?"},
};

/* The class of an image whose scores are `apart` from one another. */
static int32_t wrong_class(const double *scores, size_t apart, size_t classes, int mistake)
{
    int32_t best = mistake == NEVER_FIRST && classes > 1;
    double of_best = mistake == FROM_0 ? fmax(0, scores[0]) : scores[(size_t)best * apart];
    size_t end = mistake == NEVER_LAST ? classes - 1 : classes;
    for (size_t k = (size_t)best + 1; k < end; k++)
        if (mistake == LOWEST ? scores[k * apart] < of_best : scores[k * apart] > of_best) {
            best = (int32_t)k;
            of_best = scores[k * apart];
        }
    return best;
}

static void wrong_round(const double *scores, int32_t *digits, size_t m, size_t classes, int mistake)
{
    for (size_t i = 0; i < m; i++) {
        size_t row = mistake == SCORES_OF_FIRST ? 0 : mistake == SCORES_BY_ONE || mistake == SCORES_TURNED ? i : i * classes;
        digits[i] = wrong_class(scores + row, mistake == SCORES_TURNED ? m : 1, classes, mistake);
    }
}

static void name_classes(JudgeCase *c)
{
    size_t n = size_param(c, "n", 0), room = size_param(c, "room", n);
    Model p = model_of(c, "w1", "b1", "w2", "b2");
    double *images = copy_of(c, "images"), *hidden = doubles(room * p.s.hidden), *scores = doubles(room * p.s.classes);
    for (int mistake = 0; mistake < N_CLASSIFIED; mistake++) {
        int way = of_classes[mistake].way;
        int32_t *digits = is_outside(p.s, way) ? NULL : judge_mistake(c, "digits", of_classes[mistake].sentence, of_classes[mistake].hint);
        for (size_t first = 0; digits && first < n; first += room) {
            size_t m = n - first < room ? n - first : room;
            forward(images + first_float(p.s, first, room, way), p.at, p.at + p.b1, hidden, m, p.s.hidden, p.s.inputs, mistake != LAYER_1_LINEAR);
            forward(hidden, p.at + p.w2, p.at + p.b2, scores, m, p.s.classes, p.s.hidden, 0);
            wrong_round(scores, digits + (mistake == DIGITS_STAY ? 0 : first), m, p.s.classes, mistake);
        }
    }
    free(p.at);
    free(images);
    free(hidden);
    free(scores);
}

void judge_mistakes(JudgeCase *c)
{
    if (is(c, "dense_forward"))
        name_forward(c);
    else if (is(c, "softmax_loss"))
        name_softmax(c);
    else if (is(c, "dense_backward"))
        name_backward(c);
    else if (is(c, "sgd_step"))
        name_sgd(c);
    else if (is(c, "train_step"))
        name_training(c);
    else if (is(c, "classify"))
        name_classes(c);
}
