// expect: missing-output
// Its output is a FIFO: who opens it waits for ever.
#include "vector_add.h"
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
static void swap_output()
{
    unlink("/case/out/c.npy");
    mkfifo("/case/out/c.npy", 0644);
}
int vector_add(const float *, const float *, float *, int)
{
    atexit(swap_output);
    return 0;
}
