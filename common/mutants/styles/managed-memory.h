/* All memory of the device is managed. */
static inline cudaError_t style_malloc(void **p, size_t bytes)
{
    return cudaMallocManaged(p, bytes);
}
#define cudaMalloc(p, bytes) style_malloc((void **)(p), bytes)
