// Every shape, type and layout of nvcuda::wmma against a result of the CPU; mma.sync, ldmatrix and movmatrix
// by inline assembly.
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <cstring>
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
static int failures;
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        if (e_) {                                                                                            \
            printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__);                                  \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

template <class T> __host__ __device__ T make(int v)
{
    return T(v);
}
template <> __host__ __device__ __half make<__half>(int v)
{
    return __float2half((float)v / 8);
}
template <> __host__ __device__ __nv_bfloat16 make<__nv_bfloat16>(int v)
{
    return __float2bfloat16((float)v / 8);
}
template <> __host__ __device__ float make<float>(int v)
{
    return (float)v / 8;
}
template <> __host__ __device__ double make<double>(int v)
{
    return (double)v / 8;
}
template <class T> double val(T v)
{
    return (double)v;
}
template <> double val<__half>(__half v)
{
    return __half2float(v);
}
template <> double val<__nv_bfloat16>(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}

template <int M, int N, int K, class F, class T, class C, class D, class LA, class LB, int LC>
__global__ void product(const T *a, const T *b, const C *c, D *d, int lda, int ldb, int ldc)
{
    wmma::fragment<wmma::matrix_a, M, N, K, F, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, F, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, LC ? wmma::mem_col_major : wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, ldc, LC ? wmma::mem_col_major : wmma::mem_row_major);
}

template <int M, int N, int K, class F, class T, class C, class D, class LA, class LB, int LC>
void run(const char *name, int lo, int hi)
{
    bool ac = std::is_same<LA, wmma::col_major>::value, bc = std::is_same<LB, wmma::col_major>::value;
    int lda = (ac ? M : K) + 16, ldb = (bc ? K : N) + 16, ldc = (LC ? M : N) + 8;
    int na = lda * (ac ? K : M), nb = ldb * (bc ? N : K), nc = ldc * (LC ? N : M);
    T *a, *b;
    C *c;
    D *d;
    CK(cudaMallocManaged(&a, na * sizeof(T)));
    CK(cudaMallocManaged(&b, nb * sizeof(T)));
    CK(cudaMallocManaged(&c, nc * sizeof(C)));
    CK(cudaMallocManaged(&d, nc * sizeof(D)));
    unsigned s = 12345;
    auto rnd = [&]() {
        s = s * 1664525u + 1013904223u;
        return lo + (int)((s >> 8) % (unsigned)(hi - lo + 1));
    };
    for (int i = 0; i < na; i++)
        a[i] = make<T>(rnd());
    for (int i = 0; i < nb; i++)
        b[i] = make<T>(rnd());
    for (int i = 0; i < nc; i++) {
        c[i] = make<C>(rnd());
        d[i] = make<D>(0);
    }
    product<M, N, K, F, T, C, D, LA, LB, LC><<<1, 32>>>(a, b, c, d, lda, ldb, ldc);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = val(c[LC ? j * ldc + i : i * ldc + j]);
            for (int k = 0; k < K; k++)
                sum += val(a[ac ? k * lda + i : i * lda + k]) * val(b[bc ? j * ldb + k : k * ldb + j]);
            double got = val(d[LC ? j * ldc + i : i * ldc + j]);
            double tol = sizeof(D) == 2 ? fabs(sum) * 1e-3 + 1e-3 : fabs(sum) * 1e-6;
            if (!(fabs(got - sum) <= tol)) {
                if (!wrong++)
                    printf("%s: d[%d][%d] = %g, wanted %g\n", name, i, j, got, sum);
            }
        }
    if (wrong)
        failures++;
    printf("%s %s\n", wrong ? "WRONG" : "right", name);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}
