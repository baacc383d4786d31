// expect: build-error
// What the grader knows is not there to be compiled in.
#include "vector_add.h"
#include "/kit/labs/02-vector-add/reference.c"
asm(".incbin \"/kit/solutions/02-vector-add/hidden.yaml\"");
int vector_add(const float *, const float *, float *, int) { return 0; }
