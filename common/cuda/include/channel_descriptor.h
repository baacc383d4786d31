/* cudaCreateChannelDesc<T>() (CUDA Runtime API reference, "C++ API Routines"). */
#ifndef KIT_CHANNEL_DESCRIPTOR_H
#define KIT_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
/* Components of a type and their kind: none for those that a texture cannot have. */
template <class T> struct kit_channel {
    static constexpr int n = 0;
    typedef int element;
};
#define KIT_CHANNEL(type, count, of)                                                                         \
    template <> struct kit_channel<type> {                                                                   \
        static constexpr int n = count;                                                                      \
        typedef of element;                                                                                  \
    };
#define KIT_CHANNELS(name, of)                                                                               \
    KIT_CHANNEL(of, 1, of)                                                                                   \
    KIT_CHANNEL(name##1, 1, of)                                                                              \
    KIT_CHANNEL(name##2, 2, of)                                                                              \
    KIT_CHANNEL(name##4, 4, of)
KIT_CHANNEL(char, 1, signed char)
KIT_CHANNELS(char, signed char)
KIT_CHANNELS(uchar, unsigned char)
KIT_CHANNELS(short, short)
KIT_CHANNELS(ushort, unsigned short)
KIT_CHANNELS(int, int)
KIT_CHANNELS(uint, unsigned int)
KIT_CHANNELS(float, float)
#undef KIT_CHANNEL
#undef KIT_CHANNELS

template <class T> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    typedef typename kit_channel<T>::element E;
    const int n = kit_channel<T>::n, bits = (int)sizeof(E) * 8;
    const cudaChannelFormatKind kind = n == 0            ? cudaChannelFormatKindNone
                                       : E(0.5) != E(0)  ? cudaChannelFormatKindFloat
                                       : E(-1) < E(0)    ? cudaChannelFormatKindSigned
                                                         : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(n > 0 ? bits : 0, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind);
}

/* Components of 16 bits that are floats. */
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2(void) { return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat); }
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4(void) { return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat); }
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf(void) { return cudaCreateChannelDescHalf1(); }
#endif

#endif
