/* Random numbers in kernels (cuRAND's device API): the generators XORWOW and Philox4x32-10, uniform, normal and log-normal, with the
 * bits that cuRAND gives. Poisson numbers, the other generators and the host API (curand.h) are not there.
 *
 * XORWOW: G. Marsaglia, "Xorshift RNGs", 2003. Philox: J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011.
 */
#ifndef KIT_CURAND_KERNEL_H
#define KIT_CURAND_KERNEL_H

#include "cuda_runtime.h"

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int normal_is, normal_double_is; /* one more, made beside the last: of what kind */
    float normal;
    double normal_double;
} curandStateXORWOW_t, curandStateXORWOW, curandState_t, curandState;

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int at; /* of output */
    int normal_is, normal_double_is;
    float normal;
    double normal_double;
} curandStatePhilox4_32_10_t, curandStatePhilox4_32_10;

#if defined(__CUDA__)

#define KIT_RANDOM static __device__ inline __attribute__((nodebug))

/* ---- XORWOW ---- */

KIT_RANDOM void kit_xorshift(unsigned int *v)
{
    unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ (t ^ t << 1);
}

/* Replaces v by the sum of its successors that the polynomial names: bit i of it, the one after i steps. */
KIT_RANDOM void kit_xorshift_jump(unsigned int *v, const unsigned int *polynomial)
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
        unsigned int on = 0 - (polynomial[i / 32] >> i % 32 & 1);
        for (int k = 0; k < 5; k++)
            sum[k] ^= v[k] & on;
        kit_xorshift(v);
    }
    for (int k = 0; k < 5; k++)
        v[k] = sum[k];
}

/* Squares a polynomial modulo that of the generator. */
KIT_RANDOM void kit_xorshift_square(unsigned int *p)
{
    unsigned int wide[10];
    for (int i = 0; i < 10; i++) {
        unsigned int half = p[i / 2] >> i % 2 * 16 & 0xFFFF;
        half = (half | half << 8) & 0x00FF00FF, half = (half | half << 4) & 0x0F0F0F0F;
        half = (half | half << 2) & 0x33333333, wide[i] = (half | half << 1) & 0x55555555;
    }
    const unsigned int modulus[5] = {0x00060001, 0x08610030, 0x00062121, 0x0F3C0035, 0x00000F0E};
    for (int i = 318; i >= 160; i--) {
        unsigned int on = 0 - (wide[i / 32] >> i % 32 & 1), word = i / 32 - 5, by = i % 32;
        for (int k = 0; k < 5; k++) {
            wide[word + k] ^= modulus[k] << by & on;
            if (by > 0)
                wide[word + k + 1] ^= modulus[k] >> (32 - by) & on;
        }
    }
    for (int k = 0; k < 5; k++)
        p[k] = wide[k];
}

KIT_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    unsigned int steps[5] = {2, 0, 0, 0, 0}; /* one */
    state->d += 362437 * (unsigned int)n;
    for (; n > 0; n >>= 1) {
        if (n & 1)
            kit_xorshift_jump(state->v, steps);
        kit_xorshift_square(steps);
    }
}

