// expect: pass
// Memory is freed in the order of its stream, and a wait behind that only cleans up.
// Classes that own what they made, memory that is allocated in the order of its stream, and a Status that keeps the
// first error.
#include <algorithm>
#include <array>

#include "calibration.h"
#include "lab.h"
#include "streams.h"

namespace
{

class Status
{
public:
    bool operator()(cudaError_t e) // whether all is still well
    {
        if (first_ == cudaSuccess)
            first_ = e;
        return first_ == cudaSuccess;
    }
    bool ok() const { return first_ == cudaSuccess; }
    int code() const { return first_; }

private:
    cudaError_t first_ = cudaSuccess;
};

template <bool Dark> __global__ void correct(float *data, const float *dark, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float reading = data[i];
        if constexpr (Dark)
            reading -= dark[i];
        data[i] = calibrated(reading);
    }
}

bool enqueue(Status &status, const float *in, const float *d_dark, float *out, int n, float *d_data, cudaStream_t stream)
{
    const size_t bytes = sizeof(float) * n;
    if (!status(cudaMemcpyAsync(d_data, in, bytes, cudaMemcpyDefault, stream)))
        return false;
    const unsigned blocks = n / 128 + (n % 128 != 0);
    if (d_dark != nullptr)
        correct<true><<<blocks, 128, 0, stream>>>(d_data, d_dark, n);
    else
        correct<false><<<blocks, 128, 0, stream>>>(d_data, nullptr, n);
    return status(cudaGetLastError()) && status(cudaMemcpyAsync(out, d_data, bytes, cudaMemcpyDefault, stream));
}

// Memory that comes and goes in the order of a stream.
class Ordered
{
public:
    Ordered() = default;
    Ordered(const Ordered &) = delete;
    Ordered &operator=(const Ordered &) = delete;
    ~Ordered() { release(); }

    cudaError_t get(int floats, cudaStream_t stream)
    {
        void *p = nullptr;
        cudaError_t e = cudaMallocAsync(&p, sizeof(float) * floats, stream);
        if (e == cudaSuccess) {
            data_ = static_cast<float *>(p);
            stream_ = stream;
        }
        return e;
    }
    void release()
    {
        if (data_ != nullptr && cudaFreeAsync(data_, stream_) != cudaSuccess) {
            cudaDeviceSynchronize();
            cudaFree(data_);
        }
        data_ = nullptr;
    }
    operator float *() const { return data_; }

private:
    float *data_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

struct Lane {
    cudaStream_t stream = nullptr;
    Ordered data;

    bool open(Status &status, int floats)
    {
        if (!status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) {
            stream = nullptr;
            return false;
        }
        return status(data.get(floats, stream));
    }
    ~Lane()
    {
        if (stream == nullptr)
            return;
        data.release();
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
};

struct Lanes {
    std::array<Lane, STREAMS_MAX> lane;
    int used;

    Lanes(Status &status, int n, int floats) : used(n)
    {
        for (int s = 0; s < n && lane[s].open(status, floats); s++)
            ;
    }
    Lane &of(int chunk) { return lane[chunk % used]; }
    void settle(Status &status) // until all is done, whether well or not
    {
        for (int s = 0; s < used && lane[s].stream != nullptr; s++)
            status(cudaStreamSynchronize(lane[s].stream));
    }
};

class Mark
{
public:
    Mark() = default;
    Mark(const Mark &) = delete;
    Mark &operator=(const Mark &) = delete;
    ~Mark()
    {
        if (event_ != nullptr)
            cudaEventDestroy(event_);
    }
    cudaError_t make()
    {
        cudaError_t e = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
        if (e != cudaSuccess)
            event_ = nullptr;
        return e;
    }
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

} // namespace

int host_array_create(float **array, size_t n)
{
    void *p = nullptr;
    cudaError_t e = cudaHostAlloc(&p, sizeof(float) * n, cudaHostAllocPortable);
    *array = e == cudaSuccess ? static_cast<float *>(p) : nullptr;
    return e;
}

int host_array_destroy(float *array)
{
    return array == nullptr ? cudaSuccess : cudaFreeHost(array);
}

int calibrate_chunk(const float *in, float *out, int n, float *d_data, cudaStream_t stream)
{
    Status status;
    if (n > 0)
        enqueue(status, in, nullptr, out, n, d_data, stream);
    return status.code();
}

int calibrate_all(const float *in, float *out, int n, int chunk, int n_streams)
{
    Status status;
    Lanes lanes(status, n_streams, chunk);
    for (int i = 0, first = 0; status.ok() && first < n; i++, first += chunk)
        enqueue(status, in + first, nullptr, out + first, std::min(chunk, n - first), lanes.of(i).data,
                lanes.of(i).stream);
    lanes.settle(status);
    return status.code();
}

int calibrate_dark(const float *in, const float *dark, float *out, int n, int chunk, int n_streams)
{
    Status status;
    Lanes lanes(status, n_streams, chunk);
    Ordered d_dark; // its memory is freed in lane 0, before that goes
    Mark arrived;
    cudaStream_t origin = lanes.lane[0].stream;
    if (status.ok() && status(d_dark.get(chunk, origin)) && status(arrived.make()) &&
        status(cudaMemcpyAsync(d_dark, dark, sizeof(float) * chunk, cudaMemcpyDefault, origin)))
        status(cudaEventRecord(arrived, origin));
    for (int i = 0, first = 0; status.ok() && first < n; i++, first += chunk) {
        Lane &lane = lanes.of(i);
        if (i > 0 && i < n_streams && !status(cudaStreamWaitEvent(lane.stream, arrived, 0)))
            break;
        enqueue(status, in + first, d_dark, out + first, std::min(chunk, n - first), lane.data, lane.stream);
    }
    lanes.settle(status);
    return status.code();
}

int calibrate_count(const float *in, float *out, int n, int chunk, int n_streams, float limit, int *n_over)
{
    Status status;
    Lanes lanes(status, n_streams, chunk);
    std::array<Mark, STREAMS_MAX> back;
    for (int s = 0; s < n_streams && status.ok(); s++)
        status(back[s].make());

    int over = 0;
    const auto count = [&](int i) {
        if (!status(cudaEventSynchronize(back[i % n_streams])))
            return;
        const int first = i * chunk;
        over += static_cast<int>(
            std::count_if(out + first, out + first + std::min(chunk, n - first), [limit](float y) { return y > limit; }));
    };

    int queued = 0, counted = 0;
    for (int first = 0; status.ok() && first < n; first += chunk, queued++) {
        if (queued - counted == n_streams)
            count(counted++);
        if (status.ok() && enqueue(status, in + first, nullptr, out + first, std::min(chunk, n - first),
                                   lanes.of(queued).data, lanes.of(queued).stream))
            status(cudaEventRecord(back[queued % n_streams], lanes.of(queued).stream));
    }
    while (status.ok() && counted < queued)
        count(counted++);
    *n_over = over;
    lanes.settle(status);
    return status.code();
}
