// Lab 00: the first kernels. The contract is in first_kernel.h, the steps are in README.md.
#include "lab.h"
#include "first_kernel.h"

// ---- One thread ----

__global__ void write_number_kernel(int *out, int number)
{
    // TODO 1: write the number into the first element. One line.
}

int write_number(int *out, int number)
{
    write_number_kernel<<<1, 1>>>(out, number);
    return cudaGetLastError();
}

// ---- Many threads ----

__global__ void write_indexes_kernel(int *out)
{
    // TODO 2 (kernel): write this thread's own number into its own element.
}

int write_indexes(int *out, int n)
{
    // TODO 2 (launch): as the launch above, with n threads.
    return cudaGetLastError();
}

// ---- More threads than elements ----

__global__ void write_squares_kernel(int *out, int n)
{
    // TODO 3: write the square of this thread's number, if there is an element for it.
}

int write_squares(int *out, int n, int threads)
{
    write_squares_kernel<<<1, threads>>>(out, n);
    return cudaGetLastError();
}
