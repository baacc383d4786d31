// Lab 07's ladder: the versions of the lab, and two that allocate nothing: one reads the array twice, one once.
#include "common/ladder/ladder.h"
#include "scan.cu"

#include <stdlib.h>

#define DEFAULT_SIZE (1 << 20)
#define LARGE_SIZE   (1 << 26)
#define TEST_SIZE    (5 * 4096 + 77)
#define QUADS        4               // four neighbours at a time, so many times, for each thread of the last two versions
#define WIDE         (BLOCK * QUADS * 4) // elements of a piece of them
#define PIECES_MAX   (1 << 18)

typedef struct Problem {
    int *in, *out, *sums;     // on the device
    unsigned long long *told; // there, too: what each piece has told, and after them the number of those that have begun
    int n;
    int *host, *cpu;
} Problem;

static int run_doubling(void *problem)
{
    Problem *p = (Problem *)problem;
    return exclusive_scan(p->in, p->out, p->n);
}

static int run_fast(void *problem)
{
    Problem *p = (Problem *)problem;
    return exclusive_scan_fast(p->in, p->out, p->n);
}

// Element k of four neighbours at `first`; 0 beyond the end. A whole quad is one access.
__device__ int4 load_quad(const int *in, int first, int n)
{
    if (first + 3 < n)
        return *(const int4 *)(in + first);
    int4 q = {};
    if (first < n)
        q.x = in[first];
    if (first + 1 < n)
        q.y = in[first + 1];
    if (first + 2 < n)
        q.z = in[first + 2];
    return q;
}

__device__ int sum_of(int4 q)
{
    return q.x + q.y + q.z + q.w;
}

// The sums of a quad at `first`, of which x is the first one.
__device__ void store_sums(int *out, int first, int x, int4 q, int n)
{
    int4 r = {x, x + q.x, x + q.x + q.y, x + q.x + q.y + q.z};
    if (first + 3 < n) {
        *(int4 *)(out + first) = r;
    } else {
        for (int e = 0; e < 3 && first + e < n; e++)
            out[first + e] = e == 0 ? r.x : e == 1 ? r.y : r.z;
    }
}

// The sum of each piece.
__global__ void sum_pieces_kernel(const int *in, int *sums, int n)
{
    int own = 0;
    for (int k = 0; k < WIDE; k += 4 * BLOCK)
        own += sum_of(load_quad(in, blockIdx.x * WIDE + k + 4 * threadIdx.x, n));
    own = inclusive_warps(own);
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = own;
}

// One block: sums become offsets, in as many turns as it takes.
__global__ void scan_sums_kernel(int *sums, int count)
{
    __shared__ int turn_total;
    int before = 0;
    for (int first = 0; first < count; first += BLOCK) {
        int i = first + threadIdx.x;
        int own = i < count ? sums[i] : 0, sum = inclusive_warps(own);
        if (i < count)
            sums[i] = before + sum - own;
        if (threadIdx.x == BLOCK - 1)
            turn_total = sum;
        __syncthreads();
        before += turn_total;
        __syncthreads();
    }
}

// The piece again, quad by quad: all of a warp's accesses are neighbours.
__global__ void scan_wide_kernel(const int *in, int *out, const int *offsets, int n)
{
    __shared__ int turn_total;
    int before = offsets[blockIdx.x];
    int4 q[QUADS];
    for (int k = 0; k < QUADS; k++)
        q[k] = load_quad(in, blockIdx.x * WIDE + 4 * (k * BLOCK + threadIdx.x), n);
    for (int k = 0; k < QUADS; k++) {
        int total = sum_of(q[k]), sum = inclusive_warps(total);
        store_sums(out, blockIdx.x * WIDE + 4 * (k * BLOCK + threadIdx.x), before + sum - total, q[k], n);
        if (threadIdx.x == BLOCK - 1)
            turn_total = sum;
        __syncthreads();
        before += turn_total;
        __syncthreads();
    }
}

static int run_wide(void *problem)
{
    Problem *p = (Problem *)problem;
    int pieces = (p->n + WIDE - 1) / WIDE;
    sum_pieces_kernel<<<pieces, BLOCK>>>(p->in, p->sums, p->n);
    scan_sums_kernel<<<1, BLOCK>>>(p->sums, pieces);
    scan_wide_kernel<<<pieces, BLOCK>>>(p->in, p->out, p->sums, p->n);
    return cudaGetLastError();
}

// What a piece has told: its own sum, or the sum of all up to its end. The state and the sum are one word, so that who reads one has both.
#define OWN_SUM   1ull
#define WHOLE_SUM 2ull

