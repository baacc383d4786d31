/* kernels: random kernels whose results do not depend on the order of threads, as PTX text.
 *
 * Values that are formulas in the thread's index and values that are not, branches and loops that part the
 * threads of a block and bring them together again, early exits, barriers where all threads come, memory of
 * every kind. forms.def has what they are made of. What a kernel computes ends in its memory.
 */
#ifndef COMMON_VGPU_FUZZ_KERNELS_KERNELS_H
#define COMMON_VGPU_FUZZ_KERNELS_KERNELS_H

#include "common/base/rng.h"
#include "common/base/strbuf.h"

#include <stdbool.h>

/* The kernel `k` and its parameters. */
enum {
    KERNEL_IN_BYTES = 1040 * 16, /* .u64 in: read only */
    KERNEL_OUT_BYTES = 8,        /* .u64 out: of each thread of the grid */
    KERNEL_SUM_BYTES = 32,       /* .u64 sum: of all threads */
    KERNEL_THREADS_MAX = 256,    /* of a block; .u32 n: any number */
};

/* Where choices come from: the bytes, as far as there are any and 0 after them; or, without bytes, the seed.
 */
typedef struct KernelChoices {
    const uint8_t *bytes;
    size_t n;
    Rng rng;
} KernelChoices;

/* Appends the module's text. whole_warps: the number of threads of a block will be a multiple of 32. */
void kernel_write(StrBuf *text, KernelChoices choices, bool whole_warps);

#endif
