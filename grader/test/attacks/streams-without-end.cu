// expect: timeout
// Makes streams and events for ever, and waits for none.
#include "vector_add.h"
#include <cstdlib>
int vector_add(const float *, const float *, float *, int)
{
    for (;;) {
        cudaStream_t stream;
        cudaEvent_t event;
        if (cudaStreamCreate(&stream) != cudaSuccess || cudaEventCreate(&event) != cudaSuccess || cudaEventRecord(event, stream) != cudaSuccess)
            return 1;
    }
}
