/* modelled: cases about a card that the virtual GPU models, in a run on a real one.
 *
 * A case whose options of the vgpu command name a device (`--device=t4`) asks about that card, whatever card
 * the grader has; so does one whose answers are about counters. In a run on a GPU these are run on the
 * virtual GPU all the same, by a program that is built once more, from the same files, and judged as they are
 * without a GPU. Each submission has folders and sandboxes of its own for them, without the GPU's device
 * files.
 */
#ifndef GRADER_SUBMISSION_MODELLED_H
#define GRADER_SUBMISSION_MODELLED_H

#include "grader/build/build.h"
#include "grader/submission/case_run.h"
#include "grader/submission/counters.h"

/* Of a submission; made when its first such case is run. */
typedef struct Modelled {
    bool made;
    GradeRun run;
    Places places;
    Box box, device_box;
    BuildOutput built; /* its verdict is pass where there is a program */
} Modelled;

/* Whether a case is one of those. One whose speed is measured there is none. */
bool modelled_wants(const GradeRun *run, const Lab *lab, const LabCase *c);

/* Makes in->modelled where it is not yet made, and fills `inner` with what case_run needs to run the case on
 * the virtual GPU. Not OK when the kit failed; a program that could not be built is in->modelled->built. */
Status modelled_prepare(Arena *a, const CaseInput *in, CaseInput *inner, Diag *d);

/* Adds to the message of such a case that it was run on the virtual GPU, and where its counters are from.
 * card: NULL where it asks for none. */
void modelled_tell(Arena *a, const CaseInput *inner, const CardCounters *card, CaseResult *r);

void modelled_free(Modelled *m);

#endif
