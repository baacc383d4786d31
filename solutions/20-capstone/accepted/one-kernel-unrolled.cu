// expect: pass
// Matrices by strides, one template for every product; a micro-batch is a graph, captured in a stream of its own
// and launched on the default stream.
#include "capstone.h"
#include "lab.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct View { // element (i, j) is p[i * down + j * right], and 0 where gate's is not above 0
    const float *p, *gate;
    int down, right;
};

enum { SIDE = 16, PER = 2, TILE = SIDE * PER, DEPTH = 32 };

// The tile of `v` from (i0, j0), tall x wide, goes to `to`, row after row with `pitch` floats each. Neighbouring threads
// read neighbours in memory.
static __device__ __forceinline__ void fetch(float *to, int pitch, View v, int i0, int j0, int tall, int wide, int rows, int columns)
{
    int t = threadIdx.y * SIDE + threadIdx.x;
    for (int e = t; e < tall * wide; e += SIDE * SIDE) {
        int i = v.right == 1 ? e / wide : e % tall, j = v.right == 1 ? e % wide : e / tall;
        float value = 0;
        if (i0 + i < rows && j0 + j < columns) {
            int at = (i0 + i) * v.down + (j0 + j) * v.right;
            if (v.gate == NULL || v.gate[at] > 0)
                value = v.p[at];
        }
        to[i * pitch + j] = value;
    }
}

enum { STORE, ADD, BIAS, BIAS_RELU };

template <int what>
static __global__ void product_kernel(View a, View b, const float *bias, float *c, float *db, int rows, int columns,
                                      int depth)
{
    extern __shared__ float room[];
    float *as = room, *bs = room + TILE * (DEPTH + 1);
    int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float sum[PER][PER] = {}, down[PER] = {};
    for (int d0 = 0; d0 < depth; d0 += DEPTH) {
        __syncthreads();
        fetch(as, DEPTH + 1, a, i0, d0, TILE, DEPTH, rows, depth);
        fetch(bs, TILE + 1, b, d0, j0, DEPTH, TILE, depth, columns);
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float left[PER], top[PER];
#pragma unroll
            for (int k = 0; k < PER; k++) {
                left[k] = as[(threadIdx.y + k * SIDE) * (DEPTH + 1) + d];
                top[k] = bs[d * (TILE + 1) + threadIdx.x + k * SIDE];
                down[k] += top[k];
            }
#pragma unroll
            for (int r = 0; r < PER; r++)
#pragma unroll
                for (int k = 0; k < PER; k++)
                    sum[r][k] = fmaf(left[r], top[k], sum[r][k]);
        }
    }
#pragma unroll
    for (int k = 0; k < PER; k++) {
        int j = j0 + threadIdx.x + k * SIDE;
        if (j >= columns)
            continue;
#pragma unroll
        for (int r = 0; r < PER; r++) {
            int i = i0 + threadIdx.y + r * SIDE;
            if (i >= rows)
                continue;
            float v = sum[r][k], *to = c + i * columns + j;
            switch (what) {
            case STORE: *to = v; break;
            case ADD: *to += v; break;
            case BIAS: *to = v + bias[j]; break;
            case BIAS_RELU: v += bias[j]; *to = v > 0 ? v : 0; break;
            }
        }
        if (db != NULL && blockIdx.y == 0 && threadIdx.y == 0)
            db[j] += down[k];
    }
}

static cudaError_t product(View a, View b, const float *bias, float *c, float *db, int rows, int columns, int depth,
                           int what, cudaStream_t stream)
{
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(SIDE, SIDE);
    size_t bytes = (TILE * (DEPTH + 1) + DEPTH * (TILE + 1)) * sizeof(float);
    auto kernel = what == STORE ? product_kernel<STORE> : what == ADD ? product_kernel<ADD>
                : what == BIAS  ? product_kernel<BIAS>  : product_kernel<BIAS_RELU>;
    kernel<<<grid, block, bytes, stream>>>(a, b, bias, c, db, rows, columns, depth);
    return cudaGetLastError();
}

static cudaError_t forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu,
                           cudaStream_t stream)
{
    return product({x, NULL, k, 1}, {w, NULL, n, 1}, bias, y, NULL, m, n, k, relu ? BIAS_RELU : BIAS, stream);
}

