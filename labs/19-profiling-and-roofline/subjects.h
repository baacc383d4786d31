/* Lab 19: the four kernels that you measure, and two of them on numbers of 16 bits. Nothing in here is wrong; some of
 * it is slow.
 *
 * Include this in profiling_and_roofline.cu, once. All pointers are to device memory.
 */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include "profiling_and_roofline.h"

#define SUBJECT_BLOCK 256

static inline int subject_grid(int n)
{
    return (n + SUBJECT_BLOCK - 1) / SUBJECT_BLOCK;
}

/* ---- scale: y[i] = a * x[i] + y[i] ---- */

static __global__ void scale_kernel(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int scale(const float *x, float *y, float a, int n)
{
    scale_kernel<<<subject_grid(n), SUBJECT_BLOCK>>>(x, y, a, n);
    return cudaGetLastError();
}

/* ---- polynomial: a sum of powers of x[i], by Horner's rule ---- */

static __device__ float horner(float x)
{
    float p = 1;
#pragma unroll
    for (int k = 1; k <= POLYNOMIAL_DEGREE; k++)
        p = p * x + 1.0f / k;
    return p;
}

static __global__ void polynomial_kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = horner(x[i]);
}

int polynomial(const float *x, float *y, int n)
{
    polynomial_kernel<<<subject_grid(n), SUBJECT_BLOCK>>>(x, y, n);
    return cudaGetLastError();
}

/* ---- speeds: how fast each particle is ---- */

static __global__ void speeds_kernel(const Particle *p, float *speed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        speed[i] = sqrtf(p[i].vx * p[i].vx + p[i].vy * p[i].vy + p[i].vz * p[i].vz);
}

int speeds(const Particle *particles, float *speed, int n)
{
    speeds_kernel<<<subject_grid(n), SUBJECT_BLOCK>>>(particles, speed, n);
    return cudaGetLastError();
}

/* ---- dot: x[0] * y[0] + x[1] * y[1] + ..., by one block ---- */

static __global__ void dot_kernel(const float *x, const float *y, float *sum, int n)
{
    __shared__ float partial[SUBJECT_BLOCK];
    float own = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += SUBJECT_BLOCK)
        own += x[i] * y[i];
    partial[threadIdx.x] = own;
    __syncthreads();
    for (int s = SUBJECT_BLOCK / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = partial[0];
}

int dot(const float *x, const float *y, float *sum, int n)
{
    dot_kernel<<<1, SUBJECT_BLOCK>>>(x, y, sum, n);
    return cudaGetLastError();
}

/* ---- The first two on numbers of 16 bits: the upper half of a float (bfloat16) ---- */

static __device__ float widen(unsigned short half)
{
    return __uint_as_float((unsigned)half << 16);
}

static __device__ unsigned short narrow(float x)
{
    return (unsigned short)(__float_as_uint(x) >> 16);
}

static __global__ void scale_16_kernel(const unsigned short *x, unsigned short *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = narrow(a * widen(x[i]) + widen(y[i]));
}

int scale_16(const unsigned short *x, unsigned short *y, float a, int n)
{
    scale_16_kernel<<<subject_grid(n), SUBJECT_BLOCK>>>(x, y, a, n);
    return cudaGetLastError();
}

static __global__ void polynomial_16_kernel(const unsigned short *x, unsigned short *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = narrow(horner(widen(x[i])));
}

int polynomial_16(const unsigned short *x, unsigned short *y, int n)
{
    polynomial_16_kernel<<<subject_grid(n), SUBJECT_BLOCK>>>(x, y, n);
    return cudaGetLastError();
}

#endif
