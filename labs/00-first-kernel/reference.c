/* Lab 00: right answers. There are no inputs: what is written follows from the parameters.
 *
 * Parameters: `function`, one of first_kernel.h, and `number`, `n` and `threads` as there. The array of
 * write_number has one element. With `grid` the record of calls tells how many threads there were. `each` is all three functions: what they leave is not looked at.
 */
#include "judge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void judge_inputs(JudgeCase *c)
{
    (void)c;
}

/* Each launch is one block, of as many threads as the caller of write_squares says. */
static void judge_grid(JudgeCase *c)
{
    size_t n_calls = 0, n_launches = 0, threads = (size_t)judge_param_int(c, "threads");
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        if (strcmp(calls[i].op, "LAUNCH") != 0)
            continue;
        size_t wanted = judge_has_param(c, "again") && n_launches++ == 0 ? (threads + 1) / 2 : threads; /* as the driver has it */
        if (calls[i].number != 1 || strtoull(calls[i].text, NULL, 10) != wanted)
            judge_refuse(c, "A launch had another number of threads than the caller says, or more than one block: <<<1, threads>>> is asked for.");
    }
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
    judge_expect_launches_at_most(c, judge_has_param(c, "again") ? 2 : 1);
    if (judge_has_param(c, "grid"))
        judge_grid(c);
}

/* ---- What certain mistakes give ---- */

typedef enum Gives {
    ZERO,
    ONE,
    N,
    N_LESS_ONE,
    N_SQUARED,
    N_LESS_ONE_SQUARED,
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
    I_I_LESS_I,
    NEXT_SQUARED,
    LAST_SQUARED,
    SQUARED_BACKWARDS,
    SUM_TO_I,
    POWER_OF_2,
    IN_A_BYTE, /* what is right, as a number of that type holds it */
    IN_A_BYTE_WITHOUT_SIGN,
    IN_A_SHORT,
    IN_A_SHORT_WITHOUT_SIGN,
    IN_A_FLOAT,
    WITH_OTHER_SIGN
} Gives;

