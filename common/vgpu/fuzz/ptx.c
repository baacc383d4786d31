/* Target ptx: any bytes as the text of a module, through scanner, parser and decoder. */
#include "common/vgpu/fuzz/fuzz.h"
#include "common/vgpu/ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PtxModule *parsed = NULL;
    IrModule *module = NULL;
    Diag diag = {0};
    if (ptx_parse((const char *)data, size, "fuzz.ptx", &parsed, &diag) != STATUS_OK)
        return 0;
    ir_decode(&parsed, 1, &module, &diag);
    ir_module_free(module);
    ptx_module_free(parsed);
    return 0;
}
