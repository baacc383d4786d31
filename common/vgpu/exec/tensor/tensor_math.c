/* Sums of products, as mma and wmma.mma make them.
 *
 * PTX leaves order and rounding of the sums of f16, bf16, tf32 and 8-bit products open. These are the bits
 * that compute capability 9.0 gives; older ones sum fewer products at a time and keep fewer bits, so their
 * last bits differ:
 *
 *   f16 bf16 tf32   16 products and C in one sum. Products are exact; all terms are shifted to the largest
 *                   exponent (of a product: the sum of its factors'), where 25 bits behind the point are kept
 *                   and the rest is dropped. The sum is rounded towards zero to f32, or to nearest to f16
 *   e4m3 e5m2       two such sums, first from zero: of the products 0 1 of each four, then of 2 3. C is added
 *                   in f32 at last
 *   m8n8k4 on f16   with C in f32: fused multiply-adds in f32 from zero in ascending k, then C
 *   f64             fused multiply-adds from C on in ascending k
 *   integers        exact; they wrap, or end at the largest value with .satfinite
 *
 * Finite f16, bf16 and tf32, which is nearly all there is, go by rows of eight results in vectors of 32 bits: a product has 22 bits
 * at most, so that a float holds it and any power of two times it; cut off to an integer in units of the bits that are kept, 16 of
 * them stay below 2^31.
 */
#include "common/vgpu/exec/alu/half.h"
#include "common/vgpu/exec/tensor/tensor_internal.h"

#include <assert.h>
#include <math.h>

enum { CHUNK = 16, KEPT_BITS = 25, NAN_BITS = 0x7FFFFFFF };

/* How a float is laid out. */
typedef struct FloatFormat {
    uint8_t mantissa_bits, exponent_bits;
    int16_t bias;
    bool no_infinity; /* e4m3: the largest exponent is an ordinary one, all ones is NaN */
} FloatFormat;

static FloatFormat format_of(IrElem elem)
{
    static const FloatFormat formats[] = {
        [ELEM_F16] = {10, 5, 15, false}, [ELEM_BF16] = {7, 8, 127, false}, [ELEM_TF32] = {10, 8, 127, false},
        [ELEM_E4M3] = {3, 4, 7, true},   [ELEM_E5M2] = {2, 5, 15, false},  [ELEM_F32] = {23, 8, 127, false},
    };
    return formats[elem];
}

TensorNumber tensor_number(IrElem elem, uint32_t bits)
{
    const FloatFormat f = format_of(elem);
    if (elem == ELEM_TF32)
        bits >>= 13; /* the low 13 bits of the register do not count */
    uint32_t exponent = bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1);
    uint32_t fraction = bits & ((1u << f.mantissa_bits) - 1), ones = (1u << f.exponent_bits) - 1;
    bool negative = bits >> (f.mantissa_bits + f.exponent_bits) & 1;
    TensorNumber n = {.fraction_bits = f.mantissa_bits, .exponent = (int16_t)(exponent ? exponent : 1)};
    n.exponent = (int16_t)(n.exponent - f.bias);
    if (exponent == ones && (!f.no_infinity || fraction + 1 == 1u << f.mantissa_bits)) {
        n.kind = fraction ? TENSOR_NAN : TENSOR_INFINITY;
        n.significand = negative ? -1 : 1;
        return n;
    }
    int32_t significand = (int32_t)(exponent ? fraction | 1u << f.mantissa_bits : fraction);
    n.significand = negative ? -significand : significand;
    return n;
}

int32_t tensor_int(IrElem elem, uint32_t bits)
{
    switch (elem) {
    case ELEM_S8:
        return (int8_t)bits;
    case ELEM_U8:
        return (uint8_t)bits;
    case ELEM_S4:
        return (int32_t)((bits & 15) ^ 8) - 8;
    case ELEM_U4:
        return (int32_t)(bits & 15);
    default:
        return (int32_t)bits;
    }
}

/* A sum of terms aligned to the largest exponent: value * 2^(exponent - kept). */
typedef struct Sum {
    int64_t value;
    int exponent, kept;
    uint8_t kind;  /* TensorNumberKind */
    bool negative; /* infinity */
} Sum;

