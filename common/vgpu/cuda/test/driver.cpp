/* The driver API's behaviour, call by call. Prints TAP; what it prints is the same on a real GPU of any kind:
 *
 *      g++ -pthread -o driver driver.cpp -lcuda && ./driver
 *
 * Nothing but the driver API is used. The PTX is written by hand for compute capability 7.5.
 */
#include <cuda.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int n_tests, n_bad;

static void same(const char *name, long long expected, long long got)
{
    bool ok = expected == got;
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++n_tests, name);
    if (!ok)
        printf("#   expected %lld, got %lld\n", expected, got);
    n_bad += !ok;
}

static void same_text(const char *name, const char *expected, const char *got)
{
    bool ok = got != NULL && strcmp(expected, got) == 0;
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++n_tests, name);
    if (!ok)
        printf("#   expected %s, got %s\n", expected, got == NULL ? "(null)" : got);
    n_bad += !ok;
}

#define GOOD(call)        same(#call, CUDA_SUCCESS, call)
#define FAILS(code, call) same(#call " fails: " #code, code, call)

static const char ptx[] = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry add(.param .u64 p, .param .u32 n, .param .u32 a)
{
    .reg .pred %p; .reg .b32 %r<7>; .reg .b64 %d<3>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [a];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r0;
    @%p bra DONE;
    cvta.to.global.u64 %d0, %d0;
    mul.wide.u32 %d1, %r5, 4;
    add.u64 %d1, %d0, %d1;
    ld.global.u32 %r6, [%d1];
    add.u32 %r6, %r6, %r1;
    st.global.u32 [%d1], %r6;
DONE:
    ret;
}
.visible .entry bump()
{
    .reg .b32 %r<2>;
    ld.global.u32 %r0, [counter];
    add.u32 %r0, %r0, 1;
    st.global.u32 [counter], %r0;
    ret;
}
)";

static const char broken[] = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .entry broken()
{
    this is no instruction;
    ret;
}
)";

static const char part_a[] = R"(
.version 7.5
.target sm_75
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry use(.param .u64 p)
{
    .reg .b32 %r<2>; .reg .b64 %d;
    ld.param.u64 %d, [p];
    cvta.to.global.u64 %d, %d;
    ld.global.u32 %r0, [%d];
    {
        .param .b32 x; .param .b32 r;
        st.param.b32 [x], %r0;
        call.uni (r), twice, (x);
        ld.param.b32 %r1, [r];
    }
    st.global.u32 [%d], %r1;
    ret;
}
)";

static const char part_b[] = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r0, [x];
    add.u32 %r1, %r0, %r0;
    st.param.b32 [r], %r1;
    ret;
}
)";

static CUdevice device;
static CUcontext context;

/* ---- before and at the beginning ---- */

static void beginnings()
{
    int n = 0, version = 0;
    FAILS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
    GOOD(cuDriverGetVersion(&version));
    same("the driver's version is 13.0 or newer", 1, version >= 13000);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    GOOD(cuInit(0));
    GOOD(cuDeviceGetCount(&n));
    same("there is a device", 1, n >= 1);
    GOOD(cuDeviceGet(&device, 0));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, n));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
}

static void devices()
{
    char name[100] = "";
    int warp = 0, major = 0;
    size_t bytes = 0;
    CUuuid uuid;
    GOOD(cuDeviceGetName(name, sizeof name, device));
    same("it has a name", 1, name[0] != 0);
    GOOD(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    same("32 lanes a warp", 32, warp);
    GOOD(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    same("compute capability 7.5 or above", 1, major >= 7);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&warp, (CUdevice_attribute)100000, device));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
    GOOD(cuDeviceTotalMem(&bytes, device));
    same("more than a gigabyte", 1, bytes > (size_t)1 << 30);
    GOOD(cuDeviceGetUuid(&uuid, device));
}

/* ---- contexts ---- */

static void contexts()
{
    CUcontext now = (CUcontext)1, second = NULL, popped = NULL;
    CUdeviceptr p;
    unsigned flags = 0, version = 0;
    CUdevice d = -1;
    GOOD(cuCtxGetCurrent(&now));
    same("no context at first", 0, now != NULL);
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&context, NULL, 0, 1000));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&context, NULL, 0x4000, device));
    GOOD(cuCtxCreate(&context, NULL, CU_CTX_SCHED_BLOCKING_SYNC, device));
    GOOD(cuCtxGetCurrent(&now));
    same("a new context is current", 1, now == context);
    GOOD(cuCtxGetDevice(&d));
    same("its device", device, d);
    GOOD(cuCtxGetFlags(&flags));
    same("its flags", CU_CTX_SCHED_BLOCKING_SYNC, flags & CU_CTX_SCHED_MASK);
    GOOD(cuCtxGetApiVersion(context, &version));
    GOOD(cuCtxCreate(&second, NULL, 0, device));
    GOOD(cuCtxGetCurrent(&now));
    same("the second is current", 1, now == second);
    GOOD(cuCtxPopCurrent(&popped));
    same("it is popped", 1, popped == second);
    GOOD(cuCtxGetCurrent(&now));
    same("the first is current again", 1, now == context);
    GOOD(cuCtxPushCurrent(second));
    GOOD(cuCtxDestroy(second));
    GOOD(cuCtxGetCurrent(&now));
    same("destroying the current one pops it", 1, now == context);
    GOOD(cuCtxSetCurrent(NULL));
    GOOD(cuCtxGetCurrent(&now));
    same("setting none pops the last", 0, now != NULL);
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&popped));
    GOOD(cuCtxSetCurrent(context));
    GOOD(cuCtxSynchronize());
}

