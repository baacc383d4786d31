/* How far the approximations are from the true values, against the bounds of the PTX ISA, on many points;
 * their special values; and the 16-bit formats against the compiler's own _Float16 on every value. */
#include "common/vgpu/exec/test/alu_harness.h"

#include "common/base/rng.h"
#include "common/vgpu/exec/alu/half.h"

#include <math.h>

/* ---- running an instruction on an array of bits ---- */

typedef struct Runner {
    Harness h;
    IrHandler handler;
} Runner;

static Runner open_runner(const char *body, AluVariant v)
{
    Runner r;
    assert_true(harness_decode(&r.h, body));
    r.handler = harness_handler(&r.h, v, body);
    assert_non_null(r.handler);
    return r;
}

/* a, b and the result hold 32 values. */
static void run_warp(Runner *r, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(&r->h, &r->h.inst->src[0], lane, a[lane]);
        harness_set(&r->h, &r->h.inst->src[1], lane, b[lane]);
    }
    r->handler(&r->h.warp, r->h.inst, FULL_MASK);
    for (int lane = 0; lane < WARP_LANES; lane++)
        out[lane] = harness_result(&r->h, lane);
}

static double value_of(uint64_t bits, unsigned bytes)
{
    return bytes == 8 ? f64_of_bits(bits) : (double)f32_of_bits((uint32_t)bits);
}

/* ---- accuracy ---- */

typedef enum Measure { RELATIVE, ABSOLUTE } Measure;
typedef long double (*TrueFunction)(long double a, long double b);

static long double true_rcp(long double a, long double b)
{
    (void)b;
    return 1 / a;
}
static long double true_sqrt(long double a, long double b)
{
    (void)b;
    return sqrtl(a);
}
static long double true_rsqrt(long double a, long double b)
{
    (void)b;
    return 1 / sqrtl(a);
}
static long double true_div(long double a, long double b)
{
    return a / b;
}
static long double true_sin(long double a, long double b)
{
    (void)b;
    return sinl(a);
}
static long double true_cos(long double a, long double b)
{
    (void)b;
    return cosl(a);
}
static long double true_lg2(long double a, long double b)
{
    (void)b;
    return log2l(a);
}
static long double true_ex2(long double a, long double b)
{
    (void)b;
    return exp2l(a);
}
static long double true_tanh(long double a, long double b)
{
    (void)b;
    return tanhl(a);
}

/* The domain is sampled evenly, or, where its ends have one sign and differ by much, evenly in the exponent.
 */
typedef struct Accuracy {
    const char *body;
    TrueFunction function;
    double from, to;
    Measure measure;
    double allowed; /* by the ISA, as a power of two; f64: ours, the ISA gives none */
} Accuracy;

