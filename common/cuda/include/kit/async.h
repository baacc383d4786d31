/* Copies from global to shared memory that threads do not wait for (PTX ISA 9.7.9.25, cp.async): from compute_80 on;
 * before it, and from or to other memory, the threads copy as they go. */
#ifndef KIT_ASYNC_H
#define KIT_ASYNC_H

#include "../cuda_runtime.h"

#if defined(__CUDA__)

#define KIT_DEVICE static __device__ inline __attribute__((always_inline, nodebug))

namespace cuda
{

/* A number of bytes, of memory with this alignment. */
template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    explicit __host__ __device__ constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};

/* 4, 8 or 16 bytes, of which those from `filled` on are 0. */
template <class Word> KIT_DEVICE void kit_copy_word(void *to, const void *from, size_t filled = sizeof(Word))
{
#if __CUDA_ARCH__ >= 800
    if (__isShared(to) && __isGlobal(from)) {
        unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
        size_t global = __cvta_generic_to_global(from);
        if (sizeof(Word) == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                         "r"((unsigned int)filled)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global),
                         "n"(sizeof(Word)), "r"((unsigned int)filled)
                         : "memory");
        return;
    }
#endif
    if (filled == sizeof(Word)) {
        *(Word *)to = *(const Word *)from;
        return;
    }
    for (size_t i = 0; i < sizeof(Word); i++)
        ((char *)to)[i] = i < filled ? ((const char *)from)[i] : 0;
}

template <class Word>
KIT_DEVICE void kit_copy_words(char *to, const char *from, size_t bytes, unsigned int rank, unsigned int n)
{
    for (size_t at = rank * sizeof(Word); at + sizeof(Word) <= bytes; at += n * sizeof(Word))
        kit_copy_word<Word>(to + at, from + at);
}

/* What thread `rank` of n copies. */
KIT_DEVICE void kit_copy(void *to, const void *from, size_t bytes, unsigned int rank, unsigned int n)
{
    size_t alignment = (size_t)to | (size_t)from | bytes;
    char *t = (char *)to;
    const char *f = (const char *)from;
    if (alignment % 16 == 0)
        kit_copy_words<int4>(t, f, bytes, rank, n);
    else if (alignment % 8 == 0)
        kit_copy_words<int2>(t, f, bytes, rank, n);
    else if (alignment % 4 == 0)
        kit_copy_words<int>(t, f, bytes, rank, n);
    else
        for (size_t at = rank; at < bytes; at += n)
            t[at] = f[at];
}

/* Ends a group of this thread's copies. */
KIT_DEVICE void kit_copy_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most N of them are under way. */
template <unsigned int N> KIT_DEVICE void kit_copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
KIT_DEVICE void kit_copy_wait(size_t n)
{
    switch (n) {
    case 0: return kit_copy_wait<0>();
    case 1: return kit_copy_wait<1>();
    case 2: return kit_copy_wait<2>();
    case 3: return kit_copy_wait<3>();
    case 4: return kit_copy_wait<4>();
    case 5: return kit_copy_wait<5>();
    case 6: return kit_copy_wait<6>();
    case 7: return kit_copy_wait<7>();
    default: return kit_copy_wait<8>();
    }
}

/* Arrives at the barrier in shared memory once this thread's copies until now are done; it expects that one more. */
KIT_DEVICE void kit_copy_arrive(unsigned long long *barrier)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(barrier))
                 : "memory");
#else
    (void)barrier;
#endif
}

} // namespace cuda

#undef KIT_DEVICE

#endif

#endif
