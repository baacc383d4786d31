/* Harness for fuzzers: any bytes as a PTX module, parsed, decoded, printed and put on a device.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. common/vgpu/ir/test/fuzz_parse.c
 * common/vgpu/{ir,ptx}/x.c common/base/x.c (with * for x) makes a libFuzzer program; test_fuzz.c runs the
 * same function on inputs of its own.
 */
#include "common/vgpu/ir/ir.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches everything that exec would: each lane of each constant, each place of each register. */
static void look_at(const IrModule *m)
{
    char buf[600];
    uint64_t *address = calloc((size_t)m->n_globals + 1, sizeof *address);
    IrInstance *in = NULL;
    if (address && ir_instantiate(m, address, &in) == STATUS_OK) {
        for (uint32_t i = 0; i < m->n_functions; i++)
            for (uint32_t pc = 0; pc < m->functions[i].n_insts; pc++)
                ir_print(m, &m->functions[i], pc, buf, sizeof buf);
        for (uint32_t i = 0; i < m->n_globals; i++) {
            uint8_t *bytes = m->globals[i].bytes < 1 << 20 ? calloc(1, m->globals[i].bytes + 1) : NULL;
            if (bytes)
                ir_global_init(in, i, bytes);
            free(bytes);
        }
        ir_instance_free(in);
    }
    free(address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PtxModule *parsed = NULL;
    IrModule *m = NULL;
    Diag diag;
    if (ptx_parse((const char *)data, size, "fuzz.ptx", &parsed, &diag))
        return 0;
    if (ir_decode(&parsed, 1, &m, &diag) == STATUS_OK)
        look_at(m);
    ir_module_free(m);
    ptx_module_free(parsed);
    return 0;
}
