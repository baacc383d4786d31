/* What the files of the judge share: a case as it knows it. */
#ifndef COMMON_LAB_JUDGE_INTERNAL_H
#define COMMON_LAB_JUDGE_INTERNAL_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "common/lab/compare.h"
#include "common/lab/judge.h"

#include <setjmp.h>
#include <stdbool.h>

enum { JUDGE_ARRAYS_MAX = 32, JUDGE_VALUES_MAX = 64, JUDGE_PARAMS_MAX = 64, JUDGE_REFUSALS_MAX = 16, JUDGE_MISTAKES_MAX = 256 };
#define JUDGE_ARRAY_BYTES_MAX ((size_t)16 << 30)

typedef struct JudgeParam {
    const char *key, *value;
} JudgeParam;

typedef struct JudgeExpected {
    LabArray array;    /* what is wanted; double for a precise expectation */
    LabType file_type; /* what the file must hold */
    bool is_share;     /* how many elements are right is counted, and none must be */
} JudgeExpected;

typedef struct JudgeValue {
    const char *key;
    double wanted;
} JudgeValue;

/* What a mistake gives: an output, or a value. */
typedef struct JudgeMistake {
    const char *name; /* of the output, or the value's key */
    LabArray array;   /* an output's; data NULL: a value */
    double value;
    const char *sentence, *hint;
} JudgeMistake;

struct JudgeCase {
    Language language; /* of messages */
    uint64_t seed;
    Arena arena; /* owns all arrays and texts */
    JudgeParam params[JUDGE_PARAMS_MAX];
    size_t n_params;
    LabArray inputs[JUDGE_ARRAYS_MAX];
    size_t n_inputs;
    JudgeExpected expected[JUDGE_ARRAYS_MAX];
    size_t n_expected;
    JudgeValue values[JUDGE_VALUES_MAX];
    size_t n_values;
    bool has_calls, needs_calls; /* somebody recorded the calls; the lab asked for them */
    const char *calls_fault;     /* why the record is worthless; NULL */
    JudgeCall *calls;
    size_t n_calls;
    const char *refusals[JUDGE_REFUSALS_MAX];
    size_t n_refusals;
    JudgeMistake mistakes[JUDGE_MISTAKES_MAX];
    size_t n_mistakes;
    bool has_mistakes; /* judge_mistakes was called */
    Diag diag;
    jmp_buf author_fault; /* where the functions of judge.h go when they cannot return */
};

/* A case of n KEY=VALUE texts, which are copied. judge_case_free gives everything back, also after a failure.
 */
Status judge_case_open(JudgeCase *c, uint64_t seed, char *const *params, size_t n, Diag *diag);
void judge_case_free(JudgeCase *c);

/* Calls the lab's functions; STATUS_INVALID and the like when they are at fault. */
Status judge_run_inputs(JudgeCase *c, Diag *diag);
Status judge_run_reference(JudgeCase *c, Diag *diag);

/* Calls judge_mistakes, if the lab has it and it was not called yet. What the lab gets wrong there only leaves mistakes untold. */
void judge_run_mistakes(JudgeCase *c);
/* The first mistake that gives this value, or this output; NULL: none. `wrong` has a 1 for each element that is not right. */
const JudgeMistake *judge_find_value_mistake(const JudgeCase *c, const char *key, double got);
const JudgeMistake *judge_find_mistake(const JudgeCase *c, const LabArray *got, const uint8_t *wrong, const Tolerance *tolerance);

/* Writes in/params and in/NAME.npy into the case folder, which is made when it is not there. */
Status judge_write_inputs(const JudgeCase *c, const char *folder, Diag *diag);

/* Takes the record of calls from the case folder, if there is one. */
Status judge_read_calls(JudgeCase *c, const char *folder, Diag *diag);

/* Compares what a program left in the case folder with the case (inputs and reference have run), and appends
 * the answer of the `check` command, one JSON object without a newline. Whatever the files hold is the
 * program's fault; a Status other than STATUS_OK is the kit's. */
Status judge_check_case(JudgeCase *c, const char *folder, const Tolerance *tolerance, StrBuf *json,
                        Diag *diag);

/* Answers one command line (without its newline; changed in place) with one JSON line, whose messages are in
 * the language. *quit is set by `quit`. STATUS_OK also when the answer is {"ok":false}; else a command that
 * is not understood. */
Status judge_command(char *line, Language language, StrBuf *answer, bool *quit, Diag *diag);

#endif
