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

//@ solution 1
// What the compiler has said, also when it has failed.
static nvrtcResult fetch_log(nvrtcProgram program, char **log)
{
    size_t size; // counts the 0 byte at the end
    nvrtcResult result = nvrtcGetProgramLogSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return result;
    *log = (char *)malloc(size);
    return *log == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : nvrtcGetProgramLog(program, *log);
}

static nvrtcResult fetch_ptx(nvrtcProgram program, char **ptx)
{
    size_t size; // counts the 0 byte at the end
    nvrtcResult result = nvrtcGetPTXSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return result;
    *ptx = (char *)malloc(size);
    return *ptx == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : nvrtcGetPTX(program, *ptx);
}
//@ end
//@ solution 2

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
//@ end

int source_compile(const char *source, const char *file, const char *expression, const char *const *options,
                   int n_options, Compiled *out)
{
    *out = Compiled();
    //@ solution 1
    const char *all[1 + OPTIONS_MAX] = {"--gpu-architecture=compute_75"};
    for (int i = 0; i < n_options; i++)
        all[i + 1] = options[i];
    nvrtcProgram program = NULL;
    nvrtcResult result = nvrtcCreateProgram(&program, source, file, 0, NULL, NULL);
    if (result != NVRTC_SUCCESS)
        return result;
    //@ stub
    //| // TODO 1: make a program of the source, compile it with --gpu-architecture=compute_75 and the options, fetch the log
    //| // whatever came out, and the PTX if it worked; destroy the program on every path.
    //@ end
    //@ solution 2
    result = nvrtcAddNameExpression(program, expression); // before it is compiled
    if (result != NVRTC_SUCCESS) {
        nvrtcDestroyProgram(&program);
        return result;
    }
    //@ stub
    //| // TODO 2: say which kernel is wanted before you compile, and ask for its name behind that.
    //| return NVRTC_SUCCESS;
    //@ end
    //@ solution 1
    result = nvrtcCompileProgram(program, n_options + 1, all);
    nvrtcResult logged = fetch_log(program, &out->log);
    if (result == NVRTC_SUCCESS)
        result = logged;
    if (result == NVRTC_SUCCESS)
        result = fetch_ptx(program, &out->ptx);
    //@ end
    //@ solution 2
    if (result == NVRTC_SUCCESS)
        result = fetch_name(program, expression, &out->name);
    //@ end
    //@ solution 1
    nvrtcDestroyProgram(&program);
    return result;
    //@ end
}

// ---- From PTX to a kernel ----

int kernel_load(Kernel *k, const Compiled *c)
{
    *k = Kernel();
    //@ solution 3
    CUresult result = cuModuleLoadData(&k->module, c->ptx);
    if (result != CUDA_SUCCESS) {
        k->module = NULL;
        return result;
    }
    result = cuModuleGetFunction(&k->function, k->module, c->name);
    if (result != CUDA_SUCCESS)
        kernel_unload(k);
    return result;
    //@ stub
    //| // TODO 3 (load): load the PTX as a module, and find the kernel in it by its name.
    //| return CUDA_SUCCESS;
    //@ end
}

int kernel_unload(Kernel *k)
{
    //@ solution 3
    if (k->module == NULL)
        return CUDA_SUCCESS;
    CUresult result = cuModuleUnload(k->module);
    *k = Kernel();
    return result;
    //@ stub
    //| // TODO 3 (unload): give the module back.
    //| return CUDA_SUCCESS;
    //@ end
}

// ---- Launching it ----

