/* Barriers are those of cooperative groups. */
#include <cooperative_groups.h>
#define __syncthreads() cooperative_groups::this_thread_block().sync()
