// expect: no-gpu-work
// case: naive
// The host transposes, and a kernel copies: all values are inputs.
#include "transpose.h"
#include <stdlib.h>
__device__ float room[1 << 20]; // memory that the function takes would be told first
__global__ void copy(const float *from, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = from[i];
}
int copy_matrix(const float *in, float *out, int width, int height)
{
    return cudaMemcpy(out, in, sizeof(float) * width * height, cudaMemcpyDeviceToDevice);
}
int transpose_naive(const float *in, float *out, int width, int height)
{
    int n = width * height;
    float *h = (float *)malloc(2 * sizeof(float) * n), *t = h + n, *d;
    cudaMemcpy(h, in, sizeof(float) * n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        t[i % width * height + i / width] = h[i];
    cudaGetSymbolAddress((void **)&d, room);
    cudaMemcpy(d, t, sizeof(float) * n, cudaMemcpyHostToDevice);
    copy<<<(n + 255) / 256, 256>>>(d, out, n);
    int err = cudaDeviceSynchronize();
    free(h);
    return err;
}
int transpose_tiled(const float *in, float *out, int width, int height)
{
    return transpose_naive(in, out, width, height);
}
int transpose_padded(const float *in, float *out, int width, int height)
{
    return transpose_naive(in, out, width, height);
}
int transpose_in_place(float *data, int n, float factor)
{
    return 1;
}
