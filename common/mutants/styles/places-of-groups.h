/* Where a thread is comes from cooperative groups. */
#include <cooperative_groups.h>
#define threadIdx cooperative_groups::this_thread_block().thread_index()
#define blockIdx cooperative_groups::this_thread_block().group_index()
#define blockDim cooperative_groups::this_thread_block().group_dim()
