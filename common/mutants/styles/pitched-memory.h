/* Every allocation is one row of an image. */
static inline cudaError_t style_malloc(void **p, size_t bytes)
{
    size_t pitch = 0;
    return cudaMallocPitch(p, &pitch, bytes, 1);
}
#define cudaMalloc(p, bytes) style_malloc((void **)(p), bytes)
