// expect: race
// case: relax
// says: host-race: the host reads managed memory that a kernel launched before writes
// A prefetch to the host does not make the host wait.
#include "lab.h"
#include "places.h"
#include "unified_memory.h"

#include <string.h>

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

// ---- One pointer for both ----

int scale(const float *in, float *out, int n, float factor)
{
    if (n == 0)
        return cudaSuccess;
    float *data = NULL;
    cudaError_t err = cudaMallocManaged(&data, n * sizeof(float));
    if (err != cudaSuccess)
        return err;
    memcpy(data, in, n * sizeof(float));
    scale_kernel<<<blocks_for(n), BLOCK>>>(data, n, factor);
    err = cudaGetLastError();
    if (err == cudaSuccess)
        err = cudaDeviceSynchronize();
    if (err == cudaSuccess)
        memcpy(out, data, n * sizeof(float));
    cudaFree(data);
    return err;
}

// ---- Pages that are there before they are needed ----

int relax(const float *in, float *out, int n, int rounds)
{
    if (n == 0)
        return cudaSuccess;
    size_t bytes = n * sizeof(float);
    float *now = NULL, *next = NULL;
    cudaError_t err = cudaMallocManaged(&now, bytes);
    if (err == cudaSuccess)
        err = cudaMallocManaged(&next, bytes);
    if (err == cudaSuccess) {
        memcpy(now, in, bytes);
        err = cudaMemPrefetchAsync(now, bytes, the_device(), 0, 0);
    }
    if (err == cudaSuccess)
        err = cudaMemPrefetchAsync(next, bytes, the_device(), 0, 0);
    for (int r = 0; r < rounds && err == cudaSuccess; r++) {
        relax_kernel<<<blocks_for(n), BLOCK>>>(now, next, n);
        err = cudaGetLastError();
        float *swap = now;
        now = next;
        next = swap;
    }
    if (err == cudaSuccess)
        err = cudaMemPrefetchAsync(now, bytes, the_host(), 0, 0);
    if (err == cudaSuccess)
        memcpy(out, now, bytes);
    cudaFree(now);
    cudaFree(next);
    return err;
}

// ---- Pages that both need ----

int correct(const float *table, int n_table, const int *reading, float *out, int n, int rounds, float *control)
{
    cudaError_t err = cudaSuccess;
    float *m_table = NULL, *m_out = NULL;
    int *m_reading = NULL;
    if (n == 0)
        return cudaSuccess;
    size_t table_bytes = n_table * sizeof(float);
    err = cudaMallocManaged(&m_table, table_bytes);
    if (err == cudaSuccess)
        err = cudaMallocManaged(&m_reading, n * sizeof(int));
    if (err == cudaSuccess)
        err = cudaMallocManaged(&m_out, n * sizeof(float));
    if (err == cudaSuccess) {
        memcpy(m_table, table, table_bytes);
        memcpy(m_reading, reading, n * sizeof(int));
        memset(m_out, 0, n * sizeof(float));
        err = cudaMemAdvise(m_table, table_bytes, cudaMemAdviseSetReadMostly, the_device());
    }
    if (err == cudaSuccess)
        err = cudaMemPrefetchAsync(m_table, table_bytes, the_device(), 0, 0);
    for (int r = 0; r < rounds && err == cudaSuccess; r++) {
        correct_kernel<<<blocks_for(n), BLOCK>>>(m_table, n_table, m_reading, m_out, n, r);
        err = cudaGetLastError();
        if (err == cudaSuccess)
            err = cudaDeviceSynchronize();
        if (err == cudaSuccess)
            control[r] = m_out[31 * r % n] - m_table[97 * r % n_table];
    }
    if (err == cudaSuccess)
        memcpy(out, m_out, n * sizeof(float));
    cudaFree(m_table);
    cudaFree(m_reading);
    cudaFree(m_out);
    return err;
}

// ---- Pointers within pointers ----

// Each thread looks for one query in the list that it would be in.
__global__ void count_kernel(const Table *table, const int *queries, int n)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= n)
        return;
    for (Node *node = table->buckets[bucket_of(queries[q], table->n_buckets)]; node != NULL; node = node->next)
        if (node->key == queries[q])
            atomicAdd(&node->hits, 1);
}

