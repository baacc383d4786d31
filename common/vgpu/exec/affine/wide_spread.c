/* Affine values of a block go into the register files of its warps: see wide.h. */
#include "common/vgpu/exec/affine/wide.h"

#include <string.h>

#define DEFINE_SPREAD(name, T)                                                                               \
    EXEC_CLONES static void name(ExecBlock *b, uint32_t off, const AffineValue *x)                             \
    {                                                                                                        \
        const T base = (T)x->base, sx = (T)x->step[0], sy = (T)x->step[1], sz = (T)x->step[2];               \
        for (uint32_t i = 0; i < b->run->n_warps; i++) {                                                     \
            const ExecWarp *w = &b->warps[i].base;                                                           \
            T *to = (T *)(w->regs + off);                                                                    \
            if (affine_is_uniform(x, AFFINE_BLOCK))                                                                          \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = base;                                                                         \
            else if (!x->step[1] && !x->step[2])                                                             \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = (T)(base + (T)w->tid[0][lane] * sx);                                          \
            else                                                                                             \
                for (int lane = 0; lane < WARP_LANES; lane++)                                                \
                    to[lane] = (T)(base + (T)w->tid[0][lane] * sx + (T)w->tid[1][lane] * sy +                \
                                   (T)w->tid[2][lane] * sz);                                                 \
        }                                                                                                    \
    }
typedef uint16_t __attribute__((may_alias)) Word2;
typedef uint32_t __attribute__((may_alias)) Word4;
typedef uint64_t __attribute__((may_alias)) Word8;
DEFINE_SPREAD(spread2, Word2)
DEFINE_SPREAD(spread4, Word4)
DEFINE_SPREAD(spread8, Word8)

static void spread_zeros(ExecBlock *b, uint32_t off, size_t bytes)
{
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        memset(b->warps[i].base.regs + off, 0, bytes);
}

void wide_put_lanes(ExecBlock *b, uint32_t off, unsigned bytes, const AffineValue *x)
{
    const uint32_t bits = (uint32_t)x->base;
    if (bytes == 2)
        spread2(b, off, x);
    else if (bytes == 4)
        spread4(b, off, x);
    else if (bytes == 8)
        spread8(b, off, x);
    for (uint32_t i = 0; !bytes && i < b->run->n_warps; i++)
        memcpy(b->warps[i].base.regs + off, &bits, sizeof bits);
}

static void spread_predicate(ExecBlock *b, uint32_t off)
{
    uint8_t *held = &b->wide->affine.held[off / 4];
    uint32_t bits = *held & HELD_TRUE ? FULL_MASK : 0;
    wide_put_lanes(b, off, 0, &(AffineValue){.base = bits});
    *held = bits ? HELD_LANES | HELD_TRUE : HELD_LANES | HELD_FALSE;
}

static void spread_register(ExecBlock *b, uint32_t off, unsigned bytes)
{
    uint8_t *held = &b->wide->affine.held[off / 4];
    const AffineValue *x = &b->wide->affine.values[off / 64];
    if (*held == HELD_NOTHING) {
        spread_zeros(b, off, (size_t)bytes * WARP_LANES);
        *held = HELD_LANES;
        return;
    }
    *held |= HELD_LANES;
    wide_put_lanes(b, off, bytes, x);
}

void wide_spread(ExecBlock *b, const IrOperand *o)
{
    if (o->kind != IR_REG || b->wide->affine.held[o->off / 4] & HELD_LANES)
        return;
    if (o->bytes == 0)
        spread_predicate(b, o->off);
    else
        spread_register(b, o->off, o->bytes);
}

void wide_spread_all(ExecBlock *b)
{
    static const unsigned widths[] = {16, 8, 4, 2};
    const IrFunction *f = b->run->entry;
    const uint8_t *held = b->wide->affine.held;
    for (int k = 0; k < 4; k++)
        for (uint32_t off = f->reg_at[k]; off < f->reg_at[k + 1]; off += widths[k] * WARP_LANES)
            if (!(held[off / 4] & HELD_LANES))
                spread_register(b, off, widths[k]);
    for (uint32_t off = f->reg_at[4]; off < f->reg_at[5]; off += 4)
        if (!(held[off / 4] & HELD_LANES))
            spread_predicate(b, off);
}
