// A copy to constant memory beside a kernel that reads it: a race of two streams, found whichever of the two runs first. An event orders them; a kernel
// that reads another variable is none of it.
//
//      constants after|before|ordered|other|index|global
#include <cstdio>
#include <cstring>

__constant__ int factor[64], offset[64];
__device__ int table[64];

__global__ void scale(int *x) { x[threadIdx.x] *= factor[0]; }
__global__ void scale_each(int *x) { x[threadIdx.x] *= factor[threadIdx.x]; }
__global__ void shift(int *x) { x[threadIdx.x] += offset[0]; }
__global__ void look_up(int *x) { x[threadIdx.x] += table[threadIdx.x]; }

int main(int, char **argv)
{
    const char *what = argv[1];
    int *x, *values;
    cudaStream_t a, b;
    cudaEvent_t done;
    cudaMallocHost(&values, 256);
    for (int i = 0; i < 64; i++)
        values[i] = 2;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    cudaMemcpyToSymbol(factor, values, 256);
    cudaMemcpyToSymbol(offset, values, 256);
    cudaMemcpyToSymbol(table, values, 256);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaDeviceSynchronize();
    bool first = strcmp(what, "before") == 0;
    if (first)
        cudaMemcpyToSymbolAsync(factor, values, 256, 0, cudaMemcpyHostToDevice, b);
    if (strcmp(what, "other") == 0)
        shift<<<1, 64, 0, a>>>(x);
    else if (strcmp(what, "index") == 0)
        scale_each<<<1, 64, 0, a>>>(x);
    else if (strcmp(what, "global") == 0)
        look_up<<<1, 64, 0, a>>>(x);
    else
        scale<<<1, 64, 0, a>>>(x);
    if (strcmp(what, "ordered") == 0) {
        cudaEventRecord(done, a);
        cudaStreamWaitEvent(b, done, 0);
    }
    if (strcmp(what, "global") == 0)
        cudaMemcpyToSymbolAsync(table, values, 256, 0, cudaMemcpyHostToDevice, b);
    else if (!first)
        cudaMemcpyToSymbolAsync(factor, values, 256, 0, cudaMemcpyHostToDevice, b);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(x);
    cudaFreeHost(values);
    cudaEventDestroy(done);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
