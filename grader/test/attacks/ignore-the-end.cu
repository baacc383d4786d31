// expect: timeout
// Ignores every signal that can be ignored, and waits.
#include "vector_add.h"
#include <csignal>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    for (int s = 1; s < 32; s++)
        signal(s, SIG_IGN);
    for (;;)
        pause();
}
