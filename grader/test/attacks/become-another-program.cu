// expect: missing-output
// Becomes a program that always succeeds.
#include "vector_add.h"
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    execl("/bin/true", "true", (char *)NULL);
    return 0;
}
