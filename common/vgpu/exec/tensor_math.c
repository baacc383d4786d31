/* Sums of products, as mma and wmma.mma make them.
 *
 * PTX leaves order and rounding of the sum of f16, bf16, tf32 and 8-bit products open. Here products are
 * exact, they are added to C in double precision in ascending k, and the sum is rounded once to D's type, to
 * nearest even. Hardware drops low bits of small terms and rounds towards zero: its last bits differ, from
 * one generation to the next too. f64 is a chain of fused multiply-adds in ascending k. Integers are exact;
 * they wrap, or end at the largest value with .satfinite.
 */
#include "common/vgpu/exec/half.h"
#include "common/vgpu/exec/tensor_internal.h"

#include <math.h>
#include <string.h>

/* 8-bit floats: e4m3 has no infinity and one NaN; e5m2 is the upper half of an f16. */
static float float_of_e4m3(uint32_t bits)
{
    uint32_t exponent = bits >> 3 & 15, mantissa = bits & 7;
    float sign = bits & 0x80 ? -1.0f : 1.0f;
    if (exponent == 15 && mantissa == 7)
        return NAN;
    if (exponent == 0)
        return sign * (float)mantissa * 0x1p-9f;
    return sign * f32_of_bits((exponent + 120) << 23 | mantissa << 20);
}

float tensor_float(IrElem elem, uint32_t bits)
{
    switch (elem) {
    case ELEM_F16:
        return half_to_f32(HALF_F16, (uint16_t)bits);
    case ELEM_BF16:
        return half_to_f32(HALF_BF16, (uint16_t)bits);
    case ELEM_TF32:
        return f32_of_bits(bits & 0xFFFFE000u); /* the low 13 bits do not count */
    case ELEM_E4M3:
        return float_of_e4m3(bits);
    case ELEM_E5M2:
        return half_to_f32(HALF_F16, (uint16_t)(bits << 8));
    default:
        return f32_of_bits(bits);
    }
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

static uint32_t finite_half(uint32_t bits)
{
    bool infinite = (bits & 0x7FFF) == 0x7C00;
    return infinite ? (bits & 0x8000) | 0x7BFF : bits;
}

uint32_t tensor_sum_float(const TensorSum *s, const float *a, const float *b, uint32_t c)
{
    double sum = (double)tensor_float((IrElem)s->t->elem[PART_C], c);
    for (uint32_t i = 0; i < s->k; i++)
        sum += (double)a[i] * (double)b[i];
    if (s->t->elem[PART_D] == ELEM_F16) {
        uint32_t bits = half_from_f64(HALF_F16, sum, ROUND_RN);
        return s->t->sat ? finite_half(bits) : bits;
    }
    float result = (float)sum;
    return result != result ? 0x7FFFFFFFu : bits_of_f32(result);
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
        sum += count_bits((uint32_t)(s->t->bit_and ? a[i] & b[i] : a[i] ^ b[i]));
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
