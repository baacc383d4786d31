/* Values of single instructions that can be read off the PTX ISA, and the rows that alu_cases.def cannot
 * hold: carries, moves and packs, predicate logic, addresses. */
#include "common/vgpu/exec/test/alu_harness.h"

#include "common/base/rng.h"
#include "common/vgpu/ir/form.h"
#include "common/vgpu/mem/mem.h"

/* ---- values: what comes out, the instruction, what goes in ---- */

typedef struct Value {
    uint64_t want;
    const char *body;
    uint64_t src[4];
} Value;

static const Value values[] = {
    /* wrapping and saturating */
    {0x80000000, "add.s32 %r5, %r0, %r1", {0x7FFFFFFF, 1}},
    {0x7FFFFFFF, "add.sat.s32 %r5, %r0, %r1", {0x7FFFFFFF, 1}},
    {0x80000000, "sub.sat.s32 %r5, %r0, %r1", {0x80000000, 1}},
    {0x0000, "add.u16 %h5, %h0, %h1", {0xFFFF, 1}},
    {0xFFFF0001, "add.u16x2 %r5, %r0, %r1", {0xFFFEFFFF, 0x00010002}},
    {0x80000000, "abs.s32 %r5, %r0", {0x80000000}},
    {0x8000000000000000, "neg.s64 %d5, %d0", {0x8000000000000000}},
    /* products */
    {0xFFFFFFFE00000001, "mul.wide.u32 %d5, %r0, %r1", {0xFFFFFFFF, 0xFFFFFFFF}},
    {1, "mul.wide.s32 %d5, %r0, %r1", {0xFFFFFFFF, 0xFFFFFFFF}},
    {0xFFFFFFFFFFFFFFFE, "mul.hi.u64 %d5, %d0, %d1", {UINT64_MAX, UINT64_MAX}},
    {0, "mul.hi.s64 %d5, %d0, %d1", {UINT64_MAX, UINT64_MAX}},
    {0xFFFFFE00, "mul24.hi.u32 %r5, %r0, %r1", {0xFFFFFF, 0xFFFFFF}},
    {0x7FFFFFFF, "mad.hi.sat.s32 %r5, %r0, %r1, %r2", {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}},
    {10 + 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8, "dp4a.u32.u32 %r5, %r0, %r1, %r2", {0x04030201, 0x08070605, 10}},
    {(uint32_t)-2, "dp4a.s32.s32 %r5, %r0, %r1, %r2", {0xFF, 2, 0}},
    {4 * 255, "vabsdiff4.u32.u32.u32.add %r5, %r0, %r1, %r2", {0xFF00FF00, 0x00FF00FF, 0}},
    /* zero divisors and INT_MIN / -1: what hardware gives, and no signal */
    {0xFFFFFFFF, "div.u32 %r5, %r0, %r1", {7, 0}},
    {0xFFFFFFFF, "div.s32 %r5, %r0, %r1", {7, 0}},
    {0xFFFFFFFF, "rem.u32 %r5, %r0, %r1", {7, 0}},
    {0xFFFFFFFF, "rem.s32 %r5, %r0, %r1", {7, 0}},
    {UINT64_MAX, "div.s64 %d5, %d0, %d1", {7, 0}},
    {UINT64_MAX, "rem.u64 %d5, %d0, %d1", {7, 0}},
    {0xFFFF, "div.u16 %h5, %h0, %h1", {7, 0}},
    {0x80000000, "div.s32 %r5, %r0, %r1", {0x80000000, 0xFFFFFFFF}},
    {0, "rem.s32 %r5, %r0, %r1", {0x80000000, 0xFFFFFFFF}},
    {0x8000000000000000, "div.s64 %d5, %d0, %d1", {0x8000000000000000, UINT64_MAX}},
    {0, "rem.s64 %d5, %d0, %d1", {0x8000000000000000, UINT64_MAX}},
    {(uint32_t)-3, "div.s32 %r5, %r0, %r1", {(uint32_t)-7, 2}},
    {(uint32_t)-1, "rem.s32 %r5, %r0, %r1", {(uint32_t)-7, 2}},
    /* shifts clamp */
    {0, "shl.b32 %r5, %r0, %r1", {1, 32}},
    {0, "shl.b32 %r5, %r0, %r1", {1, 0xFFFFFFFF}},
    {0, "shr.u32 %r5, %r0, %r1", {0x80000000, 32}},
    {0xFFFFFFFF, "shr.s32 %r5, %r0, %r1", {0x80000000, 100}},
    {0, "shl.b64 %d5, %d0, %r1", {1, 64}},
    {0x100000000, "shl.b64 %d5, %d0, %r1", {1, 32}},
    {0, "shl.b16 %h5, %h0, %r1", {1, 16}},
    {0xFFFF, "shr.s16 %h5, %h0, %r1", {0x8000, 16}},
    {0x11111111, "shf.l.clamp.b32 %r5, %r0, %r1, %r2", {0x11111111, 0x22222222, 32}},
    {0x22222222, "shf.l.wrap.b32 %r5, %r0, %r1, %r2", {0x11111111, 0x22222222, 32}},
    {0x22222222, "shf.r.clamp.b32 %r5, %r0, %r1, %r2", {0x11111111, 0x22222222, 33}},
    /* fields and bits */
    {0xFFFFFFFF, "bfe.s32 %r5, %r0, %r1, %r2", {0x80, 7, 1}},
    {0, "bfe.u32 %r5, %r0, %r1, %r2", {0xFFFFFFFF, 32, 8}},
    {0xFFFFFFFF, "bfe.s32 %r5, %r0, %r1, %r2", {0x80000000, 40, 8}},
    {0xF0000000, "bfi.b32 %r5, %r0, %r1, %r2, %r3", {0xFF, 0, 28, 8}},
    {0xFFFFFFFF, "bfind.u32 %r5, %r0", {0}},
    {30, "bfind.s32 %r5, %r0", {0x80000000}},
    {31, "bfind.shiftamt.u32 %r5, %r0", {1}},
    {32, "clz.b32 %r5, %r0", {0}},
    {64, "clz.b64 %r5, %d0", {0}},
    {64, "popc.b64 %r5, %d0", {UINT64_MAX}},
    {1, "brev.b64 %d5, %d0", {0x8000000000000000}},
    {4, "fns.b32 %r5, %r0, %r1, %r2", {0x16, 1, 3}},
    {0xFFFFFFFF, "fns.b32 %r5, %r0, %r1, %r2", {0x16, 1, 4}},
    {0x00000FF0, "bmsk.clamp.b32 %r5, %r0, %r1", {4, 8}},
    {0xFFFFFFF8, "szext.clamp.s32 %r5, %r0, %r1", {8, 4}},
    {0x000000E2, "lop3.b32 %r5, %r0, %r1, %r2, 0xE2", {0xF0, 0xCC, 0xAA}},
    {0x33221100, "prmt.b32 %r5, %r0, %r1, %r2", {0x33221100, 0x77665544, 0x3210}},
    {0xFF000000, "prmt.b32 %r5, %r0, %r1, %r2", {0x80000000, 0, 0xB000}},
    {0x1, "cnot.b32 %r5, %r0", {0}},
    /* floating point: NaN, infinity, subnormals, signed zero */
    {0x7FFFFFFF, "add.f32 %f5, %f0, %f1", {0x7F800000, 0xFF800000}},
    {0x7FFFFFFF, "mul.f32 %f5, %f0, %f1", {0xFFC12345, 0x3F800000}},
    {0x7FFFFFFF, "sqrt.rn.f32 %f5, %f0", {0xBF800000}},
    {0x80000000, "sqrt.rn.f32 %f5, %f0", {0x80000000}},
    {0x7F800000, "rcp.rn.f32 %f5, %f0", {0}},
    {0x00000001, "add.f32 %f5, %f0, %f1", {0x00000001, 0}},
    {0x00000000, "add.ftz.f32 %f5, %f0, %f1", {0x00000001, 0}},
    {0x80000000, "mul.ftz.f32 %f5, %f0, %f1", {0x80000001, 0x3F800000}},
    /* Just below the least normal number: as normal numbers are rounded this is one below it (both as a card
     * had them, and one made for its other neighbour), or it is the least itself. */
    {0x00000000, "fma.rn.ftz.f32 %f5, %f0, %f1, %f2", {0xB33C155C, 0x00800000, 0x00800000}},
    {0x00000000, "fma.rn.ftz.sat.f32 %f5, %f0, %f1, %f2", {0x925D900D, 0x217DFAC2, 0x00800000}},
    {0x80000000, "fma.rn.ftz.f32 %f5, %f0, %f1, %f2", {0x333C155C, 0x00800000, 0x80800000}},
    {0x00800000, "fma.rn.f32 %f5, %f0, %f1, %f2", {0xB33C155C, 0x00800000, 0x00800000}},
    {0x00800000, "fma.rn.ftz.f32 %f5, %f0, %f1, %f2", {0x99800000, 0x19800000, 0x00800000}},
    {0x80800000, "fma.rm.ftz.f32 %f5, %f0, %f1, %f2", {0x19800000, 0x19800000, 0x80800000}},
    {0x00000000, "fma.rz.ftz.f32 %f5, %f0, %f1, %f2", {0x99800000, 0x19800000, 0x00800000}},
    {0x00800000, "fma.rn.ftz.f32 %f5, %f0, %f1, %f2", {0x7F000000, 0x00000001, 0x00800000}},
    {0x80000000, "add.rm.f32 %f5, %f0, %f1", {0x3F800000, 0xBF800000}},
    {0x00000000, "add.rn.f32 %f5, %f0, %f1", {0x3F800000, 0xBF800000}},
    {0x7F7FFFFF, "mul.rz.f32 %f5, %f0, %f1", {0x7F7FFFFF, 0x7F7FFFFF}},
    {0x7F800000, "mul.rp.f32 %f5, %f0, %f1", {0x7F7FFFFF, 0x7F7FFFFF}},
    {0x3F800001, "add.rp.f32 %f5, %f0, %f1", {0x3F800000, 0x00000001}},
    {0x3F800000, "add.sat.f32 %f5, %f0, %f1", {0x3F800000, 0x3F800000}},
    {0x00000000, "add.sat.f32 %f5, %f0, %f1", {0x7FC00000, 0x3F800000}},
    {0xB3800000, "fma.rn.f32 %f5, %f0, %f1, %f2", {0x3F7FFFFF, 0x3F800000, 0xBF800000}},
    {0x28800000, "fma.rn.f32 %f5, %f0, %f1, %f2", {0x3F800001, 0x3F800001, 0xBF800002}},
    {0x80000000, "min.f32 %f5, %f0, %f1", {0x00000000, 0x80000000}},
    {0x3F800000, "max.f32 %f5, %f0, %f1", {0x7FC00000, 0x3F800000}},
    {0x7FFFFFFF, "max.NaN.f32 %f5, %f0, %f1", {0x7FC00000, 0x3F800000}},
    {0xFFF8000000000000, "sub.f64 %e5, %e0, %e1", {0x7FF0000000000000, 0x7FF0000000000000}},
    {0x3FF0000000000001, "add.rp.f64 %e5, %e0, %e1", {0x3FF0000000000000, 1}},
    {0x7BFF, "add.rn.f16 %h5, %h0, %h1", {0x7BFF, 0x4400}},
    {0x7C00, "add.rn.f16 %h5, %h0, %h1", {0x7BFF, 0x4C00}},
    {0x7FFF, "mul.rn.bf16 %h5, %h0, %h1", {0x7F80, 0}},
    {1, "testp.normal.f32 %p5, %f0", {0}},
    {0, "setp.ne.f32 %p5, %f0, %f1", {0x7FC00000, 0x3F800000}},
    {1, "setp.neu.f32 %p5, %f0, %f1", {0x7FC00000, 0x3F800000}},
    {2, "setp.lt.s32 %p5|%p6, %r0, %r1", {1, 0xFFFFFFFF}},
    /* conversions */
    {0x7FFFFFFF, "cvt.rzi.s32.f32 %r5, %f0", {0x4F800000}},
    {0x80000000, "cvt.rzi.s32.f32 %r5, %f0", {0xFF800000}},
    {0, "cvt.rzi.s32.f32 %r5, %f0", {0x7FC00000}},
    {0x80000000, "cvt.rzi.s32.f64 %r5, %e0", {0x7FF8000000000000}},
    {0, "cvt.rzi.u32.f32 %r5, %f0", {0xBF800000}},
    {255, "cvt.rzi.u8.f32 %r5, %f0", {0x43960000}},
    {2, "cvt.rni.s32.f32 %r5, %f0", {0x40200000}},
    {0xFFFFFFFF, "cvt.s32.s8 %r5, %r0", {0xFF}},
    {0xFF, "cvt.u32.u8 %r5, %r0", {0xFFFF}},
    {0x7F, "cvt.sat.s8.s32 %h5, %r0", {300}},
    {0x4B800000, "cvt.rn.f32.s32 %f5, %r0", {0x01000001}},
    {0x4B800001, "cvt.rp.f32.s32 %f5, %r0", {0x01000001}},
    {0x7C00, "cvt.rn.f16.f32 %h5, %f0", {0x477FF000}},
    {0x7BFF, "cvt.rz.f16.f32 %h5, %f0", {0x477FF000}},
    {0x3C004000, "cvt.rn.f16x2.f32 %r5, %f0, %f1", {0x3F800000, 0x40000000}},
};

