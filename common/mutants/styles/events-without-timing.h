/* Events have no time, and who waits for one sleeps. */
#define cudaEventCreate(event) cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventBlockingSync)
