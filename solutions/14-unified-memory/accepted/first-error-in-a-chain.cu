// expect: pass
// Actions that follow one another until the first error; managed arrays free themselves; the stream of the thread, cooperative groups.
#include "lab.h"
#include "places.h"
#include "unified_memory.h"

#include <cooperative_groups.h>

#include <algorithm>
#include <new>
#include <string.h>
#include <utility>

// ---- Given: the kernels, which are right ----

#define BLOCK 256

static inline int blocks_for(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

__global__ void scale_kernel(float *data, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

// Each cell becomes the mean of its neighbours and itself, which counts twice. The ends are their own neighbours.
__global__ void relax_kernel(const float *now, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = 0.25f * now[i == 0 ? 0 : i - 1] + 0.5f * now[i] + 0.25f * now[i + 1 == n ? i : i + 1];
}

__global__ void correct_kernel(const float *table, int n_table, const int *reading, float *out, int n, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += table[(reading[i] + round) % n_table];
}

__global__ void grind_kernel(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 0.75f * data[i] + 0.5f;
}

namespace cg = cooperative_groups;

// ---- Helpers: the first error is kept, what was taken is given back ----

namespace {

class First {
    cudaError_t code = cudaSuccess;

public:
    template <typename Action>
    First &then(Action action)
    {
        if (code == cudaSuccess)
            code = action();
        return *this;
    }
    First &always(cudaError_t other)
    {
        if (code == cudaSuccess)
            code = other;
        return *this;
    }
    bool fine() const { return code == cudaSuccess; }
    operator int() const { return code; }
};

template <typename T>
class Managed {
    T *first = nullptr;

public:
    Managed() = default;
    Managed(const Managed &) = delete;
    Managed &operator=(const Managed &) = delete;
    ~Managed() { cudaFree(first); }
    size_t bytes = 0;
    cudaError_t take(size_t count)
    {
        bytes = count * sizeof(T);
        return cudaMallocManaged(&first, bytes);
    }
    cudaError_t send(cudaMemLocation place) { return cudaMemPrefetchAsync(first, bytes, place, 0, cudaStreamPerThread); }
    operator T *() const { return first; }
};

template <typename... Params, typename... Args>
cudaError_t start(void (*kernel)(Params...), int n, Args... args)
{
    kernel<<<blocks_for(n), BLOCK, 0, cudaStreamPerThread>>>(args...);
    return cudaGetLastError();
}

cudaError_t wait_for_all()
{
    return cudaStreamSynchronize(cudaStreamPerThread);
}

} // namespace

int scale(const float *in, float *out, int n, float factor)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    Managed<float> data;
    cudaEvent_t done = nullptr;
    first.then([&] { return data.take(n); });
    first.then([&] { return cudaEventCreateWithFlags(&done, cudaEventDisableTiming); });
    if (first.fine())
        std::copy(in, in + n, (float *)data);
    first.then([&] { return start(scale_kernel, n, (float *)data, n, factor); });
    first.then([&] { return cudaEventRecord(done, cudaStreamPerThread); });
    first.then([&] { return cudaEventSynchronize(done); });
    if (first.fine())
        std::copy((float *)data, (float *)data + n, out);
    if (done != nullptr)
        first.always(cudaEventDestroy(done));
    return first;
}

int relax(const float *in, float *out, int n, int rounds)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    Managed<float> a, b;
    first.then([&] { return a.take(n); }).then([&] { return b.take(n); });
    Managed<float> *turn[2] = {&a, &b};
    if (first.fine())
        memcpy(a, in, a.bytes);
    for (Managed<float> *m : turn)
        first.then([&] { return m->send(the_device()); });
    for (int r = 0; r < rounds; r++)
        first.then([&] { return start(relax_kernel, n, (float *)*turn[r % 2], (float *)*turn[(r + 1) % 2], n); });
    Managed<float> &last = *turn[rounds % 2];
    first.then([&] { return last.send(the_host()); }).then(wait_for_all);
    if (first.fine())
        memcpy(out, last, last.bytes);
    return first;
}

int correct(const float *table, int n_table, const int *reading, float *out, int n, int rounds, float *control)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    Managed<float> values, sums;
    Managed<int> places;
    first.then([&] { return values.take(n_table); });
    first.then([&] { return sums.take(n); });
    first.then([&] { return places.take(n); });
    if (first.fine()) {
        memcpy(values, table, values.bytes);
        memcpy(places, reading, places.bytes);
    }
    first.then([&] { return cudaMemAdvise(values, values.bytes, cudaMemAdviseSetReadMostly, the_device()); });
    first.then([&] { return cudaMemAdvise(places, places.bytes, cudaMemAdviseSetReadMostly, the_device()); });
    first.then([&] { return values.send(the_device()); });
    first.then([&] { return cudaMemsetAsync(sums, 0, sums.bytes, cudaStreamPerThread); });
    for (int r = 0; r < rounds && first.fine(); r++) {
        first.then([&] { return start(correct_kernel, n, (float *)values, n_table, (int *)places, (float *)sums, n, r); });
        first.then(wait_for_all);
        if (first.fine())
            control[r] = sums[31LL * r % n] - values[97LL * r % n_table];
    }
    if (first.fine())
        memcpy(out, sums, sums.bytes);
    return first;
}

