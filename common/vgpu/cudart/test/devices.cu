// Two devices: what is right, and the usual mistakes, one each. devices.t says what must be found.
//
// Prints the last error's name.
#include <cstdio>
#include <cstring>

constexpr int N = 1000, BYTES = N * sizeof(float), BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK;

__global__ void fill(float *x, float value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = value + i;
}

__global__ void add(float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] += y[i];
}

struct Both {
    float *x[2];
    cudaStream_t stream[2];
    cudaEvent_t event[2];
};

static void create(Both *b)
{
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&b->x[d], BYTES);
        cudaStreamCreate(&b->stream[d]);
        cudaEventCreateWithFlags(&b->event[d], cudaEventDisableTiming);
    }
}

static void fill_on(Both *b, int d, cudaStream_t stream)
{
    cudaSetDevice(d);
    fill<<<BLOCKS, BLOCK, 0, stream>>>(b->x[d], 1.0f);
}

static void wrong_device(Both *b)
{
    cudaSetDevice(1);
    fill<<<BLOCKS, BLOCK>>>(b->x[0], 1.0f);
}

static void no_peer_access(Both *b)
{
    fill_on(b, 1, 0);
    cudaDeviceSynchronize();
    fill_on(b, 0, 0);
    add<<<BLOCKS, BLOCK>>>(b->x[0], b->x[1]);
}

