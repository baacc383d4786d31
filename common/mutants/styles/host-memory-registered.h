/* Pinned memory is the program's own, registered. */
#include <cstdlib>
static inline cudaError_t style_host(void **p, size_t bytes)
{
    *p = malloc(bytes);
    if (!*p)
        return cudaErrorMemoryAllocation;
    cudaError_t err = cudaHostRegister(*p, bytes, cudaHostRegisterDefault);
    if (err != cudaSuccess) {
        free(*p);
        *p = NULL;
    }
    return err;
}
static inline cudaError_t style_host_free(void *p)
{
    cudaError_t err = p ? cudaHostUnregister(p) : cudaSuccess;
    free(p);
    return err;
}
#define cudaMallocHost(p, bytes) style_host((void **)(p), bytes)
#define cudaFreeHost(p) style_host_free(p)
