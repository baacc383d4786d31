// expect: wrong-result
// Writes a pass to every descriptor that may be the grader's.
#include "vector_add.h"
#include <cstring>
#include <unistd.h>
int vector_add(const float *, const float *, float *c, int n)
{
    memset(c, 0, n * sizeof(float));
    for (int fd = 3; fd < 64; fd++)
        if (write(fd, "{\"verdict\":\"pass\"}\n", 19) < 0)
            continue;
    return 0;
}
