/* Who asks for the last error also waits for the device. */
static inline cudaError_t style_last(void)
{
    cudaError_t err = cudaGetLastError();
    return err == cudaSuccess ? cudaDeviceSynchronize() : err;
}
#define cudaGetLastError() style_last()
