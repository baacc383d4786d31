/* Streams are made with the highest priority. */
static inline cudaError_t style_stream(cudaStream_t *stream, unsigned flags)
{
    int lowest = 0, highest = 0;
    cudaError_t err = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    return err == cudaSuccess ? cudaStreamCreateWithPriority(stream, flags, highest) : err;
}
#define cudaStreamCreate(stream) style_stream(stream, cudaStreamDefault)
#define cudaStreamCreateWithFlags(stream, flags) style_stream(stream, flags)
