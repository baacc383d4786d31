// expect: wrong-result
// Kills whatever it can reach.
#include "vector_add.h"
#include <csignal>
int vector_add(const float *, const float *, float *, int)
{
    kill(-1, SIGKILL);
    return 0;
}
