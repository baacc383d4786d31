// expect: pass
// No stream is made. Each device has its cudaStreamPerThread, which is that of the current device.
#include <functional>
#include <memory>
#include <vector>

#include "lab.h"
#include "model.h"
#include "several_devices.h"

static const cudaStream_t here = cudaStreamPerThread;

// ---- Kernels ----

static int blocks_for(int n)
{
    return (n + 255) / 256;
}

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

// A block for each feature.
__global__ void gradient_kernel(float *g, const float *e, const float *x, int n)
{
    __shared__ float part[128];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 128)
        sum += e[i] * x[i * FEATURES + blockIdx.x];
    part[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        g[blockIdx.x] += part[0];
}

__global__ void axpy_kernel(float *y, float a, const float *x)
{
    y[threadIdx.x] += a * x[threadIdx.x];
}

Share share_of(int n, int n_devices, int d)
{
    int each = n / n_devices, rest = n % n_devices;
    return {each * d + (d < rest ? d : rest), each + (d < rest)};
}

// ---- One call ----

struct Call {
    std::vector<float *> arrays;
    std::vector<cudaEvent_t> events;
    int n_devices, caller = -1;
    cudaError_t err = cudaSuccess;

    explicit Call(int n_devices) : n_devices(n_devices)
    {
        check(cudaGetDevice(&caller));
        if (err)
            caller = -1;
    }

    bool ok() const { return err == cudaSuccess; }

    void check(cudaError_t e)
    {
        if (e == cudaSuccess)
            return;
        if (err == cudaSuccess)
            err = e;
        cudaGetLastError(); // not for the next one who asks
    }

    // Does something on each device, which is current meanwhile, as long as nothing has failed.
    void each(const std::function<void(int)> &what)
    {
        for (int d = 0; d < n_devices && ok(); d++)
            on(d, what);
    }
    void on(int d, const std::function<void(int)> &what)
    {
        if (ok())
            check(cudaSetDevice(d));
        if (ok())
            what(d);
    }

    float *array(int n) // on the current device; at least one float, so that there is an address
    {
        float *p = nullptr;
        if (ok())
            check(cudaMalloc(&p, (n > 0 ? n : 1) * sizeof(float)));
        if (ok())
            arrays.push_back(p);
        return p;
    }
    cudaEvent_t event()
    {
        cudaEvent_t e = nullptr;
        if (ok())
            check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
        if (ok())
            events.push_back(e);
        return e;
    }
    // The addresses say where they are.
    void copy(void *to, const float *from, int n)
    {
        if (ok() && n > 0)
            check(cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDefault, here));
    }
    void record(cudaEvent_t e)
    {
        if (ok())
            check(cudaEventRecord(e, here));
    }
    void await(cudaEvent_t e)
    {
        if (ok())
            check(cudaStreamWaitEvent(here, e, 0));
    }
    void launched() { check(cudaGetLastError()); }

    int end()
    {
        if (caller < 0)
            return err;
        for (int d = 0; d < n_devices; d++) {
            go(d);
            cudaError_t e = cudaStreamSynchronize(here);
            check(e);
            if (e != cudaSuccess)
                check(cudaStreamSynchronize(here));
        }
        for (float *p : arrays)
            check(cudaFree(p));
        for (cudaEvent_t e : events)
            check(cudaEventDestroy(e));
        go(caller);
        return err;
    }

private:
    void go(int d)
    {
        cudaError_t e = cudaSetDevice(d);
        check(e);
        if (e != cudaSuccess)
            check(cudaSetDevice(d));
    }
};

int transform(const float *in, float *out, int n, int n_devices)
{
    Call call(n_devices);
    call.each([&](int d) {
        Share s = share_of(n, n_devices, d);
        if (s.count == 0)
            return;
        float *data = call.array(s.count);
        call.copy(data, in + s.first, s.count);
        if (!call.ok())
            return;
        transform_kernel<<<blocks_for(s.count), 256, 0, here>>>(data, s.count);
        call.launched();
        call.copy(out + s.first, data, s.count);
    });
    return call.end();
}

