/* fatbin: the PTX inside a fat binary, as nvcc leaves it in a program.
 *
 *      wrapper (24 bytes)          container                        entry
 *      u32 magic 0x466243b1        u32 magic 0xBA55ED50             u16 kind: 1 PTX, 2 machine code
 *      u32 version 1 or 2          u16 version, u16 header bytes    u16 version, u32 header bytes
 *      ptr container               u64 bytes of entries             u64 payload bytes (with padding)
 *      ptr (version 2: list of     entries...                       u32 compressed bytes, ...
 *          containers to link)                                      u32 architecture at 28, u64 flags at 40
 *                                                                   u64 uncompressed bytes at 56, payload
 *
 * Nothing in it is trusted but the wrapper's pointers: sizes are checked, and hostile ones refused.
 */
#ifndef COMMON_VGPU_CUDART_FATBIN_H
#define COMMON_VGPU_CUDART_FATBIN_H

#include "common/base/status.h"

#include <stdint.h>

/* Limits: bytes of one module's PTX, and containers linked into one. */
enum { FATBIN_PTX_MAX = 1 << 30, FATBIN_IMAGES_MAX = 4096 };

typedef struct FatbinText {
    char *text; /* NUL-terminated; the caller frees it */
    uint64_t length;
    uint32_t arch; /* 75 for compute_75 */
} FatbinText;

/* The PTX of a container for the best architecture that is not above `arch` (major * 10 + minor). At most
 * bytes_max bytes are looked at. STATUS_NOT_FOUND: there is none, *highest says for which architectures the
 * container has code (0: empty). STATUS_PARSE: not a container, or one that contradicts itself. */
Status fatbin_extract(const void *container, uint64_t bytes_max, uint32_t arch, FatbinText *out,
                      uint32_t *highest, Diag *diag);

/* The containers behind a wrapper: [0] its own, then those to link. STATUS_PARSE: not a wrapper. */
Status fatbin_containers(const void *wrapper, const void **out, uint32_t out_max, uint32_t *n, Diag *diag);

#endif
