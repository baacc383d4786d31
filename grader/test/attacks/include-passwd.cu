// expect: build-error
#include "vector_add.h"
#include "/etc/passwd"
int vector_add(const float *, const float *, float *, int) { return 0; }
