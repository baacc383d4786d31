// Lab 08: the product of two matrices. The contract is in matrix_multiply.h, the steps are in README.md.
#include "lab.h"
#include "matrix_multiply.h"

// How many blocks it takes for `count` things, if a block does `each` of them.
inline int blocks_for(int count, int each)
{
    return (count + each - 1) / each;
}

// ---- Version 1: one thread for each element of C ----

#define NAIVE_BLOCK 16 // threads in a row and in a column of a block

// Reads 2 * k floats from global memory for each element of C.
__global__ void naive_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO 1 (kernel): which row and which column of C is this thread's? Is there such an element? Then add up k
    // products.
}

int multiply_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO 1 (launch): a block has NAIVE_BLOCK x NAIVE_BLOCK threads; x counts columns and y counts rows.
    return cudaSuccess;
}

// ---- Version 2: tiles in shared memory ----

// Reads each element of A and B once for a whole block: TILE times fewer reads of global memory than version 1. TILE is
// a constant for the compiler, which makes a kernel for each value that is used. The launch bounds tell it how many
// threads a block has: 1,024 of them fit on a multiprocessor only if each takes at most 64 registers.
template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
    tiled_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO 2 (kernel): two shared arrays of TILE x TILE floats. For each pair of tiles: load; wait; add up TILE
    // products; wait. What must stand in a tile where A or B has no element?
}

int multiply_tiled(const float *a, const float *b, float *c, int m, int n, int k, int tile)
{
    // TODO 2 (launch): tiled_kernel<16><<<...>>>(...) or tiled_kernel<32><<<...>>>(...), in blocks of tile x tile.
    return cudaSuccess;
}

// ---- Version 3: several elements of C for each thread ----

#define SIDE 64             // rows and columns of C that a block works out
#define DEPTH 16            // columns of A, and rows of B, that are in shared memory at a time
#define LANES 16            // threads in a row and in a column of a block
#define EACH (SIDE / LANES) // rows and columns of C that a thread works out: 4 x 4

// A value from shared memory is used EACH times once it is in a register: 8 reads for 16 products, not 2 for one.
__global__ void registers_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO 3 (kernel): the block's LANES x LANES threads load SIDE x DEPTH elements of A and DEPTH x SIDE of B, several
    // each. Thread (x, y) has rows y, y + LANES, ... and columns x, x + LANES, ... of the block's part of C.
}

int multiply_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO 3 (launch): a block has LANES x LANES threads, and does SIDE x SIDE elements.
    return cudaSuccess;
}

// ---- Version 4: the best we can ----

int sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    // TODO 4: begin with the kernel of TODO 3 under another name, and with alpha and beta. Then see how far you get.
    return cudaSuccess;
}
