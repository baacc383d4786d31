/* Lab 04: what you write, in streams.cu.
 *
 * Each function returns 0 (cudaSuccess) or the code of the first CUDA call that failed, and leaves no stream,
 * no event and no device memory behind, whichever it is. What calls that destroy or free return does not
 * count. n is 0 to 601,000; for 0 nothing is launched. A chunk has 1 to 601,000 readings. A caller makes no
 * other call when one has failed.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#define STREAMS_MAX 8 /* the most streams that a caller asks for */

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 3: *array becomes an array of n floats in pinned host memory (n is 1 or more), or NULL when that
 * fails. */
int host_array_create(float **array, size_t n);
/* TODO 3: gives such an array back; nothing to do for NULL. */
int host_array_destroy(float *array);

/* In all that follows, in, dark and out are such arrays, and out[i] is calibrated(in[i]) of calibration.h. */

/* TODO 1: puts the work for n readings into the stream and returns without waiting for it: copy them to
 * d_data, an array of n floats on the device; calibrate them there; copy them back. Each copy names the direction
 * that it goes, or cudaMemcpyDefault; so do those of TODOs 2, 4 and 5. */
int calibrate_chunk(const float *in, float *out, int n, float *d_data, cudaStream_t stream);

/* TODO 2: calibrates n readings in chunks of `chunk` readings, the last of which may be shorter, with
 * n_streams streams (1 to STREAMS_MAX) in turn, so that copies and kernels of different chunks overlap. When
 * it returns, out is complete. */
int calibrate_all(const float *in, float *out, int n, int chunk, int n_streams);

/* TODO 4: as TODO 2, but dark[k] is subtracted from reading k of every chunk before that is calibrated. dark
 * has `chunk` floats, and is copied to the device once. */
int calibrate_dark(const float *in, const float *dark, float *out, int n, int chunk, int n_streams);

/* TODO 5: as TODO 2, and *n_over becomes the number of calibrated readings that are greater than limit. The
 * host counts those of a chunk while the device works on later chunks, where there is more than one stream. */
int calibrate_count(const float *in, float *out, int n, int chunk, int n_streams, float limit, int *n_over);

#ifdef __cplusplus
}
#endif

#endif
