/* handout: README.md's shown code, kept equal to its source.
 *
 *   <!-- show vector_add.cu kernel -->      a region of the starter, or, without a name, a whole file of the
 *                                           lab; a header without its include guard and its frame for C++
 *   ```c
 *   ...
 *   ```
 *   <!-- end -->
 *
 *   <!-- hints -->                          the hints of lab.yaml, folded
 *   ...
 *   <!-- end -->
 */
#ifndef COMMON_STARTERS_HANDOUT_H
#define COMMON_STARTERS_HANDOUT_H

#include "common/starters/labfile.h"
#include "common/starters/source.h"

/* What a file of the lab looks like to a student: fills *source, whose starter is that text. */
typedef Status HandoutLookup(void *context, const char *file, Source *source, Diag *diag);

/* Appends text with every shown region expanded anew, and the hints of lab. STATUS_PARSE (with the line) when
 * an anchor is not closed or names a region that is not there. */
Status handout_expand(const char *name, const char *text, const LabFile *lab, HandoutLookup *lookup,
                      void *context, StrBuf *out, Diag *diag);

/* Whether the text speaks of "TODO N" (and not of TODO N1...). */
bool handout_mentions_todo(const char *text, int todo);

#endif
