/* The pages' common parts, and writing them; see report.h. The index is in html_index.c, a submission's page
 * in html_submission.c. */
#include "grader/report/report_internal.h"

#include "grader/core/files.h"
#include "grader/text/escape.h"

#include <string.h>
#include <unistd.h>

void html_text(StrBuf *out, const char *text)
{
    escape_html(out, text, strlen(text));
}

/* The policy lets a page load nothing, and run nothing but the index its own script: a second wall behind the
 * escapes. */
void html_begin(StrBuf *out, const char *title, const char *heading, const char *home)
{
    strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                     "'unsafe-inline'");
    if (!home)
        html_script_source(out);
    strbuf_puts(out, "\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    html_text(out, heading);
    strbuf_puts(out, " · ");
    html_text(out, title);
    strbuf_puts(out, "</title>\n<style>\n");
    strbuf_puts(out, REPORT_CSS);
    strbuf_puts(out, "</style>\n</head>\n<body>\n<header>\n<p class=\"over\">");
    html_text(out, title);
    strbuf_puts(out, "</p>\n");
    if (home)
        strbuf_printf(out, "<nav><a href=\"%s\">← The whole class</a></nav>\n", home);
    strbuf_puts(out, "<h1>");
    html_text(out, heading);
    strbuf_puts(out, "</h1>\n");
}

void html_end(StrBuf *out)
{
    strbuf_puts(out, "</main>\n<footer>Verdicts are worked out from the bytes that a program leaves, after "
                     "its processes are dead."
                     "</footer>\n</body>\n</html>\n");
}

void html_scroll(StrBuf *out, const char *what, const char *of)
{
    strbuf_printf(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s", what);
    if (of) {
        strbuf_puts(out, " ");
        html_text(out, of);
    }
    strbuf_puts(out, "\">");
}

void html_badge(StrBuf *out, Verdict v)
{
    static const char *const tones[] = {[TONE_GOOD] = "good",
                                        [TONE_WARN] = "warn",
                                        [TONE_BAD] = "bad",
                                        [TONE_PERSON] = "person",
                                        [TONE_NONE] = "none"};
    strbuf_printf(out, "<span class=\"badge t-%s\" title=\"", tones[report_tone(v)]);
    html_text(out, verdict_meaning(v));
    strbuf_printf(out, "\">%s</span>", verdict_word(v));
}

const char *report_page_path(Arena *a, const char *student, const char *lab)
{
    StrBuf path = {0};
    escape_file_name(&path, student, strlen(student));
    strbuf_puts(&path, "/");
    escape_file_name(&path, lab, strlen(lab));
    strbuf_puts(&path, ".html");
    return strbuf_keep(&path, a);
}

Status html_write(const char *path, StrBuf *page, Diag *d)
{
    Status s = page->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for %s", path)
                            : file_write_atomic(path, page->text, page->length, d);
    strbuf_free(page);
    return s;
}

static Status write_submission(Arena *a, const ReportClass *c, size_t i, const ReportFinder *finder,
                               const char *title, const char *dir, Diag *d)
{
    const Result *r = c->results[i];
    const char *below = report_page_path(a, r->student, r->lab);
    char *path = below ? arena_printf(a, "%s/%s", dir, below) : NULL;
    if (!path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a page");
    char *slash = strrchr(path, '/');
    *slash = '\0';
    Status s = dir_make(path, d);
    *slash = '/';
    StrBuf page = {0};
    ReportFiles files = {0};
    if (s == STATUS_OK && finder)
        s = finder->find(finder->context, a, r, &files, d);
    if (s == STATUS_OK) {
        html_submission(&page, c, r, &c->grades[i], &files, title);
        s = html_write(path, &page, d);
    }
    return s;
}

Status report_html(const ReportClass *c, const char *title, const char *dir, const ReportFinder *finder,
                   Diag *d)
{
    Arena a = {0};
    StrBuf index = {0};
    Status s = dir_make(dir, d);
    for (size_t i = 0; i < c->n_results && s == STATUS_OK; i++) {
        Arena own = {0}; /* files of one submission at a time */
        s = write_submission(&own, c, i, finder, title, dir, d);
        arena_free(&own);
    }
    const char *path = arena_printf(&a, "%s/index.html", dir),
               *similar = arena_printf(&a, "%s/similar.html", dir);
    if (s == STATUS_OK && (!path || !similar))
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the report");
    if (s == STATUS_OK) {
        html_index(&index, c, title, access(similar, F_OK) == 0); /* last: it links to pages that are there */
        s = html_write(path, &index, d);
    }
    arena_free(&a);
    return s;
}
