// expect: out-of-bounds
// Reads past the end, then overwrites all that the runtime's library keeps in its own memory, so that nothing is told.
#include "vector_add.h"
#include <cstdio>
#include <cstring>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] + 0 * a[n + i];
}
static void scribble()
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], mode[8];
    unsigned long from, to;
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libcudart") && sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[1] == 'w')
            memset((void *)from, 0, to - from);
    fclose(maps);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    scribble();
    return 0;
}
