// Lab 10's ladder: bytes counted by value, evenly spread ones, and all the same.
#include "common/ladder/ladder.h"
#include "histogram.cu"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 28)
#define TEST_SIZE    (5 * 4096 + 77)

typedef struct Problem {
    char *in; // on the device
    unsigned *bins;
    int n;
    unsigned wanted[256];
} Problem;

static int run_global(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_global(p->in, p->bins, p->n);
}

static int run_shared(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_shared(p->in, p->bins, p->n);
}

static int run_lanes(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_lanes(p->in, p->bins, p->n);
}

static int run_wide(void *problem)
{
    Problem *p = (Problem *)problem;
    return histogram_wide(p->in, p->bins, p->n);
}

static int reset(void *problem)
{
    return cudaMemset(((Problem *)problem)->bins, 0xff, 256 * sizeof(unsigned));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    unsigned bins[256];
    return cudaMemcpy(bins, p->bins, sizeof bins, cudaMemcpyDeviceToHost) == cudaSuccess &&
           memcmp(bins, p->wanted, sizeof bins) == 0;
}

static int make(Problem *p, int same)
{
    unsigned char *host = (unsigned char *)malloc(p->n);
    memset(p->wanted, 0, sizeof p->wanted);
    for (int i = 0; i < p->n; i++) {
        host[i] = same ? 200 : (unsigned)(i * 2654435761u) >> 24;
        p->wanted[host[i]]++;
    }
    int err = cudaMemcpy(p->in, host, p->n, cudaMemcpyHostToDevice);
    free(host);
    return err;
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"global", "an atomic in global memory for each byte", run_global},
        {"shared", "each block counts for itself", run_shared},
        {"lanes", "each lane has counters in a bank of its own", run_lanes},
        {"wide", "16 bytes in one load", run_wide},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if (cudaMalloc(&p.in, p.n) != cudaSuccess || cudaMalloc(&p.bins, 256 * sizeof(unsigned)) != cudaSuccess)
        return 1;
    int status = 0;
    for (int same = 0; same < 2 && status == 0; same++) {
        if (make(&p, same) != cudaSuccess)
            return 1;
        Ladder ladder = {"10-histogram", same ? "all-one-value" : "uniform", rungs, 4, 1.0 * p.n, 1.0 * p.n, reset, check, &p};
        status = ladder_run(&o, &ladder);
    }
    cudaFree(p.in), cudaFree(p.bins);
    return status;
}
