// Lab 04: copies and kernels that overlap. The contract is in streams.h, the steps are in README.md.
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
    // TODO 1: three things, all of them in the stream: copy in to d_data, launch calibrate_kernel with enough blocks
    // of BLOCK threads, copy d_data to out. Return the first error. For n == 0 there is nothing to do.
    return cudaSuccess;
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
    // TODO 2 (create): the streams with cudaStreamCreate or cudaStreamCreateWithFlags, the memory with cudaMalloc.
    // p->n_streams says how many streams there are.
    return err;
}

// Waits until the device has done everything, and gives everything back.
static cudaError_t pipeline_destroy(Pipeline *p)
{
    cudaError_t err = cudaSuccess;
    // TODO 2 (destroy): wait for the device, and keep the error in err; then give back the memory and the streams.
    return err;
}

// ---- All chunks ----

int calibrate_all(const float *in, float *out, int n, int chunk, int n_streams)
{
    Pipeline p;
    cudaError_t err = pipeline_create(&p, n_streams, chunk);
    // TODO 2 (loop): chunk after chunk, stream after stream, with calibrate_chunk. How long is the last chunk?
    cudaError_t ended = pipeline_destroy(&p);
    return err != cudaSuccess ? err : ended;
}

// ---- Host memory that copies can overlap with ----

int host_array_create(float **array, size_t n)
{
    // TODO 3: this memory is pageable, and no copy from or to it overlaps with anything. Make it pinned.
    *array = (float *)malloc(n * sizeof(float));
    return *array == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
}

int host_array_destroy(float *array)
{
    free(array); // TODO 3: memory goes back the way it came
    return cudaSuccess;
}

// ---- Work in one stream that the others wait for ----


int calibrate_dark(const float *in, const float *dark, float *out, int n, int chunk, int n_streams)
{
    Pipeline p;
    float *d_dark = NULL;
    cudaEvent_t arrived = NULL;
    cudaError_t err = pipeline_create(&p, n_streams, chunk);
    // TODO 4: make d_dark and the event `arrived`; copy dark to d_dark in stream 0, record the event behind it, and let
    // the other streams wait for it; then the loop of TODO 2, with subtract_kernel before calibrate_kernel.
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
    // TODO 5: the loop of TODO 2 with an event behind each chunk. Before a stream gets its next chunk, wait for the event
    // of the last one and add what count_over finds in it to *n_over. Which chunks are left when the loop is over?
    cudaError_t ended = pipeline_destroy(&p);
    for (int s = 0; s < STREAMS_MAX; s++)
        if (done[s] != NULL)
            cudaEventDestroy(done[s]);
    return err != cudaSuccess ? err : ended;
}
