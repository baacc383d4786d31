/* Texture and surface objects in device code (CUDA C++ Programming Guide, "Texture Object API", "Surface Object API"; PTX ISA 9.7.10, 9.7.11):
 * one instruction each. T is char, short, int, their unsigned forms or float, alone or as a vector of 1, 2 or 4; a texture that gives
 * normalized floats is read as float. */
#ifndef KIT_TEXTURE_H
#define KIT_TEXTURE_H

#define KIT_DEVICE static __device__ inline __attribute__((always_inline))

/* ---- four components as a T ---- */

template <class T> struct kit_texel;
#define KIT_TEXEL(T, wide, value)                                                                            \
    template <> struct kit_texel<T> {                                                                        \
        typedef wide kind;                                                                                   \
        static __device__ inline T of(wide x, wide y, wide z, wide w)                                        \
        {                                                                                                    \
            (void)x, (void)y, (void)z, (void)w;                                                              \
            return value;                                                                                    \
        }                                                                                                    \
    };
#define KIT_TEXELS(T, name, wide)                                                                            \
    KIT_TEXEL(T, wide, (T)x)                                                                                 \
    KIT_TEXEL(name##1, wide, (make_##name##1((T)x)))                                                         \
    KIT_TEXEL(name##2, wide, (make_##name##2((T)x, (T)y)))                                                   \
    KIT_TEXEL(name##4, wide, (make_##name##4((T)x, (T)y, (T)z, (T)w)))
KIT_TEXEL(char, int, (char)x)
KIT_TEXELS(signed char, char, int)
KIT_TEXELS(unsigned char, uchar, unsigned int)
KIT_TEXELS(short, short, int)
KIT_TEXELS(unsigned short, ushort, unsigned int)
KIT_TEXELS(int, int, int)
KIT_TEXELS(unsigned int, uint, unsigned int)
KIT_TEXELS(float, float, float)
#undef KIT_TEXELS
#undef KIT_TEXEL

/* ---- textures ---- */

#define KIT_LIST(...) __VA_ARGS__
/* The instruction for each kind of component; then a function for every T, by value and, as older code has it, by pointer. */
#define KIT_TEXTURE_KIND(name, form, kind, type, letter, parameters, places, operands)                       \
    KIT_DEVICE void kit_##name(kind (&v)[4], cudaTextureObject_t object, KIT_LIST parameters)                \
    {                                                                                                        \
        asm volatile(form(type) " {%0, %1, %2, %3}, [%4, " places ";"                                        \
                     : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])                \
                     : "l"(object), KIT_LIST operands);                                                      \
    }
#define KIT_TEXTURE(name, form, parameters, places, operands, arguments)                                     \
    KIT_TEXTURE_KIND(name, form, float, "f32", "f", parameters, places, operands)                            \
    KIT_TEXTURE_KIND(name, form, int, "s32", "r", parameters, places, operands)                              \
    KIT_TEXTURE_KIND(name, form, unsigned int, "u32", "r", parameters, places, operands)                     \
    template <class T> KIT_DEVICE T name(cudaTextureObject_t object, KIT_LIST parameters)                    \
    {                                                                                                        \
        typename kit_texel<T>::kind v[4];                                                                    \
        kit_##name(v, object, KIT_LIST arguments);                                                           \
        return kit_texel<T>::of(v[0], v[1], v[2], v[3]);                                                     \
    }                                                                                                        \
    template <class T> KIT_DEVICE void name(T *out, cudaTextureObject_t object, KIT_LIST parameters)         \
    {                                                                                                        \
        *out = name<T>(object, KIT_LIST arguments);                                                          \
    }
#define KIT_FETCH_1D(type) "tex.1d.v4." type ".s32"
#define KIT_TEX_1D(type) "tex.1d.v4." type ".f32"
#define KIT_TEX_2D(type) "tex.2d.v4." type ".f32"
#define KIT_TEX_3D(type) "tex.3d.v4." type ".f32"
#define KIT_TEX_A1D(type) "tex.a1d.v4." type ".f32"
#define KIT_TEX_A2D(type) "tex.a2d.v4." type ".f32"
#define KIT_TEX_CUBE(type) "tex.cube.v4." type ".f32"
#define KIT_TEX_ACUBE(type) "tex.acube.v4." type ".f32"
KIT_TEXTURE(tex1Dfetch, KIT_FETCH_1D, (int x), "{%5}]", ("r"(x)), (x))
KIT_TEXTURE(tex1D, KIT_TEX_1D, (float x), "{%5}]", ("f"(x)), (x))
KIT_TEXTURE(tex2D, KIT_TEX_2D, (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), (x, y))
KIT_TEXTURE(tex3D, KIT_TEX_3D, (float x, float y, float z), "{%5, %6, %7, %7}]", ("f"(x), "f"(y), "f"(z)), (x, y, z))
KIT_TEXTURE(tex1DLayered, KIT_TEX_A1D, (float x, int layer), "{%5, %6}]", ("r"(layer), "f"(x)), (x, layer))
KIT_TEXTURE(tex2DLayered, KIT_TEX_A2D, (float x, float y, int layer), "{%5, %6, %7, %7}]", ("r"(layer), "f"(x), "f"(y)), (x, y, layer))
KIT_TEXTURE(texCubemap, KIT_TEX_CUBE, (float x, float y, float z), "{%5, %6, %7, %7}]", ("f"(x), "f"(y), "f"(z)), (x, y, z))
KIT_TEXTURE(texCubemapLayered, KIT_TEX_ACUBE, (float x, float y, float z, int layer), "{%5, %6, %7, %8}]", ("r"(layer), "f"(x), "f"(y), "f"(z)), (x, y, z, layer))

/* Whether what was read is resident: arrays of the virtual GPU are never sparse. */
template <class T> KIT_DEVICE T tex2D(cudaTextureObject_t object, float x, float y, bool *resident) { return *resident = true, tex2D<T>(object, x, y); }
template <class T> KIT_DEVICE T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer, bool *resident)
{
    return *resident = true, tex2DLayered<T>(object, x, y, layer);
}
template <class T> KIT_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z, bool *resident)
{
    return *resident = true, tex3D<T>(object, x, y, z);
}

