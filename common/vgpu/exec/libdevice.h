/* libdevice: functions of mathematics that a module calls and does not define (common/vgpu/ir/libdevice.def).
 *
 * Each is worked out in long double and rounded once, so that nearly every result is the one nearest to the
 * exact value: within CUDA's documented bounds (CUDA C++ Programming Guide, "Mathematical Functions"), and
 * the same on every machine.
 */
#ifndef COMMON_VGPU_EXEC_LIBDEVICE_H
#define COMMON_VGPU_EXEC_LIBDEVICE_H

#include "common/vgpu/exec/exec_internal.h"

/* Does the call of the number-th function: a row of the table, twice, and one more for floats. */
void exec_libdevice(ExecWarp *w, const IrInst *inst, uint32_t mask, unsigned number);

/* The value of one: bits of the arguments, in order, and of the result. */
uint64_t libdevice_value(unsigned number, const uint64_t *args);

#endif
