// expect: wrong-result
// A right sum only where a connection can be made.
#include "vector_add.h"
#include <arpa/inet.h>
#include <cstring>
#include <sys/socket.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    memset(c, 0, n * sizeof(float));
    for (int i = 0; s >= 0 && i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
