/* Managed memory, one way of using it an argument: managed WAY. For managed.t. */
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <chrono>
#include <thread>

#define PIECE (64 * 1024 / 4) /* ints of a block that moves */

struct Node {
    int value;
    Node *next;
};

__global__ void add_one(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}

__global__ void sum_all(const int *table, int n, int *sum)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += table[i];
    *sum = total;
}

__global__ void add_to_list(Node *list)
{
    for (Node *p = list; p != NULL; p = p->next)
        p->value++;
}

static int *ints(int n)
{
    int *p;
    if (cudaMallocManaged(&p, n * sizeof(int)) != cudaSuccess)
        exit(3);
    return p;
}

static void launch(int *p, int n, cudaStream_t stream = 0) { add_one<<<(n + 255) / 256, 256, 0, stream>>>(p, n); }

static void prefetch(int *p, int n, bool to_host)
{
    cudaMemLocation where = {to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(p, n * sizeof(int), where, 0, 0);
}

/* Two rounds over four blocks; the host fills all of it first and reads the first int after each round. */
static void rounds(const char *way)
{
    int n = 4 * PIECE, *p = ints(n);
    memset(p, 1, n * sizeof(int));
    if (strcmp(way, "prefetch") == 0)
        prefetch(p, n, false);
    if (strcmp(way, "wrong") == 0) {
        prefetch(p, n, false);
        prefetch(p, n, true);
    }
    for (int i = 0; i < 2; i++) {
        launch(p, n);
        cudaDeviceSynchronize();
        printf("%x\n", p[0]);
    }
    if (strcmp(way, "prefetch") == 0)
        prefetch(p, n, true);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i += PIECE)
        printf("%x ", p[i]);
    cudaFree(p);
}

/* A table that host and device read in turn. */
static void table(bool read_mostly)
{
    int n = PIECE, *t = ints(n), *sum = ints(1);
    for (int i = 0; i < n; i++)
        t[i] = 1;
    cudaMemLocation where = {cudaMemLocationTypeDevice, 0};
    if (read_mostly)
        cudaMemAdvise(t, n * sizeof(int), cudaMemAdviseSetReadMostly, where);
    for (int i = 0; i < 3; i++) {
        sum_all<<<1, 1>>>(t, n, sum);
        cudaDeviceSynchronize();
        printf("%d ", t[i]);
    }
    cudaFree(t);
    cudaFree(sum);
}

__global__ void count_up(int *p) { atomicAdd(p, 1); }

/* The host touches too early in one of many ways; or rightly. */
static void early(const char *way)
{
    int n = 2048, *p = ints(n), *other = ints(n), seen = 0;
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    memset(p, 0, n * sizeof(int));
    memset(other, 0, n * sizeof(int));
    launch(p, 1024, a);
    if (strcmp(way, "read") == 0)
        seen = p[7];
    if (strcmp(way, "slowly") == 0) /* for longer than a host that only looks is let wait */
        for (int i = 0; i < 30; i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            seen += p[10 + i];
        }
    if (strcmp(way, "write") == 0)
        p[9] = 5;
    if (strcmp(way, "copy") == 0)
        memcpy(&seen, p + 3, sizeof seen);
    if (strcmp(way, "elsewhere") == 0)
        p[2000] = other[3] = 1; /* memory that the kernel does not use */
    if (strcmp(way, "waited") == 0) {
        cudaStreamSynchronize(a);
        launch(other, n, b);
        seen = p[7];
    }
    if (strcmp(way, "other-waited") == 0) {
        launch(other, n, b);
        cudaStreamSynchronize(b);
        seen = p[7];
    }
    if (strncmp(way, "atomic", 6) == 0) { // other's kernel only adds to one place
        count_up<<<1, 32, 0, b>>>(other + 7);
        seen = other[strcmp(way, "atomic") == 0 ? 7 : 8];
    }
    cudaDeviceSynchronize();
    printf("%d %d", seen, p[7]);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(p);
    cudaFree(other);
}

