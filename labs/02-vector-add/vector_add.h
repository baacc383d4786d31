/* Lab 02: what you write, in vector_add.cu. */
#ifndef VECTOR_ADD_H
#define VECTOR_ADD_H

#ifdef __cplusplus
extern "C" {
#endif

/* c[i] = a[i] + b[i] for 0 <= i < n, worked out on the device, in at most as many blocks as n or
 * 256, whichever is more.
 *
 * a, b, c   arrays of n floats in host memory; a and b must stay as they are
 * n         number of elements, 0 to 500,000; for 0 there is nothing to do, and that is no error
 *
 * Returns 0 (cudaSuccess), or the code of the first CUDA call that failed; then c may hold anything. An
 * error of cudaFree may be returned or not. Either way, no device memory is left allocated. When a call has failed, the
 * caller uses CUDA no more.
 */
int vector_add(const float *a, const float *b, float *c, int n);

#ifdef __cplusplus
}
#endif

#endif
