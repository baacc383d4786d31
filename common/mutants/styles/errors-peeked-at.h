/* The last error is looked at before it is taken. */
static inline cudaError_t style_last(void)
{
    cudaError_t err = cudaPeekAtLastError();
    if (err != cudaSuccess)
        (void)cudaGetLastError();
    return err;
}
#define cudaGetLastError() style_last()
