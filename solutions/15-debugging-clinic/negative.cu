// Request 7. s007 asks:
//
// "The negative of a picture. First I had blocks of 16 by 16, and it worked. Larger blocks are quicker, so I took 64 by 64.
// Now it is very quick, no error is printed, and what comes out is rubbish, or the picture of the run before. My
// program checks every call with CUDA_CHECK."
#include "debugging_clinic.h"
#include "lab.h"

__global__ void negative_kernel(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = 255 - in[y * width + x];
}

int negative(const float *in, float *out, int width, int height)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    //@ solution 7
    dim3 block(32, 32); // a block has 1,024 threads at most
    //@ stub
    //| dim3 block(64, 64);
    //@ end
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    negative_kernel<<<grid, block>>>(d_in, d_out, width, height);
    //@ solution 7
    CUDA_CHECK_LAUNCH(); // a launch returns nothing: somebody must ask
    //@ end

    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
//@ solution 7
//@ stub
//| // TODO 7: find the mistake, mend it, and write tool, line and kind into diagnoses.yaml. Then delete this line.
//@ end
