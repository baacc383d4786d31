// Memory and events between processes of one run: ipc CASE. Children are forked before the first call, or executed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, ROUNDS = 5 };

struct Handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

__global__ void add(int *x, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 3 + what;
}

__global__ void store(int *x, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = what;
}

__global__ void count(int *x) { atomicAdd(x, 1); }

__global__ void count_by_cas(int *x)
{
    int old = *(volatile int *)x, assumed;
    do
        assumed = old;
    while ((old = atomicCAS(x, assumed, assumed + 1)) != assumed);
}

__global__ void signal_flag(int *x)
{
    x[1] = 42;
    __threadfence_system();
    atomicExch_system(&x[0], 1);
}

__global__ void wait_flag(int *x, int *out)
{
    while (atomicAdd_system(&x[0], 0) == 0) {
    }
    __threadfence_system();
    *out = x[1];
}

#define GOOD(call) good(call, #call)
static void good(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorName(error));
    fflush(stdout);
    _exit(3);
}

static void say(const char *what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorName(error)); }

// A channel both ways between a process and its child.
struct Channel {
    int in, out;
    void put(const void *p, size_t n) { if (write(out, p, n) != (ssize_t)n) _exit(4); }
    bool get(void *p, size_t n) { return read(in, p, n) == (ssize_t)n; }
    void tell() { put("x", 1); }
    bool hear() { char c; return get(&c, 1); }
};

static Channel start(int *pid)
{
    int down[2], up[2];
    if (pipe(down) || pipe(up))
        _exit(4);
    fflush(stdout);
    *pid = fork();
    Channel c = *pid ? Channel{up[0], down[1]} : Channel{down[0], up[1]};
    close(*pid ? up[1] : down[1]);
    close(*pid ? down[0] : up[0]);
    return c;
}

static void wait_for(int pid)
{
    int status;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        printf("the child ended by signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        printf("the child ended with %d\n", WEXITSTATUS(status));
}

static int *make(Handles *h, cudaEvent_t *event, int n)
{
    int *x;
    GOOD(cudaMalloc(&x, n * sizeof *x));
    GOOD(cudaIpcGetMemHandle(&h->memory, x));
    GOOD(cudaEventCreateWithFlags(event, cudaEventInterprocess | cudaEventDisableTiming));
    GOOD(cudaIpcGetEventHandle(&h->event, *event));
    return x;
}

static int *open(const Handles *h, cudaEvent_t *event)
{
    int *x;
    GOOD(cudaIpcOpenMemHandle((void **)&x, h->memory, cudaIpcMemLazyEnablePeerAccess));
    GOOD(cudaIpcOpenEventHandle(event, h->event));
    return x;
}

// ---- ping-pong: kernels of two processes in turn, ordered by events

static void pong(Channel c, const Handles *theirs)
{
    Handles mine;
    cudaEvent_t done, ready;
    cudaStream_t s;
    GOOD(cudaStreamCreate(&s));
    int *own = make(&mine, &done, N), *x = open(theirs, &ready);
    c.put(&mine, sizeof mine);
    for (int i = 0; i < ROUNDS; i++) {
        c.hear();
        GOOD(cudaStreamWaitEvent(s, ready, 0));
        add<<<4, 256, 0, s>>>(x, N, 2);
        GOOD(cudaMemcpyAsync(own, x, N * sizeof *x, cudaMemcpyDeviceToDevice, s));
        GOOD(cudaEventRecord(done, s));
        c.tell();
    }
    c.hear();
    GOOD(cudaIpcCloseMemHandle(x));
    GOOD(cudaEventDestroy(ready));
    GOOD(cudaEventDestroy(done));
    GOOD(cudaFree(own));
    GOOD(cudaStreamDestroy(s));
}

static void ping(Channel c, int pid, int *x, cudaEvent_t ready)
{
    Handles theirs;
    cudaEvent_t done;
    cudaStream_t s;
    int got[N], copy[N], want = 1, wrong = 0;
    GOOD(cudaStreamCreate(&s));
    c.get(&theirs, sizeof theirs);
    int *other = open(&theirs, &done);
    store<<<4, 256, 0, s>>>(x, N, 1);
    for (int i = 0; i < ROUNDS; i++) {
        add<<<4, 256, 0, s>>>(x, N, 1);
        GOOD(cudaEventRecord(ready, s));
        c.tell();
        c.hear();
        GOOD(cudaStreamWaitEvent(s, done, 0));
        want = (want * 3 + 1) * 3 + 2;
    }
    GOOD(cudaMemcpyAsync(got, x, sizeof got, cudaMemcpyDeviceToHost, s));
    GOOD(cudaMemcpyAsync(copy, other, sizeof copy, cudaMemcpyDeviceToHost, s));
    GOOD(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++)
        wrong += got[i] != want || copy[i] != want;
    GOOD(cudaIpcCloseMemHandle(other));
    c.tell();
    wait_for(pid);
    GOOD(cudaEventDestroy(done));
    GOOD(cudaEventDestroy(ready));
    GOOD(cudaFree(x));
    GOOD(cudaStreamDestroy(s));
    printf("%d wrong of %d, value %d\n", wrong, N, want);
}

static void by_fork()
{
    int pid;
    Handles h;
    cudaEvent_t ready;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&h, sizeof h);
        pong(c, &h);
        exit(0);
    }
    int *x = make(&h, &ready, N);
    c.put(&h, sizeof h);
    ping(c, pid, x, ready);
}

