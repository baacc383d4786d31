/* Programs end to end: what students write, each against a result worked out on the host. Prints TAP. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace cg = cooperative_groups;

static int n_tests, n_bad;

static void report(const char *name, int wrong)
{
    n_bad += wrong != 0;
    printf("%s %d - %s\n", wrong == 0 ? "ok" : "not ok", ++n_tests, name);
}

#define CHECK(call)                                                                           \
    do {                                                                                      \
        cudaError_t error = (call);                                                           \
        if (error != cudaSuccess) {                                                           \
            printf("not ok - %s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error));     \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

/* Managed memory for n elements, all 0. */
template <typename T> static T *make(size_t n)
{
    T *p;
    CHECK(cudaMallocManaged(&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

static void wait_for_kernel()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/* ---- reduction, scan, histogram, matrix product ---- */

__global__ void reduce_shared(const int *in, int n, int *out)
{
    __shared__ int sums[256];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += in[i];
    sums[t] = sum;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k)
            sums[t] += sums[t + k];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sums[0]);
}

__global__ void reduce_shuffle(const float *in, int n, float *out)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int k = 16; k > 0; k >>= 1)
        sum += __shfl_down_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

static void reductions()
{
    const int n = 100001;
    int *in = make<int>(n), *out = make<int>(1), sum = 0;
    float *fin = make<float>(n), *fout = make<float>(1);
    double fsum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i] = i % 1001 - 500;
        fsum += fin[i] = (float)(i % 100) * 0.25f;
    }
    reduce_shared<<<64, 256>>>(in, n, out);
    reduce_shuffle<<<32, 256>>>(fin, n, fout);
    wait_for_kernel();
    report("reduction in shared memory", *out != sum);
    report("reduction by shuffles", !(fabs(*fout - fsum) < 1));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(fin));
    CHECK(cudaFree(fout));
}

__global__ void scan_block(const int *in, int *out, int n)
{
    extern __shared__ int values[];
    int t = threadIdx.x;
    values[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int k = 1; k < blockDim.x; k <<= 1) {
        int left = t >= k ? values[t - k] : 0;
        __syncthreads();
        values[t] += left;
        __syncthreads();
    }
    if (t < n)
        out[t] = values[t];
}

