// expect: memory-limit
// Memory that is mapped by nobody: files in memory.
#include "vector_add.h"
#include <sys/mman.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    static char block[1 << 20];
    for (int fd = 0;; fd = memfd_create("x", 0))
        while (fd > 0 && lseek(fd, 0, SEEK_CUR) < 63 << 20 && write(fd, block, sizeof block) > 0)
            ;
}
