// whole
// case: allocation-fails
// case: later-call-fails
// points-at-most: 0
// Says that something failed, whatever happens.
#include "vector_add.h"
int vector_add(const float *, const float *, float *, int)
{
    return 1;
}
