/* Functions of mathematics against MPFR: edge cases and random arguments of every size, for doubles and
 * floats. The distance from the exact value is at most what CUDA documents (CUDA C++ Programming Guide,
 * "Mathematical Functions Appendix"), and mostly far less. */
#include "common/vgpu/exec/libdevice.h"

#include "common/base/rng.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BITS = 260, ROUNDS = 300, INVERSE_ROUNDS = 60, ARGS_MAX = 4 };

/* The exact value, rounded to BITS bits; x has the arguments that are numbers, n the integer. */
typedef void (*Reference)(mpfr_t to, mpfr_t *x, int n);

#define ONE(name, call)                                                                                      \
    static void exact_##name(mpfr_t to, mpfr_t *x, int n)                                                    \
    {                                                                                                        \
        (void)x, (void)n;                                                                                    \
        call;                                                                                                \
    }
#define UNARY(name, function)  ONE(name, function(to, x[0], MPFR_RNDN))
#define BINARY(name, function) ONE(name, function(to, x[0], x[1], MPFR_RNDN))
#define INVERTED(name, other)                                                                                \
    ONE(name, {                                                                                              \
        exact_##other(to, x, n);                                                                             \
        mpfr_ui_div(to, 1, to, MPFR_RNDN);                                                                   \
    })

UNARY(acos, mpfr_acos)
UNARY(acosh, mpfr_acosh)
UNARY(asin, mpfr_asin)
UNARY(asinh, mpfr_asinh)
UNARY(atan, mpfr_atan)
BINARY(atan2, mpfr_atan2)
UNARY(atanh, mpfr_atanh)
UNARY(cbrt, mpfr_cbrt)
UNARY(cos, mpfr_cos)
UNARY(cosh, mpfr_cosh)
UNARY(cospi, mpfr_cospi)
UNARY(erf, mpfr_erf)
UNARY(erfc, mpfr_erfc)
UNARY(exp, mpfr_exp)
UNARY(exp10, mpfr_exp10)
UNARY(exp2, mpfr_exp2)
UNARY(expm1, mpfr_expm1)
BINARY(fmod, mpfr_fmod)
BINARY(hypot, mpfr_hypot)
UNARY(j0, mpfr_j0)
UNARY(j1, mpfr_j1)
ONE(jn, mpfr_jn(to, n, x[0], MPFR_RNDN))
ONE(ldexp, mpfr_mul_2si(to, x[0], n, MPFR_RNDN))
ONE(lgamma, {
    int sign;
    mpfr_lgamma(to, &sign, x[0], MPFR_RNDN);
})
UNARY(log, mpfr_log)
UNARY(log10, mpfr_log10)
UNARY(log1p, mpfr_log1p)
UNARY(log2, mpfr_log2)
BINARY(pow, mpfr_pow)
ONE(powi, mpfr_pow_si(to, x[0], n, MPFR_RNDN))
BINARY(remainder, mpfr_remainder)
ONE(round, mpfr_round(to, x[0]))
UNARY(sqrt, mpfr_sqrt)
ONE(scalbn, mpfr_mul_2si(to, x[0], n, MPFR_RNDN))
UNARY(sin, mpfr_sin)
UNARY(sinh, mpfr_sinh)
UNARY(sinpi, mpfr_sinpi)
UNARY(tan, mpfr_tan)
UNARY(tanh, mpfr_tanh)
UNARY(tgamma, mpfr_gamma)
UNARY(y0, mpfr_y0)
UNARY(y1, mpfr_y1)
ONE(yn, mpfr_yn(to, n, x[0], MPFR_RNDN))
INVERTED(rsqrt, sqrt)
INVERTED(rcbrt, cbrt)
INVERTED(rhypot, hypot)

static void exact_logb(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    mpfr_abs(to, x[0], MPFR_RNDN);
    if (mpfr_regular_p(x[0]))
        mpfr_set_si(to, mpfr_get_exp(x[0]) - 1, MPFR_RNDN);
    else if (mpfr_zero_p(x[0]))
        mpfr_set_inf(to, -1);
}

static void exact_norm(mpfr_t to, mpfr_t *x, int terms)
{
    mpfr_t square;
    bool infinite = false;
    mpfr_init2(square, 4 * BITS);
    mpfr_set_zero(square, 1);
    for (int i = 0; i < terms; i++) {
        infinite = infinite || mpfr_inf_p(x[i]);
        mpfr_fma(square, x[i], x[i], square, MPFR_RNDN);
    }
    mpfr_sqrt(to, square, MPFR_RNDN);
    if (infinite)
        mpfr_set_inf(to, 1);
    mpfr_clear(square);
}
ONE(norm3d, exact_norm(to, x, 3))
ONE(norm4d, exact_norm(to, x, 4))
INVERTED(rnorm3d, norm3d)
INVERTED(rnorm4d, norm4d)

