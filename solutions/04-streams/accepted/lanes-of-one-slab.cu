// expect: pass
// One kernel with dark or without, one piece of device memory that the streams share out, and counting in host functions.
#include <algorithm>
#include "calibration.h"
#include "lab.h"
#include "streams.h"

namespace {

// The first error stays.
class First {
  public:
    First &operator<<(cudaError_t now)
    {
        if (err_ == cudaSuccess)
            err_ = now;
        return *this;
    }
    bool ok() const { return err_ == cudaSuccess; }
    cudaError_t get() const { return err_; }

  private:
    cudaError_t err_ = cudaSuccess;
};

template <bool WithDark>
__global__ void correct(float *data, const float *dark, int n)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        data[i] = calibrated(WithDark ? data[i] - dark[i] : data[i]);
}

template <bool WithDark>
cudaError_t put_chunk(const float *in, const float *d_dark, float *out, int n, float *d_data, cudaStream_t stream)
{
    if (n == 0)
        return cudaSuccess;
    const std::size_t bytes = sizeof(float) * n;
    First err;
    err << cudaMemcpyAsync(d_data, in, bytes, cudaMemcpyHostToDevice, stream);
    if (err.ok()) {
        correct<WithDark><<<std::min((n + 127) / 128, 4096), 128, 0, stream>>>(d_data, d_dark, n);
        err << cudaGetLastError();
    }
    if (err.ok())
        err << cudaMemcpyAsync(out, d_data, bytes, cudaMemcpyDeviceToHost, stream);
    return err.get();
}

// Streams, and one slab of device memory that they share out among themselves.
class Lanes {
  public:
    cudaError_t open(int lanes, int chunk)
    {
        First err;
        chunk_ = chunk;
        err << cudaMalloc(reinterpret_cast<void **>(&slab_), sizeof(float) * lanes * chunk);
        while (err.ok() && opened_ < lanes) {
            err << cudaStreamCreateWithFlags(&stream_[opened_], cudaStreamNonBlocking);
            if (err.ok())
                opened_++;
        }
        return err.get();
    }
    cudaError_t close()
    {
        First err;
        for (int s = 0; s < opened_; s++)
            err << cudaStreamSynchronize(stream_[s]);
        while (opened_ > 0)
            err << cudaStreamDestroy(stream_[--opened_]);
        err << cudaFree(slab_);
        slab_ = nullptr;
        return err.get();
    }
    cudaStream_t stream(int s) const { return stream_[s]; }
    float *data(int s) const { return slab_ + static_cast<std::size_t>(s) * chunk_; }

  private:
    cudaStream_t stream_[STREAMS_MAX] = {};
    float *slab_ = nullptr;
    int opened_ = 0, chunk_ = 0;
};

// step(lane, first, count) for every chunk, lanes in turn, up to the first error.
template <typename Step>
cudaError_t each_chunk(int n, int chunk, int lanes, Step step)
{
    First err;
    int lane = 0;
    for (long long first = 0; first < n && err.ok(); first += chunk) {
        err << step(lane, first, static_cast<int>(std::min<long long>(chunk, n - first)));
        lane = lane + 1 == lanes ? 0 : lane + 1;
    }
    return err.get();
}

// What one stream's chunks have in common. Its host functions run one after the other.
struct Counter {
    const float *out;
    long long next, jump, n;
    int chunk;
    float limit;
    int over;

    static void CUDART_CB count(void *self)
    {
        Counter &c = *static_cast<Counter *>(self);
        const long long end = std::min(c.n, c.next + c.chunk);
        c.over += static_cast<int>(std::count_if(c.out + c.next, c.out + end, [&](float v) { return v > c.limit; }));
        c.next += c.jump;
    }
};

} // namespace

int calibrate_chunk(const float *in, float *out, int n, float *d_data, cudaStream_t stream)
{
    return put_chunk<false>(in, nullptr, out, n, d_data, stream);
}

int calibrate_all(const float *in, float *out, int n, int chunk, int n_streams)
{
    if (n == 0)
        return cudaSuccess;
    Lanes lanes;
    First err;
    err << lanes.open(n_streams, chunk);
    if (err.ok())
        err << each_chunk(n, chunk, n_streams, [&](int s, long long first, int count) {
            return put_chunk<false>(in + first, nullptr, out + first, count, lanes.data(s), lanes.stream(s));
        });
    err << lanes.close();
    return err.get();
}

int host_array_create(float **array, size_t n)
{
    void *memory = nullptr;
    const cudaError_t err = cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocPortable);
    *array = err == cudaSuccess ? static_cast<float *>(memory) : nullptr;
    return err;
}

int host_array_destroy(float *array)
{
    if (array == nullptr)
        return cudaSuccess;
    return cudaFreeHost(array);
}

int calibrate_dark(const float *in, const float *dark, float *out, int n, int chunk, int n_streams)
{
    if (n == 0)
        return cudaSuccess;
    Lanes lanes;
    float *d_dark = nullptr;
    cudaEvent_t arrived = nullptr;
    First err;
    err << lanes.open(n_streams, chunk);
    if (err.ok())
        err << cudaMalloc(reinterpret_cast<void **>(&d_dark), sizeof(float) * chunk);
    if (err.ok())
        err << cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    if (err.ok())
        err << cudaMemcpyAsync(d_dark, dark, sizeof(float) * chunk, cudaMemcpyHostToDevice, lanes.stream(0));
    if (err.ok())
        err << cudaEventRecord(arrived, lanes.stream(0));
    for (int s = n_streams - 1; s > 0 && err.ok(); s--)
        err << cudaStreamWaitEvent(lanes.stream(s), arrived, 0);
    if (err.ok())
        err << each_chunk(n, chunk, n_streams, [&](int s, long long first, int count) {
            return put_chunk<true>(in + first, d_dark, out + first, count, lanes.data(s), lanes.stream(s));
        });
    err << lanes.close();
    if (arrived != nullptr)
        err << cudaEventDestroy(arrived);
    err << cudaFree(d_dark);
    return err.get();
}

int calibrate_count(const float *in, float *out, int n, int chunk, int n_streams, float limit, int *n_over)
{
    *n_over = 0;
    if (n == 0)
        return cudaSuccess;
    Lanes lanes;
    Counter counters[STREAMS_MAX];
    First err;
    for (int s = 0; s < n_streams; s++)
        counters[s] = {out, static_cast<long long>(s) * chunk, static_cast<long long>(n_streams) * chunk, n, chunk, limit, 0};
    err << lanes.open(n_streams, chunk);
    if (err.ok())
        err << each_chunk(n, chunk, n_streams, [&](int s, long long first, int count) {
            First step;
            step << put_chunk<false>(in + first, nullptr, out + first, count, lanes.data(s), lanes.stream(s));
            if (step.ok())
                step << cudaLaunchHostFunc(lanes.stream(s), Counter::count, &counters[s]);
            return step.get();
        });
    err << lanes.close();
    for (int s = 0; s < n_streams; s++)
        *n_over += counters[s].over;
    return err.get();
}
