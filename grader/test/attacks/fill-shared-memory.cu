// expect: crash
// Fills the memory that processes share, which has a size.
#include "vector_add.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    char name[] = "/a";
    for (; *name; name[1] == 'z' ? name[1] = 'a' : name[1]++) {
        int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
        size_t bytes = 32 << 20;
        if (fd < 0 || ftruncate(fd, bytes) != 0)
            break;
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED)
            break;
        memset(p, 1, bytes);
        close(fd);
    }
    return 1;
}
