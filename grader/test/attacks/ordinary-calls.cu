// expect: pass
// What an honest program may ask of the system works beside all that is refused: files, threads, children, pipes, mappings of its own files.
#include "vector_add.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static bool files_work()
{
    char path[] = "/tmp/ordinary-XXXXXX", back[6] = "";
    int fd = mkstemp(path), status = 1;
    int pipes[2];
    if (fd < 0 || write(fd, "hello", 5) != 5 || fsync(fd) != 0 || fcntl(fd, F_GETFL) < 0 || fcntl(fd, F_DUPFD_CLOEXEC, 10) < 0)
        return false;
    char *p = (char *)mmap(nullptr, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED || memcmp(p, "hello", 5) != 0 || pipe(pipes) != 0)
        return false;
    std::filesystem::copy_file(path, std::string(path) + "-copy");
    if (fork() == 0)
        _exit(write(pipes[1], p, 5) == 5 ? 0 : 1);
    wait(&status);
    return status == 0 && read(pipes[0], back, 5) == 5 && strcmp(back, "hello") == 0;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    std::vector<std::thread> threads;
    long sum = 0;
    float *d;
    size_t bytes = n * sizeof(float);
    if (!files_work())
        return 1;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([&sum, i] { __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED); });
    for (std::thread &t : threads)
        t.join();
    if (cudaMallocHost(&d, 3 * bytes + 64) != cudaSuccess)
        return 1;
    memcpy(d, a, bytes);
    memcpy(d + n, b, bytes);
    add<<<(n + 255) / 256, 256>>>(d, d + n, d + 2 * n, n);
    cudaDeviceSynchronize();
    memcpy(c, d + 2 * n, bytes);
    cudaFreeHost(d);
    return sum == 28 ? 0 : 1;
}
