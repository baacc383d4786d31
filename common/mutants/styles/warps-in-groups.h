/* Barriers of a warp are those of cooperative groups' tiles. */
#include <cooperative_groups.h>
#define __syncwarp() cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()).sync()
