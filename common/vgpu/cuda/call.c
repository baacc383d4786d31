/* call: how each call of the driver API begins and ends; what is not there; finding calls by name. */
#include "common/vgpu/cuda/cuda_internal.h"
#include "common/vgpu/cuda/refused.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static const struct {
    const char *name, *base;
    int version;
    bool own_stream;
    CUresult fail; /* what --fail-at gives; CUDA_SUCCESS: not counted */
} apis[] = {
#define X(name, base, version, own_stream, support, fail) {#name, #base, version, own_stream, fail},
#include "common/vgpu/cuda/api.def"
#undef X
};

/* Set by cuInit, never cleared. */
static _Atomic bool initialised;

__attribute__((constructor)) static void note_library(void)
{
    vgpu_own_library((const void *)&initialised);
}

/* ---- begin and end ---- */

CUresult from_runtime(cudaError_t error)
{
    switch ((int)error) {
#define X(runtime, driver)                                                                                   \
    case runtime:                                                                                            \
        return driver;
#include "common/vgpu/cuda/runtime_errors.def"
#undef X
    default: /* the same number with the same meaning */
        return (CUresult)error;
    }
}

CUresult call_begin(Api api, Needs needs)
{
    CUresult result = from_runtime(vgpu_begin(apis[api].name));
    if (result != CUDA_SUCCESS)
        return result;
    if (!initialised && !vgpu_runtime_used())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (needs == NEEDS_CONTEXT)
        result = context_check(context_current());
    if (result == CUDA_SUCCESS)
        result = from_runtime(vgpu_count((cudaError_t)apis[api].fail));
    return result;
}

CUresult call_end(Api api, CUresult result)
{
    const char *name = NULL;
    (void)api;
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        cuGetErrorName(result, &name);
    vgpu_end((int)result, name);
    return result;
}

/* ---- the driver as a whole ---- */

EXPORT CUresult cuInit(unsigned int flags)
{
    CUresult result = from_runtime(vgpu_begin("cuInit"));
    if (result == CUDA_SUCCESS && flags != 0)
        result = CUDA_ERROR_INVALID_VALUE;
    /* Only the first one can find no device. NVIDIA's NVRTC calls it for itself, another one does not. */
    if (result == CUDA_SUCCESS && !initialised)
        result = from_runtime(vgpu_count(cudaErrorNoDevice));
    if (result == CUDA_SUCCESS)
        initialised = true;
    return call_end(API_cuInit, result);
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* Is the code at an address the program's own, and not a library's? */
static bool is_of_program(const void *address)
{
    Dl_info here, program;
    const void *headers = (const void *)(uintptr_t)getauxval(AT_PHDR);
    return dladdr(address, &here) != 0 && dladdr(headers, &program) != 0 && here.dli_fbase == program.dli_fbase;
}

/* The static runtime asks for its tables when the program calls it. */
static void say_static_runtime(void)
{
    static bool said;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        vgpu_say("the program calls the static CUDA runtime, nvcc's default, which only a real GPU can serve: its calls fail\n"
                 "  link it with the shared one:  nvcc -cudart shared -arch=compute_75 -lineinfo -g ...");
}

/* Tables of functions that NVIDIA's own libraries share with its driver: NVRTC asks for one, and does without. So
 * there is none, which is no error of the program's. */
EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_of_program(__builtin_return_address(0)))
        say_static_runtime();
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- entry points that are not there ---- */

CUresult api_refuse(const char *name)
{
    static bool said[N_APIS];
    char line[256];
    vgpu_begin(name);
    for (int i = 0; i < N_APIS; i++)
        if (strcmp(apis[i].name, name) == 0 && !__atomic_exchange_n(&said[i], true, __ATOMIC_RELAXED)) {
            snprintf(line, sizeof line,
                     "%s is not supported by the virtual GPU: it returns CUDA_ERROR_NOT_SUPPORTED", name);
            vgpu_say(line);
        }
    return call_end(N_APIS, CUDA_ERROR_NOT_SUPPORTED);
}

CUresult api_accept(void)
{
    return CUDA_SUCCESS;
}

/* ---- cuGetProcAddress ---- */

/* The newest entry point of a name that a program of this version may know. -1: none. */
static int find_api(const char *base, int version, bool own)
{
    int best = -1;
    for (int i = 0; i < N_APIS; i++)
        if (strcmp(apis[i].base, base) == 0 && apis[i].own_stream == own && apis[i].version <= version &&
            (best < 0 || apis[i].version > apis[best].version))
            best = i;
    return best;
}

static bool has_name(const char *base)
{
    for (int i = 0; i < N_APIS; i++)
        if (strcmp(apis[i].base, base) == 0)
            return true;
    return false;
}

EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cuda_version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *status)
{
    const cuuint64_t known =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !pfn || (flags & ~known) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int i = -1;
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        i = find_api(symbol, cuda_version, true);
    if (i < 0)
        i = find_api(symbol, cuda_version, false);
    *pfn = NULL;
    if (i >= 0)
        memcpy(pfn, &api_functions[i], sizeof *pfn);
    if (status)
        *status = i >= 0             ? CU_GET_PROC_ADDRESS_SUCCESS
                  : has_name(symbol) ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return i >= 0 || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

EXPORT CUresult cuGetProcAddress(const char *symbol, void **pfn, int cuda_version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, pfn, cuda_version, flags, NULL);
}
