// Numbers: division, conversion, rounding, transcendental functions, halves, bit tricks. Only compiled, never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void floats(float *f, double *d, int *a)
{
    f[0] = sinf(f[0]) + expf(f[1]) + powf(f[2], f[3]) + logf(f[4]) + fmodf(f[5], f[6]) + erff(f[7]);
    f[1] = __fmaf_rz(f[1], f[2], f[3]) + __fadd_ru(f[1], f[2]) + __frcp_rz(f[2]) + __fsqrt_rd(f[1]) + rsqrtf(f[2]);
    f[2] = copysignf(f[1], f[2]) + truncf(f[3]) + rintf(f[4]) + __saturatef(f[5]) + ldexpf(f[6], a[0]) + isnan(f[7]);
    d[0] = sin(d[0]) + exp(d[1]) + pow(d[2], d[3]) + sqrt(d[4]) + d[5] / d[6] + fmod(d[7], d[8]) + rsqrt(d[9]);
    d[1] = f[3] + fma(d[1], d[2], d[3]) + (double)a[1] + __dadd_rz(d[4], d[5]);
    a[2] = (int)f[4] + __float2int_ru(f[5]) + (int)d[6] + __double2hiint(d[7]);
}

__global__ void integers(int *a, unsigned *b, long long *l, unsigned long long *u, short *s, char *c)
{
    l[0] = l[1] / l[2] + l[3] % l[4] + __mul64hi(l[5], l[6]) + (l[7] >> a[1]) + __popcll(l[8]) + __ffsll(l[9]);
    u[0] = u[1] / u[2] + __umul64hi(u[3], u[4]) + __brevll(u[5]);
    a[0] = a[1] / a[2] + a[3] % a[4] + __mulhi(a[5], a[6]) + __clz(a[7]) + __byte_perm(a[8], a[9], b[0]);
    a[1] = __funnelshift_rc(b[1], b[2], b[3]) + __dp4a(a[1], a[2], a[3]) + __dp2a_hi(b[1], b[2], b[3]) + __sad(a[1], a[2], b[4]);
    a[2] = __vabsdiffu4(b[1], b[2]) + __vsadu4(b[3], b[4]) + __vadd2(b[5], b[6]) + max(a[1], a[2]) + abs(a[3]);
    s[0] = s[1] * s[2] + s[3] / s[4];
    c[0] = c[1] % c[2] && s[5];
    unsigned __int128 wide = (unsigned __int128)u[1] * u[2] + u[3];
    u[1] = (unsigned long long)(wide >> 64);
}

__global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f, int n)
{
    h[0] = __hadd(h[1], h[2]) * hexp(h[3]) + hsqrt(h[4]);
    h2[0] = __hfma2(h2[1], h2[2], h2[3]);
    b[0] = __hmul(b[1], b[2]);
    b2[0] = __hadd2(b2[1], b2[2]);
    f[0] = __half2float(h[5]) + __bfloat162float(b[3]);
    h[1] = __hgt(h[6], h[7]) ? __float2half(f[1]) : __int2half_rn(n);
    atomicAdd(&h2[4], h2[5]);
}
