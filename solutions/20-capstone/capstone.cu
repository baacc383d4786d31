// Lab 20: a network that learns to read digits. The contract is in capstone.h, the steps are in README.md.
#include "capstone.h"
#include "lab.h"

#define ALL_LANES 0xFFFFFFFF

// How many blocks it takes for `count` things, if a block does `each` of them.
inline int blocks_for(int count, int each)
{
    return (count + each - 1) / each;
}

//@ solution 1
// ---- Products of matrices ----
//
// Three products are needed, and in each of them the matrices lie in memory another way round:
//
//   forward    y  = x  * w        (m x k) * (k x n)
//   weights    dw = x' * dy       (k x m) * (m x n)       x' is x transposed
//   inputs     dx = dy * w'       (m x n) * (n x k)
//
// None is ever turned in memory. An operand knows how to find its elements, and which way its neighbours lie; and a
// tile in shared memory always stands the same way.

#define SIDE 32  // rows and columns of the result that a block works out
#define DEPTH 16 // how much of the depth is in shared memory at a time
#define LANES 16 // threads in a row and in a column of a block: 2 x 2 elements of the result each

// One side of a product: a matrix of `outer` lines, each of them `depth` long. Element i of a line is
// data[line * distance + i] if lines lie along the depth, else data[i * distance + line]. With `active`, elements where
// active is not above 0 count as 0: this is the way back through relu.
struct Operand {
    const float *data, *active;
    int outer, depth, distance;
    bool along_depth;

    __device__ float at(int line, int i) const
    {
        if (line >= outer || i >= depth)
            return 0;
        int place = along_depth ? line * distance + i : i * distance + line;
        return active && active[place] <= 0 ? 0 : data[place];
    }
};

// Loads SIDE lines, DEPTH of each. Neighbouring threads take neighbours in memory, whichever way these lie.
__device__ void load_tile(float tile[DEPTH][SIDE + 1], const Operand &from, int first_line, int first_i)
{
    for (int p = threadIdx.y * LANES + threadIdx.x; p < SIDE * DEPTH; p += LANES * LANES) {
        int line = from.along_depth ? p / DEPTH : p % SIDE, i = from.along_depth ? p % DEPTH : p / SIDE;
        tile[i][line] = from.at(first_line + line, first_i + i);
    }
}

// The block's SIDE x SIDE elements of a * b; store(row, column, sum) is called for each of them that exists.
template <typename Store>
__device__ void multiply_tile(const Operand &a, const Operand &b, int block_row, int block_column, Store store)
{
    __shared__ float tile_a[DEPTH][SIDE + 1], tile_b[DEPTH][SIDE + 1];
    int y = threadIdx.y, x = threadIdx.x, first_row = block_row * SIDE, first_column = block_column * SIDE;
    float sum[2][2] = {};
    for (int first = 0; first < a.depth; first += DEPTH) {
        load_tile(tile_a, a, first_row, first);
        load_tile(tile_b, b, first_column, first);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float of_a[2] = {tile_a[i][y], tile_a[i][y + LANES]}, of_b[2] = {tile_b[i][x], tile_b[i][x + LANES]};
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 2; s++)
                    sum[r][s] += of_a[r] * of_b[s];
        }
        __syncthreads(); // the next turn loads into the same tiles
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++) {
            int row = first_row + y + r * LANES, column = first_column + x + s * LANES;
            if (row < a.outer && column < b.outer)
                store(row, column, sum[r][s]);
        }
}

//@ stub
//@ end
// ---- 1: a layer, forwards ----

__global__ void forward_kernel(const float *x, const float *w, const float *bias, float *y, int m, int n, int k,
                               int relu)
{
    //@ solution 1
    Operand lines = {x, NULL, m, k, k, true}, columns = {w, NULL, n, k, n, false};
    multiply_tile(lines, columns, blockIdx.y, blockIdx.x, [=](int row, int column, float sum) {
        float v = sum + bias[column];
        y[row * n + column] = relu && v < 0 ? 0 : v;
    });
    //@ stub
    //| // TODO 1 (kernel): a product as in lab 08; then bias and relu on the way out, before anything is stored.
    //@ end
}

int dense_forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu)
{
    //@ solution 1
    dim3 threads(LANES, LANES), blocks(blocks_for(n, SIDE), blocks_for(m, SIDE));
    forward_kernel<<<blocks, threads>>>(x, w, bias, y, m, n, k, relu);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch)
    //| return cudaSuccess;
    //@ end
}