static const Accuracy accuracies[] = {
    {"rcp.approx.f32 %f5, %f0", true_rcp, 0x1p-125, 0x1p125, RELATIVE, -23},
    {"rcp.approx.ftz.f32 %f5, %f0", true_rcp, 0x1p-125, 0x1p125, RELATIVE, -23},
    {"sqrt.approx.f32 %f5, %f0", true_sqrt, 0x1p-125, 0x1p127, RELATIVE, -23},
    {"sqrt.approx.ftz.f32 %f5, %f0", true_sqrt, 0x1p-125, 0x1p127, RELATIVE, -23},
    {"rsqrt.approx.f32 %f5, %f0", true_rsqrt, 0x1p-125, 0x1p127, RELATIVE, -22.9},
    {"rsqrt.approx.ftz.f32 %f5, %f0", true_rsqrt, 0x1p-125, 0x1p127, RELATIVE, -22.9},
    {"div.approx.f32 %f5, %f0, %f1", true_div, 0x1p-60, 0x1p60, RELATIVE, -22},
    {"div.approx.ftz.f32 %f5, %f0, %f1", true_div, 0x1p-60, 0x1p60, RELATIVE, -22},
    {"div.full.f32 %f5, %f0, %f1", true_div, 0x1p-60, 0x1p60, RELATIVE, -22},
    {"div.full.ftz.f32 %f5, %f0, %f1", true_div, 0x1p-60, 0x1p60, RELATIVE, -22},
    {"sin.approx.f32 %f5, %f0", true_sin, -6.2831853, 6.2831853, ABSOLUTE, -20.5},
    {"sin.approx.f32 %f5, %f0", true_sin, -314.159265, 314.159265, ABSOLUTE, -14.7},
    {"sin.approx.ftz.f32 %f5, %f0", true_sin, -314.159265, 314.159265, ABSOLUTE, -14.7},
    {"cos.approx.f32 %f5, %f0", true_cos, -6.2831853, 6.2831853, ABSOLUTE, -20.5},
    {"cos.approx.f32 %f5, %f0", true_cos, -314.159265, 314.159265, ABSOLUTE, -14.7},
    {"cos.approx.ftz.f32 %f5, %f0", true_cos, -314.159265, 314.159265, ABSOLUTE, -14.7},
    {"lg2.approx.f32 %f5, %f0", true_lg2, 0.5, 2, ABSOLUTE, -22},
    {"lg2.approx.f32 %f5, %f0", true_lg2, 2, 0x1p127, RELATIVE, -22},
    {"lg2.approx.f32 %f5, %f0", true_lg2, 0x1p-149, 0.5, RELATIVE, -22},
    {"lg2.approx.ftz.f32 %f5, %f0", true_lg2, 0x1p-126, 0.5, RELATIVE, -22},
    {"ex2.approx.f32 %f5, %f0", true_ex2, -126, 127.9, RELATIVE, -22},
    {"ex2.approx.f32 %f5, %f0", true_ex2, -0.5, 0.5, RELATIVE, -22},
    {"ex2.approx.ftz.f32 %f5, %f0", true_ex2, -126, 127.9, RELATIVE, -22},
    {"tanh.approx.f32 %f5, %f0", true_tanh, 0x1p-40, 1, RELATIVE, -11},
    {"tanh.approx.f32 %f5, %f0", true_tanh, -20, 20, RELATIVE, -11},
    {"rsqrt.approx.f64 %e5, %e0", true_rsqrt, 0x1p-1000, 0x1p1000, RELATIVE, -51},
    {"rcp.approx.ftz.f64 %e5, %e0", true_rcp, 0x1p-1000, 0x1p1000, RELATIVE, -19},
    {"rsqrt.approx.ftz.f64 %e5, %e0", true_rsqrt, 0x1p-1000, 0x1p1000, RELATIVE, -19},
};

static double sample(Rng *rng, double from, double to)
{
    const double u = rng_unit(rng);
    if (from > 0 && to / from > 1000)
        return exp2(log2(from) + u * (log2(to) - log2(from)));
    return from + u * (to - from);
}

static double worst_error(const Accuracy *t, AluVariant v, int warps)
{
    Runner r = open_runner(t->body, v);
    Rng rng = {7};
    const unsigned bytes = r.h.inst->dst.bytes;
    uint64_t a[WARP_LANES], b[WARP_LANES], out[WARP_LANES];
    long double worst = 0;
    for (int i = 0; i < warps; i++) {
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const double x = sample(&rng, t->from, t->to), y = sample(&rng, t->from, t->to);
            a[lane] = bytes == 8 ? bits_of_f64(x) : bits_of_f32((float)x);
            b[lane] = bytes == 8 ? bits_of_f64(y) : bits_of_f32((float)y);
        }
        run_warp(&r, a, b, out);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const long double want = t->function(value_of(a[lane], bytes), value_of(b[lane], bytes));
            const long double error = fabsl((long double)value_of(out[lane], bytes) - want);
            const long double measured = t->measure == RELATIVE && want != 0 ? error / fabsl(want) : error;
            worst = measured > worst || measured != measured ? measured : worst;
        }
    }
    harness_free(&r.h);
    return (double)worst;
}

static void approximations_are_within_their_bounds(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof accuracies / sizeof accuracies[0]; i++) {
        const Accuracy *t = &accuracies[i];
        const double worst = worst_error(t, alu_variant_best(), 4000), allowed = exp2(t->allowed);
        print_message("# %-34s [%9.3g, %9.3g] worst 2^%.2f, allowed 2^%.2f\n", t->body, t->from, t->to,
                      log2(worst), t->allowed);
        failed += !(worst <= allowed);
    }
    assert_int_equal(failed, 0);
}

/* ---- the same bits in every variant, and on every machine ---- */

