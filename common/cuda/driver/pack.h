/* pack: writes a fat binary that holds PTX: what common/vgpu/cudart/fatbin.h reads. */
#ifndef COMMON_CUDA_DRIVER_PACK_H
#define COMMON_CUDA_DRIVER_PACK_H

#include "common/base/strbuf.h"

#include <stdint.h>

typedef struct PackImage {
    const char *text; /* PTX, without its NUL */
    size_t length;
    uint32_t arch; /* 75 for compute_75 */
} PackImage;

/* Appends a container with one entry an image. out->failed: no memory. */
void pack_container(StrBuf *out, const PackImage *images, size_t n);

#endif