/* Another thread has no context until it takes one. */
static void *other_thread(void *)
{
    CUcontext now = (CUcontext)1;
    CUdeviceptr p = 0;
    GOOD(cuCtxGetCurrent(&now));
    same("a new thread has no context", 0, now != NULL);
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    GOOD(cuCtxPushCurrent(context));
    GOOD(cuMemAlloc(&p, 4));
    GOOD(cuMemFree(p));
    GOOD(cuCtxPopCurrent(&now));
    same("a context may be current to two threads", 1, now == context);
    return NULL;
}

static void threads()
{
    pthread_t thread;
    same("a thread starts", 0, pthread_create(&thread, NULL, other_thread, NULL));
    pthread_join(thread, NULL);
}

static void primary()
{
    CUcontext one = NULL, two = NULL;
    unsigned flags;
    int active = -1;
    GOOD(cuDevicePrimaryCtxGetState(device, &flags, &active));
    same("the primary context is not active", 0, active);
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device));
    GOOD(cuDevicePrimaryCtxRetain(&one, device));
    GOOD(cuDevicePrimaryCtxRetain(&two, device));
    same("one primary context", 1, one == two && one != context);
    GOOD(cuDevicePrimaryCtxGetState(device, &flags, &active));
    same("now it is", 1, active);
    GOOD(cuDevicePrimaryCtxRelease(device));
    GOOD(cuDevicePrimaryCtxRelease(device));
    GOOD(cuDevicePrimaryCtxGetState(device, &flags, &active));
    same("released, it is not", 0, active);
}

/* ---- modules ---- */

static CUmodule module;
static CUfunction add, bump;

static void modules()
{
    CUmodule other = NULL;
    CUfunction f;
    CUdeviceptr counter = 0;
    size_t bytes = 0;
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuModuleGetFunction(&bump, module, "bump"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, module, "subtract"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&counter, &bytes, module, "nothing"));
    GOOD(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
    same("the variable's size", 4, bytes);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&other, NULL));
    FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&other, "/no/such/file.ptx"));
    int value = 0;
    GOOD(cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuMemcpyDtoH(&value, counter, 4));
    same("the kernel changed the variable", 6, value);
    GOOD(cuModuleLoadData(&other, ptx));
    GOOD(cuModuleGetGlobal(&counter, &bytes, other, "counter"));
    GOOD(cuMemcpyDtoH(&value, counter, 4));
    same("each module has its own variables", 5, value);
    GOOD(cuModuleUnload(other));
}

static void logs()
{
    CUmodule other = NULL;
    char error_log[2000] = "", info[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error_log, (void *)sizeof error_log, info, (void *)sizeof info};
    FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&other, broken, 4, options, values));
    same("the log names the line", 1, strstr(error_log, "line 7") != NULL);
    same("its size comes back", 1, (size_t)values[1] > 0 && (size_t)values[1] <= sizeof error_log);
    values[1] = (void *)sizeof error_log;
    values[3] = (void *)sizeof info;
    GOOD(cuModuleLoadDataEx(&other, ptx, 4, options, values));
    GOOD(cuModuleUnload(other));
}

static void files()
{
    char path[] = "/tmp/driver-test-XXXXXX";
    CUmodule other = NULL;
    CUfunction f = NULL;
    int fd = mkstemp(path);
    same("the file is written", sizeof ptx - 1, write(fd, ptx, sizeof ptx - 1));
    close(fd);
    GOOD(cuModuleLoad(&other, path));
    GOOD(cuModuleGetFunction(&f, other, "add"));
    GOOD(cuModuleUnload(other));
    unlink(path);
}

/* ---- launches ---- */

static int first_of(CUdeviceptr p)
{
    int value = -1;
    cuMemcpyDtoH(&value, p, 4);
    return value;
}

