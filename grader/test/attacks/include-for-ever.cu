// expect: memory-limit
// clang: wrong-result
#include "vector_add.h"
#include "/dev/zero"
int vector_add(const float *, const float *, float *, int) { return 0; }
