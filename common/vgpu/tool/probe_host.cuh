/* probe: the last error, devices, limits, streams, events, occupancy, managed memory. */
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
    cudaStreamCaptureStatus status;
    CALL(cudaStreamIsCapturing(0, &status));
    VALUE(status);
    int device;
    CALL(cudaStreamGetDevice(0, &device));
    VALUE(device);
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
    size_t bytes = 0;
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 2, 256));
    VALUE(bytes);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 16, 128));
    VALUE(bytes);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 128, 20000));
    VALUE(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, static_shared, 64, 0));
    VALUE(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32, 0));
    VALUE(n);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, host_var, 32, 0));
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

