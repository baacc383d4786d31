/* receipts: when things were received, in a file that a person can read and mend:
 *
 *     student,lab,received,late
 *     s001,02-vector-add,2026-10-12T21:59:00Z,
 *     s002,02-vector-add,,yes
 */
#include "grader/archive/download.h"
#include "grader/core/files.h"
#include "grader/core/when.h"
#include "common/base/csv.h"
#include "grader/text/escape.h"

#include <string.h>

enum { RECEIPTS_BYTES_MAX = 16 << 20, N_COLUMNS = 4 };

static const char HEADER[] = "student,lab,received,late";

/* By student, then lab. */
static int compare_receipt(const Receipt *r, const char *student, const char *lab)
{
    int by_student = strcmp(r->student, student);
    return by_student ? by_student : strcmp(r->lab, lab);
}

/* Where the line of student and lab stands, or would. */
static size_t receipt_place(const Receipts *r, const char *student, const char *lab)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_receipt(&r->items[middle], student, lab) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Status receipts_put(Receipts *r, const Receipt *receipt, Diag *d)
{
    size_t at = receipt_place(r, receipt->student, receipt->lab);
    bool there = at < r->n && compare_receipt(&r->items[at], receipt->student, receipt->lab) == 0;
    if (!there && !VEC_GROW(r->items, r->n, r->cap))
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the receipts");
    if (!there) {
        memmove(&r->items[at + 1], &r->items[at], (r->n - at) * sizeof *r->items);
        r->n++;
    }
    r->items[at] = *receipt;
    return STATUS_OK;
}

const Receipt *receipts_find(const Receipts *r, const char *student, const char *lab)
{
    size_t at = receipt_place(r, student, lab);
    return at < r->n && compare_receipt(&r->items[at], student, lab) == 0 ? &r->items[at] : NULL;
}

static Status read_receipt(const char *path, int line, const CsvRow *row, Receipts *receipts, Diag *d)
{
    if (row->n == 1 && !row->cells[0].text[0])
        return STATUS_OK; /* an empty line */
    if (row->n != N_COLUMNS)
        return diag_set_at(d, STATUS_PARSE, path, line, 0, "a line must have the columns %s", HEADER);
    const char *time = row->cells[2].text, *late = row->cells[3].text;
    Receipt r = {.student = csv_unguarded(row->cells[0].text),
                 .lab = csv_unguarded(row->cells[1].text),
                 .has_time = time[0] != '\0',
                 .late = strcmp(late, "yes") == 0};
    if (r.has_time && !when_parse(time, &r.received_at))
        return diag_set_at(d, STATUS_PARSE, path, line, 0,
                           "the time must be as 2026-10-12T23:59:00+02:00, with its distance from UTC");
    if (late[0] && !r.late)
        return diag_set_at(d, STATUS_PARSE, path, line, 0, "late must be 'yes' or empty");
    return receipts_put(receipts, &r, d);
}

Status receipts_load(Arena *a, const char *dir, Receipts *receipts, Diag *d)
{
    *receipts = (Receipts){0};
    char *bytes;
    size_t length;
    const char *path = arena_printf(a, "%s/receipts.csv", dir);
    CsvRow *row = ARENA_NEW(a, CsvRow);
    if (!path || !row)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the receipts");
    Status s = file_read(a, path, RECEIPTS_BYTES_MAX, &bytes, &length, d);
    if (s != STATUS_OK)
        return s == STATUS_NOT_FOUND ? STATUS_OK : s;
    size_t start = csv_start(bytes, length);
    if (strncmp(bytes + start, HEADER, strlen(HEADER)) != 0 || !csv_read_row(a, bytes, length, start, row) ||
        row->n != N_COLUMNS)
        return diag_set_at(d, STATUS_PARSE, path, 1, 0, "the first line must be %s", HEADER);
    int line = 2;
    for (size_t at = row->end; s == STATUS_OK && at < length; at = row->end, line++)
        s = csv_read_row(a, bytes, length, at, row) ? read_receipt(path, line, row, receipts, d)
                                                    : diag_set_at(d, STATUS_PARSE, path, line, 0, "no CSV");
    return s;
}

Status receipts_save(const Receipts *receipts, const char *dir, Diag *d)
{
    Arena a = {0};
    StrBuf out = {0};
    strbuf_printf(&out, "%s\r\n", HEADER);
    for (size_t i = 0; i < receipts->n; i++) {
        const Receipt *r = &receipts->items[i];
        char time[WHEN_TEXT] = "";
        if (r->has_time)
            when_format(r->received_at, time);
        escape_csv(&out, r->student, strlen(r->student));
        strbuf_puts(&out, ",");
        escape_csv(&out, r->lab, strlen(r->lab));
        strbuf_printf(&out, ",%s,%s\r\n", time, r->late ? "yes" : "");
    }
    const char *path = arena_printf(&a, "%s/receipts.csv", dir);
    Status s = path && !out.failed ? file_write_atomic(path, out.text, out.length, d)
                                   : diag_set(d, STATUS_NO_MEMORY, "no memory for the receipts");
    strbuf_free(&out);
    arena_free(&a);
    return s;
}
