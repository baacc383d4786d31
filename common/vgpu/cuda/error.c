/* error: names and texts of the driver's errors. */
#include "common/vgpu/cuda/cuda_internal.h"

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define X(name, code, text) {code, #name, text},
#include <kit/driver_errors.def>
#undef X
};

static int find_error(CUresult error)
{
    for (int i = 0; i < (int)(sizeof errors / sizeof errors[0]); i++)
        if (errors[i].code == (int)error)
            return i;
    return -1;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    int i = find_error(error);
    *text = i < 0 ? NULL : errors[i].name;
    return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    int i = find_error(error);
    *text = i < 0 ? NULL : errors[i].text;
    return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
