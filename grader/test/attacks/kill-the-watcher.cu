// expect: wrong-result
// Kills the command that watches it: its parent is the runner, which cannot be killed from inside.
#include "vector_add.h"
#include <csignal>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    kill(getppid(), SIGKILL);
    return 0;
}