static void launches()
{
    CUdeviceptr p = 0;
    int n = 1000, a = 3, values[1000];
    GOOD(cuMemAlloc(&p, sizeof values));
    GOOD(cuMemsetD32(p, 10, 1000));
    void *params[] = {&p, &n, &a};
    GOOD(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    GOOD(cuCtxSynchronize());
    GOOD(cuMemcpyDtoH(values, p, sizeof values));
    int wrong = 0;
    for (int i = 0; i < 1000; i++)
        wrong += values[i] != 13;
    same("every element got its sum", 0, wrong);

    struct {
        CUdeviceptr p;
        int n, a;
    } packed = {p, n, 100};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    GOOD(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    same("parameters in one buffer", 113, first_of(p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, params, extra));

    CUlaunchConfig config = {};
    config.gridDimX = 4;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 256;
    GOOD(cuLaunchKernelEx(&config, add, params, NULL));
    same("cuLaunchKernelEx", 116, first_of(p));
    GOOD(cuLaunchCooperativeKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, params));
    same("cuLaunchCooperativeKernel", 119, first_of(p));

    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 0, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, params, NULL));
    GOOD(cuMemFree(p));
}

static void functions()
{
    int value = -1, blocks = 0, grid = 0, block = 0;
    const char *name = NULL;
    size_t offset = 0, bytes = 0;
    CUmodule owner = NULL;
    GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
    same("threads a block", 1024, value);
    GOOD(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, add));
    same("no shared memory", 0, value);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)1000, add));
    GOOD(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152));
    GOOD(cuFuncGetName(&name, add));
    same_text("its name", "add", name);
    GOOD(cuFuncGetParamInfo(add, 1, &offset, &bytes));
    same("offset of the second parameter", 8, offset);
    same("its size", 4, bytes);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(add, 3, &offset, &bytes));
    GOOD(cuFuncGetModule(&owner, add));
    same("its module", 1, owner == module);
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    same("some blocks fit", 1, blocks >= 1);
    GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 0));
    same("whole warps, and a grid", 1, block > 0 && block % 32 == 0 && grid > 0);
}

/* ---- memory ---- */

static void allocations()
{
    CUdeviceptr p = 0, base = 0, managed = 0;
    size_t free_bytes = 0, total = 0, bytes = 0, pitch = 0;
    void *host = NULL;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 50));
    GOOD(cuMemAlloc(&p, 1000));
    GOOD(cuMemGetInfo(&free_bytes, &total));
    same("some of it is free", 1, free_bytes > 0 && free_bytes < total);
    GOOD(cuMemGetAddressRange(&base, &bytes, p + 100));
    same("the allocation's start", 1, base == p);
    same("its bytes", 1000, bytes);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 4));
    GOOD(cuMemFree(p));
    GOOD(cuMemAllocPitch(&p, &pitch, 100, 7, 4));
    same("a pitch", 1, pitch >= 100 && pitch % 4 == 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&p, &pitch, 100, 7, 3));
    GOOD(cuMemFree(p));
    GOOD(cuMemAllocManaged(&managed, 4000, CU_MEM_ATTACH_GLOBAL));
    if (managed == 0)
        return; /* --fail-at */
    int *m = (int *)managed, n = 1000, a = 1;
    for (int i = 0; i < n; i++)
        m[i] = i;
    void *params[] = {&managed, &n, &a};
    GOOD(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    GOOD(cuCtxSynchronize());
    same("managed memory on the host", 1000, m[999]);
    GOOD(cuMemFree(managed));
    GOOD(cuMemAllocHost(&host, 400));
    GOOD(cuMemHostGetDevicePointer(&p, host, 0));
    same("pinned memory has one address", 1, p == (CUdeviceptr)host);
    GOOD(cuMemFreeHost(host));
    host = malloc(8192);
    GOOD(cuMemHostRegister(host, 8192, 0));
    FAILS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(host, 8192, 0));
    GOOD(cuMemHostUnregister(host));
    FAILS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(host));
    free(host);
}