// ---- 2: probabilities, the loss, and its gradient ----

#define SOFTMAX_WARPS 16 // of the block; each takes every 16th row

//@ solution 2
__device__ float warp_max(float v)
{
    for (int distance = 16; distance > 0; distance /= 2)
        v = fmaxf(v, __shfl_xor_sync(ALL_LANES, v, distance));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int distance = 16; distance > 0; distance /= 2)
        v += __shfl_xor_sync(ALL_LANES, v, distance);
    return v;
}

//@ stub
//@ end
//@ show softmax
// One block, so that the losses of all rows are added in one order, always the same. A warp takes a row, a lane a class.
__global__ void softmax_kernel(const float *scores, const int *labels, float *d_scores, float *loss, int m,
                               int classes, float share)
{
    //@ solution 2
    __shared__ float losses[SOFTMAX_WARPS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float mine = 0;
    for (int row = warp; row < m; row += SOFTMAX_WARPS) {
        float score = lane < classes ? scores[row * classes + lane] : -INFINITY;
        float above = score - warp_max(score); // 0 or less: its exponential is 1 at most
        float e = lane < classes ? expf(above) : 0;
        float sum = warp_sum(e);
        bool is_label = lane == labels[row];
        if (lane < classes)
            d_scores[row * classes + lane] = share * (e / sum - (is_label ? 1 : 0));
        if (is_label)
            mine += share * (logf(sum) - above);
    }
    mine = warp_sum(mine);
    if (lane == 0)
        losses[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < SOFTMAX_WARPS; i++)
            sum += losses[i];
        *loss += sum;
    }
    //@ stub
    //| // TODO 2 (kernel): of each row its highest score, the exponentials of what each score is above that (so 1 at
    //| // most), their sum. -log(p) is log(sum) - (score - highest): no quotient, which could be 0. Then all rows' losses.
    //@ end
}
//@ end

int softmax_loss(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes,
                 float share)
{
    //@ solution 2
    softmax_kernel<<<1, SOFTMAX_WARPS * 32>>>(scores, labels, d_scores, loss, m, classes, share);
    return cudaGetLastError();
    //@ stub
    //| // TODO 2 (launch): one block of SOFTMAX_WARPS warps.
    //| return cudaSuccess;
    //@ end
}

// ---- 3: a layer, backwards ----

// dw and db. The blocks of the first row also add up the columns of dy, for db: a thread a column.
__global__ void weights_kernel(const float *x, const float *y, const float *dy, float *dw, float *db, int m, int n,
                               int k)
{
    //@ solution 3
    Operand lines = {x, NULL, k, m, k, false}, columns = {dy, y, n, m, n, false};
    multiply_tile(lines, columns, blockIdx.y, blockIdx.x,
                  [=](int row, int column, float sum) { dw[row * n + column] += sum; });
    int column = blockIdx.x * SIDE + threadIdx.y * LANES + threadIdx.x;
    if (blockIdx.y > 0 || threadIdx.y >= SIDE / LANES || column >= n)
        return;
    float sum = 0;
    for (int row = 0; row < m; row++)
        sum += columns.at(column, row);
    db[column] += sum;
    //@ stub
    //| // TODO 3 (weights): the transpose of x, times dy, added to dw. The depth of this product is m. And db.
    //@ end
}

__global__ void inputs_kernel(const float *w, const float *y, const float *dy, float *dx, int m, int n, int k)
{
    //@ solution 3
    Operand lines = {dy, y, m, n, n, true}, columns = {w, NULL, k, n, n, true};
    multiply_tile(lines, columns, blockIdx.y, blockIdx.x,
                  [=](int row, int column, float sum) { dx[row * k + column] = sum; });
    //@ stub
    //| // TODO 3 (inputs): dy, times the transpose of w. The depth of this product is n.
    //@ end
}

int dense_backward(const float *x, const float *w, const float *y, const float *dy, float *dw, float *db, float *dx,
                   int m, int n, int k, int relu)
{
    //@ solution 3
    dim3 threads(LANES, LANES);
    const float *active = relu ? y : NULL;
    weights_kernel<<<dim3(blocks_for(n, SIDE), blocks_for(k, SIDE)), threads>>>(x, active, dy, dw, db, m, n, k);
    if (dx)
        inputs_kernel<<<dim3(blocks_for(k, SIDE), blocks_for(m, SIDE)), threads>>>(w, active, dy, dx, m, n, k);
    return cudaGetLastError();
    //@ stub
    //| // TODO 3 (launch): the second kernel only if somebody wants dx. y only counts if relu is not 0.
    //| return cudaSuccess;
    //@ end
}

