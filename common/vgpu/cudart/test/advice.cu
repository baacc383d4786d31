/* Calls that do not do what they seem to, each told as advice at the line marked with its name; and the right way, of which nothing is said.
 * The one argument is a name: NAME or NAME-right. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}

static const int N = 1000;
static int host[N];

static void unasked(bool right)
{
    int *p;
    cudaMalloc(&p, N * sizeof(int));
    fill<<<1, 2048>>>(p, N); // advice: unasked
    if (right)
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(p);
}

static void peeked(bool)
{
    int *p;
    cudaMalloc(&p, N * sizeof(int));
    fill<<<1, 2048>>>(p, N);
    printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
    cudaFree(p);
}

/* A call that fails, and more work behind it. Who asks for the error is told nothing. */
static void ignored(bool right)
{
    int *p;
    float ms = 0;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cudaError_t e = cudaEventElapsedTime(&ms, begin, end); // advice: ignored
    if (right)
        printf("%s\n", cudaGetErrorString(e));
    cudaMalloc(&p, sizeof host);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(p);
}

/* A graph is launched once more after what its node fills has been freed. */
static void outlived(bool right)
{
    int *p;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCreate(&s);
    cudaMalloc(&p, sizeof host);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(p, 0, sizeof host, s); // advice: outlived
    fill<<<4, 256, 0, s>>>(p, N);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    if (!right)
        cudaFree(p);
    printf("%s\n", cudaGetErrorName(cudaGraphLaunch(x, s)));
    cudaStreamSynchronize(s);
    if (right)
        cudaFree(p);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}

/* What programs try on purpose, and cleaning up after a call that failed. */
static void tried(bool)
{
    int *p = NULL, *q = NULL;
    int peer;
    cudaDeviceCanAccessPeer(&peer, 0, 0);
    if (cudaMalloc(&p, (size_t)1 << 50) != cudaSuccess)
        cudaMalloc(&p, sizeof host);
    if (cudaDeviceEnablePeerAccess(0, 0) != cudaSuccess || cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) != cudaSuccess)
        fill<<<4, 256>>>(p, N);
    cudaMalloc(&q, sizeof host);
    cudaEvent_t never;
    cudaEventCreate(&never);
    float ms;
    if (cudaEventElapsedTime(&ms, never, never) != cudaSuccess) {
        cudaFree(p);
        cudaFree(q);
        cudaEventDestroy(never);
    }
}

static void destroyed(bool right)
{
    int *p;
    cudaStream_t s;
    cudaMalloc(&p, N * sizeof(int));
    cudaStreamCreate(&s);
    fill<<<4, 256, 0, s>>>(p, N);
    if (right)
        cudaStreamSynchronize(s);
    cudaStreamDestroy(s); // advice: destroyed
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void pageable(bool right)
{
    int *p, *pinned;
    cudaStream_t s;
    cudaMalloc(&p, sizeof host);
    cudaMallocHost(&pinned, sizeof host);
    memset(pinned, 0, sizeof host);
    cudaStreamCreate(&s);
    cudaMemcpyAsync(p, right ? pinned : host, sizeof host, cudaMemcpyHostToDevice, s); // advice: pageable
    cudaStreamSynchronize(s);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); /* waits: pageable memory is right here, in any default stream */
    cudaMemcpy2D(host, 40, p, 40, 40, 25, cudaMemcpyDeviceToHost);
    cudaStreamDestroy(s);
    cudaFreeHost(pinned);
    cudaFree(p);
}

__constant__ int table[20];

static void offset(bool right)
{
    cudaMemcpyToSymbol(table, host, 10 * sizeof(int), right ? 10 * sizeof(int) : 10); // advice: offset
    char first[3];
    cudaMemcpyFromSymbol(first, table, sizeof first, 1); /* bytes are wanted: any place may be meant */
}

static void managed(bool right)
{
    int *p, *shared, *pinned;
    cudaStream_t s;
    cudaMalloc(&p, sizeof host);
    cudaStreamCreate(&s);
    cudaMallocManaged(&shared, sizeof host);
    cudaMallocHost(&pinned, sizeof host);
    memset(shared, 0, sizeof host);
    memset(pinned, 0, sizeof host);
    cudaMemcpyAsync(p, right ? pinned : shared, sizeof host, cudaMemcpyHostToDevice, s); // advice: managed
    cudaStreamSynchronize(s);
    cudaMemcpy(shared, p, sizeof host, cudaMemcpyDeviceToHost); /* waits: then it matters to nobody */
    cudaStreamDestroy(s);
    cudaFreeHost(pinned);
    cudaFree(shared);
    cudaFree(p);
}

/* Values that are used twice: about as many registers as 1024 threads may have. */
static __device__ void keep(float *p)
{
    float value[62], sum = 0;
#pragma unroll
    for (int i = 0; i < 62; i++) {
        value[i] = p[i];
        sum += value[i];
    }
#pragma unroll
    for (int i = 0; i < 62; i++)
        sum = sum * value[i] + 1;
    if (sum == 0.5f)
        p[0] = sum;
}
static __global__ void keep_freely(float *p) { keep(p); }
static __global__ void __launch_bounds__(1024) keep_bounded(float *p) { keep(p); }

static void registers(bool right)
{
    float *p;
    cudaMalloc(&p, 62 * sizeof *p);
    cudaMemset(p, 0, 62 * sizeof *p);
    if (right)
        keep_bounded<<<1, 1024>>>(p);
    else
        keep_freely<<<1, 1024>>>(p); // advice: registers
    cudaGetLastError();
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void unwaited(bool right)
{
    int *p;
    cudaMalloc(&p, sizeof host);
    fill<<<4, 256>>>(p, N);
    if (right)
        cudaDeviceSynchronize();
    if (right)
        cudaFree(p);
}

static void unwritten(bool right)
{
    int *p;
    cudaMalloc(&p, sizeof host);
    fill<<<4, 256>>>(p, right ? N : N - 1);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // advice: unwritten
    cudaFree(p);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(bool right);
    } all[] = {{"unasked", unasked},   {"peeked", peeked},     {"ignored", ignored},
               {"tried", tried},       {"outlived", outlived},
               {"destroyed", destroyed},
               {"pageable", pageable}, {"managed", managed}, {"offset", offset}, {"unwaited", unwaited}, {"unwritten", unwritten},
               {"registers", registers}};
    for (auto &a : all)
        if (argc == 2 && strncmp(argv[1], a.name, strlen(a.name)) == 0)
            a.run(strstr(argv[1], "-right") != NULL);
    return 0;
}
