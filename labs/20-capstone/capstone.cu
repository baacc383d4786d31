// Lab 20: a network that learns to read digits. The contract is in capstone.h, the steps are in README.md.
#include "capstone.h"
#include "lab.h"

#define ALL_LANES 0xFFFFFFFF

// How many blocks it takes for `count` things, if a block does `each` of them.
inline int blocks_for(int count, int each)
{
    return (count + each - 1) / each;
}

// ---- 1: a layer, forwards ----

__global__ void forward_kernel(const float *x, const float *w, const float *bias, float *y, int m, int n, int k,
                               int relu)
{
    // TODO 1 (kernel): a product as in lab 08; then bias and relu on the way out, before anything is stored.
}

int dense_forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu)
{
    // TODO 1 (launch)
    return cudaSuccess;
}

// ---- 2: probabilities, the loss, and its gradient ----

#define SOFTMAX_WARPS 16 // of the block; each takes every 16th row

// One block, so that the losses of all rows are added in one order, always the same. A warp takes a row, a lane a class.
__global__ void softmax_kernel(const float *scores, const int *labels, float *d_scores, float *loss, int m,
                               int classes, float share)
{
    // TODO 2 (kernel): of each row its highest score, the exponentials of what each score is above that (so 1 at
    // most), their sum. -log(p) is log(sum) - (score - highest): no quotient, which could be 0. Then all rows' losses.
}

int softmax_loss(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes,
                 float share)
{
    // TODO 2 (launch): one block of SOFTMAX_WARPS warps.
    return cudaSuccess;
}

// ---- 3: a layer, backwards ----

// dw and db. The blocks of the first row also add up the columns of dy, for db: a thread a column.
__global__ void weights_kernel(const float *x, const float *y, const float *dy, float *dw, float *db, int m, int n,
                               int k)
{
    // TODO 3 (weights): the transpose of x, times dy, added to dw. The depth of this product is m. And db.
}

__global__ void inputs_kernel(const float *w, const float *y, const float *dy, float *dx, int m, int n, int k)
{
    // TODO 3 (inputs): dy, times the transpose of w. The depth of this product is n.
}

int dense_backward(const float *x, const float *w, const float *y, const float *dy, float *dw, float *db, float *dx,
                   int m, int n, int k, int relu)
{
    // TODO 3 (launch): the second kernel only if somebody wants dx. y only counts if relu is not 0.
    return cudaSuccess;
}

// ---- 4: the update ----

#define SGD_THREADS 256

__global__ void sgd_kernel(Network network, Network gradient, float rate)
{
    // TODO 4 (kernel): both structs are arguments by value; their pointers are of device memory.
}

int sgd_step(const Network *network, const Network *gradient, float rate)
{
    // TODO 4 (launch)
    return cudaSuccess;
}

// ---- 5: a step of training ----

int train_step(const Network *network, const Network *gradient, const Workspace *work, const float *images,
               const int *labels, int m, float rate, float *loss)
{
    // TODO 5: for each micro-batch: forwards through both layers, the loss, backwards through both. At the end the step.
    return cudaSuccess;
}

// ---- 6: reading ----

__global__ void highest_kernel(const float *scores, int *digits, int n, int classes)
{
    // TODO 6 (kernel): a thread for each image.
}

int classify(const Network *network, const Workspace *work, const float *images, int *digits, int n)
{
    // TODO 6: the scores of as many images as `work` has room for, then the highest of each; then the next ones.
    return cudaSuccess;
}
