/* The benchmark's kernels as a CUDA program: run by the virtual GPU through the kit's libcudart. */
#include "common/vgpu/bench/bench.h"

#define CUDA_CHECK(call)                                                                                     \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

__global__ void add_kernel(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void naive_kernel(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void tiled_kernel(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a_tile[ty][tx] = a[y * n + t + tx];
        b_tile[ty][tx] = b[(t + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a_tile[ty][k] * b_tile[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void reduce_kernel(const float *a, float *sums)
{
    __shared__ float s[REDUCE_BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * REDUCE_BLOCK + t];
    __syncthreads();
    for (int half = REDUCE_BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

__global__ void histogram_global_kernel(const uint32_t *words, uint32_t *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[words[i] % BINS], 1);
}

__global__ void histogram_shared_kernel(const uint32_t *words, uint32_t *bins, int n)
{
    __shared__ uint32_t own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[words[i] % BINS], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void stencil_kernel(const float *from, float *to, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
    else
        to[i] = from[i];
}

__global__ void divergent_kernel(const uint32_t *words, uint32_t *steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = words[i] + 1, n = 0;
    while (x != 1 && n < DIVERGENT_STEPS) {
        if (x & 1) {
            x = 3 * x + 1;
            n++;
        } else {
            do {
                x >>= 1;
                n++;
            } while (!(x & 1));
        }
    }
    steps[i] = n;
}

__global__ void scattered_kernel(const float *a, float *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * SCATTER_FACTOR % SCATTER_N] = a[(i * 7919u + 13) % SCATTER_N];
}

__global__ void lock_kernel(int *lock, volatile uint32_t *counter)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

static float *a, *b, *c, *d; /* on the device */
static uint32_t *words, *results;
static float *host_a, *host_b, *host_c, *want; /* on the host */
static uint32_t *host_words, *host_results, *want_words;

static void finish(void)
{
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

static bool same_floats(const float *device, int n)
{
    CUDA_CHECK(cudaMemcpy(host_c, device, n * sizeof(float), cudaMemcpyDeviceToHost));
    return bench_same_floats(host_c, want, n);
}

static bool same_words(int n)
{
    CUDA_CHECK(cudaMemcpy(host_results, results, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    return bench_same_words(host_results, want_words, n);
}

static void clear_results(void)
{
    CUDA_CHECK(cudaMemset(results, 0, BINS * sizeof(uint32_t)));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void add_run(void)
{
    add_kernel<<<ADD_N / 256, 256>>>(a, b, c, ADD_N);
    finish();
}

static bool add_check(void)
{
    plain_add(host_a, host_b, want);
    return same_floats(c, ADD_N);
}

static void naive_run(void)
{
    naive_kernel<<<dim3(NAIVE_N / 16, NAIVE_N / 16), dim3(16, 16)>>>(a, b, c, NAIVE_N);
    finish();
}

static bool naive_check(void)
{
    plain_naive(host_a, host_b, want);
    return same_floats(c, NAIVE_N * NAIVE_N);
}

static void tiled_run(void)
{
    tiled_kernel<<<dim3(TILED_N / TILE, TILED_N / TILE), dim3(TILE, TILE)>>>(a, b, c, TILED_N);
    finish();
}

static bool tiled_check(void)
{
    plain_tiled(host_a, host_b, want);
    return same_floats(c, TILED_N * TILED_N);
}

static void reduce_run(void)
{
    reduce_kernel<<<REDUCE_N / REDUCE_BLOCK, REDUCE_BLOCK>>>(a, c);
    finish();
}

static bool reduce_check(void)
{
    plain_reduce(host_a, want);
    return same_floats(c, REDUCE_N / REDUCE_BLOCK);
}

static void histogram_global_run(void)
{
    histogram_global_kernel<<<HISTOGRAM_N / 256, 256>>>(words, results, HISTOGRAM_N);
    finish();
}

static void histogram_shared_run(void)
{
    histogram_shared_kernel<<<64, BINS>>>(words, results, HISTOGRAM_N);
    finish();
}

static bool histogram_check(void)
{
    plain_histogram(host_words, want_words);
    return same_words(BINS);
}

static void stencil_reset(void)
{
    CUDA_CHECK(cudaMemcpy(d, host_a, STENCIL_N * STENCIL_N * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void stencil_run(void)
{
    float *from = d, *to = c;
    for (int step = 0; step < STENCIL_STEPS; step++) {
        stencil_kernel<<<dim3(STENCIL_N / 32, STENCIL_N / 8), dim3(32, 8)>>>(from, to, STENCIL_N);
        float *swap = from;
        from = to;
        to = swap;
    }
    finish();
}

static bool stencil_check(void)
{
    memcpy(want, host_a, STENCIL_N * STENCIL_N * sizeof(float));
    plain_stencil(want, host_c);
    return same_floats(d, STENCIL_N * STENCIL_N);
}

static void divergent_run(void)
{
    divergent_kernel<<<DIVERGENT_N / 256, 256>>>(words, results);
    finish();
}

static bool divergent_check(void)
{
    plain_divergent(host_words, want_words);
    return same_words(DIVERGENT_N);
}

static void scattered_run(void)
{
    scattered_kernel<<<SCATTER_N / 256, 256>>>(a, c);
    finish();
}

static bool scattered_check(void)
{
    plain_scattered(host_a, want);
    return same_floats(c, SCATTER_N);
}

static void lock_run(void)
{
    lock_kernel<<<LOCK_BLOCKS, LOCK_THREADS>>>((int *)results + 1, results);
    finish();
}

static bool lock_check(void)
{
    plain_lock(want_words);
    return same_words(1);
}

static void *device_copy(const void *host)
{
    void *device;
    CUDA_CHECK(cudaMalloc(&device, WORDS_MAX * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(device, host, WORDS_MAX * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static void make_arrays(void)
{
    host_a = (float *)malloc(WORDS_MAX * sizeof(float));
    host_b = (float *)malloc(WORDS_MAX * sizeof(float));
    host_c = (float *)malloc(WORDS_MAX * sizeof(float));
    want = (float *)malloc(WORDS_MAX * sizeof(float));
    host_words = (uint32_t *)malloc(WORDS_MAX * sizeof(uint32_t));
    host_results = (uint32_t *)malloc(WORDS_MAX * sizeof(uint32_t));
    want_words = (uint32_t *)malloc(WORDS_MAX * sizeof(uint32_t));
    bench_inputs(host_a, host_b, host_words);
    a = (float *)device_copy(host_a);
    b = (float *)device_copy(host_b);
    c = (float *)device_copy(host_a);
    d = (float *)device_copy(host_a);
    words = (uint32_t *)device_copy(host_words);
    results = (uint32_t *)device_copy(host_words);
}

/* Peak resident memory of this process, KiB. */
static long peak_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

/* What the virtual GPU takes beside its arrays: three of 64 MiB in use by one kernel, nothing on the host. */
static void memory(void)
{
    enum { N = 1 << 24 };
    long before = peak_kib();
    float *x, *y, *z;
    CUDA_CHECK(cudaMalloc(&x, N * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&y, N * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&z, N * sizeof(float)));
    CUDA_CHECK(cudaMemset(x, 0, N * sizeof(float)));
    CUDA_CHECK(cudaMemset(y, 0, N * sizeof(float)));
    add_kernel<<<N / 256, 256>>>(x, y, z, N);
    finish();
    printf("memory-allocated %.1f\nmemory-peak %.1f\n", 3.0 * N * sizeof(float) / (1 << 20),
           (double)(peak_kib() - before) / 1024);
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    CUDA_CHECK(cudaFree(z));
}

/* Fat binary, parse, decode and the first launch: from the first call to the first synchronise. */
static void startup(void)
{
    double start = bench_seconds();
    int *word;
    CUDA_CHECK(cudaMalloc(&word, 2 * sizeof(int)));
    CUDA_CHECK(cudaMemset(word, 0, 2 * sizeof(int)));
    lock_kernel<<<1, 1>>>(word + 1, (uint32_t *)word);
    finish();
    printf("startup %.4f\n", (bench_seconds() - start) * 1e3);
    CUDA_CHECK(cudaFree(word));
}

static const BenchCase cases[] = {
    {"vector-add", add_run, add_check, NULL},
    {"matmul-naive", naive_run, naive_check, NULL},
    {"matmul-tiled", tiled_run, tiled_check, NULL},
    {"reduction", reduce_run, reduce_check, NULL},
    {"histogram-global", histogram_global_run, histogram_check, clear_results},
    {"histogram-shared", histogram_shared_run, histogram_check, clear_results},
    {"stencil", stencil_run, stencil_check, stencil_reset},
    {"divergent", divergent_run, divergent_check, NULL},
    {"scattered", scattered_run, scattered_check, NULL},
    {"spin-lock", lock_run, lock_check, clear_results},
};

/* Arguments: names of cases (none: all), or "startup", or "memory". */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "startup") == 0) {
        startup();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "memory") == 0) {
        memory();
        return 0;
    }
    make_arrays();
    for (const BenchCase &bench : cases) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], bench.name) == 0;
        if (wanted)
            bench_measure(&bench);
    }
    for (void *array : {(void *)a, (void *)b, (void *)c, (void *)d, (void *)words, (void *)results})
        CUDA_CHECK(cudaFree(array));
    return 0;
}
