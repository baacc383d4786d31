/* What sets memory sets an image of one row. */
static inline cudaError_t style_set(void *p, int value, size_t bytes)
{
    return cudaMemset2D(p, bytes, value, bytes, 1);
}
static inline cudaError_t style_set_async(void *p, int value, size_t bytes, cudaStream_t stream = 0)
{
    return cudaMemset2DAsync(p, bytes, value, bytes, 1, stream);
}
#define cudaMemset style_set
#define cudaMemsetAsync style_set_async
