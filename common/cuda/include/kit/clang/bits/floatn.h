/* The C library's; for clang 17 and 18 what it says where there are no numbers of 128 bits: their device pass refuses all of them. */
#if defined(__CUDA_ARCH__) && (__clang_major__ == 17 || __clang_major__ == 18)
#ifndef _BITS_FLOATN_H
#define _BITS_FLOATN_H
#include <features.h>
#define __HAVE_FLOAT128 0
#define __HAVE_DISTINCT_FLOAT128 0
#define __HAVE_FLOAT64X 1
#define __HAVE_FLOAT64X_LONG_DOUBLE 1
#include <bits/floatn-common.h>
#endif
#else
#include_next <bits/floatn.h>
#endif
