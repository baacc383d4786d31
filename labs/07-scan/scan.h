/* Lab 07: what you write, in scan.cu.
 *
 * in and out are arrays of n ints in device memory as cudaMalloc gave it, whose sums fit into an int. n is 0 to 100,000, in
 * exclusive_scan to 263,000 and in exclusive_scan_fast to 4,200,000 (to 67,108,864 on a GPU, where its speed is measured);
 * for 0 there is nothing to do. out may be the same array as in; if it is another one, in stays as it is. The functions launch
 * what is needed in the default stream and need not wait for it. They return 0 (cudaSuccess), or the code of the first CUDA
 * call that failed; in either case they leave no device memory allocated. An error of cudaFree may be returned or not.
 */
#ifndef SCAN_H
#define SCAN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Running sums of runs of 256 elements, the last of which may be shorter: out[i] is the sum of the elements
 * of the run from its first to in[i], that one included. */
int scan_runs(const int *in, int *out, int n);

/* The exclusive scan of the whole array: out[i] = in[0] + ... + in[i - 1], so out[0] is 0 and in[n - 1] is in
 * no sum. */
int exclusive_scan(const int *in, int *out, int n);

/* The same with warps and several elements for each thread: less work, fewer barriers. */
int exclusive_scan_fast(const int *in, int *out, int n);

#ifdef __cplusplus
}
#endif

#endif
