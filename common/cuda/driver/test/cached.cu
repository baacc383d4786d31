/* Loads and stores that say how they are cached, of each type that CUDA has them for (CUDA C++ Programming Guide, "Load/Store Functions Using Cache
 * Hints"): a line for each type, whose bytes all arrive. */
#include <cstdio>
#include <cuda_runtime.h>

template <typename T>
__global__ void pass_on(const T *in, T *out)
{
    out[0] = __ldcs(in);
    out[1] = __ldcg(in + 1);
    __stcs(out + 2, __ldca(in + 2));
    __stcg(out + 3, __ldcv(in));
    __stwt(out + 4, __ldlu(in + 1));
    __stwb(out + 5, in[2]);
}

template <typename T>
static int show(const char *name)
{
    enum { IN = 3, OUT = 6 };
    unsigned char in[IN * sizeof(T)], out[OUT * sizeof(T)];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 37 + 200);
    T *from, *to;
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    pass_on<T><<<1, 1>>>(from, to);
    int error = cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost), differ = 0;
    for (size_t i = 0; i < sizeof out; i++)
        differ += out[i] != in[i % sizeof in];
    printf("%s: error %d, %d bytes differ\n", name, error, differ);
    cudaFree(from);
    cudaFree(to);
    return error || differ;
}

#define SHOW(T) bad += show<T>(#T);
int main()
{
    int bad = 0;
    SHOW(char) SHOW(signed char) SHOW(unsigned char) SHOW(short) SHOW(unsigned short) SHOW(int) SHOW(unsigned int)
    SHOW(long) SHOW(unsigned long) SHOW(long long) SHOW(unsigned long long) SHOW(float) SHOW(double)
    SHOW(char2) SHOW(uchar2) SHOW(short2) SHOW(ushort2) SHOW(int2) SHOW(uint2) SHOW(longlong2) SHOW(ulonglong2) SHOW(float2) SHOW(double2)
    SHOW(char4) SHOW(uchar4) SHOW(short4) SHOW(ushort4) SHOW(int4) SHOW(uint4) SHOW(float4)
    return bad != 0;
}
