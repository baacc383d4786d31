/* Video instructions and cvt.pack (PTX ISA 9.7.18, 9.7.9.22), lane by lane: few programs have any, and no
 * compiler makes them of C++. An H100 gives these values (test/video.txt), but for scalar ones with .sat,
 * with a scale, or with .h1 of d, where what the assembler makes of some of them is not what the ISA says. */
#include "common/vgpu/exec/exec_internal.h"

static int64_t extend(uint32_t bits, unsigned width, bool is_signed)
{
    const uint32_t kept = width < 32 ? bits & ((1u << width) - 1) : bits;
    const bool negative = is_signed && kept >> (width - 1) & 1;
    return (int64_t)kept - (negative ? (int64_t)1 << width : 0);
}

static int64_t clamped(int64_t value, unsigned width, bool is_signed)
{
    const int64_t most = ((int64_t)1 << (width - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

/* to with `width` bits of value from bit `at` on. */
static uint32_t insert(uint32_t to, int64_t value, unsigned width, unsigned at)
{
    const uint32_t ones = (width < 32 ? (1u << width) - 1 : 0xFFFFFFFFu) << at;
    return (to & ~ones) | ((uint32_t)value << at & ones);
}

static bool compare(IrCmp cmp, int64_t a, int64_t b)
{
    switch (cmp) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t first_operation(const IrInst *inst, int64_t a, int64_t b)
{
    const IrVideo *v = inst->video;
    const uint32_t count = (uint32_t)(v->clamp ? (b > 32 ? 32 : b) : b & 31);
    switch ((IrVideoOp)v->op) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a < b ? b : a;
    case VIDEO_AVRG:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SET:
        return compare((IrCmp)inst->cmp, a, b);
    case VIDEO_SHL:
        return (int64_t)((uint64_t)a << count);
    default: /* VIDEO_SHR */
        return a >> count;
    }
}

static uint32_t scalar(const IrInst *inst, uint32_t a_bits, uint32_t b_bits, uint32_t c_bits)
{
    const IrVideo *v = inst->video;
    const unsigned a_width = v->a.bytes * 8u, b_width = v->b.bytes * 8u, d_width = v->d.bytes * 8u;
    const int64_t a = extend(a_bits >> v->a.index * a_width % 32, a_width, v->a_signed);
    const int64_t b = extend(b_bits >> v->b.index * b_width % 32, b_width, v->b_signed);
    const bool c_signed = v->op == VIDEO_SET ? v->a_signed || v->b_signed : v->d_signed;
    const int64_t all = first_operation(inst, a, b), c = extend(c_bits, 32, c_signed);
    const bool wraps = v->op == VIDEO_ADD || v->op == VIDEO_SUB;
    const int64_t t = v->sat  ? clamped(all, d_width, v->d_signed)
                      : wraps ? extend((uint32_t)all, 32, v->d_signed)
                              : all;
    switch ((IrVideoSecond)v->second) {
    case SECOND_ADD:
        return (uint32_t)(t + c);
    case SECOND_MIN:
        return (uint32_t)(t < c ? t : c);
    case SECOND_MAX:
        return (uint32_t)(t < c ? c : t);
    case SECOND_NONE:
        break;
    }
    return insert(c_bits, t, d_width, v->d.index * d_width % 32);
}

static uint32_t simd(const IrInst *inst, uint32_t a_bits, uint32_t b_bits, uint32_t c_bits)
{
    const IrVideo *v = inst->video;
    const unsigned width = 32u / v->n_parts;
    const uint64_t both = (uint64_t)b_bits << 32 | a_bits;
    uint32_t d = c_bits;
    for (unsigned i = 0; i < v->n_parts; i++) {
        const int64_t a = extend((uint32_t)(both >> v->a_pick[i] * width), width, v->a_signed);
        const int64_t b = extend((uint32_t)(both >> v->b_pick[i] * width), width, v->b_signed);
        int64_t t = first_operation(inst, a, b);
        t = v->sat ? clamped(t, width, v->d_signed) : t;
        if (v->mask >> i & 1)
            d = v->second ? d + (uint32_t)t : insert(d, t, width, i * width);
    }
    return d;
}

/* a * b + c in full, then shifted and saturated; a minus sign is a complement, and one more. */
static uint32_t multiply_add(const IrInst *inst, uint32_t a_bits, uint32_t b_bits, uint32_t c_bits)
{
    const IrVideo *v = inst->video;
    const unsigned a_width = v->a.bytes * 8u, b_width = v->b.bytes * 8u;
    const int64_t a = extend(a_bits >> v->a.index * a_width % 32, a_width, v->a_signed);
    const int64_t b = extend(b_bits >> v->b.index * b_width % 32, b_width, v->b_signed);
    const bool minus = v->a_minus != v->b_minus;
    const bool is_signed = v->a_signed || v->b_signed || minus || v->c_minus;
    __int128 t = (__int128)a * b, c = extend(c_bits, 32, is_signed);
    t = (minus ? -t : t) + (v->c_minus ? -c : c) + v->plus_one;
    t >>= v->scale;
    if (!v->sat)
        return (uint32_t)t;
    const __int128 most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
    return (uint32_t)(t < least ? least : t > most ? most : t);
}

/* a above b, and the lowest bits of c above both. */
static uint32_t pack(const IrInst *inst, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned width = inst->video->pack_bits;
    const int64_t high = clamped((int32_t)a, width, inst->video->d_signed);
    const int64_t low = clamped((int32_t)b, width, inst->video->d_signed);
    const uint32_t above = width < 16 ? c << 2 * width : 0;
    return insert(insert(above, high, width, width), low, width, 0);
}

static uint32_t value(const IrInst *inst, uint32_t a, uint32_t b, uint32_t c)
{
    if (inst->video->op == VIDEO_MAD)
        return multiply_add(inst, a, b, c);
    if (inst->video->op == VIDEO_PACK)
        return pack(inst, a, b, c);
    return inst->video->n_parts > 1 ? simd(inst, a, b, c) : scalar(inst, a, b, c);
}

static void exec_video(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t results[WARP_LANES];
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = first_lane(left);
        uint32_t in[3];
        for (int i = 0; i < 3; i++)
            in[i] = inst->src[i].kind == IR_NONE ? 0 : (uint32_t)operand_value(w, &inst->src[i], lane);
        results[lane] = value(inst, in[0], in[1], in[2]);
    }
    uint32_t *to = warp_dst(w, &inst->dst);
    for (uint32_t left = mask; left; left &= left - 1)
        to[first_lane(left)] = results[first_lane(left)];
}

IrHandler exec_video_handler(const IrInst *inst)
{
    return inst->dst.kind == IR_REG ? exec_video : NULL;
}
