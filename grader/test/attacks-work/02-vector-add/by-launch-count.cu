// expect: no-gpu-work
// How often a kernel is launched says each digit of the sum, and nothing else goes to the device: one kernel counts, another shifts.
#include "vector_add.h"
__global__ void count(unsigned *c, const float *a)
{
    *c += 1 + (unsigned)(a[0] - a[0]);
}
__global__ void shift(unsigned *c, const float *a)
{
    *c = *c * 4 + (unsigned)(a[0] - a[0]);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    cudaMalloc(&d, 2 * n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d + n, 0, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        float sum = a[i] + b[i];
        for (int digit = 15; digit >= 0; digit--) {
            for (unsigned k = *(unsigned *)&sum >> 2 * digit & 3; k > 0; k--)
                count<<<1, 1>>>((unsigned *)(d + n + i), d + i);
            if (digit > 0)
                shift<<<1, 1>>>((unsigned *)(d + n + i), d + i);
        }
    }
    cudaMemcpy(c, d + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
