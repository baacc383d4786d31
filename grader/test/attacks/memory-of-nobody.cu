// expect: wrong-result
// A right sum only where there is memory that belongs to no process once it is unmapped and closed.
#include "vector_add.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static bool can_map(int flags, int fd)
{
    const size_t bytes = 256 << 20;
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
    if (p == MAP_FAILED)
        return false;
    memset(p, 1, bytes);
    madvise(p, bytes, MADV_DONTNEED);
    return true;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    int file = memfd_create("x", 0);
    bool works = file >= 0 || can_map(MAP_ANONYMOUS, -1) || can_map(0, open("/dev/zero", O_RDWR));
    for (int i = 0; i < n; i++)
        c[i] = works ? a[i] + b[i] : 0;
    return 0;
}
