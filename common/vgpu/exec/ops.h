/* ops: what an instruction counts as, in arithmetic operations. */
#ifndef COMMON_VGPU_EXEC_OPS_H
#define COMMON_VGPU_EXEC_OPS_H

#include "common/vgpu/exec/exec.h"

/* How many operations an instruction did that was run so often, as ExecCounts sums them up: flops, int_ops
 * and tensor_ops together. */
uint64_t exec_ops(const IrInst *inst, const ExecInstCount *count);

#endif
