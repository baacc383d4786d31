/* counters: what Nsight Compute counts of a case's program on a real card (theory of operation).
 *
 * Some answers of a case are about counters: operations, bytes, intensity. In a run on a GPU such a case is
 * run on the virtual GPU, which counts (modelled.h), and then once more on the card under ncu. An answer is
 * right when it is within its band of what either of them counted.
 *
 *     isolated virtual GPU  -->  counted   ---\
 *                                              agree within COUNTERS_AGREE? --> both are the truth
 *     program under ncu     -->  measured  ---/                       no    --> the counted one alone
 *
 * ncu stands in one sandbox with the program, which can end it or write its report in its place. So a number
 * of the card counts only where it agrees with that of the virtual GPU, which the program cannot reach, for
 * the same number of launches: who forges the report moves a truth by so much at most. The same rule leaves
 * out what only machine code has, such as the steps of a square root.
 *
 * Without ncu, or without its permission, the virtual GPU's numbers are the truth, and the result says why.
 */
#ifndef GRADER_SUBMISSION_COUNTERS_H
#define GRADER_SUBMISSION_COUNTERS_H

#include "grader/judge/ncu_report.h"
#include "grader/judge/vgpu_report.h"
#include "grader/submission/case_run.h"

#define COUNTERS_AGREE 0.05 /* of the virtual GPU's number */

typedef struct CardCounters {
    bool measured;
    const char *why; /* not measured: the reason, to be put into a sentence */
    double numbers[NCU_N_NUMBERS], counted[NCU_N_NUMBERS];
    bool agrees[NCU_N_NUMBERS];
    bool has_intensity; /* operations over bytes are what the report's arithmetic_intensity is */
} CardCounters;

/* Looks for ncu in the toolkit and on the PATH. */
bool counters_find(Arena *a, const Kit *kit, Tool *tool);

/* Whether answers of the case are about counters that a card has, too. */
bool counters_concern(const LabCase *c);

/* Runs the case of `in`, a run on a GPU, under ncu; `report` is what the virtual GPU said of it. What goes
 * wrong there is c->why. Not OK when the kit failed. */
Status counters_measure(Arena *a, const CaseInput *in, uint64_t seed, const VgpuReport *report,
                        CardCounters *c, Diag *d);

/* The card's number of that name in lab.yaml, where it agrees with the virtual GPU's. */
bool counters_number(const CardCounters *c, const char *name, double *number);

/* Puts what was measured among the result's metrics, which stand in the order of names. */
void counters_keep(Arena *a, const CardCounters *c, CaseResult *r);

#endif
