/* Lab 00: right answers. There are no inputs: what is written follows from the parameters.
 *
 * Parameters: `function`, one of first_kernel.h, and `number`, `n` and `threads` as there. The array of
 * write_number has one element. `each` is all three functions: what they leave is not looked at.
 */
#include "judge.h"

#include <stdbool.h>
#include <string.h>

void judge_inputs(JudgeCase *c)
{
    (void)c;
}

void judge_reference(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    bool one = strcmp(function, "write_number") == 0, squares = strcmp(function, "write_squares") == 0;
    size_t n = one ? 1 : (size_t)judge_param_int(c, "n");
    int32_t *out = judge_expect_i32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = one ? (int32_t)judge_param_int(c, "number") : squares ? (int32_t)(i * i) : (int32_t)i;
    if (strcmp(function, "each") == 0)
        return;
    judge_expect_launches(c);
}

/* ---- What certain mistakes give ---- */

typedef enum Gives {
    ZERO,
    ONE,
    N,
    N_LESS_ONE,
    N_SQUARED,
    THREADS,
    THREADS_SQUARED, /* the same for all */
    I,
    TWO_I,
    I_BACKWARDS,
    I_N,
    I_THREADS,
    I_I,
    I_I_I,
    I_I_PLUS_I,
    NEXT_SQUARED
} Gives;

/* What element i of n becomes, by so many threads. */
static int64_t value_of(Gives gives, int64_t i, int64_t n, int64_t threads)
{
    switch (gives) {
    case ZERO:
        return 0;
    case ONE:
        return 1;
    case N:
        return n;
    case N_LESS_ONE:
        return n - 1;
    case N_SQUARED:
        return n * n;
    case THREADS:
        return threads;
    case THREADS_SQUARED:
        return threads * threads;
    case I:
        return i;
    case TWO_I:
        return 2 * i;
    case I_BACKWARDS:
        return n - 1 - i;
    case I_N:
        return i * n;
    case I_THREADS:
        return i * threads;
    case I_I:
        return i * i;
    case I_I_I:
        return i * i * i;
    case I_I_PLUS_I:
        return i * i + i;
    case NEXT_SQUARED:
        return (i + 1) * (i + 1);
    }
    return 0;
}

typedef struct Mistake {
    const char *function;
    Gives gives;
    const char *sentence, *hint;
} Mistake;

static const Mistake mistakes[] = {
    {"write_number", ZERO, "it is 0, and not the number that the kernel is given", "Which of the kernel's two arguments is to be stored?"},
    {"write_number", ONE, "it is 1, and not the number that the kernel is given", "Which of the kernel's two arguments is to be stored?"},
    {"write_indexes", ZERO, "each element is 0, whichever thread wrote it",
     "blockIdx.x is 0 in the only block. Which variable is another number in each thread of a block?"},
    {"write_indexes", ONE, "each element is 1, whichever thread wrote it",
     "gridDim.x counts the blocks. Which variable is another number in each thread of a block?"},
    {"write_indexes", N, "each element is n, whichever thread wrote it",
     "blockDim.x says how many threads there are. Which variable says which of them this one is?"},
    {"write_indexes", N_LESS_ONE, "each element is n - 1, whichever thread wrote it",
     "Does each thread store its own number, or that of the last thread?"},
    {"write_indexes", I_BACKWARDS, "element i is n - 1 - i: the numbers run backwards",
     "Thread 0 stores 0 into element 0. Where is its number taken from n - 1, in the index or in what is stored?"},
    {"write_indexes", I_I, "element i is i * i, which is for TODO 3", "TODO 2 stores the thread's number as it is."},
    {"write_indexes", TWO_I, "element i is twice i", "TODO 2 stores the thread's number as it is: what is it multiplied by, or added to?"},
    {"write_indexes", I_N, "element i is i * n", "TODO 2 stores the thread's number as it is: why is it multiplied by the number of threads?"},
    {"write_squares", I, "element i is i, and not its square", "Where is the thread's number multiplied by itself, before it is stored?"},
    {"write_squares", TWO_I, "element i is twice i, and not i times i", "A square is a number times itself: what is i multiplied by, or added to?"},
    {"write_squares", I_I_I, "element i is i * i * i", "A square has two factors i: where does the third one come from?"},
    {"write_squares", NEXT_SQUARED, "element i is the square of i + 1",
     "Threads count from 0, and so do elements: where is 1 added before i is squared?"},
    {"write_squares", I_I_PLUS_I, "element i is i * i + i", "The square alone is to be stored: which term or factor adds one more i?"},
    {"write_squares", I_N, "element i is i * n", "n is the same in all threads. Which number is a thread's own, and is it in both factors?"},
    {"write_squares", I_THREADS, "element i is i times the number of threads",
     "blockDim.x is the same in all threads. Which number is a thread's own, and is it in both factors?"},
    {"write_squares", ZERO, "each element is 0, whichever thread wrote it",
     "blockIdx.x is 0 in the only block. Which variable is another number in each thread of a block?"},
    {"write_squares", N_SQUARED, "each element is the square of n", "n is the same in all threads. Whose square belongs into element i?"},
    {"write_squares", THREADS_SQUARED, "each element is the square of the number of threads",
     "blockDim.x is the same in all threads. Whose square belongs into element i?"},
    {"write_squares", N, "each element is n", "n is the same in all threads. Whose square belongs into element i?"},
    {"write_squares", THREADS, "each element is the number of threads",
     "blockDim.x is the same in all threads. Whose square belongs into element i?"},
};

void judge_mistakes(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    int64_t n = judge_has_param(c, "n") ? judge_param_int(c, "n") : 1;
    int64_t threads = judge_has_param(c, "threads") ? judge_param_int(c, "threads") : n;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        if (strcmp(mistakes[m].function, function) != 0)
            continue;
        int32_t *out = judge_mistake(c, "out", mistakes[m].sentence, mistakes[m].hint);
        for (int64_t i = 0; out && i < n; i++)
            out[i] = (int32_t)value_of(mistakes[m].gives, i, n, threads);
    }
}
