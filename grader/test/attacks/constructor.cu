// expect: missing-output
// Leaves before main.
#include "vector_add.h"
#include <cstdlib>
struct Early {
    Early() { _Exit(0); }
} early;
int vector_add(const float *, const float *, float *, int) { return 0; }
