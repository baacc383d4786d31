/* alu_base: the handlers for any machine (x86-64 with SSE2 at least, or another processor). */
#define ALU_ROWS alu_rows_base
#include "common/vgpu/exec/alu/alu_variant.h"
