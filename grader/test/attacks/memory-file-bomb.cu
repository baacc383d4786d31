// expect: wrong-result
// Memory that is mapped by nobody: files in memory, of which there are none.
#include "vector_add.h"
#include <sys/mman.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *c, int n)
{
    static char block[1 << 20];
    for (int fd = memfd_create("x", 0); fd > 0; fd = memfd_create("x", 0))
        while (lseek(fd, 0, SEEK_CUR) < 63 << 20 && write(fd, block, sizeof block) > 0)
            ;
    for (int i = 0; i < n; i++)
        c[i] = 0;
    return 0;
}