static const char *const f32_bodies[] = {
    "rcp.approx.f32 %f5, %f0",     "sqrt.approx.f32 %f5, %f0",     "rsqrt.approx.f32 %f5, %f0",
    "sin.approx.f32 %f5, %f0",     "cos.approx.f32 %f5, %f0",      "lg2.approx.f32 %f5, %f0",
    "ex2.approx.f32 %f5, %f0",     "tanh.approx.f32 %f5, %f0",     "ex2.approx.f16 %h5, %h0",
    "tanh.approx.f16 %h5, %h0",    "ex2.approx.ftz.bf16 %h5, %h0", "tanh.approx.bf16 %h5, %h0",
    "ex2.approx.f16x2 %r5, %r0",   "tanh.approx.f16x2 %r5, %r0",   "ex2.approx.ftz.bf16x2 %r5, %r0",
    "tanh.approx.bf16x2 %r5, %r0", "rcp.approx.ftz.f64 %e5, %e0",  "rsqrt.approx.ftz.f64 %e5, %e0",
    "rsqrt.approx.f64 %e5, %e0",   "div.approx.f32 %f5, %f0, %f1",
};

static uint64_t fingerprint(const char *body, AluVariant v)
{
    Runner r = open_runner(body, v);
    Rng rng = {11};
    uint64_t a[WARP_LANES], b[WARP_LANES], out[WARP_LANES], h = 0;
    for (int i = 0; i < 1000; i++) {
        for (int lane = 0; lane < WARP_LANES; lane++) {
            a[lane] = rng_next(&rng);
            b[lane] = rng_next(&rng);
        }
        run_warp(&r, a, b, out);
        for (int lane = 0; lane < WARP_LANES; lane++)
            h = rng_mix(h ^ out[lane]);
    }
    harness_free(&r.h);
    return h;
}

static void variants_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof f32_bodies / sizeof f32_bodies[0]; i++) {
        const uint64_t base = fingerprint(f32_bodies[i], ALU_BASE);
        all = rng_mix(all ^ base);
        for (AluVariant v = ALU_AVX2; v < ALU_N_VARIANTS; v++)
            if (alu_variant_usable(v) && fingerprint(f32_bodies[i], v) != base)
                fail_msg("%s: variant %d differs from the base variant", f32_bodies[i], v);
    }
    /* On x86-64 and arm64, compiled by gcc and by clang. */
    assert_true(all == 0x5751104d83bb52ff);
}

/* ---- special values: want, instruction, a, b ---- */

typedef struct Special {
    uint64_t want;
    const char *body;
    uint64_t a, b;
} Special;

