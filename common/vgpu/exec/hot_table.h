/* hot_table: where hot loads and stores find their handlers (hot.h), and memory.c what they do otherwise. */
#ifndef COMMON_VGPU_EXEC_HOT_TABLE_H
#define COMMON_VGPU_EXEC_HOT_TABLE_H

#include "common/vgpu/exec/alu/warp.h"

typedef enum HotSpace { HOT_GLOBAL, HOT_SHARED, HOT_LOCAL } HotSpace;

/* The handler for a load or store of 4 (wide: 8) bytes through a base register of 4 (wide_addr: 8) bytes;
 * built once for each instruction set, NULL where it was not built. */
IrHandler hot_handler_base(bool store, HotSpace space, bool wide, bool wide_addr);
IrHandler hot_handler_avx2(bool store, HotSpace space, bool wide, bool wide_addr);
IrHandler hot_handler_avx512(bool store, HotSpace space, bool wide, bool wide_addr);

/* Any load or store of one space, as memory.c does it. */
void exec_memory_general(ExecWarp *w, const IrInst *inst, uint32_t mask);

#endif
