// expect: pass
// The cache is a std::map, the key a std::string.
#include "lab.h"
#include "runtime_compilation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <new>
#include <string>

void compiled_free(Compiled *c)
{
    free(c->ptx);
    free(c->name);
    free(c->log);
    *c = Compiled();
}

// ---- From a text to PTX ----

// What the compiler has said, also when it has failed.
static nvrtcResult fetch_log(nvrtcProgram program, char **log)
{
    size_t size = 0;
    nvrtcResult result = nvrtcGetProgramLogSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return result;
    *log = (char *)calloc(size + 1, 1);
    return *log == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : nvrtcGetProgramLog(program, *log);
}

static nvrtcResult fetch_ptx(nvrtcProgram program, char **ptx)
{
    size_t size = 0;
    nvrtcResult result = nvrtcGetPTXSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return result;
    *ptx = (char *)calloc(size + 1, 1);
    return *ptx == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : nvrtcGetPTX(program, *ptx);
}

// A copy: the program owns the name, and takes it along when it is destroyed.
static nvrtcResult fetch_name(nvrtcProgram program, const char *expression, char **name)
{
    const char *lowered = NULL;
    nvrtcResult result = nvrtcGetLoweredName(program, expression, &lowered);
    if (result != NVRTC_SUCCESS)
        return result;
    *name = strdup(lowered);
    return *name == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}

int source_compile(const char *source, const char *file, const char *expression, const char *const *options,
                   int n_options, Compiled *out)
{
    *out = Compiled();
    const char *all[16] = {"--gpu-architecture=compute_75"};
    if (n_options > 15)
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n_options; i++)
        all[i + 1] = options[i];
    nvrtcProgram program = NULL;
    nvrtcResult result = nvrtcCreateProgram(&program, source, file, 0, NULL, NULL);
    if (result != NVRTC_SUCCESS)
        return result;
    result = nvrtcAddNameExpression(program, expression); // before it is compiled
    if (result == NVRTC_SUCCESS)
        result = nvrtcCompileProgram(program, n_options + 1, all);
    nvrtcResult logged = fetch_log(program, &out->log);
    if (result == NVRTC_SUCCESS)
        result = logged;
    if (result == NVRTC_SUCCESS)
        result = fetch_ptx(program, &out->ptx);
    if (result == NVRTC_SUCCESS)
        result = fetch_name(program, expression, &out->name);
    nvrtcDestroyProgram(&program);
    return result;
}

// ---- From PTX to a kernel ----

int kernel_load(Kernel *k, const Compiled *c)
{
    *k = Kernel();
    CUresult result = cuModuleLoadData(&k->module, c->ptx);
    if (result != CUDA_SUCCESS) {
        k->module = NULL;
        return result;
    }
    result = cuModuleGetFunction(&k->function, k->module, c->name);
    if (result != CUDA_SUCCESS)
        kernel_unload(k);
    return result;
}

int kernel_unload(Kernel *k)
{
    if (k->module == NULL)
        return CUDA_SUCCESS;
    CUresult result = cuModuleUnload(k->module);
    *k = Kernel();
    return result;
}

// ---- Launching it ----

int kernel_map(const Kernel *k, const float *in, float *out, int n, float a)
{
    const unsigned threads = 256;
    CUdeviceptr d_in = 0, d_out = 0;
    size_t bytes = n * sizeof(float);
    if (n == 0)
        return CUDA_SUCCESS;
    CUresult result = cuMemAlloc(&d_in, bytes);
    if (result == CUDA_SUCCESS)
        result = cuMemAlloc(&d_out, bytes);
    if (result == CUDA_SUCCESS)
        result = cuMemcpyHtoD(d_in, in, bytes);
    if (result == CUDA_SUCCESS) {
        void *arguments[] = {&d_in, &d_out, &n, &a}; // where they are, not what they are
        result = cuLaunchKernel(k->function, (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
    }
    if (result == CUDA_SUCCESS)
        result = cuMemcpyDtoH(out, d_out, bytes); // waits for the kernel
    if (d_in != 0)
        cuMemFree(d_in);
    if (d_out != 0)
        cuMemFree(d_out);
    return result;
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
    char constant[32];
    snprintf(constant, sizeof constant, "-DEXPONENT=%d", exponent);
    const char *options[] = {constant};
    int result = source_compile(power_source, "power.cu", "power", options, 1, &compiled);
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
    std::map<std::string, Kernel> kernels;
};

Cache *cache_create(void)
{
    return new (std::nothrow) Cache();
}

int cache_get(Cache *cache, const char *source, const char *file, const char *expression, const char *const *options,
              int n_options, const Kernel **k, char **log)
{
    *k = NULL;
    *log = NULL;
    std::string key = std::string(source) + '\0' + expression;
    for (int i = 0; i < n_options; i++)
        key += std::string(1, '\0') + options[i];
    std::map<std::string, Kernel>::iterator known = cache->kernels.find(key);
    if (known == cache->kernels.end()) {
        Compiled compiled;
        Kernel kernel;
        int result = source_compile(source, file, expression, options, n_options, &compiled);
        *log = compiled.log;
        compiled.log = NULL;
        if (result == 0)
            result = kernel_load(&kernel, &compiled);
        compiled_free(&compiled);
        if (result != 0)
            return result;
        known = cache->kernels.insert(std::make_pair(key, kernel)).first;
    }
    *k = &known->second;
    return 0;
}

int cache_destroy(Cache *cache)
{
    int result = CUDA_SUCCESS;
    if (cache == NULL)
        return CUDA_SUCCESS;
    for (std::map<std::string, Kernel>::iterator it = cache->kernels.begin(); it != cache->kernels.end(); ++it) {
        int unloaded = kernel_unload(&it->second);
        result = result != CUDA_SUCCESS ? result : unloaded;
    }
    delete cache;
    return result;
}