static bool check_value(const Value *t, AluVariant v)
{
    Harness h;
    if (!harness_decode(&h, t->body))
        return false;
    const IrHandler handler = harness_handler(&h, v, t->body);
    bool good = handler != NULL;
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < WARP_LANES; lane++)
            harness_set(&h, &h.inst->src[i], lane, t->src[i]);
    if (good)
        handler(&h.warp, h.inst, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES && good; lane++) {
        good = harness_result(&h, lane) == t->want;
        if (!good)
            print_error("%s, variant %d: wanted %llx, got %llx\n", t->body, v, (unsigned long long)t->want,
                        (unsigned long long)harness_result(&h, lane));
    }
    harness_free(&h);
    return good;
}

static void values_are_those_of_the_isa(void **state)
{
    (void)state;
    int failed = 0;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++)
        for (size_t i = 0; alu_variant_usable(v) && i < sizeof values / sizeof values[0]; i++)
            failed += !check_value(&values[i], v);
    assert_int_equal(failed, 0);
}

/* ---- carries ---- */

static const char *const carry_ops[] = {"add.cc",  "addc",    "addc.cc",    "sub.cc",
                                        "subc",    "subc.cc", "mad.lo.cc",  "mad.hi.cc",
                                        "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"};
static const char *const carry_types[] = {"u32", "s32", "u64", "s64"};

