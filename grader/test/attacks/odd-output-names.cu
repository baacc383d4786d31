// expect: pass
// A right answer, and beside it files whose names are options, lines, commands, and bytes that are no text.
#include "vector_add.h"
#include <fcntl.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    static const char *const names[] = {"/case/out/-rf", "/case/out/$(id)", "/case/out/a\nfile /case/out/c.npy 4\n", "/case/out/\xff\xfe.npy",
                                        "/case/out/\033[2J.npy", "/case/out/c.npy ", "/case/out/..npy", "/case/out/'; DROP TABLE results; --"};
    for (const char *name : names)
        close(open(name, O_WRONLY | O_CREAT, 0600));
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
    return cudaGetLastError();
}
