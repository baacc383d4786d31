// expect: pass
// Takes the file of pinned memory as it arrives, and would make it shorter under the virtual GPU's hands; the answer is right.
#include "vector_add.h"
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static int n_files, n_shrunk;
extern "C" ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    ssize_t n = syscall(SYS_recvmsg, fd, m, flags);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(m) : nullptr;
    if (c && c->cmsg_type == SCM_RIGHTS) {
        int file;
        memcpy(&file, CMSG_DATA(c), sizeof file);
        n_files++;
        n_shrunk += ftruncate(file, 0) == 0;
    }
    return n;
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *h, *d;
    size_t bytes = n * sizeof(float);
    cudaMallocHost(&h, 2 * bytes);
    cudaMalloc(&d, bytes);
    memcpy(h, a, bytes);
    memcpy(h + n, b, bytes);
    if (n_files != 1 || n_shrunk != 0)
        abort();
    add<<<(n + 255) / 256, 256>>>(h, h + n, d, n);
    cudaMemcpy(c, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFreeHost(h);
    return cudaGetLastError();
}
