// Request 6. s006 asks:
//
// "My function smooths a recording a few times. I call it for each recording that comes in. In the morning all is well; in
// the afternoon cudaMalloc says out of memory, though a recording is small. Starting the program anew helps. I do free
// what I allocate: there are two frees, one for each array!"
#include "debugging_clinic.h"
#include "lab.h"

__global__ void smooth_kernel(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float before = in[i > 0 ? i - 1 : 0];
    float after = in[i < n - 1 ? i + 1 : n - 1];
    out[i] = 0.25f * before + 0.5f * in[i] + 0.25f * after;
}

int smooth(const float *in, float *out, int n, int times)
{
    size_t bytes = n * sizeof(float);
    //@ solution 6
    float *d_now, *d_next;
    //@ stub
    //| float *d_now, *d_next = NULL;
    //@ end
    CUDA_CHECK(cudaMalloc(&d_now, bytes));
    //@ solution 6
    CUDA_CHECK(cudaMalloc(&d_next, bytes)); // one for all rounds: they swap
    //@ end
    CUDA_CHECK(cudaMemcpy(d_now, in, bytes, cudaMemcpyHostToDevice));

    for (int i = 0; i < times; i++) {
        //@ solution 6
        //@ stub
        //| CUDA_CHECK(cudaMalloc(&d_next, bytes));
        //@ end
        smooth_kernel<<<(n + 255) / 256, 256>>>(d_now, d_next, n);
        CUDA_CHECK_LAUNCH();
        float *swap = d_now;
        d_now = d_next;
        d_next = swap;
    }

    CUDA_CHECK(cudaMemcpy(out, d_now, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_now));
    CUDA_CHECK(cudaFree(d_next));
    return cudaSuccess;
}
//@ solution 6
//@ stub
//| // TODO 6: find the mistake, mend it, and write tool, line and kind into diagnoses.yaml. Then delete this line.
//@ end
