/* Lab 10: what you write, in histogram.cu.
 *
 * All pointers are to device memory as cudaMalloc gave it. The bins hold nothing of use when a function is called, and a function
 * may be called again and again. Each works on the default stream, need not wait for its kernels, and returns
 * 0 (cudaSuccess) or the code of the first CUDA call that failed. n is 0 to 300,000, in
 * histogram_shared and histogram_wide to 16,800,000, and where histogram_wide is timed on a card to 300,000,000; for 0 all bins become 0.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#define BINS 256 /* of a histogram of bytes */

#ifdef __cplusplus
extern "C" {
#endif

/* Four ways to the same: bins[v] = how many of the n bytes have the value v, 0 to 255. The bytes are those of
 * a file: chars, which may be negative. in lies at a multiple of 256, as cudaMalloc gives it; n is arbitrary.
 */

/* TODO 1: one thread for each byte, and one atomic addition in global memory for each. */
int histogram_global(const char *in, unsigned *bins, int n);

/* TODO 2: each block counts a long piece in shared memory, and adds its counts to the bins at the end. */
int histogram_shared(const char *in, unsigned *bins, int n);

/* TODO 4: as TODO 2, and each lane of a warp has counters of its own, in a bank of its own. */
int histogram_lanes(const char *in, unsigned *bins, int n);

/* TODO 5: as TODO 4, and each thread loads 16 bytes at once. */
int histogram_wide(const char *in, unsigned *bins, int n);

/* TODO 3: a histogram of whole numbers from -1,000,000 to 1,000,000, with n_bins bins (1 to 10,000) of
 * `width` (1 or more) numbers each, and one more at either end:
 *
 *   bins[0]            how many are less than low
 *   bins[1 + k]        how many are from low + k * width to low + (k + 1) * width - 1,
 *                      for k = 0 ... n_bins - 1
 *   bins[n_bins + 1]   how many are low + n_bins * width or more
 *
 * low is -1,000,000 to 1,000,000, and n_bins * width at most 1,000,000,000. Each block counts in shared memory, as in TODO 2. */
int histogram_range(const int *in, unsigned *bins, int n, int low, int width, int n_bins);

#ifdef __cplusplus
}
#endif

#endif
