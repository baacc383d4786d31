// Lab 20's ladder: one step of training, from a kernel for each thing to one call for all kernels. The size is the number of images in
// the batch, at most 1,024; there are half as many hidden numbers. The mark is the price of seven launches: of kernels that do nothing.
#include "common/ladder/ladder.h"
#include "capstone.cu"
#include "digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>

#define DEFAULT_SIZE 128
#define LARGE_SIZE   (1024)
#define TEST_SIZE    (37)
#define RATE         0.1f
#define LAUNCHES     7 // of the solution's step

// Names that begin with d_ are of device memory. All parameters lie in one array, w1, b1, w2, b2, and behind them the loss.
typedef struct Problem {
    int images, n_parameters, is_mark;
    Network network, gradient;
    Workspace work;
    float *d_start, *d_images;
    int *d_labels;
    float *start, *expected, *cpu, *pixels; // on the host
    int *labels;
    cudaGraphExec_t graph;
} Problem;

static float *d_loss(const Problem *p)
{
    return p->network.w1 + p->n_parameters;
}

// ---- A kernel for each thing, and products without tiles ----

__global__ void product_kernel(Operand a, Operand b, float *to, int add)
{
    int row = blockIdx.y * LANES + threadIdx.y, column = blockIdx.x * LANES + threadIdx.x;
    if (row >= a.outer || column >= b.outer)
        return;
    float sum = 0;
    for (int i = 0; i < a.depth; i++)
        sum += a.at(row, i) * b.at(column, i);
    to[row * b.outer + column] = sum + (add ? to[row * b.outer + column] : 0);
}

__global__ void bias_kernel(float *y, const float *bias, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n)
        y[i] += bias[i % n];
}

__global__ void relu_kernel(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && y[i] < 0)
        y[i] = 0;
}

__global__ void bias_gradient_kernel(Operand columns, float *db)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns.outer)
        return;
    for (int i = 0; i < columns.depth; i++)
        db[column] += columns.at(column, i);
}

__global__ void update_kernel(float *parameters, float *gradient, int n, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    parameters[i] -= rate * gradient[i];
    gradient[i] = 0;
}

static void multiply(const Operand &a, const Operand &b, float *to, int add)
{
    product_kernel<<<dim3(blocks_for(b.outer, LANES), blocks_for(a.outer, LANES)), dim3(LANES, LANES)>>>(a, b, to, add);
}

static void layer_forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu)
{
    multiply(Operand{x, NULL, m, k, k, true}, Operand{w, NULL, n, k, n, false}, y, 0);
    bias_kernel<<<blocks_for(m * n, 256), 256>>>(y, bias, m, n);
    if (relu)
        relu_kernel<<<blocks_for(m * n, 256), 256>>>(y, m * n);
}

static void layer_backward(const float *x, const float *active, const float *dy, float *dw, float *db, int m, int n, int k)
{
    Operand columns = {dy, active, n, m, n, false};
    multiply(Operand{x, NULL, k, m, k, false}, columns, dw, 1);
    bias_gradient_kernel<<<blocks_for(n, 256), 256>>>(columns, db);
}

static int run_each_thing(void *problem)
{
    Problem *p = (Problem *)problem;
    const Network *n = &p->network, *g = &p->gradient;
    const Workspace *w = &p->work;
    int m = p->images, lengths[] = {n->inputs * n->hidden, n->hidden, n->hidden * n->classes, n->classes};
    float *parameters[] = {n->w1, n->b1, n->w2, n->b2}, *gradients[] = {g->w1, g->b1, g->w2, g->b2};
    p->is_mark = 0;
    layer_forward(p->d_images, n->w1, n->b1, w->hidden, m, n->hidden, n->inputs, 1);
    layer_forward(w->hidden, n->w2, n->b2, w->scores, m, n->classes, n->hidden, 0);
    softmax_loss(w->scores, p->d_labels, w->d_scores, d_loss(p), m, n->classes, 1.0f / m);
    layer_backward(w->hidden, NULL, w->d_scores, g->w2, g->b2, m, n->classes, n->hidden);
    multiply(Operand{w->d_scores, NULL, m, n->classes, n->classes, true}, Operand{n->w2, NULL, n->hidden, n->classes, n->classes, true},
             w->d_hidden, 0);
    layer_backward(p->d_images, w->hidden, w->d_hidden, g->w1, g->b1, m, n->hidden, n->inputs);
    for (int i = 0; i < 4; i++)
        update_kernel<<<blocks_for(lengths[i], 256), 256>>>(parameters[i], gradients[i], lengths[i], RATE);
    return cudaGetLastError();
}

