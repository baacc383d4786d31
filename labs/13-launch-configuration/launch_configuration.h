/* Lab 13: what you write, in launch_configuration.cu.
 *
 * next, in and out are arrays on the device. Each function works on the default stream, need not wait for its
 * kernel, and returns 0 (cudaSuccess) or the code of the first CUDA call or launch that failed. n is 0 to
 * 16,777,216 (in walk to 1,000,000,000); for 0 nothing is launched, and else no more blocks than needed.
 */
#ifndef LAUNCH_CONFIGURATION_H
#define LAUNCH_CONFIGURATION_H

#include <stddef.h>

#define HOPS         16   /* steps of a walk */
#define SAMPLES      72   /* of an element, in spread */
#define WINDOW_BLOCK 256  /* threads of a block in window_sums */
#define RADIUS_MAX   8000 /* in window_sums */

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: out[i] = the place where a walk of HOPS steps ends that begins at place i and goes from place p to
 * next[p]: by walk_kernel in blocks of `threads` threads (1 to 1,000,000). A block that CUDA does not allow is CUDA's
 * error to tell. */
int walk(const int *next, int *out, int n, int threads);

/* TODO 2: *share becomes the occupancy of walk_kernel in blocks of `threads` threads (1 to 1024) that have shared_bytes
 * of dynamic shared memory each: the warps that a multiprocessor holds at once, over the most that it can
 * hold; 0 to 1, and 0 where no block fits. */
int walk_occupancy(int threads, size_t shared_bytes, float *share);

/* TODO 3: as TODO 1, in blocks of a size of your choice, as fast as any. */
int walk_best(const int *next, int *out, int n);

/* TODO 4: out[i] = the sum of in[i - radius] ... in[i + radius], with 0 outside of the array, by
 * window_kernel in blocks of WINDOW_BLOCK threads. Its tile has WINDOW_BLOCK + 2 * radius floats of dynamic
 * shared memory; radius is at most RADIUS_MAX, for which that is more than 48 KiB. */
int window_sums(const float *in, float *out, int n, int radius);

/* TODO 5: out[i] = the sum of the squared distances of the SAMPLES samples of element i from their mean, by
 * spread_kernel; sample k of element i is in[k * n + i]. In blocks of `threads` threads, or, where the kernel
 * cannot have that many, in the largest blocks of whole warps that it can have. threads is 1 to 1024. */
int spread(const float *in, float *out, int n, int threads);

#ifdef __cplusplus
}
#endif

#endif