#define KIT_LEVEL_1D(type) "tex.level.1d.v4." type ".f32"
#define KIT_LEVEL_2D(type) "tex.level.2d.v4." type ".f32"
#define KIT_LEVEL_3D(type) "tex.level.3d.v4." type ".f32"
#define KIT_LEVEL_A1D(type) "tex.level.a1d.v4." type ".f32"
#define KIT_LEVEL_A2D(type) "tex.level.a2d.v4." type ".f32"
KIT_TEXTURE(tex1DLod, KIT_LEVEL_1D, (float x, float level), "{%5}], %6", ("f"(x), "f"(level)), (x, level))
KIT_TEXTURE(tex2DLod, KIT_LEVEL_2D, (float x, float y, float level), "{%5, %6}], %7", ("f"(x), "f"(y), "f"(level)), (x, y, level))
KIT_TEXTURE(tex3DLod, KIT_LEVEL_3D, (float x, float y, float z, float level), "{%5, %6, %7, %7}], %8", ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
KIT_TEXTURE(tex1DLayeredLod, KIT_LEVEL_A1D, (float x, int layer, float level), "{%5, %6}], %7", ("r"(layer), "f"(x), "f"(level)), (x, layer, level))
KIT_TEXTURE(tex2DLayeredLod, KIT_LEVEL_A2D, (float x, float y, int layer, float level), "{%5, %6, %7, %7}], %8",
            ("r"(layer), "f"(x), "f"(y), "f"(level)), (x, y, layer, level))
#define KIT_LEVEL_CUBE(type) "tex.level.cube.v4." type ".f32"
#define KIT_LEVEL_ACUBE(type) "tex.level.acube.v4." type ".f32"
KIT_TEXTURE(texCubemapLod, KIT_LEVEL_CUBE, (float x, float y, float z, float level), "{%5, %6, %7, %7}], %8", ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
KIT_TEXTURE(texCubemapLayeredLod, KIT_LEVEL_ACUBE, (float x, float y, float z, int layer, float level), "{%5, %6, %7, %8}], %9",
            ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, layer, level))

#define KIT_GRAD_1D(type) "tex.grad.1d.v4." type ".f32"
#define KIT_GRAD_2D(type) "tex.grad.2d.v4." type ".f32"
#define KIT_GRAD_3D(type) "tex.grad.3d.v4." type ".f32"
#define KIT_GRAD_A1D(type) "tex.grad.a1d.v4." type ".f32"
#define KIT_GRAD_A2D(type) "tex.grad.a2d.v4." type ".f32"
KIT_TEXTURE(tex1DGrad, KIT_GRAD_1D, (float x, float dx, float dy), "{%5}], {%6}, {%7}", ("f"(x), "f"(dx), "f"(dy)), (x, dx, dy))
KIT_TEXTURE(tex2DGrad, KIT_GRAD_2D, (float x, float y, float2 dx, float2 dy), "{%5, %6}], {%7, %8}, {%9, %10}",
            ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)), (x, y, dx, dy))
