/* wrap: lines of text made to fit a terminal. */
#ifndef COMMON_BASE_WRAP_H
#define COMMON_BASE_WRAP_H

#include "common/base/strbuf.h"

/* Appends text whose lines take at most so many columns: broken at blanks and between characters of East Asian text, never inside a
 * word; what follows stands two columns behind the beginning of its line. Lines of source (`  13 | ...`) stay whole, and colours
 * (ESC [ ... m) take no column. The text is UTF-8, or each wrong byte a column. */
void text_wrap(StrBuf *out, const char *text, int columns);

/* Columns and rows of the terminal that a descriptor is, or 80 and 24. Returns whether it is one. */
int terminal_size(int fd, int *columns, int *rows);

#endif
