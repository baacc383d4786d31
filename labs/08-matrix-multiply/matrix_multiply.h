/* Lab 08: what you write, in matrix_multiply.cu.
 *
 * a is a matrix of m rows and k columns, b has k rows and n columns, c has m rows and n columns. All lie in
 * device memory as cudaMalloc gave it, row after row without gaps: element (row, column) of b is
 * b[row * n + column]. m, n and k are 0 to 65,535, and no matrix has more than 5,000,000 elements.
 *
 * Each function launches its kernel on the default stream, need not wait for it, and returns 0 (cudaSuccess)
 * or the code of the first CUDA call or launch that failed. If m or n is 0, nothing is launched. If k is 0,
 * A * B is all zeros.
 */
#ifndef MATRIX_MULTIPLY_H
#define MATRIX_MULTIPLY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Three ways to the same: C = A * B. What c holds before is of no use. */

/* TODO 1: each element of C is worked out by one thread, which reads its row of A and its column of B. */
int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k);

/* TODO 2: the threads of a block load tiles of A and B into shared memory, `tile` x `tile` elements each;
 * tile is 16 or 32. */
int multiply_tiled(const float *a, const float *b, float *c, int m, int n, int k, int tile);

/* TODO 3: as TODO 2, and each thread works out 16 elements of C, in registers. */
int multiply_registers(const float *a, const float *b, float *c, int m, int n, int k);

/* TODO 4: C = alpha * A * B + beta * C, as fast as you can. If beta is 0, c may hold anything, and is not
 * read. */
int sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta);

#ifdef __cplusplus
}
#endif

#endif