int table_create(Table **table, const int *keys, int n_keys, int n_buckets)
{
    *table = NULL;
    Table *t = NULL;
    cudaError_t err = cudaMallocManaged(&t, sizeof(Table));
    if (err != cudaSuccess)
        return err;
    t->n_buckets = n_buckets;
    t->buckets = NULL;
    t->nodes = NULL;
    err = cudaMallocManaged(&t->buckets, n_buckets * sizeof(Node *));
    if (err == cudaSuccess)
        err = cudaMallocManaged(&t->nodes, (n_keys + 1) * sizeof(Node)); // one more: 0 bytes would be no memory
    if (err != cudaSuccess) {
        table_destroy(t);
        return err;
    }
    for (int b = 0; b < n_buckets; b++)
        t->buckets[b] = NULL;
    for (int i = 0; i < n_keys; i++) {
        Node **first = &t->buckets[bucket_of(keys[i], n_buckets)];
        t->nodes[i].key = keys[i];
        t->nodes[i].hits = 0;
        t->nodes[i].next = *first;
        *first = &t->nodes[i];
    }
    *table = t;
    return cudaSuccess;
}

int table_count(Table *table, const int *queries, int n)
{
    if (n == 0)
        return cudaSuccess;
    int *m_queries = NULL;
    cudaError_t err = cudaMallocManaged(&m_queries, n * sizeof(int));
    if (err != cudaSuccess)
        return err;
    memcpy(m_queries, queries, n * sizeof(int));
    count_kernel<<<blocks_for(n), BLOCK>>>(table, m_queries, n);
    err = cudaGetLastError();
    if (err == cudaSuccess)
        err = cudaDeviceSynchronize();
    cudaFree(m_queries);
    return err;
}

int table_destroy(Table *table)
{
    if (table == NULL)
        return cudaSuccess;
    cudaFree(table->nodes);
    cudaFree(table->buckets);
    return cudaFree(table);
}

// ---- Buffers that are used again ----

// Given: smooths one frame with the help of two device arrays of n floats.
static inline cudaError_t smooth_with(const float *frame, float *out, int n, float *d_first, float *d_second)
{
    cudaError_t copied = cudaMemcpy(d_first, frame, n * sizeof(float), cudaMemcpyHostToDevice);
    if (copied != cudaSuccess)
        return copied;
    relax_kernel<<<blocks_for(n), BLOCK>>>(d_first, d_second, n);
    relax_kernel<<<blocks_for(n), BLOCK>>>(d_second, d_first, n);
    cudaError_t launched = cudaGetLastError();
    return launched != cudaSuccess ? launched : cudaMemcpy(out, d_first, n * sizeof(float), cudaMemcpyDeviceToHost);
}

// Two arrays for all frames: each turn needs the same bytes, and nothing of what the turn before has left in them.

int smooth_frames(const float *frames, float *out, int n, int n_frames)
{
    cudaError_t err = cudaSuccess;
    if (n == 0)
        return cudaSuccess;
    float *d_frame = NULL, *d_scratch = NULL;
    err = cudaMalloc(&d_frame, n * sizeof(float));
    if (err == cudaSuccess)
        err = cudaMalloc(&d_scratch, n * sizeof(float));
    for (int f = 0; f < n_frames && err == cudaSuccess; f++)
        err = smooth_with(frames + (size_t)f * n, out + (size_t)f * n, n, d_frame, d_scratch);
    cudaFree(d_frame);
    cudaFree(d_scratch);
    return err;
}

// ---- More than there is room for ----

// Given: all rounds for n elements.
static inline cudaError_t grind_rounds(float *data, int n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        grind_kernel<<<blocks_for(n), BLOCK>>>(data, n);
    return cudaGetLastError();
}

int grind(const float *in, float *out, int n, int rounds)
{
    float *all = NULL;
    if (n == 0)
        return cudaSuccess;
    cudaError_t err = cudaMallocManaged(&all, n * sizeof(float));
    if (err != cudaSuccess)
        return err;
    memcpy(all, in, n * sizeof(float));
    size_t free_bytes = 0, total_bytes = 0;
    err = cudaMemGetInfo(&free_bytes, &total_bytes);
    // Half of what is free: a piece must not push itself out.
    size_t piece = free_bytes / 2 / sizeof(float);
    for (size_t first = 0; first < (size_t)n && err == cudaSuccess; first += piece) {
        size_t count = n - first < piece ? n - first : piece;
        err = grind_rounds(all + first, (int)count, rounds);
    }
    cudaError_t ended = cudaDeviceSynchronize();
    if (err == cudaSuccess && ended == cudaSuccess)
        memcpy(out, all, n * sizeof(float));
    cudaFree(all);
    return err != cudaSuccess ? err : ended;
}
