/* What sets memory goes into a stream. */
#define cudaMemset(p, value, bytes) cudaMemsetAsync(p, value, bytes, 0)
