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
    for (size_t i = 0; i < y->elements; i++)
        ((float *)y->data)[i] = fmaxf(0, ((float *)y->data)[i]);
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
    make(c, "b2", 1, s.classes, middle - 0.1, middle + 0.1);
}

static void make_gradient(JudgeCase *c)
{
    Sizes s = sizes_of(c);
    make(c, "g1", s.inputs, s.hidden, -1, 1);
    make(c, "gb1", 1, s.hidden, -1, 1);
    make(c, "g2", s.hidden, s.classes, -1, 1);
    make(c, "gb2", 1, s.classes, -1, 1);
}

/* Digits and their labels where the network has the size for them, else numbers. The collection's number is drawn
 * like any input. */
static void make_images(JudgeCase *c, size_t n)
{
    Sizes s = sizes_of(c);
    make(c, "images", n, s.inputs, -1, 1);
    if (is(c, "classify"))
        return;
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

static void expect_classes(JudgeCase *c)
{
    size_t n = size_param(c, "n", 0);
    Model p = model_of(c, "w1", "b1", "w2", "b2");
    double *images = copy_of(c, "images"), *hidden = doubles(n * p.s.hidden), *scores = doubles(n * p.s.classes);
    int32_t *digits = judge_expect_i32(c, "digits", n);
    forward(images, p.at, p.at + p.b1, hidden, n, p.s.hidden, p.s.inputs, 1);
    forward(hidden, p.at + p.w2, p.at + p.b2, scores, n, p.s.classes, p.s.hidden, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k < p.s.classes; k++)
            if (scores[i * p.s.classes + k] > scores[i * p.s.classes + (size_t)digits[i]])
                digits[i] = (int32_t)k;
    free(p.at);
    free(images);
    free(hidden);
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
