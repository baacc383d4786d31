/* What the kit's headers add to clang's, beside nvcc's: functions of mathematics with edge cases, random numbers, parts of groups. */
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <curand_kernel.h>

namespace cg = cooperative_groups;

/* ---- mathematics: bits of what is exact, some digits of the rest ---- */

enum { N = 22 };
__device__ void fill(float *v)
{
    const float c[] = {0.f,     -0.f,     1.f,   -1.f,      0.5f, 2.5f,   -2.5f,  3.f,      -3.5f,     1e-45f, -1e-40f, 1.17549435e-38f,
                       3.4e38f, -3.4e38f, 1e10f, 8388609.f, 0.1f, 100.7f, -7.25f, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < N; i++)
        v[i] = c[i];
}
__device__ void fill(double *v)
{
    const double c[] = {0.,        -0.,      1.,      -1.,
                        0.5,       2.5,      -2.5,    3.,
                        -3.5,      4.9e-324, -1e-310, 2.2250738585072014e-308,
                        1.7e308,   -1.7e308, 1e10,    4503599627370497.,
                        0.1,       100.7,    -7.25,   INFINITY,
                        -INFINITY, NAN};
    for (int i = 0; i < N; i++)
        v[i] = c[i];
}
__device__ void show(float a)
{
    if (a != a)
        printf(" nan");
    else
        printf(" %08x", __float_as_uint(a));
}
__device__ void show(double a)
{
    if (a != a)
        printf(" nan");
    else
        printf(" %016llx", (unsigned long long)__double_as_longlong(a));
}
__device__ void digits(double a)
{
    if (a != a)
        printf(" nan");
    else
        printf(" %.5g", a);
}
__device__ void show(long long a)
{
    printf(" %lld", a);
}
__device__ float length(int n, const float *a)
{
    return normf(n, a);
}
__device__ double length(int n, const double *a)
{
    return norm(n, a);
}
__device__ float inverse(int n, const float *a)
{
    return rnormf(n, a);
}
__device__ double inverse(int n, const double *a)
{
    return rnorm(n, a);
}
__device__ void both(float a, float *s, float *c)
{
    sincosf(a, s, c);
}
__device__ void both(double a, double *s, double *c)
{
    sincos(a, s, c);
}
__device__ void both_pi(float a, float *s, float *c)
{
    sincospif(a, s, c);
}
__device__ void both_pi(double a, double *s, double *c)
{
    sincospi(a, s, c);
}
template <class T> __device__ void one(T a)
{
    T s, c, w, all[N];
    int e, q;
    fill(all);
    show(modf(a, &w));
    show(w);
    show(frexp(a, &e));
    if (isfinite(a))
        show((long long)e);
    show((long long)ilogb(a));
    show((long long)llround(a));
    show((long long)lround(a));
    show((long long)llrint(a));
    show(logb(a));
    show(round(a));
    show(trunc(a));
    show(rint(a));
    show(nearbyint(a));
    show(scalbn(a, 3));
    show(scalbln(a, -3l));
    show(fdim(a, T(1)));
    show(fmax(a, T(2)));
    show(fmin(a, T(-2)));
    show(fma(a, T(3), T(1)));
    show(copysign(T(2), a));
    show(remainder(a, T(0.75)));
    digits(cbrt(a)), digits(erf(a)), digits(exp2(a)), digits(log2(a)), digits(log1p(a)), digits(hypot(a, T(3))), digits(lgamma(a));
    if (fabs(a) < 1e6) {
        both(a, &s, &c), digits(s), digits(c), both_pi(a, &s, &c), digits(s), digits(c);
    }
    for (int i = 0; i < N; i++) {
        show(nextafter(a, all[i]));
        T r = remquo(a, all[i], &q);
        show(r);
        if (r == r && isfinite(all[i]))
            show((long long)q);
    }
    T three[3] = {a, 4, all[5]};
    digits(length(3, three)), digits(inverse(3, three)), printf("\n");
}
__global__ void mathematics()
{
    float f[N];
    double d[N];
    fill(f);
    fill(d);
    for (int i = 0; i < N; i++) {
        one(f[i]);
        one(d[i]);
        show(__frsqrt_rn(f[i]));
        show(nan(""));
        show(nanf("1"));
        printf("\n");
    }
}

/* ---- random numbers ---- */

template <class S> __global__ void random(unsigned long long seed, unsigned long long seq0, unsigned long long off, unsigned *u, float *f, double *d)
{
    int t = threadIdx.x;
    S s;
    curand_init(seed, seq0 + t, off + t * 3, &s);
    u += t * 16;
    f += t * 16;
    d += t * 16;
    u[0] = curand(&s);
    u[1] = curand(&s);
    f[0] = curand_uniform(&s);
    f[1] = curand_normal(&s);
    f[2] = curand_normal(&s);
    f[3] = curand_normal(&s);
    d[0] = curand_uniform_double(&s);
    d[1] = curand_normal_double(&s);
    d[2] = curand_normal_double(&s);
    f[4] = curand_log_normal(&s, 1.f, 0.5f);
    float2 n2 = curand_normal2(&s);
    f[5] = n2.x;
    f[6] = n2.y;
    d[3] = curand_log_normal_double(&s, 0., 1.);
    double2 d2 = curand_normal2_double(&s);
    d[4] = d2.x;
    d[5] = d2.y;
    float2 l2 = curand_log_normal2(&s, 0.f, 1.f);
    f[7] = l2.x;
    f[8] = l2.y;
    skipahead(1000003ull, &s);
    u[2] = curand(&s);
    skipahead_sequence(77ull, &s);
    u[3] = curand(&s);
    for (int i = 0; i < 7; i++)
        u[4 + i] = curand(&s);
}
__global__ void four(unsigned *u, float *f, double *d)
{
    curandStatePhilox4_32_10_t s;
    curand_init(99, threadIdx.x, 5 + threadIdx.x, &s);
    u += threadIdx.x * 16;
    f += threadIdx.x * 16;
    d += threadIdx.x * 16;
    uint4 a = curand4(&s);
    u[0] = a.x;
    u[1] = a.y;
    u[2] = a.z;
    u[3] = a.w;
    float4 b = curand_uniform4(&s);
    f[0] = b.x;
    f[1] = b.w;
    b = curand_normal4(&s);
    f[2] = b.x;
    f[3] = b.y;
    f[4] = b.z;
    f[5] = b.w;
    double2 c = curand_uniform2_double(&s);
    d[0] = c.x;
    d[1] = c.y;
    u[4] = curand(&s);
    skipahead(~0ull, &s);
    u[5] = curand(&s);
    skipahead_sequence(~0ull - 3, &s);
    u[6] = curand(&s);
}

