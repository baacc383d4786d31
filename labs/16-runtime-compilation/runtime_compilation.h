/* Lab 16: what you write, in runtime_compilation.cu.
 *
 * A context is current when your functions are called. All kernels have these parameters:
 *
 *      (const float *in, float *out, int n, float a)
 *
 * and work out out[i] for i from 0 to n - 1, a thread an element.
 */
#ifndef RUNTIME_COMPILATION_H
#define RUNTIME_COMPILATION_H

#include <cuda.h>
#include <nvrtc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPTIONS_MAX 8 /* that a function is given; 0 or more */

/* What comes out of the compiler: texts that end with a 0 byte, from malloc, or NULL. */
typedef struct Compiled {
    char *ptx;
    char *name; /* of the kernel, as the module has it */
    char *log;  /* what the compiler had to say; "" when it was nothing */
} Compiled;

/* TODO 1: compiles CUDA C++ for compute_75 with the options given, in memory. `file` is what messages shall call the
 * source. Returns NVRTC_SUCCESS, or what NVRTC returned first that was not; out->log is there wherever
 * the compiler has run, out->ptx only when it worked.
 *
 * TODO 2: expression says which kernel is wanted, as one would write it in C++: "scale" or "lab::shift<3>". When
 * the compilation works, out->name is its name in the PTX. */
int source_compile(const char *source, const char *file, const char *expression, const char *const *options,
                   int n_options, Compiled *out);
/* Gives the texts back, and makes them NULL. (Given.) */
void compiled_free(Compiled *c);

/* A kernel that can be launched. */
typedef struct Kernel {
    CUmodule module; /* NULL: none */
    CUfunction function;
} Kernel;

/* TODO 3: loads the PTX and finds the kernel. Returns CUDA_SUCCESS, or what the driver returned first that was not;
 * then nothing stays loaded, and k->module is NULL. */
int kernel_load(Kernel *k, const Compiled *c);
/* TODO 3: unloads it; nothing to do when k->module is NULL. */
int kernel_unload(Kernel *k);

/* TODO 4: runs a kernel over n elements (0 to 1,100,000) of host arrays: out of in and a. Returns CUDA_SUCCESS or the
 * first error of the driver; no memory stays behind. An error of cuMemFree may be returned or not. */
int kernel_map(const Kernel *k, const float *in, float *out, int n, float a);

/* TODO 5: out[i] = in[i] to the power of exponent (0 to 99), with the kernel `power` of power_source, which is
 * told the exponent when it is compiled. n is as in TODO 4. Returns 0, or the first error of NVRTC or the
 * driver; an error of kernel_unload may be returned or not. */
int power(const float *in, float *out, int n, int exponent);

/* TODO 6: kernels that have been compiled, by what they were compiled from: the text of the source, the
 * expression, and the options in their order. */
typedef struct Cache Cache;

/* An empty one; NULL without memory. */
Cache *cache_create(void);
/* *k becomes the kernel for these, which is compiled and loaded only if the cache does not have it; it is the cache's,
 * and valid as long as that. The caller may change or free the texts afterwards. Returns 0, or the first error
 * of NVRTC or the driver: then *k is NULL, and the cache is as it was. When the compiler ran, *log is what it
 * said, from malloc; else NULL. */
int cache_get(Cache *cache, const char *source, const char *file, const char *expression,
              const char *const *options, int n_options, const Kernel **k, char **log);
/* Unloads all kernels and frees the cache; nothing to do for NULL. Returns 0, or the first error of the driver. */
int cache_destroy(Cache *cache);

#ifdef __cplusplus
}
#endif

#endif