/* The upper word of a product, by its four partial products, and the signed one from the unsigned. */
static uint64_t product_high(uint64_t a, uint64_t b, unsigned bits, bool is_signed)
{
    const unsigned half = bits / 2;
    const uint64_t low = ((uint64_t)1 << half) - 1, al = a & low, ah = a >> half, bl = b & low,
                   bh = b >> half;
    const uint64_t middle = ah * bl + (al * bl >> half), middle2 = al * bh + (middle & low);
    uint64_t high = ah * bh + (middle >> half) + (middle2 >> half);
    if (is_signed && a >> (bits - 1))
        high -= b;
    if (is_signed && b >> (bits - 1))
        high -= a;
    return bits == 64 ? high : high & 0xFFFFFFFFu;
}

/* d of the operation, and its carry out, one word at a time. */
static uint64_t carry_reference(const char *op, const char *type, const uint64_t *src, bool carry_in,
                                bool *carry_out)
{
    const unsigned bits = type[1] == '6' ? 64 : 32;
    const uint64_t all = UINT64_MAX >> (64 - bits);
    const bool uses_carry = op[3] == 'c'; /* addc subc madc */
    const uint64_t carry = uses_carry && carry_in;
    if (strncmp(op, "sub", 3) == 0) { /* the flag is set when nothing is borrowed */
        const uint64_t borrow = uses_carry && !carry_in;
        *carry_out = !(src[0] < src[1] || (src[0] - src[1]) < borrow);
        return (src[0] - src[1] - borrow) & all;
    }
    uint64_t first = src[0], second = src[1];
    if (strncmp(op, "mad", 3) == 0) {
        const bool high = strstr(op, ".hi") != NULL;
        first = high ? product_high(src[0], src[1], bits, type[0] == 's') : src[0] * src[1] & all;
        second = src[2];
    }
    const uint64_t sum = (first + second) & all, d = (sum + carry) & all;
    *carry_out = sum < first || d < sum;
    return d;
}

