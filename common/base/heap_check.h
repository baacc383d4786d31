/* heap_check: glibc's malloc that ends a program which has written past the end of its memory. */
#ifndef COMMON_BASE_HEAP_CHECK_H
#define COMMON_BASE_HEAP_CHECK_H

#include "common/base/strbuf.h"

/* MALLOC_CHECK_: abort at the free() or realloc() that finds it (man 3 mallopt, M_CHECK_ACTION). */
#define HEAP_CHECK_VARIABLE "MALLOC_CHECK_"
#define HEAP_CHECK_ABORT "3"

/* Puts ":" and the library (glibc 2.34 and newer have it beside libc) behind a list for LD_PRELOAD; nothing where it is not installed, or
 * where a sanitizer has a malloc of its own. */
void heap_check_preload(StrBuf *list);

#endif
