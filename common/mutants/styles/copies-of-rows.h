/* Copies are those of an image of one row. */
static inline cudaError_t style_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpy2D(to, bytes, from, bytes, bytes, 1, kind);
}
static inline cudaError_t style_copy_async(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
#define cudaMemcpy style_copy
#define cudaMemcpyAsync style_copy_async
