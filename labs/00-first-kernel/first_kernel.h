/* Lab 00: what you write, in first_kernel.cu.
 *
 * `out` is an array in the GPU's memory; making it, and copying it back, is done for you. Each function launches
 * one kernel of one block, and returns 0 (cudaSuccess) or the code of the first CUDA call or launch that failed.
 */
#ifndef FIRST_KERNEL_H
#define FIRST_KERNEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: out[0] = number, by one thread. */
int write_number(int *out, int number);

/* TODO 2: out[i] = i for 0 <= i < n, each element by a thread of its own. n is 1 to 1024. */
int write_indexes(int *out, int n);

/* TODO 3: out[i] = i * i for 0 <= i < n, by `threads` threads, which may be more than n. n is 1 to threads,
 * threads at most 1024. */
int write_squares(int *out, int n, int threads);

#ifdef __cplusplus
}
#endif

#endif
