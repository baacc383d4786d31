// Eight-bit floats: each conversion, on the device and on the host, against a search among all codes; prints a sum of what came
// out, for comparison with another compiler's headers.
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum { FORMS = 4 }; // both kinds, with and without saturation

struct Codes {
    unsigned char of_double[FORMS], of_float[FORMS], of_half[FORMS], of_bfloat16[FORMS], typed[4];
    unsigned short two[FORMS];
};
struct Values {
    unsigned short half[2], bfloat16[2];
    float single[2];
    long long whole[2][6];
    bool truth[2];
};

__host__ __device__ void encode(double x, Codes *out)
{
    float f = (float)x;
    __half_raw half = __half_raw(__half(f));
    __nv_bfloat16_raw bfloat16;
    memcpy(&bfloat16.x, (char *)&f + 2, 2); // cut, not rounded
    for (int form = 0; form < FORMS; form++) {
        __nv_fp8_interpretation_t kind = form & 1 ? __NV_E5M2 : __NV_E4M3;
        __nv_saturation_t saturate = form & 2 ? __NV_SATFINITE : __NV_NOSAT;
        out->of_double[form] = __nv_cvt_double_to_fp8(x, saturate, kind);
        out->of_float[form] = __nv_cvt_float_to_fp8(f, saturate, kind);
        out->of_half[form] = __nv_cvt_halfraw_to_fp8(half, saturate, kind);
        out->of_bfloat16[form] = __nv_cvt_bfloat16raw_to_fp8(bfloat16, saturate, kind);
        out->two[form] = __nv_cvt_float2_to_fp8x2(make_float2(f, -f), saturate, kind);
    }
    out->typed[0] = __nv_fp8_e4m3(x).__x;
    out->typed[1] = __nv_fp8_e5m2(f).__x;
    int whole = x > -1e6 && x < 1e6 ? (int)x : 7;
    out->typed[2] = __nv_fp8_e4m3(whole).__x;
    out->typed[3] = __nv_fp8_e5m2((unsigned long long)whole).__x;
}

template <class T> __host__ __device__ void decode_as(T code, int kind, Values *out)
{
    out->single[kind] = (float)code;
    __nv_bfloat16_raw raw = __nv_bfloat16_raw(__nv_bfloat16(code));
    out->bfloat16[kind] = raw.x;
    long long *whole = out->whole[kind];
    whole[0] = (signed char)code, whole[1] = (unsigned char)code, whole[2] = (short)code, whole[3] = (unsigned short)code;
    whole[4] = (int)code, whole[5] = (unsigned)code;
    out->truth[kind] = (bool)code;
}
// Doubles just above and below the middle of two halves, and of two of bfloat16, are rounded once.
__host__ __device__ void round_once(unsigned short *out)
{
    const double one = 1, tiny = 1e-12;
    for (int i = 0; i < 4; i++) {
        double off = i & 1 ? -tiny : tiny, sign = i & 2 ? -1 : 1;
        out[2 * i] = __half_raw(__double2half(sign * (one + one / 2048 + off))).x;
        out[2 * i + 1] = __nv_bfloat16_raw(__double2bfloat16(sign * (one + one * 3 / 256 + off))).x;
    }
}
__global__ void round_all(unsigned short *out) { round_once(out); }

__host__ __device__ void decode(int i, Values *out)
{
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = (unsigned char)i;
    decode_as(a, 0, out), decode_as(b, 1, out);
    out->half[0] = __nv_cvt_fp8_to_halfraw(a.__x, __NV_E4M3).x;
    out->half[1] = __nv_cvt_fp8_to_halfraw(b.__x, __NV_E5M2).x;
}

__global__ void encode_all(const double *in, Codes *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        encode(in[i], &out[i]);
}
__global__ void decode_all(Values *out) { decode(threadIdx.x, &out[threadIdx.x]); }

__global__ void vectors(float4 in, float *out)
{
    float4 a = (float4)__nv_fp8x4_e4m3(in), b = (float4)__nv_fp8x4_e5m2(in);
    float2 c = (float2)__nv_fp8x2_e5m2(make_float2(in.z, in.w));
    __half2 d = (__half2)__nv_fp8x2_e4m3(__half2(__float2half(in.x), __float2half(in.y)));
    float values[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, __low2float(d), __high2float(d)};
    for (int i = 0; i < 12; i++)
        out[i] = values[i];
}

