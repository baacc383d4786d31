// expect: pass
// A step of training over all devices is one graph, captured across their streams; cells are sent by their owner.
#include "lab.h"
#include "model.h"
#include "several_devices.h"

#include <algorithm>

Share share_of(int n, int n_devices, int d)
{
    const int each = n / n_devices, rest = n % n_devices;
    return {d * each + std::min(d, rest), each + (d < rest)};
}

enum { EVENTS = 1, ARRAYS = 6 };

// What a call has on the devices. `err` is the first error; once there is one, `ok` makes no further call.
struct Rig {
    int size = 0, caller = -1;
    cudaError_t err = cudaSuccess;
    Share share[DEVICES_MAX] = {};
    cudaStream_t stream[DEVICES_MAX] = {};
    cudaEvent_t event[DEVICES_MAX][EVENTS] = {};
    float *memory[DEVICES_MAX][ARRAYS] = {};

    bool good() const { return err == cudaSuccess; }
    void note(cudaError_t e)
    {
        if (err == cudaSuccess)
            err = e;
    }
    void on(int d)
    {
        if (good())
            note(cudaSetDevice(d));
    }
    Rig(int n, int n_devices)
    {
        note(cudaGetDevice(&caller));
        if (!good()) {
            caller = -1;
            return;
        }
        size = n_devices;
        for (int d = 0; d < size && good(); d++) {
            share[d] = share_of(n, size, d);
            on(d);
            if (good())
                note(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
            for (int k = 0; k < EVENTS && good(); k++)
                note(cudaEventCreateWithFlags(&event[d][k], cudaEventDisableTiming));
        }
    }
    float *alloc(int d, int k, int n)
    {
        on(d);
        if (good() && n > 0)
            note(cudaMalloc(&memory[d][k], n * sizeof(float)));
        return memory[d][k];
    }
    void copy(int d, float *to, const float *from, int n, cudaMemcpyKind kind)
    {
        if (good() && n > 0)
            note(cudaMemcpyAsync(to, from, n * sizeof(float), kind, stream[d]));
    }
    void upload(int d, int k, const float *from, int n) { copy(d, alloc(d, k, n), from, n, cudaMemcpyHostToDevice); }
    void peer(int d, int to_device, float *to, int from_device, const float *from, int n)
    {
        if (good())
            note(cudaMemcpyPeerAsync(to, to_device, from, from_device, n * sizeof(float), stream[d]));
    }
    void record(int d, int k = 0)
    {
        if (good())
            note(cudaEventRecord(event[d][k], stream[d]));
    }
    void await(int d, int other, int k = 0)
    {
        if (good())
            note(cudaStreamWaitEvent(stream[d], event[other][k], 0));
    }
    template <class Launch>
    void launch(int d, Launch l)
    {
        on(d);
        if (good()) {
            l(stream[d]);
            note(cudaGetLastError());
        }
    }
    int done()
    {
        for (int d = 0; d < size; d++)
            if (stream[d])
                note(cudaStreamSynchronize(stream[d]));
        for (int d = 0; d < size; d++) {
            for (float *p : memory[d])
                if (p)
                    note(cudaFree(p));
            for (cudaEvent_t e : event[d])
                if (e)
                    note(cudaEventDestroy(e));
            if (stream[d])
                note(cudaStreamDestroy(stream[d]));
        }
        if (caller >= 0)
            note(cudaSetDevice(caller));
        if (!good())
            cudaGetLastError(); // it is returned, and is not for the next call to find
        return err;
    }
};

__global__ void transform_kernel(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = transformed(data[i]);
}

__global__ void heat_kernel(float *next, const float *now, int first, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    bool end = first + i == 0 || first + i == n - 1;
    next[i + 1] = end ? now[i + 1] : heated(now[i], now[i + 1], now[i + 2]);
}

__global__ void error_kernel(float *e, const float *x, const float *y, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = -y[i];
    for (int j = 0; j < FEATURES; j++)
        sum += x[i * FEATURES + j] * w[j];
    e[i] = sum;
}

__global__ void gradient_kernel(float *g, const float *e, const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += e[i] * x[i * FEATURES + threadIdx.x];
    g[threadIdx.x] += sum;
}

__global__ void add_kernel(float *sum, const float *other)
{
    sum[threadIdx.x] += other[threadIdx.x];
}

__global__ void update_kernel(float *w, const float *g, float factor)
{
    w[threadIdx.x] -= factor * g[threadIdx.x];
}

int transform(const float *in, float *out, int n, int n_devices)
{
    Rig rig(n, n_devices);
    for (int d = 0; d < n_devices && rig.good(); d++) {
        const Share s = rig.share[d];
        if (s.count == 0)
            break; // nor have those behind it any
        rig.upload(d, 0, in + s.first, s.count);
        float *a = rig.memory[d][0];
        rig.launch(d, [=](cudaStream_t stream) { transform_kernel<<<(s.count + 255) / 256, 256, 0, stream>>>(a, s.count); });
        rig.copy(d, out + s.first, a, s.count, cudaMemcpyDeviceToHost);
    }
    return rig.done();
}

int heat(const float *in, float *out, int n, int steps, int n_devices)
{
    Rig rig(n, n_devices);
    for (int d = 0; d < n_devices && rig.good(); d++) {
        const Share s = rig.share[d];
        const int from = std::max(s.first - 1, 0), to = std::min(s.first + s.count + 1, n);
        rig.alloc(d, 0, s.count + 2);
        rig.alloc(d, 1, s.count + 2);
        if (rig.good())
            rig.copy(d, rig.memory[d][0] + (from - s.first + 1), in + from, to - from, cudaMemcpyHostToDevice);
    }
    for (int step = 0; step < steps && rig.good(); step++) {
        const int now = step % 2, next = 1 - now;
        // A neighbour's event says: its cell has come, and its kernel of the last step has read what gets another one now.
        for (int d = 0; d < n_devices && step > 0; d++) {
            if (d > 0)
                rig.await(d, d - 1);
            if (d + 1 < n_devices)
                rig.await(d, d + 1);
        }
        for (int d = 0; d < n_devices && rig.good(); d++) {
            const Share s = rig.share[d];
            float *to = rig.memory[d][next], *from = rig.memory[d][now];
            rig.launch(d, [=](cudaStream_t stream) {
                heat_kernel<<<(s.count + 255) / 256, 256, 0, stream>>>(to, from, s.first, s.count, n);
            });
            if (d > 0)
                rig.peer(d, d - 1, rig.memory[d - 1][next] + rig.share[d - 1].count + 1, d, to + 1, 1);
            if (d + 1 < n_devices)
                rig.peer(d, d + 1, rig.memory[d + 1][next], d, to + s.count, 1);
            rig.record(d);
        }
    }
    for (int d = 0; d < n_devices && rig.good(); d++)
        rig.copy(d, out + rig.share[d].first, rig.memory[d][steps % 2] + 1, rig.share[d].count, cudaMemcpyDeviceToHost);
    return rig.done();
}

enum { X, Y, W, G, E, OTHER };

static void train_upload(Rig &rig, int d, const float *x, const float *y, const float *w, int micro)
{
    const Share s = rig.share[d];
    rig.upload(d, X, x + s.first * FEATURES, s.count * FEATURES);
    rig.upload(d, Y, y + s.first, s.count);
    rig.upload(d, W, w, FEATURES);
    rig.alloc(d, G, FEATURES);
    rig.alloc(d, E, std::min(micro, s.count));
}

static void accumulate(Rig &rig, int d, int micro)
{
    float *const *a = rig.memory[d];
    rig.on(d);
    if (rig.good())
        rig.note(cudaMemsetAsync(a[G], 0, FEATURES * sizeof(float), rig.stream[d]));
    for (int i = 0; i < rig.share[d].count && rig.good(); i += micro) {
        const int count = std::min(micro, rig.share[d].count - i);
        const float *x = a[X] + i * FEATURES;
        rig.launch(d, [=](cudaStream_t s) { error_kernel<<<(count + 255) / 256, 256, 0, s>>>(a[E], x, a[Y] + i, a[W], count); });
        rig.launch(d, [=](cudaStream_t s) { gradient_kernel<<<1, FEATURES, 0, s>>>(a[G], a[E], x, count); });
    }
}

// A step of all devices, into the streams: device 0's stream begins it and ends it.
static void step_of_all(Rig &rig, int micro, float factor)
{
    rig.record(0);
    for (int d = 1; d < rig.size; d++)
        rig.await(d, 0);
    for (int d = 0; d < rig.size; d++) {
        accumulate(rig, d, micro);
        if (d > 0)
            rig.record(d);
    }
    float *const *zero = rig.memory[0];
    for (int d = 1; d < rig.size; d++) {
        rig.await(0, d);
        if (rig.good())
            rig.note(cudaMemcpyAsync(zero[OTHER] + (d - 1) * FEATURES, rig.memory[d][G], FEATURES * sizeof(float),
                                     cudaMemcpyDeviceToDevice, rig.stream[0]));
    }
    for (int d = 1; d < rig.size; d++)
        rig.launch(0, [=](cudaStream_t s) { add_kernel<<<1, FEATURES, 0, s>>>(zero[G], zero[OTHER] + (d - 1) * FEATURES); });
    rig.launch(0, [=](cudaStream_t s) { update_kernel<<<1, FEATURES, 0, s>>>(zero[W], zero[G], factor); });
    rig.record(0);
    for (int d = 1; d < rig.size; d++) {
        rig.await(d, 0);
        if (rig.good())
            rig.note(cudaMemcpyAsync(rig.memory[d][W], zero[W], FEATURES * sizeof(float), cudaMemcpyDeviceToDevice,
                                     rig.stream[d]));
        rig.record(d);
    }
    for (int d = 1; d < rig.size; d++)
        rig.await(0, d);
}

int train(const float *x, const float *y, float *w, int n, int micro, int steps, float rate, int n_devices)
{
    Rig rig(n, n_devices);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t step = nullptr;
    for (int d = 0; d < n_devices && rig.good(); d++)
        train_upload(rig, d, x, y, w, micro);
    if (n_devices > 1)
        rig.alloc(0, OTHER, (n_devices - 1) * FEATURES);
    for (int d = 1; d < n_devices; d++) { // the graph comes behind all uploads
        rig.record(d);
        rig.await(0, d);
    }
    rig.on(0);
    if (rig.good()) {
        rig.note(cudaStreamBeginCapture(rig.stream[0], cudaStreamCaptureModeThreadLocal));
        if (rig.good()) {
            step_of_all(rig, micro, rate / n);
            rig.note(cudaStreamEndCapture(rig.stream[0], &graph)); // whatever happened within
        }
    }
    rig.on(0);
    if (rig.good())
        rig.note(cudaGraphInstantiate(&step, graph, 0));
    for (int i = 0; i < steps && rig.good(); i++)
        rig.note(cudaGraphLaunch(step, rig.stream[0]));
    rig.copy(0, w, rig.memory[0][W], FEATURES, cudaMemcpyDeviceToHost);
    if (rig.size > 0 && rig.stream[0])
        rig.note(cudaStreamSynchronize(rig.stream[0]));
    if (step)
        rig.note(cudaGraphExecDestroy(step));
    if (graph)
        rig.note(cudaGraphDestroy(graph));
    return rig.done();
}
