// expect: memory-limit
// Pinned memory that is filled and unmapped: its pages are in files that the device's server has.
#include "vector_add.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    const size_t bytes = 64 << 20;
    for (int i = 0; i < 16; i++) {
        void *p;
        if (cudaMallocHost(&p, bytes) != cudaSuccess)
            break;
        memset(p, 1, bytes);
        munmap(p, bytes);
    }
    sleep(1);
    return 0;
}
