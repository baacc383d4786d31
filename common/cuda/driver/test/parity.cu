/* Rows of an odd number of halves, of which every second one begins between two pairs: clang 15 cannot choose an instruction for the parity of a
 * row's place, and labcc takes another way. A line for each row. */
#include <cstdio>
#include <cuda_fp16.h>

__global__ void rows_in_pairs(const __half *w, const __half *x, float *y, int rows, int columns)
{
    const int lane = threadIdx.x & 31;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row < rows; row += (gridDim.x * blockDim.x) >> 5) {
        const size_t begin = (size_t)row * columns;
        const __half *mine = w + begin;
        const int lead = (int)(begin & 1), pairs = (columns - lead) / 2, tail = lead + 2 * pairs;
        const __half2 *of_w = (const __half2 *)(mine + lead);
        float sum = 0;
        if (lane == 0 && lead)
            sum += __half2float(mine[0]) * __half2float(x[0]);
        if (lane == 31 && tail < columns)
            sum += __half2float(mine[tail]) * __half2float(x[tail]);
        for (int p = lane; p < pairs; p += 32) {
            float2 a = __half22float2(of_w[p]), b;
            if (lead)
                b = make_float2(__half2float(x[1 + 2 * p]), __half2float(x[2 + 2 * p]));
            else
                b = __half22float2(((const __half2 *)x)[p]);
            sum += a.x * b.x;
            sum += a.y * b.y;
        }
        for (int d = 1; d < 32; d += d)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0)
            y[row] = sum;
    }
}

int main()
{
    enum { ROWS = 70, COLUMNS = 77 };
    static __half w[ROWS * COLUMNS], x[COLUMNS];
    static float y[ROWS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        w[i] = __float2half((float)(i % 13 - 6));
    for (int i = 0; i < COLUMNS; i++)
        x[i] = __float2half((float)(i % 7 - 3));
    __half *d_w, *d_x;
    float *d_y;
    cudaMalloc(&d_w, sizeof w);
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof y);
    cudaMemcpy(d_w, w, sizeof w, cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    rows_in_pairs<<<3, 64>>>(d_w, d_x, d_y, ROWS, COLUMNS);
    cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS; i++) {
        int wanted = 0;
        for (int k = 0; k < COLUMNS; k++)
            wanted += ((i * COLUMNS + k) % 13 - 6) * (k % 7 - 3);
        printf("%d: %g, %s\n", i, y[i], y[i] == wanted ? "right" : "wrong");
    }
    cudaFree(d_w);
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}
