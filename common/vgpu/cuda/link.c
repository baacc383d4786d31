/* link: the driver's linker: several pieces of PTX become one image, linked by name.
 *
 * Pieces are only collected until cuLinkComplete, which tries the whole once, so that an error shows there
 * and not when the image is loaded.
 */
#include "common/vgpu/cuda/cuda_internal.h"

#include <stdlib.h>

/* "LINK" at the front tells a handle from most things that are none. */
#define LINK_MAGIC 0x4C494E4Bu

struct CUlinkState_st {
    uint32_t magic;
    ImageTexts texts;
    JitLog log;
    void *image; /* of cuLinkComplete; lives until cuLinkDestroy */
    size_t bytes;
};

static bool is_link(CUlinkState s)
{
    return s && s->magic == LINK_MAGIC;
}

static CUresult create(unsigned n, CUjit_option *options, void **values, CUlinkState *out)
{
    JitLog log;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read_options(n, options, values, &log);
    if (result != CUDA_SUCCESS)
        return result;
    CUlinkState s = calloc(1, sizeof *s);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->magic = LINK_MAGIC;
    s->log = log;
    *out = s;
    return CUDA_SUCCESS;
}

static CUresult link_add(CUlinkState s, CUjitInputType type, const void *data, size_t bytes)
{
    Diag diag = {0};
    if (!is_link(s))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!data || bytes == 0 || s->image || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    cudaError_t error = vgpu_texts_read(data, bytes, &s->texts, &diag);
    if (error != cudaSuccess)
        jit_write_log(&s->log, error, &diag);
    return from_runtime(error);
}

static CUresult add_file(CUlinkState s, CUjitInputType type, const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    CUresult result = jit_read_file(path, &text, &bytes);
    if (result == CUDA_SUCCESS)
        result = link_add(s, type, text, bytes);
    free(text);
    return result;
}

/* Does everything that is used exist, once? */
static cudaError_t try_texts(const CUlinkState s)
{
    Diag diag = {0};
    cudaError_t error = vgpu_image_try(&s->texts, &diag);
    jit_write_log(&s->log, error, &diag);
    return error;
}

static CUresult complete(CUlinkState s, void **image, size_t *bytes)
{
    if (!is_link(s))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!image || s->texts.n == 0 || s->image)
        return CUDA_ERROR_INVALID_VALUE;
    s->image = vgpu_texts_pack(&s->texts, &s->bytes);
    if (!s->image)
        return CUDA_ERROR_OUT_OF_MEMORY;
    cudaError_t error = try_texts(s);
    if (error != cudaSuccess)
        return from_runtime(error);
    *image = s->image;
    if (bytes)
        *bytes = s->bytes;
    return CUDA_SUCCESS;
}

static CUresult destroy(CUlinkState s)
{
    if (!is_link(s))
        return CUDA_ERROR_INVALID_HANDLE;
    vgpu_texts_free(&s->texts);
    free(s->image);
    s->magic = 0;
    free(s);
    return CUDA_SUCCESS;
}

DEFINE(cuLinkCreate_v2, NEEDS_CONTEXT, (unsigned n, CUjit_option *options, void **values, CUlinkState *out),
       create(n, options, values, out))
DEFINE(cuLinkAddData_v2, NEEDS_CONTEXT,
       (CUlinkState s, CUjitInputType type, void *data, size_t bytes, const char *name, unsigned n,
        CUjit_option *options, void **values),
       ((void)name, (void)n, (void)options, (void)values, link_add(s, type, data, bytes)))
DEFINE(cuLinkAddFile_v2, NEEDS_CONTEXT,
       (CUlinkState s, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
        void **values),
       ((void)n, (void)options, (void)values, add_file(s, type, path)))
DEFINE(cuLinkComplete, NEEDS_CONTEXT, (CUlinkState s, void **image, size_t *bytes), complete(s, image, bytes))
DEFINE(cuLinkDestroy, NEEDS_INIT, (CUlinkState s), destroy(s))