static uint64_t carry_operand(Rng *rng, unsigned bits)
{
    static const uint64_t edges[] = {
        0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, UINT64_MAX};
    const uint64_t value = rng_below(rng, 2) ? edges[rng_below(rng, 8)] : rng_next(rng);
    return value & UINT64_MAX >> (64 - bits);
}

/* One warp of random sources under a mask: results and carries in its lanes, nothing else. */
static void check_carry_warp(Harness *h, IrHandler handler, const char *op, const char *type, uint32_t mask,
                             Rng *rng)
{
    const unsigned bits = type[1] == '6' ? 64 : 32;
    const uint32_t before = (uint32_t)rng_next(rng);
    uint64_t src[WARP_LANES][3];
    for (int lane = 0; lane < WARP_LANES; lane++)
        for (int i = 0; i < 3; i++) {
            src[lane][i] = carry_operand(rng, bits);
            harness_set(h, &h->inst->src[i], lane, src[lane][i]);
        }
    harness_poison_results(h);
    const uint64_t poison = harness_result(h, 0);
    h->warp.carry = before;
    handler(&h->warp, h->inst, mask);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        bool want_carry;
        const bool carry = before >> lane & 1, on = mask >> lane & 1;
        const uint64_t want = carry_reference(op, type, src[lane], carry, &want_carry);
        assert_int_equal(harness_result(h, lane), on ? want : poison);
        assert_int_equal(h->warp.carry >> lane & 1, on && strstr(op, ".cc") ? want_carry : carry);
    }
}

static void check_carry_op(const char *op, const char *type, AluVariant v)
{
    char body[80];
    Harness h;
    Rng rng = {1};
    const char r = type[1] == '6' ? 'd' : 'r';
    const bool three = strncmp(op, "mad", 3) == 0;
    snprintf(body, sizeof body, three ? "%s.%s %%%c5, %%%c0, %%%c1, %%%c2" : "%s.%s %%%c5, %%%c0, %%%c1", op,
             type, r, r, r, r);
    assert_true(harness_decode(&h, body));
    const IrHandler handler = harness_handler(&h, v, body);
    assert_non_null(handler);
    for (int i = 0; i < 20; i++)
        check_carry_warp(&h, handler, op, type, i % 2 ? FULL_MASK : (uint32_t)rng_next(&rng) | 1, &rng);
    harness_free(&h);
}

