// Lab 03: tiles in shared memory. The contract is in shared_memory.h, the steps are in README.md.
#include "lab.h"
#include "shared_memory.h"

// ---- Runs turned round: an array whose size the compiler knows ----

//@ show reverse
// One block for each run. No thread may write before every thread of the block has read.
__global__ void reverse_static_kernel(int *data, int n)
{
    //@ solution 1
    __shared__ int tile[REVERSE_RUN];
    int t = threadIdx.x;
    int first = blockIdx.x * REVERSE_RUN;
    int count = min(REVERSE_RUN, n - first);
    if (t < count)
        tile[t] = data[first + t];
    __syncthreads();
    if (t < count)
        data[first + t] = 255 - tile[count - 1 - t];
    //@ stub
    //| // TODO 1 (kernel): declare a shared array of REVERSE_RUN elements; load the block's run into it; wait for all
    //| // threads of the block; store the run turned round. The last run may be shorter.
    //@ end
}
//@ end

int reverse_static(int *data, int n)
{
    //@ solution 1
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + REVERSE_RUN - 1) / REVERSE_RUN;
    reverse_static_kernel<<<blocks, REVERSE_RUN>>>(data, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 1 (launch): one block for each run, and return what the launch gave.
    //| return cudaSuccess;
    //@ end
}

// ---- Runs turned round: the launch says how large the array is ----

__global__ void reverse_dynamic_kernel(int *data, int n)
{
    //@ solution 2
    extern __shared__ int tile[]; // blockDim.x elements: a block is as large as a run
    int t = threadIdx.x;
    int first = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - first);
    if (t < count)
        tile[t] = data[first + t];
    __syncthreads();
    if (t < count)
        data[first + t] = 255 - tile[count - 1 - t];
    //@ stub
    //| // TODO 2 (kernel): as TODO 1, with an array declared `extern __shared__` and blocks as large as a run.
    //@ end
}

int reverse_dynamic(int *data, int n, int run)
{
    //@ solution 2
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + run - 1) / run;
    reverse_dynamic_kernel<<<blocks, run, run * sizeof(int)>>>(data, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 2 (launch): blocks of `run` threads, and the size of the shared array in bytes.
    //| return cudaSuccess;
    //@ end
}

// ---- What the stencils have in common ----

// All threads of the block together fill tile[0 .. count-1] with in[first .. first+count-1], and with 0 for
// what lies outside of in[0 .. n-1]. count may be more than the threads of the block. Who calls it waits for the
// other threads.
__device__ void load_tile(int *tile, int count, const int *in, int n, int first)
{
    //@ solution 3
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int i = first + k;
        tile[k] = i >= 0 && i < n ? in[i] : 0;
    }
    //@ stub
    //| // TODO 3 (load): a loop like the grid-stride loop of lab 01, over the block instead of the grid.
    //@ end
}

// 1 * window[0] + 2 * window[1] + ... + (2 * radius + 1) * window[2 * radius]
__device__ int weighted_sum(const int *window, int radius)
{
    int sum = 0;
    for (int d = 0; d <= 2 * radius; d++)
        sum += (d + 1) * window[d];
    return sum;
}

// ---- A stencil whose block and radius the compiler knows ----

#define STENCIL_BLOCK 256

__global__ void stencil_static_kernel(const int *in, int *out, int n)
{
    //@ solution 3
    const int count = STENCIL_BLOCK + 2 * STENCIL_RADIUS;
    __shared__ int tile[count];
    int first = blockIdx.x * STENCIL_BLOCK;
    load_tile(tile, count, in, n, first - STENCIL_RADIUS);
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n)
        out[i] = weighted_sum(tile + threadIdx.x, STENCIL_RADIUS);
    //@ stub
    //| // TODO 3 (kernel): load the elements of this block and the halo on both sides; wait; sum up one element.
    //@ end
}

int stencil_static(const int *in, int *out, int n)
{
    //@ solution 3
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + STENCIL_BLOCK - 1) / STENCIL_BLOCK;
    stencil_static_kernel<<<blocks, STENCIL_BLOCK>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //| // TODO 3 (launch): blocks of STENCIL_BLOCK threads, one thread for each element.
    //| return cudaSuccess;
    //@ end
}

// ---- A stencil of any radius, with blocks of any size ----

__global__ void stencil_dynamic_kernel(const int *in, int *out, int n, int radius)
{
    //@ solution 4
    extern __shared__ int tile[]; // blockDim.x + 2 * radius elements
    int first = blockIdx.x * blockDim.x;
    load_tile(tile, blockDim.x + 2 * radius, in, n, first - radius);
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n)
        out[i] = weighted_sum(tile + threadIdx.x, radius);
    //@ stub
    //| // TODO 4 (kernel): as TODO 3, with a tile that is as large as blockDim.x and radius ask.
    //@ end
}

int stencil_dynamic(const int *in, int *out, int n, int radius, int threads)
{
    //@ solution 4
    if (n == 0)
        return cudaSuccess;
    int blocks = (n + threads - 1) / threads;
    size_t tile_bytes = (threads + 2 * radius) * sizeof(int);
    stencil_dynamic_kernel<<<blocks, threads, tile_bytes>>>(in, out, n, radius);
    return cudaGetLastError();
    //@ stub
    //| // TODO 4 (launch): blocks of `threads` threads; how many bytes has a tile with its halo?
    //| return cudaSuccess;
    //@ end
}

// ---- A stencil with fewer blocks than tiles ----

__global__ void stencil_loop_kernel(const int *in, int *out, int n, int radius)
{
    //@ solution 5
    extern __shared__ int tile[]; // blockDim.x + 2 * radius elements
    int step = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += step) {
        load_tile(tile, blockDim.x + 2 * radius, in, n, first - radius);
        __syncthreads();
        int i = first + threadIdx.x;
        if (i < n)
            out[i] = weighted_sum(tile + threadIdx.x, radius);
        __syncthreads(); // the next turn loads into the same tile, which others may still be reading
    }
    //@ stub
    //| // TODO 5 (kernel): put TODO 4 in a loop over tiles, which all threads of a block go through equally often. When
    //| // may the next turn load into the tile?
    //@ end
}

int stencil_loop(const int *in, int *out, int n, int radius, int blocks, int threads)
{
    //@ solution 5
    if (n == 0)
        return cudaSuccess;
    size_t tile_bytes = (threads + 2 * radius) * sizeof(int);
    stencil_loop_kernel<<<blocks, threads, tile_bytes>>>(in, out, n, radius);
    return cudaGetLastError();
    //@ stub
    //| // TODO 5 (launch): with the blocks and threads that are asked for.
    //| return cudaSuccess;
    //@ end
}
