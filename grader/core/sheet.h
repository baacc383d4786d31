/* sheet: a CSV file of another system, read whole, so that a writer can change some of its cells and leave
 * every other byte.
 *
 * Cells are separated by commas, semicolons or tabs, whichever the first line has most of outside quotes; the
 * rest is as in common/base/csv.h. The file is UTF-8, with or without a byte order mark.
 */
#ifndef GRADER_CORE_SHEET_H
#define GRADER_CORE_SHEET_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum { SHEET_BYTES_MAX = 16 << 20, SHEET_ROWS_MAX = 100 * 1000 };

typedef struct SheetCell {
    size_t start, end; /* in the file, quotes included */
    const char *text;
} SheetCell;

typedef struct SheetRow {
    SheetCell *cells;
    size_t n;
    size_t start, end; /* in the file; the end is after the line's end */
} SheetRow;

typedef struct Sheet {
    const char *file, *bytes;
    size_t length;
    char delimiter;
    SheetRow *rows; /* the first is the header; there is one */
    size_t n;
} Sheet;

/* What a row gets in a column, which may lie past its end. */
typedef struct SheetChange {
    size_t column;
    const char *text;
} SheetChange;

/* The sheet that the bytes hold; they must live as long as it, file too, which is for messages. */
Status sheet_parse(Arena *a, const char *file, const char *bytes, size_t length, Sheet *sheet, Diag *d);
/* The same of a file. */
Status sheet_load(Arena *a, const char *file, Sheet *sheet, Diag *d);
/* The text of a cell; "" past the row's end. */
const char *sheet_text(const SheetRow *row, size_t column);
/* The column with this heading, but for case and blanks around it; SIZE_MAX when there is none. */
size_t sheet_column(const Sheet *sheet, const char *heading);
/* The row with the changes, which are in the order of their columns; every other byte as it was. */
void sheet_put_row(StrBuf *out, const Sheet *sheet, const SheetRow *row, const SheetChange *changes,
                   size_t n);

#endif
