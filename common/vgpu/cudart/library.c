/* library: code that a program loads while it runs (cudaLibrary...), and the driver's functions by name.
 *
 * Libraries are images (image.c), those of the driver API too: a handle of the one is a handle of the other.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *found);
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned int version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *found);

/* ---- loading ---- */

/* A call of these files is one of the image's functions, which begin and end calls of their own: this records
 * the error under the runtime's name. */
static cudaError_t library_answer(Api api, cudaError_t error)
{
    Call call;
    if (error == cudaSuccess)
        return error;
    bool entered = call_enter_light(&call, api);
    return call_leave(&call, entered ? error : call.error);
}

static cudaError_t load_library(cudaLibrary_t *library, const void *code, size_t bytes)
{
    ImageTexts texts = {0};
    Diag diag = {0};
    Image *image = NULL;
    cudaError_t error = vgpu_texts_read(code, bytes, &texts, &diag);
    if (error == cudaSuccess)
        error = vgpu_image_open(&texts, false, &image, &diag);
    if (error != cudaSuccess && diag.message[0] != 0)
        facade_say("a library cannot be loaded: %s", diag.message);
    vgpu_texts_free(&texts);
    if (error == cudaSuccess)
        *library = (cudaLibrary_t)image;
    return error;
}

/* Options of the compiler and the linker change nothing: PTX is run as it is. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit,
                                void **jit_values, unsigned int n_jit, enum cudaLibraryOption *options,
                                void **values, unsigned int n)
{
    (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    bool given = library && code;
    return library_answer(API_cudaLibraryLoadData,
                          given ? load_library(library, code, 0) : cudaErrorInvalidValue);
}

static cudaError_t load_file(cudaLibrary_t *library, const char *name)
{
    StrBuf b = {0};
    char piece[4096];
    size_t n;
    FILE *file = fopen(name, "rb");
    if (!file)
        return errno == ENOENT ? cudaErrorFileNotFound : cudaErrorOperatingSystem;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        strbuf_append(&b, piece, n);
    bool bad = ferror(file) != 0;
    fclose(file);
    cudaError_t error = bad        ? cudaErrorOperatingSystem
                        : b.failed ? cudaErrorMemoryAllocation
                                   : load_library(library, b.text, b.length);
    strbuf_free(&b);
    return error;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name, enum cudaJitOption *jit,
                                    void **jit_values, unsigned int n_jit, enum cudaLibraryOption *options,
                                    void **values, unsigned int n)
{
    (void)jit, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n;
    bool given = library && name;
    return library_answer(API_cudaLibraryLoadFromFile,
                          given ? load_file(library, name) : cudaErrorInvalidValue);
}

static bool exists(cudaLibrary_t library)
{
    return vgpu_image_exists((const Image *)library, false);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return library_answer(API_cudaLibraryUnload, exists(library) ? vgpu_image_close((Image *)library)
                                                                 : cudaErrorInvalidResourceHandle);
}

/* ---- what is in it ---- */

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    if (!kernel || !name || !exists(library))
        return library_answer(API_cudaLibraryGetKernel,
                              exists(library) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    return library_answer(API_cudaLibraryGetKernel, vgpu_image_kernel((Image *)library, name, kernel));
}

static cudaError_t variable(cudaLibrary_t library, const char *name, bool managed, void **p, size_t *bytes)
{
    void *at;
    size_t n;
    struct cudaPointerAttributes a;
    if (!exists(library))
        return cudaErrorInvalidResourceHandle;
    if (!name || (!p && !bytes))
        return cudaErrorInvalidValue;
    cudaError_t error = vgpu_image_variable((Image *)library, name, &at, &n);
    if (error == cudaSuccess)
        error = cudaPointerGetAttributes(&a, at);
    if (error == cudaSuccess && (a.type == cudaMemoryTypeManaged) != managed)
        error = cudaErrorSymbolNotFound;
    if (error == cudaSuccess && p)
        *p = at;
    if (error == cudaSuccess && bytes)
        *bytes = n;
    return error;
}

cudaError_t cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return library_answer(API_cudaLibraryGetGlobal, variable(library, name, false, p, bytes));
}

cudaError_t cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return library_answer(API_cudaLibraryGetManaged, variable(library, name, true, p, bytes));
}

/* ---- attributes of a kernel on one device ---- */

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
    Thread *t = thread_state();
    int before = t->device, n = 0;
    cudaError_t error = cudaGetDeviceCount(&n);
    if (error != cudaSuccess)
        return error;
    if (device < 0 || device >= n)
        return library_answer(API_cudaKernelSetAttributeForDevice, cudaErrorInvalidDevice);
    t->device = device;
    error = cudaFuncSetAttribute((const void *)kernel, attribute, value);
    t->device = before;
    return error;
}

/* ---- the driver's functions ---- */

typedef int GetProcAddress(const char *, void **, int, uint64_t, int *);

/* cuGetProcAddress of the driver's library, which lies beside this one. */
static GetProcAddress *driver_lookup(void)
{
    Dl_info own;
    char path[4096];
    if (dladdr(__extension__(void *) driver_lookup, &own) == 0)
        return NULL;
    const char *slash = strrchr(own.dli_fname, '/');
    int folder = slash ? (int)(slash - own.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*slibcuda.so.1", folder, own.dli_fname);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
    GetProcAddress *f = NULL;
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* Measured: a name that there is not is no error of the call. */
static cudaError_t find_entry(const char *name, void **out, unsigned version, unsigned long long flags,
                              bool per_thread_streams, enum cudaDriverEntryPointQueryResult *found)
{
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    int status = 0;
    if (!name || !out || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    GetProcAddress *lookup = driver_lookup();
    if (!lookup)
        return cudaErrorInsufficientDriver;
    *out = NULL;
    if (per_thread_streams && flags == cudaEnableDefault)
        flags = cudaEnablePerThreadDefaultStream;
    if (lookup(name, out, (int)version, flags, &status) != 0)
        return cudaErrorInvalidValue;
    if (status == 0)
        result = cudaDriverEntryPointSuccess;
    else if (status == 2)
        result = cudaDriverEntryPointVersionNotSufficent;
    if (found)
        *found = result;
    return found || result == cudaDriverEntryPointSuccess ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *found)
{
    return library_answer(API_cudaGetDriverEntryPoint,
                          find_entry(name, out, CUDART_VERSION, flags, false, found));
}

EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *found)
{
    return library_answer(API_cudaGetDriverEntryPoint_ptsz,
                          find_entry(name, out, CUDART_VERSION, flags, true, found));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned int version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    return library_answer(API_cudaGetDriverEntryPointByVersion,
                          find_entry(name, out, version, flags, false, found));
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned int version,
                                                         unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *found)
{
    return library_answer(API_cudaGetDriverEntryPointByVersion_ptsz,
                          find_entry(name, out, version, flags, true, found));
}
