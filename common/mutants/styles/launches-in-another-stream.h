/* Each launch goes into a stream of its own, between two events. What failed is still noted behind it. */
// source: launches
template <class... P, class... A>
static cudaError_t style_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A &&...a)
{
    cudaStream_t apart = NULL;
    cudaEvent_t event = NULL;
    cudaError_t err = cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    if (err == cudaSuccess)
        err = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (err == cudaSuccess)
        err = cudaEventRecord(event, stream);
    if (err == cudaSuccess)
        err = cudaStreamWaitEvent(apart, event, 0);
    if (err == cudaSuccess) {
        kernel<<<grid, block, shared, apart>>>((P)a...);
        err = cudaPeekAtLastError();
    }
    if (err == cudaSuccess)
        err = cudaEventRecord(event, apart);
    if (err == cudaSuccess)
        err = cudaStreamWaitEvent(stream, event, 0);
    if (err != cudaSuccess && apart)
        (void)cudaStreamSynchronize(apart);
    if (event)
        cudaEventDestroy(event);
    if (apart)
        cudaStreamDestroy(apart);
    return err;
}
