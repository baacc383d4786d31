// expect: pass
// Each device reads the gradients of all others; kernels of heat read their neighbours' cells; transform has a thread of the host for each device.
#include "lab.h"
#include "model.h"
#include "several_devices.h"

#include <atomic>
#include <thread>
#include <vector>

typedef cudaError_t Err;

// The runtime keeps an error until it is asked for it; the next call of ours must not find this one.
static Err cleared(Err e)
{
    if (e != cudaSuccess)
        (void)cudaGetLastError();
    return e;
}

static void keep_first(Err *first, Err e)
{
    cleared(e);
    if (*first == cudaSuccess)
        *first = e;
}

Share share_of(int n, int n_devices, int d)
{
    const auto begin = [=](int k) { int more = n % n_devices; return k * (n / n_devices) + (k < more ? k : more); };
    Share s;
    s.first = begin(d);
    s.count = begin(d + 1) - s.first;
    return s;
}

// ---- transform: each device has a thread of the host, which may wait as it likes ----

__global__ void transform_pairs(float *data, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        data[i] = transformed(data[i]);
    if (i + 1 < n)
        data[i + 1] = transformed(data[i + 1]);
}

static void transform_on(int d, const float *in, float *out, int count, std::atomic<int> *first)
{
    cudaStream_t stream = NULL;
    float *data = NULL;
    size_t bytes = (size_t)count * sizeof(float);
    auto failed = [first](Err e) {
        int none = cudaSuccess;
        if (cleared(e) != cudaSuccess)
            first->compare_exchange_strong(none, e);
        return e != cudaSuccess;
    };
    auto work = [&] {
        if (failed(cudaSetDevice(d)) || failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ||
            failed(cudaMalloc(&data, bytes)) ||
            failed(cudaMemcpyAsync(data, in, bytes, cudaMemcpyHostToDevice, stream)))
            return;
        int threads = (count + 1) / 2;
        transform_pairs<<<(threads + 127) / 128, 128, 0, stream>>>(data, count);
        if (!failed(cudaGetLastError()))
            failed(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, stream));
    };
    work();
    if (stream != NULL)
        failed(cudaStreamSynchronize(stream));
    if (data != NULL)
        failed(cudaFree(data));
    if (stream != NULL)
        failed(cudaStreamDestroy(stream));
}

int transform(const float *in, float *out, int n, int n_devices)
{
    std::atomic<int> first{cudaSuccess};
    std::vector<std::thread> hosts; // each with a current device of its own: the caller's is left alone
    for (int d = 0; d < n_devices; d++) {
        Share s = share_of(n, n_devices, d);
        if (s.count > 0)
            hosts.emplace_back(transform_on, d, in + s.first, out + s.first, s.count, &first);
    }
    for (std::thread &host : hosts)
        host.join();
    return first.load();
}

// ---- What heat and train have on each device ----

struct Site {
    Share share;
    cudaStream_t stream;
    cudaEvent_t done;
    float *memory; // one allocation, from which all arrays are cut
};

struct Sites {
    int n, home;
    Site at[DEVICES_MAX];
};

static Err sites_open(Sites *s, int n_elements, int n_devices)
{
    *s = Sites();
    Err e = cudaGetDevice(&s->home);
    if (e != cudaSuccess)
        return e;
    s->n = n_devices;
    for (int d = 0; d < n_devices; d++) {
        Site *here = &s->at[d];
        here->share = share_of(n_elements, n_devices, d);
        if ((e = cudaSetDevice(d)) != cudaSuccess ||
            (e = cudaStreamCreateWithFlags(&here->stream, cudaStreamNonBlocking)) != cudaSuccess ||
            (e = cudaEventCreateWithFlags(&here->done, cudaEventDisableTiming)) != cudaSuccess)
            return e;
    }
    return cudaSuccess;
}

static int sites_close(Sites *s, Err first)
{
    cleared(first);
    for (int d = 0; d < s->n; d++)
        if (s->at[d].stream != NULL)
            keep_first(&first, cudaStreamSynchronize(s->at[d].stream));
    for (int d = 0; d < s->n; d++) {
        Site *here = &s->at[d];
        if (here->memory != NULL)
            keep_first(&first, cudaFree(here->memory));
        if (here->done != NULL)
            keep_first(&first, cudaEventDestroy(here->done));
        if (here->stream != NULL)
            keep_first(&first, cudaStreamDestroy(here->stream));
    }
    if (s->n > 0)
        keep_first(&first, cudaSetDevice(s->home));
    return first;
}

