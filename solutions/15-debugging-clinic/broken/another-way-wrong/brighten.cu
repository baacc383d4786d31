// expect: no-gpu-work
// case: brighten
// says: The result was not worked out by a kernel

// Why not on the host?
#include "debugging_clinic.h"
#include "lab.h"

int brighten(const float *in, float *out, int width, int height, float by)
{
    for (int i = 0; i < width * height; i++)
        out[i] = in[i] + by;
    return cudaSuccess;
}
