/* What you write, in @STEM@.cu. */
#ifndef @GUARD@
#define @GUARD@

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = 2 * in[i] for 0 <= i < n. Both arrays are in device memory; n is 1 or more. Returns 0 (cudaSuccess), or the
 * code of the first CUDA call or launch that failed. */
int @STEM@(const float *in, float *out, int n);

#ifdef __cplusplus
}
#endif

#endif