// ---- The solution ----

static int run_solution(void *problem)
{
    Problem *p = (Problem *)problem;
    p->is_mark = 0;
    return train_step(&p->network, &p->gradient, &p->work, p->d_images, p->d_labels, p->images, RATE, d_loss(p));
}

// ---- Softmax by many blocks, and all seven kernels in one call ----

// A warp for each row; the losses meet in an atomic addition.
__global__ void softmax_spread_kernel(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes, float share)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= m)
        return;
    float score = lane < classes ? scores[row * classes + lane] : -INFINITY;
    float above = score - warp_max(score), e = lane < classes ? expf(above) : 0, sum = warp_sum(e);
    bool is_label = lane == labels[row];
    if (lane < classes)
        d_scores[row * classes + lane] = share * (e / sum - (is_label ? 1 : 0));
    if (is_label)
        atomicAdd(loss, share * (logf(sum) - above));
}

// A line of kernels: launched one after another, or put into a graph.
typedef struct Line {
    cudaGraph_t graph; // NULL: launch at once
    cudaGraphNode_t last;
    int n, status;
} Line;

template <typename... Takes, typename... Gives>
static void put(Line *line, void (*kernel)(Takes...), dim3 blocks, dim3 threads, Gives... gives)
{
    if (!line->graph) {
        kernel<<<blocks, threads>>>(gives...);
        return;
    }
    std::tuple<Takes...> values(gives...); // as the kernel takes them
    std::apply(
        [&](auto &...each) {
            void *arguments[] = {&each...};
            cudaKernelNodeParams node = {};
            node.func = (void *)kernel, node.gridDim = blocks, node.blockDim = threads, node.kernelParams = arguments;
            line->status |= cudaGraphAddKernelNode(&line->last, line->graph, line->n ? &line->last : NULL, line->n ? 1 : 0, &node);
            line->n++;
        },
        values);
}

static void put_step(const Problem *p, Line *line)
{
    const Network *n = &p->network, *g = &p->gradient;
    const Workspace *w = &p->work;
    const float *none = NULL;
    int m = p->images, hidden = n->hidden, classes = n->classes, inputs = n->inputs;
    dim3 threads(LANES, LANES), of_hidden(blocks_for(hidden, SIDE), blocks_for(m, SIDE));
    put(line, forward_kernel, of_hidden, threads, p->d_images, n->w1, n->b1, w->hidden, m, hidden, inputs, 1);
    put(line, forward_kernel, dim3(blocks_for(classes, SIDE), blocks_for(m, SIDE)), threads, w->hidden, n->w2, n->b2, w->scores, m, classes,
        hidden, 0);
    put(line, softmax_spread_kernel, blocks_for(m, 4), 128, w->scores, p->d_labels, w->d_scores, d_loss(p), m, classes, 1.0f / m);
    put(line, weights_kernel, dim3(blocks_for(classes, SIDE), blocks_for(hidden, SIDE)), threads, w->hidden, none, w->d_scores, g->w2, g->b2,
        m, classes, hidden);
    put(line, inputs_kernel, of_hidden, threads, n->w2, none, w->d_scores, w->d_hidden, m, classes, hidden);
    put(line, weights_kernel, dim3(blocks_for(hidden, SIDE), blocks_for(inputs, SIDE)), threads, p->d_images, w->hidden, w->d_hidden, g->w1,
        g->b1, m, hidden, inputs);
    put(line, sgd_kernel, blocks_for(p->n_parameters, SGD_THREADS), SGD_THREADS, *n, *g, RATE);
}

static int run_spread(void *problem)
{
    Problem *p = (Problem *)problem;
    Line line = {};
    p->is_mark = 0;
    put_step(p, &line);
    return cudaGetLastError();
}

static int run_graph(void *problem)
{
    Problem *p = (Problem *)problem;
    p->is_mark = 0;
    return cudaGraphLaunch(p->graph, 0);
}

__global__ void empty_kernel() {}

static int run_empty(void *problem)
{
    Problem *p = (Problem *)problem;
    p->is_mark = 1;
    for (int i = 0; i < LAUNCHES; i++)
        empty_kernel<<<1, 32>>>();
    return cudaGetLastError();
}

// ---- The same in plain C ----

typedef struct CpuNetwork {
    float *w1, *b1, *w2, *b2;
} CpuNetwork;

static CpuNetwork cpu_network(const Problem *p, float *at)
{
    const Network *n = &p->network;
    CpuNetwork c = {at};
    c.b1 = c.w1 + n->inputs * n->hidden;
    c.w2 = c.b1 + n->hidden;
    c.b2 = c.w2 + n->hidden * n->classes;
    return c;
}

