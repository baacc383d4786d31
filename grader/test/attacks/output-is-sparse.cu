// expect: output-limit
// Its output says that it has a terabyte.
#include "vector_add.h"
#include <cstdlib>
#include <unistd.h>
static void grow() { truncate("/case/out/c.npy", 1ll << 40); }
int vector_add(const float *, const float *, float *, int)
{
    atexit(grow);
    return 0;
}