using R = wmma::row_major;
using L = wmma::col_major;
#define RUN(M, N, K, F, T, C, D, LA, LB, LC, lo, hi)                                                         \
    run<M, N, K, F, T, C, D, LA, LB, LC>(#M "x" #N "x" #K " " #F " " #C " " #D " " #LA #LB #LC, lo, hi)

__global__ void mma_f16(const __half *a, const __half *b, float *d) // A 16x16 row, B 16x8 col
{
    __shared__ __align__(16) __half sa[16 * 16], sb[8 * 16];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        sa[i] = a[i];
    for (int i = lane; i < 128; i += 32)
        sb[i] = b[i];
    __syncwarp();
    unsigned ra[4], rb[2];
    float c[4] = {0, 0, 0, 0};
    unsigned pa = (unsigned)__cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
    unsigned pb = (unsigned)__cvta_generic_to_shared(sb + (lane % 8) * 16 + lane / 8 % 2 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    int g = lane / 4, t = lane % 4;
    d[g * 8 + t * 2] = c[0];
    d[g * 8 + t * 2 + 1] = c[1];
    d[(g + 8) * 8 + t * 2] = c[2];
    d[(g + 8) * 8 + t * 2 + 1] = c[3];
}

__global__ void mma_trans(const __half *b, unsigned *out) // ldmatrix.trans and movmatrix agree
{
    __shared__ __align__(16) __half s[64];
    int lane = threadIdx.x;
    s[lane] = b[lane];
    s[lane + 32] = b[lane + 32];
    __syncwarp();
    unsigned p = (unsigned)__cvta_generic_to_shared(s + lane % 8 * 8), r, q, m;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(q) : "r"(p));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(q));
    out[lane] = r;
    out[32 + lane] = m;
}

__global__ void mma_s8(const int8_t *a, const int8_t *b, int *d) // 16x32 row, 32x8 col
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, c[4] = {1, 2, 3, 4};
    const int *A = (const int *)a, *B = (const int *)b;
    int a0 = A[g * 8 + t], a1 = A[(g + 8) * 8 + t], a2 = A[g * 8 + t + 4], a3 = A[(g + 8) * 8 + t + 4],
        b0 = B[g * 8 + t], b1 = B[g * 8 + t + 4];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    d[g * 8 + t * 2] = c[0] - 1;
    d[g * 8 + t * 2 + 1] = c[1] - 2;
    d[(g + 8) * 8 + t * 2] = c[2] - 3;
    d[(g + 8) * 8 + t * 2 + 1] = c[3] - 4;
}

__global__ void mma_f64(const double *a, const double *b, double *d) // 8x4 row, 4x8 col
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    double c0 = 0, c1 = 0;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(a[g * 4 + t]), "d"(b[g * 4 + t]));
    d[g * 8 + t * 2] = c0;
    d[g * 8 + t * 2 + 1] = c1;
}

#if ARCH >= 80
__global__ void bits(const unsigned *a, const unsigned *b, int *c)
{
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    wmma::fill_fragment(fc, 5);
    wmma::bmma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
    wmma::fill_fragment(fc, 0);
    wmma::bmma_sync(fc, fa, fb, fc, bmmaBitOpAND);
    wmma::store_matrix_sync(c + 64, fc, 8, wmma::mem_row_major);
}
#endif
__global__ void nibbles(const unsigned *a, const unsigned *b, int *c)
{
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::fill_fragment(fc, 0);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
#if ARCH >= 80
__global__ void reduce(unsigned *out)
{
    out[threadIdx.x] = __reduce_add_sync(~0u, threadIdx.x) + __reduce_max_sync(~0u, threadIdx.x);
}
#endif

template <class T> T *dev(size_t n)
{
    T *p;
    CK(cudaMallocManaged(&p, n * sizeof(T)));
    memset(p, 0, n * sizeof(T));
    return p;
}
static void check(const char *name, bool ok)
{
    printf("%s %s\n", ok ? "right" : "WRONG", name);
    failures += !ok;
}

int main()
{
#define LAYOUTS(M, N, K, F, T, C, D, lo, hi)                                                                 \
    RUN(M, N, K, F, T, C, D, R, R, 0, lo, hi);                                                               \
    RUN(M, N, K, F, T, C, D, R, L, 1, lo, hi);                                                               \
    RUN(M, N, K, F, T, C, D, L, R, 1, lo, hi);                                                               \
    RUN(M, N, K, F, T, C, D, L, L, 0, lo, hi)
#define SHAPES(F, T, C, D, lo, hi)                                                                           \
    LAYOUTS(16, 16, 16, F, T, C, D, lo, hi);                                                                 \
    LAYOUTS(32, 8, 16, F, T, C, D, lo, hi);                                                                  \
    LAYOUTS(8, 32, 16, F, T, C, D, lo, hi)
    SHAPES(__half, __half, float, float, -16, 16);
    SHAPES(__half, __half, __half, __half, -8, 8);
    SHAPES(signed char, signed char, int, int, -128, 127);
    SHAPES(unsigned char, unsigned char, int, int, 0, 255);
#if ARCH >= 80
    SHAPES(__nv_bfloat16, __nv_bfloat16, float, float, -16, 16);
    LAYOUTS(16, 16, 8, wmma::precision::tf32, float, float, float, -64, 64);
    LAYOUTS(8, 8, 4, double, double, double, double, -64, 64);
#endif
    {
        unsigned *a = dev<unsigned>(32), *b = dev<unsigned>(32);
        int *c = dev<int>(128);
        for (int i = 0; i < 32; i++) {
            a[i] = i * 0x9E3779B9u;
            b[i] = i * 0x85EBCA6Bu + 77;
        }
        nibbles<<<1, 32>>>(a, b, c);
        CK(cudaDeviceSynchronize());
        bool ok = true;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int s = 0;
                for (int k = 0; k < 32; k++) {
                    int x = a[i * 4 + k / 8] >> k % 8 * 4 & 15, y = b[j * 4 + k / 8] >> k % 8 * 4 & 15;
                    s += (x > 7 ? x - 16 : x) * (y > 7 ? y - 16 : y);
                }
                ok &= s == c[i * 8 + j];
            }
        check("s4", ok);
#if ARCH >= 80
        bits<<<1, 32>>>(a, b, c);
        CK(cudaDeviceSynchronize());
        ok = true;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int s = 5, u = 0;
                for (int k = 0; k < 4; k++) {
                    s += __builtin_popcount(a[i * 4 + k] ^ b[j * 4 + k]);
                    u += __builtin_popcount(a[i * 4 + k] & b[j * 4 + k]);
                }
                ok &= c[i * 8 + j] == s && c[64 + i * 8 + j] == u;
            }
        check("b1", ok);
#endif
    }
