/* What edit.c (applying) and edit_make.c (making) share: the texts and the mark of a line. */
#ifndef COMMON_STARTERS_EDIT_INTERNAL_H
#define COMMON_STARTERS_EDIT_INTERNAL_H

#include "common/starters/edit.h"
#include "common/starters/lines.h"

/* In a head: `// line: VALUE`, or `# line: VALUE`. False for any other line. */
bool edit_line_mark(Line line, Line *before, Line *value);

#endif
