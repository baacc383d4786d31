// Lab 11: rows become columns. The contract is in transpose.h, the steps are in README.md.
#include "lab.h"
#include "transpose.h"

#define TILE 32 // a block moves a tile of TILE x TILE elements ...
#define ROWS 8  // ... with TILE x ROWS threads, each of which moves TILE / ROWS elements

// One block for each tile, at the edges also for those that are not full.
static dim3 tiles_of(int width, int height)
{
    return dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
}

// ---- Version 0: a copy, to be compared with ----

__global__ void copy_kernel(const float *in, float *out, int width, int height)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int below = 0; below < TILE; below += ROWS) { // this row, and 8, 16 and 24 rows below
        if (column < width && row + below < height)
            out[(row + below) * width + column] = in[(row + below) * width + column];
    }
}

int copy_matrix(const float *in, float *out, int width, int height)
{
    if (width > 0 && height > 0)
        copy_kernel<<<tiles_of(width, height), dim3(TILE, ROWS)>>>(in, out, width, height);
    return (int)cudaGetLastError();
}

// ---- Version 1: straight from in to out. A warp reads a row, and writes 32 places far apart ----

__global__ void naive_kernel(const float *in, float *out, int width, int height)
{
    // TODO 1 (kernel): as the copy, but where in out does element (x, y) of in belong?
}

int transpose_naive(const float *in, float *out, int width, int height)
{
    // TODO 1 (launch): as copy_matrix.
    return cudaSuccess;
}

// ---- Version 2: by way of a tile. A warp reads rows and writes rows; the tile takes the turn ----

__global__ void tiled_kernel(const float *in, float *out, int width, int height)
{
    // TODO 2 (kernel): rows of in go into a tile; wait; rows of out come from the tile. Which tile of out is this block's,
    // and in which order does a warp walk through the tile when it writes?
}

int transpose_tiled(const float *in, float *out, int width, int height)
{
    // TODO 2 (launch): as before.
    return cudaSuccess;
}

// ---- Version 3: a column more. Walking down a column goes through all banks, too ----

__global__ void padded_kernel(const float *in, float *out, int width, int height)
{
    // TODO 3 (kernel): in which banks do the 32 elements of a column of the tile lie? What changes that?
}

int transpose_padded(const float *in, float *out, int width, int height)
{
    // TODO 3 (launch): as before.
    return cudaSuccess;
}

// ---- In place: two tiles change places ----

__global__ void in_place_kernel(float *data, int n, float factor)
{
    // TODO 4 (kernel): which tile is overwritten by this block's, and who takes care of it?
}

int transpose_in_place(float *data, int n, float factor)
{
    // TODO 4 (launch): as before.
    return cudaSuccess;
}
