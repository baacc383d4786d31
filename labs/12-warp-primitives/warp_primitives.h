/* Lab 12: what you write, in warp_primitives.cu.
 *
 * All pointers are to device memory as cudaMalloc gave it; in and out do not overlap. An array of n ints is seen as runs of RUN
 * elements, one for each warp; the last run may be shorter. Each function works on the default stream, need
 * not wait for its kernel, and returns 0 (cudaSuccess) or the code of the first CUDA call that failed. n is 0
 * to 66,000; for 0 nothing is launched, and else at most n / 32 + 32 blocks. All sums fit into an int, and so
 * do all differences. In its mask a warp function names the lanes that execute it, and beside them none but
 * lanes that have returned; what a shuffle reads from other lanes is not used. Which lanes of a warp run at the
 * same time, as __activemask() says, nobody promises.
 */
#ifndef WARP_PRIMITIVES_H
#define WARP_PRIMITIVES_H

#define RUN 32 /* elements of a run, lanes of a warp */

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: sums[r] = the sum of the elements of run r. */
int run_sums(const int *in, int *sums, int n);

/* TODO 2: out[i] = the sum of the elements of i's run from its first to in[i], that one included. */
int run_scans(const int *in, int *out, int n);

/* TODO 3: out[i] = m - in[i], where m is the largest element of i's group: groups are `width` neighbours
 * each, width is 2, 4, 8, 16 or 32, and the last group may be shorter. */
int below_largest(const int *in, int *out, int n, int width);

/* TODO 4: in each run the positive elements come to the front, in their order; the rest of the run becomes 0.
 */
int positive_first(const int *in, int *out, int n);

/* TODO 5: *count = how many elements are positive; at most one atomic for each run. *count holds nothing of
 * use when the function is called; for n = 0 it becomes 0. */
int count_positive(const int *in, int *count, int n);

#ifdef __cplusplus
}
#endif

#endif
