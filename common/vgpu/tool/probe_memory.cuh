/* probe: allocation, free, copies, symbols, what a pointer is. */
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

static void no_bytes()
{
    void *p, *d, *m, *h;
    char bytes[8] = {0};
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMalloc(&d, 4096);
    cudaMallocManaged(&m, 4096);
    cudaMallocHost(&h, 4096);
    CALL(cudaMallocManaged(&p, 0));
    VALUE(p == NULL);
    CALL(cudaMallocAsync(&p, 0, 0));
    VALUE(p == NULL);
    CALL(cudaMemset(NULL, 0, 0));
    CALL(cudaMemcpy2D(d, 4, bytes, 4, 8, 1, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(d, 4, bytes, 4, 0, 4, cudaMemcpyHostToDevice));
    CALL(cudaMemset2D(d, 4, 0, 8, 1));
    CALL(cudaMemset2D(d, 4, 0, 8, 2));
    CALL(cudaMemPrefetchAsync(m, 0, here, 0, 0));
    CALL(cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    CALL(cudaFreeAsync(NULL, 0));
    CALL(cudaFreeAsync(m, 0));
    CALL(cudaFreeAsync(h, 0));
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
static void copy_kinds()
{
    int h[4] = {0}, *d = new_array(16), *e = new_array(16), *pinned, *managed;
    cudaMallocHost(&pinned, 16);
    cudaMallocManaged(&managed, 16);
    CALL(cudaMemcpy(e, d, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(e, d, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(e, d, 16, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(e, d, 16, cudaMemcpyDefault));
    CALL(cudaMemcpy(pinned, h, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(h, pinned, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(pinned, d, 16, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(d, pinned, 16, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(d, pinned, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(pinned, d, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(managed, h, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(managed, h, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(h, managed, 16, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(h, managed, 16, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(h, managed, 16, cudaMemcpyHostToHost));
    CALL(cudaMemcpy(d, managed, 16, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(pinned, h, 17, cudaMemcpyHostToHost));
    CALL(cudaMemcpyAsync(e, d, 16, cudaMemcpyHostToDevice, 0));
    CALL(cudaMemcpyPeer(e, 0, d, 0, 16));
    CALL(cudaMemcpyPeer(e, 0, d, 9, 16));
    CALL(cudaMemcpyPeer(e, 0, h, 0, 16));
    CALL(cudaDeviceSynchronize());
}
static void memset_of_host_kinds()
{
    int *pinned, *managed;
    cudaMallocHost(&pinned, 16);
    cudaMallocManaged(&managed, 16);
    VALUE(managed[0]);
    CALL(cudaMemset(pinned, 1, 16));
    CALL(cudaMemset(managed, 1, 16));
    CALL(cudaMemset(pinned, 1, 17));
    CALL(cudaDeviceSynchronize());
    VALUE(pinned[3]);
    VALUE(managed[3]);
    CALL(cudaMemset2D(NULL, 64, 0, 32, 4));
    CALL(cudaMemset2D(new_array(64), 64, 0, 0, 4));
}
static void memcpy_3d()
{
    char h[256];
    cudaPitchedPtr d;
    cudaMemcpy3DParms p = {0};
    CALL(cudaMalloc3D(&d, make_cudaExtent(0, 1, 1)));
    CALL(cudaMalloc3D(&d, make_cudaExtent(16, 4, 4)));
    CALL(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(h, 16, 16, 4);
    p.dstPtr = d;
    p.extent = make_cudaExtent(16, 4, 4);
    p.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&p));
    p.extent.width = 17;
    CALL(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, 4, 5);
    CALL(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, 4, 4);
    p.dstPos = make_cudaPos(1, 0, 0);
    CALL(cudaMemcpy3D(&p));
    p.dstPos = make_cudaPos(0, 0, 1);
    CALL(cudaMemcpy3D(&p));
    p.kind = (cudaMemcpyKind)9;
    CALL(cudaMemcpy3D(&p));
    CALL(cudaMemcpy3D(NULL));
}
static void reset_and_go_on()
{
    int h[4], *d = new_array(16);
    LAUNCH(store<<<1, 1>>>(d, 0));
    CALL(cudaDeviceReset());
    CALL(cudaGetLastError());
    d = new_array(16);
    LAUNCH(store<<<1, 1>>>(d, 0));
    CALL(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    VALUE(h[0]);
    CALL(cudaDeviceReset());
    CALL(cudaDeviceReset());
}
static void pools()
{
    cudaMemPool_t pool = NULL;
    void *p;
    int value = 0;
    cudaMemPoolProps props;
    memset(&props, 0, sizeof props);
    CALL(cudaMemPoolCreate(&pool, NULL));
    CALL(cudaMemPoolCreate(&pool, &props));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CALL(cudaMemPoolCreate(NULL, &props));
    CALL(cudaMemPoolCreate(&pool, &props));
    CALL(cudaMallocFromPoolAsync(&p, 64, pool, 0));
    CALL(cudaFreeAsync(p, 0));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &value));
    VALUE(value);
    CALL(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
    CALL(cudaMemPoolTrimTo(pool, 0));
    CALL(cudaMemPoolDestroy(pool));
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaMemPoolDestroy(pool));
    CALL(cudaDeviceSetMemPool(0, pool));
    CALL(cudaDeviceSetMemPool(9, pool));
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

