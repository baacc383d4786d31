/* Lab 19: the functions that are measured, and the two that you write, in profiling_and_roofline.cu.
 *
 * All pointers are to device memory as cudaMalloc gave it. Each function launches on the default stream, need not wait, and returns 0
 * (cudaSuccess) or the code of the CUDA call that failed. n is 1 to 500,000 in what you
 * write, and 1 to 1,000,000 in the subjects. The sums of dot_spread need not be added up in the order of dot, and nothing of one call is needed by the next.
 */
#ifndef PROFILING_AND_ROOFLINE_H
#define PROFILING_AND_ROOFLINE_H

#define POLYNOMIAL_DEGREE 256

typedef struct Particle {
    float x, y, z, vx, vy, vz, mass, charge;
} Particle;

#ifdef __cplusplus
extern "C" {
#endif

/* The subjects: they are written already (subjects.h). */
int scale(const float *x, float *y, float a, int n);         /* y[i] = a * x[i] + y[i] */
int polynomial(const float *x, float *y, int n);             /* y[i] = a polynomial of x[i] */
int speeds(const Particle *particles, float *speed, int n);  /* speed[i] = length of (vx, vy, vz) of particle i */
int dot(const float *x, const float *y, float *sum, int n);  /* *sum = x[0] * y[0] + x[1] * y[1] + ... */
int scale_16(const unsigned short *x, unsigned short *y, float a, int n); /* on the upper halves of floats */
int polynomial_16(const unsigned short *x, unsigned short *y, int n);

/* TODO 5: as speeds, but each component of the velocity has an array of its own. */
int speeds_apart(const float *vx, const float *vy, const float *vz, float *speed, int n);

/* TODO 6: as dot, with as many blocks as it takes to keep the card busy. *sum holds nothing of use before. */
int dot_spread(const float *x, const float *y, float *sum, int n);

#ifdef __cplusplus
}
#endif

#endif
