// Part of textures.cu: surfaces, copies to and from arrays, errors.

// ---- surfaces ----

template <class T> __global__ void write_surfaces(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3,
                                                  cudaSurfaceObject_t l1, cudaSurfaceObject_t l2, const T *in)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = x + 8 * (y + 4 * z);
    if (y == 0 && z == 0)
        surf1Dwrite(in[x], s1, x * (int)sizeof(T));
    if (z == 0)
        surf2Dwrite(in[i], s2, x * (int)sizeof(T), y);
    surf3Dwrite(in[i], s3, x * (int)sizeof(T), y, z);
    if (y == 0)
        surf1DLayeredwrite(in[x + 8 * z], l1, x * (int)sizeof(T), z);
    surf2DLayeredwrite(in[i], l2, x * (int)sizeof(T), y, z);
}

template <class T> __global__ void read_surfaces(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3,
                                                 cudaSurfaceObject_t l1, cudaSurfaceObject_t l2, const T *in, int *bad)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = x + 8 * (y + 4 * z), at = x * (int)sizeof(T);
    const T got[5] = {surf1Dread<T>(s1, at), surf2Dread<T>(s2, at, y), surf3Dread<T>(s3, at, y, z),
                      surf1DLayeredread<T>(l1, at, z), surf2DLayeredread<T>(l2, at, y, z)};
    const int from[5] = {x, i % 32, i, x + 8 * z, i};
    for (int k = 0; k < 5; k++)
        for (int b = 0; b < (int)sizeof(T); b++)
            if (((const char *)&got[k])[b] != ((const char *)&in[from[k]])[b])
                atomicAdd(bad, 1);
}

template <class T> static void test_surface(const char *name)
{
    const int n = 8 * 4 * 3;
    T *in = managed<T>(n), *nothing = NULL;
    int *bad = managed<int>(1);
    for (size_t i = 0; i < n * sizeof(T); i++)
        ((char *)in)[i] = (char)random_below(256);
    const int sizes[5][3] = {{8, 0, 0}, {8, 4, 0}, {8, 4, 3}, {8, 0, 3}, {8, 4, 3}};
    cudaArray_t a[5];
    cudaSurfaceObject_t s[5];
    for (int i = 0; i < 5; i++) {
        unsigned layered = i > 2 ? cudaArrayLayered : 0;
        a[i] = make_array(nothing, sizes[i][0], sizes[i][1], sizes[i][2], layered | cudaArraySurfaceLoadStore);
        s[i] = make_surface(a[i]);
    }
    write_surfaces<<<1, dim3(8, 4, 3)>>>(s[0], s[1], s[2], s[3], s[4], in);
    read_surfaces<<<1, dim3(8, 4, 3)>>>(s[0], s[1], s[2], s[3], s[4], in, bad);
    T back[n];
    cudaMemcpy3DParms p = {};
    p.srcArray = a[2];
    p.dstPtr = make_cudaPitchedPtr(back, 8 * sizeof(T), 8, 4);
    p.extent = make_cudaExtent(8, 4, 3);
    p.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&p));
    MUST(cudaDeviceSynchronize());
    ok(*bad == 0 && memcmp(back, in, sizeof back) == 0, name);
    for (int i = 0; i < 5; i++) {
        MUST(cudaDestroySurfaceObject(s[i]));
        MUST(cudaFreeArray(a[i]));
    }
    MUST(cudaFree(in));
    MUST(cudaFree(bad));
}

__global__ void read_bounds(cudaSurfaceObject_t s, const int *at, float *clamped, float *zeroed)
{
    int i = threadIdx.x;
    clamped[i] = surf2Dread<float>(s, at[2 * i], at[2 * i + 1], cudaBoundaryModeClamp);
    zeroed[i] = surf2Dread<float>(s, at[2 * i], at[2 * i + 1], cudaBoundaryModeZero);
}