static void add_special(Sum *s, uint8_t kind, bool negative)
{
    if (kind == TENSOR_NAN || (s->kind == TENSOR_INFINITY && s->negative != negative))
        s->kind = TENSOR_NAN;
    if (s->kind != TENSOR_NAN)
        s->kind = kind;
    s->negative = negative;
}

static bool is_special(Sum *s, const TensorNumber *a, const TensorNumber *b)
{
    if (a->kind == TENSOR_FINITE && b->kind == TENSOR_FINITE)
        return false;
    bool nan = a->kind == TENSOR_NAN || b->kind == TENSOR_NAN || a->significand == 0 || b->significand == 0;
    add_special(s, nan ? TENSOR_NAN : TENSOR_INFINITY, (a->significand < 0) != (b->significand < 0));
    return true;
}

/* significand * 2^(exponent - fraction_bits) in the sum's units, low bits dropped. A zero's exponent may be
 * above the sum's. */
static int64_t align(const Sum *s, int64_t significand, int exponent, int fraction_bits)
{
    if (significand == 0)
        return 0;
    int left = s->kept - fraction_bits, right = s->exponent - exponent;
    int64_t magnitude = significand < 0 ? -significand : significand;
    magnitude = left >= 0 ? magnitude << left : magnitude >> -left;
    magnitude = right < 63 ? magnitude >> right : 0;
    return significand < 0 ? -magnitude : magnitude;
}

static Sum sum_terms(const TensorNumber *a, const TensorNumber *b, uint32_t k, TensorNumber c)
{
    Sum s = {.kept = KEPT_BITS, .exponent = c.significand ? c.exponent : INT16_MIN};
    if (c.kind != TENSOR_FINITE)
        add_special(&s, c.kind, c.significand < 0);
    for (uint32_t i = 0; i < k; i++) {
        int exponent = a[i].exponent + b[i].exponent;
        bool counts = a[i].significand && b[i].significand && exponent > s.exponent;
        s.exponent = is_special(&s, &a[i], &b[i]) || !counts ? s.exponent : exponent;
    }
    if (s.kind != TENSOR_FINITE)
        return s;
    s.value = align(&s, c.significand, c.exponent, c.fraction_bits);
    for (uint32_t i = 0; i < k; i++)
        s.value += align(&s, (int64_t)a[i].significand * b[i].significand, a[i].exponent + b[i].exponent,
                         2 * a[i].fraction_bits);
    return s;
}

/* Towards zero. */
static uint32_t round_f32(const Sum *s)
{
    if (s->kind != TENSOR_FINITE)
        return s->kind == TENSOR_NAN ? (uint32_t)NAN_BITS : 0x7F800000u | (uint32_t)s->negative << 31;
    uint32_t sign = s->value < 0 ? 0x80000000u : 0;
    uint64_t magnitude = (uint64_t)(s->value < 0 ? -s->value : s->value);
    if (magnitude == 0)
        return 0;
    int top = 63 - __builtin_clzll(magnitude), exponent = top + s->exponent - s->kept;
    int lowest = (exponent < -126 ? -126 : exponent) - 23; /* of the bits that are kept */
    int shift = lowest - (s->exponent - s->kept);
    uint64_t kept = shift >= 64 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
    if (exponent > 127)
        return sign | 0x7F800000u;
    uint32_t biased = exponent < -126 ? 0 : (uint32_t)(exponent + 126) << 23;
    return sign | (biased + (uint32_t)kept);
}

/* To nearest even. The sum has fewer bits than a double holds. */
static uint32_t round_f16(const Sum *s, bool saturate)
{
    if (s->kind == TENSOR_NAN)
        return HALF_NAN;
    uint32_t infinity = saturate ? 0x7BFF : 0x7C00;
    if (s->kind == TENSOR_INFINITY)
        return infinity | (s->negative ? 0x8000u : 0);
    uint32_t bits = half_from_f64(HALF_F16, ldexp((double)s->value, s->exponent - s->kept), ROUND_RN);
    return (bits & 0x7FFF) == 0x7C00 ? (bits & 0x8000) | infinity : bits;
}

