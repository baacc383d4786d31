// expect: race
// case: tiled
// threadIdx.x and threadIdx.y are swapped in the place as well as in the tile: what a warp writes is turned twice.
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
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < width && y + k < height)
            out[x * height + y + k] = in[(y + k) * width + x];
    }
}

int transpose_naive(const float *in, float *out, int width, int height)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    naive_kernel<<<tiles_of(width, height), dim3(TILE, ROWS)>>>(in, out, width, height);
    return cudaGetLastError();
}

// ---- Version 2: by way of a tile. A warp reads rows and writes rows; the tile takes the turn ----

__global__ void tiled_kernel(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    }
    __syncthreads();
    int out_x = blockIdx.y * TILE + threadIdx.y;
    int out_y = blockIdx.x * TILE + threadIdx.x;
    for (int k = 0; k < TILE; k += ROWS) {
        if (out_x < height && out_y + k < width)
            out[(out_y + k) * height + out_x] = tile[threadIdx.x][threadIdx.y + k];
    }
}

int transpose_tiled(const float *in, float *out, int width, int height)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    tiled_kernel<<<tiles_of(width, height), dim3(TILE, ROWS)>>>(in, out, width, height);
    return cudaGetLastError();
}

// ---- Version 3: a column more. Walking down a column goes through all banks, too ----

typedef float Tile[TILE][TILE + 1]; // nobody uses the last column: it moves each row one bank on

// Tile (tile_x, tile_y) of a matrix. All threads of the block take part.
__device__ void load_tile(Tile tile, const float *in, int width, int height, int tile_x, int tile_y)
{
    int x = tile_x * TILE + threadIdx.x;
    int y = tile_y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    }
}

// Stores a tile transposed, and `factor` times as large, as tile (tile_x, tile_y) of a matrix.
__device__ void store_transposed(const Tile tile, float *out, int width, int height, int tile_x, int tile_y,
                                 float factor)
{
    int x = tile_x * TILE + threadIdx.x;
    int y = tile_y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < width && y + k < height)
            out[(y + k) * width + x] = factor * tile[threadIdx.x][threadIdx.y + k];
    }
}

__global__ void padded_kernel(const float *in, float *out, int width, int height)
{
    __shared__ Tile tile;
    load_tile(tile, in, width, height, blockIdx.x, blockIdx.y);
    __syncthreads();
    store_transposed(tile, out, height, width, blockIdx.y, blockIdx.x, 1);
}

int transpose_padded(const float *in, float *out, int width, int height)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    padded_kernel<<<tiles_of(width, height), dim3(TILE, ROWS)>>>(in, out, width, height);
    return cudaGetLastError();
}

// ---- In place: two tiles change places ----

__global__ void in_place_kernel(float *data, int n, float factor)
{
    if (blockIdx.x < blockIdx.y)
        return; // the block on the other side of the diagonal does both tiles
    __shared__ Tile above, below;
    load_tile(above, data, n, n, blockIdx.x, blockIdx.y);
    load_tile(below, data, n, n, blockIdx.y, blockIdx.x);
    __syncthreads(); // nothing is written before both are read
    store_transposed(above, data, n, n, blockIdx.y, blockIdx.x, factor);
    store_transposed(below, data, n, n, blockIdx.x, blockIdx.y, factor); // on the diagonal the same once more
}

int transpose_in_place(float *data, int n, float factor)
{
    if (n == 0)
        return cudaSuccess;
    in_place_kernel<<<tiles_of(n, n), dim3(TILE, ROWS)>>>(data, n, factor);
    return cudaGetLastError();
}
