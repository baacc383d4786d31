/* Lab 20: takes a case's arrays to the device, calls the function that the case names, and brings back what it
 * made.
 *
 * Outputs begin on the device as copies of the poisoned host arrays, so that elements nobody writes are told from
 * wrong ones. `train` makes several steps and brings back the losses; with `tests` it then draws as many new digits,
 * which nobody has seen, and brings back what they are classified as. With `timed: 0` it makes all that a training
 * needs, and no step; `timed` is how many of the steps are made. `every` calls all functions once, dense_backward twice, for little, and train_step and classify with room for half of the images. With
 * `again` dense_forward, sgd_step and classify are called before for the smallest sizes, with other outputs; with `unread`
 * dense_backward gets a y that it must not read.
 */
#include "lab.h"

#include "capstone.h"
#include "digits.h"

#include <stdlib.h>
#include <string.h>

enum { COPIES_MAX = 32 };

/* What lies on the device: copies of inputs, and of outputs, which come back at the end. */
typedef struct Device {
    LabCase *c;
    void *copies[COPIES_MAX];
    LabArray *outputs[COPIES_MAX]; /* NULL: not an output */
    size_t n;
} Device;

static int param(Device *d, const char *key, int otherwise)
{
    return lab_has_param(d->c, key) ? (int)lab_param_int(d->c, key) : otherwise;
}

/* A copy of `elements` numbers of four bytes, or room for them. */
static void *keep(Device *d, const void *host, size_t elements, LabArray *output)
{
    void *copy = NULL;
    CUDA_CHECK(cudaMalloc(&copy, elements * 4));
    if (host)
        CUDA_CHECK(cudaMemcpy(copy, host, elements * 4, cudaMemcpyHostToDevice));
    d->copies[d->n] = copy;
    d->outputs[d->n++] = output;
    return copy;
}

static void *input(Device *d, const char *name)
{
    const LabArray *array = lab_input(d->c, name);
    return keep(d, array->data, array->elements, NULL);
}

static float *output(Device *d, const char *name, size_t rows, size_t columns)
{
    LabArray *array = lab_output(d->c, name, LAB_F32, 2, (size_t[]){rows, columns});
    return keep(d, array->data, array->elements, array);
}