static void by_exec()
{
    int pid;
    Handles h;
    cudaEvent_t ready;
    char text[2 * sizeof h + 1], in[8], out[8];
    int *x = make(&h, &ready, N);
    for (size_t i = 0; i < sizeof h; i++)
        snprintf(text + 2 * i, 3, "%02x", ((unsigned char *)&h)[i]);
    Channel c = start(&pid);
    if (pid == 0) {
        snprintf(in, sizeof in, "%d", c.in);
        snprintf(out, sizeof out, "%d", c.out);
        execl("/proc/self/exe", "ipc", "executed", text, in, out, (char *)NULL);
        _exit(5);
    }
    ping(c, pid, x, ready);
}

static void executed(char **argv)
{
    Handles h;
    for (size_t i = 0; i < sizeof h; i++) {
        unsigned byte;
        sscanf(argv[2] + 2 * i, "%2x", &byte);
        ((unsigned char *)&h)[i] = (unsigned char)byte;
    }
    pong(Channel{atoi(argv[3]), atoi(argv[4])}, &h);
}

// ---- three processes count in one place at the same time

static void three()
{
    int pids[2], sums[2] = {0, 0};
    Channel c[2];
    Handles h;
    cudaEvent_t e;
    for (int i = 0; i < 2; i++) {
        c[i] = start(&pids[i]);
        if (pids[i])
            continue;
        c[i].get(&h, sizeof h);
        int *x = open(&h, &e);
        count<<<40, 256>>>(x);
        count_by_cas<<<40, 256>>>(x + 1);
        GOOD(cudaDeviceSynchronize());
        GOOD(cudaIpcCloseMemHandle(x));
        GOOD(cudaEventDestroy(e));
        exit(0);
    }
    int *x = make(&h, &e, 2);
    GOOD(cudaMemset(x, 0, 8));
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++)
        c[i].put(&h, sizeof h);
    count<<<40, 256>>>(x);
    count_by_cas<<<40, 256>>>(x + 1);
    GOOD(cudaDeviceSynchronize());
    wait_for(pids[0]);
    wait_for(pids[1]);
    GOOD(cudaMemcpy(sums, x, 8, cudaMemcpyDeviceToHost));
    GOOD(cudaFree(x));
    GOOD(cudaEventDestroy(e));
    printf("%d %d\n", sums[0], sums[1]);
}

// ---- a kernel waits for a kernel of another process

static void spin()
{
    int pid, got = 0, *out;
    Handles h;
    cudaEvent_t e;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&h, sizeof h);
        int *x = open(&h, &e);
        usleep(50000);
        signal_flag<<<1, 1>>>(x);
        GOOD(cudaDeviceSynchronize());
        GOOD(cudaIpcCloseMemHandle(x));
        GOOD(cudaEventDestroy(e));
        exit(0);
    }
    int *x = make(&h, &e, 2);
    GOOD(cudaMalloc(&out, sizeof *out));
    GOOD(cudaMemset(x, 0, 8));
    GOOD(cudaDeviceSynchronize());
    c.put(&h, sizeof h);
    wait_flag<<<1, 1>>>(x, out);
    GOOD(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    wait_for(pid);
    GOOD(cudaFree(x));
    GOOD(cudaFree(out));
    GOOD(cudaEventDestroy(e));
    printf("%d\n", got);
}

// ---- the record of an event runs what stands before it, also a function of the host

static void say_it(void *) { printf("host function\n"); fflush(stdout); }

