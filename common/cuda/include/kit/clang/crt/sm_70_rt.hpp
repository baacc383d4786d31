/* Matching lanes of a warp (CUDA C++ Programming Guide, "Warp Match Functions"), for each size of a value.
 * clang's headers ask for a file of this name. */
#ifndef KIT_SM_70_RT_HPP
#define KIT_SM_70_RT_HPP

#define KIT_MATCH(T, bits, As)                                                                               \
    static __device__ inline unsigned int __match_any_sync(unsigned int mask, T value)                       \
    {                                                                                                        \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(As, value));                                \
    }                                                                                                        \
    static __device__ inline unsigned int __match_all_sync(unsigned int mask, T value, int *all)             \
    {                                                                                                        \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(As, value), all);                           \
    }
KIT_MATCH(int, 32, unsigned int)
KIT_MATCH(unsigned int, 32, unsigned int)
KIT_MATCH(float, 32, unsigned int)
KIT_MATCH(long, 64, unsigned long)
KIT_MATCH(unsigned long, 64, unsigned long)
KIT_MATCH(long long, 64, unsigned long)
KIT_MATCH(unsigned long long, 64, unsigned long)
KIT_MATCH(double, 64, unsigned long)
#undef KIT_MATCH

#endif
