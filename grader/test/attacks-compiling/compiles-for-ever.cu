// expect: timeout
// Two new types from each, forty deep: no limit of the compiler's own is in the way, and it would take years.
#include "vector_add.h"
template <int DEPTH, unsigned long PATH> struct Tree {
    static const int value = Tree<DEPTH - 1, 2 * PATH>::value + Tree<DEPTH - 1, 2 * PATH + 1>::value;
};
template <unsigned long PATH> struct Tree<0, PATH> { static const int value = PATH & 1; };
int vector_add(const float *, const float *, float *, int) { return Tree<40, 1>::value; }
