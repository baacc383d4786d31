/* Lab 06: what you write, in reduction.cu.
 *
 * All pointers are to device memory as cudaMalloc gave it. *sum, *max and the scratch array hold nothing of use when a function is
 * called, and a function may be called again and again. Each works on the default stream, need not wait for
 * its kernels, and returns 0 (cudaSuccess) or the code of the first CUDA call that failed. n is 0 to 66,000, in
 * sum_warps to 301,000, in max_all to 1,001,000 and in sum_strided to 1,001,000 (to 67,108,864 on a GPU, where its
 * speed is measured).
 */
#ifndef REDUCTION_H
#define REDUCTION_H

#define SCRATCH_FLOATS 1024 /* floats in the scratch array of max_all */

#ifdef __cplusplus
extern "C" {
#endif

/* Three ways to the same: *sum = in[0] + in[1] + ... + in[n - 1]; 0 for n = 0. */

/* TODO 1: one thread for each element; each block adds up its elements by a tree in shared memory, without
 * bank conflicts. */
int sum_tree(const float *in, float *sum, int n);

/* TODO 2: each thread first adds up many elements by itself; then the tree. */
int sum_strided(const float *in, float *sum, int n);

/* TODO 3: as TODO 2, and the last steps of the tree are done by warps without block-wide barriers. */
int sum_warps(const float *in, float *sum, int n);

/* TODO 4: *max = the largest of in[0] ... in[n - 1], which may all be negative; -INFINITY for n = 0. With
 * blocks of `threads` threads, 1 to 1024, which need not be a power of two. scratch has SCRATCH_FLOATS
 * floats, to be used as you like. */
int max_all(const float *in, float *max, float *scratch, int n, int threads);

#ifdef __cplusplus
}
#endif

#endif
