/* Segments: the lanes of one access in pieces that can be handled whole.
 *
 *      addresses of the lanes   0 4 8 12 ... 60  0 4 8 ... 60        two rows of a 16 x 16 block
 *      segments                 [lanes 0-15    ] [lanes 16-31]       each side by side
 */
#ifndef COMMON_VGPU_CHECK_SEGMENT_H
#define COMMON_VGPU_CHECK_SEGMENT_H

#include "common/vgpu/exec/exec.h"

typedef struct Segment {
    uint64_t addr;
    uint8_t lane, n; /* first lane, and how many */
    bool same;       /* all at addr; else side by side from there on */
} Segment;

typedef struct SegmentList {
    unsigned n;
    Segment at[WARP_LANES];
} SegmentList;

/* The active lanes in order. Lanes of several allocations are never put together. */
void segment_list(const ExecAccess *a, SegmentList *out);

static inline uint64_t segment_bytes(const Segment *s, uint32_t bytes)
{
    return s->same ? bytes : (uint64_t)bytes * s->n;
}

#endif
