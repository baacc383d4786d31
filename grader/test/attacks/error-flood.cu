// expect: build-error
#include "vector_add.h"
#define A x y z;
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
D D D D
int vector_add(const float *, const float *, float *, int) { return 0; }
