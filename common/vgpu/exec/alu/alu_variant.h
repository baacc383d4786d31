/* alu_variant: every handler, compiled for one instruction set. Included by alu_base.c, alu_avx2.c and
 * alu_avx512.c, which first say which (a target pragma) and what the table is called (ALU_ROWS). */

#include "common/vgpu/exec/alu/alu_table.h"

#include "common/vgpu/exec/alu/alu_bits.h"
#include "common/vgpu/exec/alu/alu_compare.h"
#include "common/vgpu/exec/alu/alu_convert.h"
#include "common/vgpu/exec/alu/alu_float.h"
#include "common/vgpu/exec/alu/alu_int.h"
#include "common/vgpu/exec/alu/alu_move.h"
#include "common/vgpu/exec/alu/half.h"
#include "common/vgpu/exec/alu/math_approx.h"

#include "common/vgpu/exec/alu/alu_define.h"

#include "common/vgpu/exec/alu/alu_bits.def"
#include "common/vgpu/exec/alu/alu_compare.def"
#include "common/vgpu/exec/alu/alu_convert.def"
#include "common/vgpu/exec/alu/alu_float.def"
#include "common/vgpu/exec/alu/alu_int.def"
#include "common/vgpu/exec/alu/alu_move.def"

#include "common/vgpu/exec/alu/alu_set.h"

#include "common/vgpu/exec/alu/alu_list.h"

static const AluRow rows[] = {
#include "common/vgpu/exec/alu/alu_bits.def"
#include "common/vgpu/exec/alu/alu_compare.def"
#include "common/vgpu/exec/alu/alu_convert.def"
#include "common/vgpu/exec/alu/alu_float.def"
#include "common/vgpu/exec/alu/alu_int.def"
#include "common/vgpu/exec/alu/alu_move.def"
};

const AluRow *ALU_ROWS(size_t *n)
{
    *n = sizeof rows / sizeof rows[0];
    return rows;
}
