// Raw results of matrix instructions on random operands, and where fragments hold which elements: a line for
// each lane of each trial. tensor_bits.txt has what an H200 printed: `name lines sha256` for each name;
// tensor.t says how it was made.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
static unsigned long long seed = 88172645463325252ull;
static unsigned rnd()
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 16);
}
static unsigned *A, *B, *C, *D;

#define KERNEL(name, ins, DN, AN, BN, CN, ...)                                                               \
    __global__ void name(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d)               \
    {                                                                                                        \
        int l = threadIdx.x;                                                                                 \
        unsigned D_[8] = {0};                                                                                \
        const unsigned *p = a + l * 8, *q = b + l * 8, *r = c + l * 8;                                       \
        unsigned *o = D_;                                                                                    \
        asm volatile(ins : __VA_ARGS__);                                                                     \
        for (int i = 0; i < DN; i++)                                                                         \
            d[l * 8 + i] = o[i];                                                                             \
    }
#define O4      "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3])
#define O2      "=r"(o[0]), "=r"(o[1])
#define I4(x)   "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
#define I2(x)   "r"(x[0]), "r"(x[1])
#define M422(t) "mma.sync.aligned." t " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
#define M21(t)  "mma.sync.aligned." t " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
#define MH(t)   "mma.sync.aligned." t " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
KERNEL(f16_f32_k16, M422("m16n8k16.row.col.f32.f16.f16.f32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(f16_f32_k8, M21("m16n8k8.row.col.f32.f16.f16.f32"), 4, 2, 1, 4, O4 : I2(p), "r"(q[0]), I4(r))
KERNEL(f16_f16_k16, MH("m16n8k16.row.col.f16.f16.f16.f16"), 2, 4, 2, 2, O2 : I4(p), I2(q), I2(r))
KERNEL(bf16_k16, M422("m16n8k16.row.col.f32.bf16.bf16.f32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(bf16_k8, M21("m16n8k8.row.col.f32.bf16.bf16.f32"), 4, 2, 1, 4, O4 : I2(p), "r"(q[0]), I4(r))
KERNEL(tf32_k8, M422("m16n8k8.row.col.f32.tf32.tf32.f32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(tf32_k4, M21("m16n8k4.row.col.f32.tf32.tf32.f32"), 4, 2, 1, 4, O4 : I2(p), "r"(q[0]), I4(r))
KERNEL(e4m3_k32, M422("m16n8k32.row.col.f32.e4m3.e4m3.f32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(e5m2_k32, M422("m16n8k32.row.col.f32.e5m2.e5m2.f32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(s8_k32, M422("m16n8k32.row.col.satfinite.s32.s8.s8.s32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(u8s8_k32, M422("m16n8k32.row.col.s32.u8.s8.s32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(s4_k64, M422("m16n8k64.row.col.s32.s4.s4.s32"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(b1_k256, M422("m16n8k256.row.col.s32.b1.b1.s32.and.popc"), 4, 4, 2, 4, O4 : I4(p), I2(q), I4(r))
KERNEL(f16_quads,
       "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
       "{%12,%13,%14,%15,%16,%17,%18,%19};",
       8, 2, 2, 8, O4, "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7])
       : I2(p), I2(q), I4(r), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]))
KERNEL(f16_quads_cr,
       "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};", 4,
       2, 2, 4, O4
       : I2(p), I2(q), I4(r))
__global__ void f64_k4(const double *a, const double *b, const double *c, double *d)
{
    int l = threadIdx.x;
    double x = c[l * 2], y = c[l * 2 + 1];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(x), "+d"(y)
                 : "d"(a[l]), "d"(b[l]));
    d[l * 2] = x;
    d[l * 2 + 1] = y;
}
__global__ void f64_k16(const double *a, const double *b, const double *c, double *d)
{
    int l = threadIdx.x;
    double x = c[l * 4], y = c[l * 4 + 1], z = c[l * 4 + 2], w = c[l * 4 + 3];
    const double *p = a + l * 8, *q = b + l * 4;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(x), "+d"(y), "+d"(z), "+d"(w)
                 : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(p[4]), "d"(p[5]), "d"(p[6]), "d"(p[7]),
                   "d"(q[0]), "d"(q[1]), "d"(q[2]), "d"(q[3]));
    d[l * 4] = x;
    d[l * 4 + 1] = y;
    d[l * 4 + 2] = z;
    d[l * 4 + 3] = w;
}

static unsigned f16of(float f)
{
    __half h = __float2half(f);
    unsigned short u;
    memcpy(&u, &h, 2);
    return u;
}
static unsigned bf16of(float f)
{
    __nv_bfloat16 h = __float2bfloat16(f);
    unsigned short u;
    memcpy(&u, &h, 2);
    return u;
}
static unsigned f32of(float f)
{
    unsigned u;
    memcpy(&u, &f, 4);
    return u;
}
static float uni()
{
    return (float)((int)(rnd() % 2000001u) - 1000000) / 1000000.0f;
}
static float wide(int lo, int hi)
{
    float f = uni();
    int e = lo + (int)(rnd() % (unsigned)(hi - lo + 1));
    while (e > 0) {
        f *= 2;
        e--;
    }
    while (e < 0) {
        f /= 2;
        e++;
    }
    return f;
}
// kind: 0 f16, 1 bf16, 2 tf32/f32, 3 raw; mode: 0 uniform, 1 wide exponents, 2 any bits
static unsigned element(int kind, int mode)
{
    if (mode == 2 || kind == 3)
        return rnd() ^ rnd() << 11;
    float v = mode ? wide(-8, 8) : uni();
    return kind == 0   ? f16of(v) | f16of(mode ? wide(-8, 8) : uni()) << 16
           : kind == 1 ? bf16of(v) | bf16of(mode ? wide(-8, 8) : uni()) << 16
                       : f32of(v);
}
typedef void (*K)(const unsigned *, const unsigned *, const unsigned *, unsigned *);
static void go(const char *name, K k, int ab, int cd, int dn, int trials)
{
    for (int t = 0; t < trials; t++) {
        int mode = t % 3;
        for (int i = 0; i < 256; i++) {
            A[i] = element(ab, mode);
            B[i] = element(ab, mode);
            C[i] = element(cd, mode == 2 ? 1 : mode);
        }
        if (t % 2 && cd == 2)
            for (int i = 0; i < 256; i++)
                C[i] = 0;
        k<<<1, 32>>>(A, B, C, D);
        if (cudaDeviceSynchronize()) {
            printf("%s failed\n", name);
            return;
        }
        for (int l = 0; l < 32; l++) {
            printf("%s %d mode %d lane %d", name, t, mode, l);
            for (int i = 0; i < dn; i++)
                printf(" %08x", D[l * 8 + i]);
            printf("\n");
        }
    }
}
template <int M, int N, int Kk, class F, class T, class Use, class Lay>
__global__ void frag(const T *p, unsigned *out, int ld)
{
    wmma::fragment<Use, M, N, Kk, F, Lay> f;
    wmma::load_matrix_sync(f, p, ld);
    for (int i = 0; i < f.num_elements; i++) {
        unsigned long long v = 0;
        memcpy(&v, &f.x[i], sizeof f.x[i]);
        out[i * 32 + threadIdx.x] = (unsigned)v;
    }
    if (threadIdx.x == 0)
        out[1023] = f.num_elements;
}
template <int M, int N, int Kk, class T> __global__ void fragc(const T *p, unsigned *out, int ld)
{
    wmma::fragment<wmma::accumulator, M, N, Kk, T> f;
    wmma::load_matrix_sync(f, p, ld, wmma::mem_row_major);
    for (int i = 0; i < f.num_elements; i++) {
        unsigned long long v = 0;
        memcpy(&v, &f.x[i], sizeof f.x[i]);
        out[i * 32 + threadIdx.x] = (unsigned)v;
    }
    if (threadIdx.x == 0)
        out[1023] = f.num_elements;
}
static unsigned char *mem;
static unsigned *out;
static void fill(int bytes)
{
    for (int i = 0; i < 1024; i++) {
        unsigned long long v = i;
        memcpy(mem + i * bytes, &v, bytes);
    }
}
static void dump(const char *name, int cols)
{
    if (cudaDeviceSynchronize()) {
        printf("%s failed\n", name);
        return;
    }
    for (unsigned i = 0; i < out[1023]; i++) {
        printf("layout %s x[%u]:", name, i);
        for (int l = 0; l < 32; l++)
            printf(" %u,%u", out[i * 32 + l] / cols, out[i * 32 + l] % cols);
        printf("\n");
    }
}
#define LA(M, N, Kk, F, T)                                                                                   \
    fill(sizeof(T));                                                                                         \
    frag<M, N, Kk, F, T, wmma::matrix_a, wmma::row_major><<<1, 32>>>((T *)mem, out, Kk);                     \
    dump("a " #M "x" #N "x" #Kk " " #F, Kk);                                                                 \
    frag<M, N, Kk, F, T, wmma::matrix_b, wmma::row_major><<<1, 32>>>((T *)mem, out, N);                      \
    dump("b " #M "x" #N "x" #Kk " " #F, N)
#define LC(M, N, Kk, T)                                                                                      \
    fill(sizeof(T));                                                                                         \
    fragc<M, N, Kk, T><<<1, 32>>>((T *)mem, out, N);                                                         \
    dump("c " #M "x" #N "x" #Kk " " #T, N)
int main()
{
    cudaMallocManaged(&A, 8192);
    cudaMallocManaged(&B, 8192);
    cudaMallocManaged(&C, 8192);
    cudaMallocManaged(&D, 8192);
    cudaMallocManaged(&mem, 8192);
    cudaMallocManaged(&out, 4096);
    go("f16_f32_k16", f16_f32_k16, 0, 2, 4, 30);
    go("f16_f32_k8", f16_f32_k8, 0, 2, 4, 12);
    go("f16_f16_k16", f16_f16_k16, 0, 0, 2, 12);
    go("bf16_k16", bf16_k16, 1, 2, 4, 12);
    go("bf16_k8", bf16_k8, 1, 2, 4, 12);
    go("tf32_k8", tf32_k8, 2, 2, 4, 12);
    go("tf32_k4", tf32_k4, 2, 2, 4, 12);
    go("e4m3_k32", e4m3_k32, 3, 2, 4, 12);
    go("e5m2_k32", e5m2_k32, 3, 2, 4, 12);
    go("s8_k32", s8_k32, 3, 3, 4, 6);
    go("u8s8_k32", u8s8_k32, 3, 3, 4, 6);
    go("s4_k64", s4_k64, 3, 3, 4, 6);
    go("b1_k256", b1_k256, 3, 3, 4, 6);
    go("f16_quads", f16_quads, 0, 2, 8, 6);
    go("f16_quads_cr", f16_quads_cr, 0, 0, 4, 6);
    for (int t = 0; t < 12; t++) {
        double *a = (double *)A, *b = (double *)B, *c = (double *)C, *d = (double *)D;
        for (int i = 0; i < 256; i++) {
            a[i] = wide(-8, 8) / 3.0;
            b[i] = wide(-8, 8) / 7.0;
            c[i] = t & 1 ? 0 : wide(-8, 8) / 11.0;
        }
        if (t < 6)
            f64_k4<<<1, 32>>>(a, b, c, d);
        else
            f64_k16<<<1, 32>>>(a, b, c, d);
        cudaDeviceSynchronize();
        for (int i = 0; i < (t < 6 ? 64 : 128); i++) {
            unsigned long long v;
            memcpy(&v, &d[i], 8);
            printf("f64_%s %d %d %016llx\n", t < 6 ? "k4" : "k16", t, i, v);
        }
    }
    LA(16, 16, 16, __half, __half);
    LA(32, 8, 16, __half, __half);
    LA(8, 32, 16, __half, __half);
    LA(16, 16, 16, __nv_bfloat16, __nv_bfloat16);
    LA(32, 8, 16, __nv_bfloat16, __nv_bfloat16);
    LA(8, 32, 16, __nv_bfloat16, __nv_bfloat16);
    LA(16, 16, 8, wmma::precision::tf32, float);
    LA(8, 8, 4, double, double);
    LA(16, 16, 16, signed char, signed char);
    LA(32, 8, 16, signed char, signed char);
    LA(8, 32, 16, signed char, signed char);
    LC(16, 16, 16, float);
    LC(16, 16, 16, __half);
    LC(32, 8, 16, float);
    LC(32, 8, 16, __half);
    LC(8, 32, 16, float);
    LC(8, 32, 16, __half);
    LC(16, 16, 16, int);
    LC(32, 8, 16, int);
    LC(8, 32, 16, int);
    LC(16, 16, 8, float);
    LC(8, 8, 4, double);
    return 0;
}
