/* mutants: small changes of a lab's solution, each one mistake that a student could have made.
 *
 * libclang reads the source; an operator (operators.def) looks at one kind of place in the syntax tree and
 * says what could stand there instead. Only what a student writes is changed: what lies between `//@ solution
 * N` and `//@ stub` or `//@ end`. A place that comes out of a macro is left alone, but for arguments of one.
 * The list is in the order of the source, and the same each time.
 */
#ifndef COMMON_MUTANTS_MUTANTS_H
#define COMMON_MUTANTS_MUTANTS_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MutantOperator {
#define X(id, name, verdicts, mistake) MUTANT_##id,
#include "common/mutants/operators.def"
#undef X
    MUTANT_OPERATORS
} MutantOperator;

/* Bytes of the source. */
typedef struct Span {
    size_t begin, end;
} Span;

/* `length` bytes at `begin` give way to `text`. */
typedef struct Mutant {
    MutantOperator operator;
    size_t begin, length;
    const char *text;
    int line, todo; /* TODO 0: outside of what is written for one */
} Mutant;

typedef struct Mutants {
    Arena *arena;
    const char *source;
    size_t source_length;
    Mutant *list;
    size_t n, capacity;
    Span kept; /* a number that is left as it is, whatever stands there */
} Mutants;

const char *mutant_operator_name(MutantOperator o);
const char *mutant_operator_verdicts(MutantOperator o);
const char *mutant_operator_mistake(MutantOperator o);

/* Fills *m from the source in `path`, read by libclang with `options` (n_options of them). The arena owns
 * everything. STATUS_PARSE with the compiler's first error when it cannot be read. */
Status mutants_find(Mutants *m, Arena *arena, const char *path, const char *const *options, int n_options,
                    Diag *diag);

/* Ways to write the same program, where a source has to be read for that. */
typedef enum Style {
    STYLE_LAUNCHES, /* style_launch(kernel, blocks, threads, shared, stream, arguments...) for each <<<...>>> */
    STYLE_WIDE,     /* variables of type int in kernels are long long */
    STYLES
} Style;

extern const char *const style_names[STYLES];

/* As mutants_find: *text is the source in the style, all of it; it is the source's own where nothing changes. */
Status mutants_restyle(const char **text, Arena *arena, Style style, const char *path, const char *const *options,
                       int n_options, Diag *diag);

/* Moves n of the mutants to the front: the operators take turns, and the seed says which of an operator's
 * come first. */
void mutants_sample(Mutants *m, size_t n, uint64_t seed);

/* The mutant's whole source, in the arena. */
const char *mutant_source(const Mutants *m, const Mutant *mutant);

#endif
