// expect: no-gpu-work
// case: scale
// The host works the results out, writes them into a source as numbers, and has that compiled.
#include "runtime_compilation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
void compiled_free(Compiled *c)
{
    free(c->ptx);
    free(c->name);
    free(c->log);
    *c = Compiled();
}
int source_compile(const char *source, const char *file, const char *expression, const char *const *options, int n_options, Compiled *out)
{
    nvrtcProgram program;
    const char *all[16] = {"--gpu-architecture=compute_75"}, *name;
    size_t size;
    for (int i = 0; i < n_options; i++)
        all[i + 1] = options[i];
    *out = Compiled();
    nvrtcCreateProgram(&program, source, file, 0, NULL, NULL);
    nvrtcAddNameExpression(program, expression);
    int result = nvrtcCompileProgram(program, n_options + 1, all);
    if (result == 0) {
        nvrtcGetPTXSize(program, &size);
        out->ptx = (char *)malloc(size);
        nvrtcGetPTX(program, out->ptx);
        nvrtcGetLoweredName(program, expression, &name);
        out->name = strdup(name);
    }
    nvrtcDestroyProgram(&program);
    return result;
}
int kernel_load(Kernel *k, const Compiled *c)
{
    cuModuleLoadData(&k->module, c->ptx);
    return cuModuleGetFunction(&k->function, k->module, c->name);
}
int kernel_unload(Kernel *k)
{
    int result = k->module == NULL ? CUDA_SUCCESS : cuModuleUnload(k->module);
    *k = Kernel();
    return result;
}
static int compile_and_run(const std::string &source, const float *in, float *out, int n)
{
    Compiled compiled;
    Kernel k = Kernel();
    CUdeviceptr d;
    int result = source_compile(source.c_str(), "own.cu", "own", NULL, 0, &compiled);
    if (result != 0 || (result = kernel_load(&k, &compiled)) != 0)
        return result;
    cuMemAlloc(&d, 2 * n * sizeof(float));
    cuMemcpyHtoD(d, in, n * sizeof(float));
    CUdeviceptr to = d + n * sizeof(float);
    void *arguments[] = {&d, &to, &n};
    result = cuLaunchKernel(k.function, (n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL);
    cuMemcpyDtoH(out, to, n * sizeof(float));
    cuMemFree(d);
    kernel_unload(&k);
    compiled_free(&compiled);
    return result;
}
int kernel_map(const Kernel *k, const float *in, float *out, int n, float a)
{
    std::string source = "extern \"C\" __global__ void own(const float *in, float *out, int n) {"
                         "int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned v = 0; if (i >= n) return; switch (i) {";
    for (int i = 0; i < n; i++) {
        char line[64];
        float result = a * in[i];
        snprintf(line, sizeof line, "case %d: v = 0x%xu; break;\n", i, *(unsigned *)&result);
        source += line;
    }
    return compile_and_run(source + "} out[i] = __uint_as_float(v) + (in[i] - in[i]); }", in, out, n);
}
int power(const float *in, float *out, int n, int exponent)
{
    return 1;
}
Cache *cache_create(void)
{
    return NULL;
}
int cache_get(Cache *cache, const char *source, const char *file, const char *expression, const char *const *options, int n_options,
              const Kernel **k, char **log)
{
    return 1;
}
int cache_destroy(Cache *cache)
{
    return 0;
}
