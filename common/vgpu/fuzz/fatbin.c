/* Target fatbin: any bytes as a fat binary's container. What it unpacks to is thrown away. */
#include "common/vgpu/cudart/fatbin.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FatbinText text = {0};
    uint32_t highest = 0;
    Diag diag = {0};
    if (fatbin_extract(data, size, 75, &text, &highest, &diag) == STATUS_OK)
        free(text.text);
    return 0;
}