// Memory of a pool is used as its access says; peer access means nothing to it.
static void use_pool(Both *b, bool peer, bool access, bool taken_back)
{
    float *x;
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemAccessDesc row = {{cudaMemLocationTypeDevice, {1}}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtRead;
    cudaMemPoolCreate(&pool, &properties);
    cudaSetDevice(0);
    if (access)
        cudaMemPoolSetAccess(pool, &row, 1);
    row.flags = cudaMemAccessFlagsProtNone;
    if (taken_back)
        cudaMemPoolSetAccess(pool, &row, 1);
    cudaMemLocation where = {cudaMemLocationTypeDevice, {1}};
    cudaMemPoolGetAccess(&flags, pool, &where);
    if (flags != (access && !taken_back ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone))
        printf("wrong access\n");
    cudaMallocFromPoolAsync(&x, BYTES, pool, b->stream[0]);
    fill<<<BLOCKS, BLOCK, 0, b->stream[0]>>>(x, 1.0f);
    cudaStreamSynchronize(b->stream[0]);
    cudaSetDevice(1);
    if (peer)
        cudaDeviceEnablePeerAccess(0, 0);
    fill<<<BLOCKS, BLOCK, 0, b->stream[1]>>>(b->x[1], 1.0f);
    add<<<BLOCKS, BLOCK, 0, b->stream[1]>>>(b->x[1], x);
    cudaStreamSynchronize(b->stream[1]);
    cudaFreeAsync(x, b->stream[0]);
    cudaMemPoolDestroy(pool);
}

static void pool_access(Both *b) { use_pool(b, false, true, false); }
static void pool_no_access(Both *b) { use_pool(b, false, false, false); }
static void pool_peer_access(Both *b) { use_pool(b, true, false, false); }
static void pool_taken_back(Both *b) { use_pool(b, false, true, true); }

static void peer_access(Both *b)
{
    fill_on(b, 1, 0);
    cudaDeviceSynchronize();
    fill_on(b, 0, 0);
    cudaDeviceEnablePeerAccess(1, 0);
    add<<<BLOCKS, BLOCK>>>(b->x[0], b->x[1]);
}

static void foreign_stream(Both *b)
{
    cudaSetDevice(1);
    fill<<<BLOCKS, BLOCK, 0, b->stream[0]>>>(b->x[1], 1.0f);
}

static void foreign_event(Both *b)
{
    cudaEventRecord(b->event[0], b->stream[1]);
}

// The copy's stream knows nothing of the other device's.
static void unordered(Both *b)
{
    fill_on(b, 1, b->stream[1]);
    cudaSetDevice(0);
    cudaMemcpyPeerAsync(b->x[0], 0, b->x[1], 1, BYTES, b->stream[0]);
}

static void ordered(Both *b)
{
    fill_on(b, 1, b->stream[1]);
    cudaEventRecord(b->event[1], b->stream[1]);
    cudaSetDevice(0);
    cudaStreamWaitEvent(b->stream[0], b->event[1], 0);
    cudaMemcpyPeerAsync(b->x[0], 0, b->x[1], 1, BYTES, b->stream[0]);
}

// In the default stream a copy between devices waits for all of both, and all of both waits for it.
static void default_stream(Both *b)
{
    fill_on(b, 1, b->stream[1]);
    cudaSetDevice(0);
    cudaMemcpyPeer(b->x[0], 0, b->x[1], 1, BYTES);
    fill_on(b, 1, b->stream[1]);
    cudaSetDevice(0);
    add<<<BLOCKS, BLOCK, 0, b->stream[0]>>>(b->x[0], b->x[0]);
}

// Default streams of two devices have no order between them.
static void default_streams(Both *b)
{
    cudaDeviceEnablePeerAccess(0, 0); // the current device is 1
    fill_on(b, 0, 0);
    cudaSetDevice(1);
    fill_on(b, 1, 0);
    add<<<BLOCKS, BLOCK>>>(b->x[1], b->x[0]);
}

// cudaFree waits for the memory's own device.
static void freed(Both *b)
{
    fill_on(b, 1, b->stream[1]);
    cudaMemcpyPeerAsync(b->x[0], 0, b->x[1], 1, BYTES, b->stream[1]);
    cudaSetDevice(0);
    cudaFree(b->x[0]);
    cudaMalloc(&b->x[0], BYTES);
}

// A graph of nodes on both devices, captured from stream 0: device 1 writes, and device 0 reads it. `joined`: device 0's kernel waits for it; else only the
// graph's end does.
static cudaGraphExec_t graph_of_both(Both *b, bool joined)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaStreamBeginCapture(b->stream[0], cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(b->event[0], b->stream[0]);
    cudaSetDevice(1);
    cudaStreamWaitEvent(b->stream[1], b->event[0], 0);
    add<<<BLOCKS, BLOCK, 0, b->stream[1]>>>(b->x[1], b->x[1]);
    cudaEventRecord(b->event[1], b->stream[1]);
    cudaSetDevice(0);
    if (joined)
        cudaStreamWaitEvent(b->stream[0], b->event[1], 0);
    add<<<BLOCKS, BLOCK, 0, b->stream[0]>>>(b->x[0], b->x[1]);
    if (!joined)
        cudaStreamWaitEvent(b->stream[0], b->event[1], 0);
    cudaStreamEndCapture(b->stream[0], &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
}

static void graph(Both *b, bool waits, bool joined)
{
    fill_on(b, 0, b->stream[0]);
    cudaGraphExec_t exec = graph_of_both(b, joined);
    fill_on(b, 1, b->stream[1]);
    cudaEventRecord(b->event[1], b->stream[1]);
    cudaSetDevice(0);
    if (waits)
        cudaStreamWaitEvent(b->stream[0], b->event[1], 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(exec, b->stream[0]);
    cudaMemcpyPeerAsync(b->x[0], 0, b->x[1], 1, BYTES, b->stream[0]);
    cudaStreamSynchronize(b->stream[0]);
    fill_on(b, 1, b->stream[1]);
    cudaGraphExecDestroy(exec);
}

static void graph_waits(Both *b) { graph(b, true, true); }
static void graph_waits_not(Both *b) { graph(b, false, true); }
static void graph_in_parallel(Both *b) { graph(b, true, false); }

static const struct {
    const char *name;
    void (*run)(Both *b);
} cases[] = {
    {"wrong_device", wrong_device},
    {"no_peer_access", no_peer_access},
    {"peer_access", peer_access},
    {"pool_access", pool_access},
    {"pool_no_access", pool_no_access},
    {"pool_peer_access", pool_peer_access},
    {"pool_taken_back", pool_taken_back},
    {"foreign_stream", foreign_stream},
    {"foreign_event", foreign_event},
    {"unordered", unordered},
    {"ordered", ordered},
    {"default_stream", default_stream},
    {"default_streams", default_streams},
    {"freed", freed},
    {"graph_waits", graph_waits},
    {"graph_waits_not", graph_waits_not},
    {"graph_in_parallel", graph_in_parallel},
};

/* Two questions about each device. */
static int ask(void)
{
    int value = 0;
    cudaDeviceProp properties;
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    cudaGetDeviceProperties(&properties, 0);
    cudaGetDeviceProperties(&properties, 1);
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "questions") == 0)
        return ask();
    Both b;
    create(&b);
    for (const auto &c : cases)
        if (argc > 1 && strcmp(argv[1], c.name) == 0)
            c.run(&b);
    cudaError_t error = cudaGetLastError();
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaError_t ended = cudaDeviceSynchronize();
        error = error != cudaSuccess ? error : ended;
    }
    for (int d = 0; d < 2; d++)
        cudaFree(b.x[d]);
    printf("%s\n", cudaGetErrorName(error));
}
