/* hints: whether what students read has hints. An examination's kit has none: its Makefiles set KIT_HINTS=no, which every program that
 * writes a hint obeys.
 */
#ifndef COMMON_BASE_HINTS_H
#define COMMON_BASE_HINTS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Hints of patterns (common/lab/patterns.def) that know no more than that a result is wrong: the grader leaves them out where it knows more. */
#define HINT_BY_HAND_ALL  "Compare the formula in the contract with the kernel, for one element, by hand."
#define HINT_BY_HAND_SOME "Compare the formula in the contract with the kernel, for one of these elements, by hand."
#define HINT_NEVER_WRITTEN "Does the kernel start at all, does it write this array, and is the result copied back into it?"

/* False where KIT_HINTS is "no". */
static inline bool hints_wanted(void)
{
    const char *said = getenv("KIT_HINTS");
    return !said || strcmp(said, "no") != 0;
}

#endif