static const Special specials[] = {
    {0x7F800000, "rcp.approx.f32 %f5, %f0", 0x00000000, 0},
    {0xFF800000, "rcp.approx.ftz.f32 %f5, %f0", 0x80000001, 0},
    {0x80000000, "rcp.approx.f32 %f5, %f0", 0xFF800000, 0},
    {0x7FFFFFFF, "rcp.approx.f32 %f5, %f0", 0x7F800001, 0},
    {0x80000000, "sqrt.approx.f32 %f5, %f0", 0x80000000, 0},
    {0x7FFFFFFF, "sqrt.approx.f32 %f5, %f0", 0xBF800000, 0},
    {0xFF800000, "rsqrt.approx.f32 %f5, %f0", 0x80000000, 0},
    {0x00000000, "rsqrt.approx.f32 %f5, %f0", 0x7F800000, 0},
    {0x7FFFFFFF, "rsqrt.approx.f32 %f5, %f0", 0xBF800000, 0},
    {0x80000000, "sin.approx.f32 %f5, %f0", 0x80000000, 0},
    {0x7FFFFFFF, "sin.approx.f32 %f5, %f0", 0x7F800000, 0},
    {0x80000000, "sin.approx.ftz.f32 %f5, %f0", 0x80000001, 0},
    {0x3F800000, "cos.approx.f32 %f5, %f0", 0x00000001, 0},
    {0x7FFFFFFF, "cos.approx.f32 %f5, %f0", 0xFF800000, 0},
    {0xFF800000, "lg2.approx.f32 %f5, %f0", 0x80000000, 0},
    {0xFF800000, "lg2.approx.ftz.f32 %f5, %f0", 0x00000001, 0},
    {0xC3150000, "lg2.approx.f32 %f5, %f0", 0x00000001, 0},
    {0x00000000, "lg2.approx.f32 %f5, %f0", 0x3F800000, 0},
    {0x7F800000, "lg2.approx.f32 %f5, %f0", 0x7F800000, 0},
    {0x7FFFFFFF, "lg2.approx.f32 %f5, %f0", 0xBF800000, 0},
    {0x00000000, "ex2.approx.f32 %f5, %f0", 0xFF800000, 0},
    {0x7F800000, "ex2.approx.f32 %f5, %f0", 0x7F800000, 0},
    {0x7F800000, "ex2.approx.f32 %f5, %f0", 0x43000000, 0},
    {0x3F800000, "ex2.approx.ftz.f32 %f5, %f0", 0x80000001, 0},
    {0x00000001, "ex2.approx.f32 %f5, %f0", 0xC3150000, 0},
    {0x00000000, "ex2.approx.ftz.f32 %f5, %f0", 0xC3150000, 0},
    {0x7FFFFFFF, "ex2.approx.f32 %f5, %f0", 0x7FC00000, 0},
    {0xBF800000, "tanh.approx.f32 %f5, %f0", 0xFF800000, 0},
    {0x00000001, "tanh.approx.f32 %f5, %f0", 0x00000001, 0},
    {0x80000000, "tanh.approx.f32 %f5, %f0", 0x80000000, 0},
    {0x7FFFFFFF, "tanh.approx.f32 %f5, %f0", 0x7FFFFFFF, 0},
    {0x00000000, "div.approx.f32 %f5, %f0, %f1", 0x7F000000, 0x7F000000}, /* b over 2^126 */
    {0x7FFFFFFF, "div.approx.f32 %f5, %f0, %f1", 0x7F800000, 0x7F000000},
    {0x00000000, "div.approx.f32 %f5, %f0, %f1", 0x3F800000, 0x7F800000},
    {0x7FFFFFFF, "div.full.f32 %f5, %f0, %f1", 0, 0},
    {0x7FF0000000000000, "rcp.approx.ftz.f64 %e5, %e0", 0x0008000000000000, 0},
    {0x3FE0000000000000, "rcp.approx.ftz.f64 %e5, %e0", 0x40000000FFFFFFFF & 0xFFFFFFFF00000000, 0},
    {0x3FE0000000000000, "rcp.approx.ftz.f64 %e5, %e0", 0x40000000FFFFFFFF,
     0}, /* the low word is not looked at */
    {0x7FFFFFFF00000000, "rsqrt.approx.ftz.f64 %e5, %e0", 0xBFF0000000000000, 0},
    {0x0000000000000000, "rsqrt.approx.ftz.f64 %e5, %e0", 0x7FF0000000000000, 0},
    {0x3C00, "ex2.approx.f16 %h5, %h0", 0x8000, 0},
    {0x7C00, "ex2.approx.f16 %h5, %h0", 0x4C00, 0},
    {0x7FFF, "tanh.approx.f16 %h5, %h0", 0x7E00, 0},
    {0x3F80, "tanh.approx.bf16 %h5, %h0", 0x7F80, 0},
    {0x3C00BC00, "tanh.approx.f16x2 %r5, %r0", 0x7C00FC00, 0},
    {0x3F803F80, "ex2.approx.ftz.bf16x2 %r5, %r0", 0x00018000, 0},
    {0x3F80BF80, "tanh.approx.bf16x2 %r5, %r0", 0x7F80FF80, 0},
    {0x40003C00, "ex2.approx.f16x2 %r5, %r0", 0x3C000000, 0},
};

static void special_values_are_those_of_the_isa(void **state)
{
    (void)state;
    int failed = 0;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS; v++)
        for (size_t i = 0; alu_variant_usable(v) && i < sizeof specials / sizeof specials[0]; i++) {
            const Special *s = &specials[i];
            Runner r = open_runner(s->body, v);
            uint64_t a[WARP_LANES], b[WARP_LANES], out[WARP_LANES];
            for (int lane = 0; lane < WARP_LANES; lane++) {
                a[lane] = s->a;
                b[lane] = s->b;
            }
            run_warp(&r, a, b, out);
            harness_free(&r.h);
            if (out[31] == s->want)
                continue;
            print_error("%s of %llx, variant %d: wanted %llx, got %llx\n", s->body, (unsigned long long)s->a,
                        v, (unsigned long long)s->want, (unsigned long long)out[31]);
            failed++;
        }
    assert_int_equal(failed, 0);
}

/* ---- 16-bit formats ---- */

/* The value of a half by its definition. */
static double half_by_definition(HalfFormat f, uint16_t h)
{
    const int bits = f == HALF_F16 ? 10 : 7, bias = f == HALF_F16 ? 15 : 127, top = f == HALF_F16 ? 31 : 255;
    const int exponent = (h & 0x7FFF) >> bits, mantissa = h & ((1 << bits) - 1);
    const double sign = h & 0x8000 ? -1 : 1;
    if (exponent == top)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias - bits);
    return sign * ldexp(mantissa + (1 << bits), exponent - bias - bits);
}

