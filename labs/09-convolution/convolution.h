/* Lab 09: what you write, in convolution.cu.
 *
 * in, out and scratch are arrays in device memory as cudaMalloc gave it that do not overlap; images lie row after row without gaps.
 * Filters are arrays in HOST memory. What lies outside of an array or an image counts as 0. A function may be
 * called again and again, each time with another filter.
 *
 * Each function works on the default stream, need not wait for its kernels, and returns 0 (cudaSuccess) or
 * the code of the first CUDA call that failed. If there are no elements, there is nothing to do. No array has
 * more than 263,000 elements, no image more than 33,000, and all sums fit into an int. A kernel of
 * TODO 1 has at most four threads for each element of an array of 10,000 or more, and one of TODO 2 for each of
 * an image of 64 or more rows and 64 or more columns.
 */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#define RADIUS_MAX 8 /* of all filters, in either direction */

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: out[i] = the sum of filter[radius + d] * in[i - d], for d from -radius to radius. The filter has
 * 2 * radius + 1 taps, and the kernel reads them from constant memory. */
int convolve_1d(const int *in, int *out, int n, const int *filter, int radius);

/* TODO 2: out(y, x) = the sum of filter(radius_y + j, radius_x + i) * in(y - j, x - i), for j from -radius_y
 * to radius_y and i from -radius_x to radius_x. The filter has 2 * radius_y + 1 rows of 2 * radius_x + 1
 * taps, and the kernel reads them from constant memory. */
int convolve_2d(const int *in, int *out, int height, int width, const int *filter, int radius_y,
                int radius_x);

/* TODO 3: the same, with tiles of the image in shared memory. */
int convolve_tiled(const int *in, int *out, int height, int width, const int *filter, int radius_y,
                   int radius_x);

/* TODO 4: the same for a filter that is a column times a row: filter(j, i) = column[j] * row[i]. One pass
 * along the rows and one along the columns; scratch has as many elements as the image. */
int convolve_separable(const int *in, int *out, int *scratch, int height, int width, const int *column,
                       int radius_y, const int *row, int radius_x);

#ifdef __cplusplus
}
#endif

#endif