static void exact_normcdf(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    mpfr_sqrt_ui(to, 2, MPFR_RNDN);
    mpfr_div(to, x[0], to, MPFR_RNDN);
    mpfr_neg(to, to, MPFR_RNDN);
    mpfr_erfc(to, to, MPFR_RNDN);
    mpfr_div_ui(to, to, 2, MPFR_RNDN);
}

static void exact_erfcx(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    mpfr_t other;
    mpfr_init2(other, BITS);
    if (mpfr_inf_p(x[0])) {
        mpfr_sgn(x[0]) > 0 ? mpfr_set_zero(to, 1) : mpfr_set_inf(to, 1);
    } else if (mpfr_cmp_d(x[0], 1e6) > 0) { /* erfcx(x) = 1 / (x sqrt(pi)) (1 - 1 / 2x^2 ...) */
        mpfr_sqr(other, x[0], MPFR_RNDN);
        mpfr_mul_si(other, other, -2, MPFR_RNDN);
        mpfr_ui_div(other, 1, other, MPFR_RNDN);
        mpfr_add_ui(other, other, 1, MPFR_RNDN);
        mpfr_const_pi(to, MPFR_RNDN);
        mpfr_sqrt(to, to, MPFR_RNDN);
        mpfr_mul(to, to, x[0], MPFR_RNDN);
        mpfr_div(to, other, to, MPFR_RNDN);
    } else {
        mpfr_sqr(to, x[0], MPFR_RNDN);
        mpfr_exp(to, to, MPFR_RNDN);
        mpfr_erfc(other, x[0], MPFR_RNDN);
        mpfr_mul(to, to, other, MPFR_RNDN);
    }
    mpfr_clear(other);
}

/* The power series, for any argument that does not overflow. */
static void exact_bessel(mpfr_t to, mpfr_t *x, int order)
{
    mpfr_t term, quarter;
    if (mpfr_nan_p(x[0])) {
        mpfr_set_nan(to);
        return;
    }
    if (!mpfr_number_p(x[0]) || mpfr_cmpabs_ui(x[0], 800) > 0) {
        mpfr_set_inf(to, order && mpfr_sgn(x[0]) < 0 ? -1 : 1);
        return;
    }
    mpfr_inits2(3 * BITS, term, quarter, NULL);
    mpfr_sqr(quarter, x[0], MPFR_RNDN);
    mpfr_div_ui(quarter, quarter, 4, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    if (order)
        mpfr_div_ui(term, x[0], 2, MPFR_RNDN);
    mpfr_set(to, term, MPFR_RNDN);
    for (unsigned long k = 1; k < 3000 && mpfr_regular_p(term); k++) {
        mpfr_mul(term, term, quarter, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + (unsigned long)order), MPFR_RNDN);
        mpfr_add(to, to, term, MPFR_RNDN);
        if (mpfr_regular_p(term) && mpfr_get_exp(term) < mpfr_get_exp(to) - BITS)
            break;
    }
    mpfr_clears(term, quarter, NULL);
}
ONE(cyl_bessel_i0, exact_bessel(to, x, 0))
ONE(cyl_bessel_i1, exact_bessel(to, x, 1))

/* The argument where a function that grows or falls steadily has the value x[0]: by halving between two
 * bounds. */
static void invert(mpfr_t to, mpfr_t *x, Reference function, double low, double high, bool grows)
{
    mpfr_t a, b, value;
    mpfr_inits2(2 * BITS, a, b, value, NULL);
    mpfr_set_d(a, low, MPFR_RNDN);
    mpfr_set_d(b, high, MPFR_RNDN);
    for (int i = 0; i < 190; i++) {
        mpfr_t middle[1];
        mpfr_init2(middle[0], 2 * BITS);
        mpfr_add(middle[0], a, b, MPFR_RNDN);
        mpfr_div_ui(middle[0], middle[0], 2, MPFR_RNDN);
        function(value, middle, 0);
        bool below = (mpfr_cmp(value, x[0]) < 0) == grows;
        mpfr_set(below ? a : b, middle[0], MPFR_RNDN);
        mpfr_clear(middle[0]);
    }
    mpfr_set(to, a, MPFR_RNDN);
    mpfr_clears(a, b, value, NULL);
}

