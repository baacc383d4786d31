// Lab 16: kernels that are compiled while the program runs. The contract is in runtime_compilation.h, the steps are in README.md.
#include "lab.h"
#include "runtime_compilation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compiled_free(Compiled *c)
{
    free(c->ptx);
    free(c->name);
    free(c->log);
    *c = Compiled();
}

// ---- From a text to PTX ----


int source_compile(const char *source, const char *file, const char *expression, const char *const *options,
                   int n_options, Compiled *out)
{
    *out = Compiled();
    // TODO 1: make a program of the source, compile it with --gpu-architecture=compute_75 and the options, fetch the log
    // whatever came out, and the PTX if it worked; destroy the program on every path.
    // TODO 2: say which kernel is wanted before you compile, and ask for its name behind that.
    return NVRTC_SUCCESS;
}

// ---- From PTX to a kernel ----

int kernel_load(Kernel *k, const Compiled *c)
{
    *k = Kernel();
    // TODO 3 (load): load the PTX as a module, and find the kernel in it by its name.
    return CUDA_SUCCESS;
}

int kernel_unload(Kernel *k)
{
    // TODO 3 (unload): give the module back.
    return CUDA_SUCCESS;
}

// ---- Launching it ----

int kernel_map(const Kernel *k, const float *in, float *out, int n, float a)
{
    // TODO 4: device memory for in and out, copy, launch with cuLaunchKernel, copy back, free. Return the first error.
    return CUDA_SUCCESS;
}

// ---- A constant that is known when the kernel is compiled ----

// With EXPONENT the loop has a length that the compiler knows: it unrolls it. Without, the exponent comes in a.
static const char power_source[] = R"(
#ifdef EXPONENT
#define TURNS EXPONENT
#else
#define TURNS int(a)
#endif

extern "C" __global__ void power(const float *in, float *out, int n, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float product = 1;
    for (int turn = 0; turn < TURNS; turn++)
        product *= in[i];
    out[i] = product;
}
)";

int power(const float *in, float *out, int n, int exponent)
{
    Compiled compiled = Compiled();
    Kernel k = Kernel();
    // TODO 5: this is right, and finds out in each turn of the loop whether it was the last one. Tell the compiler.
    int result = source_compile(power_source, "power.cu", "power", NULL, 0, &compiled);
    if (result == 0)
        result = kernel_load(&k, &compiled);
    if (result == 0)
        result = kernel_map(&k, in, out, n, (float)exponent);
    kernel_unload(&k);
    compiled_free(&compiled);
    return result;
}

// ---- What has been compiled before ----

struct Cache {
    int nothing; // TODO 6: what do you need to find a kernel again?
};

Cache *cache_create(void)
{
    return (Cache *)calloc(1, sizeof(Cache));
}

int cache_get(Cache *cache, const char *source, const char *file, const char *expression, const char *const *options,
              int n_options, const Kernel **k, char **log)
{
    *k = NULL;
    *log = NULL;
    // TODO 6: look for a kernel that was made from the same texts; compile and load only if there is none.
    return CUDA_SUCCESS;
}

int cache_destroy(Cache *cache)
{
    int result = CUDA_SUCCESS;
    if (cache == NULL)
        return CUDA_SUCCESS;
    // TODO 6: unload all kernels.
    free(cache);
    return result;
}