static void cpu_layer(const float *x, const float *w, const float *bias, float *y, int n, int k, int relu)
{
    memcpy(y, bias, n * sizeof *y);
    for (int i = 0; i < k; i++)
        for (int column = 0; column < n; column++)
            y[column] += x[i] * w[i * n + column];
    for (int column = 0; relu && column < n; column++)
        y[column] = y[column] < 0 ? 0 : y[column];
}

// Scores become their gradient. The loss of one image.
static float cpu_softmax(float *scores, int classes, int label, float share)
{
    float highest = scores[0], sum = 0;
    for (int i = 1; i < classes; i++)
        highest = fmaxf(highest, scores[i]);
    float loss = highest - scores[label];
    for (int i = 0; i < classes; i++)
        sum += scores[i] = expf(scores[i] - highest);
    for (int i = 0; i < classes; i++)
        scores[i] = share * (scores[i] / sum - (i == label));
    return share * (logf(sum) + loss);
}

// One image, forwards and backwards: its part of the step goes to `after`. The loss.
static float cpu_image(const Problem *p, const CpuNetwork *n, const CpuNetwork *after, const float *x, int label, float *hidden, float *d_hidden)
{
    int inputs = p->network.inputs, n_hidden = p->network.hidden, classes = p->network.classes;
    float scores[32];
    cpu_layer(x, n->w1, n->b1, hidden, n_hidden, inputs, 1);
    cpu_layer(hidden, n->w2, n->b2, scores, classes, n_hidden, 0);
    float loss = cpu_softmax(scores, classes, label, 1.0f / p->images);
    for (int h = 0; h < n_hidden; h++) {
        d_hidden[h] = 0;
        for (int i = 0; i < classes; i++) {
            d_hidden[h] += hidden[h] > 0 ? scores[i] * n->w2[h * classes + i] : 0;
            after->w2[h * classes + i] -= RATE * hidden[h] * scores[i];
        }
        after->b1[h] -= RATE * d_hidden[h];
    }
    for (int i = 0; i < classes; i++)
        after->b2[i] -= RATE * scores[i];
    for (int i = 0; i < inputs; i++)
        for (int h = 0; h < n_hidden; h++)
            after->w1[i * n_hidden + h] -= RATE * x[i] * d_hidden[h];
    return loss;
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    int n_hidden = p->network.hidden;
    float *hidden = (float *)malloc(2 * n_hidden * sizeof(float)), loss = 0;
    CpuNetwork before = cpu_network(p, p->start), after = cpu_network(p, p->cpu);
    p->is_mark = 0;
    memcpy(p->cpu, p->start, p->n_parameters * sizeof(float));
    for (int i = 0; i < p->images; i++)
        loss += cpu_image(p, &before, &after, p->pixels + (size_t)i * DIGITS_PIXELS, p->labels[i], hidden, hidden + n_hidden);
    p->cpu[p->n_parameters] = loss;
    free(hidden);
}

// ---- The problem ----

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    size_t hidden = (size_t)p->images * p->network.hidden * sizeof(float), classes = (size_t)p->images * p->network.classes * sizeof(float);
    return cudaMemcpy(p->network.w1, p->d_start, (p->n_parameters + 1) * sizeof(float), cudaMemcpyDeviceToDevice) |
           cudaMemset(p->gradient.w1, 0, p->n_parameters * sizeof(float)) | cudaMemset(p->work.hidden, 0xff, hidden) |
           cudaMemset(p->work.d_hidden, 0xff, hidden) | cudaMemset(p->work.scores, 0xff, classes) |
           cudaMemset(p->work.d_scores, 0xff, classes);
}

// Sums of floats in other orders differ in their last bits.
static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    int n = p->n_parameters + 1;
    const float *wanted = p->is_mark ? p->start : p->expected;
    float *got = (float *)malloc(n * sizeof(float));
    int right = got && cudaMemcpy(got, p->network.w1, n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; right && i < n; i++)
        right = fabsf(got[i] - wanted[i]) <= 1e-5f + 1e-4f * fabsf(wanted[i]);
    free(got);
    return right;
}

