/* See ncu_report.h. */
#include "grader/judge/ncu_report.h"

#include "common/base/csv.h"
#include "common/base/strbuf.h"
#include "grader/core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MAX = 200, DIGITS_MAX = 32 };

#define NUMBER_MAX 1e18 /* of one metric of one launch */

typedef struct Metric {
    NcuNumber number;
    double weight;
    const char *name, *unit;
} Metric;

static const Metric metrics[] = {
#define X(number, weight, name, unit) {NCU_##number, weight, name, unit},
#include "grader/judge/ncu_counters.def"
#undef X
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

/* A page under way. */
typedef struct Page {
    Arena *arena;
    const char *bytes;
    size_t length, at;
    CsvRow *names, *row;
    size_t columns[N_METRICS], id;
    NcuCounters *counters;
    const char *why;
} Page;

const char *ncu_number_name(NcuNumber number)
{
    static const char *const names[] = {
#define X(number, name) [NCU_##number] = name,
#include "grader/judge/ncu_numbers.def"
#undef X
    };
    return names[number];
}

const char *ncu_report_metrics(Arena *a)
{
    StrBuf out = {0};
    for (size_t i = 0; i < N_METRICS; i++)
        strbuf_printf(&out, "%s%s", i ? "," : "", metrics[i].name);
    return strbuf_keep(&out, a);
}

static bool ncu_fail(Page *p, const char *why)
{
    p->why = why;
    return false;
}

/* Lines of ncu's own ---------------------------------------------------------------------------- */

static bool line_begins(const Page *p, const char *with)
{
    size_t n = strlen(with);
    return p->length - p->at >= n && memcmp(p->bytes + p->at, with, n) == 0;
}

/* The line's text from `skip` on, cleaned and cut; "" without memory. */
static const char *text_of_line(const Page *p, size_t skip)
{
    const char *line = p->bytes + p->at + skip;
    size_t n = csv_next_line(p->bytes, p->length, p->at) - p->at - skip;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    const char *text = text_clean(p->arena, line, n < SAID_MAX ? n : SAID_MAX, SAID_MAX);
    return text ? text : "";
}

/* "==ERROR== " and the reason. The one that most will meet is told in our words. */
static bool fail_as_told(Page *p)
{
    const char *said = text_of_line(p, strlen("==ERROR=="));
    if (strstr(said, "ERR_NVGPUCTRPERM"))
        return ncu_fail(p, "the driver shows them to the administrator alone (ERR_NVGPUCTRPERM)");
    return ncu_fail(p, arena_printf(p->arena, "ncu said:%s", said));
}

/* Passes over lines that tell of ncu's work, to one that begins with a quote or to the end. */
static bool pass_notes(Page *p)
{
    while (p->at < p->length && p->bytes[p->at] != '"') {
        if (line_begins(p, "==ERROR=="))
            return fail_as_told(p);
        if (!line_begins(p, "==") && !line_begins(p, "\n") && !line_begins(p, "\r\n"))
            return ncu_fail(
                p, arena_printf(p->arena, "a line of its report is none of ncu's: %s", text_of_line(p, 0)));
        p->at = csv_next_line(p->bytes, p->length, p->at);
    }
    return true;
}

/* The table ------------------------------------------------------------------------------------- */

static bool read_row(Page *p, CsvRow *row)
{
    if (p->at >= p->length)
        return ncu_fail(p, "it measured no kernel");
    if (!csv_read_row(p->arena, p->bytes, p->length, p->at, row))
        return ncu_fail(p, "its report is no table");
    p->at = row->end;
    return true;
}

/* Digits, with commas between thousands, and perhaps a fraction. */
static bool ncu_read_number(const char *text, double *number)
{
    char digits[DIGITS_MAX];
    size_t n = 0;
    bool point = false;
    if (!isdigit((unsigned char)*text))
        return false;
    for (; *text; text++) {
        if (*text == ',' && !point && isdigit((unsigned char)text[1]))
            continue;
        bool is_point = *text == '.' && !point && isdigit((unsigned char)text[1]);
        if ((!is_point && !isdigit((unsigned char)*text)) || n == sizeof digits - 1)
            return false;
        point = point || is_point;
        digits[n++] = *text;
    }
    digits[n] = '\0';
    *number = strtod(digits, NULL);
    return *number <= NUMBER_MAX;
}

/* Names and units. */
static bool read_head(Page *p)
{
    if (!read_row(p, p->names) || !read_row(p, p->row))
        return false;
    p->id = csv_find(p->names, "ID");
    if (p->id == p->names->n || p->row->n != p->names->n)
        return ncu_fail(p, "its report is no table of launches");
    for (size_t i = 0; i < N_METRICS; i++) {
        p->columns[i] = csv_find(p->names, metrics[i].name);
        if (p->columns[i] == p->names->n)
            return ncu_fail(p, arena_printf(p->arena, "it has no metric %s here", metrics[i].name));
        if (strcmp(p->row->cells[p->columns[i]].text, metrics[i].unit) != 0)
            return ncu_fail(
                p, arena_printf(p->arena, "%s is not in the unit %s", metrics[i].name, metrics[i].unit));
    }
    return true;
}

static bool read_launch(Page *p)
{
    NcuCounters *c = p->counters;
    char id[DIGITS_MAX];
    if (!read_row(p, p->row))
        return false;
    snprintf(id, sizeof id, "%zu", c->n_launches);
    if (p->row->n != p->names->n || strcmp(p->row->cells[p->id].text, id) != 0)
        return ncu_fail(p, "launches are missing in its report, or stand there twice");
    if (c->n_launches == NCU_REPORT_LAUNCHES_MAX)
        return ncu_fail(p, "the program launches too many kernels for it");
    c->n_launches++;
    for (size_t i = 0; i < N_METRICS; i++) {
        double number;
        if (!ncu_read_number(p->row->cells[p->columns[i]].text, &number))
            return ncu_fail(p, arena_printf(p->arena, "%s is no number", metrics[i].name));
        c->numbers[metrics[i].number] += metrics[i].weight * number;
    }
    return true;
}

static bool read_page(Page *p)
{
    if (p->length > NCU_REPORT_BYTES_MAX)
        return ncu_fail(p, "its report is too long");
    if (memchr(p->bytes, '\0', p->length))
        return ncu_fail(p, "its report is no text");
    if (!p->names || !p->row)
        return ncu_fail(p, "there was no memory for its report");
    if (!pass_notes(p) || !read_head(p) || !pass_notes(p))
        return false;
    while (p->at < p->length)
        if (!read_launch(p) || !pass_notes(p))
            return false;
    return p->counters->n_launches > 0 ? true : ncu_fail(p, "it measured no kernel");
}

bool ncu_report_read(Arena *a, const char *bytes, size_t length, NcuCounters *counters, const char **why)
{
    Arena scratch = {0};
    Page p = {.arena = &scratch,
              .bytes = bytes,
              .length = length,
              .names = ARENA_NEW(&scratch, CsvRow),
              .row = ARENA_NEW(&scratch, CsvRow),
              .counters = counters,
              .why = ""};
    *counters = (NcuCounters){0};
    bool fine = read_page(&p);
    *why = fine ? "" : p.why ? arena_strndup(a, p.why, strlen(p.why)) : NULL;
    if (!*why)
        *why = "its report cannot be read";
    if (!fine)
        *counters = (NcuCounters){0};
    arena_free(&scratch);
    return fine;
}