// Kernels of device d may use the memory of `other` from now on.
static Err see(int d, int other)
{
    Err e = cudaSetDevice(d);
    if (e == cudaSuccess)
        e = cudaDeviceEnablePeerAccess(other, 0);
    if (e != cudaErrorPeerAccessAlreadyEnabled)
        return e;
    (void)cudaGetLastError();
    return cudaSuccess;
}

// ---- heat: no copies of neighbours' cells at all, the kernel reads them where they are ----

// left and right are the neighbours' outermost cells, or NULL at an end of the rod.
__global__ void heat_step(float *next, const float *now, int count, const float *left, const float *right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float *before = i > 0 ? now + i - 1 : left, *behind = i < count - 1 ? now + i + 1 : right;
    next[i] = before && behind ? heated(*before, now[i], *behind) : now[i];
}

static Err heat_all(Sites *s, const float *in, float *out, int steps)
{
    Err e = cudaSuccess;
    float *array[2][DEVICES_MAX] = {};
    for (int d = 0; d < s->n; d++) {
        Site *here = &s->at[d];
        int count = here->share.count;
        if (d > 0 && (e = see(d, d - 1)) != cudaSuccess)
            return e;
        if (d + 1 < s->n && (e = see(d, d + 1)) != cudaSuccess)
            return e;
        if ((e = cudaSetDevice(d)) != cudaSuccess ||
            (e = cudaMalloc(&here->memory, 2 * (size_t)count * sizeof(float))) != cudaSuccess)
            return e;
        array[0][d] = here->memory;
        array[1][d] = here->memory + count;
        if ((e = cudaMemcpyAsync(array[0][d], in + here->share.first, count * sizeof(float), cudaMemcpyHostToDevice,
                                 here->stream)) != cudaSuccess ||
            (e = cudaEventRecord(here->done, here->stream)) != cudaSuccess)
            return e;
    }
    int now = 0;
    for (int step = 0; step < steps; step++, now = !now) {
        // A neighbour's event says that its cells are there, and also that it has read ours of the step before.
        for (int d = 0; d < s->n; d++) {
            if (d > 0 && (e = cudaStreamWaitEvent(s->at[d].stream, s->at[d - 1].done, 0)) != cudaSuccess)
                return e;
            if (d + 1 < s->n && (e = cudaStreamWaitEvent(s->at[d].stream, s->at[d + 1].done, 0)) != cudaSuccess)
                return e;
        }
        for (int d = 0; d < s->n; d++) {
            Site *here = &s->at[d];
            int count = here->share.count;
            const float *left = d > 0 ? array[now][d - 1] + s->at[d - 1].share.count - 1 : NULL;
            const float *right = d + 1 < s->n ? array[now][d + 1] : NULL;
            if ((e = cudaSetDevice(d)) != cudaSuccess)
                return e;
            heat_step<<<(count + 511) / 512, 512, 0, here->stream>>>(array[!now][d], array[now][d], count, left, right);
            if ((e = cudaGetLastError()) != cudaSuccess ||
                (e = cudaEventRecord(here->done, here->stream)) != cudaSuccess)
                return e;
        }
    }
    for (int d = 0; d < s->n && e == cudaSuccess; d++)
        e = cudaMemcpyAsync(out + s->at[d].share.first, array[now][d], s->at[d].share.count * sizeof(float),
                            cudaMemcpyDeviceToHost, s->at[d].stream);
    return e;
}

int heat(const float *in, float *out, int n, int steps, int n_devices)
{
    Sites s;
    Err e = sites_open(&s, n, n_devices);
    return sites_close(&s, e != cudaSuccess ? e : heat_all(&s, in, out, steps));
}

// ---- train: every device reads every gradient ----

struct Gradients {
    const float *of[DEVICES_MAX];
};

__global__ void errors(float *e, const float *x, const float *y, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float dot = -y[i];
    for (int j = 0; j < FEATURES; j++)
        dot = fmaf(x[i * FEATURES + j], w[j], dot);
    e[i] = dot;
}

// A block for each feature; the block's warp adds in stripes.
__global__ void gradient(float *g, const float *e, const float *x, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += e[i] * x[i * FEATURES + blockIdx.x];
    for (int distance = 16; distance > 0; distance >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0)
        g[blockIdx.x] += sum;
}

