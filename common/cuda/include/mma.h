/* Matrices of a warp (CUDA C++ Programming Guide, "Warp Matrix Functions"): fragments of halves with sums in
 * half or float, of the three shapes that compute_75 has. */
#ifndef KIT_MMA_H
#define KIT_MMA_H

#include "cuda_fp16.h"

#if defined(__CUDA__)

namespace nvcuda
{
namespace wmma
{

struct row_major {
};
struct col_major {
};
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
enum layout_t { mem_row_major, mem_col_major };

template <class T, int count> struct kit_fragment {
    enum { num_elements = count };
    T x[count];
};

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

#define KIT_DEVICE static __device__ inline __attribute__((always_inline, nodebug))

/* The number of a layout in clang's builtins. */
template <class Layout> struct kit_layout;
template <> struct kit_layout<row_major> {
    enum { number = 0 };
};
template <> struct kit_layout<col_major> {
    enum { number = 1 };
};

/* One shape. Halves are moved in pairs, as ints. */
#define KIT_WMMA(M, N, K)                                                                                    \
    template <class L> class fragment<matrix_a, M, N, K, __half, L> : public kit_fragment<__half, 16>        \
    {                                                                                                        \
    };                                                                                                       \
    template <class L> class fragment<matrix_b, M, N, K, __half, L> : public kit_fragment<__half, 16>        \
    {                                                                                                        \
    };                                                                                                       \
    template <> class fragment<accumulator, M, N, K, __half> : public kit_fragment<__half, 8>                \
    {                                                                                                        \
    };                                                                                                       \
    template <> class fragment<accumulator, M, N, K, float> : public kit_fragment<float, 8>                  \
    {                                                                                                        \
    };                                                                                                       \
    template <class L>                                                                                       \
    KIT_DEVICE void load_matrix_sync(fragment<matrix_a, M, N, K, __half, L> &f, const __half *p, unsigned ldm) \
    {                                                                                                        \
        if (kit_layout<L>::number)                                                                           \
            __hmma_m##M##n##N##k##K##_ld_a((int *)&f, (const int *)p, ldm, 1);                               \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_ld_a((int *)&f, (const int *)p, ldm, 0);                               \
    }                                                                                                        \
    template <class L>                                                                                       \
    KIT_DEVICE void load_matrix_sync(fragment<matrix_b, M, N, K, __half, L> &f, const __half *p, unsigned ldm) \
    {                                                                                                        \
        if (kit_layout<L>::number)                                                                           \
            __hmma_m##M##n##N##k##K##_ld_b((int *)&f, (const int *)p, ldm, 1);                               \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_ld_b((int *)&f, (const int *)p, ldm, 0);                               \
    }                                                                                                        \
    KIT_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, float> &f, const float *p, unsigned ldm, \
                                     layout_t layout)                                                        \
    {                                                                                                        \
        if (layout == mem_row_major)                                                                         \
            __hmma_m##M##n##N##k##K##_ld_c_f32((float *)&f, p, ldm, 0);                                      \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_ld_c_f32((float *)&f, p, ldm, 1);                                      \
    }                                                                                                        \
    KIT_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, __half> &f, const __half *p, unsigned ldm, \
                                     layout_t layout)                                                        \
    {                                                                                                        \
        if (layout == mem_row_major)                                                                         \
            __hmma_m##M##n##N##k##K##_ld_c_f16((int *)&f, (const int *)p, ldm, 0);                           \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_ld_c_f16((int *)&f, (const int *)p, ldm, 1);                           \
    }                                                                                                        \
    KIT_DEVICE void store_matrix_sync(float *p, const fragment<accumulator, M, N, K, float> &f, unsigned ldm, \
                                      layout_t layout)                                                       \
    {                                                                                                        \
        if (layout == mem_row_major)                                                                         \
            __hmma_m##M##n##N##k##K##_st_c_f32(p, (float *)&f, ldm, 0);                                \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_st_c_f32(p, (float *)&f, ldm, 1);                                \
    }                                                                                                        \
    KIT_DEVICE void store_matrix_sync(__half *p, const fragment<accumulator, M, N, K, __half> &f, unsigned ldm, \
                                      layout_t layout)                                                       \
    {                                                                                                        \
        if (layout == mem_row_major)                                                                         \
            __hmma_m##M##n##N##k##K##_st_c_f16((int *)p, (int *)&f, ldm, 0);                           \
        else                                                                                                 \
            __hmma_m##M##n##N##k##K##_st_c_f16((int *)p, (int *)&f, ldm, 1);                           \
    }                                                                                                        \
    KIT_WMMA_SUM(M, N, K, float, float, f32f32, float, float)                                                \
    KIT_WMMA_SUM(M, N, K, __half, __half, f16f16, int, int)                                                  \
    KIT_WMMA_SUM(M, N, K, float, __half, f32f16, float, int)                                                 \
    KIT_WMMA_SUM(M, N, K, __half, float, f16f32, int, float)

#define KIT_WMMA_SUM(M, N, K, D, C, types, d_as, c_as)                                                       \
    template <class LA, class LB>                                                                            \
    KIT_DEVICE void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, __half, LA> &a, \
                             const fragment<matrix_b, M, N, K, __half, LB> &b,                               \
                             const fragment<accumulator, M, N, K, C> &c)                                     \
    {                                                                                                        \
        const int layouts = 2 * kit_layout<LA>::number + kit_layout<LB>::number;                             \
        if (layouts == 0)                                                                                    \
            KIT_WMMA_CALL(M, N, K, types, d_as, c_as, 0);                                                    \
        else if (layouts == 1)                                                                               \
            KIT_WMMA_CALL(M, N, K, types, d_as, c_as, 1);                                                    \
        else if (layouts == 2)                                                                               \
            KIT_WMMA_CALL(M, N, K, types, d_as, c_as, 2);                                                    \
        else                                                                                                 \
            KIT_WMMA_CALL(M, N, K, types, d_as, c_as, 3);                                                    \
    }
#define KIT_WMMA_CALL(M, N, K, types, d_as, c_as, layouts)                                                   \
    __hmma_m##M##n##N##k##K##_mma_##types((d_as *)&d, (const int *)&a, (const int *)&b, (const c_as *)&c, layouts, 0)

KIT_WMMA(16, 16, 16)
KIT_WMMA(32, 8, 16)
KIT_WMMA(8, 32, 16)
#undef KIT_WMMA
#undef KIT_WMMA_SUM
#undef KIT_WMMA_CALL

template <class Use, int m, int n, int k, class T, class L, class V>
KIT_DEVICE void fill_fragment(fragment<Use, m, n, k, T, L> &f, V value)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (T)value;
}
#undef KIT_DEVICE

} // namespace wmma
} // namespace nvcuda

#endif

#endif
