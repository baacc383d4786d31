/* source: see source.h. */
#include "grader/report/source.h"

#include "grader/report/report_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS_MAX = 7, MESSAGE_BYTES_MAX = 1000 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "23" at p: its end, and the number; NULL for none. */
static const char *take_number(const char *p, int64_t *number)
{
    size_t n = strspn(p, "0123456789");
    if (n == 0 || n > NUMBER_DIGITS_MAX)
        return NULL;
    *number = strtoll(p, NULL, 10);
    return p + n;
}

static bool is_file_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_-./+", text[i]))
            return false;
    return length > 0 && memchr(text, '.', length);
}

bool report_comment_place(Arena *a, const char *text, const char **file, int64_t *line, const char **rest)
{
    const char *colon = strchr(text, ':'), *end = colon ? take_number(colon + 1, line) : NULL;
    if (!end || *line == 0 || end[0] != ':' || !is_file_name(text, (size_t)(colon - text)))
        return false;
    *file = arena_strndup(a, text, (size_t)(colon - text));
    *rest = end + 1 + strspn(end + 1, " ");
    return *file;
}

/* "vector_add.cu(23): error: ..." of nvcc, or "vector_add.cu:23:5: error: ..." of others. */
static bool compiler_place(Arena *a, const char *text, size_t length, ReportRemark *r)
{
    size_t n = 0;
    while (n < length && !strchr("(: ", text[n]))
        n++;
    if (n == length || text[n] == ' ' || !is_file_name(text, n))
        return false;
    bool bracket = text[n] == '(';
    const char *end = take_number(text + n + 1, &r->line);
    if (!end || (bracket ? end[0] != ')' : end[0] != ':'))
        return false;
    end += 1 + (bracket && end[1] == ':');
    int64_t column;
    const char *after = bracket ? NULL : take_number(end, &column);
    end = after && *after == ':' ? after + 1 : end;
    end += strspn(end, " ");
    const char *name = arena_strndup(a, text, n);
    if (!name || end >= text + length)
        return false;
    r->file = last_part(name);
    r->kind = "compiler";
    r->bad = strncmp(end, "error", 5) == 0 || strncmp(end, "fatal", 5) == 0;
    r->text = arena_strndup(a, end,
                            (size_t)(text + length - end) < MESSAGE_BYTES_MAX ? (size_t)(text + length - end)
                                                                              : MESSAGE_BYTES_MAX);
    return r->text;
}

typedef struct Remarks {
    ReportRemark *items; /* malloc'd */
    size_t n, cap;
    bool failed;
} Remarks;

static void add_remark(Remarks *list, const ReportRemark *r)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].line == r->line && strcmp(list->items[i].file, r->file) == 0 &&
            strcmp(list->items[i].text, r->text) == 0)
            return;
    if (!VEC_GROW(list->items, list->n, list->cap)) {
        list->failed = true;
        return;
    }
    list->items[list->n++] = *r;
}

static void add_compiler(Arena *a, Remarks *list, const char *log)
{
    while (*log) {
        size_t length = strcspn(log, "\n");
        ReportRemark r;
        if (compiler_place(a, log, length, &r))
            add_remark(list, &r);
        log += length + (log[length] == '\n');
    }
}

static void add_findings(Arena *a, Remarks *list, const CaseResult *c)
{
    for (size_t i = 0; i < c->n_findings; i++) {
        const Finding *f = &c->findings[i];
        if (!f->place.file[0] || f->place.line == 0)
            continue;
        size_t length = strcspn(f->message, "\n");
        const char *text = arena_printf(a, "%.*s (case %s)", (int)length, f->message, c->name);
        if (text)
            add_remark(list,
                       &(ReportRemark){last_part(f->place.file), f->place.line, f->kind, text, !f->advice});
        else
            list->failed = true;
    }
}

static int compare_remarks(const void *a, const void *b)
{
    const ReportRemark *x = a, *y = b;
    int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : x->line != y->line ? (x->line > y->line ? 1 : -1) : strcmp(x->text, y->text);
}

