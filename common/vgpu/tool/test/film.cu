// Three launches: nothing is wrong with the first, the second has a race within a warp, the third leaves its array.
#include <cuda_runtime.h>

#define TILE 8

__global__ void copy(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i]; // line: copy
}

__global__ void turn(const float *in, float *out)
{
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * TILE + y) * TILE + x;
    tile[y][x] = in[at];  // line: store
    out[at] = tile[x][y]; // line: load
}

__global__ void beyond(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = 1; // line: beyond
}

int main()
{
    float *a, *b, h[512] = {1, 2.5f, 3};
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    copy<<<8, 64>>>(a, b);
    turn<<<8, dim3(TILE, TILE)>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    beyond<<<9, 64>>>(b, 512);
    cudaDeviceSynchronize();
    return 0;
}
