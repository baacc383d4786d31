/* slice: the instructions on which one depends: static backward slices (Weiser, Program slicing, 1984) of a
 * kernel and all that it may call.
 *
 * Followed are registers (reaching definitions), predicates and guards, the branches that decide whether an
 * instruction runs (Ferrante, Ottenstein and Warren, The program dependence graph, 1987), calls with their
 * arguments and results, and memory of the block and of the thread: what loads from shared memory depends on
 * all that stores to it, wherever; the same for local memory, but that a frame's own places (arguments,
 * results) are told apart. Global memory is not followed: who reads whose bytes there is seen when the kernel
 * runs (device/provenance.h).
 *
 * The functions of a kernel's tree are one space of pcs: the kernel's own first, then those of its callees in
 * the order of the module's functions. After an indirect call any function that is no kernel may run.
 */
#ifndef COMMON_VGPU_IR_SLICE_H
#define COMMON_VGPU_IR_SLICE_H

#include "common/vgpu/ir/ir.h"

typedef struct IrTree {
    const IrModule *module;
    uint32_t *functions; /* [n], in order of pcs: indexes in the module */
    uint32_t *base;      /* [n]: where their pcs begin */
    uint32_t *base_of;   /* [function of the module]: the same, IR_NO_PC: not in the tree */
    uint32_t n, n_insts;
    struct Slicer *slicer; /* made for the first slice */
} IrTree;

/* False: no memory. The module must live as long as the tree. */
bool ir_tree_make(const IrModule *m, uint32_t kernel, IrTree *out);
void ir_tree_free(IrTree *t);
/* Where the pcs of a function of the tree begin; IR_NO_PC: it is none. */
uint32_t ir_tree_base(const IrTree *t, const IrFunction *f);
/* Sets the bits (bit i % 8 of byte i / 8) of the instructions on which that at pc depends, itself included;
 * bits has room for n_insts of them, cleared. False: no memory. */
bool ir_tree_slice(IrTree *t, uint32_t pc, uint8_t *bits);
/* Is the instruction a load of the kernel's parameters? Which bytes; *bytes 0: any. */
bool ir_tree_param(const IrTree *t, uint32_t pc, uint32_t *from, uint32_t *bytes);
/* Calls visit for each immediate of each instruction that is no address; value has `bytes` bytes: 2, 4, 8
 * or 16. */
typedef void (*IrImmediateVisitor)(void *self, uint32_t pc, const uint8_t *value, unsigned bytes);
void ir_tree_immediates(const IrTree *t, IrImmediateVisitor visit, void *self);

#endif