static bool at_ends(mpfr_t to, mpfr_t *x, double low, double high, int sign)
{
    if (mpfr_nan_p(x[0]) || mpfr_cmp_d(x[0], low) < 0 || mpfr_cmp_d(x[0], high) > 0)
        mpfr_set_nan(to);
    else if (mpfr_cmp_d(x[0], low) == 0 || mpfr_cmp_d(x[0], high) == 0)
        mpfr_set_inf(to, mpfr_cmp_d(x[0], low) == 0 ? -sign : sign);
    else
        return false;
    return true;
}

static void exact_erfinv(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    if (mpfr_zero_p(x[0]))
        mpfr_set(to, x[0], MPFR_RNDN);
    else if (!at_ends(to, x, -1, 1, 1) && mpfr_get_exp(x[0]) < -100) { /* erf(y) = 2 y / sqrt(pi) */
        mpfr_const_pi(to, MPFR_RNDN);
        mpfr_sqrt(to, to, MPFR_RNDN);
        mpfr_mul(to, to, x[0], MPFR_RNDN);
        mpfr_div_ui(to, to, 2, MPFR_RNDN);
    } else if (!at_ends(to, x, -1, 1, 1)) {
        invert(to, x, exact_erf, -30, 30, true);
    }
}

static void exact_erfcinv(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    if (!at_ends(to, x, 0, 2, -1))
        invert(to, x, exact_erfc, -30, 30, false);
}

static void exact_normcdfinv(mpfr_t to, mpfr_t *x, int n)
{
    (void)n;
    if (!mpfr_nan_p(x[0]) && mpfr_cmp_d(x[0], 0.5) == 0)
        mpfr_set_zero(to, 1);
    else if (!at_ends(to, x, 0, 1, 1))
        invert(to, x, exact_normcdf, -40, 40, true);
}

static const struct {
    const char *name, *shape;
    Reference exact;
} functions[] = {
#define X(name, shape, value) {#name, shape, exact_##name},
#include "common/vgpu/ir/libdevice.def"
#undef X
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* ---- arguments ---- */

static const double edges[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               -0.5,
                               2.0,
                               -2.0,
                               1.5,
                               2.5,
                               3.0,
                               -3.0,
                               10.0,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               1e-310,
                               -1e-310,
                               5e-324,
                               1e-40,
                               1e30,
                               -1e30,
                               1e300,
                               -1e300,
                               709.0,
                               -745.0,
                               88.7,
                               -103.0,
                               0.99999,
                               1.00001,
                               25.0,
                               26.5,
                               60.0,
                               61.0,
                               171.6,
                               -0.99999,
                               3.1415926535897931};
enum { N_EDGES = sizeof edges / sizeof *edges };

static bool is_short; /* a third of the arguments */

static double pick_argument(Rng *r, bool is_float)
{
    double value;
    uint64_t bits = rng_next(r);
    switch (rng_below(r, 5)) {
    case 0:
        return edges[rng_below(r, N_EDGES)];
    case 1: /* of any size */
        memcpy(&value, &bits, sizeof value);
        if (is_float && isfinite(value))
            value = ldexp(frexp(value, &(int){0}), (int)rng_below(r, 280) - 150);
        return value;
    case 2:
        return rng_unit(r) * 2 - 1;
    case 3:
        return (rng_unit(r) - 0.5) * 20;
    default:
        return (rng_unit(r) - 0.5) * 250;
    }
}

static uint64_t bits_of(double value, bool is_float)
{
    float f = (float)value;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&low, &f, sizeof low);
    return is_float ? low : bits;
}

static double value_of_result(uint64_t bits, bool is_float)
{
    double d;
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return is_float ? (double)f : d;
}

/* ---- errors ---- */

/* The distance of a result from the exact value, in units of the last place there; 0 where both are the same
 * infinity or no number. */
static double error_of(double got, mpfr_t exact, bool is_float)
{
    int digits = is_float ? 24 : 53, least = is_float ? -148 : -1073;
    double largest = is_float ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (mpfr_nan_p(exact) || isnan(got))
        return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    if (isinf(got)) /* right where the exact value is at least half a unit above the largest */
        return mpfr_sgn(exact) != (got > 0 ? 1 : -1) || mpfr_cmpabs_ui(exact, 0) == 0  ? INFINITY
               : mpfr_inf_p(exact)                                                     ? 0
               : mpfr_cmp_d(exact, got > 0 ? largest : -largest) == (got > 0 ? 1 : -1) ? 0
                                                                                       : INFINITY;
    if (mpfr_inf_p(exact))
        return INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, exact, got, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    long exponent = mpfr_regular_p(exact) ? mpfr_get_exp(exact) : least;
    long unit = exponent - digits < least - 1 ? least - 1 : exponent - digits;
    mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
    double units = mpfr_get_d(difference, MPFR_RNDU);
    mpfr_clear(difference);
    return units;
}

