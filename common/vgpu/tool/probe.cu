/* probe: which error does each runtime call return, in situations that students meet?
 *
 * Prints one line a call, `situation | call | error`, and for values `situation | what | = value`. Errors such as an
 * illegal address last as long as the process, so each situation runs in a child of its own; the parent never calls the
 * runtime. Run on a real GPU its output is the table cudart/test/errors-hardware.txt; a test compares the virtual GPU's
 * output with it. Nothing printed depends on addresses, times or on the size of the card.
 *
 *   nvcc -cudart shared -arch=compute_75 -o probe probe.cu && ./probe [situation...]
 *   ./probe --list        names of the situations
 *   ./probe --device      attributes of the device instead, `attribute NUMBER VALUE` lines
 *   nvcc -arch=sm_120 ... && ./probe no_image    on a card that is not of that architecture
 */
#include <cuda_runtime.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *situation;

static cudaError_t show(const char *call, cudaError_t error)
{
    printf("%s | %s | %s\n", situation, call, cudaGetErrorName(error));
    fflush(stdout);
    return error;
}

static void show_value(const char *what, long long value)
{
    printf("%s | %s | = %lld\n", situation, what, value);
    fflush(stdout);
}

#define CALL(...) show(#__VA_ARGS__, __VA_ARGS__)
#define VALUE(x)  show_value(#x, (long long)(x))
/* A launch's error is the last error: read and cleared. */
#define LAUNCH(...)                         \
    do {                                    \
        __VA_ARGS__;                        \
        show(#__VA_ARGS__, cudaGetLastError()); \
    } while (0)

/* ---- kernels ---- */

__global__ void nothing() {}
__global__ void store(int *p, long long i) { p[i] = 1; }
__global__ void load(int *p, long long i, int *out) { out[0] = p[i]; }
__global__ void store_byte_offset(char *p, int offset) { *(int *)(p + offset) = 1; }
__global__ void store_shared(int i, int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x + i] = 7;
    __syncthreads();
    out[0] = tile[i];
}
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void trap() { asm volatile("trap;"); }
__global__ void assert_false(int x) { assert(x == 1); }
__global__ void spin(long long n)
{
    long long start = clock64();
    while (clock64() - start < n) {
    }
}
__device__ int recurse(volatile int *p, int depth)
{
    volatile int big[64];
    big[depth & 63] = depth;
    return depth > 1000000000 ? big[0] : recurse(p, depth + 1) + big[depth & 63] + *p;
}
__global__ void overflow_stack(int *p) { p[0] = recurse(p, 0); }
__global__ void atomic_on_local(int *p, int n)
{
    int mine[8] = {n, n, n, n, n, n, n, n};
    int *q = n > 1000 ? p : &mine[n & 7];
    atomicAdd(q, 1);
    p[0] = mine[n & 7];
}
typedef void (*Action)(int *);
__global__ void call_pointer(Action action, int *p) { action(p); }
__global__ void device_malloc(int *ok, size_t bytes) { *ok = malloc(bytes) != nullptr; }
__global__ void static_shared(int *p)
{
    __shared__ int tile[1024];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[1023 - threadIdx.x];
}

__device__ int device_var[4];
__constant__ int constant_var[4];
__managed__ int managed_var = 5;
static int host_var[4];

static int *new_array(size_t bytes)
{
    int *p = NULL;
    cudaMalloc(&p, bytes);
    return p;
}

/* ---- launch configuration ---- */

