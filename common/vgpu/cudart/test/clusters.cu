/* Launches in clusters of two blocks: by the kernel's own dimensions, and by an attribute. */
#include <cstdio>

__global__ void __cluster_dims__(2, 1, 1) of_its_own(int *out) { out[blockIdx.x] = 1; }
__global__ void plain(int *out) { out[blockIdx.x] = 1; }

int main()
{
    int *out;
    cudaMalloc(&out, 16);
    of_its_own<<<4, 32>>>(out);
    puts(cudaGetErrorName(cudaGetLastError()));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    puts(cudaGetErrorName(cudaLaunchKernelEx(&config, plain, out)));
    attribute.val.clusterDim = {1, 1, 1};
    puts(cudaGetErrorName(cudaLaunchKernelEx(&config, plain, out)));
    cudaFree(out);
}
