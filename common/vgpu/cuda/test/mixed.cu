/* Both APIs in one program: one device, one primary context, one memory, one set of streams. Prints TAP. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

static int n_tests, n_bad;

static void same(const char *name, long long expected, long long got)
{
    bool ok = expected == got;
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++n_tests, name);
    if (!ok)
        printf("#   expected %lld, got %lld\n", expected, got);
    n_bad += !ok;
}

#define GOOD(call) same(#call, 0, call)

static const char ptx[] = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .entry triple(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    cvta.to.global.u64 %d0, %d0;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d1, %d0, %d1;
    ld.global.u32 %r1, [%d1];
    mul.lo.u32 %r2, %r1, 3;
    st.global.u32 [%d1], %r2;
    ret;
}
)";

__device__ int table[32];

__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    table[threadIdx.x] = 1;
}

int main()
{
    int *p, out[32];
    CUcontext now = NULL, primary = NULL;
    CUmodule module;
    CUfunction triple;
    cudaStream_t stream;
    cudaEvent_t event;

    GOOD(cudaMalloc(&p, sizeof out)); /* the runtime alone makes the primary context and initialises the driver */
    GOOD(cuCtxGetCurrent(&now));
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    same("the runtime's context is the primary one", 1, now != NULL && now == primary);
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaEventCreate(&event));
    fill<<<1, 32, 0, stream>>>(p);
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&triple, module, "triple"));
    void *params[] = {&p};
    GOOD(cuLaunchKernel(triple, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
    GOOD(cuEventRecord(event, stream));
    GOOD(cudaEventSynchronize(event));
    GOOD(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    same("the driver's kernel worked on the runtime's memory, in its stream", 93, out[31]);

    CUdeviceptr q;
    GOOD(cuMemAlloc(&q, sizeof out));
    fill<<<1, 32>>>((int *)q);
    GOOD(cuMemcpyDtoH(out, q, sizeof out));
    same("the runtime's kernel worked on the driver's memory", 31, out[31]);
    GOOD(cudaFree((void *)q));

    same("a failing driver call", CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&q, 0));
    same("leaves the runtime's last error alone", cudaSuccess, cudaGetLastError());

    cudaFunction_t handle;
    GOOD(cudaGetFuncBySymbol(&handle, (const void *)fill));
    GOOD(cuLaunchKernel((CUfunction)handle, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    GOOD(cuCtxSynchronize());
    GOOD(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    same("a kernel of the program by its handle", 31, out[31]);

    cudaLibrary_t library;
    cudaKernel_t kernel = NULL;
    CUkernel twin = NULL;
    GOOD(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cudaLibraryGetKernel(&kernel, library, "triple"));
    GOOD(cuLibraryGetKernel(&twin, (CUlibrary)library, "triple"));
    same("a library's handles are those of both", 1, (void *)kernel == (void *)twin);
    same("a name that is not there", cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "none"));
    cudaGetLastError();
    GOOD(cuLaunchKernel((CUfunction)twin, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    GOOD(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    same("its kernel ran", 93, out[31]);
    GOOD(cudaLibraryUnload(library));

    int devices = 0;
    cudaGetDeviceCount(&devices);
    if (devices > 1) { /* the device follows from one API to the other */
        CUcontext made = NULL;
        CUdevice d = -1;
        int device = -1;
        GOOD(cudaSetDevice(1));
        GOOD(cuCtxGetDevice(&d));
        same("cudaSetDevice sets the driver's context", 1, d);
        GOOD(cuCtxCreate(&made, NULL, 0, 0));
        GOOD(cudaGetDevice(&device));
        same("cuCtxCreate sets the runtime's device", 0, device);
        GOOD(cuCtxDestroy(made));
        GOOD(cudaGetDevice(&device));
        same("and gives it back", 1, device);
        GOOD(cudaSetDevice(0));
    }
    GOOD(cuModuleUnload(module));
    GOOD(cudaEventDestroy(event));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaFree(p));
    GOOD(cuDevicePrimaryCtxRelease(0));
    printf("1..%d\n", n_tests);
    return n_bad != 0;
}
