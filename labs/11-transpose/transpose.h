/* Lab 11: what you write, in transpose.cu.
 *
 * A matrix lies in device memory as cudaMalloc gave it, row by row: element (x, y), in column x and row y, is number y * width + x.
 * The functions work on the default stream, need not wait for their kernels, and return 0 (cudaSuccess) or
 * the code of the first CUDA call that failed. Widths and heights are 0 to 250,000, and no
 * matrix has more than 100,000,000 elements; when a length is 0 nothing is launched. Each element of a result is
 * stored once (in TODO 4, on the diagonal, twice at most), and no other array in device memory is used.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Given: out becomes a copy of in. It sets the mark that a transposition can reach. */
int copy_matrix(const float *in, float *out, int width, int height);

/* Three ways to the same. in has `height` rows of `width` elements. out becomes its transpose, which has
 * `width` rows of `height` elements: element (x, y) of in is element (y, x) of out. The two do not overlap.
 */

/* TODO 1: each thread moves elements straight from in to out. */
int transpose_naive(const float *in, float *out, int width, int height);

/* TODO 2: each block moves a tile by way of shared memory, so that it reads rows and writes rows. */
int transpose_tiled(const float *in, float *out, int width, int height);

/* TODO 3: as TODO 2, without bank conflicts. */
int transpose_padded(const float *in, float *out, int width, int height);

/* TODO 4: a matrix of n rows of n elements is replaced by `factor` times its transpose: element (x, y)
 * becomes factor times what element (y, x) was. As in TODO 3 rows are read and written, without bank
 * conflicts. */
int transpose_in_place(float *data, int n, float factor);

#ifdef __cplusplus
}
#endif

#endif
