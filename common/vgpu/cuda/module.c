/* module: modules and libraries: PTX, fat binaries and linked images that a program loads itself.
 *
 * A CUmodule serves the device whose context loaded it; a CUlibrary every device. Both are Images of the
 * runtime, their functions and kernels its kernels.
 */
#include "common/vgpu/cuda/cuda_internal.h"

#include <stdlib.h>

static Image *image_of(const void *handle)
{
    return (Image *)(uintptr_t)handle;
}

/* ---- loading ---- */

/* What a read or an opening gives: an image without code for this device is no image at all for cuModuleLoad,
 * which says so by an error of its own. */
static CUresult load_bytes(void **out, const void *data, size_t bytes, bool module, const JitLog *log)
{
    ImageTexts texts = {0};
    Diag diag = {0};
    Image *image = NULL;
    cudaError_t error = vgpu_texts_read(data, bytes, &texts, &diag);
    if (error == cudaSuccess)
        error = vgpu_image_open(&texts, module, &image, &diag);
    vgpu_texts_free(&texts);
    jit_write_log(log, error, &diag);
    if (error == cudaSuccess)
        *out = image;
    return from_runtime(error);
}

static CUresult load_module(void **out, const void *data, bool module, unsigned n, CUjit_option *options,
                            void **values)
{
    JitLog log;
    if (!out || !data)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read_options(n, options, values, &log);
    return result != CUDA_SUCCESS ? result : load_bytes(out, data, 0, module, &log);
}

static CUresult load_file(void **out, const char *path, bool module, unsigned n, CUjit_option *options,
                          void **values)
{
    JitLog log;
    char *text = NULL;
    size_t bytes = 0;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read_options(n, options, values, &log);
    if (result == CUDA_SUCCESS)
        result = jit_read_file(path, &text, &bytes);
    if (result == CUDA_SUCCESS)
        result = load_bytes(out, text, bytes, module, &log);
    free(text);
    return result;
}

static CUresult unload(const void *handle, bool module)
{
    if (!vgpu_image_exists(image_of(handle), module))
        return CUDA_ERROR_INVALID_HANDLE;
    return from_runtime(vgpu_image_close(image_of(handle)));
}

DEFINE(cuModuleLoad, NEEDS_CONTEXT, (CUmodule * out, const char *path),
       load_file((void **)out, path, true, 0, NULL, NULL))
DEFINE(cuModuleLoadData, NEEDS_CONTEXT, (CUmodule * out, const void *image),
       load_module((void **)out, image, true, 0, NULL, NULL))
DEFINE(cuModuleLoadDataEx, NEEDS_CONTEXT,
       (CUmodule * out, const void *image, unsigned n, CUjit_option *options, void **values),
       load_module((void **)out, image, true, n, options, values))
DEFINE(cuModuleLoadFatBinary, NEEDS_CONTEXT, (CUmodule * out, const void *image),
       load_module((void **)out, image, true, 0, NULL, NULL))
DEFINE(cuModuleUnload, NEEDS_CONTEXT, (CUmodule module), unload(module, true))

/* What a library is told about its code matters to programs that keep it; here it is copied. */
DEFINE(cuLibraryLoadData, NEEDS_INIT,
       (CUlibrary * out, const void *code, CUjit_option *options, void **values, unsigned n,
        CUlibraryOption *library_options, void **library_values, unsigned n_library_options),
       ((void)library_options, (void)library_values, (void)n_library_options,
        load_module((void **)out, code, false, n, options, values)))
DEFINE(cuLibraryLoadFromFile, NEEDS_INIT,
       (CUlibrary * out, const char *path, CUjit_option *options, void **values, unsigned n,
        CUlibraryOption *library_options, void **library_values, unsigned n_library_options),
       ((void)library_options, (void)library_values, (void)n_library_options,
        load_file((void **)out, path, false, n, options, values)))
DEFINE(cuLibraryUnload, NEEDS_INIT, (CUlibrary library), unload(library, false))

/* ---- what is in it ---- */

static CUresult find_kernel(void **out, const void *handle, const char *name, bool module)
{
    cudaKernel_t kernel = NULL;
    if (!out || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!vgpu_image_exists(image_of(handle), module))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = from_runtime(vgpu_image_kernel(image_of(handle), name, &kernel));
    if (result == CUDA_SUCCESS)
        *out = kernel;
    return result;
}

static CUresult find_variable(void **address, size_t *bytes, const void *handle, const char *name,
                              bool module)
{
    void *at = NULL;
    size_t n = 0;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!vgpu_image_exists(image_of(handle), module))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = from_runtime(vgpu_image_variable(image_of(handle), name, &at, &n));
    if (result == CUDA_SUCCESS && address)
        *address = at;
    if (result == CUDA_SUCCESS && bytes)
        *bytes = n;
    return result;
}

static CUresult loading_mode(CUmoduleLoadingMode *out)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

DEFINE(cuModuleGetFunction, NEEDS_CONTEXT, (CUfunction * out, CUmodule module, const char *name),
       find_kernel((void **)out, module, name, true))
DEFINE(cuModuleGetGlobal_v2, NEEDS_CONTEXT,
       (CUdeviceptr * address, size_t *bytes, CUmodule module, const char *name),
       find_variable((void **)(void *)address, bytes, module, name, true))
DEFINE(cuModuleGetLoadingMode, NEEDS_INIT, (CUmoduleLoadingMode * out), loading_mode(out))
DEFINE(cuLibraryGetKernel, NEEDS_INIT, (CUkernel * out, CUlibrary library, const char *name),
       find_kernel((void **)out, library, name, false))
DEFINE(cuLibraryGetGlobal, NEEDS_CONTEXT,
       (CUdeviceptr * address, size_t *bytes, CUlibrary library, const char *name),
       find_variable((void **)(void *)address, bytes, library, name, false))
DEFINE(cuLibraryGetManaged, NEEDS_CONTEXT,
       (CUdeviceptr * address, size_t *bytes, CUlibrary library, const char *name),
       find_variable((void **)(void *)address, bytes, library, name, false))