/* ---- parts of groups ---- */

__device__ int reduce_sum(cg::thread_group g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i)
            val += temp[lane + i];
        g.sync();
    }
    return val;
}
struct Once {
    __device__ int operator()() const
    {
        return (int)threadIdx.x;
    }
};
__global__ void groups()
{
    __shared__ int temp[64];
    auto b = cg::this_thread_block();
    auto t8 = cg::tiled_partition<8>(b);
    auto t4 = cg::tiled_partition<4>(t8);
    auto bp = cg::binary_partition(t8, t8.thread_rank() % 3 == 0);
    auto lp = cg::labeled_partition(t8, 5 - t8.thread_rank() % 3);
    auto rt = cg::tiled_partition(b, 16);
    auto c = cg::coalesced_threads();
    auto lc = cg::labeled_partition(c, threadIdx.x % 2);
    auto rc = cg::tiled_partition(c, 4);
    unsigned odd = t4.match_any((int)threadIdx.x % 2), four = lc.match_any((int)threadIdx.x / 4);
    if (threadIdx.x < 16)
        printf(
            "%d: t8 %u/%u t4 %u/%u  bp %u of %u meta %u/%u  lp %u of %u meta %u/%u  rt %u of %u lc %u of %u meta %u/%u m %x mc %x rc %u/%u %u/%u\n",
            threadIdx.x, t8.meta_group_rank(), t8.meta_group_size(), t4.meta_group_rank(), t4.meta_group_size(), bp.thread_rank(), bp.size(),
            bp.meta_group_rank(), bp.meta_group_size(), lp.thread_rank(), lp.size(), lp.meta_group_rank(), lp.meta_group_size(),
            (unsigned)rt.thread_rank(), (unsigned)rt.size(), lc.thread_rank(), lc.size(), lc.meta_group_rank(), lc.meta_group_size(),
            odd, four, rc.thread_rank(), rc.size(), rc.meta_group_rank(),
            rc.meta_group_size());
    int s = reduce_sum(b, temp, threadIdx.x);
    if (threadIdx.x == 0)
        printf("sum %d\n", s);
    b.sync();
    cg::thread_group t = t8;
    s = reduce_sum(t, temp + threadIdx.x / 8 * 8, threadIdx.x);
    if (threadIdx.x % 8 == 0)
        printf("tile %d\n", s);
    int p = -1;
    unsigned all = t4.match_all(7, p);
    unsigned cl = lc.match_all((int)threadIdx.x, p);
    if (threadIdx.x == 5)
        printf("all %x %x %d\n", all, cl, p);
    cg::invoke_one(b, Once());
    int one = cg::invoke_one_broadcast(t8, Once());
    if (threadIdx.x == 13)
        printf("from %d\n", one / 8);
}

template <class S> static void print_random(const char *name, unsigned long long seed, unsigned long long sequence, unsigned long long offset)
{
    static unsigned u[1024];
    static float f[1024];
    static double d[1024];
    unsigned *d_u;
    float *d_f;
    double *d_d;
    cudaMalloc(&d_u, sizeof u), cudaMalloc(&d_f, sizeof f), cudaMalloc(&d_d, sizeof d);
    cudaMemset(d_u, 0, sizeof u), cudaMemset(d_f, 0, sizeof f), cudaMemset(d_d, 0, sizeof d);
    if (seed == 0)
        four<<<1, 64>>>(d_u, d_f, d_d);
    else
        random<S><<<1, 64>>>(seed, sequence, offset, d_u, d_f, d_d);
    cudaMemcpy(u, d_u, sizeof u, cudaMemcpyDefault), cudaMemcpy(f, d_f, sizeof f, cudaMemcpyDefault), cudaMemcpy(d, d_d, sizeof d, cudaMemcpyDefault);
    for (int i = 0; i < 1024; i++)
        printf("%s %d.%d %08x %.3f %.9f\n", name, i / 16, i % 16, u[i], f[i], d[i]);
    cudaFree(d_u), cudaFree(d_f), cudaFree(d_d);
}

int main()
{
    mathematics<<<1, 1>>>();
    cudaDeviceSynchronize();
    print_random<curandState>("xorwow", 1234, 0, 0);
    print_random<curandState>("xorwow", 0x123456789abcdefull, 0x1fffffff0ull, 1ull << 40);
    print_random<curandStatePhilox4_32_10_t>("philox", 1234, 0, 0);
    print_random<curandStatePhilox4_32_10_t>("philox", 0xfedcba9876543210ull, ~0ull - 20, ~0ull - 100);
    print_random<curandStatePhilox4_32_10_t>("philox4", 0, 0, 0);
    groups<<<1, 64>>>();
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
