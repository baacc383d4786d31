/* probe: faults of kernels, and what every later call says. */

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
    LAUNCH(call_pointer<<<1, 1>>>((Action)(size_t)0x7000000000000000, new_array(16)));
    CALL(cudaDeviceSynchronize());
}
static void shared_past_end(int index)
{
    LAUNCH(store_shared<<<1, 1, 64>>>(index, new_array(16)));
    CALL(cudaDeviceSynchronize());
}
static void fault_shared_1k() { shared_past_end(256); }
static void fault_shared_16k() { shared_past_end(4096); }
static void fault_shared_100k() { shared_past_end(25600); }
static void fault_shared_300k() { shared_past_end(76800); }
static void fault_shared_before() { shared_past_end(-1024); }
static void fault_shared_misaligned()
{
    int *p = new_array(16);
    cudaMemset(p, 1, 16);
    LAUNCH(store_shared_misaligned<<<1, 1, 64>>>(p));
    CALL(cudaDeviceSynchronize());
}
static void fault_generic_to_shared()
{
    int *p = new_array(16);
    cudaMemset(p, 0, 16);
    LAUNCH(store_generic<<<1, 1, 64>>>(p, 1 << 20));
    CALL(cudaDeviceSynchronize());
}
static void fault_host_pointer()
{
    LAUNCH(store<<<1, 1>>>(host_var, 0));
    CALL(cudaDeviceSynchronize());
}
static void fault_device_pointer_freed()
{
    int *p = new_array(64 << 20);
    CALL(cudaFree(p));
    LAUNCH(store<<<1, 1>>>(p, 0));
    CALL(cudaDeviceSynchronize());
}
static void fault_write_constant()
{
    void *p;
    CALL(cudaGetSymbolAddress(&p, constant_var));
    LAUNCH(store<<<1, 1>>>((int *)p, 0));
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