static void threads_2048() { LAUNCH(nothing<<<1, 2048>>>()); CALL(cudaDeviceSynchronize()); }
static void threads_1025() { LAUNCH(nothing<<<1, 1025>>>()); }
static void threads_1024() { LAUNCH(nothing<<<1, 1024>>>()); }
static void threads_3d_product() { LAUNCH(nothing<<<1, dim3(32, 32, 2)>>>()); }
static void threads_z_65() { LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>()); }
static void threads_y_1025() { LAUNCH(nothing<<<1, dim3(1, 1025, 1)>>>()); }
static void threads_0() { LAUNCH(nothing<<<1, 0>>>()); CALL(cudaDeviceSynchronize()); }
static void threads_y_0() { LAUNCH(nothing<<<1, dim3(1, 0, 1)>>>()); }
static void grid_0() { LAUNCH(nothing<<<0, 1>>>()); CALL(cudaDeviceSynchronize()); }
static void grid_y_0() { LAUNCH(nothing<<<dim3(1, 0, 1), 1>>>()); }
static void grid_y_65536() { LAUNCH(nothing<<<dim3(1, 65536, 1), 1>>>()); }
static void grid_z_65536() { LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>()); }
static void grid_x_2_31() { LAUNCH(nothing<<<2147483648u, 1>>>()); }
static void grid_0_and_threads_2048() { LAUNCH(nothing<<<0, 2048>>>()); }
static void launch_bounds() { LAUNCH(bounded<<<1, 256>>>(new_array(1024))); }
static void last_error_of_launch()
{
    nothing<<<1, 2048>>>();
    CALL(cudaPeekAtLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    LAUNCH(nothing<<<1, 1>>>());
}
static void shared_dynamic_48k() { LAUNCH(store_shared<<<1, 1, 49152>>>(0, new_array(4))); }
static void shared_dynamic_over_48k() { LAUNCH(store_shared<<<1, 1, 49153>>>(0, new_array(4))); }
static void shared_dynamic_1m() { LAUNCH(store_shared<<<1, 1, 1 << 20>>>(0, new_array(4))); }
static void shared_static_and_dynamic() { LAUNCH(static_shared<<<1, 1024, 46000>>>(new_array(4096))); }
static void shared_attribute()
{
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    LAUNCH(store_shared<<<1, 1, 64 * 1024>>>(0, new_array(4)));
    LAUNCH(store_shared<<<1, 1, 64 * 1024 + 16>>>(0, new_array(4)));
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(store_shared, (cudaFuncAttribute)99, 1));
    CALL(cudaGetLastError());
}
static void kernel_null()
{
    int x = 0;
    void *args[] = {&x};
    CALL(cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)host_var, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1), NULL, 0, 0));
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, (const void *)host_var));
    CALL(cudaFuncGetAttributes(&a, (const void *)NULL));
    CALL(cudaFuncGetAttributes(NULL, (const void *)nothing));
    CALL(cudaFuncSetAttribute((const void *)host_var, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    CALL(cudaFuncSetCacheConfig(nothing, (cudaFuncCache)17));
    CALL(cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferL1));
}
static void no_image()
{
    LAUNCH(nothing<<<1, 1>>>());
    CALL(cudaDeviceSynchronize());
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, nothing));
    void *p;
    CALL(cudaGetSymbolAddress(&p, device_var));
    int x[4];
    CALL(cudaMemcpyFromSymbol(x, device_var, 4));
    CALL(cudaMalloc(&p, 4));
    CALL(cudaGetLastError());
}
static void cooperative_too_large()
{
    void *args[] = {NULL};
    CALL(cudaLaunchCooperativeKernel(nothing, dim3(1 << 20), dim3(1024), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel(nothing, dim3(2), dim3(64), args, 0, 0));
    CALL(cudaDeviceSynchronize());
}
static void launch_ex()
{
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(1);
    config.blockDim = dim3(2048);
    CALL(cudaLaunchKernelExC(&config, (const void *)nothing, NULL));
    config.blockDim = dim3(1);
    CALL(cudaLaunchKernelExC(&config, (const void *)nothing, NULL));
    CALL(cudaLaunchKernelExC(NULL, (const void *)nothing, NULL));
}

/* ---- allocation and free ---- */

static void malloc_arguments()
{
    void *p = (void *)1;
    CALL(cudaMalloc(&p, 0));
    VALUE(p == NULL);
    CALL(cudaMalloc((void **)NULL, 4));
    CALL(cudaGetLastError());
    CALL(cudaMalloc(&p, (size_t)1 << 50));
    CALL(cudaPeekAtLastError());
    CALL(cudaMalloc(&p, 4));
    CALL(cudaGetLastError());
    CALL(cudaMalloc(&p, (size_t)-1));
    CALL(cudaFree(NULL));
}
static void free_host_pointer() { CALL(cudaFree(host_var)); CALL(cudaGetLastError()); CALL(cudaGetLastError()); }
static void free_interior() { CALL(cudaFree(new_array(1024) + 4)); }
static void free_twice()
{
    int *p = new_array(1024);
    CALL(cudaFree(p));
    CALL(cudaFree(p));
    CALL(cudaGetLastError());
}
static void free_freed_by_reset()
{
    int *p = new_array(1024);
    CALL(cudaDeviceReset());
    CALL(cudaFree(p));
    LAUNCH(nothing<<<1, 1>>>());
    CALL(cudaDeviceSynchronize());
}
static void free_pinned_with_free()
{
    void *p;
    CALL(cudaMallocHost(&p, 64));
    CALL(cudaFree(p));
    CALL(cudaFreeHost(p));
    CALL(cudaFreeHost(p));
}
static void free_device_with_free_host() { CALL(cudaFreeHost(new_array(64))); }
static void free_host_malloc() { CALL(cudaFreeHost(host_var)); CALL(cudaFreeHost(NULL)); }
static void free_managed()
{
    int *p;
    CALL(cudaMallocManaged(&p, 64));
    CALL(cudaFreeHost(p));
    CALL(cudaFree(p));
    CALL(cudaFree(p));
    CALL(cudaMallocManaged(&p, 0));
    CALL(cudaMallocManaged(&p, 64, 77));
    CALL(cudaMallocManaged((int **)NULL, 64));
}
static void malloc_host_arguments()
{
    void *p = (void *)1;
    CALL(cudaMallocHost(&p, 0));
    VALUE(p == NULL);
    CALL(cudaMallocHost((void **)NULL, 4));
    CALL(cudaHostAlloc(&p, 64, 0xFF00));
    CALL(cudaHostAlloc(&p, 64, cudaHostAllocMapped | cudaHostAllocPortable));
    void *d;
    CALL(cudaHostGetDevicePointer(&d, p, 0));
    VALUE(d == p);
    CALL(cudaHostGetDevicePointer(&d, p, 1));
    CALL(cudaHostGetDevicePointer(&d, host_var, 0));
    unsigned flags;
    CALL(cudaHostGetFlags(&flags, p));
    VALUE(flags);
    CALL(cudaHostGetFlags(&flags, host_var));
}
static void host_register()
{
    char *p = (char *)aligned_alloc(4096, 8192);
    CALL(cudaHostRegister(p, 8192, 0));
    CALL(cudaHostRegister(p, 8192, 0));
    CALL(cudaHostUnregister(p + 4096));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostUnregister(p));
    CALL(cudaHostRegister(NULL, 64, 0));
    CALL(cudaHostRegister(p, 0, 0));
    CALL(cudaHostRegister(p, 64, 0xFF00));
    CALL(cudaHostUnregister(NULL));
}
static void pitch()
{
    void *p;
    size_t bytes;
    CALL(cudaMallocPitch(&p, &bytes, 100, 10));
    VALUE(bytes);
    CALL(cudaMallocPitch(&p, &bytes, 513, 10));
    VALUE(bytes);
    CALL(cudaMallocPitch(&p, &bytes, 0, 10));
    CALL(cudaMallocPitch(&p, &bytes, 10, 0));
    CALL(cudaMallocPitch(NULL, &bytes, 10, 10));
    cudaPitchedPtr pp;
    CALL(cudaMalloc3D(&pp, make_cudaExtent(100, 3, 2)));
    VALUE(pp.pitch);
    VALUE(pp.xsize);
    VALUE(pp.ysize);
}
static void pool_allocation()
{
    void *p = NULL;
    CALL(cudaMallocAsync(&p, 256, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaFreeAsync(NULL, 0));
    CALL(cudaMallocAsync(&p, 0, 0));
    CALL(cudaMallocAsync(&p, (size_t)1 << 50, 0));
    CALL(cudaMallocAsync((void **)NULL, 4, 0));
    CALL(cudaFreeAsync(new_array(64), 0));
    CALL(cudaMallocAsync(&p, 256, 0));
    CALL(cudaFree(p));
    CALL(cudaDeviceSynchronize());
}
static void mem_info()
{
    size_t a, b;
    CALL(cudaMemGetInfo(&a, &b));
    VALUE(a <= b);
    CALL(cudaMemGetInfo(NULL, &b));
    CALL(cudaMemGetInfo(&a, NULL));
}

/* ---- copies ---- */

static void memcpy_arguments()
{
    int h[64], *d = new_array(256);
    CALL(cudaMemcpy(d, h, 256, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(NULL, h, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(d, NULL, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(d, h, 4, (cudaMemcpyKind)7));
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(d, h, 256, cudaMemcpyDefault));
    CALL(cudaMemcpy(h, h + 8, 4, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(h, h + 8, 4, cudaMemcpyDefault));
}
static void memcpy_direction_swapped_1() { int h[4]; CALL(cudaMemcpy(h, new_array(16), 16, cudaMemcpyHostToDevice)); }
static void memcpy_direction_swapped_2() { int h[4] = {0}; CALL(cudaMemcpy(new_array(16), h, 16, cudaMemcpyDeviceToHost)); }
static void memcpy_d2d_from_host() { int h[4] = {0}; CALL(cudaMemcpy(new_array(16), h, 16, cudaMemcpyDeviceToDevice)); }
static void memcpy_d2d_to_host() { int h[4]; CALL(cudaMemcpy(h, new_array(16), 16, cudaMemcpyDeviceToDevice)); }
static void memcpy_h2h_with_device() { int h[4]; CALL(cudaMemcpy(h, new_array(16), 16, cudaMemcpyHostToHost)); }
static void memcpy_past_end()
{
    char *h = (char *)calloc(1 << 20, 1);
    int *d = new_array(1024);
    CALL(cudaMemcpy(d, h, 1025, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(d + 2, h, 1024, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(h, d, 1025, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(d, h, 256, cudaMemcpyHostToDevice));
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
}
static void memcpy_freed()
{
    int h[4] = {0}, *d = new_array(16);
    CALL(cudaFree(d));
    CALL(cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
}
static void memcpy_async()
{
    int h[64], *d = new_array(256);
    CALL(cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyAsync(h, d, 256, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyAsync(d, h, 256, cudaMemcpyDeviceToHost, 0));
    CALL(cudaMemcpyAsync(NULL, h, 256, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyAsync(d, h, 257, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyAsync(d, h, 4, (cudaMemcpyKind)9, 0));
    CALL(cudaDeviceSynchronize());
}
static void memset_arguments()
{
    int h[4], *d = new_array(1024);
    CALL(cudaMemset(d, 0, 1024));
    CALL(cudaMemset(d, 0, 0));
    CALL(cudaMemset(NULL, 0, 0));
    CALL(cudaMemset(NULL, 0, 4));
    CALL(cudaMemset(h, 0, 4));
    CALL(cudaMemset(d, 0, 1025));
    CALL(cudaMemset(d + 1, 0, 1024));
    CALL(cudaMemsetAsync(d, 0, 4096, 0));
    CALL(cudaMemset2D(d, 32, 0, 64, 4));
    CALL(cudaMemset2D(d, 64, 0, 32, 4));
    CALL(cudaDeviceSynchronize());
}
static void memcpy_2d()
{
    char h[1024], *d = (char *)new_array(1024);
    CALL(cudaMemcpy2D(d, 64, h, 32, 32, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 16, h, 32, 32, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 64, h, 16, 32, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 64, h, 32, 0, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 64, h, 32, 32, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(NULL, 64, h, 32, 32, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 64, h, 32, 32, 17, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 64, h, 32, 32, 4, (cudaMemcpyKind)9));
}
static void symbols()
{
    int h[8] = {0};
    void *p;
    size_t n;
    CALL(cudaMemcpyToSymbol(constant_var, h, 16));
    CALL(cudaMemcpyToSymbol(device_var, h, 17));
    CALL(cudaMemcpyToSymbol(device_var, h, 8, 12));
    CALL(cudaMemcpyToSymbol(device_var, h, 0));
    CALL(cudaMemcpyToSymbol(host_var, h, 4));
    CALL(cudaMemcpyToSymbol((const void *)"device_var", h, 4));
    CALL(cudaMemcpyToSymbol((const void *)NULL, h, 4));
    CALL(cudaMemcpyToSymbol(device_var, NULL, 4));
    CALL(cudaMemcpyToSymbol(device_var, h, 4, 0, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpyFromSymbol(h, device_var, 16));
    CALL(cudaMemcpyFromSymbol(h, device_var, 17));
    CALL(cudaMemcpyFromSymbol(h, device_var, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaGetSymbolAddress(&p, device_var));
    CALL(cudaGetSymbolAddress(&p, host_var));
    CALL(cudaGetSymbolAddress(NULL, device_var));
    CALL(cudaGetSymbolSize(&n, constant_var));
    VALUE(n);
    CALL(cudaGetSymbolSize(&n, host_var));
    CALL(cudaGetSymbolAddress(&p, managed_var));
    VALUE(managed_var);
}
static void pointer_kind(const char *name, const void *p)
{
    cudaPointerAttributes a;
    memset(&a, 0, sizeof a);
    show("cudaPointerGetAttributes", cudaPointerGetAttributes(&a, p));
    printf("%s | %s | = type %d device %d device_pointer %d host_pointer %d\n", situation, name, (int)a.type, a.device,
           a.devicePointer != NULL, a.hostPointer != NULL);
}
static void pointer_attributes()
{
    void *d = new_array(64), *pinned, *managed;
    cudaMallocHost(&pinned, 64);
    cudaMallocManaged(&managed, 64);
    pointer_kind("device", d);
    pointer_kind("inside device", (char *)d + 5);
    pointer_kind("pinned", pinned);
    pointer_kind("managed", managed);
    pointer_kind("host", host_var);
    pointer_kind("NULL", NULL);
    cudaFree(d);
    pointer_kind("freed", d);
    CALL(cudaPointerGetAttributes(NULL, d));
    CALL(cudaGetLastError());
}

/* ---- faults of kernels, and what every later call says ---- */

static void after_fault()
{
    int x = 0, n;
    void *p;
    cudaStream_t s;
    cudaEvent_t e;
    CALL(cudaPeekAtLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaPeekAtLastError());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaMalloc(&p, 4));
    CALL(cudaMalloc(&p, 0));
    CALL(cudaFree(NULL));
    CALL(cudaMemcpy(&x, &n, 4, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(&x, &n, 0, cudaMemcpyHostToDevice));
    LAUNCH(nothing<<<1, 1>>>());
    LAUNCH(nothing<<<1, 2048>>>());
    CALL(cudaStreamCreate(&s));
    CALL(cudaEventCreate(&e));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaStreamQuery(0));
    CALL(cudaMallocHost(&p, 4));
    CALL(cudaGetDeviceCount(&n));
    CALL(cudaGetDevice(&n));
    CALL(cudaSetDevice(0));
    CALL(cudaSetDevice(-1));
    CALL(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    size_t a, b;
    CALL(cudaMemGetInfo(&a, &b));
    CALL(cudaRuntimeGetVersion(&n));
    CALL(cudaGetLastError());
    CALL(cudaDeviceReset());
    CALL(cudaGetLastError());
    CALL(cudaMalloc(&p, 4));
    LAUNCH(nothing<<<1, 1>>>());
    CALL(cudaDeviceSynchronize());
}
static void fault_out_of_bounds() { LAUNCH(store<<<1, 1>>>(new_array(16), 1ll << 34)); after_fault(); }
static void fault_null() { LAUNCH(store<<<1, 1>>>((int *)NULL, 0)); after_fault(); }
static void fault_read() { LAUNCH(load<<<1, 1>>>(new_array(16), 1ll << 34, new_array(16))); CALL(cudaDeviceSynchronize()); }
static void fault_misaligned() { LAUNCH(store_byte_offset<<<1, 1>>>((char *)new_array(16), 1)); after_fault(); }
static void fault_trap() { LAUNCH(trap<<<1, 1>>>()); after_fault(); }
static void fault_assert() { LAUNCH(assert_false<<<1, 1>>>(0)); after_fault(); }
static void fault_in_free_and_copy()
{
    int h[4], *d = new_array(16);
    LAUNCH(store<<<1, 1>>>(d, 1ll << 34));
    CALL(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    CALL(cudaFree(d));
}
static void fault_seen_by_event()
{
    cudaEvent_t a, b;
    cudaStream_t s;
    float ms;
    CALL(cudaEventCreate(&a));
    CALL(cudaEventCreate(&b));
    CALL(cudaStreamCreate(&s));
    CALL(cudaEventRecord(a, s));
    int *p = new_array(16);
    LAUNCH(store<<<1, 1, 0, s>>>(p, 1ll << 34));
    CALL(cudaEventRecord(b, s));
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventDestroy(a));
    CALL(cudaStreamDestroy(s));
}
static void fault_shared_far() { LAUNCH(store_shared<<<1, 1, 64>>>(1 << 22, new_array(16))); CALL(cudaDeviceSynchronize()); }
static void fault_stack()
{
    LAUNCH(overflow_stack<<<1, 1>>>(new_array(16)));
    CALL(cudaDeviceSynchronize());
}
static void fault_atomic_on_local()
{
    LAUNCH(atomic_on_local<<<1, 1>>>(new_array(16), 3));
    CALL(cudaDeviceSynchronize());
}
static void fault_function_pointer()
{
    LAUNCH(call_pointer<<<1, 1>>>((Action)NULL, new_array(16)));
    CALL(cudaDeviceSynchronize());
}
static void device_heap()
{
    int *p;
    cudaMallocManaged(&p, 4);
    device_malloc<<<1, 1>>>(p, 1024);
    CALL(cudaDeviceSynchronize());
    VALUE(*p);
    device_malloc<<<1, 1>>>(p, (size_t)1 << 32);
    CALL(cudaDeviceSynchronize());
    VALUE(*p);
}

/* ---- last error ---- */

static void last_error()
{
    int n;
    CALL(cudaGetLastError());
    CALL(cudaSetDevice(-1));
    CALL(cudaGetDevice(&n));
    CALL(cudaPeekAtLastError());
    CALL(cudaMemset(NULL, 0, 4));
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    CALL(cudaGetDevice(NULL));
    CALL(cudaGetLastError());
    LAUNCH(spin<<<1, 1>>>(200000000));
    CALL(cudaStreamQuery(0));
    CALL(cudaPeekAtLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaStreamQuery(0));
}
static void error_text()
{
    for (int e = 0; e < 1000; e++)
        if (strcmp(cudaGetErrorName((cudaError_t)e), "unrecognized error code") != 0)
            printf("%s | %d | %s: %s\n", situation, e, cudaGetErrorName((cudaError_t)e), cudaGetErrorString((cudaError_t)e));
    printf("%s | -1 | %s: %s\n", situation, cudaGetErrorName((cudaError_t)-1), cudaGetErrorString((cudaError_t)-1));
}

/* ---- devices ---- */

static void devices()
{
    int n;
    cudaDeviceProp prop;
    CALL(cudaSetDevice(99));
    CALL(cudaSetDevice(-1));
    CALL(cudaGetDeviceCount(NULL));
    CALL(cudaGetDeviceProperties(&prop, 99));
    CALL(cudaGetDeviceProperties(&prop, -1));
    CALL(cudaGetDeviceProperties(NULL, 0));
    CALL(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    CALL(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    CALL(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    CALL(cudaDeviceCanAccessPeer(&n, 0, 0));
    VALUE(n);
    CALL(cudaDeviceCanAccessPeer(&n, 0, 99));
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(99, 0));
    CALL(cudaDeviceEnablePeerAccess(0, 5));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDriverGetVersion(NULL));
    CALL(cudaRuntimeGetVersion(NULL));
    CALL(cudaRuntimeGetVersion(&n));
    VALUE(n / 1000);
    CALL(cudaGetLastError());
    CALL(cudaSetDeviceFlags(0xFF00));
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    unsigned flags;
    CALL(cudaGetDeviceFlags(&flags));
    VALUE(flags);
    CALL(cudaInitDevice(0, 0, 0));
    CALL(cudaInitDevice(99, 0, 0));
    cudaMemPool_t pool;
    CALL(cudaDeviceGetDefaultMemPool(&pool, 99));
}
static void limits()
{
    size_t n = 0;
    CALL(cudaDeviceGetLimit(&n, cudaLimitStackSize));
    VALUE(n);
    CALL(cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize));
    VALUE(n);
    CALL(cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize));
    VALUE(n);
    CALL(cudaDeviceGetLimit(&n, (cudaLimit)99));
    CALL(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CALL(cudaDeviceGetLimit(&n, cudaLimitStackSize));
    VALUE(n);
    CALL(cudaDeviceSetLimit((cudaLimit)99, 1));
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    device_malloc<<<1, 1>>>(new_array(4), 16);
    CALL(cudaDeviceSynchronize());
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
}

/* ---- streams and events ---- */

static void streams()
{
    cudaStream_t s;
    int n, low, high;
    CALL(cudaStreamCreate(NULL));
    CALL(cudaStreamCreateWithFlags(&s, 77));
    CALL(cudaDeviceGetStreamPriorityRange(&low, &high));
    VALUE(low);
    VALUE(high);
    CALL(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
    CALL(cudaStreamGetPriority(s, &n));
    VALUE(n);
    CALL(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 100));
    CALL(cudaStreamGetPriority(s, &n));
    VALUE(n);
    unsigned flags;
    CALL(cudaStreamGetFlags(s, &flags));
    VALUE(flags);
    CALL(cudaStreamGetFlags(s, NULL));
    CALL(cudaStreamQuery(s));
    CALL(cudaStreamDestroy(s));
    CALL(cudaStreamDestroy(0));
    CALL(cudaStreamSynchronize(0));
    CALL(cudaStreamSynchronize(cudaStreamLegacy));
    CALL(cudaStreamSynchronize(cudaStreamPerThread));
    CALL(cudaStreamWaitEvent(0, NULL, 0));
    CALL(cudaLaunchHostFunc(0, NULL, NULL));
    CALL(cudaStreamAddCallback(0, NULL, NULL, 0));
}
static void stream_destroyed_query() { cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s); CALL(cudaStreamQuery(s)); }
static void stream_destroyed_twice() { cudaStream_t s; cudaStreamCreate(&s); cudaStreamDestroy(s); CALL(cudaStreamDestroy(s)); }
static void stream_destroyed_launch()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    LAUNCH(nothing<<<1, 1, 0, s>>>());
}
static void stream_garbage() { CALL(cudaStreamSynchronize((cudaStream_t)host_var)); }
static void events()
{
    cudaEvent_t a, b, c;
    float ms;
    CALL(cudaEventCreate(NULL));
    CALL(cudaEventCreateWithFlags(&a, 0xFF00));
    CALL(cudaEventCreateWithFlags(&a, cudaEventInterprocess));
    CALL(cudaEventCreate(&a));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventSynchronize(a));
    CALL(cudaEventQuery(a));
    CALL(cudaStreamWaitEvent(0, a, 0));
    CALL(cudaStreamWaitEvent(0, a, 7));
    CALL(cudaEventRecord(a, 0));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventRecord(b, 0));
    CALL(cudaEventRecord(c, 0));
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaEventElapsedTime(&ms, a, c));
    CALL(cudaEventElapsedTime(NULL, a, b));
    CALL(cudaEventElapsedTime(&ms, NULL, b));
    CALL(cudaEventRecord(NULL, 0));
    CALL(cudaEventQuery(NULL));
    CALL(cudaEventSynchronize(NULL));
    CALL(cudaEventDestroy(NULL));
    LAUNCH(spin<<<1, 1>>>(200000000));
    CALL(cudaEventRecord(b, 0));
    CALL(cudaEventQuery(b));
    CALL(cudaEventElapsedTime(&ms, a, b));
    CALL(cudaGetLastError());
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventQuery(b));
    CALL(cudaEventDestroy(a));
}
static void event_destroyed_record() { cudaEvent_t e; cudaEventCreate(&e); cudaEventDestroy(e); CALL(cudaEventRecord(e, 0)); }
static void event_destroyed_twice() { cudaEvent_t e; cudaEventCreate(&e); cudaEventDestroy(e); CALL(cudaEventDestroy(e)); }
static void occupancy()
{
    int n = -1, m = -1;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1024, 0));
    VALUE(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 2048, 0));
    VALUE(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, -1, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)NULL, nothing, 32, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32, (size_t)1 << 30));
    VALUE(n);
    CALL(cudaOccupancyMaxPotentialBlockSize(&n, &m, nothing, 0, 0));
    VALUE(m);
}
static void function_attributes()
{
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, bounded));
    VALUE(a.maxThreadsPerBlock);
    VALUE(a.sharedSizeBytes);
    VALUE(a.constSizeBytes);
    VALUE(a.localSizeBytes);
    VALUE(a.ptxVersion);
    VALUE(a.maxDynamicSharedSizeBytes);
    CALL(cudaFuncGetAttributes(&a, static_shared));
    VALUE(a.sharedSizeBytes);
    VALUE(a.maxDynamicSharedSizeBytes);
    VALUE(a.maxThreadsPerBlock);
}
static void managed()
{
    int *p, h[4];
    CALL(cudaMallocManaged(&p, 64));
    CALL(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachHost));
    CALL(cudaStreamAttachMemAsync(0, host_var, 0, cudaMemAttachGlobal));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 99};
    CALL(cudaMemPrefetchAsync(p, 64, here, 0, 0));
    CALL(cudaMemPrefetchAsync(p, 64, nowhere, 0, 0));
    CALL(cudaMemPrefetchAsync(new_array(64), 64, here, 0, 0));
    CALL(cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly, here));
    CALL(cudaMemAdvise(p, 64, (cudaMemoryAdvise)99, here));
    CALL(cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(p, h, 16, cudaMemcpyHostToHost));
    CALL(cudaDeviceSynchronize());
}

