/* The table of verdicts; see verdict.h. */
#include "grader/core/verdict.h"

#include <string.h>

typedef struct VerdictRow {
    const char *word, *meaning;
    Credit credit;
} VerdictRow;

static const VerdictRow rows[VERDICT_N] = {
#define X(name, word_, credit_, meaning_)                                                                    \
    [VERDICT_##name] = {.word = word_, .credit = CREDIT_##credit_, .meaning = meaning_},
#include "grader/core/verdicts.def"
#undef X
};

const char *verdict_word(Verdict v)
{
    return rows[v].word;
}

const char *verdict_meaning(Verdict v)
{
    return rows[v].meaning;
}

Credit verdict_credit(Verdict v)
{
    return rows[v].credit;
}

bool verdict_from_word(const char *word, Verdict *v)
{
    for (int i = 0; i < VERDICT_N; i++) {
        if (strcmp(rows[i].word, word) == 0) {
            *v = (Verdict)i;
            return true;
        }
    }
    return false;
}

Verdict verdict_worse(Verdict a, Verdict b)
{
    return a < b ? a : b;
}

bool verdict_needs_person(Verdict v)
{
    return v == VERDICT_KIT_ERROR || v == VERDICT_SUSPECT || v == VERDICT_INCONCLUSIVE;
}
