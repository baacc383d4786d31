// Lab 18: one piece of work on several devices. The contract is in several_devices.h, the steps are in
// README.md.
#include "lab.h"
#include "model.h"
#include "several_devices.h"

// ---- Given: the kernels, which are right ----

#define BLOCK 256

int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

__global__ void transform_kernel(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = transformed(data[i]);
}

// A step of a device's share of the rod. Cell i of the share, the rod's cell first + i, is element i + 1 of
// both arrays; elements 0 and count + 1 are the neighbours' cells, where there are neighbours.
__global__ void heat_kernel(float *next, const float *now, int first, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    bool end = first + i == 0 || first + i == n - 1;
    next[i + 1] = end ? now[i + 1] : heated(now[i], now[i + 1], now[i + 2]);
}

// e[i] = error of sample i, for n samples.
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

// Adds the sum of e[i] * x[i * FEATURES + j] over n samples to g[j]. One block of FEATURES threads.
__global__ void gradient_kernel(float *g, const float *e, const float *x, int n)
{
    int j = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += e[i] * x[i * FEATURES + j];
    g[j] += sum;
}

// sum[j] += other[j]. One block of FEATURES threads.
__global__ void add_kernel(float *sum, const float *other)
{
    sum[threadIdx.x] += other[threadIdx.x];
}

// w[j] -= factor * g[j]. One block of FEATURES threads.
__global__ void update_kernel(float *w, const float *g, float factor)
{
    w[threadIdx.x] -= factor * g[threadIdx.x];
}

// ---- Who has what ----

//@ show share
Share share_of(int n, int n_devices, int d)
{
    Share s = {0, 0};
    //@ solution 1
    int each = n / n_devices, rest = n % n_devices;
    s.count = each + (d < rest ? 1 : 0);
    s.first = d * each + (d < rest ? d : rest);
    //@ stub
    //| // TODO 1: how many elements does each device have at least, and how many are left over? Who gets
    //| // those?
    //@ end
    return s;
}
//@ end

// ---- What a function has on each device ----

enum { ARRAYS_MAX = 5 };

typedef struct Part {
    Share share;
    cudaStream_t stream;
    cudaEvent_t ready; // for what others wait for
    float *array[ARRAYS_MAX];
} Part;

typedef struct Team {
    int n_devices;
    int caller; // the device that was current before
    Part part[DEVICES_MAX];
} Team;

// Gives every device its share of n elements, a stream and an event. When it fails, what was made so far is
// in *t all the same, for team_end.
static cudaError_t team_begin(Team *t, int n, int n_devices)
{
    *t = Team();
    cudaError_t err = cudaGetDevice(&t->caller);
    t->n_devices = err == cudaSuccess ? n_devices : 0;
    for (int d = 0; d < n_devices && err == cudaSuccess; d++) {
        Part *p = &t->part[d];
        p->share = share_of(n, n_devices, d);
        //@ solution 2
        err = cudaSetDevice(d);
        if (err == cudaSuccess)
            err = cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking);
        if (err == cudaSuccess)
            err = cudaEventCreateWithFlags(&p->ready, cudaEventDisableTiming);
        //@ stub
        //| // TODO 2 (begin): a stream and an event (cudaEventDisableTiming) that belong to device d.
        //@ end
    }
    return err;
}

// Array k of device d becomes an array of n floats there. That device is current afterwards.
static cudaError_t team_alloc(Team *t, int d, int k, int n)
{
    cudaError_t err = cudaSetDevice(d);
    return err != cudaSuccess ? err : cudaMalloc(&t->part[d].array[k], n * sizeof(float));
}

// Gives back what device d has: its arrays, its event and its stream, as far as they were made.
static void part_end(Part *p, int d)
{
    //@ solution 2
    cudaSetDevice(d);
    for (int k = 0; k < ARRAYS_MAX; k++)
        cudaFree(p->array[k]);
    if (p->ready != NULL)
        cudaEventDestroy(p->ready);
    if (p->stream != NULL)
        cudaStreamDestroy(p->stream);
    //@ stub
    //| // TODO 2 (end): free the arrays, and destroy the event and the stream where they are not NULL.
    //@ end
}

