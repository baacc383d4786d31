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

#define HINT_ALL_ZERO "Is the right array copied back, after the kernel, and was the input copied to the device?"
#define HINT_FIRST_BLOCK "What is there is one block's: does the index use blockIdx, times blockDim, and does the launch start as many blocks as are needed?"
#define HINT_TAIL_WHOLE "One whole last part is missing, and all parts are whole: is a part's length the remainder of n, which is 0 then, or are the blocks or the turns of a loop one too few?"
#define HINT_TAIL "The end is missing: is the number of blocks, or of a loop's turns, rounded up, for as many elements as a block does (one for each thread, or for each warp), and does the copy count bytes?"
#define HINT_TAIL_WRONG "All are there, and from some place on they are wrong: what is different for the last block, or past a whole number of blocks? Look at the bounds of the index, and at what one block or thread hands to the next. Where several kernels share the work: has each grid a thread for every element that this kernel changes?"
#define HINT_LIMIT "It begins exactly at 32,768 or at 65,536. Where neither a grid nor a guard ends there: is an index, a row or a column kept in 16 bits? A short ends at 32,767, an unsigned short at 65,535."
#define HINT_ZERO_THERE "These elements are 0: are they stored as 0 (a sum that ends at its first term outside, a factor that is 0, an else branch), or set to 0 before and never stored, as by a grid that is too small?"

/* False where KIT_HINTS is "no". */
static inline bool hints_wanted(void)
{
    const char *said = getenv("KIT_HINTS");
    return !said || strcmp(said, "no") != 0;
}

#endif
