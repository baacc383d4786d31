// expect: build-error
// Templates without an end: the compiler gives up by its own limit.
#include "vector_add.h"
template <int N> struct Deep { static const int value = Deep<N + 1>::value; };
int vector_add(const float *, const float *, float *, int) { return Deep<0>::value; }