static float value_of(const TensorNumber *n)
{
    if (n->kind != TENSOR_FINITE)
        return n->kind == TENSOR_NAN ? NAN : n->significand < 0 ? -INFINITY : INFINITY;
    return ldexpf((float)n->significand, n->exponent - n->fraction_bits);
}

static uint32_t bits_of_sum(float sum)
{
    return sum != sum ? NAN_BITS : bits_of_f32(sum);
}

static uint32_t chain_f32(const TensorSum *s, const TensorNumber *a, const TensorNumber *b, uint32_t c)
{
    float sum = 0;
    for (uint32_t i = 0; i < s->k; i++)
        sum = fmaf(value_of(&a[i]), value_of(&b[i]), sum);
    return bits_of_sum(sum + f32_of_bits(c));
}

/* 8-bit floats; C may be f16. */
static uint32_t sum_halves(const TensorSum *s, const TensorNumber *a, const TensorNumber *b, uint32_t c)
{
    uint32_t n = s->k < CHUNK ? s->k : CHUNK, sum = 0;
    for (uint32_t part = 0; part < s->k / n; part++) {
        TensorNumber some_a[CHUNK], some_b[CHUNK];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = s->k == n ? i : i / 2 * 4 + i % 2 + part * 2;
            some_a[i] = a[at];
            some_b[i] = b[at];
        }
        Sum terms = sum_terms(some_a, some_b, n, tensor_number(ELEM_F32, sum));
        sum = round_f32(&terms);
    }
    TensorNumber last = tensor_number((IrElem)s->t->elem[PART_C], c);
    float total = f32_of_bits(sum) + value_of(&last);
    if (s->t->elem[PART_D] == ELEM_F16)
        return half_from_f64(HALF_F16, (double)total, ROUND_RN);
    return bits_of_sum(total);
}

uint32_t tensor_sum_float(const TensorSum *s, const TensorNumber *a, const TensorNumber *b, uint32_t c)
{
    const IrTensor *t = s->t;
    bool single = t->elem[PART_C] == ELEM_F32 && t->elem[PART_D] == ELEM_F32;
    if (ir_elem_bits((IrElem)t->elem[PART_A]) == 8)
        return sum_halves(s, a, b, c);
    if (t->op == TENSOR_MMA && t->m == 8 && single)
        return chain_f32(s, a, b, c);
    assert(s->k <= CHUNK);
    Sum sum = sum_terms(a, b, s->k, tensor_number((IrElem)t->elem[PART_C], c));
    return t->elem[PART_D] == ELEM_F16 ? round_f16(&sum, t->sat) : round_f32(&sum);
}

/* ---- rows of results ---- */

typedef int32_t I8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float F8 __attribute__((vector_size(32), aligned(4), may_alias));

enum { ZERO_EXPONENT = -8192 };

bool tensor_goes_by_rows(const TensorSum *s)
{
    const IrTensor *t = s->t;
    return ir_elem_bits((IrElem)t->elem[PART_A]) > 8 && !(t->op == TENSOR_MMA && t->m == 8) && s->k <= CHUNK;
}

EXEC_CLONES bool tensor_numbers(IrElem elem, const uint32_t *bits, uint32_t n, TensorNumbers *out)
{
    const FloatFormat f = format_of(elem);
    const uint32_t unused = elem == ELEM_TF32 ? 13 : 0, sign = unused + f.mantissa_bits + f.exponent_bits;
    const int32_t ones = (1 << f.exponent_bits) - 1, one = 1 << f.mantissa_bits;
    I8 special = {0};
    for (uint32_t i = 0; i < n; i += TENSOR_ROW) {
        const I8 v = *(const I8 *)(const void *)&bits[i];
        I8 exponent = (v >> (int32_t)(unused + f.mantissa_bits)) & ones, fraction = (v >> (int32_t)unused) & (one - 1);
        I8 normal = exponent != 0, negative = 0 - ((v >> (int32_t)sign) & 1);
        I8 significand = fraction | (normal & one), zero = significand == 0;
        special |= exponent == ones;
        exponent += (~normal & 1) - f.bias;
        *(I8 *)(void *)&out->exponent[i] = (exponent & ~zero) | (zero & ZERO_EXPONENT);
        *(F8 *)(void *)&out->significand[i] = __builtin_convertvector((significand ^ negative) - negative, F8);
    }
    int32_t any = 0;
    for (int i = 0; i < TENSOR_ROW; i++)
        any |= special[i];
    return !any;
}

