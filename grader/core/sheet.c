/* sheet: see sheet.h. The one reader of CSV (common/base/csv.h) knows commas: for another delimiter it reads
 * a copy in which that and the comma have changed places outside quotes, byte for byte, so that all offsets
 * hold.
 */
#include "grader/core/sheet.h"

#include "common/base/csv.h"
#include "grader/core/files.h"
#include "grader/text/encoding.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static Status sheet_no_memory(Diag *d, const char *file)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for %s", file);
}

/* What the first line has most of. */
static char find_delimiter(const char *bytes, size_t length)
{
    static const char delimiters[] = ",;\t";
    size_t counts[3] = {0};
    bool quoted = false;
    for (size_t i = 0; i < length && (quoted || (bytes[i] != '\n' && bytes[i] != '\r')); i++) {
        const char *found = bytes[i] ? strchr(delimiters, bytes[i]) : NULL;
        quoted = quoted != (bytes[i] == '"');
        if (found && !quoted)
            counts[found - delimiters]++;
    }
    size_t best = 0;
    for (size_t k = 1; k < 3; k++)
        best = counts[k] > counts[best] ? k : best;
    return delimiters[best];
}

static char exchanged(char c, char delimiter)
{
    return c == delimiter ? ',' : c == ',' ? delimiter : c;
}

/* A copy with the delimiter and the comma exchanged outside quotes. */
static const char *exchange(Arena *a, const char *bytes, size_t length, char delimiter)
{
    char *copy = arena_strndup(a, bytes, length);
    bool quoted = false;
    for (size_t i = 0; copy && i < length; i++) {
        quoted = quoted != (bytes[i] == '"');
        if (!quoted)
            copy[i] = exchanged(bytes[i], delimiter);
    }
    return copy;
}

/* Copies a row, its texts with what was exchanged put back. */
static bool keep_row(Arena *a, const Sheet *sheet, const CsvRow *row, size_t at, SheetRow *kept)
{
    *kept = (SheetRow){.cells = ARENA_NEW_ARRAY(a, SheetCell, row->n + 1), .start = at, .end = row->end};
    for (size_t i = 0; kept->cells && i < row->n; i++) {
        char *text = row->cells[i].text;
        bool plain = sheet->bytes[row->cells[i].start] != '"';
        for (char *p = text; plain && sheet->delimiter != ',' && *p; p++)
            *p = exchanged(*p, sheet->delimiter);
        kept->cells[kept->n++] = (SheetCell){row->cells[i].start, row->cells[i].end, text};
    }
    return kept->cells;
}

static Status read_rows(Arena *a, Sheet *sheet, const char *readable, CsvRow *row, Diag *d)
{
    size_t cap = 0;
    SheetRow *rows = NULL;
    Status s = STATUS_OK;
    for (size_t at = csv_start(readable, sheet->length); s == STATUS_OK && at < sheet->length;
         at = row->end) {
        int line = (int)sheet->n + 1;
        if (!csv_read_row(a, readable, sheet->length, at, row))
            s = diag_set_at(d, STATUS_PARSE, sheet->file, line, 0, "row %d is no CSV", line);
        else if (sheet->n == SHEET_ROWS_MAX)
            s = diag_set_at(d, STATUS_LIMIT, sheet->file, line, 0, "more than %d rows", SHEET_ROWS_MAX);
        else if (!VEC_GROW(rows, sheet->n, cap) || !keep_row(a, sheet, row, at, &rows[sheet->n]))
            s = sheet_no_memory(d, sheet->file);
        else
            sheet->n++;
    }
    sheet->rows = VEC_KEEP(a, rows, sheet->n);
    if (s == STATUS_OK && !sheet->rows)
        s = sheet_no_memory(d, sheet->file);
    if (s == STATUS_OK && sheet->n == 0)
        s = diag_set_at(d, STATUS_PARSE, sheet->file, 0, 0, "the file is empty");
    return s;
}

Status sheet_parse(Arena *a, const char *file, const char *bytes, size_t length, Sheet *sheet, Diag *d)
{
    *sheet = (Sheet){.file = file, .bytes = bytes, .length = length};
    Encoding encoding = encoding_of(bytes, length);
    if (encoding != ENCODING_UTF8) {
        diag_set_at(d, STATUS_PARSE, file, 0, 0, "this is %s, not CSV in UTF-8", encoding_word(encoding));
        diag_hint(d, "a spreadsheet's own format is no CSV: save it as CSV (UTF-8)");
        return STATUS_PARSE;
    }
    size_t start = csv_start(bytes, length);
    sheet->delimiter = find_delimiter(bytes + start, length - start);
    const char *readable = sheet->delimiter == ',' ? bytes : exchange(a, bytes, length, sheet->delimiter);
    CsvRow *row = ARENA_NEW(a, CsvRow);
    return readable && row ? read_rows(a, sheet, readable, row, d) : sheet_no_memory(d, file);
}

Status sheet_load(Arena *a, const char *file, Sheet *sheet, Diag *d)
{
    char *bytes;
    size_t length;
    Status s = file_read(a, file, SHEET_BYTES_MAX, &bytes, &length, d);
    return s == STATUS_OK ? sheet_parse(a, file, bytes, length, sheet, d) : s;
}

const char *sheet_text(const SheetRow *row, size_t column)
{
    return column < row->n ? row->cells[column].text : "";
}

static bool is_heading(const char *text, const char *heading)
{
    size_t n = strlen(heading);
    while (isspace((unsigned char)*text))
        text++;
    if (strncasecmp(text, heading, n) != 0)
        return false;
    return text[n + strspn(text + n, " \t")] == '\0';
}

size_t sheet_column(const Sheet *sheet, const char *heading)
{
    for (size_t i = 0; i < sheet->rows[0].n; i++)
        if (is_heading(sheet->rows[0].cells[i].text, heading))
            return i;
    return SIZE_MAX;
}

/* A cell with quotes where it needs them. */
static void put_cell(StrBuf *out, const char *text, char delimiter)
{
    bool plain = !strchr(text, delimiter) && !strpbrk(text, "\"\r\n");
    if (plain) {
        strbuf_puts(out, text);
        return;
    }
    strbuf_puts(out, "\"");
    for (; *text; text++)
        strbuf_append(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_puts(out, "\"");
}

void sheet_put_row(StrBuf *out, const Sheet *sheet, const SheetRow *row, const SheetChange *changes, size_t n)
{
    size_t at = row->start, i = 0;
    for (; i < n && changes[i].column < row->n; i++) {
        const SheetCell *cell = &row->cells[changes[i].column];
        strbuf_append(out, sheet->bytes + at, cell->start - at);
        put_cell(out, changes[i].text, sheet->delimiter);
        at = cell->end;
    }
    size_t last = row->n ? row->cells[row->n - 1].end : row->start;
    if (last > at) {
        strbuf_append(out, sheet->bytes + at, last - at);
        at = last;
    }
    for (size_t column = row->n; i < n; column++) {
        strbuf_append(out, &sheet->delimiter, 1);
        if (column == changes[i].column)
            put_cell(out, changes[i++].text, sheet->delimiter);
    }
    strbuf_append(out, sheet->bytes + at, row->end - at);
}