/* 2^67, 2^68, ... steps. */
static __device__ const unsigned int kit_xorwow_subsequences[32][5] = {
    {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2},
    {0x5f39c379, 0x95e20ba6, 0x20e9ff72, 0x1244ce5e, 0xe8fd228f},
    {0xa7474d19, 0x37c549e0, 0x140877d2, 0x24c43924, 0xcd52ebec},
    {0xe0360ec5, 0xb1c96c24, 0xdbb91766, 0x666ff5dc, 0xf19a7e52},
    {0xfcc8f692, 0x35aa698a, 0x04ebbf85, 0x448304b0, 0x082f3fd5},
    {0x48c289bd, 0xe851cf98, 0x845ad581, 0xfd70752a, 0x2c3e63f6},
    {0xe502f5b3, 0x77859d31, 0x97e1cbb3, 0xea09047a, 0x61d5f37e},
    {0xb89326d0, 0x5a8655a9, 0xfb6e98f5, 0x02102162, 0x7e6fcf6f},
    {0xb3a15db4, 0xc6df3330, 0x1a8be751, 0xf1e4b221, 0x6bb61c05},
    {0x133de1d0, 0x361e4422, 0xc6131fcf, 0xd9719f45, 0x9658a164},
    {0x19e2bee8, 0xf8974218, 0x4e65536a, 0xa2570336, 0xe9b88082},
    {0x7863644b, 0x2a21ce84, 0x112e86f1, 0xed01ce0e, 0xba143e84},
    {0x0e2cae2e, 0xd1011279, 0x58923768, 0x2bf650ba, 0xc985bcda},
    {0x213a286a, 0x6596b510, 0x6fc10eae, 0x38a13547, 0x11c7749e},
    {0x146281e7, 0xa45b4452, 0xafa8c695, 0x74a0ac94, 0x4b250e0a},
    {0x2306bc52, 0x790f3b4c, 0x2fe473b9, 0xbc81d7c0, 0x093efe98},
    {0x89658c8b, 0xf3914315, 0xa73fe84b, 0x3c5fadb6, 0xadba8dd6},
    {0x09e49814, 0x09caf5ed, 0x6b2460d9, 0x1b9981c1, 0x2d1fefc3},
    {0x82161afc, 0x9bb13c55, 0xfd20d7fb, 0x306d90b9, 0x92bf386f},
    {0x96d32350, 0x0e081864, 0x69faa798, 0xe7faecf5, 0xf1f951be},
    {0x3e9058c1, 0x71da9705, 0xe2cb1f2b, 0x73456536, 0xbd6501b6},
    {0x990ffc6e, 0xbfdd1b5d, 0xc83e520b, 0xe972936a, 0xac79abb9},
    {0xb1321eb5, 0xb06d01a2, 0x51532012, 0x8fb59962, 0x141d3b0b},
    {0x3257dfe1, 0xd8a3d601, 0x3a58c735, 0x845f36e4, 0x0112c611},
    {0xa0ffe9a4, 0xf57be00e, 0xe706880c, 0x191211ef, 0xee5664fb},
    {0x9a3385b8, 0xc540c30a, 0xb241d1e0, 0x00626569, 0x6b355fe9},
    {0xe129d45d, 0xac3e698b, 0xd61f79fd, 0x7a72a28b, 0x7f4942be},
    {0x612501bb, 0xae7b767d, 0xaa66c165, 0x09bfaf8e, 0x3e55c16d},
    {0x874e26a7, 0x33bc5a47, 0xad95cba5, 0x67651c39, 0xf1f07dca},
    {0xb5ed0732, 0x30e7a573, 0x5c056714, 0x2304f8fa, 0xebc584e1},
    {0x4b324c2e, 0x2bdcc5a0, 0x53eb4240, 0xcac4fbc1, 0x13e529e7},
    {0xe1683e38, 0xa2339994, 0x7308a647, 0xc7c3f0b1, 0x4a3dcd33},
};

KIT_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    unsigned int steps[5];
    for (int i = 0; n > 0; n >>= 1, i++) {
        if (i < 32)
            for (int k = 0; k < 5; k++)
                steps[k] = kit_xorwow_subsequences[i][k];
        else
            kit_xorshift_square(steps);
        if (n & 1)
            kit_xorshift_jump(state->v, steps);
    }
}

KIT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateXORWOW_t *state)
{
    unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xAAD26B49u);
    unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xF7DCEFDDu);
    *state = curandStateXORWOW_t();
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

KIT_RANDOM unsigned int curand(curandStateXORWOW_t *state)
{
    kit_xorshift(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}

/* ---- Philox4x32-10 ---- */

KIT_RANDOM uint4 kit_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned int high0 = __umulhi(0xD2511F53u, c.x), high1 = __umulhi(0xCD9E8D57u, c.z);
        c = make_uint4(high1 ^ c.y ^ key.x, 0xCD9E8D57u * c.z, high0 ^ c.w ^ key.y, 0xD2511F53u * c.x);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

/* Adds to the counter's 128 bits, the first 64 or the last 64 of them and what is carried. */
KIT_RANDOM void kit_philox_add(uint4 *c, unsigned long long n, unsigned long long high)
{
    unsigned long long low = ((unsigned long long)c->y << 32 | c->x) + n;
    high += ((unsigned long long)c->w << 32 | c->z) + (low < n);
    *c = make_uint4((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high, (unsigned int)(high >> 32));
}

KIT_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    state->at += n & 3;
    kit_philox_add(&state->ctr, n / 4 + (state->at > 3), 0);
    state->at &= 3;
    state->output = kit_philox(state->ctr, state->key);
}

KIT_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    kit_philox_add(&state->ctr, 0, n);
    state->output = kit_philox(state->ctr, state->key);
}

KIT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStatePhilox4_32_10_t *state)
{
    *state = curandStatePhilox4_32_10_t();
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    kit_philox_add(&state->ctr, 0, subsequence);
    skipahead(offset, state);
}

