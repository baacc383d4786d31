/* page: this machine's pages, and whether there is memory at an address of this process. */
#ifndef COMMON_BASE_PAGE_H
#define COMMON_BASE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* 4 KiB on x86-64; 4, 16 or 64 KiB on arm64, as its kernel was built. */
static inline uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Whether the page that holds addr is mapped, whatever may be done with it. msync() with MS_ASYNC does nothing but look;
 * mincore() would tell what is in the page cache, and is refused in the grader's sandbox. */
static inline bool page_is_mapped(uint64_t addr)
{
    uint64_t page = page_bytes();
    return addr < (uint64_t)1 << 47 && msync((void *)(uintptr_t)(addr / page * page), 1, MS_ASYNC) == 0;
}

#endif