static void make_host(Problem *p)
{
    int n = p->n_parameters, hidden = p->network.hidden;
    p->start = (float *)malloc((n + 1) * sizeof(float)), p->cpu = (float *)malloc((n + 1) * sizeof(float));
    p->expected = (float *)malloc((n + 1) * sizeof(float));
    p->pixels = (float *)malloc((size_t)p->images * DIGITS_PIXELS * sizeof(float));
    p->labels = (int *)malloc(p->images * sizeof(int));
    ladder_fill(p->start, n);
    for (int i = 0; i < n; i++) // from -0.2 to 0.2, or less for many hidden numbers
        p->start[i] *= 0.2f / 8 / (hidden > 64 ? hidden / 64 : 1);
    p->start[n] = 0;
    for (int i = 0; i < p->images; i++)
        p->labels[i] = digit_draw(20, i, p->pixels + (size_t)i * DIGITS_PIXELS);
    run_cpu(p);
    memcpy(p->expected, p->cpu, (n + 1) * sizeof(float));
}

static Network on_device(const Problem *p, float *at)
{
    CpuNetwork c = cpu_network(p, at);
    Network n = p->network;
    n.w1 = c.w1, n.b1 = c.b1, n.w2 = c.w2, n.b2 = c.b2;
    return n;
}

static int make_on_device(Problem *p)
{
    float *parameters, *gradient;
    size_t n = (p->n_parameters + 1) * sizeof(float), images = p->images * sizeof(float);
    p->work.images = p->images;
    int err = cudaMalloc(&parameters, n) | cudaMalloc(&gradient, n) | cudaMalloc(&p->d_start, n) |
              cudaMalloc(&p->d_images, images * DIGITS_PIXELS) | cudaMalloc(&p->d_labels, images) |
              cudaMalloc(&p->work.hidden, images * p->network.hidden) | cudaMalloc(&p->work.d_hidden, images * p->network.hidden) |
              cudaMalloc(&p->work.scores, images * DIGITS_CLASSES) | cudaMalloc(&p->work.d_scores, images * DIGITS_CLASSES);
    if (err != cudaSuccess)
        return err;
    p->network = on_device(p, parameters), p->gradient = on_device(p, gradient);
    return cudaMemcpy(p->d_start, p->start, n, cudaMemcpyHostToDevice) |
           cudaMemcpy(p->d_images, p->pixels, images * DIGITS_PIXELS, cudaMemcpyHostToDevice) |
           cudaMemcpy(p->d_labels, p->labels, images, cudaMemcpyHostToDevice);
}

static int make_graph(Problem *p)
{
    Line line = {};
    int err = cudaGraphCreate(&line.graph, 0);
    if (err != cudaSuccess)
        return err;
    put_step(p, &line);
    err = line.status | cudaGraphInstantiate(&p->graph, line.graph, 0);
    return err | cudaGraphDestroy(line.graph);
}

static void release(Problem *p)
{
    cudaGraphExecDestroy(p->graph);
    cudaFree(p->network.w1), cudaFree(p->gradient.w1), cudaFree(p->d_start), cudaFree(p->d_images), cudaFree(p->d_labels);
    cudaFree(p->work.hidden), cudaFree(p->work.d_hidden), cudaFree(p->work.scores), cudaFree(p->work.d_scores);
    free(p->start), free(p->cpu), free(p->expected), free(p->pixels), free(p->labels);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"each-thing", "a kernel for each thing: 15 launches, and products without tiles", run_each_thing},
        {"tiles", "tiles of 32 x 32; bias, relu and all four updates on the way: 7 launches", run_solution},
        {"spread-loss", "softmax in as many blocks as it takes", run_spread},
        {"graph", "the seven kernels in one call", run_graph},
        {"empty", "seven kernels that do nothing: what the launches alone cost", run_empty, 0, 0, 1},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.images = o.size && o.size <= LARGE_SIZE ? (int)o.size : DEFAULT_SIZE;
    p.network.inputs = DIGITS_PIXELS, p.network.hidden = (p.images + 1) / 2, p.network.classes = DIGITS_CLASSES;
    p.n_parameters = (p.network.inputs + 1) * p.network.hidden + (p.network.hidden + 1) * p.network.classes;
    make_host(&p);
    int err = make_on_device(&p);
    if (err != cudaSuccess || make_graph(&p) != cudaSuccess)
        return 1;
    double products = (double)p.images * p.network.hidden * (2 * DIGITS_PIXELS + 3 * DIGITS_CLASSES);
    Ladder ladder = {"20-capstone", "step", rungs, sizeof rungs / sizeof *rungs, 4.0 * p.images * DIGITS_PIXELS + 12.0 * p.n_parameters,
                     2 * products, reset, check, &p, {run_cpu, p.cpu, p.network.w1, (p.n_parameters + 1) * sizeof(float)}, "mark"};
    int status = ladder_run(&o, &ladder);
    release(&p);
    return status;
}