//@ show map
int kernel_map(const Kernel *k, const float *in, float *out, int n, float a)
{
    //@ solution 4
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
    //@ stub
    //| // TODO 4: device memory for in and out, copy, launch with cuLaunchKernel, copy back, free. Return the first error.
    //| return CUDA_SUCCESS;
    //@ end
}
//@ end

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
    //@ solution 5
    char constant[32];
    snprintf(constant, sizeof constant, "-DEXPONENT=%d", exponent);
    const char *options[] = {constant};
    int result = source_compile(power_source, "power.cu", "power", options, 1, &compiled);
    //@ stub
    //| // TODO 5: this is right, and finds out in each turn of the loop whether it was the last one. Tell the compiler.
    //| int result = source_compile(power_source, "power.cu", "power", NULL, 0, &compiled);
    //@ end
    if (result == 0)
        result = kernel_load(&k, &compiled);
    if (result == 0)
        result = kernel_map(&k, in, out, n, (float)exponent);
    kernel_unload(&k);
    compiled_free(&compiled);
    return result;
}

// ---- What has been compiled before ----

//@ solution 6
// The key is one text: source, expression and options, with their 0 bytes between them.
typedef struct Entry {
    char *key;
    size_t key_bytes;
    Kernel kernel;
    struct Entry *next;
} Entry;

struct Cache {
    Entry *entries;
};

static char *append(char *at, const char *text)
{
    size_t bytes = strlen(text) + 1;
    memcpy(at, text, bytes);
    return at + bytes;
}

static char *make_key(const char *source, const char *expression, const char *const *options, int n_options,
                      size_t *bytes)
{
    *bytes = strlen(source) + 1 + strlen(expression) + 1;
    for (int i = 0; i < n_options; i++)
        *bytes += strlen(options[i]) + 1;
    char *key = (char *)malloc(*bytes);
    if (key == NULL)
        return NULL;
    char *at = append(append(key, source), expression);
    for (int i = 0; i < n_options; i++)
        at = append(at, options[i]);
    return key;
}

static void entry_free(Entry *entry)
{
    if (entry != NULL)
        free(entry->key);
    free(entry);
}
//@ stub
//| struct Cache {
//|     int nothing; // TODO 6: what do you need to find a kernel again?
//| };
//@ end

Cache *cache_create(void)
{
    return (Cache *)calloc(1, sizeof(Cache));
}

int cache_get(Cache *cache, const char *source, const char *file, const char *expression, const char *const *options,
              int n_options, const Kernel **k, char **log)
{
    *k = NULL;
    *log = NULL;
    //@ solution 6
    Entry *entry = (Entry *)calloc(1, sizeof *entry);
    if (entry == NULL || (entry->key = make_key(source, expression, options, n_options, &entry->key_bytes)) == NULL) {
        entry_free(entry);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (Entry *known = cache->entries; known != NULL; known = known->next)
        if (known->key_bytes == entry->key_bytes && memcmp(known->key, entry->key, entry->key_bytes) == 0) {
            *k = &known->kernel;
            entry_free(entry);
            return 0;
        }
    Compiled fresh;
    int result = source_compile(source, file, expression, options, n_options, &fresh);
    *log = fresh.log;
    fresh.log = NULL; // the caller's now
    if (result == 0)
        result = kernel_load(&entry->kernel, &fresh);
    compiled_free(&fresh);
    if (result != 0) {
        entry_free(entry);
        return result;
    }
    entry->next = cache->entries;
    cache->entries = entry;
    *k = &entry->kernel;
    return 0;
    //@ stub
    //| // TODO 6: look for a kernel that was made from the same texts; compile and load only if there is none.
    //| return CUDA_SUCCESS;
    //@ end
}

int cache_destroy(Cache *cache)
{
    int result = CUDA_SUCCESS;
    if (cache == NULL)
        return CUDA_SUCCESS;
    //@ solution 6
    for (Entry *entry = cache->entries, *next; entry != NULL; entry = next) {
        next = entry->next;
        int unloaded = kernel_unload(&entry->kernel);
        result = result != CUDA_SUCCESS ? result : unloaded;
        entry_free(entry);
    }
    //@ stub
    //| // TODO 6: unload all kernels.
    //@ end
    free(cache);
    return result;
}
