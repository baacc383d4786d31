// expect: wrong-result
// A right sum only where it can change what the next submission is built or run with.
#include "vector_add.h"
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    static const char *const places[] = {"/kit/bin/vgpu", "/kit/lib/vgpu/libcudart.so.13", "/kit/lib/liblab.a", "/kit/common/lab/lab.h", "/prog/program",
                                         "/src/vector_add.cu", "/case/in/a.npy", "/usr/bin/gcc", "/etc/ld.so.cache", "/proc/sys/kernel/core_pattern"};
    bool changed = false;
    for (const char *place : places)
        changed = changed || open(place, O_WRONLY) >= 0 || chmod(place, 0777) == 0 || unlink(place) == 0 || rename(place, "/tmp/mine") == 0;
    for (const char *folder : {"/kit", "/kit/bin", "/usr", "/usr/lib", "/etc", "/", "/dev"}) {
        char name[64];
        snprintf(name, sizeof name, "%s/new", folder);
        changed = changed || open(name, O_WRONLY | O_CREAT, 0600) >= 0;
    }
    for (int i = 0; i < n; i++)
        c[i] = changed ? a[i] + b[i] : 0;
    return 0;
}
