// Textures, surfaces, CUDA arrays and copies of them, against references written from the CUDA C++ Programming Guide ("Texture
// Fetching", "Cubemap Textures"). Prints TAP, the same lines on the virtual GPU and on a real one:
//
//     nvcc -o textures textures.cu && ./textures
//
// What the guide leaves open (layers out of range, missing channels, borders of integer textures, errors) is as an H200 answers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

static int n_tests, n_bad;

static void ok(bool good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++n_tests, name);
    n_bad += !good;
}

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        cudaError_t e_ = (call);                                                                             \
        if (e_ != cudaSuccess) {                                                                             \
            printf("Bail out! line %d: %s\n", __LINE__, cudaGetErrorName(e_));                               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void gives(cudaError_t wanted, cudaError_t got, const char *call)
{
    ok(wanted == got, call);
    if (wanted != got)
        printf("# wanted %s, got %s\n", cudaGetErrorName(wanted), cudaGetErrorName(got));
    cudaGetLastError();
}
#define GIVES(error, call) gives(error, (call), #call " gives " #error)

static unsigned seed = 1;
static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)n);
}

// ---- arrays, textures ----

template <class T> static cudaArray_t make_array(const T *data, int w, int h, int d, unsigned flags = 0,
                                                 cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>())
{
    cudaArray_t a;
    MUST(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * sizeof(T), w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    if (data)
        MUST(cudaMemcpy3D(&p));
    return a;
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaTextureObject_t make_texture(const cudaResourceDesc &r, const cudaTextureDesc &d)
{
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaSurfaceObject_t make_surface(cudaArray_t a)
{
    cudaSurfaceObject_t s;
    cudaResourceDesc r = of_array(a);
    MUST(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <class T> static T *managed(int n)
{
    T *p;
    MUST(cudaMallocManaged(&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

// ---- what a read gives: the guide's formulas ----

static int addressed(int i, int n, cudaTextureAddressMode mode, bool normalized)
{
    if (normalized && mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (normalized && mode == cudaAddressModeMirror) {
        int m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    if (mode == cudaAddressModeBorder && (i < 0 || i >= n))
        return -1;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(const float *data, const int *n, const int *i, const cudaTextureDesc &d)
{
    int at = 0;
    for (int k = 2; k >= 0; k--) {
        int j = addressed(i[k], n[k], d.addressMode[k], d.normalizedCoords);
        if (j < 0)
            return d.borderColor[0];
        at = at * n[k] + j;
    }
    return data[at];
}

// The guide gives products of a and 1 - a, in steps of 1/256; an H200 rounds the products to such steps too: over z, then x, then
// y, rounding the corners where x = y and leaving the others the rest.
static double weight(const double *a, int dims, int x, int y, int z)
{
    double slice = dims < 3 ? !z : z ? a[2] : 1 - a[2], right = floor(slice * a[0] * 256 + 0.5) / 256;
    double part = x ? right : slice - right;
    if (dims < 2)
        return y ? 0 : part;
    double corner = floor(part * (x ? a[1] : 1 - a[1]) * 256 + 0.5) / 256;
    return x == y ? corner : part - corner;
}

static double reference(const float *data, const int *n, int dims, const float *x, const cudaTextureDesc &d)
{
    int base[3] = {0, 0, 0};
    double a[3] = {0, 0, 0}, sum = 0;
    bool linear = d.filterMode == cudaFilterModeLinear;
    for (int k = 0; k < dims; k++) {
        double u = (double)x[k] * (d.normalizedCoords ? n[k] : 1) - (linear ? 0.5 : 0);
        base[k] = (int)floor(u);
        bool repeats = d.normalizedCoords && (d.addressMode[k] == cudaAddressModeWrap || d.addressMode[k] == cudaAddressModeMirror);
        bool clamps = !repeats && d.addressMode[k] != cudaAddressModeBorder; /* the coordinate, before all else */
        a[k] = !linear || (clamps && (u < 0 || u >= n[k] - 1)) ? 0 : floor((u - base[k]) * 256 + 0.5) / 256;
    }
    for (int c = 0; c < 8; c++) {
        double w = weight(a, dims, c & 1, c >> 1 & 1, c >> 2);
        int i[3];
        for (int k = 0; k < 3; k++)
            i[k] = base[k] + (c >> k & 1);
        if (w > 0)
            sum += w * texel(data, n, i, d);
    }
    return sum;
}

// ---- filters and address modes ----

__global__ void read_texture(cudaTextureObject_t t, int dims, const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x += 3 * i;
    out[i] = dims == 1   ? tex1D<float>(t, x[0])
             : dims == 2 ? tex2D<float>(t, x[0], x[1])
                         : tex3D<float>(t, x[0], x[1], x[2]);
}

static bool compare(cudaTextureObject_t t, const float *data, const int *n, int dims, const cudaTextureDesc &d,
                    const float *x, int n_points)
{
    float *in = managed<float>(3 * n_points), *out = managed<float>(n_points);
    memcpy(in, x, 3 * n_points * sizeof *x);
    read_texture<<<(n_points + 63) / 64, 64>>>(t, dims, in, out, n_points);
    MUST(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < n_points && good; i++) {
        double wanted = reference(data, n, dims, x + 3 * i, d);
        bool exact = d.filterMode == cudaFilterModePoint;
        good = exact ? out[i] == (float)wanted : fabs(out[i] - wanted) <= 1e-3;
        if (!good)
            printf("# at (%g, %g, %g): wanted %.9g, got %.9g\n", x[3 * i], x[3 * i + 1], x[3 * i + 2], wanted, out[i]);
    }
    MUST(cudaFree(in));
    MUST(cudaFree(out));
    return good;
}

// Points on a grid of 1/64 texel, off the texels' edges, up to three textures away.
static std::vector<float> make_points(const int *n, bool normalized, int n_points)
{
    std::vector<float> x(3 * n_points);
    for (int i = 0; i < 3 * n_points; i++) {
        int size = n[i % 3];
        float at = (random_below(7 * 64 * size) - 3 * 64 * size) / 64.0f + 1 / 128.0f;
        x[i] = normalized ? at / size : at;
    }
    return x;
}

static void test_filters()
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    for (int dims = 1; dims <= 3; dims++) {
        int n[3] = {8, dims > 1 ? 4 : 1, dims > 2 ? 16 : 1};
        std::vector<float> data(n[0] * n[1] * n[2]);
        for (float &v : data)
            v = (float)random_below(1000) / 4;
        cudaArray_t a = make_array(data.data(), n[0], dims > 1 ? n[1] : 0, dims > 2 ? n[2] : 0);
        for (int k = 0; k < 16; k++) {
            cudaTextureDesc d = {};
            for (int i = 0; i < dims; i++)
                d.addressMode[i] = (cudaTextureAddressMode)(k & 3);
            d.normalizedCoords = k >> 2 & 1;
            d.filterMode = (cudaTextureFilterMode)(k >> 3 & 1);
            d.borderColor[0] = -7.5f;
            cudaTextureObject_t t = make_texture(of_array(a), d);
            std::vector<float> x = make_points(n, d.normalizedCoords, 200);
            char name[100];
            snprintf(name, sizeof name, "%dD %s %s %s", dims, modes[k & 3], d.normalizedCoords ? "normalized" : "texels",
                     d.filterMode ? "linear" : "point");
            ok(compare(t, data.data(), n, dims, d, x.data(), 200), name);
            MUST(cudaDestroyTextureObject(t));
        }
        MUST(cudaFreeArray(a));
    }
}

// 2^-9 is the first fraction that counts, as one step of 1/256: it is rounded to the nearest.
static void test_weights()
{
    const float data[4] = {0, 1, 0, 1024};
    int n[3] = {4, 1, 1};
    cudaTextureDesc d = {};
    d.filterMode = cudaFilterModeLinear;
    d.addressMode[0] = cudaAddressModeClamp;
    cudaArray_t a = make_array(data, 4, 0, 0);
    cudaTextureObject_t t = make_texture(of_array(a), d);
    std::vector<float> x(3 * 1024);
    for (int i = 0; i < 1024; i++)
        x[3 * i] = 0.5f + i / 1024.0f;
    ok(compare(t, data, n, 1, d, x.data(), 1024), "weights are rounded to steps of 1/256");
    const float special[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -0.0f};
    const float wanted[] = {0, 1024, 0, 1024, 0, 0};
    float *in = managed<float>(18), *out = managed<float>(6);
    for (int i = 0; i < 6; i++)
        in[3 * i] = special[i];
    read_texture<<<1, 6>>>(t, 1, in, out, 6);
    MUST(cudaDeviceSynchronize());
    ok(memcmp(out, wanted, sizeof wanted) == 0, "NaN reads at 0, infinities at the edges");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(in));
    MUST(cudaFree(out));
}

// ---- formats ----

template <class T> __global__ void read_elements(cudaTextureObject_t t, T *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1D<T>(t, i + 0.5f);
}

template <class T> static void test_format(const char *name)
{
    T data[16];
    unsigned char *bytes = (unsigned char *)data;
    for (size_t i = 0; i < sizeof data; i++)
        bytes[i] = i % 4 == 3 ? 0x3F : (unsigned char)random_below(256); /* as floats: no NaN */
    cudaArray_t a = make_array(data, 16, 0, 0);
    cudaTextureObject_t t = make_texture(of_array(a), cudaTextureDesc());
    T *out = managed<T>(16);
    read_elements<T><<<1, 32>>>(t, out, 16);
    MUST(cudaDeviceSynchronize());
    char text[100];
    snprintf(text, sizeof text, "elements of %s", name);
    ok(memcmp(out, data, sizeof data) == 0, text);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(out));
}
#define FORMAT(T) test_format<T>(#T)

static void test_formats()
{
    FORMAT(char), FORMAT(char1), FORMAT(char2), FORMAT(char4), FORMAT(unsigned char), FORMAT(uchar2), FORMAT(uchar4);
    FORMAT(short), FORMAT(short2), FORMAT(short4), FORMAT(unsigned short), FORMAT(ushort2), FORMAT(ushort4);
    FORMAT(int), FORMAT(int2), FORMAT(int4), FORMAT(unsigned), FORMAT(uint2), FORMAT(uint4);
    FORMAT(float), FORMAT(float2), FORMAT(float4);
}

// Integers as floats in [0, 1] or [-1, 1].
template <class T, class S> static void test_normalized(const char *name, double most)
{
    S values[64];
    for (int i = 0; i < 64; i++)
        values[i] = (S)(i == 0 ? 0 : i == 1 ? ~0u : i == 2 ? 1u << (8 * sizeof(S) - 1) : (unsigned)random_below(65536));
    T data[16];
    memcpy(data, values, sizeof values);
    cudaTextureDesc d = {};
    d.readMode = cudaReadModeNormalizedFloat;
    cudaArray_t a = make_array(data, 16, 0, 0);
    cudaTextureObject_t t = make_texture(of_array(a), d);
    float4 *out = managed<float4>(16);
    read_elements<float4><<<1, 32>>>(t, out, 16);
    MUST(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < 64; i++) {
        double wanted = values[i] / most;
        good &= ((float *)out)[i] == (float)(wanted < -1 ? -1 : wanted);
    }
    ok(good, name);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(out));
}

static void test_reads()
{
    test_normalized<uchar4, unsigned char>("unsigned bytes as normalized floats", 255);
    test_normalized<char4, signed char>("signed bytes as normalized floats", 127);
    test_normalized<ushort4, unsigned short>("unsigned shorts as normalized floats", 65535);
    test_normalized<short4, short>("signed shorts as normalized floats", 32767);

    const float halves[8] = {0, 1, -2.5f, 65504, 6.103515625e-5f, 5.9604644775390625e-8f, -0.333251953125f, 1024};
    __half h[8];
    for (int i = 0; i < 8; i++)
        h[i] = __float2half(halves[i]);
    cudaArray_t a = make_array(h, 8, 0, 0, 0, cudaCreateChannelDescHalf());
    cudaTextureObject_t t = make_texture(of_array(a), cudaTextureDesc());
    float *out = managed<float>(64);
    read_elements<float><<<1, 32>>>(t, out, 8);
    MUST(cudaDeviceSynchronize());
    ok(memcmp(out, halves, sizeof halves) == 0, "halves are read as floats");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));

    const float2 pair[2] = {{1, 2}, {3, 4}};
    a = make_array(pair, 2, 0, 0);
    t = make_texture(of_array(a), cudaTextureDesc());
    float4 *four = (float4 *)out;
    read_elements<float4><<<1, 1>>>(t, four, 1);
    MUST(cudaDeviceSynchronize());
    ok(four->x == 1 && four->y == 2 && four->z == 0 && four->w == 0, "channels that the format has not are 0");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));

    unsigned char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    cudaTextureDesc d = {};
    d.readMode = cudaReadModeNormalizedFloat;
    d.sRGB = 1;
    a = make_array((uchar4 *)bytes, 64, 0, 0);
    t = make_texture(of_array(a), d);
    float4 *colors = managed<float4>(64);
    read_elements<float4><<<1, 64>>>(t, colors, 64);
    MUST(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < 256; i++) {
        double c = i / 255.0, linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        good &= fabs(((float *)colors)[i] - (i % 4 == 3 ? c : linear)) <= 0x1p-8;
    }
    ok(good, "sRGB colours become linear ones, alpha stays");
    ok(((float *)colors)[1] == 0x1.4p-12f && ((float *)colors)[34] == 0x1.06p-6f, "with the steps of hardware");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(colors));
    MUST(cudaFree(out));
}

// ---- borders of formats ----

template <class T> __global__ void read_outside(cudaTextureObject_t t, T *out)
{
    *out = tex1D<T>(t, -1.5f);
}

template <class S, class T> static T border_of(float color)
{
    S data[4] = {};
    cudaTextureDesc d = {};
    d.addressMode[0] = cudaAddressModeBorder;
    for (int i = 0; i < 4; i++)
        d.borderColor[i] = color + i;
    d.readMode = sizeof(T) == sizeof(float4) && sizeof(S) == 4 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaArray_t a = make_array(data, 4, 0, 0);
    cudaTextureObject_t t = make_texture(of_array(a), d);
    T *out = managed<T>(1);
    read_outside<T><<<1, 1>>>(t, out);
    MUST(cudaDeviceSynchronize());
    T result = *out;
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(out));
    return result;
}

static void test_borders()
{
    float2 pair = border_of<float2, float2>(3.5f);
    ok(pair.x == 3.5f && pair.y == 4.5f, "the border's colour of a texture of two floats");
    unsigned char byte = border_of<unsigned char, unsigned char>(77.6f);
    ok(byte == 0x33, "of an integer texture the lowest bits of the colour count");
}

// ---- linear memory and memory with a pitch ----

__global__ void fetch(cudaTextureObject_t t, const int *i, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, i[threadIdx.x]);
}

