/* form: what a variant ("mad.lo.s32") says before its operands are looked at. Decoded once for each variant
 * of a module. */
#ifndef COMMON_VGPU_IR_FORM_H
#define COMMON_VGPU_IR_FORM_H

#include "common/vgpu/ir/ir.h"

#include <string.h>

/* Sets of types, for the column `types` of opcodes.def. */
#define T_OF(name) (1u << PTX_TYPE_##name)
enum {
    T_I8 = T_OF(U8) | T_OF(S8),
    T_B8 = T_OF(B8),
    T_I16 = T_OF(U16) | T_OF(S16),
    T_I32 = T_OF(U32) | T_OF(S32),
    T_I64 = T_OF(U64) | T_OF(S64),
    T_INT = T_I16 | T_I32 | T_I64,
    T_SIGNED = T_OF(S16) | T_OF(S32) | T_OF(S64),
    T_U32 = T_OF(U32),
    T_U64 = T_OF(U64),
    T_X2 = T_OF(U16X2) | T_OF(S16X2),
    T_B16 = T_OF(B16),
    T_B32 = T_OF(B32),
    T_B64 = T_OF(B64),
    T_BITS = T_B16 | T_B32 | T_B64,
    T_B128 = T_OF(B128),
    T_HALF = T_OF(F16) | T_OF(BF16) | T_OF(F16X2) | T_OF(BF16X2),
    T_FP8X2 = T_OF(E4M3X2) | T_OF(E5M2X2),
    T_F32 = T_OF(F32),
    T_TF32 = T_OF(TF32),
    T_F64 = T_OF(F64),
    T_FLOAT = T_HALF | T_F32 | T_F64,
    T_PRED = T_OF(PRED),
};

/* Groups of modifiers.def, for the column `modifiers` of opcodes.def. */
typedef enum ModGroup {
    MOD_ROUND,
    MOD_FTZ,
    MOD_NOFTZ,
    MOD_SAT,
    MOD_APPROX,
    MOD_FULL,
    MOD_CC,
    MOD_MUL,
    MOD_HALF,
    MOD_CMP,
    MOD_BOOL,
    MOD_ATOM,
    MOD_SHFL,
    MOD_VOTE,
    MOD_BAR,
    MOD_REDUCE,
    MOD_SHIFT,
    MOD_DIRECTION,
    MOD_PRMT,
    MOD_TESTP,
    MOD_SPACE,
    MOD_SEM,
    MOD_SCOPE,
    MOD_TO,
    MOD_ABS,
    MOD_NAN,
    MOD_XORSIGN,
    MOD_RELU,
    MOD_UNI,
    MOD_SHIFTAMT,
    MOD_INDEX,
    MOD_VECTOR,
    MOD_SYNC,
    MOD_ALIGNED,
    MOD_BLOCK,
    MOD_CACHE,
    MOD_DEPENDENT,
    MOD_IGNORED,
    MOD_SATFINITE,
} ModGroup;

#define M_ROUND     (UINT64_C(1) << MOD_ROUND)
#define M_FTZ       (UINT64_C(1) << MOD_FTZ)
#define M_NOFTZ     (UINT64_C(1) << MOD_NOFTZ)
#define M_SAT       (UINT64_C(1) << MOD_SAT)
#define M_APPROX    (UINT64_C(1) << MOD_APPROX)
#define M_FULL      (UINT64_C(1) << MOD_FULL)
#define M_CC        (UINT64_C(1) << MOD_CC)
#define M_MUL       (UINT64_C(1) << MOD_MUL)
#define M_HALF      (UINT64_C(1) << MOD_HALF)
#define M_CMP       (UINT64_C(1) << MOD_CMP)
#define M_BOOL      (UINT64_C(1) << MOD_BOOL)
#define M_ATOM      (UINT64_C(1) << MOD_ATOM)
#define M_SHFL      (UINT64_C(1) << MOD_SHFL)
#define M_VOTE      (UINT64_C(1) << MOD_VOTE)
#define M_BAR       (UINT64_C(1) << MOD_BAR)
#define M_REDUCE    (UINT64_C(1) << MOD_REDUCE)
#define M_SHIFT     (UINT64_C(1) << MOD_SHIFT)
#define M_DIRECTION (UINT64_C(1) << MOD_DIRECTION)
#define M_PRMT      (UINT64_C(1) << MOD_PRMT)
#define M_TESTP     (UINT64_C(1) << MOD_TESTP)
#define M_SPACE     (UINT64_C(1) << MOD_SPACE)
#define M_SEM       (UINT64_C(1) << MOD_SEM)
#define M_SCOPE     (UINT64_C(1) << MOD_SCOPE)
#define M_TO        (UINT64_C(1) << MOD_TO)
#define M_ABS       (UINT64_C(1) << MOD_ABS)
#define M_NAN       (UINT64_C(1) << MOD_NAN)
#define M_XORSIGN   (UINT64_C(1) << MOD_XORSIGN)
#define M_RELU      (UINT64_C(1) << MOD_RELU)
#define M_UNI       (UINT64_C(1) << MOD_UNI)
#define M_SHIFTAMT  (UINT64_C(1) << MOD_SHIFTAMT)
#define M_INDEX     (UINT64_C(1) << MOD_INDEX)
#define M_VECTOR    (UINT64_C(1) << MOD_VECTOR)
#define M_SYNC      (UINT64_C(1) << MOD_SYNC)
#define M_ALIGNED   (UINT64_C(1) << MOD_ALIGNED)
#define M_BLOCK     (UINT64_C(1) << MOD_BLOCK)
#define M_CACHE     (UINT64_C(1) << MOD_CACHE)
#define M_DEPENDENT (UINT64_C(1) << MOD_DEPENDENT)
#define M_IGNORED   (UINT64_C(1) << MOD_IGNORED)
#define M_SATFINITE (UINT64_C(1) << MOD_SATFINITE)

enum { FORM_REASON_MAX = 160 };

typedef struct IrForm {
    IrInst inst;       /* opcode, types and modifiers; no operands */
    const char *shape; /* see opcodes.def */
    IrTensor tensor;   /* shape "tensor" */
    IrTexture texture; /* shape "texture" */
    IrVideo video;     /* shape "video" */
    bool decoded, usable;
    char reason[FORM_REASON_MAX]; /* why it is not usable */
} IrForm;

void form_decode(const PtxVariant *variant, IrForm *form);
/* Keeps the first reason, with the word that gave it. */
void form_refuse(IrForm *form, const char *what, const char *word, size_t length);
/* tensor.c: fills form->tensor and the instruction's space and rounding. */
void form_decode_tensor(const PtxVariant *variant, IrForm *form);
/* texture.c: fills form->texture and the instruction's types. */
void form_decode_texture(const PtxVariant *variant, IrForm *form);
/* video.c: fills form->video and the instruction's type; cvt.pack becomes one of them. False: it is none. */
bool form_decode_video(const PtxVariant *variant, IrForm *form);
/* async.c: sets form->inst.async and the shape by a row of async.def. False: there is none, and the form is
 * untouched. */
bool form_decode_async(const PtxVariant *variant, IrForm *form);
PtxType form_type_named(const char *word, size_t length);

/* Of a PtxType: floats of any width, packed ones too. */
bool ir_is_float(uint8_t type);

static inline bool form_word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

#endif
