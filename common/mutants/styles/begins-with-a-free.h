/* The device is got ready before main runs. */
static const cudaError_t style_ready = cudaFree(0);
static inline cudaError_t style_last(void)
{
    return style_ready != cudaSuccess ? style_ready : cudaGetLastError();
}
#define cudaGetLastError() style_last()