static void test_memory()
{
    float h[1024];
    for (int i = 0; i < 1024; i++)
        h[i] = (float)i + 1;
    float *memory;
    size_t pitch;
    MUST(cudaMalloc(&memory, sizeof h));
    MUST(cudaMemcpy(memory, h, sizeof h, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 22; /* five elements and a half */
    cudaTextureObject_t t = make_texture(r, cudaTextureDesc());
    int *i = managed<int>(8);
    float *out = managed<float>(8);
    const int at[8] = {0, 4, 5, 6, -1, 1000000, 3, 1 << 30};
    const float wanted[8] = {1, 5, 0, 0, 0, 0, 4, 0};
    memcpy(i, at, sizeof at);
    fetch<<<1, 8>>>(t, i, out);
    MUST(cudaDeviceSynchronize());
    ok(memcmp(out, wanted, sizeof wanted) == 0, "tex1Dfetch of linear memory, 0 outside");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(memory));

    MUST(cudaMallocPitch(&memory, &pitch, 16 * sizeof(float), 8));
    MUST(cudaMemcpy2D(memory, pitch, h, 16 * sizeof(float), 16 * sizeof(float), 8, cudaMemcpyHostToDevice));
    r = cudaResourceDesc();
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = pitch;
    int n[3] = {16, 8, 1};
    for (int k = 0; k < 4; k++) {
        cudaTextureDesc d = {};
        d.normalizedCoords = k & 1;
        d.filterMode = (cudaTextureFilterMode)(k >> 1);
        d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
        t = make_texture(r, d);
        std::vector<float> x = make_points(n, d.normalizedCoords, 200);
        ok(compare(t, h, n, 2, d, x.data(), 200), "a texture of memory with a pitch");
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFree(memory));
    MUST(cudaFree(i));
    MUST(cudaFree(out));
}

// ---- layers, cubemaps, gathers, levels ----

__global__ void read_layers(cudaTextureObject_t one, cudaTextureObject_t two, float *out)
{
    int layer = threadIdx.x - 1; /* -1 to 6 */
    out[threadIdx.x] = tex1DLayered<float>(one, 1.75f, layer);
    out[8 + threadIdx.x] = tex2DLayered<float>(two, 1.5f, 2.5f, layer);
    out[16 + threadIdx.x] = tex2DLayeredLod<float>(two, 1.5f, 2.5f, layer, 0);
    out[24 + threadIdx.x] = tex1DLayeredGrad<float>(one, 1.75f, layer, 0.1f, 0.1f);
}

static void test_layers()
{
    float h[60];
    for (int i = 0; i < 60; i++)
        h[i] = (float)i;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaArray_t two = make_array(h, 4, 3, 5, cudaArrayLayered), one = make_array(h, 4, 0, 5, cudaArrayLayered);
    cudaTextureObject_t t2 = make_texture(of_array(two), d);
    d.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t1 = make_texture(of_array(one), d);
    float *out = managed<float>(32);
    read_layers<<<1, 8>>>(t1, t2, out);
    MUST(cudaDeviceSynchronize());
    bool good = true;
    for (int i = 0; i < 8; i++) {
        int layer = i == 0 || i > 5 ? 4 : i - 1; /* too high, also as unsigned: the last one */
        good &= out[i] == layer * 4 + 1.25f && out[24 + i] == out[i];
        good &= out[8 + i] == layer * 12 + 9 && out[16 + i] == out[8 + i];
    }
    ok(good, "layered textures; a layer that is too high is the last");
    MUST(cudaDestroyTextureObject(t1));
    MUST(cudaDestroyTextureObject(t2));
    MUST(cudaFreeArray(one));
    MUST(cudaFreeArray(two));
    MUST(cudaFree(out));
}

__global__ void read_cube(cudaTextureObject_t t, cudaTextureObject_t layered, const float *x, float *out)
{
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    out[128 + i] = texCubemapLayered<float>(layered, x[3 * i], x[3 * i + 1], x[3 * i + 2], 1);
    out[256 + i] = texCubemapLod<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2], 0);
}