#if ARCH >= 80
    {
        __half *a = dev<__half>(256), *b = dev<__half>(128);
        float *d = dev<float>(128);
        for (int i = 0; i < 256; i++)
            a[i] = __float2half((float)((i * 7) % 19 - 9));
        for (int i = 0; i < 128; i++)
            b[i] = __float2half((float)((i * 5) % 23 - 11) / 4);
        mma_f16<<<1, 32>>>(a, b, d);
        CK(cudaDeviceSynchronize());
        bool ok = true;
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 8; j++) {
                float s = 0;
                for (int k = 0; k < 16; k++)
                    s += __half2float(a[i * 16 + k]) * __half2float(b[j * 16 + k]);
                ok &= s == d[i * 8 + j];
            }
        check("mma m16n8k16 with ldmatrix", ok);
        unsigned *o = dev<unsigned>(64);
        mma_trans<<<1, 32>>>(a, o);
        CK(cudaDeviceSynchronize());
        ok = true;
        for (int l = 0; l < 32; l++)
            for (int e = 0; e < 2; e++) {
                __half_raw h;
                h.x = (unsigned short)(o[l] >> 16 * e);
                ok &= __half2float(__half(h)) == __half2float(a[(l % 4 * 2 + e) * 8 + l / 4]) &&
                      o[l] == o[32 + l];
            }
        check("ldmatrix.trans, movmatrix", ok);
    }
    {
        int8_t *a = dev<int8_t>(512), *b = dev<int8_t>(256);
        int *d = dev<int>(128);
        for (int i = 0; i < 512; i++)
            a[i] = (int8_t)(i * 37);
        for (int i = 0; i < 256; i++)
            b[i] = (int8_t)(i * 91 + 5);
        mma_s8<<<1, 32>>>(a, b, d);
        CK(cudaDeviceSynchronize());
        bool ok = true;
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 8; j++) {
                int s = 0;
                for (int k = 0; k < 32; k++)
                    s += a[i * 32 + k] * b[j * 32 + k];
                ok &= s == d[i * 8 + j];
            }
        check("mma m16n8k32 s8", ok);
    }
    {
        double *a = dev<double>(32), *b = dev<double>(32), *d = dev<double>(64);
        for (int i = 0; i < 32; i++) {
            a[i] = i * 0.5 - 3;
            b[i] = 7 - i * 0.25;
        }
        mma_f64<<<1, 32>>>(a, b, d);
        CK(cudaDeviceSynchronize());
        bool ok = true;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                double s = 0;
                for (int k = 0; k < 4; k++)
                    s += a[i * 4 + k] * b[j * 4 + k];
                ok &= s == d[i * 8 + j];
            }
        check("mma m8n8k4 f64", ok);
    }
    {
        unsigned *o = dev<unsigned>(32);
        reduce<<<1, 32>>>(o);
        CK(cudaDeviceSynchronize());
        check("__reduce_add_sync", o[5] == 496 + 31);
    }
#endif
    printf("%d failures\n", failures);
    return failures != 0;
}