bool report_remarks(Arena *a, const Result *r, const Grade *g, bool student_view, ReportRemark **remarks,
                    size_t *n)
{
    Remarks list = {0};
    add_compiler(a, &list, r->build_log);
    for (size_t i = 0; i < r->n_cases; i++)
        add_findings(a, &list, &r->cases[i]);
    for (size_t i = g->n_items - g->n_comments; i < g->n_items; i++) {
        ReportRemark remark = {.kind = g->items[i].secret ? "note" : "comment"};
        if (!(student_view && g->items[i].secret) &&
            report_comment_place(a, g->items[i].text, &remark.file, &remark.line, &remark.text))
            add_remark(&list, &remark);
    }
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, compare_remarks);
    *remarks = VEC_KEEP(a, list.items, list.n);
    *n = *remarks ? list.n : 0;
    return *remarks && !list.failed;
}

static void put_remark(StrBuf *out, const ReportRemark *r)
{
    strbuf_printf(out, "<tr class=\"said\"><td></td><td><p class=\"remark %s\"><b>",
                  r->bad ? "t-bad" : "t-none");
    html_text(out, r->kind);
    strbuf_puts(out, "</b> ");
    html_text(out, r->text);
    strbuf_puts(out, "</p></td></tr>\n");
}

static void put_line(StrBuf *out, size_t file, size_t number, const char *text, size_t length)
{
    char *copy = strndup(text, length < SOURCE_LINE_BYTES_MAX ? length : SOURCE_LINE_BYTES_MAX);
    strbuf_printf(out, "<tr id=\"L-%zu-%zu\"><td class=\"num\">%zu</td><td><code>", file, number, number);
    html_text(out, copy ? copy : "");
    strbuf_puts(out, length > SOURCE_LINE_BYTES_MAX ? " …" : "");
    strbuf_puts(out, "</code></td></tr>\n");
    out->failed = out->failed || !copy;
    free(copy);
}

static void put_file(StrBuf *out, const ReportFile *f, size_t number, const ReportRemark *remarks, size_t n)
{
    html_scroll(out, "Source", f->name);
    strbuf_puts(out, "<table class=\"source\" data-file=\"");
    html_text(out, f->name);
    strbuf_puts(out, "\">\n<caption>");
    html_text(out, f->name);
    strbuf_puts(out, "</caption>\n<tbody>\n");
    size_t line = 0;
    for (size_t at = 0; at < f->length && line < SOURCE_LINES_MAX; line++) {
        const char *end = memchr(f->text + at, '\n', f->length - at);
        size_t length = end ? (size_t)(end - f->text) - at : f->length - at;
        size_t shown = length > 0 && f->text[at + length - 1] == '\r' ? length - 1 : length;
        put_line(out, number, line + 1, f->text + at, shown);
        for (size_t i = 0; i < n; i++)
            if (remarks[i].line == (int64_t)line + 1 && strcmp(remarks[i].file, f->name) == 0)
                put_remark(out, &remarks[i]);
        at += length + 1;
    }
    for (size_t i = 0; i < n; i++) /* about lines that are not there */
        if (remarks[i].line > (int64_t)line && strcmp(remarks[i].file, f->name) == 0)
            put_remark(out, &remarks[i]);
    strbuf_puts(out, "</tbody></table></div>\n");
}

void html_sources(StrBuf *out, const ReportFiles *files, const Result *r, const Grade *g, bool student_view)
{
    Arena a = {0};
    ReportRemark *remarks;
    size_t n;
    if (files->n == 0)
        return;
    if (!report_remarks(&a, r, g, student_view, &remarks, &n))
        out->failed = true;
    strbuf_puts(out, "<h2 id=\"source\">What was handed in</h2>\n");
    if (files->changed)
        strbuf_puts(out, "<p class=\"notice\">Something else was handed in since this was graded: lines may "
                         "not fit.</p>\n");
    for (size_t i = 0; i < files->n; i++)
        put_file(out, &files->files[i], i + 1, remarks, n);
    arena_free(&a);
}
