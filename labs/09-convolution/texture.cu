// Lab 09, the optional part: convolve_2d with the image in a texture, and the result in a surface.
// `make extra` builds and runs it.
//
// A texture answers for places outside of the image: the nearest element (clamp) or 0 (border). So the kernel
// has no bounds to test, and the same kernel does both.
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEIGHT   37
#define WIDTH    75
#define RADIUS_Y 1
#define RADIUS_X 3
#define ROWS     (2 * RADIUS_Y + 1)
#define COLUMNS  (2 * RADIUS_X + 1)
#define TILE_X   16
#define TILE_Y   8

__constant__ float weights[ROWS * COLUMNS];

// ---- On the device ----

// out(y, x) = the sum of weight(RADIUS_Y + j, RADIUS_X + i) * in(y - j, x - i), as in
// convolve_2d. The middle of
// element (y, x) lies at (x + 0.5, y + 0.5) of the texture. A surface counts x in bytes.
__global__ void texture_kernel(cudaTextureObject_t in, cudaSurfaceObject_t out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    // TODO 6: the sum with tex2D<float>(in, place in x, place in y), and without any test of bounds.
    // Then surf2Dwrite(sum, out, byte of the row, y).
}

// ---- On the host ----

// *texture reads the array. What lies outside is as `mode` says: cudaAddressModeClamp or
// cudaAddressModeBorder.
static cudaError_t make_texture(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureObject_t *texture)
{
    // TODO 5 (texture): describe what is read (cudaResourceDesc: an array) and how (cudaTextureDesc:
    // the address mode in both directions, cudaFilterModePoint, cudaReadModeElementType, places that
    // count elements), and make the object.
    *texture = 0;
    return cudaSuccess;
}

// *surface writes the array, which was made for that.
static cudaError_t make_surface(cudaArray_t array, cudaSurfaceObject_t *surface)
{
    // TODO 5 (surface): the same description of what is written, and cudaCreateSurfaceObject.
    *surface = 0;
    return cudaSuccess;
}

// ---- Given: both modes, against the host's own sums ----

// The texture's answer for any place.
static float element(const float *in, cudaTextureAddressMode mode, int y, int x)
{
    bool inside = y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;
    if (!inside && mode == cudaAddressModeBorder)
        return 0;
    int near_y = y < 0 ? 0 : y < HEIGHT ? y : HEIGHT - 1, near_x = x < 0 ? 0 : x < WIDTH ? x : WIDTH - 1;
    return in[near_y * WIDTH + near_x];
}

static void refer(const float *in, const float *filter, cudaTextureAddressMode mode, float *out)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double sum = 0;
            for (int tap = 0; tap < ROWS * COLUMNS; tap++)
                sum += filter[tap] *
                       element(in, mode, y - tap / COLUMNS + RADIUS_Y, x - tap % COLUMNS + RADIUS_X);
            out[y * WIDTH + x] = (float)sum;
        }
}

static bool try_mode(const char *name, cudaTextureAddressMode mode, cudaArray_t in, cudaArray_t out,
                     const float *wanted)
{
    static float got[HEIGHT * WIDTH];
    const size_t row = WIDTH * sizeof(float);
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    memset(got, 0xFF, sizeof got); // NaN
    CUDA_CHECK(cudaMemcpy2DToArray(out, 0, 0, got, row, row, HEIGHT, cudaMemcpyHostToDevice));
    CUDA_CHECK(make_texture(in, mode, &texture));
    CUDA_CHECK(make_surface(out, &surface));
    if (texture == 0 || surface == 0) {
        printf("%s: there is no texture or no surface yet\n", name);
        return false;
    }
    dim3 threads(TILE_X, TILE_Y), blocks((WIDTH + TILE_X - 1) / TILE_X, (HEIGHT + TILE_Y - 1) / TILE_Y);
    texture_kernel<<<blocks, threads>>>(texture, surface);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaDestroyTextureObject(texture));
    CUDA_CHECK(cudaDestroySurfaceObject(surface));
    CUDA_CHECK(cudaMemcpy2DFromArray(got, row, out, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
    return check_close(name, got, wanted, HEIGHT * WIDTH, 1e-5, 1e-5) == 0;
}

int main()
{
    static float in[HEIGHT * WIDTH], wanted[HEIGHT * WIDTH], filter[ROWS * COLUMNS];
    const size_t row = WIDTH * sizeof(float);
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        in[i] = 1.0f + i * 31 % 97 / 16.0f;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        filter[i] = (1 + i * 5 % 23) / 32.0f; // not symmetric
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t image, result;
    CUDA_CHECK(cudaMallocArray(&image, &channel, WIDTH, HEIGHT, cudaArrayDefault));
    CUDA_CHECK(cudaMallocArray(&result, &channel, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CUDA_CHECK(cudaMemcpy2DToArray(image, 0, 0, in, row, row, HEIGHT, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));
    refer(in, filter, cudaAddressModeClamp, wanted);
    bool right = try_mode("clamp", cudaAddressModeClamp, image, result, wanted);
    refer(in, filter, cudaAddressModeBorder, wanted);
    right = try_mode("border", cudaAddressModeBorder, image, result, wanted) && right;
    CUDA_CHECK(cudaFreeArray(image));
    CUDA_CHECK(cudaFreeArray(result));
    return right ? 0 : 1;
}