static void carries_chain_words(void **state)
{
    (void)state;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++)
        for (size_t o = 0; alu_variant_usable(v) && o < sizeof carry_ops / sizeof carry_ops[0]; o++)
            for (size_t t = 0; t < sizeof carry_types / sizeof carry_types[0]; t++)
                check_carry_op(carry_ops[o], carry_types[t], v);
}

/* ---- moves ---- */

static uint64_t lane_value(int i, int lane)
{
    return rng_mix((uint64_t)i * 64 + (uint64_t)lane + 1);
}

static uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes == 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

/* mov d, a: lane by lane, under a mask. */
static void check_plain_move(const char *body, AluVariant v, uint32_t mask)
{
    Harness h;
    assert_true(harness_decode(&h, body));
    const IrHandler handler = harness_handler(&h, v, body);
    assert_non_null(handler);
    for (int lane = 0; lane < WARP_LANES; lane++)
        harness_set(&h, &h.inst->src[0], lane, lane_value(0, lane));
    harness_poison_results(&h);
    const uint64_t poison = harness_result(&h, 0);
    handler(&h.warp, h.inst, mask);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t want =
            h.inst->dst.bytes ? cut(lane_value(0, lane), h.inst->dst.bytes) : lane_value(0, lane) & 1;
        assert_int_equal(harness_result(&h, lane), mask >> lane & 1 ? want : poison);
    }
    harness_free(&h);
}

static void moves_copy_every_type(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mov.b16 %h5, %h0",  "mov.u16 %h5, %h0",   "mov.s16 %h5, %h0",    "mov.f16 %h5, %h0",
        "mov.bf16 %h5, %h0", "mov.b32 %r5, %r0",   "mov.u32 %r5, %r0",    "mov.s32 %r5, %r0",
        "mov.f32 %f5, %f0",  "mov.f16x2 %r5, %r0", "mov.bf16x2 %r5, %r0", "mov.b64 %d5, %d0",
        "mov.u64 %d5, %d0",  "mov.s64 %d5, %d0",   "mov.f64 %e5, %e0",    "mov.pred %p5, %p0",
    };
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++)
        for (size_t i = 0; alu_variant_usable(v) && i < sizeof bodies / sizeof bodies[0]; i++) {
            check_plain_move(bodies[i], v, FULL_MASK);
            check_plain_move(bodies[i], v, 0x80F0000F);
        }
}

/* Registers wider than the type: the value is cut to the type, and extended by its sign. */
static void moves_between_widths_extend(void **state)
{
    (void)state;
    size_t n;
    const AluRow *rows = alu_rows(ALU_BASE, &n);
    int tried = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].opcode != PTX_MOV || rows[i].selector != ALU_SEL_RESIZE)
            continue;
        const PtxType type = rows[i].type;
        const bool is_signed = type == PTX_TYPE_S16 || type == PTX_TYPE_S32;
        uint64_t regs[2 * WARP_LANES];
        const unsigned bits = ptx_type_bits(type);
        const bool narrowing = bits == 64;
        IrInst inst = {.opcode = PTX_MOV, .type = (uint8_t)type, .n_vec = 1};
        inst.src[0] = (IrOperand){.kind = IR_REG, .bytes = 8, .off = 0};
        inst.dst = (IrOperand){.kind = IR_REG, .bytes = narrowing ? 4 : 8, .off = 8 * WARP_LANES};
        for (int lane = 0; lane < WARP_LANES; lane++)
            regs[lane] = lane_value(1, lane);
        ExecWarp warp = {.regs = (uint8_t *)regs};
        for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++) {
            if (!alu_variant_usable(v))
                continue;
            memset(regs + WARP_LANES, 0, sizeof regs / 2);
            const AluRow *row = alu_find_row(v, &inst);
            assert_non_null(row);
            harness_mark(row, v);
            row->handler(&warp, &inst, FULL_MASK);
            for (int lane = 0; lane < WARP_LANES; lane++) {
                const uint64_t low = cut(regs[lane], bits / 8), sign = low >> (bits - 1);
                const uint64_t wide = is_signed && sign ? low | ~cut(UINT64_MAX, bits / 8) : low;
                const uint64_t got =
                    narrowing ? ((const uint32_t *)(regs + WARP_LANES))[lane] : regs[WARP_LANES + lane];
                assert_int_equal(got, narrowing ? (uint32_t)wide : wide);
            }
        }
        tried++;
    }
    assert_true(tried > 0);
}

/* The bytes of lane `lane` of a scalar operand, low ones first; a 128-bit register is two arrays of u64. */
static void scalar_bytes(const Harness *h, const IrOperand *o, int lane, uint8_t *bytes)
{
    const uint8_t *base = h->regs + o->off;
    if (o->bytes == 16) {
        memcpy(bytes, base + 8 * lane, 8);
        memcpy(bytes + 8, base + 8 * (WARP_LANES + lane), 8);
    } else {
        memcpy(bytes, base + o->bytes * lane, o->bytes);
    }
}

