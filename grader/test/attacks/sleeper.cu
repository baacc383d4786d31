// expect: timeout
// Sleeps, and hears no signal that it can ignore.
#include "vector_add.h"
#include <csignal>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    for (int s = 1; s < 32; s++)
        signal(s, SIG_IGN);
    for (;;)
        sleep(1000);
}