// The table of the guide: major axis, face, s and t. Filters stay within a face.
static double cube_reference(const float *h, int n, const float *x, const cudaTextureDesc &d)
{
    float a[3] = {fabsf(x[0]), fabsf(x[1]), fabsf(x[2])};
    int axis = a[2] >= a[0] && a[2] >= a[1] ? 2 : a[1] >= a[0] ? 1 : 0, negative = x[axis] < 0;
    const float s[6] = {-x[2], x[2], x[0], x[0], x[0], -x[0]}, t[6] = {-x[1], -x[1], x[2], -x[2], -x[1], -x[1]};
    int face = 2 * axis + negative, size[3] = {n, n, 1};
    float at[2] = {(s[face] / a[axis] + 1) / 2, (t[face] / a[axis] + 1) / 2};
    return reference(h + face * n * n, size, 2, at, d);
}

static void test_cubes()
{
    const int n = 8;
    std::vector<float> h(12 * n * n);
    for (float &v : h)
        v = (float)random_below(1000);
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureDesc d = {};
        d.normalizedCoords = 1;
        d.filterMode = (cudaTextureFilterMode)linear;
        d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
        cudaArray_t a = make_array(h.data(), n, n, 6, cudaArrayCubemap);
        cudaArray_t b = make_array(h.data(), n, n, 12, cudaArrayCubemap | cudaArrayLayered);
        cudaTextureObject_t ta = make_texture(of_array(a), d), tb = make_texture(of_array(b), d);
        float *x = managed<float>(3 * 128), *out = managed<float>(3 * 128);
        for (int i = 0; i < 3 * 128; i++)
            x[i] = (float)(random_below(2000) - 1000) / 128 + 1 / 1024.0f;
        read_cube<<<1, 128>>>(ta, tb, x, out);
        MUST(cudaDeviceSynchronize());
        bool good = true;
        for (int i = 0; i < 128; i++) {
            double one = cube_reference(h.data(), n, x + 3 * i, d);
            double two = cube_reference(h.data() + 6 * n * n, n, x + 3 * i, d);
            double most = linear ? 12 : 0; /* a weight's last step may fall on either side */
            bool fits = fabs(out[i] - one) <= most && fabs(out[128 + i] - two) <= most && out[256 + i] == out[i];
            if (!fits)
                printf("# (%g %g %g): wanted %g %g, got %g %g\n", x[3 * i], x[3 * i + 1], x[3 * i + 2], one, two, out[i],
                       out[128 + i]);
            good &= fits;
        }
        ok(good, linear ? "cubemaps, linear" : "cubemaps, point");
        MUST(cudaDestroyTextureObject(ta));
        MUST(cudaDestroyTextureObject(tb));
        MUST(cudaFreeArray(a));
        MUST(cudaFreeArray(b));
        MUST(cudaFree(x));
        MUST(cudaFree(out));
    }
}