// ---- the reference ----

static int wrong;
static void expect(bool right, const char *what, double x, int got, int wanted)
{
    if (!right && wrong++ < 20)
        printf("wrong: %s of %.17g is %#x, not %#x\n", what, x, got, wanted);
}

// What a code without its sign stands for, were there no infinities and NaNs.
static double value_of(int code, int kind)
{
    int digits = kind == 0 ? 3 : 2, bias = kind == 0 ? 7 : 15;
    int exponent = code >> digits, rest = code & ((1 << digits) - 1);
    return exponent == 0 ? ldexp(rest, 1 - bias - digits) : ldexp(rest + (1 << digits), exponent - bias - digits);
}
static int largest_of(int kind) { return kind == 0 ? 0x7E : 0x7B; }

static int nearest(double x, int form, bool is_double = false)
{
    int kind = form & 1, last = largest_of(kind), sign = std::signbit(x) ? 0x80 : 0, code = 0;
    if (std::isnan(x))
        return !is_double ? 0x7F : sign | (kind == 0 ? 0x7F : 0x7E);
    x = fabs(x);
    while (code <= last && x > value_of(code, kind) / 2 + value_of(code + 1, kind) / 2)
        code++;
    if (code <= last && (code & 1) && x == value_of(code, kind) / 2 + value_of(code + 1, kind) / 2)
        code++;
    if (code > last)
        code = form & 2 ? last : kind == 0 ? 0x7F : 0x7C;
    return sign | code;
}

static void check_codes(double x, const Codes &c, const char *where)
{
    float f = (float)x;
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    bits &= 0xFFFF0000u;
    float cut;
    memcpy(&cut, &bits, sizeof cut);
    for (int form = 0; form < FORMS; form++) {
        int of_double = nearest(x, form, true), of_float = nearest(f, form), of_half = nearest(__half2float(__float2half(f)), form);
        expect(c.of_double[form] == of_double, where, x, c.of_double[form], of_double);
        expect(c.of_float[form] == of_float, where, f, c.of_float[form], of_float);
        expect(c.of_half[form] == of_half, where, f, c.of_half[form], of_half);
        expect(c.of_bfloat16[form] == nearest(cut, form), where, cut, c.of_bfloat16[form], nearest(cut, form));
        int two = of_float | nearest(-f, form) << 8;
        expect(c.two[form] == two, where, f, c.two[form], two);
    }
    expect(c.typed[0] == nearest(x, 2, true), where, x, c.typed[0], nearest(x, 2, true));
    expect(c.typed[1] == nearest(f, 3), where, f, c.typed[1], nearest(f, 3));
}

static double limited(double x, double low, double high)
{
    return std::isnan(x) ? 0 : x < low ? low : x > high ? high : trunc(x);
}
static void check_values(int i, const Values &v, const char *where)
{
    for (int kind = 0; kind < 2; kind++) {
        int size = i & 0x7F, last = largest_of(kind);
        double x = value_of(size, kind) * (i & 0x80 ? -1 : 1);
        if (size > last)
            x = kind == 1 && size == 0x7C ? x * INFINITY : NAN;
        float f = v.single[kind];
        expect(std::isnan(x) ? std::isnan(f) : f == x && std::signbit(f) == std::signbit(x), where, i, (int)f, (int)x);
        unsigned short half = __half_raw(__float2half((float)x)).x;
        expect(std::isnan(x) ? v.half[kind] == 0x7FFF : v.half[kind] == half, where, i, v.half[kind], half);
        const double low[] = {-128, 0, -32768, 0, -2147483648.0, 0}, high[] = {127, 255, 32767, 65535, 2147483647.0, 4294967295.0};
        for (int k = 0; k < 6; k++) {
            double whole = limited(x, low[k], high[k]);
            expect((double)v.whole[kind][k] == whole, where, i, (int)v.whole[kind][k], (int)whole);
        }
        expect(v.truth[kind] == (x != 0), where, i, v.truth[kind], x != 0);
    }
}

