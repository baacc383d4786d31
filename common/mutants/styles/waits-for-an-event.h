/* Who waits for a stream waits for an event in it. */
static inline cudaError_t style_wait(cudaStream_t stream)
{
    cudaEvent_t event = NULL;
    cudaError_t err = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (err != cudaSuccess)
        return err;
    err = cudaEventRecord(event, stream);
    if (err == cudaSuccess)
        err = cudaEventSynchronize(event);
    cudaError_t last = cudaEventDestroy(event);
    return err == cudaSuccess ? last : err;
}
#define cudaStreamSynchronize(stream) style_wait(stream)