__global__ void gather(cudaTextureObject_t t, float x, float y, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, x, y, 0);
    out[1] = tex2Dgather<float4>(t, x, y, 1);
    out[2] = tex2Dgather<float4>(t, x, y, 2);
    out[3] = tex2Dgather<float4>(t, x, y, 3);
}

static void test_gather()
{
    float4 h[32];
    for (int i = 0; i < 32; i++)
        h[i] = make_float4((float)i, 100.0f + i, 200.0f + i, 300.0f + i);
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaArray_t a = make_array(h, 8, 4, 0, cudaArrayTextureGather);
    cudaTextureObject_t t = make_texture(of_array(a), d);
    float4 *out = managed<float4>(4);
    const float at[][2] = {{2, 2}, {2.5f, 2.5f}, {2.4f, 2.6f}, {0, 0}, {7.9f, 3.9f}, {-3, 1}};
    const float wanted[][4] = {{17, 18, 10, 9}, {26, 27, 19, 18}, {25, 26, 18, 17},
                               {0, 0, 0, 0},    {31, 31, 31, 31}, {8, 8, 0, 0}};
    bool good = true;
    for (int i = 0; i < 6; i++) {
        gather<<<1, 1>>>(t, at[i][0], at[i][1], out);
        MUST(cudaDeviceSynchronize());
        for (int c = 0; c < 16; c++)
            good &= ((float *)out)[c] == wanted[i][c % 4] + 100 * (c / 4);
    }
    ok(good, "tex2Dgather of each channel");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(out));
}

