// Kernels for pages of films: values of all kinds, lanes that part, barriers, shuffles, atomics; a long loop; and texts that attack.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mixed(const float4 *in, double *wide, short *narrow, int *count, unsigned long long *big, signed char *tiny)
{
    __shared__ int sum[40];
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    float4 v = in[i];
    wide[i] = (double)v.x * 1e20 + v.y * 1e-7;
    narrow[i] = (short)(v.z - 300.0f);
    tiny[i] = (signed char)-i;
    big[i] = 0xFFFFFFFFFFFFFFF0ull + i;
    if (i < 40)
        sum[i] = i;
    if (i % 3 == 0)
        atomicAdd(&count[i % 4], i);
    else
        wide[i * 2 + 1] = 0.5 / (i - 1);
    __syncthreads();
    int s = sum[(i * 33) % 40];
    s += __shfl_xor_sync(0xFFFFFFFFu, s, 1);
    count[4 + i] = s;
}

__global__ void loop(float *x, int n)
{
    for (int k = 0; k < n; k++)
        x[(k * 31 + threadIdx.x) % 1024] += k * 0.1f;
}

// </script><script>window.attacked = 1</script><!-- <img src=x onerror="window.attacked = 2">
template <char C> __global__ void hostile(int *x)
{
#line 40 "<img src=x onerror=window.attacked=3>&quot;.cu"
    x[threadIdx.x] = C; // ]]> </title> </textarea> ' " `
}

int main()
{
    float4 h[64], *in;
    double *wide;
    short *narrow;
    int *count;
    unsigned long long *big;
    signed char *tiny;
    float *x;
    for (int i = 0; i < 64; i++)
        h[i] = make_float4(i * 1.25f, 1234565.0f + i, i / 3.0f, i ? 1.0f / (i - 32) : -0.0f);
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&wide, 128 * 8);
    cudaMalloc(&narrow, 64 * 2);
    cudaMalloc(&count, 128 * 4);
    cudaMalloc(&big, 64 * 8);
    cudaMalloc(&tiny, 64);
    cudaMalloc(&x, 1024 * 4);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, 128 * 4);
    cudaMemset(x, 0, 1024 * 4);
    mixed<<<2, dim3(8, 8)>>>(in, wide, narrow, count, big, tiny);
    loop<<<4, 256>>>(x, 3000);
    hostile<'<'><<<1, 32>>>((int *)x);
    return cudaDeviceSynchronize();
}
