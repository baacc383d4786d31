/* Lab 03: what you write, in shared_memory.cu.
 *
 * All pointers are to device memory; allocating and copying is done for you. Each function launches one
 * kernel on the default stream, need not wait for it, and returns 0 (cudaSuccess) or the code of the first
 * CUDA call or launch that failed. n is 0 to 60,000, in stencil_static to 701,000; for 0 nothing is launched. All sums fit into an int. But
 * for TODO 5, where the grid is given, no launch has more than 4 * n + 4096 threads.
 */
#ifndef SHARED_MEMORY_H
#define SHARED_MEMORY_H

#define REVERSE_RUN    256 /* elements of a run in reverse_static */
#define STENCIL_RADIUS 4   /* neighbours on either side in stencil_static */

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: every run of REVERSE_RUN elements of data is turned round in place, and made negative as a film is:
 * element k of a run of m becomes 255 - (what element m - 1 - k of the same run was). The last run may have
 * fewer than REVERSE_RUN elements: then m is how many it has. */
int reverse_static(int *data, int n);

/* TODO 2: the same with runs of `run` elements, 1 to 1024. */
int reverse_dynamic(int *data, int n, int run);

/* TODO 3: the weighted sum of every element and its r = STENCIL_RADIUS neighbours on either side, with
 * weights 1, 2, ..., 2r + 1 from left to right:
 *
 *   out[i] = 1 * in[i - r] + 2 * in[i - r + 1] + ... + (2r + 1) * in[i + r]
 *
 * What lies outside of the array counts as 0. in and out do not overlap. */
int stencil_static(const int *in, int *out, int n);

/* TODO 4: the same with any radius r from 0 to 256, and with blocks of `threads` threads, 1 to 1024. There
 * may be fewer threads in a block than neighbours of an element. */
int stencil_dynamic(const int *in, int *out, int n, int radius, int threads);

/* TODO 5: the same with exactly `blocks` blocks of `threads` threads, which may be fewer threads than
 * elements, or more. radius and threads are as in TODO 4, and blocks * threads is at most 60,000. */
int stencil_loop(const int *in, int *out, int n, int radius, int blocks, int threads);

#ifdef __cplusplus
}
#endif

#endif