/* mov s, {e0, e1...} and back: the elements in order are the bytes of the scalar. */
static void check_vector_move(const char *body, AluVariant v, uint32_t mask)
{
    Harness h;
    assert_true(harness_decode(&h, body));
    const IrHandler handler = harness_handler(&h, v, body);
    assert_non_null(handler);
    for (uint32_t i = 0; i < h.reg_bytes; i++)
        h.regs[i] = (uint8_t)lane_value(2, (int)i);
    uint8_t *before = malloc(h.reg_bytes);
    assert_non_null(before);
    memcpy(before, h.regs, h.reg_bytes);
    Harness old = h;
    old.regs = before;
    handler(&h.warp, h.inst, mask);
    const bool pack = h.inst->dst.kind == IR_REG;
    const IrOperand *scalar = pack ? &h.inst->dst : &h.inst->src[0];
    const unsigned size = scalar->bytes / h.inst->n_vec;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint8_t now[16], was[16];
        scalar_bytes(&h, scalar, lane, now);
        scalar_bytes(&old, scalar, lane, was);
        for (unsigned i = 0; i < h.inst->n_vec; i++) {
            const IrOperand *e = &h.inst->vec[i];
            const bool on = mask >> lane & 1;
            if (e->kind == IR_NONE)
                continue;
            uint64_t element = harness_get(&h, e, lane), piece = 0;
            memcpy(&piece, (pack ? now : was) + size * i, size);
            if (on)
                assert_int_equal(cut(element, size), piece);
            else if (pack)
                assert_memory_equal(now, was, scalar->bytes);
            else
                assert_int_equal(element, harness_get(&old, e, lane));
        }
    }
    free(before);
    harness_free(&h);
}

static void vectors_pack_and_unpack(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mov.b64 %d5, {%r0, %r1}",
        "mov.b64 {%r5, %r6}, %d0",
        "mov.b64 {_, %r6}, %d0",
        "mov.b64 {%r5, _}, %d0",
        "mov.b32 %r5, {%h0, %h1}",
        "mov.b32 {%h5, %h6}, %r0",
        "mov.b64 %d5, {%h0, %h1, %h2, %h3}",
        "mov.b64 {%h4, %h5, %h6, %h7}, %d0",
        "mov.b16 %h5, {%h0, %h1}",
        "mov.b16 {%h5, %h6}, %h0",
        "mov.b128 %q1, {%d0, %d1}",
        "mov.b128 {%d5, %d6}, %q0",
        "mov.b128 %q1, {%r0, %r1, %r2, %r3}",
        "mov.b32 {_, %h6}, %r0",
        "mov.b32 {%h4, %h5, %h6, %h7}, %r0",
        "mov.b32 %r5, {%h0, %h1, %h2, %h3}",
    };
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++)
        for (size_t i = 0; alu_variant_usable(v) && i < sizeof bodies / sizeof bodies[0]; i++) {
            check_vector_move(bodies[i], v, FULL_MASK);
            check_vector_move(bodies[i], v, 0x80F0000F);
        }
}

static void wide_registers_move_whole(void **state)
{
    (void)state;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++) {
        if (!alu_variant_usable(v))
            continue;
        Harness h;
        assert_true(harness_decode(&h, "mov.b128 %q1, %q0"));
        for (uint32_t i = 0; i < h.reg_bytes; i++)
            h.regs[i] = (uint8_t)lane_value(3, (int)i);
        uint8_t want[16], got[16];
        harness_handler(&h, v, "mov.b128")(&h.warp, h.inst, 0x0000FFFF);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            scalar_bytes(&h, &h.inst->src[0], lane, want);
            scalar_bytes(&h, &h.inst->dst, lane, got);
            assert_int_equal(memcmp(want, got, 16) == 0, lane < 16);
        }
        harness_free(&h);
    }
}

/* ---- predicates ---- */

static uint32_t run_predicate(const char *body, uint32_t p, uint32_t q, uint32_t before, uint32_t mask,
                              AluVariant v)
{
    Harness h;
    assert_true(harness_decode(&h, body));
    const IrHandler handler = harness_handler(&h, v, body);
    assert_non_null(handler);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(&h, &h.inst->src[0], lane, p >> lane & 1);
        harness_set(&h, &h.inst->src[1], lane, q >> lane & 1);
        harness_set(&h, &h.inst->dst, lane, before >> lane & 1);
    }
    handler(&h.warp, h.inst, mask);
    uint32_t result = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        result |= (uint32_t)harness_get(&h, &h.inst->dst, lane) << lane;
    harness_free(&h);
    return result;
}

