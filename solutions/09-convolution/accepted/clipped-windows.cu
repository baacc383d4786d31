// expect: pass
// Windows that are clipped to the image, filters in arrays of an unnamed namespace, sent by reference.
#include "lab.h"
#include "convolution.h"

// Every sum goes over the places of the input that exist, and asks which tap belongs to each: the input `k` places
// before the window's end has tap k. No product is tested for being inside.

namespace {

constexpr int SPAN = 2 * RADIUS_MAX + 1;

__constant__ int line_taps[SPAN];
__constant__ int plane_taps[SPAN * SPAN];
__constant__ int row_taps[SPAN], column_taps[SPAN];

constexpr unsigned parts(int whole, int part)
{
    return (whole + part - 1) / part;
}

template <size_t N>
cudaError_t send(const int (&symbol)[N], const int *filter, int n_taps)
{
    return cudaMemcpyToSymbol(symbol, filter, n_taps * sizeof(int), 0, cudaMemcpyHostToDevice);
}

// The places from `begin` up to, but not, `end` that lie within radius of the middle and in 0 ... size - 1.
struct Window {
    int begin, end;

    __device__ Window(int middle, int radius, int size)
        : begin(max(middle - radius, 0)), end(min(middle + radius + 1, size))
    {
    }
};

// ---- One dimension: a grid of limited size strides over the array ----

__global__ void line(const int *__restrict__ in, int *__restrict__ out, int n, int radius)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const Window w(i, radius, n);
        int sum = 0;
        for (int from = w.begin; from < w.end; ++from)
            sum += line_taps[i + radius - from] * in[from];
        out[i] = sum;
    }
}

// ---- Two dimensions ----

__global__ void plane(const int *__restrict__ in, int *__restrict__ out, int height, int width, int radius_y,
                      int radius_x)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const Window rows(y, radius_y, height), columns(x, radius_x, width);
        int sum = 0;
        for (int r = rows.begin; r < rows.end; ++r) {
            const int tap = (y + radius_y - r) * (2 * radius_x + 1) + x + radius_x; // of the column 0
            for (int c = columns.begin; c < columns.end; ++c)
                sum += plane_taps[tap - c] * in[r * width + c];
        }
        out[y * width + x] = sum;
    }
}

// ---- Tiles: X times Y elements for TX times TY threads, in a static array for the widest halo ----

template <int X, int Y, int TX, int TY, int RY, int RX>
struct Tile {
    int cell[Y + 2 * RY][X + 2 * RX];

    __device__ void fill(const int *in, int height, int width, int first_y, int first_x, int radius_y, int radius_x)
    {
        for (int r = threadIdx.y; r < Y + 2 * radius_y; r += TY) {
            const int y = first_y - radius_y + r;
            for (int c = threadIdx.x; c < X + 2 * radius_x; c += TX) {
                const int x = first_x - radius_x + c;
                cell[r][c] = y < 0 || y >= height || x < 0 || x >= width ? 0 : in[y * width + x];
            }
        }
        __syncthreads();
    }
};

// sum_at(r, c) is the sum for the element r rows below and c columns right of the tile's first one.
template <int X, int Y, int TX, int TY, class Sum>
__device__ void store_all(int *out, int height, int width, int first_y, int first_x, Sum sum_at)
{
    for (int r = threadIdx.y; r < Y && first_y + r < height; r += TY)
        for (int c = threadIdx.x; c < X && first_x + c < width; c += TX)
            out[(first_y + r) * width + first_x + c] = sum_at(r, c);
}

__global__ void plane_by_tiles(const int *in, int *out, int height, int width, int radius_y, int radius_x)
{
    __shared__ Tile<32, 32, 32, 4, RADIUS_MAX, RADIUS_MAX> tile;
    const int first_y = blockIdx.y * 32, first_x = blockIdx.x * 32;
    tile.fill(in, height, width, first_y, first_x, radius_y, radius_x);
    store_all<32, 32, 32, 4>(out, height, width, first_y, first_x, [&](int r, int c) {
        int sum = 0;
        const int *tap = plane_taps;
        for (int j = 2 * radius_y; j >= 0; --j)
            for (int i = 2 * radius_x; i >= 0; --i)
                sum += *tap++ * tile.cell[r + j][c + i];
        return sum;
    });
}

__global__ void along_rows(const int *in, int *out, int height, int width, int radius)
{
    __shared__ Tile<64, 4, 64, 2, 0, RADIUS_MAX> tile;
    const int first_y = blockIdx.y * 4, first_x = blockIdx.x * 64;
    tile.fill(in, height, width, first_y, first_x, 0, radius);
    store_all<64, 4, 64, 2>(out, height, width, first_y, first_x, [&](int r, int c) {
        int sum = 0;
        const int *last = &tile.cell[r][c + 2 * radius];
        for (int k = 0; k <= 2 * radius; ++k)
            sum += row_taps[k] * last[-k];
        return sum;
    });
}

__global__ void along_columns(const int *in, int *out, int height, int width, int radius)
{
    __shared__ Tile<32, 32, 32, 8, RADIUS_MAX, 0> tile;
    const int first_y = blockIdx.y * 32, first_x = blockIdx.x * 32;
    tile.fill(in, height, width, first_y, first_x, radius, 0);
    store_all<32, 32, 32, 8>(out, height, width, first_y, first_x, [&](int r, int c) {
        int sum = 0;
        const int below = r + 2 * radius;
        for (int k = 0; k <= 2 * radius; ++k)
            sum += column_taps[k] * tile.cell[below - k][c];
        return sum;
    });
}

} // namespace

int convolve_1d(const int *in, int *out, int n, const int *filter, int radius)
{
    if (n <= 0)
        return cudaSuccess;
    cudaError_t err = send(line_taps, filter, 2 * radius + 1);
    if (err == cudaSuccess) {
        const unsigned blocks = parts(n, 128);
        line<<<blocks < 512 ? blocks : 512, 128>>>(in, out, n, radius);
        err = cudaGetLastError();
    }
    return err;
}

int convolve_2d(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    cudaError_t err = send(plane_taps, filter, (2 * radius_y + 1) * (2 * radius_x + 1));
    if (err == cudaSuccess) {
        plane<<<dim3(parts(width, 32), parts(height, 4)), dim3(32, 4)>>>(in, out, height, width, radius_y, radius_x);
        err = cudaGetLastError();
    }
    return err;
}

int convolve_tiled(const int *in, int *out, int height, int width, const int *filter, int radius_y, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    cudaError_t err = send(plane_taps, filter, (2 * radius_y + 1) * (2 * radius_x + 1));
    if (err == cudaSuccess) {
        plane_by_tiles<<<dim3(parts(width, 32), parts(height, 32)), dim3(32, 4)>>>(in, out, height, width, radius_y,
                                                                                   radius_x);
        err = cudaGetLastError();
    }
    return err;
}

int convolve_separable(const int *in, int *out, int *scratch, int height, int width, const int *column, int radius_y,
                       const int *row, int radius_x)
{
    if (height <= 0 || width <= 0)
        return cudaSuccess;
    cudaError_t err = send(row_taps, row, 2 * radius_x + 1);
    if (err == cudaSuccess)
        err = send(column_taps, column, 2 * radius_y + 1);
    if (err == cudaSuccess) {
        along_rows<<<dim3(parts(width, 64), parts(height, 4)), dim3(64, 2)>>>(in, scratch, height, width, radius_x);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess) {
        along_columns<<<dim3(parts(width, 32), parts(height, 32)), dim3(32, 8)>>>(scratch, out, height, width,
                                                                                  radius_y);
        err = cudaGetLastError();
    }
    return err;
}

