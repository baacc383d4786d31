/* Between reading a source (mutants.c) and what may stand in its places instead (operators.c). */
#ifndef COMMON_MUTANTS_INTERNAL_H
#define COMMON_MUTANTS_INTERNAL_H

#include "common/mutants/mutants.h"

#include <clang-c/Index.h>

/* One more mutant: the span gives way to a text. Nothing where no student writes, where that is there
 * already, or for an empty span. */
void mutants_add(Mutants *m, MutantOperator operator, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* One more change of the source, wherever it stands. */
void mutants_change(Mutants *m, Span span, const char *text);

/* What a style has at one place in the syntax tree instead. */
void style_of_cursor(Mutants *m, Style style, CXCursor cursor);

/* The mutants of one place in the syntax tree (not of what is below it). False: what is below it makes none. */
bool mutants_of_cursor(Mutants *m, CXTranslationUnit unit, CXCursor cursor, CXCursor parent);

#endif
