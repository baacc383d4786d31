// expect: wrong-result
// case: count
// says: n_over
// Counts a chunk as soon as it is in its stream, without waiting for it.
#include "calibration.h"
#include "lab.h"
#include "streams.h"

// ---- Given: the kernels, which are right ----

#define BLOCK 256

__global__ void calibrate_kernel(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = calibrated(data[i]);
}

__global__ void subtract_kernel(float *data, const float *dark, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] -= dark[i];
}

// ---- One chunk, in one stream ----

int calibrate_chunk(const float *in, float *out, int n, float *d_data, cudaStream_t stream)
{
    if (n == 0)
        return cudaSuccess;
    size_t bytes = n * sizeof(float);
    cudaError_t err = cudaMemcpyAsync(d_data, in, bytes, cudaMemcpyHostToDevice, stream);
    if (err == cudaSuccess) {
        calibrate_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(d_data, n);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(out, d_data, bytes, cudaMemcpyDeviceToHost, stream);
    return err;
}

// ---- Streams, and device memory for each of them ----

typedef struct Pipeline {
    int n_streams;
    cudaStream_t stream[STREAMS_MAX];
    float *d_data[STREAMS_MAX]; // a chunk's readings, for the work in the stream of the same number
} Pipeline;

// Makes n_streams streams, and device memory of `chunk` floats for each. When it fails, what was made so far is in
// *p all the same, for pipeline_destroy.
static cudaError_t pipeline_create(Pipeline *p, int n_streams, int chunk)
{
    cudaError_t err = cudaSuccess;
    *p = Pipeline();
    for (int s = 0; s < n_streams && err == cudaSuccess; s++) {
        err = cudaStreamCreateWithFlags(&p->stream[s], cudaStreamNonBlocking);
        if (err != cudaSuccess)
            break;
        p->n_streams = s + 1;
        err = cudaMalloc(&p->d_data[s], chunk * sizeof(float));
    }
    return err;
}

// Waits until the device has done everything, and gives everything back.
static cudaError_t pipeline_destroy(Pipeline *p)
{
    cudaError_t err = cudaSuccess;
    err = cudaDeviceSynchronize();
    for (int s = 0; s < p->n_streams; s++) {
        cudaFree(p->d_data[s]);
        cudaStreamDestroy(p->stream[s]);
    }
    return err;
}

// ---- All chunks ----

int calibrate_all(const float *in, float *out, int n, int chunk, int n_streams)
{
    Pipeline p;
    cudaError_t err = pipeline_create(&p, n_streams, chunk);
    for (int i = 0, first = 0; first < n && err == cudaSuccess; i++, first += chunk) {
        int s = i % n_streams;
        int count = n - first < chunk ? n - first : chunk;
        err = (cudaError_t)calibrate_chunk(in + first, out + first, count, p.d_data[s], p.stream[s]);
    }
    cudaError_t ended = pipeline_destroy(&p);
    return err != cudaSuccess ? err : ended;
}

// ---- Host memory that copies can overlap with ----

int host_array_create(float **array, size_t n)
{
    *array = NULL;
    return cudaMallocHost(array, n * sizeof(float));
}

int host_array_destroy(float *array)
{
    return cudaFreeHost(array);
}

// ---- Work in one stream that the others wait for ----

// As calibrate_chunk, with dark subtracted first.
static cudaError_t dark_chunk(const float *in, const float *d_dark, float *out, int n, float *d_data,
                              cudaStream_t stream)
{
    size_t bytes = n * sizeof(float);
    int blocks = (n + BLOCK - 1) / BLOCK;
    cudaError_t err = cudaMemcpyAsync(d_data, in, bytes, cudaMemcpyHostToDevice, stream);
    if (err != cudaSuccess)
        return err;
    subtract_kernel<<<blocks, BLOCK, 0, stream>>>(d_data, d_dark, n);
    calibrate_kernel<<<blocks, BLOCK, 0, stream>>>(d_data, n);
    err = cudaGetLastError();
    if (err != cudaSuccess)
        return err;
    return cudaMemcpyAsync(out, d_data, bytes, cudaMemcpyDeviceToHost, stream);
}

// Copies dark to the device in stream 0, and lets all other streams wait for that, but not the host.
static cudaError_t send_dark(const Pipeline *p, const float *dark, float *d_dark, int chunk, cudaEvent_t arrived)
{
    cudaError_t err = cudaMemcpyAsync(d_dark, dark, chunk * sizeof(float), cudaMemcpyHostToDevice, p->stream[0]);
    if (err == cudaSuccess)
        err = cudaEventRecord(arrived, p->stream[0]);
    for (int s = 1; s < p->n_streams && err == cudaSuccess; s++)
        err = cudaStreamWaitEvent(p->stream[s], arrived, 0);
    return err;
}

int calibrate_dark(const float *in, const float *dark, float *out, int n, int chunk, int n_streams)
{
    Pipeline p;
    float *d_dark = NULL;
    cudaEvent_t arrived = NULL;
    cudaError_t err = pipeline_create(&p, n_streams, chunk);
    if (err == cudaSuccess)
        err = cudaMalloc(&d_dark, chunk * sizeof(float));
    if (err == cudaSuccess)
        err = cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    if (err == cudaSuccess)
        err = send_dark(&p, dark, d_dark, chunk, arrived);
    for (int i = 0, first = 0; first < n && err == cudaSuccess; i++, first += chunk) {
        int s = i % n_streams;
        int count = n - first < chunk ? n - first : chunk;
        err = dark_chunk(in + first, d_dark, out + first, count, p.d_data[s], p.stream[s]);
    }
    cudaError_t ended = pipeline_destroy(&p);
    if (arrived != NULL)
        cudaEventDestroy(arrived);
    cudaFree(d_dark);
    return err != cudaSuccess ? err : ended;
}

// ---- The host works too ----

// How many of n readings are greater than limit.
int count_over(const float *readings, int n, float limit)
{
    int over = 0;
    for (int i = 0; i < n; i++)
        over += readings[i] > limit;
    return over;
}

int calibrate_count(const float *in, float *out, int n, int chunk, int n_streams, float limit, int *n_over)
{
    Pipeline p;
    cudaEvent_t done[STREAMS_MAX] = {}; // behind the newest chunk of each stream
    cudaError_t err = pipeline_create(&p, n_streams, chunk);
    *n_over = 0;
    for (int s = 0; s < n_streams && err == cudaSuccess; s++)
        err = cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming);
    int n_chunks = (n + chunk - 1) / chunk;
    // Turn i puts chunk i into its stream, and before that counts the chunk that was there, n_streams turns ago.
    for (int i = 0; i < n_chunks + n_streams && err == cudaSuccess; i++) {
        int s = i % n_streams, old = i - n_streams;
        if (old >= 0 && old < n_chunks) {
            err = cudaSuccess;
            int first = old * chunk;
            if (err == cudaSuccess)
                *n_over += count_over(out + first, n - first < chunk ? n - first : chunk, limit);
        }
        if (i < n_chunks && err == cudaSuccess) {
            int first = i * chunk, count = n - first < chunk ? n - first : chunk;
            err = (cudaError_t)calibrate_chunk(in + first, out + first, count, p.d_data[s], p.stream[s]);
            if (err == cudaSuccess)
                err = cudaEventRecord(done[s], p.stream[s]);
        }
    }
    cudaError_t ended = pipeline_destroy(&p);
    for (int s = 0; s < STREAMS_MAX; s++)
        if (done[s] != NULL)
            cudaEventDestroy(done[s]);
    return err != cudaSuccess ? err : ended;
}
