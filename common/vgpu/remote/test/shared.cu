// What passes between a program and its devices, one row each: `shared NAME` runs it and exits 0 when it is right.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

enum { N = 1000 };

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}
static void add_on(int *x, int n, int by)
{
    add<<<(n + 255) / 256, 256>>>(x, n, by);
}

static bool pinned()
{
    int *x;
    cudaMallocHost(&x, N * sizeof(int));
    for (int i = 0; i < N; i++)
        x[i] = i;
    add_on(x, N, 5);
    cudaDeviceSynchronize();
    bool right = x[0] == 5 && x[N - 1] == N + 4;
    return cudaFreeHost(x) == cudaSuccess && right;
}

static bool managed()
{
    int *x;
    cudaMallocManaged(&x, N * sizeof(int));
    int first = x[8]; // what new memory holds, the device sees, too
    x[7] = 1;
    add_on(x, N, 5);
    cudaDeviceSynchronize();
    bool right = x[7] == 6 && x[8] == first + 5;
    return cudaFree(x) == cudaSuccess && right;
}

__managed__ int counter = 3;
__global__ void count()
{
    counter += 1;
}
static bool managed_variable()
{
    counter += 10;
    count<<<1, 1>>>();
    cudaDeviceSynchronize();
    return counter == 14;
}

// Memory in the middle of pages: what lies beside it stays.
static bool registered()
{
    static int x[3 * N];
    for (int i = 0; i < 3 * N; i++)
        x[i] = i;
    if (cudaHostRegister(x + N, N * sizeof(int), 0) != cudaSuccess)
        return false;
    add_on(x + N, N, 1);
    add_on(x + N, N / 2, 1);
    x[2 * N] = -1;
    cudaDeviceSynchronize();
    int y[2] = {0, 0}, *d;
    cudaMalloc(&d, sizeof y);
    cudaMemcpy(d, x + N, sizeof y, cudaMemcpyDefault);
    cudaMemcpy(x + 2 * N - 2, d, sizeof y, cudaMemcpyDefault);
    cudaMemcpy(y, d, sizeof y, cudaMemcpyDefault);
    cudaFree(d);
    bool right = x[N - 1] == N - 1 && x[N] == N + 2 && x[2 * N - 3] == 2 * N - 2 && x[2 * N] == -1 && y[1] == N + 3;
    return cudaHostUnregister(x + N) == cudaSuccess && right && x[2 * N - 1] == N + 3;
}

// More than a packet holds, rows with gaps.
static bool large_copies()
{
    const size_t n = 3 << 20, width = 1000, rows = 300, pitch = 1100;
    std::vector<char> from(n), to(n, 0);
    for (size_t i = 0; i < n; i++)
        from[i] = (char)(i * 7 + i / 1000);
    char *d;
    size_t device_pitch;
    cudaMalloc(&d, n);
    cudaMemcpy(d, from.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(to.data(), d, n, cudaMemcpyDeviceToHost);
    bool right = from == to;
    cudaFree(d);
    cudaMallocPitch((void **)&d, &device_pitch, width, rows);
    cudaMemcpy2D(d, device_pitch, from.data(), pitch, width, rows, cudaMemcpyHostToDevice);
    memset(to.data(), 1, n);
    cudaMemcpy2D(to.data(), pitch, d, device_pitch, width, rows, cudaMemcpyDeviceToHost);
    for (size_t y = 0; y < rows; y++)
        right = right && memcmp(&from[y * pitch], &to[y * pitch], width) == 0 && to[y * pitch + width] == 1;
    return cudaFree(d) == cudaSuccess && right;
}

static void CUDART_CB note(void *data)
{
    *(int *)data += 1;
}
static bool host_function()
{
    int calls = 0;
    cudaLaunchHostFunc(0, note, &calls);
    cudaLaunchHostFunc(0, note, &calls);
    bool early = calls != 0;
    cudaDeviceSynchronize();
    return calls == 2 && !early;
}

// A graph reads and writes pageable memory when it runs.
static bool graph()
{
    int from = 1, to = 0, *d;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaMalloc(&d, sizeof *d);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(d, &from, sizeof from, cudaMemcpyHostToDevice, s);
    add<<<1, 1, 0, s>>>(d, 1, 10);
    cudaMemcpyAsync(&to, d, sizeof to, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    from = 2;
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
    cudaFree(d);
    return to == 12;
}

__global__ void say()
{
    for (int i = 0; i < 100; i++)
        printf("line %d of a thread that has %d of them to print\n", (int)threadIdx.x * 100 + i, 100);
}
// More text than a packet holds; the test compares it.
static bool print()
{
    say<<<1, 32>>>();
    return cudaDeviceSynchronize() == cudaSuccess;
}

static void *work(void *result)
{
    bool right = true;
    for (int round = 0; round < 20; round++) {
        int x[64], *d;
        for (int i = 0; i < 64; i++)
            x[i] = round;
        cudaMalloc(&d, sizeof x);
        cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
        add_on(d, 64, 1);
        cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
        right = right && x[63] == round + 1 && cudaFree(d) == cudaSuccess;
    }
    *(bool *)result = right;
    return nullptr;
}
static bool threads()
{
    pthread_t ids[4];
    bool right[4] = {};
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], nullptr, work, &right[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], nullptr);
    return right[0] && right[1] && right[2] && right[3];
}

static int ended(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}
// A child of a process that uses devices has none, and its parent's go on.
static bool fork_after()
{
    int *d;
    cudaMalloc(&d, 4);
    pid_t child = fork();
    if (child == 0)
        _exit(cudaMalloc(&d, 4) == cudaErrorInitializationError ? 7 : 1);
    return WEXITSTATUS(ended(child)) == 7 && cudaFree(d) == cudaSuccess;
}
// Processes that fork first have devices each.
static bool fork_before()
{
    pid_t child = fork();
    bool right = false;
    work(&right);
    if (child == 0)
        exit(right ? 7 : 1);
    return WEXITSTATUS(ended(child)) == 7 && right;
}

static bool no_end()
{
    int *d;
    cudaMalloc(&d, 4);
    _exit(0);
}
static bool follow()
{
    int *d;
    cudaMalloc(&d, 4);
    return *d == 0;
}
static bool bad_copy()
{
    int *d;
    cudaMalloc(&d, 4);
    return cudaMemcpy(d, (void *)16, 4, cudaMemcpyHostToDevice) == cudaSuccess;
}
static bool killed()
{
    int *d;
    cudaMalloc(&d, 4);
    return raise(SIGKILL) == 0;
}

static const struct {
    const char *name;
    bool (*run)();
} rows[] = {
    {"pinned", pinned},     {"managed", managed},           {"managed_variable", managed_variable}, {"registered", registered},
    {"graph", graph},       {"large_copies", large_copies}, {"host_function", host_function},       {"print", print},
    {"threads", threads},   {"fork_after", fork_after},     {"fork_before", fork_before},           {"no_end", no_end},
    {"follow", follow},     {"bad_copy", bad_copy},         {"killed", killed},
};

int main(int argc, char **argv)
{
    for (const auto &row : rows) {
        if (argc < 2)
            puts(row.name);
        else if (strcmp(row.name, argv[1]) == 0)
            return row.run() ? 0 : 3;
    }
    return argc < 2 ? 0 : 2;
}
