// expect: memory-limit
// Page after page of zeros, which cost nothing but the tables that lead to them.
#include "vector_add.h"
#include <sys/mman.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    const size_t bytes = (size_t)400000 << 21;
    volatile char *p = (volatile char *)mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise((void *)p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; p != MAP_FAILED && i < bytes; i += 2 << 20)
        if (madvise((void *)(p + i), 4096, 22) != 0) // MADV_POPULATE_READ: as reading it, without a fault, which some machines take long for
            (void)p[i];
    sleep(1);
    return 0;
}
