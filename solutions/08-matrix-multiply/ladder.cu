// Lab 08's ladder: C = A * B of square matrices, from one thread for each element to tiles in registers. The size is the length of a
// side. With -DWITH_CUBLAS -lcublas (on a machine with a GPU) the last rung is the library that people use, in plain float arithmetic.
#include "common/ladder/ladder.h"
#include "matrix_multiply.cu"

#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE 256
#define LARGE_SIZE   (4096)
#define TEST_SIZE    (150)

typedef struct Problem {
    float *a, *b, *c; // on the device
    int side;
    float *host_a, *host_b, *cpu;
} Problem;

static int run_naive(void *problem)
{
    Problem *p = (Problem *)problem;
    return multiply_naive(p->a, p->b, p->c, p->side, p->side, p->side);
}

static int run_tiles_16(void *problem)
{
    Problem *p = (Problem *)problem;
    return multiply_tiled(p->a, p->b, p->c, p->side, p->side, p->side, 16);
}

static int run_tiles_32(void *problem)
{
    Problem *p = (Problem *)problem;
    return multiply_tiled(p->a, p->b, p->c, p->side, p->side, p->side, 32);
}

static int run_registers(void *problem)
{
    Problem *p = (Problem *)problem;
    return multiply_registers(p->a, p->b, p->c, p->side, p->side, p->side);
}

static int run_sgemm(void *problem)
{
    Problem *p = (Problem *)problem;
    return sgemm(p->a, p->b, p->c, p->side, p->side, p->side, 1, 0);
}

#ifdef WITH_CUBLAS
// Column after column is what the library knows: B^T * A^T is C^T.
static int run_cublas(void *problem)
{
    static cublasHandle_t handle;
    Problem *p = (Problem *)problem;
    const float one = 1, zero = 0;
    if (!handle && (cublasCreate(&handle) || cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH)))
        return cudaErrorUnknown;
    int s = p->side;
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &one, p->b, s, p->a, s, &zero, p->c, s) ? cudaErrorUnknown
                                                                                                        : cudaSuccess;
}
#endif

// Row by row of B, so that the innermost loop walks along two rows.
static void run_cpu(void *problem)
{
    Problem *p = (Problem *)problem;
    size_t side = p->side;
    memset(p->cpu, 0, side * side * sizeof(float));
    for (size_t r = 0; r < side; r++)
        for (size_t k = 0; k < side; k++)
            for (size_t c = 0; c < side; c++)
                p->cpu[r * side + c] += p->host_a[r * side + k] * p->host_b[k * side + c];
}

static int reset(void *problem)
{
    Problem *p = (Problem *)problem;
    return cudaMemset(p->c, 0xff, (size_t)p->side * p->side * sizeof(float));
}

// The numbers are small and whole, so that all sums are exact. A few rows are enough: each has elements of all columns.
static int check(void *problem)
{
    Problem *p = (Problem *)problem;
    int side = p->side, right = 1;
    float *row = (float *)malloc(side * sizeof(float));
    for (int r = 0; right && r < side; r += side > 300 ? side / 7 : 1) {
        right = cudaMemcpy(row, p->c + (size_t)r * side, side * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
        for (int column = 0; right && column < side; column++) {
            float sum = 0;
            for (int i = 0; i < side; i++)
                sum += p->host_a[(size_t)r * side + i] * p->host_b[(size_t)i * side + column];
            right = row[column] == sum;
        }
    }
    free(row);
    return right;
}

static int make(Problem *p)
{
    size_t n = (size_t)p->side * p->side, bytes = n * sizeof(float);
    p->host_a = (float *)malloc(bytes);
    p->host_b = (float *)malloc(bytes), p->cpu = (float *)malloc(bytes);
    ladder_fill(p->host_a, n);
    for (size_t i = 0; i < n; i++)
        p->host_b[i] = p->host_a[n - 1 - i] - 1;
    return cudaMalloc(&p->a, bytes) | cudaMalloc(&p->b, bytes) | cudaMalloc(&p->c, bytes) |
           cudaMemcpy(p->a, p->host_a, bytes, cudaMemcpyHostToDevice) |
           cudaMemcpy(p->b, p->host_b, bytes, cudaMemcpyHostToDevice);
}

int main(int argc, char **argv)
{
    static const LadderRung rungs[] = {
        {"naive", "one thread for each element: 2 * side reads of global memory each", run_naive},
        {"tiles-16", "each element is read once for 16 threads", run_tiles_16},
        {"tiles-32", "once for 32 threads", run_tiles_32},
        {"registers", "4 x 4 elements a thread: a value from shared memory serves four products", run_registers},
        {"sgemm", "8 x 8 elements a thread, 16 bytes a read, the next tiles on their way", run_sgemm},
#ifdef WITH_CUBLAS
        {"cublas", "the library, without tensor cores", run_cublas, 0, 0, 1},
#endif
    };
    LadderOptions o = ladder_options(argc, argv);
    Problem p = {};
    p.side = o.size && o.size < 40000 ? (int)o.size : DEFAULT_SIZE;
    if (make(&p) != cudaSuccess)
        return 1;
    double n = (double)p.side * p.side;
    Ladder ladder = {"08-matrix-multiply", "multiply",   rungs, sizeof rungs / sizeof *rungs,
                     12 * n,               2 * n * p.side, reset, check, &p,
                     {run_cpu, p.cpu, p.c, (size_t)p.side * p.side * sizeof(float)}, "fma32"};
    int status = ladder_run(&o, &ladder);
    free(p.host_a), free(p.host_b), free(p.cpu);
    cudaFree(p.a), cudaFree(p.b), cudaFree(p.c);
    return status;
}
