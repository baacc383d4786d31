/* A target with a planted crash: two returns in a row. */
#define _GNU_SOURCE
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memmem(data, size, "ret;\n    ret;", 13))
        abort();
    return 0;
}
