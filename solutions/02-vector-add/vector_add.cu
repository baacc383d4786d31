// Lab 02: add two vectors on the device. The contract is in vector_add.h, the steps are in README.md.
#include "lab.h"
#include "vector_add.h"

//@ show kernel
// Each thread adds one element.
__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    //@ solution 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    //@ stub
    //| // TODO 1: work out which element is this thread's, and add it, if there is such an element.
    //@ end
}
//@ end

int vector_add(const float *a, const float *b, float *c, int n)
{
    cudaError_t err = cudaSuccess;

    //@ solution 2
    size_t bytes = n * sizeof(float);
    float *d_a = NULL;
    float *d_b = NULL;
    float *d_c = NULL;
    err = cudaMalloc(&d_a, bytes);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_b, bytes);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_c, bytes);
    //@ stub
    //| // TODO 2: allocate device arrays d_a, d_b and d_c. Keep the first error in err, and go on only while there is none.
    //@ end

    //@ solution 3
    if (err == cudaSuccess)
        err = cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    if (err == cudaSuccess)
        err = cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
    //@ stub
    //| // TODO 3: copy a and b to the device.
    //@ end

    //@ solution 4
    if (err == cudaSuccess && n > 0) {
        int threads = 256;
        int blocks = (n + threads - 1) / threads;
        add_kernel<<<blocks, threads>>>(d_a, d_b, d_c, n);
        err = cudaGetLastError();
    }
    //@ stub
    //| // TODO 4: launch add_kernel with enough blocks for n elements (none when n is 0), and ask whether the launch worked.
    //@ end

    //@ solution 5
    if (err == cudaSuccess)
        err = cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);
    //@ stub
    //| // TODO 5: copy the result back into c.
    //@ end

    //@ solution 6
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    //@ stub
    //| // TODO 6: free the device arrays, also when something above failed.
    //@ end
    return err;
}
