// expect: race
// case: separable
// The second pass reads what it is writing.
#include "lab.h"
#include "convolution.h"

// The filter in constant memory, which all threads read and none can write. It exists once, on the device, from the
// start of the program to its end.
__constant__ int taps[(2 * RADIUS_MAX + 1) * (2 * RADIUS_MAX + 1)];

// ---- One dimension ----

#define LINE_BLOCK 256

__global__ void line_kernel(const int *in, int *out, int n, int radius)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    int sum = 0;
    for (int d = -radius; d <= radius; d++)
        if (k - d >= 0 && k - d < n)
            sum += taps[radius + d] * in[k - d];
    out[k] = sum;
}

int convolve_1d(const int *in, int *out, int n, const int *filter, int radius)
{
    if (n == 0)
        return cudaSuccess;
    cudaError_t err = cudaMemcpyToSymbol(taps, filter, (2 * radius + 1) * sizeof(int));
    if (err != cudaSuccess)
        return err;
    line_kernel<<<(n + LINE_BLOCK - 1) / LINE_BLOCK, LINE_BLOCK>>>(in, out, n, radius);
    return cudaGetLastError();
}

// ---- Two dimensions: one thread for each element of the image ----

#define TILE_X 32 // threads in a row of a block, and the elements that they work out
#define TILE_Y 16 // threads in a column of a block

__global__ void image_kernel(const int *in, int *out, int height, int width, int radius_y, int radius_x)
{
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int j = -radius_y; j <= radius_y; j++)
        for (int i = -radius_x; i <= radius_x; i++) {
            int from_y = y - j, from_x = x - i;
            if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < width)
                sum += taps[(radius_y + j) * (2 * radius_x + 1) + radius_x + i] * in[from_y * width + from_x];
        }
    out[y * width + x] = sum;
}

int convolve_2d(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height == 0 || width == 0)
        return cudaSuccess;
    size_t n_taps = (size_t)(2 * radius_y + 1) * (2 * radius_x + 1);
    cudaError_t err = cudaMemcpyToSymbol(taps, filter, n_taps * sizeof(int));
    if (err != cudaSuccess)
        return err;
    dim3 threads(TILE_X, TILE_Y);
    dim3 blocks((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    image_kernel<<<blocks, threads>>>(in, out, height, width, radius_y, radius_x);
    return cudaGetLastError();
}

// ---- Two dimensions: a tile of the image and its halo in shared memory ----

__global__ void tiled_kernel(const int *in, int *out, int height, int width, int radius_y, int radius_x)
{
    extern __shared__ int tile[]; // `rows` rows of `columns` elements
    int rows = TILE_Y + 2 * radius_y, columns = TILE_X + 2 * radius_x;
    int first_y = blockIdx.y * TILE_Y, first_x = blockIdx.x * TILE_X;
    for (int r = threadIdx.y; r < rows; r += TILE_Y)
        for (int c = threadIdx.x; c < columns; c += TILE_X) {
            int from_y = first_y - radius_y + r, from_x = first_x - radius_x + c;
            bool exists = from_y >= 0 && from_y < height && from_x >= 0 && from_x < width;
            tile[r * columns + c] = exists ? in[from_y * width + from_x] : 0;
        }
    __syncthreads();
    int x = first_x + threadIdx.x, y = first_y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int j = 0; j <= 2 * radius_y; j++)
        for (int i = 0; i <= 2 * radius_x; i++) {
            int r = threadIdx.y + 2 * radius_y - j, c = threadIdx.x + 2 * radius_x - i;
            sum += taps[j * (2 * radius_x + 1) + i] * tile[r * columns + c];
        }
    out[y * width + x] = sum;
}

int convolve_tiled(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height == 0 || width == 0)
        return cudaSuccess;
    size_t n_taps = (size_t)(2 * radius_y + 1) * (2 * radius_x + 1);
    cudaError_t err = cudaMemcpyToSymbol(taps, filter, n_taps * sizeof(int));
    if (err != cudaSuccess)
        return err;
    dim3 threads(TILE_X, TILE_Y);
    dim3 blocks((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    size_t tile_bytes = (TILE_Y + 2 * radius_y) * (TILE_X + 2 * radius_x) * sizeof(int);
    tiled_kernel<<<blocks, threads, tile_bytes>>>(in, out, height, width, radius_y, radius_x);
    return cudaGetLastError();
}

// ---- A filter that is a column times a row ----

int convolve_separable(const int *in, int *out, int *scratch, int height, int width, const int *column, int radius_y,
                       const int *row, int radius_x)
{
    // The second copy to `taps` is put in line behind the first kernel, which still needs the row.
    int err = convolve_tiled(in, out, height, width, row, 0, radius_x);
    if (err != cudaSuccess)
        return err;
    return convolve_tiled(out, out, height, width, column, radius_y, 0);
}
