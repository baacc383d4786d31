/* Memory comes from the pool of the default stream, and goes back to it. */
static inline cudaError_t style_malloc(void **p, size_t bytes)
{
    cudaError_t err = cudaMallocAsync(p, bytes, 0);
    return err == cudaSuccess ? cudaStreamSynchronize(0) : err;
}
static inline cudaError_t style_free(void *p)
{
    return p ? cudaFreeAsync(p, 0) : cudaSuccess;
}
#define cudaMalloc(p, bytes) style_malloc((void **)(p), bytes)
#define cudaFree(p) style_free((void *)(p))
