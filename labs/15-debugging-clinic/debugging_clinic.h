/* Lab 15: what the eight programs are for.
 *
 * All arrays are host arrays; a function takes what it needs to the device and back. It returns 0 (cudaSuccess),
 * or ends the program by CUDA_CHECK where a CUDA call fails, leaves no device memory allocated, and may be called again. Sizes are 1 or
 * more where nothing else is said, widths and heights at most 60,000, and no array has more than 66,000
 * elements. The result is worked out on the device.
 */
#ifndef DEBUGGING_CLINIC_H
#define DEBUGGING_CLINIC_H

#define SUM_LENGTH 4 /* how many numbers moving_sum adds up */

#ifdef __cplusplus
extern "C" {
#endif

/* Request 1: out[y][x] = in[y][x] + by, for a picture of `height` rows of `width` pixels. */
int brighten(const float *in, float *out, int width, int height, float by);

/* Request 2: out[i] = in[i] + ... + in[i + SUM_LENGTH - 1]; what lies behind the end counts as 0. Each number
 * is read from the device's memory about once. */
int moving_sum(const float *in, float *out, int n);

/* Request 3: with slope[i] = |height[i] - height[i - 1]|, and slope[0] = 0:
 * rough[i] = slope[i] + slope[i + 1]; the last one is slope[n - 1] alone. */
int roughness(const float *height, float *rough, int n);

/* Request 4: maxima[y] = the largest of in[y][0] ... in[y][width - 1]. */
int row_maxima(const float *in, float *maxima, int width, int height);

/* Request 5: file[0] is a version; then come n points of 4 floats each. lengths[i] = the length of point i: the
 * root of the sum of its squares. */
int lengths(const float *file, float *lengths, int n);

/* Request 6: `times` rounds of out[i] = in[i - 1] / 4 + in[i] / 2 + in[i + 1] / 4, each of them on what came out
 * of the last; at the ends the number itself stands for the neighbour that is not there. `times` may be 0. */
int smooth(const float *in, float *out, int n, int times);

/* Request 7: out[y][x] = 255 - in[y][x]. */
int negative(const float *in, float *out, int width, int height);

/* Request 8: a curve of `length` numbers (2 or more), stretched to n (2 or more): out[i] lies at place
 * i * (length - 1) / (n - 1) of the curve, worked out in a float at least; between two of its numbers it lies on the
 * straight line. */
int stretch(const float *curve, int length, float *out, int n);

#ifdef __cplusplus
}
#endif

#endif
