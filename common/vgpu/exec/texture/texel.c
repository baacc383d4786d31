/* texel: the bytes of a texel -> values.
 *
 *      read mode      unsigned n bits    signed n bits                float of 16 or 32 bits
 *      element        zero-extended      sign-extended                the value
 *      normalized     u / (2^n - 1)      max(s / (2^(n-1) - 1), -1)   -
 *
 * CUDA C++ Programming Guide, "Texture Memory"; that the roundings are right was measured on an H200. Missing
 * channels are 0 there (measured too). sRGB: the curve of IEC 61966-2-1 with 8 significant bits, and no step
 * finer than 2^-14, as measured.
 */
#include "common/vgpu/exec/texture/texture.h"

#include <math.h>
#include <string.h>

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float half_value(uint32_t h)
{
    uint32_t sign = h >> 15 & 1, exponent = h >> 10 & 31, fraction = h & 1023;
    uint32_t bits;
    float value;
    if (exponent == 31) {
        bits = 0x7F800000u | fraction << 13;
        memcpy(&value, &bits, sizeof value);
    } else if (exponent == 0) {
        value = (float)fraction * 0x1p-24f;
    } else {
        bits = (exponent + 112) << 23 | fraction << 13;
        memcpy(&value, &bits, sizeof value);
    }
    return sign ? -value : value;
}

/* pow's last bit may differ from machine to machine; 8 bits of it do not. */
static float srgb_value(uint32_t u)
{
    double c = u / 255.0;
    double v = (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)) * 0x1p14, step = 1;
    while (v >= 256 * step)
        step *= 2;
    return (float)(floor(v / step + 0.5) * step * 0x1p-14);
}

static int32_t sign_extend(uint32_t u, unsigned bits)
{
    return (int32_t)(u << (32 - bits)) >> (32 - bits);
}

static float normalized(const ExecTexture *t, uint32_t u, int channel)
{
    double most = (double)((UINT64_C(1) << (t->channel == CHANNEL_SIGNED ? t->bits - 1 : t->bits)) - 1);
    if (t->channel == CHANNEL_SIGNED) {
        double s = sign_extend(u, t->bits) / most;
        return (float)(s < -1 ? -1 : s);
    }
    return t->srgb && t->bits == 8 && channel < 3 ? srgb_value(u) : (float)(u / most);
}

/* A channel's bits, as they lie in memory, in the read mode. */
static uint32_t convert(const ExecTexture *t, uint32_t raw, int channel)
{
    if (t->channel == CHANNEL_FLOAT)
        return t->bits == 16 ? float_bits(half_value(raw)) : raw;
    if (t->normalized_read)
        return float_bits(normalized(t, raw, channel));
    return t->channel == CHANNEL_SIGNED ? (uint32_t)sign_extend(raw, t->bits) : raw;
}

void texel_read(const ExecTexture *t, const uint8_t *host, uint32_t out[TEXTURE_CHANNELS])
{
    unsigned bytes = t->bits / 8u;
    for (int i = 0; i < TEXTURE_CHANNELS; i++) {
        uint32_t raw = 0;
        if (i < t->n_channels)
            memcpy(&raw, host + i * bytes, bytes); /* low bytes first */
        out[i] = i < t->n_channels ? convert(t, raw, i) : 0;
    }
}

/* Of an integer texture the colour's bits count, not its value (measured). */
void texel_border(const ExecTexture *t, uint32_t out[TEXTURE_CHANNELS])
{
    bool is_float = t->channel == CHANNEL_FLOAT || t->normalized_read;
    uint32_t kept = t->bits == 32 ? UINT32_MAX : (1u << t->bits) - 1;
    for (int i = 0; i < TEXTURE_CHANNELS; i++) {
        uint32_t bits = float_bits(t->border[i]);
        out[i] = i >= t->n_channels ? 0 : is_float ? bits : convert(t, bits & kept, i);
    }
}