static void pointers()
{
    CUdeviceptr p = 0, start = 0;
    unsigned type = 0, managed = 9;
    int ordinal = -1, local = 0;
    CUcontext owner = NULL;
    GOOD(cuMemAlloc(&p, 256));
    GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    same("device memory", CU_MEMORYTYPE_DEVICE, type);
    GOOD(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    same("not managed", 0, managed);
    GOOD(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    same("of the first device", 0, ordinal);
    GOOD(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 5));
    same("where it starts", 1, start == p);
    GOOD(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    same("its context", 1, owner == context);
    FAILS(CUDA_ERROR_INVALID_VALUE,
          cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local));
    GOOD(cuMemFree(p));
}

static void copies()
{
    CUdeviceptr p = 0, q = 0;
    int in[64], out[64] = {0};
    for (int i = 0; i < 64; i++)
        in[i] = i * i;
    GOOD(cuMemAlloc(&p, 256));
    GOOD(cuMemAlloc(&q, 256));
    GOOD(cuMemcpyHtoD(p, in, 256));
    GOOD(cuMemcpyDtoD(q, p, 256));
    GOOD(cuMemcpy((CUdeviceptr)out, q, 256));
    same("there and back", 0, memcmp(in, out, sizeof in));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, in, 257));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(NULL, p, 4));

    CUDA_MEMCPY2D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = in;
    box.srcPitch = 32;
    box.srcXInBytes = 4;
    box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.dstDevice = p;
    box.dstPitch = 16;
    box.WidthInBytes = 16;
    box.Height = 4;
    GOOD(cuMemcpy2D(&box));
    GOOD(cuMemcpyDtoH(out, p, 64));
    same("first element of the box", in[9], out[0]);
    same("last element of the box", in[36], out[15]);
    box.srcPitch = 12;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&box));

    CUDA_MEMCPY3D cube = {};
    cube.srcMemoryType = CU_MEMORYTYPE_HOST;
    cube.srcHost = in;
    cube.srcPitch = 16;
    cube.srcHeight = 4;
    cube.srcZ = 1;
    cube.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    cube.dstDevice = q;
    cube.dstPitch = 8;
    cube.dstHeight = 2;
    cube.WidthInBytes = 8;
    cube.Height = 2;
    cube.Depth = 2;
    GOOD(cuMemcpy3D(&cube));
    GOOD(cuMemcpyDtoH(out, q, 32));
    same("first element of the cube", in[16], out[0]);
    same("last element of the cube", in[37], out[7]);

    GOOD(cuMemsetD8(p, 0xAB, 3));
    GOOD(cuMemsetD16(p + 4, 0x1234, 2));
    GOOD(cuMemsetD32(p + 8, 0xDEADBEEF, 1));
    GOOD(cuMemsetD2D32(p + 16, 16, 77, 2, 3));
    GOOD(cuMemcpyDtoH(out, p, 64));
    same("D8", 0xABABAB, out[0] & 0xFFFFFF);
    same("D16", 0x12341234, out[1]);
    same("D32", (int)0xDEADBEEF, out[2]);
    same("D2D32, second row", 77, out[9]);
    same("D2D32, beside the row", in[19], out[6]);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 0, 65));
    GOOD(cuMemFree(p));
    GOOD(cuMemFree(q));
}

/* ---- arrays ---- */

static CUarray array_of(size_t width, size_t height, CUarray_format format, unsigned channels)
{
    CUarray a = NULL;
    CUDA_ARRAY_DESCRIPTOR d = {};
    d.Width = width;
    d.Height = height;
    d.Format = format;
    d.NumChannels = channels;
    GOOD(cuArrayCreate(&a, &d));
    return a;
}

static void array_errors()
{
    CUarray a = NULL;
    CUDA_ARRAY_DESCRIPTOR d = {};
    CUDA_ARRAY3D_DESCRIPTOR deep = {};
    d.Width = 8;
    d.Format = CU_AD_FORMAT_FLOAT;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d)); /* no channels */
    d.NumChannels = 3;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d));
    d.NumChannels = 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(NULL, &d));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, NULL));
    d.Format = (CUarray_format)0xb0; /* planes */
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate(&a, &d));
    d.Format = CU_AD_FORMAT_FLOAT;
    d.Width = 0;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d));
    d.Width = 131073;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&a, &d));
    deep.Width = deep.Height = 8;
    deep.Depth = 5; /* faces */
    deep.Format = CU_AD_FORMAT_FLOAT;
    deep.NumChannels = 1;
    deep.Flags = CUDA_ARRAY3D_CUBEMAP;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, &deep));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor(&d, NULL));
}

static void array_boxes()
{
    short in[8 * 6], out[8 * 6] = {0};
    CUarray a = array_of(4, 6, CU_AD_FORMAT_SIGNED_INT16, 2), b = array_of(4, 6, CU_AD_FORMAT_SIGNED_INT16, 2);
    for (int i = 0; i < 48; i++)
        in[i] = (short)(i * 7);
    CUDA_MEMCPY2D to = {};
    to.srcMemoryType = CU_MEMORYTYPE_HOST;
    to.srcHost = in;
    to.srcPitch = 16;
    to.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    to.dstArray = a;
    to.WidthInBytes = 16;
    to.Height = 6;
    GOOD(cuMemcpy2D(&to));
    CUDA_MEMCPY2D across = to;
    across.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    across.srcArray = a;
    across.dstArray = b;
    GOOD(cuMemcpy2DAsync(&across, 0));
    CUDA_MEMCPY2D back = {};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = b;
    back.srcXInBytes = 4; /* the second element */
    back.srcY = 2;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = out;
    back.dstPitch = 16;
    back.WidthInBytes = 8;
    back.Height = 3;
    GOOD(cuMemcpy2D(&back));
    same("a box from the middle of an array", in[2 * 8 + 2], out[0]);
    same("its last row and column", in[4 * 8 + 5], out[2 * 8 + 3]);
    same("nothing beside it", 0, out[4]);
    back.srcXInBytes = 2; /* half an element */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&back));
    back.srcXInBytes = 12; /* past the row */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&back));
    back.srcXInBytes = 0;
    back.srcY = 4;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&back));
    GOOD(cuArrayDestroy(a));
    back.srcArray = a;
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D(&back));
    GOOD(cuArrayDestroy(b));
}

