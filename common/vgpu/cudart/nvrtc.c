/* nvrtc: what the toolkit's NVRTC gives for machine code.
 *
 * A program that compiles for `sm_XX` takes a cubin with nvrtcGetCUBIN, which only a card runs. These two stand in front of
 * NVRTC's own (this library is preloaded), and give the PTX of the same compilation in the form of a linked image, which
 * modules, libraries and the linker read. What NVRTC refuses stays refused, and where it has no cubin (compute_XX) there is none.
 *
 * A program that opens NVRTC itself (dlopen) and asks it for the function by name gets NVRTC's own.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Of nvrtcResult. */
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INVALID_INPUT = 3, NVRTC_ERROR_INTERNAL_ERROR = 11 };

typedef int GetSize(void *program, size_t *bytes);
typedef int GetText(void *program, char *text);

int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBIN(void *program, char *cubin);

/* ISO C has no conversion from an object's pointer to a function's. */
static void find_next(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* The PTX of the program as an image; the caller frees it. *image NULL: the program was compiled to no cubin. */
static int make_image(void *program, void **image, size_t *bytes)
{
    GetSize *cubin_size, *ptx_size;
    GetText *ptx;
    size_t n = 0;
    *image = NULL;
    *bytes = 0;
    find_next("nvrtcGetCUBINSize", &cubin_size);
    find_next("nvrtcGetPTXSize", &ptx_size);
    find_next("nvrtcGetPTX", &ptx);
    if (!cubin_size || !ptx_size || !ptx)
        return NVRTC_ERROR_INTERNAL_ERROR;
    int error = cubin_size(program, &n);
    if (error != NVRTC_SUCCESS || n == 0)
        return error;
    error = ptx_size(program, &n);
    if (error != NVRTC_SUCCESS)
        return error;
    char *text = calloc(n + 1, 1);
    error = text ? ptx(program, text) : NVRTC_ERROR_OUT_OF_MEMORY;
    if (error == NVRTC_SUCCESS) {
        ImageText item = {.text = text, .length = strlen(text)};
        *image = vgpu_texts_pack(&(ImageTexts){.items = &item, .n = 1}, bytes);
        error = *image ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
    }
    free(text);
    return error;
}

EXPORT int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    void *image;
    size_t n;
    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    int error = make_image(program, &image, &n);
    free(image);
    if (error == NVRTC_SUCCESS)
        *bytes = n;
    return error;
}

EXPORT int nvrtcGetCUBIN(void *program, char *cubin)
{
    void *image;
    size_t n;
    if (!cubin)
        return NVRTC_ERROR_INVALID_INPUT;
    int error = make_image(program, &image, &n);
    if (error == NVRTC_SUCCESS && n > 0)
        memcpy(cubin, image, n);
    free(image);
    return error;
}
