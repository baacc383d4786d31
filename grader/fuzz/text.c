/* Target text: any bytes through every escape and as a table. What comes out is UTF-8, and none of the
 * characters is left that mean something where it goes. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/core/text.h"
#include "common/base/csv.h"
#include "grader/text/escape.h"
#include "grader/text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { CLEAN_MAX = 512 };

typedef void Escape(StrBuf *out, const char *text, size_t length);

static const struct {
    Escape *escape;
    const char *never; /* bytes that must not come out */
} escapes[] = {
    {escape_html, "<>\"'\x1b\r"},
    {escape_xml, "<>\"'\x1b"},
    {escape_csv, "\x1b"},
    {escape_markdown, "\n\x1b"},
    {escape_terminal, "\n\x1b\r"},
    {escape_file_name, "/\\ \n<>&\"':"},
};

static void try_escape(size_t i, const char *text, size_t length)
{
    StrBuf out = {0};
    escapes[i].escape(&out, text, length);
    const char *shown = out.text ? out.text : "";
    if (out.failed || !utf8_is_valid(shown, out.length) ||
        (escapes[i].never[0] && strpbrk(shown, escapes[i].never)) || strlen(shown) != out.length)
        abort();
    strbuf_free(&out);
}

static void try_clean(const char *text, size_t length)
{
    Arena arena = {0};
    const char *clean = text_clean(&arena, text, length, CLEAN_MAX);
    if (!clean || !utf8_is_valid(clean, strlen(clean)) || strpbrk(clean, "\x1b\r\b"))
        abort();
    arena_free(&arena);
}

static void read_table(const char *text, size_t length)
{
    Arena arena = {0};
    CsvRow row;
    for (size_t at = csv_start(text, length); at < length && csv_read_row(&arena, text, length, at, &row);
         at = row.end)
        for (size_t i = 0; i < row.n; i++)
            if (row.end <= at || row.cells[i].end > length || row.cells[i].start > row.cells[i].end)
                abort();
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        try_escape(i, (const char *)data, size);
    try_clean((const char *)data, size);
    read_table((const char *)data, size);
    return 0;
}