// ---- One allocation: the Table, then its buckets, then its nodes ----

__global__ void count_kernel(Table *table, const int *queries, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int wanted = queries[i];
    Node *found = table->buckets[bucket_of(wanted, table->n_buckets)];
    for (; found != nullptr; found = found->next)
        if (found->key == wanted)
            break;
    if (found == nullptr)
        return;
    auto here = cg::coalesced_threads();
    unsigned same = 0;
    for (unsigned k = 0; k < here.size(); k++)
        if (here.shfl((unsigned long long)found, k) == (unsigned long long)found)
            same |= 1u << k;
    if (here.thread_rank() == __ffs(same) - 1)
        atomicAdd(&found->hits, __popc(same));
}

int table_create(Table **table, const int *keys, int n_keys, int n_buckets)
{
    *table = nullptr;
    const size_t head = (sizeof(Table) + 15) / 16 * 16, room = ((size_t)n_buckets * sizeof(Node *) + 15) / 16 * 16;
    char *all = nullptr;
    if (cudaError_t err = cudaMallocManaged(&all, head + room + (size_t)n_keys * sizeof(Node)))
        return err;
    Table *t = new (all) Table{n_buckets, (Node **)(all + head), (Node *)(all + head + room)};
    std::fill(t->buckets, t->buckets + n_buckets, nullptr);
    for (int i = n_keys - 1; i >= 0; i--) {
        Node *&list = t->buckets[bucket_of(keys[i], n_buckets)];
        list = new (t->nodes + i) Node{keys[i], 0, list};
    }
    *table = t;
    return cudaSuccess;
}

int table_count(Table *table, const int *queries, int n)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    Managed<int> asked;
    first.then([&] { return asked.take(n); });
    if (first.fine())
        std::copy_n(queries, n, (int *)asked);
    return first.then([&] { return start(count_kernel, n, table, (int *)asked, n); }).then(wait_for_all);
}

int table_destroy(Table *table)
{
    return cudaFree(table);
}

// ---- A pool of our own, from which every frame takes its two arrays ----

int smooth_frames(const float *frames, float *out, int n, int n_frames)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = the_device();
    const size_t bytes = n * sizeof(float);
    unsigned long long keep = 4ull * bytes + (4u << 20);
    const cudaStream_t stream = cudaStreamPerThread;
    first.then([&] { return cudaMemPoolCreate(&pool, &props); });
    first.then([&] { return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep); });
    for (int k = 0; k < n_frames && first.fine(); k++) {
        float *pair = nullptr;
        first.then([&] { return cudaMallocFromPoolAsync((void **)&pair, 2 * bytes, pool, stream); });
        first.then([&] { return cudaMemcpyAsync(pair, frames + (size_t)k * n, bytes, cudaMemcpyHostToDevice, stream); });
        first.then([&] { return start(relax_kernel, n, (const float *)pair, pair + n, n); });
        first.then([&] { return start(relax_kernel, n, (const float *)pair + n, pair, n); });
        first.then([&] { return cudaMemcpyAsync(out + (size_t)k * n, pair, bytes, cudaMemcpyDeviceToHost, stream); });
        if (pair != nullptr)
            first.always(cudaFreeAsync(pair, stream));
    }
    first.always(cudaStreamSynchronize(stream));
    if (pool != nullptr)
        first.always(cudaMemPoolDestroy(pool));
    return first;
}

// ---- Pieces that fit ----

int grind(const float *in, float *out, int n, int rounds)
{
    if (n == 0)
        return cudaSuccess;
    First first;
    Managed<float> all;
    size_t room = 0, total = 0;
    first.then([&] { return all.take(n); }).then([&] { return cudaMemGetInfo(&room, &total); });
    const int piece = (int)std::min<size_t>(std::max<size_t>(room / 4 / (64 << 10), 1) * (64 << 10) / sizeof(float), 1 << 28);
    if (first.fine())
        memcpy(all, in, all.bytes);
    for (long long begin = 0; begin < n; begin += piece) {
        const int count = (int)std::min<long long>(piece, n - begin);
        for (int r = 0; r < rounds; r++)
            first.then([&] { return start(grind_kernel, count, (float *)all + begin, count); });
    }
    first.then(wait_for_all);
    if (first.fine())
        memcpy(out, all, all.bytes);
    return first;
}
