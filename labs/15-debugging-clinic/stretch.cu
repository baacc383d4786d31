// Request 8. s008 asks:
//
// "A curve of a few numbers is stretched to many: each new place lies somewhere between two old ones, and gets its share
// of both. What I get looks like stairs, not like a curve. I have run every checker that there is, and
// all of them say that nothing is wrong."
#include "debugging_clinic.h"
#include "lab.h"

__global__ void stretch_kernel(const float *curve, int length, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float place = i * (length - 1) / (n - 1); // in the old curve, 0 to length - 1
    int left = min((int)place, length - 2);
    float share = place - left;
    out[i] = (1 - share) * curve[left] + share * curve[left + 1];
}

int stretch(const float *curve, int length, float *out, int n)
{
    float *d_curve, *d_out;
    CUDA_CHECK(cudaMalloc(&d_curve, length * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_curve, curve, length * sizeof(float), cudaMemcpyHostToDevice));

    stretch_kernel<<<(n + 255) / 256, 256>>>(d_curve, length, d_out, n);
    CUDA_CHECK_LAUNCH();

    CUDA_CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_curve));
    CUDA_CHECK(cudaFree(d_out));
    return cudaSuccess;
}
// TODO 8: find the mistake, mend it, and write tool, line and kind into diagnoses.yaml. Then delete this line.