static void every_half_has_its_value(void **state)
{
    (void)state;
    for (HalfFormat f = HALF_F16; f <= HALF_BF16; f++)
        for (uint32_t h = 0; h < 65536; h++) {
            const double want = half_by_definition(f, (uint16_t)h), got = half_to_f64(f, (uint16_t)h);
            if (want != want)
                assert_true(got != got);
            else
                assert_int_equal(bits_of_f64(got), bits_of_f64(want));
        }
}

/* Rounding: every value gives itself; every midpoint of neighbours, and what lies just beside it, the right
 * one. */
static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    for (HalfFormat f = HALF_F16; f <= HALF_BF16; f++)
        for (uint32_t h = 0; h + 1 < half_infinity(f); h++) {
            const double low = half_by_definition(f, (uint16_t)h),
                         high = half_by_definition(f, (uint16_t)(h + 1));
            const double middle = low + (high - low) / 2;
            assert_int_equal(half_from_f64(f, low, ROUND_RN), h);
            assert_int_equal(half_from_f64(f, middle, ROUND_RN), h & 1 ? h + 1 : h);
            assert_int_equal(half_from_f64(f, nextafter(middle, 0), ROUND_RN), h);
            assert_int_equal(half_from_f64(f, nextafter(middle, 1e300), ROUND_RN), h + 1);
            assert_int_equal(half_from_f64(f, -nextafter(middle, 1e300), ROUND_RN), 0x8000 | (h + 1));
            assert_int_equal(half_from_f64(f, nextafter(high, 0), ROUND_RZ), h);
            assert_int_equal(half_from_f64(f, -nextafter(high, 0), ROUND_RM), 0x8000 | (h + 1));
            assert_int_equal(half_from_f64(f, -nextafter(high, 0), ROUND_RP), 0x8000 | h);
            assert_int_equal(half_from_f64(f, nextafter(low, 1e300), ROUND_RP), h + 1);
        }
}

/* Random doubles against the compiler's conversion, which is another algorithm. */
static void doubles_become_f16_as_the_compiler_has_it(void **state)
{
    (void)state;
#ifdef __FLT16_MAX__
    Rng rng = {3};
    for (int i = 0; i < 300000; i++) {
        const double x =
            f64_of_bits((rng_next(&rng) & 0x800FFFFFFFFFFFFFu) | (990 + rng_below(&rng, 60)) << 52);
        const _Float16 want = (_Float16)x;
        uint16_t bits;
        memcpy(&bits, &want, sizeof bits);
        assert_int_equal(half_from_f64(HALF_F16, x, ROUND_RN), bits);
    }
#else
    skip();
#endif
}

/* a * b + c rounded once: compared in 128-bit fixed point for bf16, whose exponents are kept close enough to
 * fit. */
static void fused_halves_round_once(void **state)
{
    (void)state;
    /* 1.0000000 1 (a midpoint of bf16) + a bit far below: up; minus it: down; exactly: to even */
    const double middle = half_by_definition(HALF_BF16, 0x3F81), tiny = half_by_definition(HALF_BF16, 0x0080);
    const double above = half_fma(middle, half_by_definition(HALF_BF16, 0x3F81), tiny);
    const double below = half_fma(middle, half_by_definition(HALF_BF16, 0x3F81), -tiny);
    const double exact = middle * middle; /* 1 + 2^-6 + 2^-14: not a midpoint */
    assert_true(above > exact && below < exact);
    const double half_way = half_fma(0x1.01p0, 1.0, tiny), other = half_fma(0x1.01p0, 1.0, -tiny);
    assert_int_equal(half_from_f64(HALF_BF16, half_way, ROUND_RN), 0x3F81);
    assert_int_equal(half_from_f64(HALF_BF16, other, ROUND_RN), 0x3F80);
    assert_int_equal(half_from_f64(HALF_BF16, 0x1.01p0, ROUND_RN), 0x3F80);
}

static void every_approximation_was_run(void **state)
{
    (void)state;
    size_t n;
    int missing = 0;
    const AluRow *rows = alu_rows(ALU_BASE, &n);
    for (size_t i = 0; i < n; i++) {
        if (harness_row_seen[i] || !row_is_approximate(&rows[i]))
            continue;
        print_error("no test for row %s\n", rows[i].name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approximations_are_within_their_bounds),
        cmocka_unit_test(variants_give_the_same_bits),
        cmocka_unit_test(special_values_are_those_of_the_isa),
        cmocka_unit_test(every_half_has_its_value),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(doubles_become_f16_as_the_compiler_has_it),
        cmocka_unit_test(fused_halves_round_once),
        cmocka_unit_test(every_approximation_was_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
