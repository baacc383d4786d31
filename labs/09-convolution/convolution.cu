// Lab 09: convolution with a filter in constant memory. The contract is in convolution.h, the steps are in README.md.
#include "lab.h"
#include "convolution.h"

// The filter in constant memory, which all threads read and none can write. It exists once, on the device, from the
// start of the program to its end.
__constant__ int taps[(2 * RADIUS_MAX + 1) * (2 * RADIUS_MAX + 1)];

// ---- One dimension ----

#define LINE_BLOCK 256

__global__ void line_kernel(const int *in, int *out, int n, int radius)
{
    // TODO 1 (kernel): the sum of the contract, for one element. Which products fall away at the ends?
}

int convolve_1d(const int *in, int *out, int n, const int *filter, int radius)
{
    // TODO 1 (launch): copy the filter to `taps` with cudaMemcpyToSymbol, and then launch.
    return cudaSuccess;
}

// ---- Two dimensions: one thread for each element of the image ----

#define TILE_X 32 // threads in a row of a block, and the elements that they work out
#define TILE_Y 16 // threads in a column of a block

__global__ void image_kernel(const int *in, int *out, int height, int width, int radius_y, int radius_x)
{
    // TODO 2 (kernel): the sum of the contract, for one element of the image. How long is a row of the filter?
}

int convolve_2d(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    // TODO 2 (launch): blocks of TILE_X x TILE_Y threads; x counts columns and y counts rows.
    return cudaSuccess;
}

// ---- Two dimensions: a tile of the image and its halo in shared memory ----

__global__ void tiled_kernel(const int *in, int *out, int height, int width, int radius_y, int radius_x)
{
    // TODO 3 (kernel): load the block's part of the image with its halo on all sides, corners too; wait; then the sum
    // of TODO 2 from the tile.
}

int convolve_tiled(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    // TODO 3 (launch): as TODO 2, and the bytes of a tile with its halo.
    return cudaSuccess;
}

// ---- A filter that is a column times a row ----

int convolve_separable(const int *in, int *out, int *scratch, int height, int width, const int *column, int radius_y,
                       const int *row, int radius_x)
{
    // TODO 4: what is a row, as a filter with radius_y and radius_x? And a column?
    return cudaSuccess;
}
