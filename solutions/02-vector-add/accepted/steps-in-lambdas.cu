// expect: pass
// Steps that a class keeps the first error of, each given as a lambda; managed arrays that give themselves back.
#include <cstring>
#include "lab.h"
#include "vector_add.h"

// Managed memory: the same pointer for the host and for the device.
template <typename T>
class Managed {
  public:
    Managed() = default;
    Managed(const Managed &) = delete;
    Managed &operator=(const Managed &) = delete;
    ~Managed() { release(); }

    cudaError_t allocate(std::size_t count)
    {
        return cudaMallocManaged(&data_, count * sizeof(T), cudaMemAttachGlobal);
    }
    cudaError_t release()
    {
        T *const data = data_;
        data_ = nullptr;
        return data == nullptr ? cudaSuccess : cudaFree(data);
    }
    T *get() const { return data_; }

  private:
    T *data_ = nullptr;
};

// The first error stays.
class Status {
  public:
    template <typename Step>
    Status &then(Step step)
    {
        if (err_ == cudaSuccess)
            err_ = step();
        return *this;
    }
    template <typename Step>
    Status &always(Step step)
    {
        const cudaError_t now = step();
        if (err_ == cudaSuccess)
            err_ = now;
        return *this;
    }
    int code() const { return err_; }

  private:
    cudaError_t err_ = cudaSuccess;
};

struct Plus {
    __device__ float operator()(float x, float y) const { return __fadd_rn(x, y); }
};

template <typename Op>
__global__ void zip(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n, Op op)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = op(a[i], b[i]);
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    if (n <= 0)
        return cudaSuccess;
    const std::size_t count = n;
    Managed<float> x, y, z;
    Status status;
    status.then([&] { return x.allocate(count); })
        .then([&] { return y.allocate(count); })
        .then([&] { return z.allocate(count); })
        .then([&] {
            std::memcpy(x.get(), a, count * sizeof(float));
            std::memcpy(y.get(), b, count * sizeof(float));
            constexpr unsigned threads = 128;
            const unsigned needed = (n + threads - 1) / threads;
            zip<<<needed < 2048 ? needed : 2048, threads>>>(x.get(), y.get(), z.get(), n, Plus{});
            return cudaGetLastError();
        })
        .then([&] { return cudaDeviceSynchronize(); })
        .then([&] {
            std::memcpy(c, z.get(), count * sizeof(float));
            return cudaSuccess;
        })
        .always([&] { return x.release(); })
        .always([&] { return y.release(); })
        .always([&] { return z.release(); });
    return status.code();
}
