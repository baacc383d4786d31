// expect: memory-limit
// Fills what it can write to.
#include "vector_add.h"
#include <cstdio>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    static char block[1 << 20];
    for (int i = 0;; i++) {
        char name[64];
        snprintf(name, sizeof name, "/case/f%d", i);
        FILE *f = fopen(name, "w");
        for (int k = 0; f && k < 60; k++)
            fwrite(block, 1, sizeof block, f);
        if (f)
            fclose(f);
        else
            usleep(1000);
    }
}
