/* Lab 01: what you write, in indexing.cu.
 *
 * All pointers are to device memory; allocating and copying is done for you. Each function launches one
 * kernel on the default stream, need not wait for it, and returns 0 (cudaSuccess) or the code of the first
 * CUDA call or launch that failed. All results fit into an int. The launches of TODOs 1 to 3 have at least a
 * thread for each 64 elements, or 10,000 threads.
 */
#ifndef INDEXING_H
#define INDEXING_H

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: out[i] = in[i] + i for 0 <= i < n. n is 0 to 101,000; for 0 nothing is
 * launched. */
int map_1d(const int *in, int *out, int n);

/* TODO 2: a picture of width x height pixels, stored row after row: pixel (x, y) is element y * width + x.
 * out(x, y) = in(x, y) + x + 1000 * y for all pixels. width is 1 to 20,000, height 1 to 1,049,000, and
 * width * height at most 2,100,000. */
int map_2d(const int *in, int *out, int width, int height);

/* TODO 3: a volume of width x height x depth, stored picture after picture: voxel (x, y, z) is element
 * (z * height + y) * width + x. out(x, y, z) = in(x, y, z) + x + 100 * y + 10000 * z. Each length is 1 to
 * 1000, and width * height * depth at most 1,100,000. */
int map_3d(const int *in, int *out, int width, int height, int depth);

/* TODO 4: sum[i] = sum[i] + x[i] for 0 <= i < n, with exactly `blocks` blocks of `threads` threads, which may
 * be fewer threads than elements, or more. blocks and threads are legal for a launch; n is 1 to 100,000,
 * and blocks * threads at most 100,000 as well. */
int add_stride(int *sum, const int *x, int n, int blocks, int threads);

/* TODO 5: a strip of a picture that is too large for the card. Only rows first_row .. first_row + rows - 1 of
 * it are in device memory. `picture` is the address at which row 0 would be: row y begins y * pitch BYTES
 * after it (a row is padded, so pitch may be more than width * sizeof(int)). Adds amount to each pixel of the
 * strip. y * pitch may be larger than what 32 bits hold. width and rows are 1 to 10,000, first_row is 0 to
 * 1,000,000,000, pitch a multiple of sizeof(int) up to 1,000,000, and rows * pitch at most 100,000,000. For a strip of 100,000 pixels or more that
 * is 1,000 or more wide, a grid has at most four threads a pixel. */
int add_strip(int *picture, int pitch, int width, int first_row, int rows, int amount);

#ifdef __cplusplus
}
#endif

#endif