// Waits for all devices, gives everything back, and makes the caller's device current again. Returns err, or
// the first error that shows here.
static cudaError_t team_end(Team *t, cudaError_t err)
{
    for (int d = 0; d < t->n_devices; d++) { // all of them, before memory goes that another one may still read
        cudaSetDevice(d);
        cudaError_t ended = cudaDeviceSynchronize();
        err = err != cudaSuccess ? err : ended;
    }
    for (int d = 0; d < t->n_devices; d++)
        part_end(&t->part[d], d);
    //@ solution 2
    cudaSetDevice(t->caller);
    //@ stub
    //| // TODO 2 (caller): which device was current before?
    //@ end
    return err;
}

// ---- All devices at the same time ----

// Puts device d's share of the work into its stream.
static cudaError_t transform_share(Team *t, int d, const float *in, float *out)
{
    Share s = t->part[d].share;
    if (s.count == 0)
        return cudaSuccess;
    cudaError_t err = team_alloc(t, d, 0, s.count);
    //@ solution 2
    Part *p = &t->part[d];
    size_t bytes = s.count * sizeof(float);
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(p->array[0], in + s.first, bytes, cudaMemcpyHostToDevice, p->stream);
    if (err == cudaSuccess) {
        transform_kernel<<<blocks_for(s.count), BLOCK, 0, p->stream>>>(p->array[0], s.count);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(out + s.first, p->array[0], bytes, cudaMemcpyDeviceToHost, p->stream);
    //@ stub
    //| // TODO 2 (share): copy this share of in to p->array[0], transform it there, copy it to its place
    //| // in out; all of it in p->stream, and without waiting.
    //@ end
    return err;
}

int transform(const float *in, float *out, int n, int n_devices)
{
    Team t;
    cudaError_t err = team_begin(&t, n, n_devices);
    for (int d = 0; d < n_devices && err == cudaSuccess; d++)
        err = transform_share(&t, d, in, out);
    return team_end(&t, err);
}

// ---- Neighbours: what one device works out, another one needs ----

// Device d's share of the rod, with a cell more at each side, is in array 0; array 1 has room for the same.
static cudaError_t heat_begin(Team *t, int d, const float *in, int n)
{
    Part *p = &t->part[d];
    Share s = p->share;
    cudaError_t err = team_alloc(t, d, 0, s.count + 2);
    if (err == cudaSuccess)
        err = team_alloc(t, d, 1, s.count + 2);
    int from = s.first > 0 ? s.first - 1 : 0, to = s.first + s.count < n ? s.first + s.count + 1 : n;
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(p->array[0] + (from - s.first + 1), in + from, (to - from) * sizeof(float),
                              cudaMemcpyHostToDevice, p->stream);
    return err;
}

// The step from array `now` to the other one, on device d; p->ready says when it is done.
static cudaError_t heat_step(Team *t, int d, int now, int n)
{
    cudaError_t err = cudaSuccess;
    //@ solution 3
    Part *p = &t->part[d];
    Share s = p->share;
    err = cudaSetDevice(d);
    if (err == cudaSuccess) {
        heat_kernel<<<blocks_for(s.count), BLOCK, 0, p->stream>>>(p->array[1 - now], p->array[now], s.first,
                                                                  s.count, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaEventRecord(p->ready, p->stream);
    //@ stub
    //| // TODO 3 (step): launch heat_kernel in p->stream, on the right device, and record p->ready
    //| // behind it.
    //@ end
    return err;
}

// Copies the one cell at `from` on device `source` to `to` on device d, in d's stream, when source is ready.
static cudaError_t fetch_cell(Team *t, int d, float *to, int source, const float *from)
{
    cudaError_t err = cudaSuccess;
    //@ solution 3
    Part *p = &t->part[d];
    err = cudaStreamWaitEvent(p->stream, t->part[source].ready, 0);
    if (err == cudaSuccess)
        err = cudaMemcpyPeerAsync(to, d, from, source, sizeof(float), p->stream);
    //@ stub
    //| // TODO 3 (cell): let d's stream wait for the source's event; then cudaMemcpyPeerAsync in d's
    //| // stream.
    //@ end
    return err;
}

// Brings the neighbours' outermost cells in array k to the elements beyond both ends of d's share.
static cudaError_t heat_exchange(Team *t, int d, int k)
{
    cudaError_t err = cudaSuccess;
    //@ solution 3
    Part *p = &t->part[d];
    if (d > 0) {
        Part *left = &t->part[d - 1];
        err = fetch_cell(t, d, p->array[k], d - 1, left->array[k] + left->share.count);
    }
    if (err == cudaSuccess && d + 1 < t->n_devices)
        err = fetch_cell(t, d, p->array[k] + p->share.count + 1, d + 1, t->part[d + 1].array[k] + 1);
    //@ stub
    //| // TODO 3 (exchange): which cell does the left neighbour have that this share needs, and in which
    //| // element of array k does it belong here? Then the same on the right, where `count` matters.
    //| Part *p = &t->part[d];
    //| if (d > 0)
    //|     err = fetch_cell(t, d, p->array[k], d - 1, t->part[d - 1].array[k]);
    //| if (d + 1 < t->n_devices && err == cudaSuccess)
    //|     err = fetch_cell(t, d, p->array[k], d + 1, t->part[d + 1].array[k]);
    //@ end
    return err;
}

int heat(const float *in, float *out, int n, int steps, int n_devices)
{
    Team t;
    int now = 0;
    cudaError_t err = team_begin(&t, n, n_devices);
    for (int d = 0; d < n_devices && err == cudaSuccess; d++)
        err = heat_begin(&t, d, in, n);
    for (int step = 0; step < steps; step++, now = 1 - now) {
        for (int d = 0; d < n_devices && err == cudaSuccess; d++)
            err = heat_step(&t, d, now, n);
        for (int d = 0; d < n_devices && err == cudaSuccess; d++)
            err = heat_exchange(&t, d, 1 - now);
    }
    for (int d = 0; d < n_devices && err == cudaSuccess; d++) {
        Share s = t.part[d].share;
        err = cudaMemcpyAsync(out + s.first, t.part[d].array[now] + 1, s.count * sizeof(float),
                              cudaMemcpyDeviceToHost, t.part[d].stream);
    }
    return team_end(&t, err);
}

// ---- Training: every device has samples, and all of them need one sum ----

// The arrays of a device: its samples, the weights, its gradient, errors of `micro` samples.
enum { X, Y, W, G, E };

// Brings device d's samples and the first weights to it.
static cudaError_t train_begin(Team *t, int d, const float *x, const float *y, const float *w, int micro)
{
    Part *p = &t->part[d];
    Share s = p->share;
    const int sizes[] = {s.count * FEATURES, s.count, FEATURES, FEATURES, micro};
    cudaError_t err = cudaSuccess;
    for (int k = X; k <= E && err == cudaSuccess; k++)
        err = team_alloc(t, d, k, sizes[k]);
    const float *from[] = {x + (size_t)s.first * FEATURES, y + s.first, w};
    for (int k = X; k <= W && err == cudaSuccess; k++)
        if (sizes[k] > 0)
            err = cudaMemcpyAsync(p->array[k], from[k], sizes[k] * sizeof(float), cudaMemcpyHostToDevice,
                                  p->stream);
    return err;
}

// Device d's array G becomes the sum of e[i] * x[i * FEATURES + j] over all samples of its share, which are
// worked on in pieces of at most `micro`; p->ready says when it is there.
static cudaError_t train_accumulate(Team *t, int d, int micro)
{
    cudaError_t err = cudaSetDevice(d);
    //@ solution 4
    Part *p = &t->part[d];
    if (err == cudaSuccess)
        err = cudaMemsetAsync(p->array[G], 0, FEATURES * sizeof(float), p->stream);
    for (int i = 0; i < p->share.count && err == cudaSuccess; i += micro) {
        int count = p->share.count - i < micro ? p->share.count - i : micro;
        const float *x = p->array[X] + (size_t)i * FEATURES;
        error_kernel<<<blocks_for(count), BLOCK, 0, p->stream>>>(p->array[E], x, p->array[Y] + i, p->array[W],
                                                                 count);
        gradient_kernel<<<1, FEATURES, 0, p->stream>>>(p->array[G], p->array[E], x, count);
        err = cudaGetLastError(); // of both
    }
    if (err == cudaSuccess)
        err = cudaEventRecord(p->ready, p->stream);
    //@ stub
    //| // TODO 4: the gradient is 0 at first. For each piece of the share error_kernel, then
    //| // gradient_kernel, which adds. How long is the last piece? Record p->ready behind all of it.
    //@ end
    return err;
}

// Lets kernels on device 0 read the memory of all the others. It may have been so before.
static cudaError_t open_peers(int n_devices)
{
    cudaError_t err = cudaSetDevice(0);
    //@ solution 5
    for (int d = 1; d < n_devices && err == cudaSuccess; d++) {
        err = cudaDeviceEnablePeerAccess(d, 0);
        if (err == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError(); // as good as success: let nobody else find it
            err = cudaSuccess;
        }
    }
    //@ stub
    //| // TODO 5 (open): cudaDeviceEnablePeerAccess(d, 0) for each other device d.
    //| // cudaErrorPeerAccessAlreadyEnabled is fine; take it away with cudaGetLastError.
    //@ end
    return err;
}

// Device 0 adds up the gradients of all devices and takes w[j] -= factor * g[j]; its event `ready` says when
// the new weights are there.
static cudaError_t train_update(Team *t, float factor)
{
    cudaError_t err = cudaSetDevice(0);
    //@ solution 5
    Part *zero = &t->part[0];
    for (int d = 1; d < t->n_devices && err == cudaSuccess; d++) {
        err = cudaStreamWaitEvent(zero->stream, t->part[d].ready, 0);
        if (err == cudaSuccess)
            add_kernel<<<1, FEATURES, 0, zero->stream>>>(zero->array[G], t->part[d].array[G]);
    }
    if (err == cudaSuccess) {
        update_kernel<<<1, FEATURES, 0, zero->stream>>>(zero->array[W], zero->array[G], factor);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaEventRecord(zero->ready, zero->stream);
    //@ stub
    //| // TODO 5 (update): in device 0's stream, wait for each other device's gradient and add it with
    //| // add_kernel, which reads it where it is; then update_kernel; then record zero->ready.
    //@ end
    return err;
}

// Brings the new weights from device 0 to device d.
static cudaError_t train_share_weights(Team *t, int d)
{
    cudaError_t err = cudaSuccess;
    //@ solution 5
    Part *p = &t->part[d];
    err = cudaStreamWaitEvent(p->stream, t->part[0].ready, 0);
    if (err == cudaSuccess)
        err =
            cudaMemcpyPeerAsync(p->array[W], d, t->part[0].array[W], 0, FEATURES * sizeof(float), p->stream);
    //@ stub
    //| // TODO 5 (weights): in d's stream, wait for device 0's event, then copy the weights from device
    //| // to device.
    //@ end
    return err;
}

int train(const float *x, const float *y, float *w, int n, int micro, int steps, float rate, int n_devices)
{
    Team t;
    cudaError_t err = team_begin(&t, n, n_devices);
    if (err == cudaSuccess)
        err = open_peers(n_devices);
    for (int d = 0; d < n_devices && err == cudaSuccess; d++)
        err = train_begin(&t, d, x, y, w, micro);
    float factor = 0; // of what the kernels add up
    //@ solution 5
    factor = rate / n;
    //@ stub
    //| // TODO 5 (factor): what makes of the sum the step that the weights take?
    //@ end
    for (int step = 0; step < steps; step++) {
        for (int d = 0; d < n_devices && err == cudaSuccess; d++)
            err = train_accumulate(&t, d, micro);
        if (err == cudaSuccess)
            err = train_update(&t, factor);
        for (int d = 1; d < n_devices && err == cudaSuccess; d++)
            err = train_share_weights(&t, d);
    }
    //@ solution 5
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(w, t.part[0].array[W], FEATURES * sizeof(float), cudaMemcpyDeviceToHost,
                              t.part[0].stream);
    //@ stub
    //| // TODO 5 (result): copy array W of device 0 to w, in that device's stream.
    //@ end
    return team_end(&t, err);
}
