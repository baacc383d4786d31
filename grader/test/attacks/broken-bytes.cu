// expect: wrong-result
// NUL, C1 controls, half a character and text that runs backwards, in what it prints.
#include "vector_add.h"
#include <cstdio>
#include <cstring>
int vector_add(const float *, const float *, float *c, int n)
{
    static const char text[] = "a\0b\xc3\x28\xff\xfe\xe2\x80\xae" "gp\x9b" "31m\x07\r\x7f\n";
    fwrite(text, 1, sizeof text, stdout);
    fwrite(text, 1, sizeof text, stderr);
    memset(c, 0, n * sizeof(float));
    return 0;
}
