// expect: no-gpu-work
// A hundred thousand files beside its output.
#include "vector_add.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    char name[64];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "/case/out/%d.npy", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0)
            break;
        close(fd);
    }
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
