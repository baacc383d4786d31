/* Takes the arrays of a case to the device, calls @STEM@, and brings the result back. */
#include "lab.h"

#include "@STEM@.h"

void lab_main(LabCase *c)
{
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n);
    size_t bytes = n * sizeof(float);
    float *d_in = NULL, *d_out = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_in, bytes));
    CUDA_CHECK(cudaMalloc((void **)&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_out, out, bytes, cudaMemcpyHostToDevice)); /* the poison */

    int status = @STEM@(d_in, d_out, (int)n);
    lab_status(c, "@STEM@", status);
    if (status == 0)
        LAB_CHECK_DEFAULT_STREAM();
    CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}
