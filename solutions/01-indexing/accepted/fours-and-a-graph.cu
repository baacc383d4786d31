// expect: pass
/* C with macros: int4 where it can be, several elements for a thread, kernels started by cudaLaunchKernel with an array of
   addresses, and once from a graph. */
#include "lab.h"
#include "indexing.h"

#define DIV_UP(count, each) (((count) + (each) - 1) / (each))
#define MY_NUMBER() (blockIdx.x * blockDim.x + threadIdx.x)
#define RETURN_LAUNCH(kernel, grid, block, ...)                                                                                 \
    do {                                                                                                                        \
        void *arguments_[] = {__VA_ARGS__};                                                                                     \
        cudaError_t error_ = cudaLaunchKernel((const void *)(kernel), (grid), (block), arguments_, 0, 0);                       \
        if (error_ != cudaSuccess)                                                                                              \
            cudaGetLastError();                                                                                                 \
        return error_;                                                                                                          \
    } while (0)

/* Elements before `head` and behind the last whole four are done one by one. head < 0: the arrays are not aligned alike. */
__global__ void line_of_fours(const int *in, int *out, int n, int head)
{
    int t = MY_NUMBER(), threads = gridDim.x * blockDim.x;
    if (head < 0) {
        for (int i = t; i < n; i += threads)
            out[i] = in[i] + i;
        return;
    }
    int fours = (n - head) / 4, tail = head + 4 * fours;
    if (t < fours) {
        int i = head + 4 * t;
        int4 v = *(const int4 *)(in + i);
        v.x += i;
        v.y += i + 1;
        v.z += i + 2;
        v.w += i + 3;
        *(int4 *)(out + i) = v;
    }
    if (t < head)
        out[t] = in[t] + t;
    if (tail + t < n)
        out[tail + t] = in[tail + t] + tail + t;
}

int map_1d(const int *in, int *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    size_t in_off = (size_t)in % 16, out_off = (size_t)out % 16;
    int head = in_off == out_off ? (int)((16 - in_off) % 16 / 4) : -1;
    if (head > n)
        head = n;
    RETURN_LAUNCH(line_of_fours, dim3(DIV_UP(DIV_UP(n, 4), 128)), dim3(128), &in, &out, &n, &head);
}

/* Four pixels for each thread, a whole grid apart. */
__global__ void picture_of_fours(const int *in, int *out, unsigned width, unsigned pixels)
{
    unsigned threads = gridDim.x * blockDim.x;
#pragma unroll
    for (unsigned turn = 0; turn < 4; turn++) {
        unsigned p = turn * threads + MY_NUMBER();
        if (p < pixels) {
            unsigned y = p / width;
            out[p] = in[p] + (int)(p - y * width) + 1000 * (int)y;
        }
    }
}

int map_2d(const int *in, int *out, int width, int height)
{
    unsigned w = width, pixels = w * height;
    RETURN_LAUNCH(picture_of_fours, dim3(DIV_UP(pixels, 4 * 256)), dim3(256), &in, &out, &w, &pixels);
}

/* A row of threads for each row of voxels. */
__global__ void volume_rows(const int *in, int *out, int width, int height, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows) {
        int more = row % height * 100 + row / height * 10000;
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            out[row * width + x] = in[row * width + x] + more + x;
    }
}

int map_3d(const int *in, int *out, int width, int height, int depth)
{
    int rows = height * depth;
    void *arguments[] = {&in, &out, &width, &height, &rows};
    cudaKernelNodeParams node = {};
    node.func = (void *)volume_rows;
    node.blockDim = width < 32 ? dim3(8, 32) : dim3(32, 8);
    node.gridDim = dim3(DIV_UP(rows, (int)node.blockDim.y));
    node.kernelParams = arguments;

    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    cudaGraphNode_t only;
    cudaError_t error = cudaGraphCreate(&graph, 0);
    if (error != cudaSuccess)
        goto out;
    error = cudaGraphAddKernelNode(&only, graph, NULL, 0, &node);
    if (error != cudaSuccess)
        goto out;
    error = cudaGraphInstantiate(&ready, graph, 0);
    if (error != cudaSuccess)
        goto out;
    error = cudaGraphLaunch(ready, 0);
out:
    if (ready)
        cudaGraphExecDestroy(ready); /* what runs of it runs on */
    if (graph)
        cudaGraphDestroy(graph);
    if (error != cudaSuccess)
        cudaGetLastError();
    return error;
}

__global__ void stride_loop(int *sum, const int *x, int n)
{
    int i = MY_NUMBER();
    while (i < n) {
        sum[i] = sum[i] + x[i];
        i += gridDim.x * blockDim.x;
    }
}

int add_stride(int *sum, const int *x, int n, int blocks, int threads)
{
    RETURN_LAUNCH(stride_loop, dim3(blocks), dim3(threads), &sum, &x, &n);
}

/* A thread goes down a column, and its pointer goes down by bytes. */
__global__ void strip_columns(char *at, size_t pitch, int width, int rows, int amount)
{
    int x = MY_NUMBER(), y = blockIdx.y * blockDim.y + threadIdx.y, step = gridDim.y * blockDim.y;
    if (x >= width)
        return;
    at += y * pitch + x * sizeof(int);
    for (; y < rows; y += step, at += step * pitch)
        *(int *)at += amount;
}

int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount)
{
    size_t step = pitch;
    char *at = (char *)picture + first_row * step;
    RETURN_LAUNCH(strip_columns, dim3(DIV_UP(width, 128), DIV_UP(rows, 16)), dim3(128, 2), &at, &step, &width, &rows, &amount);
}
