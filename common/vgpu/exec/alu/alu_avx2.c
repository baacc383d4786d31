/* alu_avx2: the handlers for x86-64-v3: 256-bit vectors, fused multiply-add. */
#include "common/vgpu/exec/alu/alu_table.h"

#include <fenv.h>
#include <string.h>

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#define ALU_ROWS alu_rows_avx2
#include "common/vgpu/exec/alu/alu_variant.h"
#else
const AluRow *alu_rows_avx2(size_t *n)
{
    *n = 0;
    return NULL;
}
#endif