__global__ void read_levels(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, float *out)
{
    float x = 1.25f, y = 2.5f, z = 0.75f;
    out[0] = tex1D<float>(t1, x) - tex1DLod<float>(t1, x, 3);
    out[1] = tex2D<float>(t2, x, y) - tex2DLod<float>(t2, x, y, 2);
    out[2] = tex3D<float>(t3, x, y, z) - tex3DLod<float>(t3, x, y, z, 1);
    out[3] = tex1D<float>(t1, x) - tex1DGrad<float>(t1, x, 0.1f, 0.1f);
    out[4] = tex2D<float>(t2, x, y) - tex2DGrad<float>(t2, x, y, make_float2(1, 0), make_float2(0, 1));
    out[5] = tex3D<float>(t3, x, y, z) - tex3DGrad<float>(t3, x, y, z, make_float4(1, 0, 0, 0), make_float4(0, 1, 0, 0));
    bool there = false;
    out[6] = tex2D<float>(t2, x, y, &there) - tex2D<float>(t2, x, y);
    out[7] = there ? 0 : 1;
    unsigned w, h, d;
    asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t3));
    asm("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(t3));
    asm("txq.depth.b32 %0, [%1];" : "=r"(d) : "l"(t3));
    out[8] = w == 4 && h == 8 && d == 2 ? 0 : 1;
}

