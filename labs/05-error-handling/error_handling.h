/* Lab 05: what you write, in error_handling.cu.
 *
 * First a macro, CHECK(call). It is used as a statement, in a function that has a variable
 * `cudaError_t err` and a label `done:` (see README.md). It
 *   - evaluates `call` exactly once, and does nothing else when that gives cudaSuccess;
 *   - else prints a message on standard error with the file, the line, the text of the call and the error's
 *     name or description, stores the error in err, and goes to done;
 *   - is one statement: it can stand alone between `if` and `else`, and twice in a row.
 *
 * Then four functions. Whatever they return, they leave no device memory allocated (but the buffer of
 * reserve), and no error that a later cudaGetLastError() would report for them.
 */
#ifndef ERROR_HANDLING_H
#define ERROR_HANDLING_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = in[index[i]] for 0 <= i < n, worked out on the device, in as many blocks as n needs, and at most 4
 * for each multiprocessor.
 *
 * in, index, out   arrays in host memory, of n_in floats, n ints and n floats; n is 0 to 200,000,
 *                  n_in 1 to 200,000
 *
 * Returns 0 (cudaSuccess), or the code of the first CUDA call that failed; then CHECK has printed its message,
 * and out may hold anything. An error of cudaFree may be returned or not. An error inside the kernel (an index
 * that is far too large) is found before the result is copied back.
 */
int gather(const float *in, int n_in, const int *index, float *out, int n);

/* Allocates device memory for *count floats; if there is no room (cudaErrorMemoryAllocation), for half as
 * many (rounded down), then for half of that, and so on down to one float.
 *
 * Returns 0, with the memory in *buffer and the number of floats in *count. Any other error is returned at
 * once, and cudaErrorMemoryAllocation if there is no room even for one float; then *buffer is NULL.
 */
int reserve(float **buffer, size_t *count);

/* 1 if the device can still be used by this program, also where its memory is full; 0 if not: there is none, or an
 * error has made it useless. */
int device_is_usable(void);

/* Something that uses CUDA: returns 0, or the code of the CUDA error that it met. */
typedef int Job(void *data);

/* Calls job(data) until it returns 0, at most `attempts` times (1 or more), and not again when the device is
 * no longer usable. No attempt sees an error that an earlier one left. Returns what the last call of the job
 * did.
 */
int with_retry(Job *job, void *data, int attempts);

/* ---- For driver.c: what check_probe.h makes of your CHECK ---- */

typedef enum ProbePlace {
    PROBE_AFTER, /* the statement behind CHECK */
    PROBE_OTHER, /* the else branch */
    PROBE_DONE,  /* the label done */
    PROBE_PLACES
} ProbePlace;

typedef struct CheckProbe {
    char *trail;               /* on the device */
    int calls;                 /* evaluations of the call in CHECK */
    int reached[PROBE_PLACES]; /* how often */
    int line;                  /* where CHECK stands */
} CheckProbe;

/* A CUDA call that works, or that fails for want of memory. */
cudaError_t probe_call(CheckProbe *p, int fails);
void probe_reach(CheckProbe *p, ProbePlace place);

int probe_twice(CheckProbe *p);
int probe_failure(CheckProbe *p);
int probe_branch(CheckProbe *p, int fails);

#ifdef __cplusplus
}
#endif

#endif
