/* libdevice: see libdevice.h. long double has 64 bits of mantissa and 15 of exponent, or more. */
#include "common/vgpu/exec/libdevice.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ARGS_MAX = 4, NEWTON_STEPS = 40 };

/* ---- what the C library has not ---- */

/* sin(pi a): the argument is reduced without an error, to where the series is best. */
static long double sin_pi(long double a)
{
    long double r = fabsl(fmodl(a, 2));
    if (!isfinite(a))
        return NAN;
    bool negative = signbit(a) != 0;
    if (r >= 1) {
        r -= 1;
        negative = !negative;
    }
    if (r > 0.5L)
        r = 1 - r;
    long double value = r > 0.25L ? cosl(M_PIl * (0.5L - r)) : sinl(M_PIl * r);
    if (value == 0)
        return copysignl(0, a);
    return negative ? -value : value;
}

static long double cos_pi(long double a)
{
    long double r = fabsl(fmodl(a, 2));
    if (!isfinite(a))
        return NAN;
    if (r > 1)
        r = 2 - r;
    bool negative = r > 0.5L;
    if (negative)
        r = 1 - r;
    long double value = r > 0.25L ? sinl(M_PIl * (0.5L - r)) : cosl(M_PIl * r);
    return negative ? -value : value;
}

static long double log_gamma(long double a)
{
    int sign;
    return lgammal_r(a, &sign);
}

static long double norm(long double a, long double b, long double c, long double d)
{
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    return sqrtl(a * a + b * b + c * c + d * d);
}

/* I_order(a), order 0 or 1: the power series, whose terms have one sign, and for large a the asymptotic one.
 */
static long double bessel_i(int order, long double a)
{
    enum { SERIES_UP_TO = 60, TERMS_MAX = 300 };
    long double x = fabsl(a), sum, term;
    if (isnan(a))
        return a;
    if (isinf(a))
        return order && a < 0 ? -INFINITY : INFINITY;
    if (x <= SERIES_UP_TO) {
        term = sum = order ? x / 2 : 1;
        for (int k = 1; k < TERMS_MAX && term > sum * LDBL_EPSILON / 4; k++)
            sum += term *= x / 2 / k * (x / 2) / (k + order);
    } else {
        long double mu = 4.0L * order * order, half = expl(x / 2);
        term = sum = 1;
        for (int k = 1; k < TERMS_MAX && fabsl(term) > LDBL_EPSILON / 4; k++)
            sum += term *= -(mu - (2.0L * k - 1) * (2.0L * k - 1)) / (8 * x * k);
        sum = half / sqrtl(2 * M_PIl * x) * sum * half;
    }
    return order && signbit(a) ? -sum : sum;
}

/* exp(a^2) erfc(a). */
static long double scaled_erfc(long double a)
{
    enum { SERIES_FROM = 25, TERMS_MAX = 30 };
    if (a < SERIES_FROM) {
        long double square = a * a, rest = square < LDBL_MAX_EXP ? fmal(a, a, -square) : 0;
        return expl(square) * (1 + rest) * erfcl(a);
    }
    long double sum = 1, term = 1;
    for (int k = 1; k < TERMS_MAX && fabsl(term) > LDBL_EPSILON / 4; k++)
        sum += term *= -(2.0L * k - 1) / (2 * a * a);
    return M_2_SQRTPIl / 2 / a * sum;
}

/* y with erfc(y) = x, 0 < x <= 1/2, by Newton's steps for log erfc: it is concave, so that none overshoots
 * once the first came from the asymptote erfc(y) < exp(-y^2). */
static long double solve_erfc(long double x)
{
    long double y = sqrtl(-logl(x));
    for (int i = 0; i < NEWTON_STEPS; i++) {
        long double value = erfcl(y);
        long double slope = -M_2_SQRTPIl * expl(-y * y) / value;
        long double step = (logl(value) - logl(x)) / slope;
        y -= step;
        if (fabsl(step) <= 2 * LDBL_EPSILON * fabsl(y))
            break;
    }
    return y;
}

static long double inverse_erf(long double a)
{
    long double x = fabsl(a);
    if (!(x < 1))
        return x == 1 ? copysignl(INFINITY, a) : NAN;
    if (x > 0.5L)
        return copysignl(solve_erfc(1 - x), a);
    long double y = x / M_2_SQRTPIl;
    for (int i = 0; i < NEWTON_STEPS && x > 0; i++) {
        long double step = (erfl(y) - x) / (M_2_SQRTPIl * expl(-y * y));
        y -= step;
        if (fabsl(step) <= 2 * LDBL_EPSILON * y)
            break;
    }
    return copysignl(y, a);
}

static long double inverse_erfc(long double a)
{
    if (!(a >= 0 && a <= 2))
        return NAN;
    if (a == 0 || a == 2)
        return a == 0 ? INFINITY : -INFINITY;
    if (a >= 0.5L && a <= 1.5L)
        return inverse_erf(1 - a);
    return a < 1 ? solve_erfc(a) : -solve_erfc(2 - a);
}

static long double inverse_normal(long double a)
{
    return a == 0.5L ? 0 : -M_SQRT2l * inverse_erfc(2 * a);
}

/* ---- the table ---- */

typedef struct Arguments {
    long double v[ARGS_MAX];
    int n;
} Arguments;

#define X(name, shape, value)                                                                                \
    static long double value_##name(const Arguments *x)                                                      \
    {                                                                                                        \
        const long double a = x->v[0], b = x->v[1], c = x->v[2], d = x->v[3];                                \
        const int n = x->n;                                                                                  \
        (void)a, (void)b, (void)c, (void)d, (void)n;                                                         \
        return (value);                                                                                      \
    }
#include "common/vgpu/ir/libdevice.def"
#undef X

static const struct {
    const char *shape;
    long double (*value)(const Arguments *);
} functions[] = {
#define X(name, shape, value) {shape, value_##name},
#include "common/vgpu/ir/libdevice.def"
#undef X
};

static long double widen(uint64_t bits, bool is_float)
{
    double d;
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return is_float ? (long double)f : (long double)d;
}

static uint64_t narrow(long double value, bool is_float)
{
    double d = (double)value;
    float f = (float)value;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &d, sizeof bits);
    memcpy(&low, &f, sizeof low);
    if (isnan(value)) /* PTX has one */
        return is_float ? 0x7FFFFFFFu : 0x7FF8000000000000u;
    return is_float ? low : bits;
}

uint64_t libdevice_value(unsigned number, const uint64_t *args)
{
    bool is_float = number % 2 != 0;
    Arguments x = {0};
    const char *shape = functions[number / 2].shape;
    for (int i = 0; shape[i]; i++)
        if (shape[i] == 'n')
            x.n = (int)(uint32_t)args[i];
        else
            x.v[shape[i] - 'a'] = widen(args[i], is_float);
    return narrow(functions[number / 2].value(&x), is_float);
}

void exec_libdevice(ExecWarp *w, const IrInst *inst, uint32_t mask, unsigned number)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t args[ARGS_MAX];
        for (uint32_t i = 0; i < inst->call->n_args && i < ARGS_MAX; i++)
            args[i] = builtin_arg(w, inst->call, i, lane);
        builtin_result(w, inst->call, lane, libdevice_value(number, args));
    }
}
