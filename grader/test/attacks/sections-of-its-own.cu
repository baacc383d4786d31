// expect: pass
// The control of those that write into the linker'\''s sections: a constructor, thread-local data, sections of its own, and assembler.
#include "vector_add.h"
static int ready;
__attribute__((constructor)) static void get_ready(void) { ready = 1; }
__attribute__((section(".own_data"), used)) static int own_data[4] = {1, 2, 3, 4};
alignas(4096) static float page[1024];
static thread_local float *of_this_thread = page;
asm(".section .own_text,\"ax\",@progbits\nown_nothing: ret\n.previous\n.section .comment\n.asciz \"hello\"\n.previous");
extern "C" float *own_page() { return ready && own_data[0] ? of_this_thread : nullptr; }
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    float *d[3];
    size_t bytes = n * sizeof(float);
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], bytes);
    cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3; i++)
        cudaFree(d[i]);
    return cudaGetLastError();
}