/* Adds significands to sums whose largest exponents are `right` above theirs, in units of the sums; low bits dropped. */
EXEC_INLINE void add_row(I8 *sum, const F8 *significand, int32_t left, const I8 *right)
{
    enum { FAR = 64, BIAS = 127, MANTISSA_BITS = 23 };
    const I8 far = *right > FAR, power = (left + BIAS - ((*right & ~far) | (far & FAR))) << MANTISSA_BITS;
    *sum += __builtin_convertvector(*significand * (F8)power, I8);
}

/* A sum towards zero, where the result is a normal number; round_f32 knows the others, too. */
EXEC_INLINE uint32_t round_normal(int64_t sum, int32_t exponent)
{
    const double value = (double)sum * f64_of_bits((uint64_t)(exponent - KEPT_BITS + 1023) << 52), magnitude = fabs(value);
    if (!(magnitude >= 0x1p-126 && magnitude < 0x1p128))
        return round_f32(&(Sum){.value = sum, .exponent = exponent, .kept = KEPT_BITS});
    return bits_of_f32((float)f64_of_bits(bits_of_f64(value) >> 29 << 29));
}

EXEC_CLONES void tensor_sum_row(const TensorSum *s, const TensorRow *row, uint32_t *d)
{
    const IrTensor *t = s->t;
    const float *a = &row->a->significand[row->a_at];
    const int32_t *a_exponent = &row->a->exponent[row->a_at];
    const int32_t left = KEPT_BITS - 2 * format_of((IrElem)t->elem[PART_A]).mantissa_bits;
    const int32_t c_left = KEPT_BITS - format_of((IrElem)t->elem[PART_C]).mantissa_bits;
    const I8 c_exponent = *(const I8 *)(const void *)&row->c->exponent[row->at];
    I8 top = c_exponent, sum = {0};
    for (uint32_t i = 0, b = row->b_at; i < s->k; i++, b += row->stride) {
        I8 exponent = *(const I8 *)(const void *)&row->b->exponent[b] + a_exponent[i], more = exponent > top;
        top = (exponent & more) | (top & ~more);
    }
    for (uint32_t i = 0, b = row->b_at; i < s->k; i++, b += row->stride) {
        const I8 right = top - (*(const I8 *)(const void *)&row->b->exponent[b] + a_exponent[i]);
        const F8 product = *(const F8 *)(const void *)&row->b->significand[b] * a[i];
        add_row(&sum, &product, left, &right);
    }
    const I8 right = top - c_exponent;
    I8 c = {0};
    add_row(&c, (const F8 *)(const void *)&row->c->significand[row->at], c_left, &right);
    for (int i = 0; i < TENSOR_ROW; i++) {
        const int64_t value = (int64_t)sum[i] + c[i];
        if (t->elem[PART_D] == ELEM_F16)
            d[i] = round_f16(&(Sum){.value = value, .exponent = top[i], .kept = KEPT_BITS}, t->sat);
        else
            d[i] = value ? round_normal(value, top[i]) : 0;
    }
}

double tensor_sum_double(const TensorSum *s, const double *a, const double *b, double c)
{
    for (uint32_t i = 0; i < s->k; i++)
        c = fma(a[i], b[i], c);
    return c;
}

static int32_t sum_bits(const TensorSum *s, const int32_t *a, const int32_t *b, int32_t c)
{
    uint32_t sum = (uint32_t)c;
    for (uint32_t i = 0; i < s->k; i++)
        sum += bits_count((uint32_t)(s->t->bit_and ? a[i] & b[i] : a[i] ^ b[i]));
    return (int32_t)sum;
}

int32_t tensor_sum_int(const TensorSum *s, const int32_t *a, const int32_t *b, int32_t c)
{
    if (s->t->elem[PART_A] == ELEM_B1)
        return sum_bits(s, a, b, c);
    int64_t sum = c;
    for (uint32_t i = 0; i < s->k; i++)
        sum += (int64_t)a[i] * b[i];
    if (s->t->sat)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)(uint32_t)sum;
}
