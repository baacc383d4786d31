// expect: pass
// Objects free what they hold when they go out of scope; errors travel as return values.
#include <algorithm>
#include <stdio.h>

#include "lab.h"
#include "error_handling.h"

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        cudaError_t check_err = (call);                                                                   \
        if (check_err != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(check_err));   \
            err = check_err;                                                                              \
            goto done;                                                                                    \
        }                                                                                                 \
    } while (0)

// Each thread fetches elements, as many threads apart as the grid has.
__global__ void gather_kernel(const float *in, const int *index, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[index[i]];
}

// Device memory that frees itself on whatever path its scope is left.
template <typename T> struct DeviceArray {
    T *data = nullptr;
    ~DeviceArray()
    {
        cudaFree(data);
        cudaGetLastError();
    }
    cudaError_t create(size_t n)
    {
        return cudaMalloc(&data, n * sizeof(T));
    }
};

static bool failed(cudaError_t err, const char *what)
{
    if (err != cudaSuccess)
        fprintf(stderr, "gather: %s: %s\n", what, cudaGetErrorString(err));
    return err != cudaSuccess;
}

int gather(const float *in, int n_in, const int *index, float *out, int n)
{
    if (n == 0)
        return cudaSuccess;
    DeviceArray<float> d_in, d_out;
    DeviceArray<int> d_index;
    cudaError_t err;
    if (failed(err = d_in.create(n_in), "allocating in"))
        return err;
    if (failed(err = d_index.create(n), "allocating index"))
        return err;
    if (failed(err = d_out.create(n), "allocating out"))
        return err;
    if (failed(err = cudaMemcpy(d_in.data, in, n_in * sizeof(float), cudaMemcpyDefault), "copying in"))
        return err;
    if (failed(err = cudaMemcpy(d_index.data, index, n * sizeof(int), cudaMemcpyDefault), "copying index"))
        return err;
    int multiprocessors = 0;
    if (failed(err = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "asking the device"))
        return err;
    gather_kernel<<<std::min((n + 127) / 128, 4 * multiprocessors), 128>>>(d_in.data, d_index.data, d_out.data, n);
    if (failed(err = cudaGetLastError(), "launching"))
        return err;
    if (failed(err = cudaDeviceSynchronize(), "gathering"))
        return err;
    failed(err = cudaMemcpy(out, d_out.data, n * sizeof(float), cudaMemcpyDefault), "copying back");
    return err;
}

int reserve(float **buffer, size_t *count)
{
    cudaError_t err = cudaMalloc(buffer, *count * sizeof(float));
    while (err == cudaErrorMemoryAllocation && *count > 1) {
        *count /= 2;
        err = cudaMalloc(buffer, *count * sizeof(float));
    }
    if (err != cudaSuccess)
        *buffer = NULL;
    cudaGetLastError(); // handled, or told by err
    return err;
}

int device_is_usable(void)
{
    cudaGetLastError();                            // an error that has passed is gone after this
    cudaError_t lasting = cudaDeviceSynchronize(); // one that lasts is returned by every call
    cudaGetLastError();
    return lasting == cudaSuccess;
}

int with_retry(Job *job, void *data, int attempts)
{
    int err = cudaErrorNotSupported;
    for (int i = 0; i < attempts; i++) {
        err = job(data);
        if (err == cudaSuccess || !device_is_usable())
            break;
    }
    return err;
}

#include "check_probe.h" // tries your CHECK: leave this line at the end of the file
