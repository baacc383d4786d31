// case: one-block
// points-at-most: 0
// verdict: host-overrun
// The record of the guard zones has no line for an array.
#include <cstdio>
static struct Forger {
    ~Forger()
    {
        FILE *file = fopen("out/guards", "w");
        if (file)
            fclose(file);
    }
} forger;