/* What element i of n becomes, by so many threads, where `right` belongs. */
static int64_t value_of(Gives gives, int64_t i, int64_t n, int64_t threads, int32_t right)
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
    case N_LESS_ONE_SQUARED:
        return (n - 1) * (n - 1);
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
    case I_I_LESS_I:
        return i * i - i;
    case NEXT_SQUARED:
        return (i + 1) * (i + 1);
    case LAST_SQUARED:
        return (i - 1) * (i - 1);
    case SQUARED_BACKWARDS:
        return (n - 1 - i) * (n - 1 - i);
    case SUM_TO_I:
        return i * (i + 1) / 2;
    case POWER_OF_2:
        return i < 32 ? (int64_t)1 << i : 0;
    case IN_A_BYTE:
        return (int8_t)right;
    case IN_A_BYTE_WITHOUT_SIGN:
        return (uint8_t)right;
    case IN_A_SHORT:
        return (int16_t)right;
    case IN_A_SHORT_WITHOUT_SIGN:
        return (uint16_t)right;
    case IN_A_FLOAT:
        return (int64_t)(float)right;
    case WITH_OTHER_SIGN:
        return -(int64_t)right;
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
    {"write_number", WITH_OTHER_SIGN, "it is the number with the other sign",
     "Which operator stands before the number? The argument is stored as it is."},
    {"write_number", IN_A_BYTE, "it is what a char holds of the number",
     "Of which type are the parameters and variables that the number passes through?"},
    {"write_number", IN_A_BYTE_WITHOUT_SIGN, "it is what an unsigned char holds of the number",
     "Of which type are the parameters and variables that the number passes through?"},
    {"write_number", IN_A_SHORT, "it is what a short holds of the number",
     "Of which type are the parameters and variables that the number passes through?"},
    {"write_number", IN_A_SHORT_WITHOUT_SIGN, "it is what an unsigned short holds of the number",
     "Of which type are the parameters and variables that the number passes through?"},
    {"write_number", IN_A_FLOAT, "it is the number rounded to a float",
     "Of which type are the parameters and variables that the number passes through?"},
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
    {"write_indexes", WITH_OTHER_SIGN, "element i is -i", "Which operator stands before the thread's number? It is stored as it is."},
    {"write_indexes", SUM_TO_I, "element i is the sum of all numbers up to i",
     "Each thread stores its own number once: what does a loop add up there?"},
    {"write_indexes", IN_A_BYTE, "element i is what a char holds of i", "Of which type is the variable that holds the thread's number?"},
    {"write_indexes", IN_A_BYTE_WITHOUT_SIGN, "element i is what an unsigned char holds of i, which begins with 0 again behind 255",
     "Of which type is the variable that holds the thread's number, and is a remainder or a mask of 255 taken of it?"},
    {"write_squares", I, "element i is i, and not its square", "Where is the thread's number multiplied by itself, before it is stored?"},
    {"write_squares", TWO_I, "element i is twice i, and not i times i", "A square is a number times itself: what is i multiplied by, or added to?"},
    {"write_squares", I_I_I, "element i is i * i * i", "A square has two factors i: where does the third one come from?"},
    {"write_squares", NEXT_SQUARED, "element i is the square of i + 1",
     "Threads count from 0, and so do elements: where is 1 added before i is squared?"},
    {"write_squares", I_I_PLUS_I, "element i is i * i + i", "The square alone is to be stored: which term or factor adds one more i?"},
    {"write_squares", I_I_LESS_I, "element i is i * i - i", "Both factors are i: is one of them i - 1, or is i taken off?"},
    {"write_squares", LAST_SQUARED, "element i is the square of i - 1",
     "Threads count from 0, and so do elements: where is 1 taken off before i is squared?"},
    {"write_squares", SQUARED_BACKWARDS, "element i is the square of n - 1 - i: the squares run backwards",
     "Thread 3 stores 9 into element 3. Where is its number taken from n - 1, in the index or in what is stored?"},
    {"write_squares", WITH_OTHER_SIGN, "element i is the square of i with a minus", "Which operator stands before the product?"},
    {"write_squares", SUM_TO_I, "element i is the sum of all numbers up to i", "A square is a number times itself: what is added up there?"},
    {"write_squares", POWER_OF_2, "element i is 2 to the power of i, and not the square of i",
     "Which of the two numbers is i in 1 << i, or in pow()? A square is i * i."},
    {"write_squares", IN_A_BYTE, "element i is what a char holds of the square of i",
     "Of which type are the variables that the square passes through?"},
    {"write_squares", IN_A_BYTE_WITHOUT_SIGN, "element i is what an unsigned char holds of the square of i",
     "Of which type are the variables that the square passes through?"},
    {"write_squares", IN_A_SHORT, "element i is what a short holds of the square of i",
     "Of which type are the variables that the square passes through?"},
    {"write_squares", IN_A_SHORT_WITHOUT_SIGN, "element i is what an unsigned short holds of the square of i",
     "Of which type are the variables that the square passes through?"},
    {"write_squares", I_N, "element i is i * n", "n is the same in all threads. Which number is a thread's own, and is it in both factors?"},
    {"write_squares", I_THREADS, "element i is i times the number of threads",
     "blockDim.x is the same in all threads. Which number is a thread's own, and is it in both factors?"},
    {"write_squares", ZERO, "each element is 0, whichever thread wrote it",
     "Is i threadIdx.x? blockIdx.x is 0 in the only block. And are the two factors multiplied with *? i ^ i is 0 in C, and i - i, too."},
    {"write_squares", N_SQUARED, "each element is the square of n", "n is the same in all threads. Whose square belongs into element i?"},
    {"write_squares", N_LESS_ONE_SQUARED, "each element is the square of n - 1",
     "n is the same in all threads. Whose square belongs into element i?"},
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
            out[i] = (int32_t)value_of(mistakes[m].gives, i, n, threads, out[i]); /* begins with what is right */
    }
}
