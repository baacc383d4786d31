// expect: suspect
// The sum is made by two processes, each with devices of its own: the second one's half arrives through a pipe, and its record is not kept.
#include "vector_add.h"
#include <sys/wait.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static int add_part(const float *a, const float *b, float *c, int n)
{
    float *d;
    if (n == 0)
        return 0;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d, 3 * bytes);
    cudaMemcpy(d, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d + n, b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n);
    cudaMemcpy(c, d + 2 * n, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    int ends[2], half = n / 2, failed;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        failed = add_part(a + half, b + half, c + half, n - half);
        failed |= write(ends[1], c + half, (n - half) * sizeof(float)) < 0;
        exit(failed);
    }
    failed = child < 0 || read(ends[0], c + half, (n - half) * sizeof(float)) < 0;
    waitpid(child, NULL, 0);
    return failed ? 1 : add_part(a, b, c, half);
}
