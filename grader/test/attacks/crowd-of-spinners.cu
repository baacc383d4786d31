// expect: timeout
// Children in sessions of their own, none of which uses much, keep the program and its neighbours waiting.
#include "vector_add.h"
#include <ctime>
#include <unistd.h>
static void spin(double seconds)
{
    while (clock() < seconds * CLOCKS_PER_SEC)
        ;
}
int vector_add(const float *, const float *, float *, int)
{
    for (int i = 0; i < 58; i++)
        if (fork() == 0) {
            setsid();
            spin(3);
            _exit(0);
        }
    spin(1e9);
    return 0;
}
