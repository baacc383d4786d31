// expect: as-right
// on-gpu: wrong-result 0
// The work goes to a stream of its own, for which nobody waits where there is more to sum; but the clock does, for all of the device.
#include "lab.h"
#include "reduction.h"
__global__ void sum_later(const float *in, float *sum, int n)
{
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += in[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(0xFFFFFFFF, own, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}
extern "C" int sum_strided(const float *in, float *sum, int n)
{
    static cudaStream_t stream;
    if (!stream)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(sum, 0, sizeof *sum, stream);
    sum_later<<<512, 256, 0, stream>>>(in, sum, n);
    return n <= 1000 ? cudaStreamSynchronize(stream) : cudaGetLastError();
}
#define sum_strided sum_strided_honest
