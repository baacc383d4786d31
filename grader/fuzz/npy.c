/* Target npy: any bytes as an array that a program left. What is understood lies within the bytes. */
#include "common/lab/npy.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LabArray array = {0};
    Diag diag = {0};
    if (npy_parse(data, size, &array, &diag) != STATUS_OK)
        return 0;
    const size_t bytes = array.elements * npy_type_bytes(array.type);
    uint8_t *copy = malloc(bytes + 1);
    char shape[64];
    if (!copy || bytes > size)
        abort();
    memcpy(copy, array.data, bytes);
    free(copy);
    npy_format_shape(&array, shape, sizeof shape);
    return 0;
}