static void predicates_combine(void **state)
{
    (void)state;
    const uint32_t p = 0xCCCC3333, q = 0xAAAA0FF0, mask = 0x00FFFF00, before = 0xF00F0FF1;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++) {
        if (!alu_variant_usable(v))
            continue;
        assert_int_equal(run_predicate("and.pred %p5, %p0, %p1", p, q, 0, FULL_MASK, v), p & q);
        assert_int_equal(run_predicate("or.pred %p5, %p0, %p1", p, q, 0, FULL_MASK, v), p | q);
        assert_int_equal(run_predicate("xor.pred %p5, %p0, %p1", p, q, 0, FULL_MASK, v), p ^ q);
        assert_int_equal(run_predicate("not.pred %p5, %p0", p, q, 0, FULL_MASK, v), ~p);
        assert_int_equal(run_predicate("and.pred %p5, %p0, %p1", p, q, before, mask, v),
                         (p & q & mask) | (before & ~mask));
        assert_int_equal(run_predicate("mov.pred %p5, %p0", p, q, before, mask, v),
                         (p & mask) | (before & ~mask));
    }
}

/* lop3.BoolOp d|p: p is whether d is not zero, combined with q. */
static void lop3_makes_a_predicate(void **state)
{
    (void)state;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++) {
        if (!alu_variant_usable(v))
            continue;
        Harness h;
        assert_true(harness_decode(&h, "lop3.and.b32 %r5|%p6, %r0, %r1, %r2, 0x80, %p0"));
        for (int lane = 0; lane < WARP_LANES; lane++) {
            for (int i = 0; i < 3; i++)
                harness_set(&h, &h.inst->src[i], lane, lane % 2 ? 0xF0 : 0x0F << 4 * (i == 2));
            harness_set(&h, &h.inst->src[3], lane, lane < 16);
        }
        harness_handler(&h, v, "lop3.and")(&h.warp, h.inst, FULL_MASK);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            assert_int_equal(harness_get(&h, &h.inst->dst, lane), lane % 2 ? 0xF0 : 0);
            assert_int_equal(harness_get(&h, &h.inst->dst2, lane), lane % 2 && lane < 16);
        }
        harness_free(&h);
    }
}

/* ---- addresses ---- */

static uint64_t run_address(const char *body, uint64_t address, AluVariant v)
{
    Harness h;
    assert_true(harness_decode(&h, body));
    const IrHandler handler = harness_handler(&h, v, body);
    assert_non_null(handler);
    for (int lane = 0; lane < WARP_LANES; lane++)
        harness_set(&h, &h.inst->src[0], lane, address);
    handler(&h.warp, h.inst, FULL_MASK);
    const uint64_t result = harness_result(&h, WARP_LANES - 1);
    harness_free(&h);
    return result;
}

static void addresses_have_windows(void **state)
{
    (void)state;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++) {
        if (!alu_variant_usable(v))
            continue;
        assert_int_equal(run_address("cvta.shared.u64 %d5, %d0", 16, v), MEM_SHARED_WINDOW + 16);
        assert_int_equal(run_address("cvta.to.shared.u64 %d5, %d0", MEM_SHARED_WINDOW + 16, v), 16);
        assert_int_equal(run_address("cvta.local.u64 %d5, %d0", 8, v), MEM_LOCAL_WINDOW + 8);
        assert_int_equal(run_address("cvta.to.local.u64 %d5, %d0", MEM_LOCAL_WINDOW + 8, v), 8);
        assert_int_equal(run_address("cvta.param.u64 %d5, %d0", 4, v), MEM_PARAM_WINDOW + 4);
        assert_int_equal(run_address("cvta.global.u64 %d5, %d0", MEM_GLOBAL_BASE, v), MEM_GLOBAL_BASE);
        assert_int_equal(run_address("cvta.to.const.u64 %d5, %d0", MEM_GLOBAL_BASE + 4, v),
                         MEM_GLOBAL_BASE + 4);
        assert_int_equal(run_address("isspacep.shared %p5, %d0", MEM_SHARED_WINDOW, v), 1);
        assert_int_equal(run_address("isspacep.shared %p5, %d0", MEM_SHARED_WINDOW + MEM_WINDOW_BYTES, v), 0);
        assert_int_equal(run_address("isspacep.local %p5, %d0", MEM_SHARED_WINDOW, v), 0);
        assert_int_equal(run_address("isspacep.global %p5, %d0", MEM_SHARED_WINDOW + 4, v), 0);
        assert_int_equal(run_address("isspacep.global %p5, %d0", MEM_GLOBAL_BASE, v), 1);
    }
}

/* ---- what has no handler ---- */

