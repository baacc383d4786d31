// expect: no-gpu-work
// Leaves a daemon behind that shall change the output later.
#include "vector_add.h"
#include <cstdio>
#include <cstring>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    if (fork() == 0) {
        setsid();
        for (int fd = 0; fd < 64; fd++)
            close(fd);
        for (;;) {
            sleep(2);
            if (FILE *f = fopen("/case/out/c.npy", "w"))
                fclose(f);
        }
    }
    return 0;
}