__global__ void histogram(const unsigned char *in, int n, unsigned *out)
{
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

static void scan_and_histogram()
{
    const int n = 1000, m = 50000;
    int *in = make<int>(n), *out = make<int>(n), wrong = 0, sum = 0;
    for (int i = 0; i < n; i++)
        in[i] = i * 7 % 31 - 15;
    scan_block<<<1, 1024, 4096>>>(in, out, n);
    wait_for_kernel();
    for (int i = 0; i < n; i++)
        wrong += out[i] != (sum += in[i]);
    report("scan of a block", wrong);

    unsigned char *bytes = make<unsigned char>(m);
    unsigned *bins = make<unsigned>(256), wanted[256] = {0};
    for (int i = 0; i < m; i++)
        wanted[bytes[i] = (unsigned char)(i * 7919 >> 3)]++;
    histogram<<<16, 128>>>(bytes, m, bins);
    wait_for_kernel();
    report("histogram", memcmp(bins, wanted, sizeof wanted) != 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(bytes));
    CHECK(cudaFree(bins));
}

template <typename T, int B> __global__ void multiply(const T *a, const T *b, T *c, int n)
{
    __shared__ T as[B][B], bs[B][B];
    int row = blockIdx.y * B + threadIdx.y, col = blockIdx.x * B + threadIdx.x;
    T sum = 0;
    for (int k0 = 0; k0 < n; k0 += B) {
        as[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < n ? a[row * n + k0 + threadIdx.x] : T(0);
        bs[threadIdx.y][threadIdx.x] = col < n && k0 + threadIdx.y < n ? b[(k0 + threadIdx.y) * n + col] : T(0);
        __syncthreads();
        for (int k = 0; k < B; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

template <typename T> static void matrix_product(const char *name, int n)
{
    T *a = make<T>(n * n), *b = make<T>(n * n), *c = make<T>(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = T(i % 17 - 8);
        b[i] = T(i % 13 - 6);
    }
    dim3 grid((n + 15) / 16, (n + 15) / 16), block(16, 16);
    multiply<T, 16><<<grid, block>>>(a, b, c, n);
    wait_for_kernel();
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            wrong += sum != c[i * n + j];
        }
    report(name, wrong);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}

/* ---- C++ on the device ---- */

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int subtract(int a, int b)
{
    return a - b;
}
typedef int (*Operation)(int, int);
__device__ Operation operations[2] = {add, subtract};

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const { return side * side; }
};
struct Rectangle : Shape {
    float a, b;
    __device__ Rectangle(float x, float y) : a(x), b(y) {}
    __device__ float area() const { return a * b; }
};
struct Mixed {
    double x;
    int n;
    char c;
    short s[3];
};

__global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }
__global__ void pointers(int *out) { out[threadIdx.x] = operations[threadIdx.x % 2](threadIdx.x, 7); }
__global__ void virtual_calls(float *out)
{
    Square square(threadIdx.x);
    Rectangle rectangle(threadIdx.x, 3);
    const Shape *shape = threadIdx.x % 2 ? (const Shape *)&square : (const Shape *)&rectangle;
    out[threadIdx.x] = shape->area();
}
__global__ void by_value(Mixed m, double *out) { *out = m.x + m.n + m.c + m.s[0] + m.s[1] + m.s[2]; }
__global__ void heap(int *out)
{
    int *p = (int *)malloc(64), sum = 0;
    if (p == NULL) {
        out[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < 16; i++)
        p[i] = i * threadIdx.x;
    for (int i = 0; i < 16; i++)
        sum += p[i];
    free(p);
    out[threadIdx.x] = sum;
}
__global__ void print(int x)
{
    printf("# %d %s %.2f %c %lld|%-4d|%04x\n", x + threadIdx.x, "text", 1.5f, 'x', 1234567890123ll, 7, 255u);
}

static void cpp()
{
    int *out = make<int>(64), wrong = 0, a = 0, b = 1;
    float *areas = make<float>(64);
    double *sum = make<double>(1);
    recursion<<<1, 16>>>(out);
    wait_for_kernel();
    for (int i = 0; i < 16; i++) {
        wrong += out[i] != a;
        int next = a + b;
        a = b;
        b = next;
    }
    report("recursion", wrong);
    pointers<<<1, 64>>>(out);
    virtual_calls<<<1, 64>>>(areas);
    by_value<<<1, 1>>>(Mixed{1.5, 10, 'a', {1, -2, 3}}, sum);
    wait_for_kernel();
    int wrong_areas = wrong = 0;
    for (int i = 0; i < 64; i++) {
        wrong += out[i] != (i % 2 ? i - 7 : i + 7);
        wrong_areas += areas[i] != (float)(i % 2 ? i * i : 3 * i);
    }
    report("function pointers", wrong);
    report("virtual functions", wrong_areas);
    report("structures by value", *sum != 1.5 + 10 + 'a' + 2);
    heap<<<1, 64>>>(out);
    print<<<1, 2>>>(40);
    wait_for_kernel();
    wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += out[i] != 120 * i;
    report("malloc in a kernel", wrong);
    CHECK(cudaFree(out));
    CHECK(cudaFree(areas));
    CHECK(cudaFree(sum));
}

/* ---- threads that work together ---- */

__global__ void sum_of_grid(const int *in, int n, int *parts, int *out)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(&parts[blockIdx.x], sum);
    grid.sync();
    if (grid.thread_rank() == 0) {
        int whole = 0;
        for (int i = 0; i < gridDim.x; i++)
            whole += parts[i];
        *out = whole;
    }
}

__device__ unsigned blocks_done;
__global__ void sum_by_last_block(const int *in, int n, int *parts, int *out)
{
    __shared__ bool last;
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += 64 * gridDim.x)
        sums[t] += in[i];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++)
            sum += sums[i];
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += ((volatile int *)parts)[i];
        *out = sum;
    }
}

__device__ int lock;
__global__ void count_under_lock(int *counter)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)counter = *(volatile int *)counter + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

__global__ void votes(unsigned *out)
{
    int t = threadIdx.x;
    out[t] = __ballot_sync(~0u, t & 1);
    out[t + 64] = __match_any_sync(~0u, t / 4);
    out[t + 128] = __shfl_up_sync(~0u, t, 3);
    out[t + 192] = __syncthreads_count(t % 3 == 0);
}

static void together()
{
    int n = 10000, *in = make<int>(n), *parts = make<int>(64), *out = make<int>(1), sum = 0, wrong = 0;
    unsigned *bits = make<unsigned>(256);
    for (int i = 0; i < n; i++)
        sum += in[i] = i % 37;
    void *args[] = {&in, &n, &parts, &out};
    CHECK(cudaLaunchCooperativeKernel((void *)sum_of_grid, dim3(20), dim3(128), args, 0, 0));
    wait_for_kernel();
    report("grid-wide barrier", *out != sum);
    *out = 0;
    sum_by_last_block<<<13, 64>>>(in, n, parts, out);
    wait_for_kernel();
    report("last block", *out != sum);
    *out = 0;
    count_under_lock<<<4, 64>>>(out);
    wait_for_kernel();
    report("a lock taken inside warps", *out != 256);
    votes<<<1, 64>>>(bits);
    wait_for_kernel();
    for (int t = 0; t < 64; t++) {
        int lane = t % 32;
        wrong += bits[t] != 0xAAAAAAAAu || bits[t + 64] != 0xFu << lane / 4 * 4 ||
                 bits[t + 128] != (unsigned)(lane < 3 ? t : t - 3) || bits[t + 192] != 22;
    }
    report("votes and shuffles", wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(out));
    CHECK(cudaFree(bits));
}

int main()
{
    reductions();
    scan_and_histogram();
    matrix_product<float>("matrix product, float", 50);
    matrix_product<double>("matrix product, double", 33);
    matrix_product<long long>("matrix product, 64-bit integers", 20);
    cpp();
    together();
    printf("1..%d\n", n_tests);
    return n_bad != 0;
}
