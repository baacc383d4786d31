/* hint: which hint a student gets next.
 *
 * Hints come a tier at a time: a question, the idea, nearly the code. Which ones were shown is kept in a text
 * file of lines "TODO TIERS_SHOWN".
 */
#ifndef COMMON_STARTERS_HINT_H
#define COMMON_STARTERS_HINT_H

#include "common/base/strbuf.h"
#include "common/starters/labfile.h"

/* Appends the next hint for TODO `todo`, and counts it in the file `record`. After the last tier all of them are
 * shown again. STATUS_NOT_FOUND when the lab has none for it. */
Status hint_next(const LabFile *lab, int todo, const char *record, StrBuf *out, Diag *diag);

#endif