// ---- 4: the update ----

#define SGD_THREADS 256

__global__ void sgd_kernel(Network network, Network gradient, float rate)
{
    //@ solution 4
    // All four arrays in one launch, one after another, as if they were one.
    float *parameters[] = {network.w1, network.b1, network.w2, network.b2};
    float *gradients[] = {gradient.w1, gradient.b1, gradient.w2, gradient.b2};
    int lengths[] = {network.inputs * network.hidden, network.hidden, network.hidden * network.classes,
                     network.classes};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int array = 0; array < 4; array++) {
        if (i >= 0 && i < lengths[array]) {
            parameters[array][i] -= rate * gradients[array][i];
            gradients[array][i] = 0;
        }
        i -= lengths[array];
    }
    //@ stub
    //| // TODO 4 (kernel): both structs are arguments by value; their pointers are of device memory.
    //@ end
}

int sgd_step(const Network *network, const Network *gradient, float rate)
{
    //@ solution 4
    int n = network->inputs * network->hidden + network->hidden + network->hidden * network->classes +
            network->classes;
    sgd_kernel<<<blocks_for(n, SGD_THREADS), SGD_THREADS>>>(*network, *gradient, rate);
    return cudaGetLastError();
    //@ stub
    //| // TODO 4 (launch)
    //| return cudaSuccess;
    //@ end
}

// ---- 5: a step of training ----

//@ solution 5
// The scores of m images, by both layers.
static int scores_of(const Network *n, const Workspace *work, const float *images, int m)
{
    int status = dense_forward(images, n->w1, n->b1, work->hidden, m, n->hidden, n->inputs, 1);
    return status ? status : dense_forward(work->hidden, n->w2, n->b2, work->scores, m, n->classes, n->hidden, 0);
}

// Adds a micro-batch to the gradient and to the loss; `share` is 1 over the images of the whole batch.
static int add_gradient(const Network *n, const Network *g, const Workspace *work, const float *images,
                        const int *labels, int m, float share, float *loss)
{
    int status = scores_of(n, work, images, m);
    if (!status)
        status = softmax_loss(work->scores, labels, work->d_scores, loss, m, n->classes, share);
    if (!status)
        status = dense_backward(work->hidden, n->w2, NULL, work->d_scores, g->w2, g->b2, work->d_hidden, m,
                                n->classes, n->hidden, 0);
    if (!status)
        status = dense_backward(images, n->w1, work->hidden, work->d_hidden, g->w1, g->b1, NULL, m, n->hidden,
                                n->inputs, 1);
    return status;
}

//@ stub
//@ end
int train_step(const Network *network, const Network *gradient, const Workspace *work, const float *images,
               const int *labels, int m, float rate, float *loss)
{
    //@ solution 5
    for (int first = 0; first < m; first += work->images) {
        int n = m - first < work->images ? m - first : work->images;
        int status = add_gradient(network, gradient, work, images + (size_t)first * network->inputs, labels + first, n,
                                  1.0f / m, loss);
        if (status)
            return status;
    }
    return sgd_step(network, gradient, rate);
    //@ stub
    //| // TODO 5: for each micro-batch: forwards through both layers, the loss, backwards through both. At the end the step.
    //| return cudaSuccess;
    //@ end
}

// ---- 6: reading ----

__global__ void highest_kernel(const float *scores, int *digits, int n, int classes)
{
    //@ solution 6
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    for (int k = 1; k < classes; k++)
        if (scores[i * classes + k] > scores[i * classes + best])
            best = k;
    digits[i] = best;
    //@ stub
    //| // TODO 6 (kernel): a thread for each image.
    //@ end
}

int classify(const Network *network, const Workspace *work, const float *images, int *digits, int n)
{
    //@ solution 6
    for (int first = 0; first < n; first += work->images) {
        int m = n - first < work->images ? n - first : work->images;
        int status = scores_of(network, work, images + (size_t)first * network->inputs, m);
        if (status)
            return status;
        highest_kernel<<<blocks_for(m, 128), 128>>>(work->scores, digits + first, m, network->classes);
    }
    return cudaGetLastError();
    //@ stub
    //| // TODO 6: the scores of as many images as `work` has room for, then the highest of each; then the next ones.
    //| return cudaSuccess;
    //@ end
}
