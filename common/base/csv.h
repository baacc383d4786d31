/* csv: reading comma-separated values as RFC 4180 writes them, a row at a time.
 *
 * Cells keep where they stand in the file, so that a writer can change one and leave every other byte. Rows
 * end in a newline, a return or both; a quoted cell may hold newlines, commas, and quotes written twice.
 */
#ifndef COMMON_BASE_CSV_H
#define COMMON_BASE_CSV_H

#include "common/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { CSV_CELLS_MAX = 1024 }; /* Nsight Compute prints 345 of an H100 */

/* A cell: its bytes in the file, quotes included, and its text. */
typedef struct CsvCell {
    size_t start, end;
    char *text;
} CsvCell;

typedef struct CsvRow {
    CsvCell cells[CSV_CELLS_MAX];
    size_t n;
    size_t end; /* after the line's end */
} CsvRow;

/* Where the first row begins: past a byte order mark, if there is one. */
size_t csv_start(const char *sheet, size_t length);
/* The row that begins at `at`; the texts are the arena's. False when it is no CSV, has more cells than
 * CSV_CELLS_MAX, or there is no memory. */
bool csv_read_row(Arena *a, const char *sheet, size_t length, size_t at, CsvRow *row);
/* Where the line after the one at `at` begins, for sheets with other lines between. */
size_t csv_next_line(const char *sheet, size_t length, size_t at);
/* Whether a spreadsheet could take the cell for a formula, apostrophes before it aside: = + - @, also as wide
 * characters, tab and line ends. Such a cell is written with an apostrophe in front (grader/text/escape.h).
 */
bool csv_is_formula(const char *text);
/* The text of a cell that was written so. */
const char *csv_unguarded(const char *text);
/* The index of the cell with this text; row->n when there is none. */
size_t csv_find(const CsvRow *row, const char *text);

#endif
