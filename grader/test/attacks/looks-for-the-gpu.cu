// expect: pass
// A right answer; it ends as a crash if it sees, signals or traces any process but itself and the first one.
#include "vector_add.h"
#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void look()
{
    char bytes[8];
    struct iovec here = {bytes, sizeof bytes}, there = {(void *)0x400000, sizeof bytes};
    for (int pid = 1; pid < 2000; pid++) {
        if (pid == getpid())
            continue;
        bool reached = ptrace(PTRACE_ATTACH, pid, 0, 0) == 0 || process_vm_writev(pid, &here, 1, &there, 1, 0) > 0 ||
                       (pid > 1 && kill(pid, 0) == 0);
        if (reached)
            abort();
    }
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    look();
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
    return cudaGetLastError();
}
