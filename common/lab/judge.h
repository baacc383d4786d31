/* judge.h: what a lab's reference.c uses to make the inputs of a case and to work out its right answers.
 *
 *   void judge_inputs(JudgeCase *c)      makes the inputs from the parameters and the seed
 *   void judge_reference(JudgeCase *c)   makes the expected outputs from the inputs
 *   void judge_mistakes(JudgeCase *c)    makes the outputs that certain mistakes give; need not be there
 *
 * reference.c is linked into build/labs/NN-name/judge, never with a student's code. Everything returned
 * belongs to the case. Mistakes of a lab's author (a parameter that is not there, an array made twice, no
 * memory) end the case with a message of the kit's fault; the functions below then do not return.
 */
#ifndef COMMON_LAB_JUDGE_H
#define COMMON_LAB_JUDGE_H

#include "common/lab/array.h"

typedef struct JudgeCase JudgeCase;

/* Written by each lab's reference.c. */
void judge_inputs(JudgeCase *c);
void judge_reference(JudgeCase *c);
/* May be left out: names mistakes by what they give (judge_mistake). Called behind judge_reference, where a result is wrong. */
void judge_mistakes(JudgeCase *c) __attribute__((weak));

/* Parameters of the case (lab.yaml: params). */
int64_t judge_param_int(JudgeCase *c, const char *key);
double judge_param_float(JudgeCase *c, const char *key);
const char *judge_param_text(JudgeCase *c, const char *key);
int judge_has_param(JudgeCase *c, const char *key);

/* ---- Inputs ---- */

/* A new input array of zeros, written to in/NAME.npy. */
LabArray *judge_input_make(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape);
/* A vector of n. */
float *judge_input_make_f32(JudgeCase *c, const char *name, size_t n);
int32_t *judge_input_make_i32(JudgeCase *c, const char *name, size_t n);

/* Fill an array of any type with values that depend on the seed, the array's name and the position: two
 * arrays of a case differ, no two neighbours are equal, and no symmetry hides a wrong index. Reals lie in
 * [low, high), integers in [low, high]. */
void judge_fill(JudgeCase *c, LabArray *array, double low, double high);
/* The same for a vector made by judge_input_make_f32 or _i32. */
void judge_fill_f32(JudgeCase *c, float *vector, double low, double high);
void judge_fill_i32(JudgeCase *c, int32_t *vector, int32_t low, int32_t high);

/* An input made by judge_inputs. */
const LabArray *judge_input(JudgeCase *c, const char *name);
const float *judge_input_f32(JudgeCase *c, const char *name, size_t *n);
const int32_t *judge_input_i32(JudgeCase *c, const char *name, size_t *n);

/* ---- Expected outputs ---- */

/* The elements, zero at first, of what out/NAME.npy must hold: an array of this type and shape. */
void *judge_expect(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape);
float *judge_expect_f32(JudgeCase *c, const char *name, size_t n);
int32_t *judge_expect_i32(JudgeCase *c, const char *name, size_t n);
/* The same for an output of floating point `type`, worked out in double precision. */
double *judge_expect_precise(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape);
/* The same, of an output of which some elements may be wrong: the share that is right is the number `right.NAME`, for
 * `metric` in lab.yaml. */
int32_t *judge_expect_share_i32(JudgeCase *c, const char *name, size_t n);
/* The number that the driver must have reported, once, with lab_value or lab_status under this key. On the virtual GPU it is taken from the record
 * of calls, where nothing is taken back. It is the program's word all the same: it can cost points, and earns none that an output or
 * the record does not earn. */
void judge_expect_value(JudgeCase *c, const char *key, double wanted);

/* ---- Mistakes that show by their result ---- */

/* The elements, as they are expected at first, that the output `name` has after a certain mistake: the caller changes them to what the mistake makes
 * of the inputs. A wrong output that is the same, but for elements that nobody wrote, is told by `sentence` ("the last, partial block is left
 * out") and `hint` in place of a pattern's; of several mistakes that give the same the first. Both texts are kept as they are until the case
 * ends. The type is that of the expectation: double of a precise one. NULL: the case has no such output. */
void *judge_mistake(JudgeCase *c, const char *name, const char *sentence, const char *hint);
/* The same for a value: `key` is `wrong` after this mistake. */
void judge_mistake_value(JudgeCase *c, const char *key, double wrong, const char *hint);

/* ---- What the devices were asked for ---- */

/* A line of the record of calls (`vgpu --calls`, common/vgpu/device/calls.c). */
typedef struct JudgeCall {
    const char *op, *error; /* "ALLOC", "NO_MEMORY"; "OK" where none is */
    uint64_t number;
    const char *text;
} JudgeCall;

/* All of them in order, for judge_reference; NULL: there is no record, as on a GPU, or none that is whole, and then the case
 * is lost anyway. */
const JudgeCall *judge_calls(JudgeCase *c, size_t *n);
/* What the line notes behind the word `what` (lab_note, lab_value: "value"; "last-error": cudaGetLastError took one); NULL: it is another line. */
const char *judge_note(const JudgeCall *call, const char *what);
/* The result is wrong where no kernel was launched: for cases in which launches fail, and for outputs so small that their
 * bytes tell nothing of where they come from. */
void judge_expect_launches(JudgeCase *c);
/* The result is wrong where more than n were: for contracts by which each of n calls launches one. */
void judge_expect_launches_at_most(JudgeCase *c, size_t n);
/* The result is wrong where kernels were launched and none had n threads or more: for contracts by which each element has a thread of its own. */
void judge_expect_threads(JudgeCase *c, size_t n);
/* The result is wrong where a stream or an event was made and not destroyed. */
void judge_expect_destroyed(JudgeCase *c);
/* The result is wrong where a kernel was launched between the driver's notes `nothing` and `something` (lab_note): in a call that has nothing
 * to do. */
void judge_expect_nothing(JudgeCase *c);
/* The result is wrong, whatever else is right; `why`, which is said once, is kept as it is until the case ends. */
void judge_refuse(JudgeCase *c, const char *why);

#endif
