// Threads of the host, each with a device of its own, or with a stream of its own on one device: a wait moves the modelled clock of
// the thread that waits, and of no other. (What both ask of one engine takes turns: so neither kernel fills the card.) Each thread sleeps for a while that differs from run to run.
//
//      clocks devices|streams [waits]      prints the time between two events of each thread, in microseconds
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void work(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[threadIdx.x] = x[threadIdx.x] * 2 + 1;
}

__global__ void clear(float *x) { x[threadIdx.x] = 0; }

static float times[2];

static void run(int t, bool devices, unsigned jitter)
{
    float *x;
    cudaStream_t s;
    cudaEvent_t begin, end;
    cudaSetDevice(devices ? t : 0);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&x, 256);
    clear<<<1, 64, 0, s>>>(x);
    cudaEventRecord(begin, s);
    for (int i = 0; i < 4; i++) {
        work<<<1, 64, 0, s>>>(x, t == 0 ? 40 : 4000);
        usleep(jitter >> (8 * t) & 0xFFF);
        cudaStreamSynchronize(s);
    }
    cudaEventRecord(end, s);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&times[t], begin, end);
    cudaFree(x);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(s);
}

int main(int, char **argv)
{
    bool devices = strcmp(argv[1], "devices") == 0;
    unsigned jitter = argv[2] ? (unsigned)atoi(argv[2]) * 2654435761u : 0;
    cudaFree(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; t++)
        threads.emplace_back(run, t, devices, jitter);
    for (auto &t : threads)
        t.join();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaError_t error = cudaGetLastError();
    printf("%g %g %s\n", times[0] * 1000, times[1] * 1000, cudaGetErrorName(error));
}
