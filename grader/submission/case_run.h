/* case_run: one case of a built submission: inputs, program, judgement. */
#ifndef GRADER_SUBMISSION_CASE_RUN_H
#define GRADER_SUBMISSION_CASE_RUN_H

#include "grader/build/box.h"
#include "grader/build/places.h"
#include "grader/core/answers.h"
#include "grader/core/result.h"
#include "grader/judge/judge.h"
#include "grader/submission/submission.h"

typedef struct CaseInput {
    const GradeRun *run;
    const Lab *lab;
    const LabCase *lab_case;
    const Places *places;
    bool watched;              /* where its outputs come from is judged (watched.h) */
    const AnswerFile *answers; /* NULL when the lab has no answer file */
    Judge *judge;
    Box *box;
    Box *device_box;                  /* of an isolated run */
    struct SpeedReference *reference; /* the lab's solution; NULL where nothing is timed */
    struct Modelled *modelled;        /* for cases about a card that is modelled (modelled.h) */
    const struct CaseInput *on_card;  /* of such a case in a run on a GPU: the same there; NULL */
} CaseInput;

/* Fills r (name, points, verdict, texts, findings, metrics), all text in the arena, and timing. What fails on
 * our side is the verdict kit-error with the reason. *device_name is set to the device's name when a report
 * gave it. */
void case_run(Arena *a, const CaseInput *in, CaseResult *r, CaseTiming *timing, const char **device_name);

/* Why a case cannot be run on the devices that the run has, as a sentence; NULL when it can. */
const char *case_not_here(Arena *a, const GradeRun *run, const Lab *lab, const LabCase *c);

#endif
