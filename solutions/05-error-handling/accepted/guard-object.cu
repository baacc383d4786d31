// expect: pass
// A guard object frees and clears; all three arrays live in one allocation; copies go through a stream of their own.
#include <cstdio>
#include <type_traits>

#include "lab.h"
#include "error_handling.h"

static cudaError_t complain(cudaError_t what, const char *file, int line, const char *call)
{
    std::fprintf(stderr, "%s, line %d: %s\n  gave %s (%s)\n", file, line, call, cudaGetErrorName(what),
                 cudaGetErrorString(what));
    return what;
}

#define CHECK(...)                                                                                  \
    for (cudaError_t check_gave_ = (__VA_ARGS__);                                                   \
         check_gave_ != cudaSuccess && (err = complain(check_gave_, __FILE__, __LINE__, #__VA_ARGS__)) != cudaSuccess;) \
    goto done

__global__ void gather_kernel(const float *in, const int *index, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[index[i]];
}

namespace {

// Wipes out what is noted when the function is left, whichever way.
struct Forget {
    ~Forget() { cudaGetLastError(); }
};

// One piece of device memory, handed out from its start.
class Arena {
  public:
    ~Arena() { cudaFree(base_); }
    cudaError_t open(size_t bytes) { return cudaMalloc(&base_, bytes); }
    template <typename T> T *take(size_t count)
    {
        T *mine = reinterpret_cast<T *>(base_ + used_);
        used_ += padded<T>(count);
        return mine;
    }
    template <typename T> static constexpr size_t padded(size_t count)
    {
        return (count * sizeof(T) + 255) / 256 * 256;
    }

  private:
    char *base_ = nullptr;
    size_t used_ = 0;
};

class Stream {
  public:
    ~Stream()
    {
        if (made_)
            cudaStreamDestroy(stream_);
    }
    cudaError_t open()
    {
        cudaError_t result = cudaStreamCreate(&stream_);
        made_ = result == cudaSuccess;
        return result;
    }
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
    bool made_ = false;
};

template <typename A, typename B> constexpr auto smaller(A a, B b) -> typename std::common_type<A, B>::type
{
    return a < b ? a : b;
}

} // namespace

int gather(const float *in, int n_in, const int *index, float *out, int n)
{
    Forget forget;
    Arena arena;
    Stream stream;
    cudaError_t err = cudaSuccess;
    float *d_in = nullptr, *d_out = nullptr;
    int *d_index = nullptr, multiprocessors = 0;
    if (n <= 0)
        return err;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(stream.open());
    CHECK(arena.open(Arena::padded<float>(n_in) + Arena::padded<int>(n) + Arena::padded<float>(n)));
    d_in = arena.take<float>(n_in);
    d_index = arena.take<int>(n);
    d_out = arena.take<float>(n);
    CHECK(cudaMemcpyAsync(d_in, in, sizeof *in * n_in, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_index, index, sizeof *index * n, cudaMemcpyHostToDevice, stream));
    gather_kernel<<<smaller((n - 1) / 256 + 1, 4 * multiprocessors), 256, 0, stream>>>(d_in, d_index, d_out, n);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(out, d_out, sizeof *out * n, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
done:
    return err;
}

// By recursion: each call asks once, and leaves the rest to one that asks for half as much.
int reserve(float **buffer, size_t *count)
{
    Forget forget;
    void *got = nullptr;
    const cudaError_t err = cudaMalloc(&got, sizeof(float) * *count);
    *buffer = err == cudaSuccess ? static_cast<float *>(got) : nullptr;
    if (err != cudaErrorMemoryAllocation || *count < 2)
        return err;
    *count >>= 1;
    return reserve(buffer, count);
}

int device_is_usable(void)
{
    Forget forget;
    size_t free_bytes = 0, all_bytes = 0;
    cudaGetLastError();
    return cudaDeviceSynchronize() == cudaSuccess && cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess;
}

int with_retry(Job *job, void *data, int attempts)
{
    Forget forget;
    cudaGetLastError();
    const int status = job(data);
    return status != cudaSuccess && attempts > 1 && device_is_usable() ? with_retry(job, data, attempts - 1) : status;
}

#include "check_probe.h"
