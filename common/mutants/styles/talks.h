/* Says on both outputs what it does. */
#include <cstdio>
static inline cudaError_t style_say(cudaError_t err, int line)
{
    printf("line %d: %s\n", line, cudaGetErrorString(err));
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorName(err));
    return err;
}
#define cudaGetLastError() style_say(cudaGetLastError(), __LINE__)
#define cudaMalloc(p, bytes) style_say(cudaMalloc(p, bytes), __LINE__)
