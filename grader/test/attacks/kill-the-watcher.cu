// expect: crash
// Kills the command that watches it.
#include "vector_add.h"
#include <csignal>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    kill(getppid(), SIGKILL);
    pause();
    return 0;
}
