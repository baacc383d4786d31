// Lab 14: memory that host and device share. The contract is in unified_memory.h, the steps are in README.md.
#include "lab.h"
#include "places.h"
#include "unified_memory.h"

#include <string.h>

// ---- Given: the kernels, which are right ----

#define BLOCK 256

static inline int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

__global__ void scale_kernel(float *data, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

// Each cell becomes the mean of its neighbours and itself, which counts twice. The ends are their own neighbours.
__global__ void relax_kernel(const float *now, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = 0.25f * now[i == 0 ? 0 : i - 1] + 0.5f * now[i] + 0.25f * now[i + 1 == n ? i : i + 1];
}

__global__ void correct_kernel(const float *table, int n_table, const int *reading, float *out, int n, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += table[(reading[i] + round) % n_table];
}

__global__ void grind_kernel(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 0.75f * data[i] + 0.5f;
}

// ---- One pointer for both ----

int scale(const float *in, float *out, int n, float factor)
{
    // TODO 1: a managed array; the host puts in there, scale_kernel works on it, the host takes it out.
    // When may the host look? Return the first error. For n == 0 there is nothing to do.
    return cudaSuccess;
}

// ---- Pages that are there before they are needed ----

int relax(const float *in, float *out, int n, int rounds)
{
    // TODO 2: two managed arrays that take turns; prefetch them to the_device() before the first round, and the
    // one with the result to the_host() behind the last. The launches and prefetches of a stream stay in order.
    return cudaSuccess;
}

// ---- Pages that both need ----

int correct(const float *table, int n_table, const int *reading, float *out, int n, int rounds, float *control)
{
    cudaError_t err = cudaSuccess;
    float *m_table = NULL, *m_out = NULL;
    int *m_reading = NULL;
    if (n == 0)
        return cudaSuccess;
    // TODO 3: three managed arrays, of which the table is advised to be read mostly. After each round the host works
    // out control[r] from the same arrays. m_out begins as zeros.
    cudaFree(m_table);
    cudaFree(m_reading);
    cudaFree(m_out);
    return err;
}

// ---- Pointers within pointers ----


int table_create(Table **table, const int *keys, int n_keys, int n_buckets)
{
    *table = NULL;
    // TODO 4 (create): the Table, its buckets and all of its nodes in managed memory; then link the nodes, as in plain C.
    return cudaSuccess;
}

int table_count(Table *table, const int *queries, int n)
{
    // TODO 4 (count): write a kernel in which each thread walks through the list of its query; launch it.
    return cudaSuccess;
}

int table_destroy(Table *table)
{
    if (table == NULL)
        return cudaSuccess;
    // TODO 4 (destroy): give back what table_create has allocated. In which order?
    return cudaSuccess;
}

// ---- Buffers that are used again ----

// Given: smooths one frame with the help of two device arrays of n floats.
static inline cudaError_t smooth_with(const float *frame, float *out, int n, float *d_first, float *d_second)
{
    cudaError_t copied = cudaMemcpy(d_first, frame, n * sizeof(float), cudaMemcpyHostToDevice);
    if (copied != cudaSuccess)
        return copied;
    relax_kernel<<<blocks_for(n), BLOCK>>>(d_first, d_second, n);
    relax_kernel<<<blocks_for(n), BLOCK>>>(d_second, d_first, n);
    cudaError_t launched = cudaGetLastError();
    return launched != cudaSuccess ? launched : cudaMemcpy(out, d_first, n * sizeof(float), cudaMemcpyDeviceToHost);
}

// Given: smooths one frame with two arrays of its own.
static inline cudaError_t smooth_alone(const float *frame, float *out, int n)
{
    float *d_both = NULL, *d_other = NULL;
    cudaError_t result = cudaMalloc(&d_both, n * sizeof(float));
    if (result == cudaSuccess)
        result = cudaMalloc(&d_other, n * sizeof(float));
    if (result == cudaSuccess)
        result = smooth_with(frame, out, n, d_both, d_other);
    cudaFree(d_both);
    cudaFree(d_other);
    return result;
}

int smooth_frames(const float *frames, float *out, int n, int n_frames)
{
    cudaError_t err = cudaSuccess;
    if (n == 0)
        return cudaSuccess;
    // TODO 5: this is right, and takes memory from the system twice for each frame. Take it less often.
    for (int k = 0; k < n_frames && err == cudaSuccess; k++)
        err = smooth_alone(frames + (size_t)k * n, out + (size_t)k * n, n);
    return err;
}

// ---- More than there is room for ----

// Given: all rounds for n elements.
static inline cudaError_t grind_rounds(float *data, int n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        grind_kernel<<<blocks_for(n), BLOCK>>>(data, n);
    return cudaGetLastError();
}

int grind(const float *in, float *out, int n, int rounds)
{
    float *all = NULL;
    if (n == 0)
        return cudaSuccess;
    cudaError_t err = cudaMallocManaged(&all, n * sizeof(float));
    if (err != cudaSuccess)
        return err;
    memcpy(all, in, n * sizeof(float));
    // TODO 6: this is right; when the array is larger than the device's memory, each round moves all of it there and
    // back. How can a page be moved once? cudaMemGetInfo says how much room there is.
    err = grind_rounds(all, n, rounds);
    cudaError_t ended = cudaDeviceSynchronize();
    if (err == cudaSuccess && ended == cudaSuccess)
        memcpy(out, all, n * sizeof(float));
    cudaFree(all);
    return err != cudaSuccess ? err : ended;
}
