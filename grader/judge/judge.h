/* judge: the client of a lab's judge process (build/labs/NN-name/judge).
 *
 * The judge is a program of the kit that holds the lab's CPU reference and no student code. It is started
 * once for a submission and answers one line of JSON to each line it is asked. Whatever goes wrong here (it
 * does not start, does not answer in time, answers nonsense, dies) is the kit's fault, never the student's:
 * the Status is not OK, and the caller gives the case the verdict kit-error. After a failed call the process
 * is gone; further calls fail with the same Diag.
 *
 *     Judge *j;
 *     judge_start("build/labs/02-vector-add/judge", NULL, &j, &d);
 *     judge_make(j, dir, seed, c, &d);         writes dir/in
 *     ...the student's program runs in dir and is dead...
 *     judge_check(j, dir, seed, c, &answer, &d);
 *     judge_answer_free(&answer);
 *     judge_stop(j);
 */
#ifndef GRADER_JUDGE_JUDGE_H
#define GRADER_JUDGE_JUDGE_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "grader/core/lab.h"
#include "grader/core/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Judge Judge;

typedef struct JudgeOptions {
    double make_s, check_s; /* how long an answer may take; 0 = JUDGE_SECONDS */
    Language language;      /* of its messages */
} JudgeOptions;

enum {
    JUDGE_SECONDS = 60,
    JUDGE_LINE_MAX = 4 << 20,
    JUDGE_OUTPUTS_MAX = 64,
    JUDGE_FIRST_MAX = 16,
    JUDGE_RANK_MAX = 8
};

/* An element of an output that differs from the reference. */
typedef struct JudgeMismatch {
    int64_t index;                      /* along the first dimension */
    double got, wanted, error, allowed; /* NaN where the judge wrote null */
    int64_t indexes[JUDGE_RANK_MAX];    /* along each dimension */
    size_t rank;
} JudgeMismatch;

typedef struct JudgeOutput {
    const char *name;
    int64_t elements, mismatches;
    double max_error;
    const char *pattern; /* what the mismatches have in common; "" */
    JudgeMismatch first[JUDGE_FIRST_MAX];
    size_t n_first;
} JudgeOutput;

typedef struct JudgeAnswer {
    Arena arena;     /* owns all text and arrays */
    Verdict verdict; /* missing-output, host-overrun, input-modified, wrong-result or pass */
    const char *message;
    JudgeOutput *outputs;
    size_t n_outputs;
} JudgeAnswer;

/* Starts the program (its path; no shell). options may be NULL. *j is NULL on failure. */
Status judge_start(const char *program, const JudgeOptions *options, Judge **j, Diag *d);

/* Makes the inputs of a case in case_dir/in from its parameters and the seed. */
Status judge_make(Judge *j, const char *case_dir, uint64_t seed, const LabCase *c, Diag *d);

/* Judges case_dir/out. On success *answer is filled, else it is empty; judge_answer_free takes both. */
Status judge_check(Judge *j, const char *case_dir, uint64_t seed, const LabCase *c, JudgeAnswer *answer,
                   Diag *d);
void judge_answer_free(JudgeAnswer *answer);

/* Asks it to quit, and kills it when it does not within a second. Takes NULL. */
void judge_stop(Judge *j);

#endif
