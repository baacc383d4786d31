// What the record of calls has of variables of the device and of streams (calls.t).
#include <cstring>

__device__ int counter, handed_on[300], added_to[2];
__device__ int total;

__global__ void count() { atomicAdd(&counter, 1); }
__global__ void hand_on() { handed_on[threadIdx.x] = threadIdx.x + 1; }
__global__ void take(int *out) { out[threadIdx.x] = handed_on[threadIdx.x]; }
__global__ void add_up() { atomicAdd(&added_to[threadIdx.x & 1], 1); }
__global__ void sum_up() { atomicAdd(&total, 1); }
__global__ void take_sum(int *out) { *out = total; }

int main(int, char **argv)
{
    int *out;
    cudaStream_t stream;
    cudaMalloc(&out, 300 * sizeof(int));
    if (strcmp(argv[1], "variables") == 0)
        for (int call = 0; call < 2; call++) {
            count<<<1, 32>>>();
            hand_on<<<1, 300>>>();
            take<<<1, 300>>>(out);
            add_up<<<1, 32>>>();
            sum_up<<<1, 32>>>();
            take_sum<<<1, 1>>>(out);
            cudaDeviceSynchronize();
        }
    if (strcmp(argv[1], "thread") == 0) {
        cudaMemsetAsync(out, 0, 4, cudaStreamPerThread);
        cudaStreamSynchronize(cudaStreamPerThread);
    }
    if (strcmp(argv[1], "stream") == 0) {
        cudaStreamCreate(&stream);
        cudaStreamDestroy(stream);
    }
    cudaFree(out);
    return 0;
}
