/* Columns of opcodes.def, types.def and sregs.def as functions. */
#include "common/vgpu/ptx/ptx.h"

const char *ptx_opcode_name(PtxOpcode opcode)
{
    static const char *const names[] = {
#define X(name, text, ...) text,
#include "common/vgpu/ptx/opcodes.def"
#undef X
    };
    return opcode < PTX_N_OPCODES ? names[opcode] : "";
}

PtxClass ptx_opcode_class(PtxOpcode opcode)
{
    static const uint8_t classes[] = {
#define X(name, text, class, ...) PTX_CLASS_##class,
#include "common/vgpu/ptx/opcodes.def"
#undef X
    };
    return opcode < PTX_N_OPCODES ? (PtxClass)classes[opcode] : PTX_CLASS_MISC;
}

const char *ptx_type_name(PtxType type)
{
    static const char *const names[] = {
#define X(name, text, bits, class) text,
#include "common/vgpu/ptx/types.def"
#undef X
    };
    return type < PTX_N_TYPES ? names[type] : "";
}

unsigned ptx_type_bits(PtxType type)
{
    static const uint8_t widths[] = {
#define X(name, text, bits, class) bits,
#include "common/vgpu/ptx/types.def"
#undef X
    };
    return type < PTX_N_TYPES ? widths[type] : 0;
}

PtxTypeClass ptx_type_class(PtxType type)
{
    static const uint8_t classes[] = {
#define X(name, text, bits, class) PTX_TYPES_##class,
#include "common/vgpu/ptx/types.def"
#undef X
    };
    return type < PTX_N_TYPES ? (PtxTypeClass)classes[type] : PTX_TYPES_OPAQUE;
}

const char *ptx_sreg_name(PtxSreg sreg)
{
    static const char *const names[] = {
#define X(name, text, bits) text,
#include "common/vgpu/ptx/sregs.def"
#undef X
    };
    return sreg < PTX_N_SREGS ? names[sreg] : "";
}

unsigned ptx_sreg_bits(PtxSreg sreg)
{
    static const uint8_t widths[] = {
#define X(name, text, bits) bits,
#include "common/vgpu/ptx/sregs.def"
#undef X
    };
    return sreg < PTX_N_SREGS ? widths[sreg] : 0;
}
