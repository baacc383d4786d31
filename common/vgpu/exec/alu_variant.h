/* alu_variant: every handler, compiled for one instruction set. Included by alu_base.c, alu_avx2.c and
 * alu_avx512.c, which first say which (a target pragma) and what the table is called (ALU_ROWS). */

#include "common/vgpu/exec/alu_table.h"

#include "common/vgpu/exec/alu_bits.h"
#include "common/vgpu/exec/alu_compare.h"
#include "common/vgpu/exec/alu_convert.h"
#include "common/vgpu/exec/alu_float.h"
#include "common/vgpu/exec/alu_int.h"
#include "common/vgpu/exec/alu_move.h"
#include "common/vgpu/exec/half.h"
#include "common/vgpu/exec/math_approx.h"

#include "common/vgpu/exec/alu_define.h"

#include "common/vgpu/exec/alu_bits.def"
#include "common/vgpu/exec/alu_compare.def"
#include "common/vgpu/exec/alu_convert.def"
#include "common/vgpu/exec/alu_float.def"
#include "common/vgpu/exec/alu_int.def"
#include "common/vgpu/exec/alu_move.def"

#include "common/vgpu/exec/alu_set.h"

#include "common/vgpu/exec/alu_list.h"

static const AluRow rows[] = {
#include "common/vgpu/exec/alu_bits.def"
#include "common/vgpu/exec/alu_compare.def"
#include "common/vgpu/exec/alu_convert.def"
#include "common/vgpu/exec/alu_float.def"
#include "common/vgpu/exec/alu_int.def"
#include "common/vgpu/exec/alu_move.def"
};

const AluRow *ALU_ROWS(size_t *n)
{
    *n = sizeof rows / sizeof rows[0];
    return rows;
}
