/* transfer: memory accesses of instructions other than ld, st, atom and red: the addresses are given lane by
 * lane, checked, told to observers, and turned into host addresses; the caller moves the bytes. */
#ifndef COMMON_VGPU_EXEC_TRANSFER_H
#define COMMON_VGPU_EXEC_TRANSFER_H

#include "common/vgpu/exec/access.h"

typedef struct Transfer {
    ExecWarp *w;
    const IrFunction *function;
    const IrInst *inst;
    uint8_t kind;       /* ExecAccessKind */
    uint8_t space;      /* IrSpace; GENERIC too */
    uint8_t sem, scope; /* as observers are told */
    uint8_t async;      /* ExecAsync */
    uint8_t texture;    /* ExecTextureAccess */
    bool silent;        /* observers are told nothing */
    uint32_t bytes;     /* of a lane, of any size */
    uint32_t align;
    const uint8_t *data; /* what is stored, lane by lane at data_stride; NULL: not told */
    uint32_t data_stride;
} Transfer;

/* Host addresses of the lanes of mask. False: a fault was raised, or the instruction will be run again. */
bool transfer_reach(const Transfer *t, uint32_t mask, const uint64_t *addr, uint8_t **host);

#endif