KIT_TEXTURE(tex3DGrad, KIT_GRAD_3D, (float x, float y, float z, float4 dx, float4 dy), "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
            ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)), (x, y, z, dx, dy))
KIT_TEXTURE(tex1DLayeredGrad, KIT_GRAD_A1D, (float x, int layer, float dx, float dy), "{%5, %6}], {%7}, {%8}",
            ("r"(layer), "f"(x), "f"(dx), "f"(dy)), (x, layer, dx, dy))
KIT_TEXTURE(tex2DLayeredGrad, KIT_GRAD_A2D, (float x, float y, int layer, float2 dx, float2 dy), "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
            ("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)), (x, y, layer, dx, dy))

/* One component of four texels. */
#define KIT_GATHER_R(type) "tld4.r.2d.v4." type ".f32"
#define KIT_GATHER_G(type) "tld4.g.2d.v4." type ".f32"
#define KIT_GATHER_B(type) "tld4.b.2d.v4." type ".f32"
#define KIT_GATHER_A(type) "tld4.a.2d.v4." type ".f32"
KIT_TEXTURE(kit_gather_r, KIT_GATHER_R, (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), (x, y))
KIT_TEXTURE(kit_gather_g, KIT_GATHER_G, (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), (x, y))
KIT_TEXTURE(kit_gather_b, KIT_GATHER_B, (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), (x, y))
KIT_TEXTURE(kit_gather_a, KIT_GATHER_A, (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), (x, y))
template <class T> KIT_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0)
{
    switch (component) {
    case 1: return kit_gather_g<T>(object, x, y);
    case 2: return kit_gather_b<T>(object, x, y);
    case 3: return kit_gather_a<T>(object, x, y);
    default: return kit_gather_r<T>(object, x, y);
    }
}
template <class T> KIT_DEVICE void tex2Dgather(T *out, cudaTextureObject_t object, float x, float y, int component = 0)
{
    *out = tex2Dgather<T>(object, x, y, component);
}
#undef KIT_TEXTURE
#undef KIT_TEXTURE_KIND
#undef KIT_FETCH_1D
#undef KIT_TEX_1D
#undef KIT_TEX_2D
#undef KIT_TEX_3D
#undef KIT_TEX_A1D
#undef KIT_TEX_A2D
#undef KIT_TEX_CUBE
#undef KIT_TEX_ACUBE
#undef KIT_LEVEL_1D
#undef KIT_LEVEL_2D
#undef KIT_LEVEL_3D
#undef KIT_LEVEL_A1D
#undef KIT_LEVEL_A2D
#undef KIT_LEVEL_CUBE
#undef KIT_LEVEL_ACUBE
#undef KIT_GRAD_1D
#undef KIT_GRAD_2D
#undef KIT_GRAD_3D
#undef KIT_GRAD_A1D
#undef KIT_GRAD_A2D
#undef KIT_GATHER_R
#undef KIT_GATHER_G
#undef KIT_GATHER_B
#undef KIT_GATHER_A

/* ---- surfaces: x counts bytes; the bytes of a T are moved as they are ---- */

/* The words of a T of 1, 2, 4, 8 or 16 bytes. */
template <int bytes> struct kit_surface;
#define KIT_SURFACE_FORM(bytes, Word, n, form, outs, ins, list)                                              \
    template <> struct kit_surface<bytes> {                                                                  \
        Word v[n];                                                                                           \
        KIT_SURFACE_MODE(trap, cudaBoundaryModeTrap, form, outs, ins, list)                                  \
        KIT_SURFACE_MODE(clamp, cudaBoundaryModeClamp, form, outs, ins, list)                                \
        KIT_SURFACE_MODE(zero, cudaBoundaryModeZero, form, outs, ins, list)                                  \
    };
#define KIT_SURFACE_MODE(mode, number, form, outs, ins, list)                                                \
    KIT_SURFACE_SHAPE(1, "1d", mode, form, outs, ins, list, "{%[x]}")                                        \
    KIT_SURFACE_SHAPE(2, "2d", mode, form, outs, ins, list, "{%[x], %[y]}")                                  \
    KIT_SURFACE_SHAPE(3, "3d", mode, form, outs, ins, list, "{%[x], %[y], %[z], %[z]}")                      \
    KIT_SURFACE_SHAPE(4, "a1d", mode, form, outs, ins, list, "{%[z], %[x]}")                                 \
    KIT_SURFACE_SHAPE(5, "a2d", mode, form, outs, ins, list, "{%[z], %[x], %[y], %[y]}")
#define KIT_SURFACE_SHAPE(shape, ptx, mode, form, outs, ins, list, places)                                   \
    __device__ inline void load_##mode##_##shape(cudaSurfaceObject_t s, int x, int y, int z)                 \
    {                                                                                                        \
        asm volatile("suld.b." ptx "." form "." #mode " " list ", [%[s], " places "];"                       \
                     : KIT_LIST outs                                                                         \
                     : [s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)                                        \
                     : "memory");                                                                            \
    }                                                                                                        \
    __device__ inline void store_##mode##_##shape(cudaSurfaceObject_t s, int x, int y, int z) const          \
    {                                                                                                        \
        asm volatile("sust.b." ptx "." form "." #mode " [%[s], " places "], " list ";" ::KIT_LIST ins,       \
                     [s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)                                          \
                     : "memory");                                                                            \
    }
KIT_SURFACE_FORM(1, unsigned short, 1, "b8", ([a] "=h"(v[0])), ([a] "h"(v[0])), "%[a]")
KIT_SURFACE_FORM(2, unsigned short, 1, "b16", ([a] "=h"(v[0])), ([a] "h"(v[0])), "%[a]")
KIT_SURFACE_FORM(4, unsigned int, 1, "b32", ([a] "=r"(v[0])), ([a] "r"(v[0])), "%[a]")
KIT_SURFACE_FORM(8, unsigned int, 2, "v2.b32", ([a] "=r"(v[0]), [b] "=r"(v[1])), ([a] "r"(v[0]), [b] "r"(v[1])), "{%[a], %[b]}")
KIT_SURFACE_FORM(16, unsigned int, 4, "v4.b32", ([a] "=r"(v[0]), [b] "=r"(v[1]), [c] "=r"(v[2]), [d] "=r"(v[3])),
                 ([a] "r"(v[0]), [b] "r"(v[1]), [c] "r"(v[2]), [d] "r"(v[3])), "{%[a], %[b], %[c], %[d]}")
#undef KIT_SURFACE_FORM
#undef KIT_SURFACE_MODE
#undef KIT_SURFACE_SHAPE

#define KIT_SURFACE(name, shape, parameters, arguments, given)                                               \
    template <class T>                                                                                       \
    KIT_DEVICE T name##read(cudaSurfaceObject_t s, KIT_LIST parameters,                                      \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                             \
    {                                                                                                        \
        kit_surface<(int)sizeof(T)> words;                                                                   \
        T value;                                                                                             \
        if (mode == cudaBoundaryModeTrap)                                                                    \
            words.load_trap_##shape(s, KIT_LIST arguments);                                                  \
        else if (mode == cudaBoundaryModeClamp)                                                              \
            words.load_clamp_##shape(s, KIT_LIST arguments);                                                 \
        else                                                                                                 \
            words.load_zero_##shape(s, KIT_LIST arguments);                                                  \
        __builtin_memcpy(&value, &words, sizeof value);                                                      \
        return value;                                                                                        \
    }                                                                                                        \
    template <class T>                                                                                       \
    KIT_DEVICE void name##read(T *out, cudaSurfaceObject_t s, KIT_LIST parameters,                           \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                          \
    {                                                                                                        \
        *out = name##read<T>(s, KIT_LIST given, mode);                                                       \
    }                                                                                                        \
    template <class T>                                                                                       \
    KIT_DEVICE void name##write(T value, cudaSurfaceObject_t s, KIT_LIST parameters,                         \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                         \
    {                                                                                                        \
        kit_surface<(int)sizeof(T)> words = {};                                                              \
        __builtin_memcpy(&words, &value, sizeof value);                                                      \
        if (mode == cudaBoundaryModeTrap)                                                                    \
            words.store_trap_##shape(s, KIT_LIST arguments);                                                 \
        else if (mode == cudaBoundaryModeClamp)                                                              \
            words.store_clamp_##shape(s, KIT_LIST arguments);                                                \
        else                                                                                                 \
            words.store_zero_##shape(s, KIT_LIST arguments);                                                 \
    }
KIT_SURFACE(surf1D, 1, (int x), (x, 0, 0), (x))
KIT_SURFACE(surf2D, 2, (int x, int y), (x, y, 0), (x, y))
KIT_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z), (x, y, z))
KIT_SURFACE(surf1DLayered, 4, (int x, int layer), (x, 0, layer), (x, layer))
KIT_SURFACE(surf2DLayered, 5, (int x, int y, int layer), (x, y, layer), (x, y, layer))
KIT_SURFACE(surfCubemap, 5, (int x, int y, int face), (x, y, face), (x, y, face))
KIT_SURFACE(surfCubemapLayered, 5, (int x, int y, int layer_and_face), (x, y, layer_and_face), (x, y, layer_and_face))
#undef KIT_SURFACE
#undef KIT_LIST
#undef KIT_DEVICE

#endif
