// Request 5. s005 asks:
//
// "A file holds its version as one float, and then points of four floats each. I want the length of each point, and I have
// read that float4 is quick. The launch fails. When I leave out the version in front of the points it works, but the
// file has it, and I may not change the file."
#include "debugging_clinic.h"
#include "lab.h"

// file: the version and n points, as they stand in the file
__global__ void lengths_kernel(const float *file, float *lengths, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    //@ solution 5
    const float *point = file + 1 + 4 * i; // behind the version, a point begins at no multiple of 16 bytes
    float4 p = make_float4(point[0], point[1], point[2], point[3]);
    //@ stub
    //| const float4 *points = (const float4 *)(file + 1);
    //| float4 p = points[i];
    //@ end
    lengths[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
}

int lengths(const float *file, float *lengths, int n)
{
    size_t bytes = (1 + 4 * (size_t)n) * sizeof(float);
    float *d_file, *d_lengths;
    CUDA_CHECK(cudaMalloc(&d_file, bytes));
    CUDA_CHECK(cudaMalloc(&d_lengths, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_file, file, bytes, cudaMemcpyHostToDevice));

    lengths_kernel<<<(n + 127) / 128, 128>>>(d_file, d_lengths, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(lengths, d_lengths, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_file));
    CUDA_CHECK(cudaFree(d_lengths));
    return cudaSuccess;
}
//@ solution 5
//@ stub
//| // TODO 5: find the mistake, mend it, and write tool, line and kind into diagnoses.yaml. Then delete this line.
//@ end
