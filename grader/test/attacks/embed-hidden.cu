// expect: build-error
// Takes the lab's hidden cases in by the preprocessor.
#include "vector_add.h"
static const unsigned char hidden[] = {
#embed "/kit/solutions/02-vector-add/hidden.yaml"
};
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i] + hidden[0];
    return 0;
}