KIT_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    unsigned int at = state->at;
    uint4 o = state->output;
    if (at == 3)
        skipahead(1, state);
    else
        state->at = at + 1;
    return at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
}

KIT_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 four;
    four.x = curand(state);
    four.y = curand(state);
    four.z = curand(state);
    four.w = curand(state);
    return four;
}

/* ---- distributions ---- */

/* Above 0, up to 1. */
KIT_RANDOM float kit_uniform(unsigned int x)
{
    return x * 0x1p-32f + 0x1p-33f;
}
KIT_RANDOM double kit_uniform_double(unsigned int x, unsigned int y)
{
    return ((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}

/* Box and Muller's two normal numbers. */
KIT_RANDOM float2 kit_normal2(unsigned int x, unsigned int y)
{
    float2 r;
    float s = sqrtf(-2.0f * logf(kit_uniform(x)));
    __sincosf(y * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f, &r.x, &r.y);
    return make_float2(r.x * s, r.y * s);
}
KIT_RANDOM double2 kit_normal2_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1)
{
    double2 r;
    double s = sqrt(-2.0 * log(kit_uniform_double(x0, x1)));
    sincospi(((unsigned long long)y0 ^ (unsigned long long)y1 << 21) * 0x1p-52 + 0x1p-53, &r.x, &r.y);
    return make_double2(r.x * s, r.y * s);
}

template <class State> KIT_RANDOM float curand_uniform(State *state)
{
    return kit_uniform(curand(state));
}
KIT_RANDOM double curand_uniform_double(curandStateXORWOW_t *state)
{
    unsigned int x = curand(state), y = curand(state);
    return kit_uniform_double(x, y);
}
/* Of 32 bits, as cuRAND has it. */
KIT_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return curand(state) * 0x1p-32 + 0x1p-32;
}
template <class State> KIT_RANDOM float2 curand_normal2(State *state)
{
    unsigned int x = curand(state), y = curand(state);
    return kit_normal2(x, y);
}
template <class State> KIT_RANDOM double2 curand_normal2_double(State *state)
{
    unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return kit_normal2_double(x0, x1, y0, y1);
}
template <class State> KIT_RANDOM float2 curand_log_normal2(State *state, float mean, float stddev)
{
    float2 two = curand_normal2(state);
    return make_float2(expf(mean + stddev * two.x), expf(mean + stddev * two.y));
}
template <class State> KIT_RANDOM double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
    double2 two = curand_normal2_double(state);
    return make_double2(exp(mean + stddev * two.x), exp(mean + stddev * two.y));
}

/* The first of two numbers, or the second one of the last two if they were of the same kind. */
#define KIT_ONE_OF_TWO(name, parameters, T, kind, two, last)                                                 \
    template <class State> KIT_RANDOM T name parameters                                                      \
    {                                                                                                        \
        const bool is_second = state->last##_is == kind;                                                     \
        state->last##_is = is_second ? KIT_NOTHING : kind;                                                   \
        if (is_second)                                                                                       \
            return state->last;                                                                              \
        T##2 drawn = two;                                                                                    \
        state->last = drawn.y;                                                                               \
        return drawn.x;                                                                                      \
    }
enum { KIT_NOTHING, KIT_NORMAL, KIT_LOG_NORMAL };
KIT_ONE_OF_TWO(curand_normal, (State * state), float, KIT_NORMAL, curand_normal2(state), normal)
KIT_ONE_OF_TWO(curand_normal_double, (State * state), double, KIT_NORMAL, curand_normal2_double(state), normal_double)
KIT_ONE_OF_TWO(curand_log_normal, (State * state, float mean, float stddev), float, KIT_LOG_NORMAL,
               curand_log_normal2(state, mean, stddev), normal)
KIT_ONE_OF_TWO(curand_log_normal_double, (State * state, double mean, double stddev), double, KIT_LOG_NORMAL,
               curand_log_normal2_double(state, mean, stddev), normal_double)
#undef KIT_ONE_OF_TWO

KIT_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    return make_float4(kit_uniform(x.x), kit_uniform(x.y), kit_uniform(x.z), kit_uniform(x.w));
}
KIT_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    return make_double2(kit_uniform_double(x.x, x.y), kit_uniform_double(x.z, x.w));
}
KIT_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float2 a = curand_log_normal2(state, mean, stddev), b = curand_log_normal2(state, mean, stddev);
    return make_float4(a.x, a.y, b.x, b.y);
}
KIT_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    float2 a = curand_normal2(state), b = curand_normal2(state);
    return make_float4(a.x, a.y, b.x, b.y);
}

#undef KIT_RANDOM

#endif

#endif