#define SITUATION(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} situations[] = {
    SITUATION(threads_2048), SITUATION(threads_1025), SITUATION(threads_1024), SITUATION(threads_3d_product),
    SITUATION(threads_z_65), SITUATION(threads_y_1025), SITUATION(threads_0), SITUATION(threads_y_0), SITUATION(grid_0),
    SITUATION(grid_y_0), SITUATION(grid_y_65536), SITUATION(grid_z_65536), SITUATION(grid_x_2_31),
    SITUATION(grid_0_and_threads_2048), SITUATION(launch_bounds), SITUATION(last_error_of_launch),
    SITUATION(shared_dynamic_48k), SITUATION(shared_dynamic_over_48k), SITUATION(shared_dynamic_1m),
    SITUATION(shared_static_and_dynamic), SITUATION(shared_attribute), SITUATION(kernel_null), SITUATION(no_image),
    SITUATION(cooperative_too_large), SITUATION(launch_ex), SITUATION(malloc_arguments), SITUATION(free_host_pointer),
    SITUATION(free_interior), SITUATION(free_twice), SITUATION(free_freed_by_reset), SITUATION(free_pinned_with_free),
    SITUATION(free_device_with_free_host), SITUATION(free_host_malloc), SITUATION(free_managed),
    SITUATION(malloc_host_arguments), SITUATION(host_register), SITUATION(pitch), SITUATION(pool_allocation),
    SITUATION(mem_info), SITUATION(memcpy_arguments), SITUATION(memcpy_direction_swapped_1),
    SITUATION(memcpy_direction_swapped_2), SITUATION(memcpy_d2d_from_host), SITUATION(memcpy_d2d_to_host),
    SITUATION(memcpy_h2h_with_device), SITUATION(memcpy_past_end), SITUATION(memcpy_freed), SITUATION(memcpy_async),
    SITUATION(memset_arguments), SITUATION(memcpy_2d), SITUATION(symbols), SITUATION(pointer_attributes),
    SITUATION(fault_out_of_bounds), SITUATION(fault_null), SITUATION(fault_read), SITUATION(fault_misaligned),
    SITUATION(fault_trap), SITUATION(fault_assert), SITUATION(fault_in_free_and_copy), SITUATION(fault_seen_by_event),
    SITUATION(fault_shared_far), SITUATION(fault_stack), SITUATION(fault_atomic_on_local),
    SITUATION(fault_function_pointer), SITUATION(device_heap), SITUATION(last_error), SITUATION(error_text),
    SITUATION(devices), SITUATION(limits), SITUATION(streams), SITUATION(stream_destroyed_query),
    SITUATION(stream_destroyed_twice), SITUATION(stream_destroyed_launch), SITUATION(stream_garbage), SITUATION(events),
    SITUATION(event_destroyed_record), SITUATION(event_destroyed_twice), SITUATION(occupancy),
    SITUATION(function_attributes), SITUATION(managed),
};
enum { N_SITUATIONS = sizeof situations / sizeof situations[0] };

/* Runs one situation in a child of its own, and says so when the child died of a signal. */
static void run_forked(int i)
{
    fflush(stdout);
    situation = situations[i].name;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        situations[i].run();
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s | ended by | signal %d\n", situation, WTERMSIG(status));
}

static int print_device()
{
    for (int attribute = 1; attribute < 200; attribute++) {
        int value;
        if (cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0) == cudaSuccess)
            printf("attribute %d %d\n", attribute, value);
    }
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    printf("name %s\ntotalGlobalMem %zu\ntotalConstMem %zu\nsharedMemPerBlock %zu\ntexturePitchAlignment %zu\n", p.name,
           p.totalGlobalMem, p.totalConstMem, p.sharedMemPerBlock, p.texturePitchAlignment);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--device") == 0)
        return print_device();
    for (int i = 0; i < N_SITUATIONS; i++) {
        bool wanted = argc == 1 && strcmp(situations[i].name, "no_image") != 0;
        for (int k = 1; k < argc; k++)
            wanted = wanted || strcmp(argv[k], situations[i].name) == 0;
        if (argc == 2 && strcmp(argv[1], "--list") == 0)
            puts(situations[i].name);
        else if (wanted)
            run_forked(i);
    }
    return 0;
}
