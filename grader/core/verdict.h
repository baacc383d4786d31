/* verdict: the one table of verdicts (verdicts.def), and what follows from it. */
#ifndef GRADER_CORE_VERDICT_H
#define GRADER_CORE_VERDICT_H

#include <stdbool.h>

/* In rank order: a smaller value is graver. */
typedef enum Verdict {
#define X(name, ...) VERDICT_##name,
#include "grader/core/verdicts.def"
#undef X
    VERDICT_N
} Verdict;

typedef enum Credit { CREDIT_NONE, CREDIT_FINDING, CREDIT_FULL, CREDIT_OPEN } Credit;

/* "out-of-bounds" and so on. */
const char *verdict_word(Verdict v);
/* One sentence for a student. */
const char *verdict_meaning(Verdict v);
Credit verdict_credit(Verdict v);
/* The verdict of a word; false, and *v untouched, when there is none. */
bool verdict_from_word(const char *word, Verdict *v);
/* The graver of two. */
Verdict verdict_worse(Verdict a, Verdict b);
/* Whether a person must look at it: kit-error, suspect, inconclusive. */
bool verdict_needs_person(Verdict v);

#endif