static void array_runs()
{
    float in[16], out[16] = {0};
    CUdeviceptr p = 0;
    CUstream s = NULL;
    CUarray a = array_of(16, 0, CU_AD_FORMAT_FLOAT, 1), b = array_of(16, 0, CU_AD_FORMAT_FLOAT, 1);
    for (int i = 0; i < 16; i++)
        in[i] = (float)i / 2;
    GOOD(cuMemAlloc(&p, sizeof in));
    GOOD(cuStreamCreate(&s, CU_STREAM_DEFAULT));
    GOOD(cuMemcpyHtoA(a, 0, in, sizeof in));
    GOOD(cuMemcpyAtoA(b, 0, a, 0, sizeof in));
    GOOD(cuMemcpyAtoD(p, b, 0, sizeof in));
    GOOD(cuMemcpyDtoA(b, 32, p, 32)); /* the first half over the second */
    GOOD(cuMemcpyAtoH(out, b, 0, sizeof in));
    same("elements 0, 7 and 8", 7, (int)(out[0] + out[7] + out[8] * 2 + 3.5f));
    GOOD(cuMemcpyHtoAAsync(a, 8, in, 8, s));
    GOOD(cuMemcpyAtoHAsync(out, a, 8, 8, s));
    GOOD(cuStreamSynchronize(s));
    same("an offset in bytes", 0, memcmp(in, out, 8));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(a, 4, in, sizeof in));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoH(out, NULL, 0, 4));
    GOOD(cuArrayDestroy(a));
    GOOD(cuArrayDestroy(b));
    GOOD(cuStreamDestroy(s));
    GOOD(cuMemFree(p));
}

static void arrays()
{
    CUDA_ARRAY_DESCRIPTOR flat = {};
    CUDA_ARRAY3D_DESCRIPTOR deep = {}, told = {};
    CUarray a = array_of(20, 10, CU_AD_FORMAT_HALF, 4);
    GOOD(cuArrayGetDescriptor(&flat, a));
    same("its size", 2010, (long long)flat.Width * 100 + (long long)flat.Height);
    same("its format", CU_AD_FORMAT_HALF * 10 + 4, flat.Format * 10 + (int)flat.NumChannels);
    GOOD(cuArrayDestroy(a));
    deep.Width = 5;
    deep.Height = 4;
    deep.Depth = 3;
    deep.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    deep.NumChannels = 1;
    deep.Flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST;
    GOOD(cuArray3DCreate(&a, &deep));
    GOOD(cuArray3DGetDescriptor(&told, a));
    same("layers", 0, memcmp(&deep, &told, sizeof deep));

    unsigned char in[60], out[60] = {0};
    for (int i = 0; i < 60; i++)
        in[i] = (unsigned char)(i + 1);
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = in;
    c.srcPitch = 5;
    c.srcHeight = 4;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = 5;
    c.Height = 4;
    c.Depth = 3;
    GOOD(cuMemcpy3D(&c));
    CUDA_MEMCPY3D back = {};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = a;
    back.srcZ = 1;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = out;
    back.dstPitch = 5;
    back.dstHeight = 4;
    back.WidthInBytes = 5;
    back.Height = 4;
    back.Depth = 2;
    GOOD(cuMemcpy3D(&back));
    same("two layers of three", 0, memcmp(in + 20, out, 40));
    GOOD(cuArrayDestroy(a));
    array_errors();
    array_boxes();
    array_runs();
}

/* ---- streams and events ---- */

static void count_up(void *data)
{
    ++*(int *)data;
}

static void on_callback(CUstream, CUresult result, void *data)
{
    *(int *)data += result == CUDA_SUCCESS ? 10 : 1000;
}

