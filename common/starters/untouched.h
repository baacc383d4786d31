/* untouched: what of a lab's files is as the student got it, for `make submit`.
 *
 * How a file was is what stands in the lab's folder .starter (the student bundle has it); without that folder, what the
 * solution gives, where it is here; without both nothing is known, and nothing said. */
#ifndef COMMON_STARTERS_UNTOUCHED_H
#define COMMON_STARTERS_UNTOUCHED_H

#include "common/base/language.h"
#include "common/base/strbuf.h"
#include "common/starters/labfile.h"

/* Appends a line for each file that is the starter's to the byte, and one for the TODOs of a file at whose
 * comments nothing was changed: the comment's line, and the lines before and behind it. */
Status untouched_tell(const LabFile *lab, const char *folder, Language language, StrBuf *out, Diag *diag);

#endif
