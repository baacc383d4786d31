/* What tree.c and slice.c share. */
#ifndef COMMON_VGPU_IR_SLICE_INTERNAL_H
#define COMMON_VGPU_IR_SLICE_INTERNAL_H

#include "common/vgpu/ir/slice.h"

/* The instruction at a pc of the tree, and which of the tree's functions it is in. */
const IrInst *ir_tree_inst(const IrTree *t, uint32_t pc, uint32_t *member);
void slicer_free(struct Slicer *s);

#endif
