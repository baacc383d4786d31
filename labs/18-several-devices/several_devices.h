/* Lab 18: what you write, in several_devices.cu.
 *
 * All functions but share_of return 0 (cudaSuccess) or the code of the first CUDA call that failed. Whichever
 * it is, they leave no memory, stream or event behind on any device, and the device that was current when
 * they were called is current again. No array has more than 1,050,000 elements. n_devices is 1 to DEVICES_MAX, and the devices are 0, 1 ... n_devices -
 * 1; the machine has that many, and each of them can access the memory of the others. Host arrays are pinned.
 */
#ifndef SEVERAL_DEVICES_H
#define SEVERAL_DEVICES_H

#define DEVICES_MAX 8
#define FEATURES    16 /* numbers that a sample has, and weights */

#ifdef __cplusplus
extern "C" {
#endif

/* Elements first, first + 1 ... first + count - 1. */
typedef struct Share {
    int first, count;
} Share;

/* TODO 1: which of n elements device d has. Device 0 has the first ones, then comes device 1, and so on; each
 * element belongs to exactly one device, and the counts differ by at most one: where they do, the devices
 * with the lower numbers have one more. n may be less than n_devices. A device without any has first n and count 0. */
Share share_of(int n, int n_devices, int d);

/* TODO 2: out[i] = transformed(in[i]) (model.h) for n readings, n 0 or more; each device does its share, and
 * all of them at the same time. */
int transform(const float *in, float *out, int n, int n_devices);

/* TODO 3: a rod of n cells (n_devices or more), `steps` steps (1 or more) later: in each step every cell
 * becomes heated() of itself and its neighbours before that step; the first and the last cell of the rod keep
 * their temperature. Each device has its share of the rod all the time, and no more of it than that and one
 * cell at each side. */
int heat(const float *in, float *out, int n, int steps, int n_devices);

/* TODO 4 and 5: fits weights so that the dot product of sample i (x[i * FEATURES], x[i * FEATURES + 1], ...)
 * and w is near y[i], for n samples (1 to 5,000), by `steps` steps. In each step, with the weights before it:
 *
 *      error of sample i   e[i] = dot(sample i, w) - y[i]
 *      gradient            g[j] = mean over all n samples of e[i] * x[i * FEATURES + j]
 *      new weights         w[j] = w[j] - rate * g[j]
 *
 * Each device has its share of the samples, and works on at most `micro` samples (1 to 1,000,000) at a time.
 * The sums and the new weights are worked out on devices. w
 * holds the first weights, and those after the last step when train returns. */
int train(const float *x, const float *y, float *w, int n, int micro, int steps, float rate, int n_devices);

#ifdef __cplusplus
}
#endif

#endif
