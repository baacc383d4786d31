// case: no-conflicts
// points-at-most: 0
// edit: s/^    padded_kernel<<</    decoy_kernel<<<256, 256>>>(out); tiled_kernel<<</
// edit: s/^__global__ void naive_kernel/__global__ void decoy_kernel(float *out)\n{\n    __shared__ volatile float tile[256];\n    for (int k = 0; k < 4000; k++)\n        tile[threadIdx.x] = k;\n    if (tile[threadIdx.x] == -1)\n        out[0] = 1;\n}\n&/
// A tile without a column more, and many accesses to shared memory that have no conflict.
