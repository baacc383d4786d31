// Kernels for test_kernels.c, whose counters can be worked out by hand.
#include <mma.h>

template <int PITCH> __device__ void tile_transpose(const float *a, float *c, int n)
{
    __shared__ float tile[32][PITCH];
    int x = threadIdx.x % 32;
    for (int y = threadIdx.x / 32; y < 32; y += 8)
        tile[y][x] = a[y * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int y = threadIdx.x / 32; y < 32; y += 8)
        c[(blockIdx.x * 32 + y) * n + x] = tile[x][y];
}

extern "C" {

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void strided(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i * 8 % n];
}

__global__ void transpose(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = threadIdx.x / 32;
    for (; y < n; y += 8)
        c[x * n + y] = a[y * n + x];
}

__global__ void transpose_tile(const float *a, const float *b, float *c, int n)
{
    tile_transpose<32>(a, c, n);
}

__global__ void transpose_padded(const float *a, const float *b, float *c, int n)
{
    tile_transpose<33>(a, c, n);
}

__global__ void divergent(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (threadIdx.x % 2) {
        for (int k = 0; k < 10; k++)
            x = x * x + 1;
        c[i] = x;
    }
}

__global__ void one_counter(const float *a, const float *b, int *c, int n)
{
    atomicAdd(c, n);
}

__global__ void one_sum(const float *a, const float *b, float *c, int n)
{
    atomicAdd(c, a[threadIdx.x]);
}

// Three loads, each of which needs the one before.
__global__ void follow(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[b[a[i]]];
}

// The second load may read what the store wrote.
__global__ void behind_a_store(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i];
    c[i + n] = b[i];
}

// A warp makes two products of 16 x 16 x 16: one with sums in float, one in half precision.
__global__ void products(const __half *a, const __half *b, float *c, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> of_a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> of_b;
    fragment<accumulator, 16, 16, 16, float> sum;
    fragment<accumulator, 16, 16, 16, __half> half_sum;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    fill_fragment(sum, 0);
    fill_fragment(half_sum, __half(0));
    load_matrix_sync(of_a, a, n);
    load_matrix_sync(of_b, b, n);
    mma_sync(sum, of_a, of_b, sum);
    mma_sync(half_sum, of_a, of_b, half_sum);
    store_matrix_sync(c + warp * 512, sum, 16, mem_row_major);
    store_matrix_sync((__half *)(c + warp * 512 + 256), half_sum, 16, mem_row_major);
}
}

/* All blocks wait for the last one, which has n turns of something else to do. */
extern "C" __global__ void wait_for_last(const float *, const float *, float *out, int n)
{
    volatile float *flag = out;
    if (blockIdx.x == gridDim.x - 1) {
        for (int i = 0; i < n; i++)
            out[1 + threadIdx.x] = i;
        __syncthreads();
        flag[0] = 1;
    }
    while (flag[0] == 0)
        ;
}
