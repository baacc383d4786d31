// expect: pass
// One allocation holds all three arrays, so fewer calls can fail; reserve calls itself.
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
    size_t bytes = (2 * (size_t)n + n_in) * 4;
    char *block = NULL;
    float *d_out = NULL;
    int *d_index = NULL;
    float *d_in = NULL;
    int multiprocessors = 0, blocks = (n + 511) / 512;
    if (n == 0)
        return cudaSuccess;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&block, bytes));
    d_out = (float *)block;
    d_index = (int *)(d_out + n);
    d_in = (float *)(d_index + n);
    CHECK(cudaMemcpy(d_index, index, n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_in, in, n_in * sizeof(float), cudaMemcpyHostToDevice));
    gather_kernel<<<blocks < 4 * multiprocessors ? blocks : 4 * multiprocessors, 512>>>(d_in, d_index, d_out, n);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
done:
    cudaFree(block);
    cudaGetLastError();
    return err;
}

int reserve(float **buffer, size_t *count)
{
    cudaError_t err = cudaMalloc(buffer, *count * sizeof(float));
    if (err == cudaSuccess)
        return err;
    cudaGetLastError();
    *buffer = NULL;
    if (err != cudaErrorMemoryAllocation || *count <= 1)
        return err;
    *count /= 2;
    return reserve(buffer, count);
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
