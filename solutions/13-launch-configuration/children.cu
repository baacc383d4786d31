// Lab 13, the optional part: a kernel that chooses launch configurations, and launches. `make extra` builds
// and runs it.
//
// PIECES pieces of data, most of them short and a few very long, are multiplied, each by a factor of its own.
// One block for each piece is bad: a block with a long piece works alone when all others have ended. Here a
// parent kernel looks at each piece. Short ones it does by itself; for each long one it launches as many
// blocks as that needs.
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

#define PIECES     400
#define SHORT      64  // a piece of at most so many elements is done by the parent's thread
#define BLOCK      128 // threads of a block of a child
#define SUM_BLOCKS 64

// The elements of piece p are start[p] to start[p + 1] - 1.
__host__ __device__ float factor_of(int piece)
{
    return 1.0f + piece % 5;
}

// Given, to compare with: one block for each piece.
__global__ void flat_kernel(float *data, const int *start)
{
    int p = blockIdx.x;
    for (int i = start[p] + threadIdx.x; i < start[p + 1]; i += blockDim.x)
        data[i] *= factor_of(p);
}

// Given: n elements of one piece.
__global__ void child_kernel(float *data, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

// Given: adds the sum of n elements to *sum, with SUM_BLOCKS blocks of BLOCK threads. The numbers are such
// that no order of the additions rounds.
__global__ void sum_kernel(double *sum, const float *data, int n)
{
    __shared__ double part[BLOCK];
    double mine = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        mine += data[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

// One thread for each piece. sum_kernel adds all elements, as they are at the end, to *sum, and *error
// becomes the error of a launch that failed.
//@ show parent
__global__ void parent_kernel(float *data, const int *start, int n, double *sum, int *error)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= PIECES)
        return;
    //@ solution 6
    int first = start[p], length = start[p + 1] - first;
    if (length <= SHORT)
        for (int i = 0; i < length; i++)
            data[first + i] *= factor_of(p);
    else
        child_kernel<<<(length + BLOCK - 1) / BLOCK, BLOCK, 0, cudaStreamFireAndForget>>>(
            data + first, length, factor_of(p));
    if (p == 0)
        sum_kernel<<<SUM_BLOCKS, BLOCK, 0, cudaStreamTailLaunch>>>(sum, data, n);
    cudaError_t failed = cudaGetLastError();
    if (failed != cudaSuccess)
        *error = failed;
    //@ stub
    //| // TODO 6: how long is piece p? A short one is done here; for a long one launch child_kernel with
    //| // the blocks that it needs. One thread launches sum_kernel: in which stream, so that it begins
    //| // when everything else has ended? Put the error that cudaGetLastError finds into *error.
    //@ end
}
//@ end

// ---- Given: the host's side ----

static int lengths(int *start)
{
    start[0] = 0;
    for (int p = 0; p < PIECES; p++)
        start[p + 1] = start[p] + (p % 97 == 13 ? 200001 : 3 + p * 7 % 60);
    return start[PIECES];
}

typedef struct Job {
    int n, *start; // on the device, as all that follows
    float *data;
    double *sum;
    int *error;
} Job;

// Milliseconds of one version.
static float run(const Job *j, const float *data, bool children)
{
    CUDA_CHECK(cudaMemcpy(j->data, data, j->n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(j->sum, 0, sizeof(double)));
    LabTimer timer = lab_timer_start(0);
    if (children)
        parent_kernel<<<(PIECES + BLOCK - 1) / BLOCK, BLOCK>>>(j->data, j->start, j->n, j->sum, j->error);
    else
        flat_kernel<<<PIECES, BLOCK>>>(j->data, j->start),
            sum_kernel<<<SUM_BLOCKS, BLOCK>>>(j->sum, j->data, j->n);
    CUDA_CHECK_LAUNCH();
    return lab_timer_stop(&timer);
}

int main()
{
    static int start[PIECES + 1];
    Job j = {lengths(start)};
    float *data = (float *)malloc(j.n * sizeof(float)), *got = (float *)malloc(j.n * sizeof(float));
    float *wanted = (float *)malloc(j.n * sizeof(float));
    double sum = 0, wanted_sum = 0;
    int error = 0;
    for (int i = 0; i < j.n; i++)
        data[i] = 0.25f + i % 17;
    for (int p = 0; p < PIECES; p++)
        for (int i = start[p]; i < start[p + 1]; i++)
            wanted_sum += wanted[i] = data[i] * factor_of(p);

    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, PIECES + 1));
    CUDA_CHECK(cudaMalloc((void **)&j.start, sizeof start));
    CUDA_CHECK(cudaMalloc((void **)&j.data, j.n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&j.sum, sizeof(double)));
    CUDA_CHECK(cudaMalloc((void **)&j.error, sizeof(int)));
    CUDA_CHECK(cudaMemcpy(j.start, start, sizeof start, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(j.error, 0, sizeof(int)));
    float flat_ms = run(&j, data, false), children_ms = run(&j, data, true);
    CUDA_CHECK(cudaMemcpy(got, j.data, j.n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&sum, j.sum, sizeof sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&error, j.error, sizeof error, cudaMemcpyDeviceToHost));
    cudaFree(j.start), cudaFree(j.data), cudaFree(j.sum), cudaFree(j.error);

    bool right = check_close("data", got, wanted, j.n, 1e-6, 0) == 0 && sum == wanted_sum && error == 0;
    if (error != 0)
        printf("a launch in the kernel failed: %s\n", cudaGetErrorName((cudaError_t)error));
    if (sum != wanted_sum)
        printf("the sum is %.2f, and should be %.2f\n", sum, wanted_sum);
    printf("one block for each piece: %.1f us; with children: %.1f us\n", flat_ms * 1e3, children_ms * 1e3);
    free(data), free(got), free(wanted);
    return right ? 0 : 1;
}
