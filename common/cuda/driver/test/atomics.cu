// cuda::atomic and cuda::atomic_ref: each operation, scope and order, on the device and on the host; prints what came out.
#include <cuda/atomic>

#include <cstdio>

__device__ cuda::atomic<int, cuda::thread_scope_device> ready(0);

template <class T, cuda::thread_scope S> __host__ __device__ void all_of(T *x, T value)
{
    cuda::atomic_ref<T, S> a(x[0]), b(x[1]), c(x[2]), d(x[3]), e(x[4]), f(x[5]), g(x[6]), h(x[7]);
    a.fetch_add(value), a += 2, ++a, a--;
    b.fetch_sub(value, cuda::memory_order_relaxed);
    c.fetch_and(value | 1, cuda::memory_order_acquire);
    d.fetch_or(value, cuda::memory_order_release);
    e.fetch_xor(value, cuda::memory_order_acq_rel);
    f.fetch_min(value, cuda::std::memory_order_relaxed);
    g.fetch_max(value, cuda::memory_order_relaxed);
    T expected = h.load(cuda::memory_order_relaxed);
    while (!h.compare_exchange_weak(expected, expected * 3 + value, cuda::memory_order_acq_rel)) {
    }
    x[8] = h.exchange(value);
    expected = value + 1;
    x[9] = h.compare_exchange_strong(expected, 0) ? 1 : expected;
}

template <class T> __host__ __device__ void all_scopes(T *x)
{
    all_of<T, cuda::thread_scope_system>(x, 5);
    all_of<T, cuda::thread_scope_device>(x, T(-7));
    all_of<T, cuda::thread_scope_block>(x, 11);
}

template <class T> __host__ __device__ void floating(T *x)
{
    cuda::atomic_ref<T, cuda::thread_scope_device> a(x[0]), b(x[1]);
    a.fetch_add(T(1.25)), a -= T(0.5);
    b = T(2.5);
    x[2] = b.exchange(a.load());
}

struct Out {
    int i[10];
    unsigned u[10];
    long long l[10];
    unsigned long long w[10];
    float f[3];
    double d[3];
};

__host__ __device__ void everything(Out *out)
{
    all_scopes(out->i), all_scopes(out->u), all_scopes(out->l), all_scopes(out->w);
    floating(out->f), floating(out->d);
}

__global__ void alone(Out *out) { everything(out); }

// Each block adds; the last one to be ready sees what all have added.
__global__ void together(int *sum, int *seen)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> all(*sum);
    all.fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        if (ready.fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1)
            *seen = all.load(cuda::memory_order_acquire);
    }
}

static void print(const char *where, const Out &o)
{
    for (int i = 0; i < 10; i++)
        printf("%s %d %u %lld %llu\n", where, o.i[i], o.u[i], o.l[i], o.w[i]);
    for (int i = 0; i < 3; i++)
        printf("%s %g %g\n", where, o.f[i], o.d[i]);
}

int main()
{
    Out host = {}, back;
    for (int i = 0; i < 10; i++)
        host.i[i] = i * 3 - 8, host.u[i] = i * 3, host.l[i] = i * 5 - 9, host.w[i] = i * 7;
    Out *out;
    int *sums, both[2];
    cudaMalloc(&out, sizeof *out);
    cudaMalloc(&sums, sizeof both);
    cudaMemset(sums, 0, sizeof both);
    cudaMemcpy(out, &host, sizeof host, cudaMemcpyHostToDevice);
    alone<<<1, 1>>>(out);
    together<<<6, 40>>>(sums, sums + 1);
    cudaMemcpy(&back, out, sizeof back, cudaMemcpyDeviceToHost);
    cudaMemcpy(both, sums, sizeof both, cudaMemcpyDeviceToHost);
    everything(&host);
    print("device", back);
    print("host", host);
    printf("%d %d\n", both[0], both[1]);
    cudaFree(out);
    cudaFree(sums);
    return 0;
}