/* What may be: 0.51 is what one rounding of a value of 64 bits gives. Bessel functions of the first and
 * second kind, and lgamma, lose digits near their zeros: there CUDA documents the absolute error. */
static double units_allowed(const char *name, double got)
{
    static const char *const near_zeros[] = {"j0", "j1", "jn", "y0", "y1", "yn", "lgamma"};
    for (size_t i = 0; i < sizeof near_zeros / sizeof *near_zeros; i++)
        if (strcmp(name, near_zeros[i]) == 0)
            return fabs(got) < 1 ? INFINITY : 1;
    return 0.51;
}

static void check_function(unsigned row, bool is_float)
{
    Rng rng = {row * 2 + is_float};
    const char *name = functions[row].name, *shape = functions[row].shape;
    bool of_order = strcmp(name, "jn") == 0 || strcmp(name, "yn") == 0;
    bool bessel = of_order || strspn(name, "jy") == 1;
    /* the exact values of inverses are searched for */
    unsigned rounds = (strstr(name, "inv") ? INVERSE_ROUNDS : ROUNDS) / (is_short ? 3 : 1);
    mpfr_t x[ARGS_MAX], exact;
    for (int i = 0; i < ARGS_MAX; i++)
        mpfr_init2(x[i], 53);
    mpfr_init2(exact, BITS);
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t args[ARGS_MAX];
        double shown[ARGS_MAX] = {0};
        int n = 0;
        for (int i = 0; shape[i]; i++) {
            if (shape[i] == 'n') {
                n = of_order ? (int)rng_below(&rng, 6) : (int)rng_below(&rng, 200) - 100;
                args[i] = (uint32_t)n;
                shown[i] = n;
                continue;
            }
            double value =
                round < N_EDGES ? edges[(round + (unsigned)i * 7) % N_EDGES] : pick_argument(&rng, is_float);
            if (bessel) /* the series of far arguments are MPFR's slowest */
                value = fabs(value) > 1000 ? 1000 : value;
            args[i] = bits_of(value, is_float);
            shown[i] = value_of_result(args[i], is_float);
            mpfr_set_d(x[shape[i] - 'a'], shown[i], MPFR_RNDN);
        }
        double got = value_of_result(libdevice_value(2 * row + is_float, args), is_float);
        functions[row].exact(exact, x, n);
        if (mpfr_regular_p(exact) && mpfr_get_exp(exact) < -100000)
            mpfr_set_zero(exact, mpfr_sgn(exact));
        double units = error_of(got, exact, is_float), allowed = units_allowed(name, got);
        if (allowed > 1 && isfinite(got) &&
            mpfr_number_p(exact)) { /* an absolute error: 1e-6 of floats, 1e-12 of doubles */
            units = fabs(got - mpfr_get_d(exact, MPFR_RNDN));
            allowed = is_float ? 1e-6 : 1e-12;
        }
        if (!(units <= allowed))
            fail_msg("%s%s(%.17g, %.17g, %.17g): got %.17g, exactly %.17g: %g units", name,
                     is_float ? "f" : "", shown[0], shown[1], shown[2], got, mpfr_get_d(exact, MPFR_RNDN),
                     units);
    }
    for (int i = 0; i < ARGS_MAX; i++)
        mpfr_clear(x[i]);
    mpfr_clear(exact);
}

static void test_functions(void **state)
{
    (void)state;
    for (unsigned row = 0; row < N_FUNCTIONS; row++)
        for (int is_float = 0; is_float < 2; is_float++)
            check_function(row, is_float != 0);
    mpfr_free_cache();
}

/* The measure itself: what is one unit off is found. */
static void test_measure(void **state)
{
    (void)state;
    mpfr_t one;
    mpfr_init2(one, BITS);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    assert_true(error_of(1, one, false) == 0);
    assert_true(error_of(nextafter(1, 2), one, false) == 1);
    assert_true(error_of(nextafterf(1, 2), one, true) == 1);
    assert_true(isinf(error_of(NAN, one, false)));
    assert_true(isinf(error_of(INFINITY, one, false)));
    mpfr_clear(one);
}

int main(void)
{
    const char *said = getenv("SHORT"); /* common/mk/test/short.sh */
    is_short = said && *said;
    if (is_short)
        print_message("# left out: %d arguments of each function of libdevice\n", ROUNDS - ROUNDS / 3);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_measure), cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