static void test_levels()
{
    float h[64];
    for (float &v : h)
        v = (float)random_below(1000);
    cudaTextureDesc d = {};
    d.filterMode = cudaFilterModeLinear;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    cudaArray_t a[3] = {make_array(h, 8, 0, 0), make_array(h, 8, 8, 0), make_array(h, 4, 8, 2)};
    cudaTextureObject_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = make_texture(of_array(a[i]), d);
    float *out = managed<float>(9), zeros[9] = {};
    memset(out, 1, sizeof zeros);
    read_levels<<<1, 1>>>(t[0], t[1], t[2], out);
    MUST(cudaDeviceSynchronize());
    ok(memcmp(out, zeros, sizeof zeros) == 0, "levels, gradients, residency and sizes of textures without mipmaps");
    for (int i = 0; i < 3; i++) {
        MUST(cudaDestroyTextureObject(t[i]));
        MUST(cudaFreeArray(a[i]));
    }
    MUST(cudaFree(out));
}

#include "textures_arrays.cuh"

int main()
{
    test_filters();
    test_weights();
    test_formats();
    test_reads();
    test_borders();
    test_memory();
    test_layers();
    test_cubes();
    test_gather();
    test_levels();
    test_surfaces();
    test_copies();
    test_errors();
    printf("1..%d\n", n_tests);
    return n_bad > 0;
}
