/* Who waits for a stream asks it again and again. */
static inline cudaError_t style_wait(cudaStream_t stream)
{
    cudaError_t err = cudaErrorNotReady;
    while ((err = cudaStreamQuery(stream)) == cudaErrorNotReady)
        (void)cudaGetLastError();
    return err;
}
#define cudaStreamSynchronize(stream) style_wait(stream)