int heat(const float *in, float *out, int n, int steps, int n_devices)
{
    Call call(n_devices);
    struct Rod {
        Share s;
        float *cells[2];    // with a cell more at each side
        cudaEvent_t are[2]; // cells[k] are worked out
    } rod[DEVICES_MAX];
    call.each([&](int d) {
        Rod &r = rod[d];
        r.s = share_of(n, n_devices, d);
        for (int k = 0; k < 2; k++) {
            r.cells[k] = call.array(r.s.count + 2);
            r.are[k] = call.event();
        }
        int before = d > 0, behind = d + 1 < n_devices;
        call.copy(r.cells[0] + 1 - before, in + r.s.first - before, before + r.s.count + behind);
    });
    for (int step = 0; step < steps; step++)
        call.each([&](int d) {
            // Each array has an event of its own: device d - 1 has perhaps got this step already, and
            // recorded that of its other array.
            int now = step % 2, next = 1 - now;
            Rod &r = rod[d];
            if (step > 0 && d > 0) {
                call.await(rod[d - 1].are[now]);
                call.copy(r.cells[now], rod[d - 1].cells[now] + rod[d - 1].s.count, 1);
            }
            if (step > 0 && d + 1 < n_devices) {
                call.await(rod[d + 1].are[now]);
                call.copy(r.cells[now] + r.s.count + 1, rod[d + 1].cells[now] + 1, 1);
            }
            if (!call.ok())
                return;
            heat_kernel<<<blocks_for(r.s.count), 256, 0, here>>>(r.cells[next], r.cells[now], r.s.first, r.s.count, n);
            call.launched();
            call.record(r.are[next]);
        });
    call.each([&](int d) { call.copy(out + rod[d].s.first, rod[d].cells[steps % 2] + 1, rod[d].s.count); });
    return call.end();
}

int train(const float *x, const float *y, float *w, int n, int micro, int steps, float rate, int n_devices)
{
    Call call(n_devices);
    struct Pupil {
        Share s;
        float *x, *y, *w, *g, *e, *guest; // guest: the gradient of another one
        cudaEvent_t ready;
    } pupil[DEVICES_MAX];
    call.each([&](int d) {
        Pupil &p = pupil[d];
        p.s = share_of(n, n_devices, d);
        p.x = call.array(p.s.count * FEATURES);
        p.y = call.array(p.s.count);
        p.e = call.array(p.s.count < micro ? p.s.count : micro);
        p.w = call.array(FEATURES);
        p.g = call.array(FEATURES);
        p.guest = call.array(FEATURES);
        p.ready = call.event();
        call.copy(p.x, x + (size_t)p.s.first * FEATURES, p.s.count * FEATURES);
        call.copy(p.y, y + p.s.first, p.s.count);
        call.copy(p.w, w, FEATURES);
    });
    for (int step = 0; step < steps && call.ok(); step++) {
        call.each([&](int d) {
            Pupil &p = pupil[d];
            call.check(cudaMemsetAsync(p.g, 0, FEATURES * sizeof(float), here));
            for (int i = 0; i < p.s.count && call.ok();) {
                int count = p.s.count - i < micro ? p.s.count - i : micro;
                error_kernel<<<blocks_for(count), 256, 0, here>>>(p.e, p.x + i * FEATURES, p.y + i, p.w, count);
                call.launched();
                if (!call.ok())
                    return;
                gradient_kernel<<<FEATURES, 128, 0, here>>>(p.g, p.e, p.x + i * FEATURES, count);
                call.launched();
                i += count;
            }
        });
        // In rounds: of devices 2k and 2k + 1 the first one gets both sums, then of 4k and 4k + 2, and so on.
        for (int apart = 1; apart < n_devices; apart *= 2)
            for (int d = 0; d + apart < n_devices; d += 2 * apart) {
                call.on(d + apart, [&](int giver) { call.record(pupil[giver].ready); });
                call.on(d, [&](int taker) {
                    Pupil &p = pupil[taker];
                    call.await(pupil[taker + apart].ready);
                    call.copy(p.guest, pupil[taker + apart].g, FEATURES);
                    if (!call.ok())
                        return;
                    axpy_kernel<<<1, FEATURES, 0, here>>>(p.g, 1.0f, p.guest);
                    call.launched();
                });
            }
        call.on(0, [&](int) {
            axpy_kernel<<<1, FEATURES, 0, here>>>(pupil[0].w, -(rate / n), pupil[0].g);
            call.launched();
            call.record(pupil[0].ready);
        });
        call.each([&](int d) {
            if (d == 0)
                return;
            call.await(pupil[0].ready);
            call.copy(pupil[d].w, pupil[0].w, FEATURES);
        });
    }
    call.on(0, [&](int) { call.copy(w, pupil[0].w, FEATURES); });
    return call.end();
}