static void check_rounding(const unsigned short *got, const char *where)
{
    const unsigned short wanted[8] = {0x3C01, 0x3F82, 0x3C00, 0x3F81, 0xBC01, 0xBF82, 0xBC00, 0xBF81};
    for (int i = 0; i < 8; i++)
        expect(got[i] == wanted[i], where, i, got[i], wanted[i]);
}

static unsigned long long sum_of(const void *bytes, size_t n)
{
    unsigned long long sum = 14695981039346656037ull;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211ull;
    return sum;
}

int main()
{
    std::vector<double> in = {0.0, INFINITY, NAN, -(double)NAN, 4e-320, 1e300, 3.5e38, 1e-45};
    for (int kind = 0; kind < 2; kind++)
        for (int code = 0; code <= largest_of(kind) + 1; code++) {
            double middle = (value_of(code, kind) + value_of(code + 1, kind)) / 2;
            double all[] = {value_of(code, kind), middle, nextafter(middle, 0), nextafter(middle, 1e9), nextafterf((float)middle, 0), nextafterf((float)middle, 1e9f)};
            in.insert(in.end(), all, all + 6);
        }
    unsigned long long seed = 1;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        in.push_back(ldexp((double)(seed >> 32) / 4294967296.0, (int)(seed >> 8 & 31) - 17));
    }
    for (size_t i = 0, n = in.size(); i < n; i++)
        in.push_back(-in[i]);

    int n = (int)in.size();
    double *d_in;
    Codes *d_codes;
    Values *d_values;
    float *d_vectors, vectors_back[12];
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMalloc(&d_codes, n * sizeof *d_codes);
    cudaMalloc(&d_values, 256 * sizeof *d_values);
    cudaMalloc(&d_vectors, sizeof vectors_back);
    cudaMemset(d_values, 0, 256 * sizeof *d_values);
    cudaMemcpy(d_in, in.data(), n * sizeof *d_in, cudaMemcpyHostToDevice);
    encode_all<<<8, 128>>>(d_in, d_codes, n);
    decode_all<<<1, 256>>>(d_values);
    vectors<<<1, 1>>>(make_float4(1.3f, -300, 1e6f, 1e-3f), d_vectors);
    std::vector<Codes> codes(n), host_codes(n);
    std::vector<Values> values(256), host_values(256);
    memset((void *)host_values.data(), 0, 256 * sizeof(Values));
    cudaMemcpy(codes.data(), d_codes, n * sizeof(Codes), cudaMemcpyDeviceToHost);
    cudaMemcpy(values.data(), d_values, 256 * sizeof(Values), cudaMemcpyDeviceToHost);
    cudaMemcpy(vectors_back, d_vectors, sizeof vectors_back, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        encode(in[i], &host_codes[i]);
        check_codes(in[i], codes[i], "the device's code");
        check_codes(in[i], host_codes[i], "the host's code");
    }
    for (int i = 0; i < 256; i++) {
        decode(i, &host_values[i]);
        check_values(i, values[i], "the device's value");
        check_values(i, host_values[i], "the host's value");
    }
    unsigned short *d_rounded, rounded[8], host_rounded[8];
    cudaMalloc(&d_rounded, sizeof rounded);
    round_all<<<1, 1>>>(d_rounded);
    cudaMemcpy(rounded, d_rounded, sizeof rounded, cudaMemcpyDeviceToHost);
    round_once(host_rounded);
    check_rounding(rounded, "the device's rounding");
    check_rounding(host_rounded, "the host's rounding");
    cudaFree(d_rounded);
    printf("%d inputs, codes %016llx and %016llx, values %016llx and %016llx\n", n, sum_of(codes.data(), n * sizeof(Codes)),
           sum_of(host_codes.data(), n * sizeof(Codes)), sum_of(values.data(), 256 * sizeof(Values)), sum_of(host_values.data(), 256 * sizeof(Values)));
    for (float x : vectors_back)
        printf("%g ", x);
    printf("\n%d wrong\n", wrong);
    cudaFree(d_in), cudaFree(d_codes), cudaFree(d_values), cudaFree(d_vectors);
    return wrong != 0;
}