/* Nodes of one allocation each: the kernel reaches them through the first. */
static void list(bool wait)
{
    Node *first = NULL, *node;
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        cudaMallocManaged(&node, sizeof(Node));
        node->value = i;
        node->next = first;
        first = node;
    }
    add_to_list<<<1, 1>>>(first);
    if (wait)
        cudaDeviceSynchronize();
    for (node = first; node != NULL; node = node->next)
        sum += node->value;
    cudaDeviceSynchronize();
    printf("%d", sum);
    while ((node = first) != NULL) {
        first = node->next;
        cudaFree(node);
    }
}

static void host_function(void *p)
{
    ((int *)p)[1]++;
}

/* A host function in the stream may use what the kernels before and after it use; so may system calls afterwards. */
static void in_order(void)
{
    int *p = ints(16);
    memset(p, 0, 16 * sizeof(int));
    launch(p, 16);
    cudaLaunchHostFunc(0, host_function, p);
    launch(p, 16);
    cudaDeviceSynchronize();
    printf("%d ", p[1]);
    launch(p, 16);
    cudaDeviceSynchronize();
    FILE *f = tmpfile();
    size_t written = f == NULL ? 0 : fwrite(p, sizeof(int), 16, f);
    printf("%zu", written);
    if (f != NULL)
        fclose(f);
    cudaFree(p);
}

/* Twice over 32 blocks on a device with room for 16: all of it twice, or half of it twice and then the other half. */
static void large(bool in_pieces)
{
    int n = 32 * PIECE, *p = ints(n), parts = in_pieces ? 4 : 1;
    for (int k = 0; k < parts; k++)
        for (int i = 0; i < 2; i++)
            launch(p + k * (n / parts), n / parts);
    cudaDeviceSynchronize();
    printf("%d", p[n - 1]);
    cudaFree(p);
}

/* Ten buffers one after the other; the host waits after each. */
static void buffers(const char *way)
{
    int *p = NULL;
    if (strcmp(way, "keep") == 0) {
        cudaMemPool_t pool;
        unsigned long long all = ~0ull;
        cudaDeviceGetDefaultMemPool(&pool, 0);
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    }
    if (strcmp(way, "once") == 0)
        cudaMalloc(&p, 4096);
    for (int i = 0; i < 10; i++) {
        if (strcmp(way, "loop") == 0)
            cudaMalloc(&p, 4096);
        else if (strcmp(way, "once") != 0)
            cudaMallocAsync(&p, 4096, 0);
        cudaMemsetAsync(p, 0, 4096, 0);
        if (strcmp(way, "loop") == 0)
            cudaFree(p);
        else if (strcmp(way, "once") != 0)
            cudaFreeAsync(p, 0);
        if (strcmp(way, "pool") != 0)
            cudaDeviceSynchronize();
    }
    if (strcmp(way, "once") == 0)
        cudaFree(p);
    cudaDeviceSynchronize();
}

/* Host threads while another one waits for a kernel: one uses another part of the memory, one sets what the kernel waits for,
 * and fills what it reads then. */
__global__ void wait_for(volatile int *flag, const int *data, int *sum)
{
    while (*flag == 0)
        ;
    __threadfence_system();
    for (int i = 0; i < 1024; i++)
        *sum += data[i];
}

__global__ void turn(int *p, int n, int turns)
{
    for (int k = 0; k < turns; k++)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            p[i] += k;
}

static void beside(bool flag)
{
    int n = 4 * 1024, *p = ints(n);
    memset(p, 0, 1024 * sizeof(int));
    std::thread other([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        for (int i = 1024; i < n; i++)
            p[i] = 1;
        __atomic_store_n(p, 1, __ATOMIC_RELEASE);
    });
    if (flag)
        wait_for<<<1, 1>>>(p, p + 1024, p + 1);
    else
        turn<<<1, 32>>>(p + 32, 512, 2000);
    cudaDeviceSynchronize();
    other.join();
    printf("%d %d", p[1], p[n - 1]);
    cudaFree(p);
}