__global__ void write_bounds(cudaSurfaceObject_t s)
{
    surf2Dwrite(-1.0f, s, 100, 2, cudaBoundaryModeClamp);
    surf2Dwrite(-2.0f, s, 100, 3, cudaBoundaryModeZero);
}

static void test_bounds()
{
    float h[32];
    for (int i = 0; i < 32; i++)
        h[i] = (float)i;
    cudaArray_t a = make_array(h, 8, 4, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s = make_surface(a);
    const int at[8][2] = {{4, 1}, {28, 1}, {32, 1}, {100, 1}, {-4, 1}, {4, 9}, {4, -1}, {100, 100}};
    const float clamped[8] = {9, 15, 15, 15, 8, 25, 1, 31}, zeroed[8] = {9, 15, 0, 0, 0, 0, 0, 0};
    int *in = managed<int>(16);
    float *out = managed<float>(16), back[32];
    memcpy(in, at, sizeof at);
    read_bounds<<<1, 8>>>(s, in, out, out + 8);
    MUST(cudaDeviceSynchronize());
    ok(memcmp(out, clamped, sizeof clamped) == 0, "surface reads outside go to the edge");
    ok(memcmp(out + 8, zeroed, sizeof zeroed) == 0, "or give 0");
    write_bounds<<<1, 1>>>(s);
    MUST(cudaMemcpy2DFromArray(back, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    h[23] = -1;
    ok(memcmp(back, h, sizeof h) == 0, "surface writes outside go to the edge, or nowhere");
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(a));
    MUST(cudaFree(in));
    MUST(cudaFree(out));
}

__global__ void write_cube(cudaSurfaceObject_t s, cudaSurfaceObject_t layered)
{
    int x = threadIdx.x, y = threadIdx.y, face = threadIdx.z;
    surfCubemapwrite(100 * face + 10 * y + x, s, x * 4, y, face);
    surfCubemapLayeredwrite(100 * face + 10 * y + x, layered, x * 4, y, face + 6);
    if (surfCubemapread<int>(s, x * 4, y, face) != 100 * face + 10 * y + x)
        surfCubemapwrite(-1, s, x * 4, y, face);
}

static void test_surface_cube()
{
    int *nothing = NULL, back[2][6 * 16];
    cudaArray_t a = make_array(nothing, 4, 4, 6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    cudaArray_t b = make_array(nothing, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s = make_surface(a), layered = make_surface(b);
    write_cube<<<1, dim3(4, 4, 6)>>>(s, layered);
    cudaMemcpy3DParms p = {};
    p.extent = make_cudaExtent(4, 4, 6);
    p.kind = cudaMemcpyDeviceToHost;
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(back[0], 16, 4, 4);
    MUST(cudaMemcpy3D(&p));
    p.srcArray = b;
    p.srcPos.z = 6;
    p.dstPtr.ptr = back[1];
    MUST(cudaMemcpy3D(&p));
    bool good = true;
    for (int i = 0; i < 96; i++)
        good &= back[0][i] == i / 16 * 100 + i / 4 % 4 * 10 + i % 4 && back[1][i] == back[0][i];
    ok(good, "surfaces of cubemaps");
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaDestroySurfaceObject(layered));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
}

static void test_surfaces()
{
    test_surface<unsigned char>("surfaces of bytes");
    test_surface<short>("surfaces of shorts");
    test_surface<uchar4>("surfaces of four bytes");
    test_surface<float>("surfaces of floats");
    test_surface<short4>("surfaces of four shorts");
    test_surface<float2>("surfaces of two floats");
    test_surface<int4>("surfaces of four integers");
    test_bounds();
    test_surface_cube();
}

// ---- copies ----

static void test_copy_arrays()
{
    unsigned char h[64], back[64];
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)i;
    cudaArray_t a = make_array(h, 8, 8, 0), b = make_array(h, 8, 8, 0);
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMemcpy2DToArray(a, 2, 1, h, 8, 4, 3, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2DFromArray(back, 8, a, 0, 0, 8, 8, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < 64; i++) {
        int x = i % 8, y = i / 8;
        good &= back[i] == (x >= 2 && x < 6 && y >= 1 && y < 4 ? h[(y - 1) * 8 + x - 2] : i);
    }
    ok(good, "cudaMemcpy2DToArray to the middle of an array");
    MUST(cudaMemcpy2DArrayToArray(b, 0, 4, a, 2, 1, 4, 3, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2DFromArrayAsync(back, 4, b, 0, 4, 4, 3, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    ok(memcmp(back, h, 4) == 0 && memcmp(back + 4, h + 8, 4) == 0 && memcmp(back + 8, h + 16, 4) == 0,
       "cudaMemcpy2DArrayToArray, and back on a stream");
    MUST(cudaMemcpy2DToArrayAsync(a, 0, 0, h, 8, 8, 8, cudaMemcpyDefault, stream));
    MUST(cudaStreamSynchronize(stream));
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    MUST(cudaMemcpyToArray(a, 3, 1, h, 20, cudaMemcpyHostToDevice));
    MUST(cudaMemcpyFromArray(back, a, 0, 1, 24, cudaMemcpyDeviceToHost));
    ok(memcmp(back, h + 8, 3) == 0 && memcmp(back + 3, h, 20) == 0 && back[23] == h[31],
       "cudaMemcpyToArray goes on in the next row");
    MUST(cudaMemcpyArrayToArray(b, 0, 0, a, 3, 1, 16, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpyFromArray(back, b, 0, 0, 16, cudaMemcpyDeviceToHost));
    ok(memcmp(back, h, 16) == 0, "cudaMemcpyArrayToArray");
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
}

static void test_copy_boxes()
{
    short h[4 * 3 * 5], back[60];
    for (int i = 0; i < 60; i++)
        h[i] = (short)(i * 7);
    cudaArray_t a = make_array(h, 4, 3, 5), b = make_array(h, 4, 3, 5);
    cudaPitchedPtr memory;
    MUST(cudaMalloc3D(&memory, make_cudaExtent(8, 3, 5)));
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(1, 1, 2);
    p.dstPtr = memory;
    p.dstPos = make_cudaPos(2, 1, 1); /* in elements of the array, not bytes */
    p.extent = make_cudaExtent(2, 2, 3);
    p.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemset3D(memory, 0, make_cudaExtent(8, 3, 5)));
    MUST(cudaMemcpy3DAsync(&p, 0));
    cudaMemcpy3DParms q = {};
    q.srcPtr = memory;
    q.dstPtr = make_cudaPitchedPtr(back, 8, 8, 3);
    q.extent = make_cudaExtent(8, 3, 5);
    q.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&q));
    bool good = true;
    for (int i = 0; i < 60; i++) {
        int x = i % 4, y = i / 4 % 3, z = i / 12;
        bool inside = x >= 2 && y >= 1 && z >= 1 && z < 4;
        good &= back[i] == (inside ? h[(x - 1) + 4 * (y + 3 * (z + 1))] : 0);
    }
    ok(good, "a box from an array to memory");
    p = cudaMemcpy3DParms();
    p.srcArray = a;
    p.dstArray = b;
    p.srcPos = make_cudaPos(0, 0, 4);
    p.extent = make_cudaExtent(4, 3, 1);
    p.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemcpy3D(&p));
    cudaMemcpy3DPeerParms peer = {};
    peer.srcArray = b;
    peer.dstPtr = memory;
    peer.extent = make_cudaExtent(4, 3, 5);
    MUST(cudaMemcpy3DPeer(&peer));
    MUST(cudaMemcpy3D(&q));
    ok(memcmp(back, h + 48, 24) == 0 && memcmp(back + 12, h + 12, 96) == 0,
       "a box from array to array, and on by cudaMemcpy3DPeer");
    peer.dstPtr = make_cudaPitchedPtr(back, 8, 8, 3);
    GIVES(cudaErrorInvalidValue, cudaMemcpy3DPeer(&peer)); /* host memory */
    MUST(cudaFree(memory.ptr));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
}

static void test_infos()
{
    const uchar4 *nothing = NULL;
    cudaArray_t a = make_array(nothing, 8, 4, 3, cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaChannelFormatDesc desc;
    cudaExtent extent;
    unsigned flags;
    MUST(cudaArrayGetInfo(&desc, &extent, &flags, a));
    ok(desc.x == 8 && desc.w == 8 && desc.f == cudaChannelFormatKindUnsigned && extent.width == 8 && extent.height == 4 &&
           extent.depth == 3 && flags == (cudaArrayLayered | cudaArraySurfaceLoadStore),
       "cudaArrayGetInfo");
    MUST(cudaGetChannelDesc(&desc, a));
    ok(desc.x == 8 && desc.y == 8 && desc.z == 8 && desc.w == 8, "cudaGetChannelDesc");
    cudaTextureDesc d = {}, got = {};
    d.addressMode[0] = cudaAddressModeMirror;
    d.normalizedCoords = 1;
    cudaTextureObject_t t = make_texture(of_array(a), d);
    cudaSurfaceObject_t s = make_surface(a);
    cudaResourceDesc r = {};
    MUST(cudaGetTextureObjectTextureDesc(&got, t));
    ok(got.addressMode[0] == cudaAddressModeMirror && got.normalizedCoords == 1, "cudaGetTextureObjectTextureDesc");
    MUST(cudaGetTextureObjectResourceDesc(&r, t));
    ok(r.resType == cudaResourceTypeArray && r.res.array.array == a, "cudaGetTextureObjectResourceDesc");
    r = cudaResourceDesc();
    MUST(cudaGetSurfaceObjectResourceDesc(&r, s));
    ok(r.resType == cudaResourceTypeArray && r.res.array.array == a, "cudaGetSurfaceObjectResourceDesc");
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(a));
}

static void test_copies()
{
    test_copy_arrays();
    test_copy_boxes();
    test_infos();
}

// ---- errors ----

static cudaError_t try_array(cudaChannelFormatDesc desc, size_t w, size_t h, size_t d, unsigned flags)
{
    cudaArray_t a;
    cudaError_t error = cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags);
    if (error == cudaSuccess)
        MUST(cudaFreeArray(a));
    return error;
}

static cudaError_t try_texture(const cudaResourceDesc &r, const cudaTextureDesc &d)
{
    cudaTextureObject_t t;
    cudaError_t error = cudaCreateTextureObject(&t, &r, &d, NULL);
    if (error == cudaSuccess)
        MUST(cudaDestroyTextureObject(t));
    return error;
}

static void test_array_errors()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), none = {};
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cudaChannelFormatDesc five = cudaCreateChannelDesc(5, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc mixed = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t a;
    GIVES(cudaErrorInvalidValue, cudaMallocArray(NULL, &f, 4, 4));
    GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, NULL, 4, 4));
    GIVES(cudaErrorInvalidValue, try_array(f, 0, 4, 0, 0));
    GIVES(cudaErrorInvalidChannelDescriptor, try_array(three, 4, 4, 0, 0));
    GIVES(cudaErrorInvalidChannelDescriptor, try_array(five, 4, 4, 0, 0));
    GIVES(cudaErrorInvalidChannelDescriptor, try_array(mixed, 4, 4, 0, 0));
    GIVES(cudaErrorInvalidChannelDescriptor, try_array(none, 4, 4, 0, 0));
    GIVES(cudaSuccess, try_array(f, 131072, 4, 0, 0));
    GIVES(cudaErrorInvalidValue, try_array(f, 131073, 4, 0, 0));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 65537, 0, 0));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 0, 4, 0));
    GIVES(cudaSuccess, try_array(f, 4, 4, 16385, 0));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 4, 0, cudaArrayLayered));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 4, 2049, cudaArrayLayered));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 4, 5, cudaArrayCubemap));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 3, 6, cudaArrayCubemap));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 4, 4, cudaArrayTextureGather));
    GIVES(cudaErrorInvalidValue, try_array(f, 4, 4, 0, 0x1000));
    GIVES(cudaSuccess, cudaFreeArray(NULL));
    GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(NULL, NULL, NULL, NULL));
    GIVES(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&f, NULL));
}

