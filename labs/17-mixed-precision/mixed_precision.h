/* Lab 17: what you write, in mixed_precision.cu.
 *
 * All arrays lie in device memory as cudaMalloc gave it. A matrix of `rows` rows and `columns` columns lies row
 * after row, without gaps. Each function launches its kernels on the default stream, need not wait for them, and
 * returns 0 (cudaSuccess) or the code of the first CUDA call or launch that failed. If there are no rows, nothing is
 * launched. There is at least one column. No matrix has more than 500,000 rows, 100,000 columns or 2,000,000
 * elements; n is 0 to 2,000,000.
 */
#ifndef MIXED_PRECISION_H
#define MIXED_PRECISION_H

#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef __half Half;
typedef __nv_bfloat16 Bfloat;
extern "C" {
#else
typedef struct Half Half;
typedef struct Bfloat Bfloat;
#endif

/* TODO 1: y = W x. W and x are stored in 16 bits; every sum is taken in float. */
int matvec_half(const Half *w, const Half *x, float *y, int rows, int columns);
int matvec_bfloat(const Bfloat *w, const Bfloat *x, float *y, int rows, int columns);

/* TODO 2: Y = X W^T, with the tensor cores. X has m rows and k columns, W has n rows and k columns, Y has m rows
 * and n columns: row i of X is an input, and row i of Y what a layer with the weights W makes of it. n and k are
 * multiples of 16, m need not be; m or n may be 0, and then nothing is launched. */
int layer_tensor(const Half *x, const Half *w, float *y, int m, int n, int k);

/* TODO 3: gradient[i] = scale * error[i] * x[i], rounded to half precision once, at the end. */
int scaled_gradient(const Half *x, const float *error, Half *gradient, int n, float scale);

/* TODO 4: if all of gradient is finite (where n is 0 it is), *overflow becomes 0, master[i] -= rate * gradient[i] / scale in float, and
 * weights[i] the half next to master[i]. Otherwise *overflow becomes 1, and master and weights stay as they are.
 * *overflow holds anything before; it lies in device memory too. scale is a power of two. */
int update_weights(float *master, Half *weights, const Half *gradient, int n, float rate, float scale,
                   int *overflow);

/* TODO 5: scale[r] is the largest magnitude of row r (0, or 1e-30 or more), over 127, and q[r][c] the whole number next to
 * w[r][c] / scale[r]. For a row of zeros scale[r] is 1. */
int quantize_rows(const float *w, signed char *q, float *scale, int rows, int columns);

/* TODO 6: y[r] = scale[r] * *x_scale * (sum of q[r][c] * x[c]), the sum in whole numbers. columns is a multiple
 * of 4. */
int matvec_int8(const signed char *q, const float *scale, const signed char *x, const float *x_scale, float *y,
                int rows, int columns);

/* TODO 7: y = W x for a W of which only some elements are stored: those of row r are value[i], in column
 * column[i], for i from row_start[r] to row_start[r + 1] - 1. */
int matvec_csr(const int *row_start, const int *column, const Half *value, const Half *x, float *y, int rows);

#ifdef __cplusplus
}
#endif

#endif
