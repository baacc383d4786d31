// Lab 05: errors found, told apart and cleaned up after. The contract is in error_handling.h, the steps are in README.md.
#include <stdio.h>

#include "lab.h"
#include "error_handling.h"

//@ solution 1
#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        cudaError_t check_err = (call);                                                                   \
        if (check_err != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(check_err));   \
            err = check_err;                                                                              \
            goto done;                                                                                    \
        }                                                                                                 \
    } while (0)
//@ stub
//| // TODO 1: this CHECK looks at nothing. Make it do what error_handling.h says.
//| #define CHECK(call) (void)(call)
//@ end

//@ show kernel
// Each thread fetches elements, as many threads apart as the grid has.
__global__ void gather_kernel(const float *in, const int *index, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[index[i]];
}
//@ end

int gather(const float *in, int n_in, const int *index, float *out, int n)
{
    cudaError_t err = cudaSuccess;

    //@ solution 2
    float *d_in = NULL;
    int *d_index = NULL;
    float *d_out = NULL;
    int multiprocessors = 0;
    int blocks = (n + 255) / 256;
    if (n == 0)
        return cudaSuccess;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&d_in, n_in * sizeof(float)));
    CHECK(cudaMalloc(&d_index, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in, n_in * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_index, index, n * sizeof(int), cudaMemcpyHostToDevice));
    //@ stub
    //| // TODO 2: the number of multiprocessors, device arrays d_in, d_index and d_out, and the copies to the device, each call in a CHECK.
    //@ end

    //@ solution 3
    if (blocks > 4 * multiprocessors)
        blocks = 4 * multiprocessors;
    gather_kernel<<<blocks, 256>>>(d_in, d_index, d_out, n);
    CHECK(cudaGetLastError());      // was the launch accepted?
    CHECK(cudaDeviceSynchronize()); // did the kernel run without a fault?
    CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    //@ stub
    //| // TODO 3: launch gather_kernel with at most 4 blocks a multiprocessor, find errors of the launch and of the kernel, copy back.
    //@ end

    //@ solution 4
done:
    cudaFree(d_in);
    cudaFree(d_index);
    cudaFree(d_out);
    cudaGetLastError(); // the error is told by err: nobody shall meet it again
    //@ stub
    //| // TODO 4: the label done; free everything, and leave no error behind.
    //@ end
    return err;
}

int reserve(float **buffer, size_t *count)
{
    //@ solution 5
    cudaError_t err = cudaMalloc(buffer, *count * sizeof(float));
    while (err == cudaErrorMemoryAllocation && *count > 1) {
        *count /= 2;
        err = cudaMalloc(buffer, *count * sizeof(float));
    }
    if (err != cudaSuccess)
        *buffer = NULL;
    cudaGetLastError(); // handled, or told by err
    return err;
    //@ stub
    //| // TODO 5: allocate *count floats, or as many as there is room for.
    //| *buffer = NULL;
    //| return cudaErrorNotSupported;
    //@ end
}

int device_is_usable(void)
{
    //@ solution 6
    cudaGetLastError();                            // an error that has passed is gone after this
    cudaError_t lasting = cudaDeviceSynchronize(); // one that lasts is returned by every call
    cudaGetLastError();
    return lasting == cudaSuccess;
    //@ stub
    //| // TODO 6: find out whether CUDA calls still work.
    //| return 0;
    //@ end
}

int with_retry(Job *job, void *data, int attempts)
{
    int err = cudaErrorNotSupported;
    //@ solution 7
    for (int i = 0; i < attempts; i++) {
        err = job(data);
        if (err == cudaSuccess || !device_is_usable())
            break;
    }
    //@ stub
    //| // TODO 7: call job(data) until it works, at most `attempts` times, as long as there is hope.
    //@ end
    return err;
}

#include "check_probe.h" // tries your CHECK: leave this line at the end of the file
