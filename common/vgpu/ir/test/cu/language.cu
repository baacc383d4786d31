// C++ on the device: structures by value, function pointers, virtual functions, recursion, printf, assert, device malloc,
// variables of all kinds, a switch. Only compiled, never run.
#include <cassert>
#include <cstdio>

struct Pair {
    int a;
    double b;
    char c[5];
};

struct Shape {
    __device__ virtual int sides(int x) { return x; }
};
struct Square : Shape {
    int scale;
    __device__ int sides(int x) override { return 4 * x * scale; }
};

__device__ int counter = 5;
__managed__ int managed = 3;
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int *inside = &grid[1][1];

__device__ int increment(int x) { return x + 1; }
__device__ int triple(int x) { return x * 3; }
typedef int (*Operation)(int);
__device__ Operation table[2] = {increment, triple};

__device__ __noinline__ int by_value(Pair p, int *out)
{
    *out = p.a;
    return p.c[2];
}

template <typename T> __device__ __noinline__ T factorial(T n) { return n <= 1 ? T(1) : n * factorial<T>(n - 1); }

__device__ __noinline__ int through_virtual(Shape *s, int x) { return s->sides(x); }
__device__ __forceinline__ float square(float x) { return x * x; }

__global__ void __launch_bounds__(128, 2) everything(Pair p, int *out, int n)
{
    __shared__ int ints[64];
    __shared__ double doubles[3];
    extern __shared__ float dynamic[];
    int local[10];
    ints[threadIdx.x] = n;
    doubles[n] = 3;
    dynamic[n] = square(n + coefficients[n & 3]);
    __syncthreads();
    for (int i = 0; i < n; i++)
        local[i % 10] = ints[i];
    assert(n > 3);
    printf("%d %f %s\n", n, 1.5f, "text");
    Shape *s = n & 1 ? new Shape : new Square;
    out[threadIdx.x] = by_value(p, out + n) + local[n % 10] + table[n & 1](n) + (int)doubles[2] + (int)dynamic[3] +
                       through_virtual(s, n) + factorial<long long>(n) + grid[n][1] + *inside + managed;
    delete s;
    atomicAdd(&counter, 1);
    switch (n) {
    case 0:
        out[5] = n / 3;
        break;
    case 1:
        out[1] = n % out[4];
        break;
    case 2:
        return;
    case 3:
        out[3]++;
        break;
    }
    out[0] = ((int *)&p)[n];
}
