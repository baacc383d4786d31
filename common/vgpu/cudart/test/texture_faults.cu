// Wrong uses of textures and surfaces, one a run: texture_faults CASE. What each must find is in textures.t.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void read_texture(cudaTextureObject_t t, float *out)
{
    *out = tex2D<float>(t, 0.5f, 0.5f);
}

__global__ void fetch(cudaTextureObject_t t, float *out, int i)
{
    *out = tex1Dfetch<float>(t, i);
}

__global__ void read_box(cudaTextureObject_t t, float *out)
{
    *out = tex3D<float>(t, 0.5f, 0.5f, 0.5f);
}

__global__ void write_surface(cudaSurfaceObject_t s, int x)
{
    surf2Dwrite(1.0f, s, x, 0);
}

__global__ void read_surface(cudaSurfaceObject_t s, float *out, int y)
{
    *out = surf2Dread<float>(s, 0, y);
}

struct Things {
    cudaArray_t array;
    float *memory, *out;
    cudaTextureObject_t texture, linear;
    cudaSurfaceObject_t surface;
};

static Things make_things()
{
    Things t;
    float h[32] = {};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaTextureDesc plain = {};
    cudaResourceDesc r = {};
    cudaMallocArray(&t.array, &f, 8, 4, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(t.array, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = t.array;
    cudaCreateTextureObject(&t.texture, &r, &plain, NULL);
    cudaCreateSurfaceObject(&t.surface, &r);
    cudaMalloc(&t.memory, 128);
    cudaMemcpy(t.memory, h, 64, cudaMemcpyHostToDevice); /* the other half stays as it is */
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = t.memory;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 4096; /* more than there is */
    cudaCreateTextureObject(&t.linear, &r, &plain, NULL);
    cudaMalloc(&t.out, 4);
    return t;
}

static void run(const char *what, Things &t)
{
    if (!strcmp(what, "nothing"))
        read_texture<<<1, 1>>>(t.texture, t.out);
    else if (!strcmp(what, "row_end"))
        write_surface<<<1, 1>>>(t.surface, 32);
    else if (!strcmp(what, "row_start"))
        write_surface<<<1, 1>>>(t.surface, -4);
    else if (!strcmp(what, "rows"))
        read_surface<<<1, 1>>>(t.surface, t.out, 4);
    else if (!strcmp(what, "misaligned"))
        write_surface<<<1, 1>>>(t.surface, 2);
    else if (!strcmp(what, "null"))
        read_texture<<<1, 1>>>(0, t.out);
    else if (!strcmp(what, "unknown"))
        read_texture<<<1, 1>>>(0x123456, t.out);
    else if (!strcmp(what, "shape"))
        read_box<<<1, 1>>>(t.texture, t.out);
    else if (!strcmp(what, "past_memory"))
        fetch<<<1, 1>>>(t.linear, t.out, 32);
    else if (!strcmp(what, "unwritten"))
        fetch<<<1, 1>>>(t.linear, t.out, 20);
    else if (!strcmp(what, "freed_memory") && cudaFree(t.memory) == cudaSuccess)
        fetch<<<1, 1>>>(t.linear, t.out, 0);
    else if (!strcmp(what, "freed_array") && cudaFreeArray(t.array) == cudaSuccess)
        read_texture<<<1, 1>>>(t.texture, t.out);
    else if (!strcmp(what, "destroyed") && cudaDestroyTextureObject(t.texture) == cudaSuccess)
        read_texture<<<1, 1>>>(t.texture, t.out);
    else if (!strcmp(what, "destroyed_surface") && cudaDestroySurfaceObject(t.surface) == cudaSuccess)
        write_surface<<<1, 1>>>(t.surface, 0);
    else if (!strcmp(what, "destroyed_late")) { /* right: the kernel was launched before */
        read_texture<<<1, 1>>>(t.texture, t.out);
        cudaDestroyTextureObject(t.texture);
    }
}

int main(int argc, char **argv)
{
    Things t = make_things();
    run(argc > 1 ? argv[1] : "", t);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(t.out);
    if (argc < 2 || strcmp(argv[1], "leak"))
        cudaFreeArray(t.array);
    if (argc < 2 || strcmp(argv[1], "freed_memory"))
        cudaFree(t.memory);
    return 0;
}
