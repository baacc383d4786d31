// expect: missing-output
// Where its output should be stands a folder, with a file of the same name in it.
#include "vector_add.h"
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
static void make_folder()
{
    rename("/case/out/c.npy", "/case/out/c");
    mkdir("/case/out/c.npy", 0755);
    rename("/case/out/c", "/case/out/c.npy/c.npy");
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    atexit(make_folder);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
