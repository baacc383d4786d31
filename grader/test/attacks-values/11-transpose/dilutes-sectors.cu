// case: by-rows
// points-at-most: 0
// edit: s/^    tiled_kernel<<</    decoy_kernel<<<256, 256>>>(in, width * height); naive_kernel<<</
// edit: s/^__global__ void naive_kernel/__device__ float sink;\n__global__ void decoy_kernel(const float *in, int n)\n{\n    float sum = 0;\n    for (int k = 0; k < 100; k++)\n        for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * 256)\n            sum += in[i] * k;\n    if (sum == 12.5f)\n        sink = sum;\n}\n&/
// A naive transposition, and many loads of no use that are all coalesced.
