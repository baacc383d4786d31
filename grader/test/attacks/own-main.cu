// expect: build-error
#include "vector_add.h"
int main() { return 0; }
int vector_add(const float *, const float *, float *, int) { return 0; }
