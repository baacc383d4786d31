// Lab 04's ladder: readings go to the device, are calibrated there, and come back. The mark is what the link to the host does at best:
// as many bytes in both directions at a time, in two copies, without any kernel.
#include "common/ladder/ladder.h"
#include "streams.cu"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE (6 * 65536)
#define LARGE_SIZE   (1 << 26)
#define TEST_SIZE    (3 * 1024 + 77)
#define CHUNK_MAX    (1 << 21) // a copy takes 0.2 ms: starting one, and the first and the last that nothing overlaps with, cost little
#define CHUNKS       6
#define PATTERN      4096 // as many different readings

typedef struct Problem {
    int n, chunk;
    float *pageable_in, *pageable_out, *in, *out, *cpu; // on the host; `in` and `out` are pinned
    float *result;                                      // where the last rung has put its readings
    float pattern[PATTERN], expected[PATTERN];
    Pipeline pipeline;
    float *d_in, *d_out; // on the device, for the mark
} Problem;

static int place_of(int i)
{
    return (int)(i * 2654435761u >> 20);
}

// Chunk after chunk in the first n_streams streams, which were made before, with their memory.
static int run_chunks(Problem *p, int n_streams)
{
    p->result = p->out;
    int status = cudaSuccess;
    for (int i = 0, first = 0; first < p->n && status == cudaSuccess; i++, first += p->chunk) {
        int s = i % n_streams, count = p->n - first < p->chunk ? p->n - first : p->chunk;
        status = calibrate_chunk(p->in + first, p->out + first, count, p->pipeline.d_data[s], p->pipeline.stream[s]);
    }
    return status;
}

// The host waits for each copy: for pageable memory it has to, whichever function it calls.
static int run_pageable(void *problem)
{
    Problem *p = (Problem *)problem;
    float *d_data = p->pipeline.d_data[0];
    cudaError_t err = cudaSuccess;
    p->result = p->pageable_out;
    for (int first = 0; first < p->n && err == cudaSuccess; first += p->chunk) {
        int count = p->n - first < p->chunk ? p->n - first : p->chunk;
        err = cudaMemcpy(d_data, p->pageable_in + first, count * sizeof(float), cudaMemcpyHostToDevice);
        calibrate_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(d_data, count);
        if (err == cudaSuccess)
            err = cudaMemcpy(p->pageable_out + first, d_data, count * sizeof(float), cudaMemcpyDeviceToHost);
    }
    return err != cudaSuccess ? err : cudaGetLastError();
}

static int run_one_stream(void *problem)
{
    Problem *p = (Problem *)problem;
    return run_chunks(p, 1);
}

static int run_two_streams(void *problem)
{
    Problem *p = (Problem *)problem;
    return run_chunks(p, 2);
}

static int run_three_streams(void *problem)
{
    Problem *p = (Problem *)problem;
    return run_chunks(p, 3);
}

static int run_made_each_time(void *problem)
{
    Problem *p = (Problem *)problem;
    p->result = p->out;
    return calibrate_all(p->in, p->out, p->n, p->chunk, 3);
}

static int run_link(void *problem)
{
    Problem *p = (Problem *)problem;
    size_t bytes = p->n * sizeof(float);
    p->result = p->out;
    cudaError_t err = cudaMemcpyAsync(p->d_in, p->in, bytes, cudaMemcpyHostToDevice, p->pipeline.stream[0]);
    if (err == cudaSuccess)
        err = cudaMemcpyAsync(p->out, p->d_out, bytes, cudaMemcpyDeviceToHost, p->pipeline.stream[1]);
    return err;
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    p->result = p->out;
    for (int i = 0; i < p->n; i++)
        p->cpu[i] = calibrated(p->pageable_in[i]);
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    memset(p->pageable_out, 0xff, p->n * sizeof(float));
    memset(p->out, 0xff, p->n * sizeof(float));
    return cudaSuccess;
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    for (int i = 0; i < p->n; i++) {
        float wanted = p->expected[place_of(i)];
        if (!(fabsf(p->result[i] - wanted) <= 1e-6f))
            return 0;
    }
    return 1;
}

static void make_readings(Problem *p)
{
    for (int k = 0; k < PATTERN; k++) {
        p->pattern[k] = (float)k / (PATTERN / 2) - 1;
        p->expected[k] = calibrated(p->pattern[k]);
    }
    for (int i = 0; i < p->n; i++) {
        p->in[i] = p->pageable_in[i] = p->pattern[place_of(i)];
        p->out[i] = p->expected[place_of(i)]; // goes to the device for the mark
    }
}

// The streams wait for the default stream, and it for them, so that events there enclose their work.
static int make_pipeline(Pipeline *p, int chunk)
{
    int status = cudaSuccess;
    for (int s = 0; s < 3 && status == cudaSuccess; s++) {
        status = cudaStreamCreate(&p->stream[s]) | cudaMalloc(&p->d_data[s], chunk * sizeof(float));
        p->n_streams = s + 1;
    }
    return status;
}

static int make(Problem *p)
{
    size_t bytes = p->n * sizeof(float);
    p->chunk = (p->n + CHUNKS - 1) / CHUNKS < CHUNK_MAX ? (p->n + CHUNKS - 1) / CHUNKS : CHUNK_MAX;
    p->pageable_in = (float *)malloc(bytes), p->pageable_out = (float *)malloc(bytes);
    p->cpu = (float *)malloc(bytes);
    int status = host_array_create(&p->in, p->n) | host_array_create(&p->out, p->n) | cudaMalloc(&p->d_in, bytes) |
                 cudaMalloc(&p->d_out, bytes) | make_pipeline(&p->pipeline, p->chunk);
    if (status != cudaSuccess || !p->pageable_in || !p->pageable_out || !p->cpu)
        return cudaErrorMemoryAllocation;
    make_readings(p);
    return cudaMemcpy(p->d_out, p->out, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"pageable", "memory as malloc gives it: each copy goes through the driver's own, and nothing overlaps", run_pageable},
        {"one-stream", "pinned memory: copies at the link's full rate, one operation at a time", run_one_stream},
        {"two-streams", "while one chunk is copied in, another one comes back", run_two_streams},
        {"made-each-time", "three streams, made and given back in each call with their memory", run_made_each_time},
        {"three-streams", "the same with streams and memory that were there before", run_three_streams},
        {"link", "two copies in opposite directions and no kernel: the mark to reach", run_link, 0, 0, 1},
    };
    LadderOptions o = ladder_options(argc, argv);
    static Problem p;
    p.n = o.size && o.size < (1u << 30) ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    Ladder ladder = {"04-streams", "calibrate", rungs, sizeof rungs / sizeof *rungs, 8.0 * p.n, 0, reset, check, &p,
                     {run_cpu, p.cpu, p.out, p.n * sizeof(float)}, "both_ways"};
    int status = ladder_run(&o, &ladder);
    pipeline_destroy(&p.pipeline);
    host_array_destroy(p.in), host_array_destroy(p.out);
    free(p.pageable_in), free(p.pageable_out), free(p.cpu);
    cudaFree(p.d_in), cudaFree(p.d_out);
    return status;
}