static void at_once()
{
    int pid, got = 0;
    Handles h;
    cudaEvent_t e;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&h, sizeof h);
        int *x = open(&h, &e);
        GOOD(cudaEventSynchronize(e));
        say("query", cudaEventQuery(e));
        GOOD(cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost));
        printf("%d\n", got);
        GOOD(cudaIpcCloseMemHandle(x));
        GOOD(cudaEventDestroy(e));
        exit(0);
    }
    int *x = make(&h, &e, N);
    store<<<4, 256>>>(x, N, 17);
    GOOD(cudaLaunchHostFunc(0, say_it, NULL));
    GOOD(cudaEventRecord(e));
    c.put(&h, sizeof h);
    wait_for(pid);
    GOOD(cudaFree(x));
    GOOD(cudaEventDestroy(e));
}

// ---- processes that end

static void crash_child()
{
    int pid, got = 0;
    Handles h;
    cudaEvent_t e;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&h, sizeof h);
        int *x = open(&h, &e);
        store<<<4, 256>>>(x, N, 5);
        GOOD(cudaEventRecord(e));
        raise(SIGKILL);
    }
    int *x = make(&h, &e, N);
    c.put(&h, sizeof h);
    wait_for(pid);
    GOOD(cudaEventSynchronize(e));
    GOOD(cudaMemcpy(&got, x + N - 1, sizeof got, cudaMemcpyDeviceToHost));
    GOOD(cudaFree(x));
    GOOD(cudaEventDestroy(e));
    printf("%d\n", got);
}

// The owner is killed, ends, or frees: afterwards there is no memory.
static void owner(const char *how)
{
    int pid;
    Handles h;
    cudaEvent_t e;
    Channel c = start(&pid);
    if (pid == 0) {
        int *x = make(&h, &e, N);
        store<<<4, 256>>>(x, N, 5);
        GOOD(cudaEventRecord(e));
        c.put(&h, sizeof h);
        c.hear();
        if (strcmp(how, "killed") == 0)
            raise(SIGKILL);
        if (strcmp(how, "frees") == 0)
            GOOD(cudaFree(x)); // line of the owner's free
        GOOD(cudaEventDestroy(e));
        c.tell();
        exit(0);
    }
    c.get(&h, sizeof h);
    int *x = open(&h, &e);
    add<<<4, 256>>>(x, N, 1);
    GOOD(cudaDeviceSynchronize());
    c.tell();
    wait_for(pid);
    add<<<4, 256>>>(x, N, 1);
    say("kernel", cudaDeviceSynchronize());
}

// ---- findings

static void found(const char *what)
{
    int pid, got[2];
    Handles h;
    cudaEvent_t e;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&h, sizeof h);
        int *x = open(&h, &e);
        if (strcmp(what, "beyond") == 0)
            store<<<1, N + 1 - 976>>>(x + 976, N, 1);
        else if (strcmp(what, "unwritten") == 0)
            add<<<1, 64>>>(x, 64, 1);
        else
            store<<<1, 64>>>(x, 64, 1);
        cudaDeviceSynchronize();
        if (strcmp(what, "unclosed") != 0)
            cudaIpcCloseMemHandle(x);
        cudaEventDestroy(e);
        exit(0);
    }
    int *x = make(&h, &e, N);
    if (strcmp(what, "unwritten") == 0)
        store<<<1, 32>>>(x, 32, 1);
    GOOD(cudaDeviceSynchronize());
    c.put(&h, sizeof h);
    wait_for(pid);
    GOOD(cudaEventDestroy(e));
    if (strcmp(what, "written") == 0) {
        GOOD(cudaMemcpy(got, x + 62, 8, cudaMemcpyDeviceToHost));
        add<<<1, 64>>>(x, 64, 1);
        GOOD(cudaDeviceSynchronize());
    }
    if (strcmp(what, "leaked") != 0)
        GOOD(cudaFree(x));
}

// ---- what calls answer