/* How many numbers of an input on the device are no longer what they were. */
static size_t changes(Device *d, const char *name, const float *copy)
{
    const LabArray *array = lab_input(d->c, name);
    float *now = malloc(array->elements * sizeof *now);
    size_t n = 0;
    if (!now)
        exit(2);
    CUDA_CHECK(cudaMemcpy(now, copy, array->elements * sizeof *now, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < array->elements; i++)
        n += memcmp(&now[i], (const float *)array->data + i, sizeof *now) != 0;
    free(now);
    return n;
}

/* An output that begins as a copy of an input. */
static float *changed(Device *d, const char *from, const char *name)
{
    const LabArray *old = lab_input(d->c, from);
    LabArray *array = lab_output(d->c, name, LAB_F32, old->n_dims, old->shape);
    return keep(d, old->data, old->elements, array);
}

static float *zeros(Device *d, size_t n)
{
    void *copy = keep(d, NULL, n, NULL);
    CUDA_CHECK(cudaMemset(copy, 0, n * sizeof(float)));
    return copy;
}

static int run_forward(Device *d)
{
    int m = param(d, "m", 0), n = param(d, "n", 0), k = param(d, "k", 0);
    const float *x = input(d, "x"), *w = input(d, "w"), *bias = input(d, "bias");
    int status = param(d, "again", 0) ? dense_forward(x, w, bias, zeros(d, 1), 1, 1, 1, 0) : 0;
    return status ? status : dense_forward(x, w, bias, output(d, "y", (size_t)m, (size_t)n), m, n, k, param(d, "relu", 0));
}

static int run_softmax(Device *d)
{
    int m = param(d, "m", 0), classes = param(d, "classes", 0);
    const float *scores = input(d, "scores");
    const int *labels = input(d, "labels");
    float *loss = changed(d, "loss", "loss_after"), *d_scores = output(d, "d_scores", (size_t)m, (size_t)classes);
    return softmax_loss(scores, labels, d_scores, loss, m, classes, (float)lab_param_float(d->c, "share"));
}

static int run_backward(Device *d)
{
    int m = param(d, "m", 0), n = param(d, "n", 0), k = param(d, "k", 0), relu = param(d, "relu", 0);
    const float *x = input(d, "x"), *w = input(d, "w"), *dy = input(d, "dy");
    const float *y = relu ? input(d, "y") : param(d, "unread", 0) ? dy : NULL;
    float *dw = changed(d, "dw", "dw_after"), *db = changed(d, "db", "db_after");
    float *dx = param(d, "first", 0) ? NULL : output(d, "dx", (size_t)m, (size_t)k);
    int status = dense_backward(x, w, y, dy, dw, db, dx, m, n, k, relu);
    if (status == 0)
        lab_value(d->c, "elements_of_dy_that_changed", (double)changes(d, "dy", dy));
    if (status == 0)
        lab_value(d->c, "elements_of_x_w_and_y_that_changed", (double)(changes(d, "x", x) + changes(d, "w", w) + (relu ? changes(d, "y", y) : 0)));
    return status;
}

/* ---- A whole network ---- */

static Network network_sizes(Device *d)
{
    return (Network){.inputs = param(d, "inputs", DIGITS_PIXELS),
                     .hidden = param(d, "hidden", 0),
                     .classes = param(d, "classes", DIGITS_CLASSES)};
}

static Network network_new(Device *d)
{
    Network n = network_sizes(d);
    n.w1 = changed(d, "w1", "w1_after");
    n.b1 = changed(d, "b1", "b1_after");
    n.w2 = changed(d, "w2", "w2_after");
    n.b2 = changed(d, "b2", "b2_after");
    return n;
}

/* The network of an accuracy or of a time: how it ends is nobody's business. */
static Network network_inside(Device *d)
{
    Network n = network_sizes(d);
    n.w1 = input(d, "w1");
    n.b1 = input(d, "b1");
    n.w2 = input(d, "w2");
    n.b2 = input(d, "b2");
    return n;
}

static Network gradient_new(Device *d)
{
    Network g = network_sizes(d);
    g.w1 = zeros(d, (size_t)g.inputs * (size_t)g.hidden);
    g.b1 = zeros(d, (size_t)g.hidden);
    g.w2 = zeros(d, (size_t)g.hidden * (size_t)g.classes);
    g.b2 = zeros(d, (size_t)g.classes);
    return g;
}

static Workspace workspace_new(Device *d, int images)
{
    Network n = network_sizes(d);
    size_t hidden = (size_t)images * (size_t)n.hidden, classes = (size_t)images * (size_t)n.classes;
    return (Workspace){.images = images,
                       .hidden = keep(d, NULL, hidden, NULL),
                       .scores = keep(d, NULL, classes, NULL),
                       .d_scores = keep(d, NULL, classes, NULL),
                       .d_hidden = keep(d, NULL, hidden, NULL)};
}

static int run_sgd(Device *d)
{
    Network network = network_new(d), g = network_sizes(d);
    g.w1 = changed(d, "g1", "g1_after");
    g.b1 = changed(d, "gb1", "gb1_after");
    g.w2 = changed(d, "g2", "g2_after");
    g.b2 = changed(d, "gb2", "gb2_after");
    float *p = zeros(d, 8);
    Network least = {1, 1, 1, p, p + 1, p + 2, p + 3}, of_least = {1, 1, 1, p + 4, p + 5, p + 6, p + 7};
    int status = param(d, "again", 0) ? sgd_step(&least, &of_least, 0) : 0;
    return status ? status : sgd_step(&network, &g, (float)lab_param_float(d->c, "rate"));
}

/* Classifies digits that no training has seen. */
static int test(Device *d, const Network *network, const Workspace *work, int n)
{
    static float images[1024 * DIGITS_PIXELS];
    for (int i = 0; i < n; i++)
        digit_draw((uint64_t)param(d, "test_seed", 0), (uint32_t)i, images + i * DIGITS_PIXELS);
    const float *on_device = keep(d, images, (size_t)n * DIGITS_PIXELS, NULL);
    LabArray *answers = lab_output(d->c, "answers", LAB_I32, 1, (size_t[]){(size_t)n});
    return classify(network, work, on_device, keep(d, answers->data, (size_t)n, answers), n);
}

static int run_train(Device *d)
{
    int tests = param(d, "tests", 0), steps = param(d, "steps", 1), m = param(d, "m", 0), status = 0;
    int timed = param(d, "timed", steps);
    Network network = tests || lab_has_param(d->c, "timed") || param(d, "only_losses", 0) ? network_inside(d) : network_new(d), gradient = gradient_new(d);
    Workspace work = workspace_new(d, param(d, "room", m));
    const float *images = input(d, "images");
    const int *labels = input(d, "labels");
    LabArray *losses = lab_output(d->c, "losses", LAB_F32, 1, (size_t[]){(size_t)steps});
    float *on_device = zeros(d, (size_t)steps);
    d->outputs[d->n - 1] = losses;
    for (int step = 0; step < timed && status == 0; step++)
        status = train_step(&network, &gradient, &work, images + (size_t)step * (size_t)m * (size_t)network.inputs,
                            labels + step * m, m, (float)lab_param_float(d->c, "rate"), on_device + step);
    return status == 0 && tests ? test(d, &network, &work, tests) : status;
}

static int run_classify(Device *d)
{
    int n = param(d, "n", 0);
    Network network = network_inside(d);
    Workspace work = workspace_new(d, param(d, "room", n));
    const float *images = input(d, "images");
    LabArray *digits = lab_output(d->c, "digits", LAB_I32, 1, (size_t[]){(size_t)n});
    int *on_device = keep(d, digits->data, (size_t)n, digits), *other = keep(d, NULL, 1, NULL);
    int status = param(d, "again", 0) ? classify(&network, &work, images, other, 1) : 0;
    return status ? status : classify(&network, &work, images, on_device, n);
}

/* Each function once, dense_backward with dx and without, with arrays of zeros. The first error ends it: one that is returned, or one that is not and should have been. */
static int run_every(Device *d)
{
    enum { CALLS = 7, SIZE = 4 };
    lab_own_calls(1);
    Network n = {.inputs = SIZE, .hidden = SIZE, .classes = SIZE}, g = n;
    float *x = zeros(d, SIZE * SIZE), *y = zeros(d, SIZE * SIZE), *loss = zeros(d, 1);
    int *labels = keep(d, NULL, SIZE, NULL), status = 0;
    CUDA_CHECK(cudaMemset(labels, 0, SIZE * sizeof(int)));
    float **parameters[] = {&n.w1, &n.b1, &n.w2, &n.b2, &g.w1, &g.b1, &g.w2, &g.b2};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        *parameters[i] = zeros(d, SIZE * SIZE);
    Workspace work = {SIZE / 2, zeros(d, SIZE * SIZE), zeros(d, SIZE * SIZE), zeros(d, SIZE * SIZE), zeros(d, SIZE * SIZE)};
    for (int i = 0; i < CALLS && status == 0; i++) {
        lab_own_calls(0);
        status = i == 0   ? dense_forward(x, n.w1, n.b1, y, SIZE, SIZE, SIZE, 1)
                 : i == 1 ? softmax_loss(x, labels, y, loss, SIZE, SIZE, 1)
                 : i == 2 ? dense_backward(x, n.w1, y, work.scores, g.w1, g.b1, work.d_hidden, SIZE, SIZE, SIZE, 1)
                 : i == 3 ? dense_backward(x, n.w1, y, work.scores, g.w1, g.b1, NULL, SIZE, SIZE, SIZE, 1)
                 : i == 4 ? sgd_step(&n, &g, 1)
                 : i == 5 ? train_step(&n, &g, &work, x, labels, SIZE, 1, loss)
                          : classify(&n, &work, x, labels, SIZE);
        lab_own_calls(1);
        if (cudaGetLastError() != cudaSuccess)
            break;
    }
    return status;
}

void lab_main(LabCase *c)
{
    static const struct {
        const char *name;
        int (*run)(Device *d);
    } functions[] = {
        {"dense_forward", run_forward}, {"softmax_loss", run_softmax}, {"dense_backward", run_backward},
        {"sgd_step", run_sgd},          {"train_step", run_train},     {"classify", run_classify},
        {"every", run_every},
    };
    Device d = {.c = c};
    const char *name = lab_param_text(c, "function");
    size_t i = 0;
    while (strcmp(functions[i].name, name) != 0)
        i++;
    int status = functions[i].run(&d);
    lab_status(c, name, status);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    for (i = 0; i < d.n; i++) {
        LabArray *array = d.outputs[i];
        if (array)
            CUDA_CHECK(cudaMemcpy(array->data, d.copies[i], array->elements * 4, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaFree(d.copies[i]));
    }
}
