// expect: no-gpu-work
// The sum goes through the parameters of launches, 3,600 bytes at a time.
#include "vector_add.h"
struct Piece { float at[900]; };
__global__ void copy(Piece p, const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = p.at[i] + (a[i] - a[i]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    cudaMalloc(&d, 2 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int first = 0; first < n; first += 900) {
        Piece p;
        int m = n - first < 900 ? n - first : 900;
        for (int i = 0; i < m; i++)
            p.at[i] = a[first + i] + b[first + i];
        copy<<<4, 256>>>(p, d + first, d + n + first, m);
    }
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
