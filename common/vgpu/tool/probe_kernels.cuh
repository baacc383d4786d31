/* probe: the kernels and variables that the situations use. */

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
__global__ void store_shared_misaligned(int *out)
{
    extern __shared__ int tile[];
    *(int *)((char *)tile + out[0]) = 7;
    __syncthreads();
    out[1] = tile[0];
}
__global__ void store_generic(int *out, long long far)
{
    extern __shared__ int tile[];
    int *p = out[0] == 12345 ? out : tile;
    p[far] = 7;
    __syncthreads();
    out[1] = tile[0];
}
__global__ void many_registers(float *p)
{
    float v[96];
    for (int i = 0; i < 96; i++)
        v[i] = p[i * 1024 + threadIdx.x];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 96; i++)
            v[i] = v[i] * v[(i * 7 + 5) % 96] + v[(i + 41) % 96];
    for (int i = 0; i < 96; i++)
        p[i * 1024 + threadIdx.x] = v[i];
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