static void errors()
{
    int pid, number;
    Handles h, old;
    struct { Handles h, old; cudaIpcMemHandle_t inside; } all;
    cudaEvent_t e, plain;
    void *p, *q, *pooled, *managed, *pinned;
    Channel c = start(&pid);
    if (pid == 0) {
        c.get(&all, sizeof all);
        say("stale", cudaIpcOpenMemHandle(&p, all.old.memory, cudaIpcMemLazyEnablePeerAccess));
        say("stale event", cudaIpcOpenEventHandle(&e, all.old.event));
        say("flags", cudaIpcOpenMemHandle(&p, all.h.memory, 0));
        say("event for memory", cudaIpcOpenMemHandle(&p, *(cudaIpcMemHandle_t *)&all.h.event, cudaIpcMemLazyEnablePeerAccess));
        GOOD(cudaIpcOpenMemHandle(&p, all.h.memory, cudaIpcMemLazyEnablePeerAccess));
        GOOD(cudaIpcOpenMemHandle(&q, all.inside, cudaIpcMemLazyEnablePeerAccess));
        printf("twice: %s\n", p == q ? "the same address" : "another address");
        cudaPointerAttributes a;
        GOOD(cudaPointerGetAttributes(&a, p));
        printf("type %d device %d\n", a.type, a.device);
        say("free", cudaFree(p));
        say("handle of it", cudaIpcGetMemHandle(&h.memory, p));
        say("close", cudaIpcCloseMemHandle(p));
        store<<<4, 256>>>((int *)p, N, 3);
        say("still open", cudaDeviceSynchronize());
        say("close", cudaIpcCloseMemHandle(p));
        say("close", cudaIpcCloseMemHandle(p));
        GOOD(cudaIpcOpenEventHandle(&e, all.h.event));
        say("record", cudaEventRecord(e));
        float ms;
        say("time", cudaEventElapsedTime(&ms, e, e));
        say("destroy", cudaEventDestroy(e));
        CUcontext context;
        CUdeviceptr address;
        CUipcMemHandle same;
        CUevent event;
        CUipcEventHandle same_event;
        memcpy(&same, &all.h.memory, sizeof same);
        memcpy(&same_event, &all.h.event, sizeof same_event);
        printf("driver: %d", cuInit(0));
        printf(" %d", cuCtxGetCurrent(&context));
        printf(" %d", cuIpcOpenMemHandle(&address, same, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        printf(" %d", cuMemsetD32(address, 9, N));
        printf(" %d", cuIpcOpenEventHandle(&event, same_event));
        printf(" %d", cuEventRecord(event, 0));
        printf(" %d", cuEventDestroy(event));
        printf(" %d", cuIpcCloseMemHandle(address));
        printf(" %d\n", cuIpcCloseMemHandle(address));
        exit(0);
    }
    int *x = make(&all.h, &e, N), *y = make(&old, &plain, N);
    all.old = old;
    GOOD(cudaFree(y));
    GOOD(cudaEventDestroy(plain));
    GOOD(cudaIpcGetMemHandle(&all.inside, x + 500));
    c.put(&all, sizeof all);
    wait_for(pid);
    say("own", cudaIpcOpenMemHandle(&p, all.h.memory, cudaIpcMemLazyEnablePeerAccess));
    say("own event", cudaIpcOpenEventHandle(&plain, all.h.event));
    GOOD(cudaMallocAsync(&pooled, 64, 0));
    GOOD(cudaMallocManaged(&managed, 64));
    GOOD(cudaMallocHost(&pinned, 64));
    say("pool", cudaIpcGetMemHandle(&h.memory, pooled));
    say("managed", cudaIpcGetMemHandle(&h.memory, managed));
    say("pinned", cudaIpcGetMemHandle(&h.memory, pinned));
    say("host", cudaIpcGetMemHandle(&h.memory, &number));
    say("NULL", cudaIpcGetMemHandle(&h.memory, NULL));
    say("no handle", cudaIpcGetMemHandle(NULL, x));
    GOOD(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    say("plain event", cudaIpcGetEventHandle(&h.event, plain));
    say("timing", cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    GOOD(cudaDeviceGetAttribute(&number, cudaDevAttrIpcEventSupport, 0));
    GOOD(cudaMemcpy(&pid, x, sizeof pid, cudaMemcpyDeviceToHost));
    printf("attribute %d, value %d\n", number, pid);
    cudaGetLastError();
    GOOD(cudaFree(x));
    GOOD(cudaFreeAsync(pooled, 0));
    GOOD(cudaFree(managed));
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaDeviceSynchronize());
}

static void refused()
{
    int *x;
    Handles h;
    cudaEvent_t e;
    GOOD(cudaMalloc(&x, 64));
    GOOD(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
    say("memory", cudaIpcGetMemHandle(&h.memory, x));
    say("event", cudaIpcGetEventHandle(&h.event, e));
    GOOD(cudaFree(x));
    GOOD(cudaEventDestroy(e));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct { const char *name; void (*run)(); } cases[] = {
        {"fork", by_fork}, {"exec", by_exec}, {"three", three}, {"spin", spin}, {"at_once", at_once},
        {"crash_child", crash_child}, {"errors", errors}, {"refused", refused}};
    for (auto &c : cases)
        if (strcmp(c.name, what) == 0)
            return c.run(), 0;
    if (strcmp(what, "executed") == 0)
        executed(argv);
    else if (strcmp(what, "owner") == 0)
        owner(argv[2]);
    else
        found(what);
    return 0;
}
