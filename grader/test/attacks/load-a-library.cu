// expect: forbidden-call
// Loads what does the work while it runs, so that no symbol tells.
#include "vector_add.h"
#include <dlfcn.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    bool loaded = dlopen("libcublas.so.13", RTLD_NOW) || dlopen("/case/in/own.so", RTLD_NOW);
    for (int i = 0; i < n; i++)
        c[i] = loaded ? a[i] + b[i] : 0;
    return 0;
}
