// expect: cuda-error
// Hands the runtime images that are none, with sizes that lie, and adds on the CPU.
#include "vector_add.h"
#include <cstring>
struct Wrapper {
    int magic, version;
    const void *data;
    void *filename;
};
extern "C" void **__cudaRegisterFatBinary(void *);
extern "C" void __cudaRegisterFatBinaryEnd(void **);
static unsigned char image[4096];
int vector_add(const float *a, const float *b, float *c, int n)
{
    static Wrapper wrapper = {0x466243b1, 1, image, NULL};
    cudaLibrary_t library;
    for (int i = 0; i < 4096; i++)
        image[i] = (unsigned char)(i * 131 + 7);
    unsigned header[4] = {0xba55ed50, 0x00100001, 0xfffffff0, 0x7fffffff};
    memcpy(image, header, sizeof header);
    __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrapper));
    cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);
    cudaLibraryLoadData(&library, ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .u32 %r<4294967295>; ", NULL, NULL, 0, NULL, NULL, 0);
    cudaGetLastError();
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
