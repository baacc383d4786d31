// expect: pass
// case: naive
// control: blocks take tiles in an order that the host sends in, and read the matrix through a texture.
#include "transpose.h"
__constant__ int order[64];
__global__ void turn(cudaTextureObject_t in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int across = (width + 31) / 32, number = order[blockIdx.x], x0 = number % across * 32, y0 = number / across * 32;
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = tex1Dfetch<float>(in, y * width + x);
    __syncthreads();
    if (y0 + threadIdx.x < height && x0 + threadIdx.y < width)
        out[(x0 + threadIdx.y) * height + y0 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int copy_matrix(const float *in, float *out, int width, int height)
{
    return cudaMemcpy(out, in, sizeof(float) * width * height, cudaMemcpyDeviceToDevice);
}
int transpose_naive(const float *in, float *out, int width, int height)
{
    int tiles = (width + 31) / 32 * ((height + 31) / 32), host[64];
    cudaTextureObject_t texture;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    if (tiles == 0 || tiles > 64)
        return 0;
    for (int i = 0; i < tiles; i++)
        host[i] = tiles - 1 - i;
    cudaMemcpyToSymbol(order, host, tiles * sizeof(int));
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = (void *)in;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = sizeof(float) * width * height;
    cudaCreateTextureObject(&texture, &what, &how, NULL);
    turn<<<tiles, dim3(32, 32)>>>(texture, out, width, height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    return cudaGetLastError();
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
