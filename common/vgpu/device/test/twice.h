/* twice: whether this machine maps shared pages a second time, as managed memory and mappings of physical memory need (device/host.c,
 * mem/map.c). qemu-user does not. */
#ifndef COMMON_VGPU_DEVICE_TEST_TWICE_H
#define COMMON_VGPU_DEVICE_TEST_TWICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

static inline bool maps_pages_twice(void)
{
    void *p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
         *q = mremap(p, 0, 1, MREMAP_MAYMOVE);
    return p != MAP_FAILED && q != MAP_FAILED && munmap(q, 1) == 0 && munmap(p, 1) == 0;
}

#endif