// One warp: the sum of all pieces before `piece`, from what they have told, 32 of them at a time and the nearest first. A block that is waited
// for has drawn its number before, so it has begun and will tell.
__device__ int look_back(const unsigned long long *told, int piece)
{
    int lane = threadIdx.x % 32, left = 0;
    for (int last = piece - 1; last >= 0; last -= 32) {
        unsigned long long word = WHOLE_SUM << 32;
        do {
            if (last - lane >= 0)
                word = *(const volatile unsigned long long *)(told + last - lane);
        } while (__any_sync(~0u, word >> 32 == 0));
        unsigned whole = __ballot_sync(~0u, word >> 32 == WHOLE_SUM);
        int nearest = whole ? __ffs(whole) - 1 : 31;
        left += __shfl_sync(~0u, inclusive_warp(lane <= nearest ? (int)(unsigned)word : 0), 31);
        if (whole)
            break;
    }
    return left;
}

__global__ void look_back_kernel(const int *in, int *out, unsigned long long *told, unsigned *begun, int n)
{
    __shared__ int number, before_block, of_warp[BLOCK / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        number = atomicAdd(begun, 1);
    __syncthreads();
    // A warp has QUADS rows of 32 quads, one after the other.
    int piece = number, first = piece * WIDE + warp * (QUADS * 128) + lane * 4;
    int4 q[QUADS];
    int before[QUADS], total = 0;
    for (int k = 0; k < QUADS; k++)
        q[k] = load_quad(in, first + k * 128, n);
    for (int k = 0; k < QUADS; k++) {
        int own = sum_of(q[k]), sum = inclusive_warp(own);
        before[k] = total + sum - own;
        total += __shfl_sync(~0u, sum, 31);
    }
    if (lane == 0)
        of_warp[warp] = total;
    __syncthreads();
    if (warp == 0) {
        int own = lane < BLOCK / 32 ? of_warp[lane] : 0, sum = inclusive_warp(own);
        if (lane < BLOCK / 32)
            of_warp[lane] = sum - own;
        int all = __shfl_sync(~0u, sum, 31);
        if (lane == 0)
            atomicExch(told + piece, (piece == 0 ? WHOLE_SUM : OWN_SUM) << 32 | (unsigned)all);
        int left = look_back(told, piece);
        if (lane == 0) {
            before_block = left;
            if (piece > 0)
                atomicExch(told + piece, WHOLE_SUM << 32 | (unsigned)(left + all));
        }
    }
    __syncthreads();
    for (int k = 0; k < QUADS; k++)
        store_sums(out, first + k * 128, before_block + of_warp[warp] + before[k], q[k], n);
}

static int run_look_back(void *problem)
{
    Problem *p = (Problem *)problem;
    int pieces = (p->n + WIDE - 1) / WIDE;
    int err = cudaMemsetAsync(p->told, 0, (pieces + 1) * sizeof *p->told);
    if (err != cudaSuccess)
        return err;
    look_back_kernel<<<pieces, BLOCK>>>(p->in, p->out, p->told, (unsigned *)(p->told + pieces), p->n);
    return cudaGetLastError();
}

static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    int sum = 0;
    for (int i = 0; i < p->n; i++) {
        p->cpu[i] = sum;
        sum += p->host[i];
    }
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->out, 0xff, p->n * sizeof(int));
}

static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    int *out = (int *)malloc(p->n * sizeof(int)), sum = 0;
    int right = out && cudaMemcpy(out, p->out, p->n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; right && i < p->n; i++) {
        right = out[i] == sum;
        sum += p->host[i];
    }
    free(out);
    return right;
}

static int make(Problem *p)
{
    size_t bytes = p->n * sizeof(int);
    p->host = (int *)malloc(bytes), p->cpu = (int *)malloc(bytes);
    for (int i = 0; i < p->n; i++)
        p->host[i] = (int)((unsigned)(i * 2654435761u) >> 28) - 8;
    return cudaMalloc(&p->in, bytes) | cudaMalloc(&p->out, bytes) | cudaMalloc(&p->sums, PIECES_MAX * sizeof(int)) |
           cudaMalloc(&p->told, (PIECES_MAX + 1) * sizeof *p->told) |
           cudaMemcpy(p->in, p->host, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"doubling", "runs of 256 by doubling, then their sums, then one more pass over all", run_doubling},
        {"warps", "a quarter of the runs, and two barriers for each", run_fast},
        {"reduce-then-scan", "the array is read twice and written once, 16 bytes an access", run_wide},
        {"look-back", "read once and written once: each block asks those to its left what comes before it", run_look_back},
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.n = o.size ? (int)o.size : DEFAULT_SIZE;
    if ((p.n + WIDE - 1) / WIDE > PIECES_MAX || make(&p) != cudaSuccess)
        return 1;
    Ladder ladder = {"07-scan", "scan", rungs, sizeof rungs / sizeof *rungs, 8.0 * p.n, 1.0 * p.n, reset, check, &p,
                     {run_cpu, p.cpu, p.out, p.n * sizeof(int)}};
    int status = ladder_run(&o, &ladder);
    free(p.host), free(p.cpu);
    cudaFree(p.in), cudaFree(p.out), cudaFree(p.sums), cudaFree(p.told);
    return status;
}
