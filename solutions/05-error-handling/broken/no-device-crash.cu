// expect: crash
// case: no-device
// says: The program ended
// Does not look whether the number of multiprocessors arrived, and divides by it.
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

int gather(const float *in, int n_in, const int *index, float *out, int n)
{
    cudaError_t err = cudaSuccess;

    float *d_in = NULL;
    int *d_index = NULL;
    float *d_out = NULL;
    int multiprocessors = 0;
    int waves = 0;
    int blocks = (n + 255) / 256;
    if (n == 0)
        return cudaSuccess;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    waves = (blocks + multiprocessors - 1) / multiprocessors;
    CHECK(cudaMalloc(&d_in, n_in * sizeof(float)));
    CHECK(cudaMalloc(&d_index, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in, n_in * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_index, index, n * sizeof(int), cudaMemcpyHostToDevice));

    if (waves > 4)
        blocks = 4 * multiprocessors;
    gather_kernel<<<blocks, 256>>>(d_in, d_index, d_out, n);
    CHECK(cudaGetLastError());      // was the launch accepted?
    CHECK(cudaDeviceSynchronize()); // did the kernel run without a fault?
    CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));

done:
    cudaFree(d_in);
    cudaFree(d_index);
    cudaFree(d_out);
    cudaGetLastError(); // the error is told by err: nobody shall meet it again
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