__global__ void update(float *w, Gradients g, int n_devices, float factor)
{
    float sum = 0;
    for (int d = 0; d < n_devices; d++)
        sum += g.of[d][threadIdx.x];
    w[threadIdx.x] -= factor * sum;
}

static Err train_all(Sites *s, const float *x, const float *y, float *w, int micro, int steps, float factor)
{
    struct Arrays {
        float *x, *y, *w, *e;
    } a[DEVICES_MAX];
    Gradients g[2] = {}; // in turn, so that nobody clears what another device still reads
    Err err = cudaSuccess;
    for (int d = 0; d < s->n; d++) {
        Site *here = &s->at[d];
        size_t count = here->share.count, room = count < (size_t)micro ? count : micro;
        for (int other = 0; other < s->n; other++)
            if (other != d && (err = see(d, other)) != cudaSuccess)
                return err;
        if ((err = cudaSetDevice(d)) != cudaSuccess ||
            (err = cudaMalloc(&here->memory, (3 * FEATURES + count * (FEATURES + 1) + room) * sizeof(float))) !=
                cudaSuccess)
            return err;
        a[d].w = here->memory;
        g[0].of[d] = a[d].w + FEATURES;
        g[1].of[d] = a[d].w + 2 * FEATURES;
        a[d].x = a[d].w + 3 * FEATURES;
        a[d].y = a[d].x + count * FEATURES;
        a[d].e = a[d].y + count;
        if ((err = cudaMemcpyAsync(a[d].w, w, FEATURES * sizeof(float), cudaMemcpyHostToDevice, here->stream)) !=
            cudaSuccess)
            return err;
        if (count > 0 &&
            ((err = cudaMemcpyAsync(a[d].x, x + (size_t)here->share.first * FEATURES, count * FEATURES * sizeof(float),
                                    cudaMemcpyHostToDevice, here->stream)) != cudaSuccess ||
             (err = cudaMemcpyAsync(a[d].y, y + here->share.first, count * sizeof(float), cudaMemcpyHostToDevice,
                                    here->stream)) != cudaSuccess))
            return err;
    }
    for (int step = 0; step < steps; step++) {
        const Gradients &now = g[step & 1];
        for (int d = 0; d < s->n; d++) {
            Site *here = &s->at[d];
            float *own = const_cast<float *>(now.of[d]);
            if ((err = cudaSetDevice(d)) != cudaSuccess ||
                (err = cudaMemsetAsync(own, 0, FEATURES * sizeof(float), here->stream)) != cudaSuccess)
                return err;
            for (int left = here->share.count, done = 0; left > 0; left -= micro, done += micro) {
                int count = left < micro ? left : micro;
                const float *piece = a[d].x + (size_t)done * FEATURES;
                errors<<<(count + 63) / 64, 64, 0, here->stream>>>(a[d].e, piece, a[d].y + done, a[d].w, count);
                if ((err = cudaGetLastError()) != cudaSuccess)
                    return err;
                gradient<<<FEATURES, 32, 0, here->stream>>>(own, a[d].e, piece, count);
                if ((err = cudaGetLastError()) != cudaSuccess)
                    return err;
            }
            if ((err = cudaEventRecord(here->done, here->stream)) != cudaSuccess)
                return err;
        }
        for (int d = 0; d < s->n; d++) {
            for (int other = 0; other < s->n; other++)
                if (other != d &&
                    (err = cudaStreamWaitEvent(s->at[d].stream, s->at[other].done, 0)) != cudaSuccess)
                    return err;
            if ((err = cudaSetDevice(d)) != cudaSuccess)
                return err;
            update<<<1, FEATURES, 0, s->at[d].stream>>>(a[d].w, now, s->n, factor);
            if ((err = cudaGetLastError()) != cudaSuccess)
                return err;
        }
    }
    int last = s->n - 1; // all have the same weights
    return cudaMemcpyAsync(w, a[last].w, FEATURES * sizeof(float), cudaMemcpyDeviceToHost, s->at[last].stream);
}

int train(const float *x, const float *y, float *w, int n, int micro, int steps, float rate, int n_devices)
{
    Sites s;
    Err e = sites_open(&s, n, n_devices);
    return sites_close(&s, e != cudaSuccess ? e : train_all(&s, x, y, w, micro, steps, rate / n));
}
