// Lab 02: add two vectors on the device. The contract is in vector_add.h, the steps are in README.md.
#include "lab.h"
#include "vector_add.h"

// Each thread adds one element.
__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    // TODO 1: work out which element is this thread's, and add it, if there is such an element.
}

int vector_add(const float *a, const float *b, float *c, int n)
{
    cudaError_t err = cudaSuccess;

    // TODO 2: allocate device arrays d_a, d_b and d_c. Keep the first error in err, and go on only while there is none.

    // TODO 3: copy a and b to the device.

    // TODO 4: launch add_kernel with enough blocks for n elements (none when n is 0), and ask whether the launch worked.

    // TODO 5: copy the result back into c.

    // TODO 6: free the device arrays, also when something above failed.
    return err;
}
