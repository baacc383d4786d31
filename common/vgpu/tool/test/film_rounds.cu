// A race between rounds: what a thread reads in one round another writes in the next. The same lines do so in order, too.
#include <cuda_runtime.h>

__global__ void rounds(const float *in, float *out, int n)
{
    __shared__ float piece[65];
    int t = threadIdx.x;
    for (int start = 0; start < n; start += 64) {
        piece[t] = in[start + t]; // line: store
        if (t == 0)
            piece[64] = 0;
        __syncthreads();
        out[start + t] = piece[t] + piece[t + 1]; // line: load
    }
}

// Its array lies where the other kernel's does, and its own name ends in a number in the middle of a mangled one.
template <int N> __global__ void twice(float *out)
{
    __shared__ float wide[2 * N];
    __shared__ __align__(2) short first[N], second[8][8];
    second[threadIdx.x / 8][threadIdx.x % 8] = first[threadIdx.x] = (short)threadIdx.x;
    wide[2 * threadIdx.x] = 1;
    wide[2 * threadIdx.x + 1] = 2;
    __syncthreads();
    out[threadIdx.x] = wide[2 * N - 1 - threadIdx.x] + first[N - 1 - threadIdx.x] + second[7 - threadIdx.x % 8][threadIdx.x / 8];
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMemset(a, 0, 1024);
    rounds<<<1, 64>>>(a, b, 256);
    twice<64><<<1, 64>>>(b);
    cudaDeviceSynchronize();
    return 0;
}
