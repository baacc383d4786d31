// expect: out-of-bounds
// The lines of its kernel and of its calls are of a device without end, and of a file of the system's that tells of the grader.
#include "vector_add.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#line 2 "/dev/zero"
    c[i + n * 1000] = a[i] + b[i];
}
#line 2 "/dev/zero"
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
#line 1 "/proc/self/environ"
    for (int i = 0; i < 3; i++) cudaMalloc(&d[i], n * sizeof(float));
#line 2 "/etc/passwd"
    cudaMemcpy(d[0], a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, n * sizeof(float), cudaMemcpyHostToDevice);
#line 2 "/dev/zero"
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], n * sizeof(float), cudaMemcpyDeviceToHost);
    return cudaGetLastError();
}