static void test_copy_errors()
{
    float h[32] = {};
    cudaArray_t a = make_array(h, 8, 4, 0);
    GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 4, 0, h, 32, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 1, h, 32, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(a, 0, 0, h, 16, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToHost));
    GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyDeviceToDevice));
    GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray(NULL, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 0, NULL, 32, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 0, 0, h, 132, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 2, 32, 2, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms p = {};
    p.dstArray = a;
    p.srcPtr = make_cudaPitchedPtr(h, 32, 8, 4);
    p.extent = make_cudaExtent(8, 4, 2);
    p.kind = cudaMemcpyHostToDevice;
    GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.extent.depth = 1;
    p.dstPtr = p.srcPtr;
    GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.dstPtr = cudaPitchedPtr();
    p.kind = cudaMemcpyDeviceToHost;
    GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToHost;
    GIVES(cudaSuccess, cudaMemcpy3D(&p));
    p.srcPtr.ysize = 2;
    GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    GIVES(cudaErrorInvalidValue, cudaMemcpy3DPeer(NULL));
    MUST(cudaFreeArray(a));
}

static void test_object_errors()
{
    float h[32] = {};
    cudaArray_t a = make_array(h, 8, 4, 0);
    const int *nothing = NULL;
    const unsigned short *shorts = NULL;
    cudaArray_t integers = make_array(nothing, 8, 4, 0), small = make_array(shorts, 8, 4, 0);
    cudaTextureDesc plain = {}, d = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaResourceDesc r = of_array(a);
    GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(NULL, &r, &plain, NULL));
    GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&t, NULL, &plain, NULL));
    GIVES(cudaErrorInvalidResourceHandle, cudaCreateTextureObject(&t, &r, NULL, NULL));
    GIVES(cudaErrorInvalidResourceHandle, try_texture(of_array(NULL), plain));
    d.filterMode = cudaFilterModeLinear;
    GIVES(cudaErrorInvalidFilterSetting, try_texture(of_array(small), d));
    d.readMode = cudaReadModeNormalizedFloat;
    GIVES(cudaSuccess, try_texture(of_array(small), d));
    GIVES(cudaErrorInvalidNormSetting, try_texture(of_array(a), d));
    GIVES(cudaErrorInvalidFilterSetting, try_texture(of_array(integers), d));
    d.filterMode = cudaFilterModePoint;
    GIVES(cudaErrorInvalidNormSetting, try_texture(of_array(integers), d));
    d = plain;
    d.addressMode[0] = (cudaTextureAddressMode)9;
    GIVES(cudaErrorInvalidValue, try_texture(r, d));
    char *memory;
    MUST(cudaMalloc(&memory, 1 << 20));
    r = cudaResourceDesc();
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 1024;
    GIVES(cudaSuccess, try_texture(r, plain));
    GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r));
    r.res.linear.devPtr = memory + 256;
    GIVES(cudaErrorInvalidValue, try_texture(r, plain));
    r.res.linear.devPtr = NULL;
    GIVES(cudaErrorInvalidValue, try_texture(r, plain));
    r = cudaResourceDesc();
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 8;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 40;
    GIVES(cudaErrorInvalidValue, try_texture(r, plain));
    r.res.pitch2D.pitchInBytes = 32;
    GIVES(cudaSuccess, try_texture(r, plain));
    GIVES(cudaSuccess, cudaDestroyTextureObject(0));
    GIVES(cudaSuccess, cudaDestroySurfaceObject(0x12345));
    GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&r, 0));
    MUST(cudaFree(memory));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(integers));
    MUST(cudaFreeArray(small));
}

static void test_errors()
{
    test_array_errors();
    test_copy_errors();
    test_object_errors();
}