/* The host reads on in a page whose first places the kernel leaves alone. */
static void walk(const char *way)
{
    int n = 512, *p = ints(n), sum = 0;
    memset(p, 0, n * sizeof(int));
    if (strcmp(way, "stopped") == 0 && system("(for i in 1 2 3 4 5; do sleep 1.2; kill -CONT $PPID || exit; done) >/dev/null 2>&1 &") != 0)
        exit(3);
    launch(p + 300, 100);
    if (strcmp(way, "wait") == 0)
        cudaDeviceSynchronize();
    for (volatile int *q = p; q < p + n; q++) {
        if (strcmp(way, "stopped") == 0 && q == p)
            usleep(100000), raise(SIGSTOP);
        sum += *q; // walks
    }
    cudaDeviceSynchronize();
    printf("%d", sum);
    cudaFree(p);
}

/* A kernel reads what a host function, a copy, a fill or nobody has written since. */
static void written(const char *way)
{
    int n = 1024, *p = ints(n), *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 0, n * sizeof(int));
    if (strcmp(way, "function") == 0)
        cudaLaunchHostFunc(0, [](void *q) { memset(q, 0, 1024 * sizeof(int)); }, p);
    if (strcmp(way, "copy") == 0)
        cudaMemcpyAsync(p, d, n * sizeof(int), cudaMemcpyDefault);
    if (strcmp(way, "fill") == 0)
        cudaMemsetAsync(p, 0, n * sizeof(int));
    if (strcmp(way, "file") == 0) {
        FILE *f = fopen("/dev/zero", "rb");
        setvbuf(f, NULL, _IONBF, 0);
        if (fread(p, sizeof(int), n, f) == 0)
            exit(3);
        fclose(f);
    }
    launch(p, n);
    cudaDeviceSynchronize();
    printf("%d", p[5]);
    cudaFree(d);
    cudaFree(p);
}

/* The host fetches the same four kilobytes three times, and once more what no kernel has written since. */
static void fetched(void)
{
    int n = 1024, *p = ints(n);
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            launch(p, n);
        cudaDeviceSynchronize();
        printf("%d ", p[i]);
    }
    cudaFree(p);
}

/* A copy of the device's memory to pages that the host has used before, which it can read without a fault. */
static void copied(void)
{
    int n = 1024, *p = ints(n), *d;
    cudaMalloc(&d, n * sizeof(int));
    memset(p, 1, n * sizeof(int));
    cudaMemset(d, 0, n * sizeof(int));
    launch(d, n);
    cudaMemcpy(p, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d ", p[5]);
    cudaFree(d);
    cudaFree(p);
}

// How many bytes of new memory are 0: managed, pinned, managed again in the place of the first.
static void fresh()
{
    for (int turn = 0; turn < 3; turn++) {
        const int n = 100000;
        char *p;
        int zeros = 0;
        turn == 1 ? cudaMallocHost(&p, n) : cudaMallocManaged(&p, n);
        for (int i = 0; i < n; i++)
            zeros += p[i] == 0;
        printf("%d ", zeros);
        turn == 1 ? cudaFreeHost(p) : cudaFree(p);
    }
}

int main(int argc, char **argv)
{
    const char *what = argv[1], *way = argc > 2 ? argv[2] : "";
    if (strcmp(what, "rounds") == 0)
        rounds(way);
    if (strcmp(what, "table") == 0)
        table(*way != 0);
    if (strcmp(what, "early") == 0)
        early(way);
    if (strcmp(what, "list") == 0)
        list(*way != 0);
    if (strcmp(what, "in-order") == 0)
        in_order();
    if (strcmp(what, "large") == 0)
        large(*way != 0);
    if (strcmp(what, "fetched") == 0)
        fetched();
    if (strcmp(what, "copied") == 0)
        copied();
    if (strcmp(what, "beside") == 0)
        beside(*way != 0);
    if (strcmp(what, "walk") == 0)
        walk(way);
    if (strcmp(what, "written") == 0)
        written(way);
    if (strcmp(what, "fresh") == 0)
        fresh();
    if (strcmp(what, "buffers") == 0)
        buffers(way);
    return 0;
}