static void streams()
{
    CUstream stream = NULL;
    CUevent start = NULL, end = NULL, quiet = NULL;
    CUdeviceptr p = 0, q = 0;
    CUcontext owner = NULL;
    int n = 256, a = 1, calls = 0, least = 1, greatest = 1;
    unsigned flags = 9;
    float ms = -1;
    void *params[] = {&p, &n, &a}, *host = NULL;
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 1000));
    GOOD(cuStreamGetFlags(stream, &flags));
    same("its flags", CU_STREAM_NON_BLOCKING, flags);
    GOOD(cuStreamGetCtx(stream, &owner));
    same("its context", 1, owner == context);
    GOOD(cuCtxGetStreamPriorityRange(&least, &greatest));
    same("priorities", 1, greatest <= least);
    GOOD(cuEventCreate(&start, CU_EVENT_DEFAULT));
    GOOD(cuEventCreate(&end, CU_EVENT_DEFAULT));
    GOOD(cuEventCreate(&quiet, CU_EVENT_DISABLE_TIMING));
    GOOD(cuMemAllocHost(&host, 1024));
    if (host == NULL)
        return; /* --fail-at */
    memset(host, 0, 1024);
    GOOD(cuMemAlloc(&p, 1024));
    GOOD(cuEventRecord(start, stream));
    GOOD(cuMemcpyHtoDAsync(p, host, 1024, stream));
    GOOD(cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, stream, params, NULL));
    GOOD(cuLaunchHostFunc(stream, count_up, &calls));
    GOOD(cuStreamAddCallback(stream, on_callback, &calls, 0));
    GOOD(cuMemcpyDtoHAsync(host, p, 1024, stream));
    GOOD(cuEventRecord(end, stream));
    GOOD(cuStreamWaitEvent(NULL, end, 0));
    GOOD(cuEventSynchronize(end));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuStreamQuery(stream));
    GOOD(cuEventQuery(end));
    same("host functions ran", 11, calls);
    same("the kernel ran between the copies", 1, ((int *)host)[255]);
    GOOD(cuEventElapsedTime(&ms, start, end));
    same("time passed", 1, ms >= 0);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, start, quiet));
    GOOD(cuMemAllocAsync(&q, 1024, stream));
    GOOD(cuMemsetD32Async(q, 5, 256, stream));
    GOOD(cuMemcpyDtoHAsync(host, q, 1024, stream));
    GOOD(cuMemFreeAsync(q, stream));
    GOOD(cuStreamSynchronize(stream));
    same("memory in stream order", 5, ((int *)host)[255]);
    GOOD(cuEventDestroy(start));
    GOOD(cuEventDestroy(end));
    GOOD(cuEventDestroy(quiet));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuMemFreeHost(host));
    GOOD(cuMemFree(p));
}

/* ---- graphs ---- */

static void graphs()
{
    CUstream stream = NULL;
    CUgraph graph = NULL, built = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode fill_node = NULL, kernel_node = NULL;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUdeviceptr p = 0;
    int n = 256, a = 2;
    size_t n_nodes = 0;
    void *params[] = {&p, &n, &a};
    GOOD(cuMemAlloc(&p, 1024));
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GOOD(cuMemsetD32Async(p, 40, 256, stream));
    GOOD(cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, stream, params, NULL));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphGetNodes(graph, NULL, &n_nodes));
    same("two nodes were captured", 2, n_nodes);
    GOOD(cuGraphInstantiate(&exec, graph, 0));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
    same("the graph ran", 42, first_of(p));
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));

    CUDA_MEMSET_NODE_PARAMS fill = {};
    fill.dst = p;
    fill.value = 100;
    fill.elementSize = 4;
    fill.width = 256;
    fill.height = 1;
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    kernel.func = add;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.blockDimX = 256;
    kernel.kernelParams = params;
    GOOD(cuGraphCreate(&built, 0));
    GOOD(cuGraphAddMemsetNode(&fill_node, built, NULL, 0, &fill, context));
    GOOD(cuGraphAddKernelNode(&kernel_node, built, &fill_node, 1, &kernel));
    GOOD(cuGraphNodeGetType(kernel_node, &type));
    same("a kernel's node", CU_GRAPH_NODE_TYPE_KERNEL, type);
    GOOD(cuGraphInstantiate(&exec, built, 0));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
    same("the built graph ran", 102, first_of(p));
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(built));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuMemFree(p));
}

/* ---- linking and libraries ---- */

static void linking()
{
    CUlinkState link = NULL;
    CUmodule linked = NULL;
    CUfunction use = NULL;
    CUdeviceptr p = 0;
    void *image = NULL, *params[] = {&p};
    size_t bytes = 0;
    GOOD(cuLinkCreate(0, NULL, NULL, &link));
    GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)part_a, sizeof part_a, "a", 0, NULL, NULL));
    GOOD(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)part_b, sizeof part_b, "b", 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    same("an image came out", 1, image != NULL && bytes > 0);
    GOOD(cuModuleLoadData(&linked, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuModuleGetFunction(&use, linked, "use"));
    GOOD(cuMemAlloc(&p, 4));
    GOOD(cuMemsetD32(p, 21, 1));
    GOOD(cuLaunchKernel(use, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    same("a function of the other piece was called", 42, first_of(p));
    GOOD(cuMemFree(p));
    GOOD(cuModuleUnload(linked));
}

static void libraries()
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction f = NULL;
    CUdeviceptr counter = 0;
    size_t bytes = 0;
    int value = 0;
    GOOD(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernel(&kernel, library, "bump"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "nothing"));
    GOOD(cuKernelGetFunction(&f, kernel));
    GOOD(cuLibraryGetGlobal(&counter, &bytes, library, "counter"));
    GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuMemcpyDtoH(&value, counter, 4));
    same("two launches of a library's kernel", 7, value);
    GOOD(cuLibraryUnload(library));
}

