// expect: missing-output
// Its outputs are a link to what others can read.
#include "vector_add.h"
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
static void swap_output()
{
    unlink("/case/out/c.npy");
    symlink("/etc/ld.so.cache", "/case/out/c.npy");
}
int vector_add(const float *, const float *, float *, int)
{
    atexit(swap_output);
    return 0;
}
