/* lab.h: the help that a lab gives you. Three kinds of names, and no others:
 *
 *   CUDA_CHECK(call)   stops the program with an explanation when a CUDA call fails
 *   check_...          compare two arrays and say what is wrong
 *   lab_...            what driver.c uses to get its inputs, and a timer
 *
 * It works in C and in C++ (.cu) files.
 */
#ifndef COMMON_LAB_LAB_H
#define COMMON_LAB_LAB_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_API __attribute__((visibility("default")))

/* ---- Checking CUDA calls ---- */

/* CUDA_CHECK(cudaMalloc(&p, bytes)): evaluates the call once. If it fails, prints file and line, the call,
 * the error's name and meaning, and a hint for the usual causes on standard error, and ends the program with
 * status 1. */
#define CUDA_CHECK(call) lab_cuda_check((int)(call), #call, __FILE__, __LINE__)

/* After a kernel launch: reports a launch that was refused, waits for the kernel, and reports an error inside
 * it. */
#define CUDA_CHECK_LAUNCH() lab_cuda_check_launch(__FILE__, __LINE__)

/* The same for driver.c: waits for the default stream alone, as a caller does who only copies the results. What a function leaves running in a stream
 * that does not wait for the default stream is not finished by then. */
#define LAB_CHECK_DEFAULT_STREAM() lab_check_default_stream(__FILE__, __LINE__)

/* Leaves something to be done for the array in the default stream, directly before the student's function is called: the first bytes are copied out and in
 * again. Who uses the array in a stream that does not wait for the default stream is too early, which is a race. The calls are the driver's own;
 * those behind it are the student's (lab_own_calls). */
LAB_API void lab_leave_work(void *device, size_t bytes);

LAB_API void lab_cuda_check(int error, const char *call, const char *file, int line);
LAB_API void lab_cuda_check_launch(const char *file, int line);
LAB_API void lab_check_default_stream(const char *file, int line);

/* ---- Comparing arrays in experiments of your own ---- */

/* Compares n elements: |got - wanted| <= atol + rtol * |wanted| (NaN is never right). Prints what differs,
 * and returns how many elements do. `name` is how the message calls the array. */
LAB_API size_t check_close(const char *name, const float *got, const float *wanted, size_t n, double rtol,
                           double atol);
LAB_API size_t check_equal(const char *name, const int *got, const int *wanted, size_t n);

/* ---- Time on the device ---- */

/* Time between two points of a stream, measured by events. On the virtual GPU it is modelled time. */
typedef struct LabTimer {
    cudaEvent_t start, stop;
    cudaStream_t stream;
} LabTimer;

/* Starts the clock in stream (0: the default stream). Ends the program as CUDA_CHECK does when an event
 * fails. */
LAB_API LabTimer lab_timer_start(cudaStream_t stream);
/* Waits for what the stream holds, and gives the milliseconds since lab_timer_start; the timer is used up. */
LAB_API float lab_timer_stop(LabTimer *timer);

/* ---- What driver.c uses ---- */

/* A case that is being run. All that these functions return belongs to the case and stays valid until the
 * program ends. What is missing or wrong in a case's files is the kit's fault: the program says so and ends
 * with status 2. */
typedef struct LabCase LabCase;

/* Written by each lab's driver.c: gets inputs and parameters, makes the outputs, calls the student's
 * function. */
LAB_API void lab_main(LabCase *c);

/* Parameters of the case (lab.yaml: params). */
LAB_API int64_t lab_param_int(LabCase *c, const char *key);
LAB_API double lab_param_float(LabCase *c, const char *key);
LAB_API const char *lab_param_text(LabCase *c, const char *key);
LAB_API int lab_has_param(LabCase *c, const char *key);

/* The input array in/NAME.npy, between guard zones; it must be unchanged when lab_main returns. */
LAB_API const LabArray *lab_input(LabCase *c, const char *name);
/* The same for a plain vector of one type; its length goes to *n (which may be NULL). */
LAB_API const float *lab_input_f32(LabCase *c, const char *name, size_t *n);
LAB_API const int32_t *lab_input_i32(LabCase *c, const char *name, size_t *n);

/* A poisoned output array between guard zones, written to out/NAME.npy after lab_main. */
LAB_API LabArray *lab_output(LabCase *c, const char *name, LabType type, int n_dims, const size_t *shape);
LAB_API float *lab_output_f32(LabCase *c, const char *name, size_t n);
LAB_API int32_t *lab_output_i32(LabCase *c, const char *name, size_t n);

/* Reports a number under a name (out/values). */
LAB_API void lab_value(LabCase *c, const char *key, double value);
/* Reports what the student's function returned: 0, or a CUDA error code. Other than 0 is printed with its
 * meaning, and makes the program end with status 1 after the outputs are written. */
LAB_API void lab_status(LabCase *c, const char *function, int status);
/* The same of one of several calls that do not depend on each other, or of a call behind one that failed: none of them is to return the error that another one met. 1 as long as all have
 * returned 0: then no error of theirs is noted, and LAB_CHECK_DEFAULT_STREAM tells of one that was not returned. */
LAB_API int lab_next_status(LabCase *c, const char *function, int status);

/* From now on CUDA calls are the driver's own: none of them is made to fail, and none is counted, in a case where the
 * k-th call fails. With 0 they are the student's again. */
LAB_API void lab_own_calls(int own);

/* A line for the virtual GPU's record of calls, between what was asked of the devices before and after: a word that says what
 * it is, and more if need be. The judge reads it there (judge_calls). */
LAB_API void lab_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Speed on a GPU, for driver.c of labs whose cases have `speed` ---- */

typedef enum LabFill {
    LAB_FILL_BITS,   /* any bits */
    LAB_FILL_FLOATS, /* whole floats from -7 to 7, 0 in the mean */
    LAB_FILL_INTS,   /* whole numbers from -7 to 7, of four bytes */
    LAB_FILL_PLACES  /* numbers of elements of the array, of four bytes */
} LabFill;

typedef struct LabSpeedArray {
    void *device; /* aligned to four bytes, as the length is */
    size_t bytes;
    LabFill fill; /* of inputs */
} LabSpeedArray;

enum { LAB_SPEED_INPUTS_MAX = 8 };

/* One call of the student's function with arrays on the device. What it makes of such inputs must have one
 * right answer to the last bit, in whatever order it works. */
typedef struct LabSpeed {
    int (*call)(void *context); /* 0 or the code of a CUDA error */
    void *context;
    LabSpeedArray inputs[LAB_SPEED_INPUTS_MAX];
    int n_inputs;
    LabSpeedArray output;
} LabSpeed;

/* Whether somebody times this run. The parameters of the case's `speed` are then there, each with the prefix
 * `speed_`. */
LAB_API int lab_is_timed(void);
/* Makes the calls that are asked for, on new inputs each time. Returns at once where nobody times the run. */
LAB_API void lab_speed(const LabSpeed *speed);

#ifdef __cplusplus
}
#endif

#endif
