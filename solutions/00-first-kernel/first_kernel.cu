// Lab 00: the first kernels. The contract is in first_kernel.h, the steps are in README.md.
#include "lab.h"
#include "first_kernel.h"

// ---- One thread ----

__global__ void write_number_kernel(int *out, int number)
{
    //@ solution 1
    out[0] = number;
    //@ stub
    //| // TODO 1: write the number into the first element. One line.
    //@ end
}

int write_number(int *out, int number)
{
    write_number_kernel<<<1, 1>>>(out, number);
    return cudaGetLastError();
}

// ---- Many threads ----

__global__ void write_indexes_kernel(int *out)
{
    //@ solution 2
    int i = threadIdx.x;
    out[i] = i;
    //@ stub
    //| // TODO 2 (kernel): write this thread's own number into its own element.
    //@ end
}

int write_indexes(int *out, int n)
{
    //@ solution 2
    write_indexes_kernel<<<1, n>>>(out);
    //@ stub
    //| // TODO 2 (launch): as the launch above, with n threads.
    //@ end
    return cudaGetLastError();
}

// ---- More threads than elements ----

__global__ void write_squares_kernel(int *out, int n)
{
    //@ solution 3
    int i = threadIdx.x;
    if (i < n)
        out[i] = i * i;
    //@ stub
    //| // TODO 3: write the square of this thread's number, if there is an element for it.
    //@ end
}

int write_squares(int *out, int n, int threads)
{
    write_squares_kernel<<<1, threads>>>(out, n);
    return cudaGetLastError();
}
