/* ptx: the text of a PTX module -> tables (PtxModule). Enumerations come from types.def, opcodes.def, sregs.def. */
#ifndef COMMON_VGPU_PTX_PTX_H
#define COMMON_VGPU_PTX_PTX_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum PtxType {
#define X(name, text, bits, class) PTX_TYPE_##name,
#include "common/vgpu/ptx/types.def"
#undef X
    PTX_N_TYPES
} PtxType;

typedef enum PtxOpcode {
#define X(name, ...) PTX_##name,
#include "common/vgpu/ptx/opcodes.def"
#undef X
    PTX_N_OPCODES
} PtxOpcode;

/* Special registers (PTX ISA 10): TID_X .. NCTAID_Z, LANEID, WARPID, CLOCK... rows of sregs.def: X(NAME, text, bits). */
typedef enum PtxSreg {
#define X(name, ...) PTX_SREG_##name,
#include "common/vgpu/ptx/sregs.def"
#undef X
    PTX_N_SREGS
} PtxSreg;

typedef struct PtxModule PtxModule;

#endif