/* ---- names ---- */

static void names()
{
    const char *text = NULL;
    void *address = NULL;
    CUdriverProcAddressQueryResult status;
    GOOD(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
    same_text("an error's name", "CUDA_ERROR_INVALID_PTX", text);
    GOOD(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    same_text("an error's text", "out of memory", text);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    GOOD(cuGetProcAddress("cuMemAlloc", &address, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    same("found", CU_GET_PROC_ADDRESS_SUCCESS, status);
    CUdeviceptr p = 0;
    typedef CUresult Alloc(CUdeviceptr *, size_t);
    if (address == NULL)
        return;
    GOOD(((Alloc *)address)(&p, 8));
    GOOD(cuMemFree(p));
    cuGetProcAddress("cuNoSuchFunction", &address, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    same("not found", CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
    cuGetProcAddress("cuLibraryLoadData", &address, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    same("too new for the program", CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
}

/* ---- the end ---- */

static void ending()
{
    CUcontext now = (CUcontext)1;
    GOOD(cuModuleUnload(module));
    GOOD(cuCtxDestroy(context));
    GOOD(cuCtxGetCurrent(&now));
    same("no context is left", 0, now != NULL);
}

/* Memory and addresses taken apart. */
enum { CHUNK = 2 << 20, WORDS = CHUNK / 4 };

static CUmemAllocationProp on_device_0()
{
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}

static CUmemAccessDesc device_0_may(CUmemAccess_flags flags)
{
    CUmemAccessDesc row = {};
    row.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    row.flags = flags;
    return row;
}

static void mapping()
{
    CUmemAllocationProp p = on_device_0(), told = {}, wrong = p;
    CUmemAccessDesc may = device_0_may(CU_MEM_ACCESS_FLAGS_PROT_READWRITE), none = device_0_may(CU_MEM_ACCESS_FLAGS_PROT_NONE);
    CUmemGenericAllocationHandle a, b, again = 0;
    CUdeviceptr range, other;
    size_t granularity = 0, free_before, free_now, total;
    unsigned long long flags = 9;
    static int numbers[2 * WORDS];
    GOOD(cuMemGetAllocationGranularity(&granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    same("the granularity of cards", CHUNK, granularity);
    GOOD(cuMemGetInfo(&free_before, &total));
    GOOD(cuMemAddressReserve(&range, 3 * CHUNK, 0, 0, 0));
    same("an address is a multiple of it", 0, range % CHUNK);
    GOOD(cuMemGetInfo(&free_now, &total));
    same("addresses take no memory", free_before, free_now);
    GOOD(cuMemCreate(&a, CHUNK, &p, 0));
    GOOD(cuMemCreate(&b, CHUNK, &p, 0));
    GOOD(cuMemGetInfo(&free_now, &total));
    same("memory does", free_before - 2 * CHUNK, free_now);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&again, CHUNK / 2, &p, 0));
    wrong.location.id = 99;
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&again, CHUNK, &wrong, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&other, 100, 0, 0, 0));
    GOOD(cuMemMap(range, CHUNK, 0, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(range, CHUNK, 0, b, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(range + 3 * CHUNK, CHUNK, 0, b, 0));
    GOOD(cuMemMap(range + CHUNK, CHUNK, 0, b, 0));
    GOOD(cuMemGetAccess(&flags, &may.location, range));
    same("nobody may use it yet", CU_MEM_ACCESS_FLAGS_PROT_NONE, flags);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(range, 3 * CHUNK, &may, 1));
    GOOD(cuMemSetAccess(range, 2 * CHUNK, &may, 1));
    GOOD(cuMemGetAccess(&flags, &may.location, range + CHUNK));
    same("now it may", CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
    GOOD(cuMemGetAllocationPropertiesFromHandle(&told, b));
    same("a handle knows its device", 0, told.location.id);
    GOOD(cuMemRetainAllocationHandle(&again, (void *)(range + CHUNK)));
    same("memory knows its handle", b, again);
    GOOD(cuMemRelease(again));

    /* Two pieces side by side are one array. */
    for (int i = 0; i < 2 * WORDS; i++)
        numbers[i] = i;
    GOOD(cuMemcpyHtoD(range, numbers, sizeof numbers));
    int n = 2 * WORDS, one = 1;
    void *params[] = {&range, &n, &one};
    GOOD(cuLaunchKernel(add, n / 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    GOOD(cuMemcpyDtoH(numbers, range, sizeof numbers));
    int bad = 0;
    for (int i = 0; i < 2 * WORDS; i++)
        bad += numbers[i] != i + 1;
    same("a kernel goes over both", 0, bad);

    /* The second piece shows in another place, too, and keeps its contents when it goes there. */
    GOOD(cuMemAddressReserve(&other, CHUNK, CHUNK, 0, 0));
    GOOD(cuMemMap(other, CHUNK, 0, b, 0));
    GOOD(cuMemSetAccess(other, CHUNK, &may, 1));
    GOOD(cuMemsetD32(other, 7, 1));
    GOOD(cuMemcpyDtoH(numbers, range + CHUNK, 8));
    same("one memory at two addresses", 7, numbers[0]);
    GOOD(cuMemUnmap(range, 2 * CHUNK));
    GOOD(cuMemcpyDtoH(numbers, other, 8));
    same("its contents stay", 7, numbers[0]);
    same("all of them", WORDS + 2, numbers[1]);
    GOOD(cuMemRelease(a));
    GOOD(cuMemRelease(b));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRelease(b));
    GOOD(cuMemsetD8(other, 1, CHUNK)); /* what is mapped stays until it is not */
    GOOD(cuMemSetAccess(other, CHUNK, &none, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(other, CHUNK));
    GOOD(cuMemUnmap(other, CHUNK));
    GOOD(cuMemAddressFree(other, CHUNK));
    GOOD(cuMemAddressFree(range, 3 * CHUNK));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, 3 * CHUNK));
    GOOD(cuMemGetInfo(&free_now, &total));
    same("all memory is back", free_before, free_now);
}

/* Addresses without access, without memory any more; memory that stays mapped. */
static void mapping_fault(const char *what)
{
    CUmemAllocationProp p = on_device_0();
    CUmemAccessDesc may = device_0_may(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemGenericAllocationHandle a;
    CUdeviceptr range;
    int n = 32, one = 1;
    void *params[] = {&range, &n, &one};
    GOOD(cuCtxCreate(&context, NULL, 0, device));
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuMemAddressReserve(&range, CHUNK, 0, 0, 0));
    GOOD(cuMemCreate(&a, CHUNK, &p, 0));
    GOOD(cuMemMap(range, CHUNK, 0, a, 0));
    if (strcmp(what, "no-access") != 0)
        GOOD(cuMemSetAccess(range, CHUNK, &may, 1));
    if (strcmp(what, "unmapped") == 0)
        GOOD(cuMemUnmap(range, CHUNK));
    if (strcmp(what, "stays") == 0)
        GOOD(cuMemsetD8(range, 0, CHUNK));
    GOOD(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    bool fails = strcmp(what, "no-access") == 0 || strcmp(what, "unmapped") == 0;
    same("the launch", fails ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS, cuCtxSynchronize());
    if (fails)
        return;
    GOOD(cuMemRelease(a));
    GOOD(cuModuleUnload(module));
}

/* A fault stays: every later call says so. */
static void fault()
{
    CUdeviceptr bad = 0x10, p = 0;
    int n = 32, a = 1;
    void *params[] = {&bad, &n, &a};
    GOOD(cuCtxCreate(&context, NULL, 0, device));
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&p, 4));
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
}

/* Three waits, with work before each, and one with none: says which call failed first, with which code, and what the work left. */
static int waits()
{
    const char *failed = "none";
    int code = 0;
    unsigned left = 0;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUevent event;
    CUdeviceptr p;
#define STEP(call)                             \
    do {                                       \
        int result = code ? 0 : (int)(call);   \
        if (result != 0)                       \
            failed = #call, code = result;     \
    } while (0)
    STEP(cuInit(0));
    STEP(cuDeviceGet(&device, 0));
    STEP(cuCtxCreate(&context, NULL, 0, device));
    STEP(cuStreamCreate(&stream, 0));
    STEP(cuEventCreate(&event, 0));
    STEP(cuMemAlloc(&p, 4));
    STEP(cuMemsetD32Async(p, 7, 1, stream));
    STEP(cuStreamSynchronize(stream));
    STEP(cuMemsetD32Async(p, 7, 1, stream));
    STEP(cuEventRecord(event, stream));
    STEP(cuEventSynchronize(event));
    STEP(cuMemsetD32Async(p, 7, 1, stream));
    STEP(cuCtxSynchronize());
    STEP(cuCtxSynchronize()); /* for what has been waited for: it cannot fail */
    STEP(cuStreamSynchronize(stream));
    STEP(cuEventSynchronize(event));
    if (strstr(failed, "Synchronize"))
        cuMemcpyDtoH(&left, p, 4);
    printf("%.*s %d %u\n", (int)strcspn(failed, "("), failed, code, left);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "waits") == 0)
        return waits();
    beginnings();
    if (argc > 1 && strcmp(argv[1], "fault") == 0) {
        fault();
    } else if (argc > 1) {
        mapping_fault(argv[1]);
    } else {
        devices();
        contexts();
        threads();
        primary();
        modules();
        logs();
        files();
        launches();
        functions();
        allocations();
        pointers();
        mapping();
        copies();
        arrays();
        streams();
        graphs();
        linking();
        libraries();
        names();
        ending();
    }
    printf("1..%d\n", n_tests);
    return n_bad != 0;
}