// 1,024 threads in 32 groups of a warp.
static __global__ void softmax_warps(const float *scores, const int *labels, float *d_scores, float *loss, int m,
                                     int classes, float share)
{
    __shared__ double parts[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    unsigned lane = warp.thread_rank(), who = warp.meta_group_rank();
    double mine = 0;
    for (int row = who; row < m; row += warp.meta_group_size()) {
        bool in = lane < (unsigned)classes;
        float score = in ? scores[row * classes + lane] : -INFINITY;
        float top = cg::reduce(warp, score, cg::greater<float>());
        float e = in ? expf(score - top) : 0;
        float all = cg::reduce(warp, e, cg::plus<float>());
        bool label = (int)lane == labels[row];
        if (in)
            d_scores[row * classes + lane] = (e / all - label) * share;
        if (label)
            mine += logf(all) + ((double)top - score);
    }
    for (int o = 16; o > 0; o /= 2)
        mine += warp.shfl_down(mine, o);
    if (lane == 0)
        parts[who] = mine;
    block.sync();
    if (who == 0) {
        double v = parts[lane];
        for (int o = 16; o > 0; o /= 2)
            v += warp.shfl_down(v, o);
        if (lane == 0)
            *loss += (float)(v * share);
    }
}

static cudaError_t softmax(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes,
                           float share, cudaStream_t stream)
{
    softmax_warps<<<1, 1024, 0, stream>>>(scores, labels, d_scores, loss, m, classes, share);
    return cudaGetLastError();
}

static cudaError_t backward(const float *x, const float *w, const float *y, const float *dy, float *dw, float *db,
                            float *dx, int m, int n, int k, int relu, cudaStream_t stream)
{
    const View g = {dy, relu ? y : NULL, n, 1}, x_turned = {x, NULL, 1, k}, w_turned = {w, NULL, 1, n};
    cudaError_t err = cudaSuccess;
    if (dx != NULL)
        err = product(g, w_turned, NULL, dx, NULL, m, k, n, STORE, stream);
    return err != cudaSuccess ? err : product(x_turned, g, NULL, dw, db, k, n, m, ADD, stream);
}

static __global__ void descend(Network p, Network g, float rate)
{
    // A row of the grid for each array.
    float *const to[4] = {p.w1, p.w2, p.b1, p.b2}, *const from[4] = {g.w1, g.w2, g.b1, g.b2};
    const int n[4] = {p.inputs * p.hidden, p.hidden * p.classes, p.hidden, p.classes};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n[blockIdx.y]; i += gridDim.x * blockDim.x) {
        to[blockIdx.y][i] -= rate * from[blockIdx.y][i];
        from[blockIdx.y][i] = 0;
    }
}

static __global__ void arg_highest(const float *scores, int *digits, int n, int classes)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float *row = scores + i * classes;
        int best = classes - 1;
        for (int c = classes - 2; c >= 0; c--)
            best = row[c] >= row[best] ? c : best;
        digits[i] = best;
    }
}

int dense_forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu)
{
    return forward(x, w, bias, y, m, n, k, relu, 0);
}

int softmax_loss(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes, float share)
{
    return softmax(scores, labels, d_scores, loss, m, classes, share, 0);
}

int dense_backward(const float *x, const float *w, const float *y, const float *dy, float *dw, float *db, float *dx,
                   int m, int n, int k, int relu)
{
    return backward(x, w, y, dy, dw, db, dx, m, n, k, relu, 0);
}

int sgd_step(const Network *network, const Network *gradient, float rate)
{
    descend<<<dim3(40, 4), 256>>>(*network, *gradient, rate);
    return cudaGetLastError();
}

int train_step(const Network *network, const Network *gradient, const Workspace *work, const float *images,
               const int *labels, int m, float rate, float *loss)
{
    const int in = network->inputs, h = network->hidden, c = network->classes;
    cudaStream_t pen = NULL;
    cudaError_t err = cudaStreamCreateWithFlags(&pen, cudaStreamNonBlocking);
    if (err != cudaSuccess)
        return err;
    for (int first = 0, n; first < m && err == cudaSuccess; first += n) {
        n = min(m - first, work->images);
        const float *x = images + (size_t)first * in;
        cudaGraph_t graph = NULL;
        cudaGraphExec_t ready = NULL;
        err = cudaStreamBeginCapture(pen, cudaStreamCaptureModeThreadLocal);
        if (err != cudaSuccess)
            break;
        err = forward(x, network->w1, network->b1, work->hidden, n, h, in, 1, pen);
        if (err == cudaSuccess)
            err = forward(work->hidden, network->w2, network->b2, work->scores, n, c, h, 0, pen);
        if (err == cudaSuccess)
            err = softmax(work->scores, labels + first, work->d_scores, loss, n, c, 1.0f / m, pen);
        if (err == cudaSuccess)
            err = backward(work->hidden, network->w2, NULL, work->d_scores, gradient->w2, gradient->b2, work->d_hidden, n,
                           c, h, 0, pen);
        if (err == cudaSuccess)
            err = backward(x, network->w1, work->hidden, work->d_hidden, gradient->w1, gradient->b1, NULL, n, h, in, 1,
                           pen);
        cudaError_t ended = cudaStreamEndCapture(pen, &graph);
        err = err != cudaSuccess ? err : ended;
        if (err == cudaSuccess)
            err = cudaGraphInstantiate(&ready, graph, 0);
        if (err == cudaSuccess)
            err = cudaGraphLaunch(ready, 0);
        if (ready != NULL)
            cudaGraphExecDestroy(ready); // what is launched ends all the same
        if (graph != NULL)
            cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(pen);
    return err != cudaSuccess ? err : sgd_step(network, gradient, rate);
}

int classify(const Network *network, const Workspace *work, const float *images, int *digits, int n)
{
    int err = cudaSuccess;
    for (int first = 0, m; first < n && err == cudaSuccess; first += m) {
        m = min(n - first, work->images);
        err = dense_forward(images + (size_t)first * network->inputs, network->w1, network->b1, work->hidden, m,
                            network->hidden, network->inputs, true);
        if (err == cudaSuccess)
            err = dense_forward(work->hidden, network->w2, network->b2, work->scores, m, network->classes,
                                network->hidden, false);
        if (err == cudaSuccess) {
            arg_highest<<<4, 256>>>(work->scores, digits + first, m, network->classes);
            err = cudaGetLastError();
        }
    }
    return err;
}
