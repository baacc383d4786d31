/* alu_index: the rows of the best variant by opcode, for whoever searches for many instructions. In alu.c. */
#ifndef COMMON_VGPU_EXEC_ALU_ALU_INDEX_H
#define COMMON_VGPU_EXEC_ALU_ALU_INDEX_H

#include "common/vgpu/exec/alu/alu_table.h"

typedef struct AluIndex {
    const AluRow *rows;
    uint32_t first[PTX_N_OPCODES]; /* row + 1; 0: none */
    uint32_t next[];               /* [row] */
} AluIndex;

/* The caller frees it. NULL: no memory, and then every search is a long one. */
AluIndex *alu_index_new(void);
/* As exec_alu_handler; index may be NULL. */
IrHandler alu_index_handler(const AluIndex *index, const IrInst *inst);

#endif