/* An unknown modifier, or a register of a wrong width, must find no row: nothing is ignored silently. */
static void wrong_instructions_have_no_handler(void **state)
{
    (void)state;
    const IrOperand r4 = {.kind = IR_REG, .bytes = 4}, r8 = {.kind = IR_REG, .bytes = 8},
                    sreg = {.kind = IR_SREG, .bytes = 4};
    IrInst add = {.opcode = PTX_ADD, .type = PTX_TYPE_U32, .n_vec = 1, .dst = r4, .src = {r4, r4}};
    assert_non_null(exec_alu_handler(&add));
    IrInst wrong = add;
    wrong.sat = true; /* .sat is for .s32 */
    assert_null(exec_alu_handler(&wrong));
    wrong = add;
    wrong.src[1] = r8;
    assert_null(exec_alu_handler(&wrong));
    wrong = add;
    wrong.dst = r8;
    assert_null(exec_alu_handler(&wrong));
    wrong = add;
    wrong.round = ROUND_RZ;
    assert_null(exec_alu_handler(&wrong));
    IrInst mov = {.opcode = PTX_MOV, .type = PTX_TYPE_U32, .n_vec = 1, .dst = r4, .src = {sreg}};
    assert_null(exec_alu_handler(&mov));
    IrInst bar = {.opcode = PTX_BAR, .n_vec = 1};
    assert_null(exec_alu_handler(&bar));
}

/* ---- the decoder's table against ours ---- */

typedef struct Decoded {
    PtxOpcode opcode;
    PtxClass class;
    const char *text, *shape;
    uint32_t types;
} Decoded;

static const Decoded decoded[] = {
#define X(name, text, class, section, shape, types, modifiers)                                               \
    {PTX_##name, PTX_CLASS_##class, text, shape, types},
#include "common/vgpu/ptx/opcodes.def"
#undef X
};

static bool has_row(PtxOpcode opcode, uint32_t types)
{
    size_t n;
    const AluRow *rows = alu_rows(ALU_BASE, &n);
    for (size_t i = 0; i < n; i++)
        if (rows[i].opcode == opcode && (types == 0 || types >> rows[i].type & 1))
            return true;
    return false;
}

/* Types that opcodes.def lets through and PTX does not have: no handler is right. Pairs of 8-bit floats are
 * converted elsewhere (tensor_extra.c). */
static bool is_not_ptx(PtxOpcode opcode, PtxType type)
{
    const uint32_t halves = T_HALF;
    const bool half = halves >> type & 1;
    const uint32_t set_sources = T_BITS | T_I64 | T_F64; /* sources of set, never its result */
    return (opcode == PTX_SELP && half) || (opcode == PTX_CVT && (T_B32 | T_FP8X2) >> type & 1) ||
           (opcode == PTX_SET && set_sources >> type & 1) ||
           (opcode == PTX_CVTA && type == PTX_TYPE_U32); /* 32-bit addresses */
}

/* Whatever the decoder takes for an arithmetic instruction of a type has at least one handler. */
static void every_decoded_type_has_a_row(void **state)
{
    (void)state;
    int missing = 0;
    for (size_t i = 0; i < sizeof decoded / sizeof decoded[0]; i++) {
        const Decoded *d = &decoded[i];
        if (d->shape[0] == '!' || strcmp(d->shape, "video") == 0 || /* video.c */
            (d->class != PTX_CLASS_ARITH && d->class != PTX_CLASS_FLOAT && d->class != PTX_CLASS_SPECIAL))
            continue;
        if (d->types == 0 && !has_row(d->opcode, 0)) {
            print_error("no row for %s\n", d->text);
            missing++;
        }
        for (PtxType type = PTX_TYPE_NONE + 1; type < PTX_N_TYPES; type++)
            if (d->types >> type & 1 && !has_row(d->opcode, 1u << type) && !is_not_ptx(d->opcode, type)) {
                print_error("no row for %s.%s\n", d->text, ptx_type_name(type));
                missing++;
            }
    }
    assert_int_equal(missing, 0);
}

static void every_row_by_hand_was_run(void **state)
{
    (void)state;
    size_t n;
    int missing = 0;
    const AluRow *rows = alu_rows(ALU_BASE, &n);
    for (size_t i = 0; i < n; i++) {
        if (harness_row_seen[i] || !row_is_by_hand(&rows[i]) || row_is_approximate(&rows[i]))
            continue;
        print_error("no test for row %s\n", rows[i].name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_isa),  cmocka_unit_test(carries_chain_words),
        cmocka_unit_test(moves_copy_every_type),        cmocka_unit_test(moves_between_widths_extend),
        cmocka_unit_test(vectors_pack_and_unpack),      cmocka_unit_test(wide_registers_move_whole),
        cmocka_unit_test(predicates_combine),           cmocka_unit_test(lop3_makes_a_predicate),
        cmocka_unit_test(addresses_have_windows),       cmocka_unit_test(wrong_instructions_have_no_handler),
        cmocka_unit_test(every_decoded_type_has_a_row), cmocka_unit_test(every_row_by_hand_was_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
