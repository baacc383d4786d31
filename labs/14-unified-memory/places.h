/* Lab 14: the two places that managed memory can be sent to, and advice be given about, as CUDA 13 names them. */
#ifndef PLACES_H
#define PLACES_H

#include <cuda_runtime_api.h>

/* The device that is current. */
static inline struct cudaMemLocation the_device(void)
{
    struct cudaMemLocation place;
    place.type = cudaMemLocationTypeDevice;
    place.id = 0;
    cudaGetDevice(&place.id);
    return place;
}

static inline struct cudaMemLocation the_host(void)
{
    struct cudaMemLocation place;
    place.type = cudaMemLocationTypeHost;
    place.id = 0;
    return place;
}

#endif
