/* edit: a submission as a small edit of the lab's solution, so that what one reads is what differs.
 *
 *   // expect: out-of-bounds           the head stands in place of the comment that the solution begins with;
 *   // case: one-more                  without a head that comment stays
 *   // line: c[i] = a[i] + b[i];       a line by its text; its number stands there in the whole source
 *   @@
 *        int i = blockIdx.x * blockDim.x + threadIdx.x;       a line of both
 *   -    if (i < n)                                           of the solution alone
 *   -        c[i] = a[i] + b[i];
 *   +    c[i] = a[i] + b[i];                                  of the submission alone
 *
 * A hunk says no line numbers: the lines of the solution in it, those of both and those that go, stand there
 * exactly once, and hunks follow one another. Where the text of `line:` is that of several lines, it ends in
 * ` (2 of 5)`. An empty line is one of both. The solution is the text without markers and stubs
 * (Source.solution).
 */
#ifndef COMMON_STARTERS_EDIT_H
#define COMMON_STARTERS_EDIT_H

#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdbool.h>

/* What the name of an edit ends in; before that stands the name of the whole source. */
#define EDIT_SUFFIX ".edit"
bool edit_is(const char *path);

/* Appends the whole source to *whole. STATUS_PARSE with the line of the edit (`name` is its file's name) when
 * it does not apply. */
Status edit_apply(const char *name, const char *edit, const char *solution, StrBuf *whole, Diag *diag);

/* Appends a text to *whole in which the lines that its first comment marks are numbers. */
Status edit_number_lines(const char *name, const char *text, StrBuf *whole, Diag *diag);

/* Appends to *edit what makes `whole` of the solution. STATUS_INVALID when no edit does. */
Status edit_make(const char *name, const char *whole, const char *solution, StrBuf *edit, Diag *diag);

#endif
