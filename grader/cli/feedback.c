/* grade feedback: a page for each student, under the names that Canvas's and Moodle's upload of many files
 * take; or mails as files, which any program can send. */
#include "grader/archive/feedback.h"
#include "grader/cli/sources.h"
#include "grader/core/files.h"
#include "grader/report/report.h"
#include "grader/text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "grade feedback --out DIR --labs NAME --layout canvas|moodle|mail --to FILE.zip|DIR";

/* Mails -------------------------------------------------------------------------------------------------- */

/* One address, nothing in it that could begin another header or another address. */
static bool is_address(const char *text)
{
    const char *at = strchr(text, '@');
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7F || strchr("<>,;:\"()[]\\", *p))
            return false;
    return at && at > text && at[1] && !strchr(at + 1, '@') && strlen(text) < 255;
}

/* RFC 5322 and 2045: the page as HTML, in base64, so that no line of it can be a header or a boundary. */
static void put_mail(StrBuf *out, const char *address, const char *lab, const StrBuf *page)
{
    enum { LINE = 57 }; /* bytes: 76 characters */
    strbuf_printf(out,
                  "To: %s\r\nSubject: Feedback: %s\r\nMIME-Version: 1.0\r\n"
                  "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
                  address, lab);
    for (size_t i = 0; i < page->length; i += LINE) {
        strbuf_base64(out, page->text + i, page->length - i < LINE ? page->length - i : LINE);
        strbuf_puts(out, "\r\n");
    }
}

static Status write_mail(Arena *a, const char *dir, const char *student, const char *address, const char *lab,
                         const StrBuf *page, Diag *d)
{
    StrBuf name = {0}, mail = {0};
    escape_file_name(&name, student, strlen(student));
    put_mail(&mail, address, lab, page);
    const char *path = name.failed ? NULL : arena_printf(a, "%s/%s.eml", dir, name.text);
    Status s = path && !mail.failed ? file_write_atomic(path, mail.text, mail.length, d)
                                    : diag_set(d, STATUS_NO_MEMORY, "no memory for a mail");
    strbuf_free(&name);
    strbuf_free(&mail);
    return s;
}

/* Of a class -----------------------------------------------------------------------------------------------
 */

typedef struct Feedback {
    const Options *o;
    const ReportClass *c;
    const ReportFinder *finder;
    FeedbackPage *pages; /* of each student who has a result; html is malloc'd */
    size_t n;
} Feedback;

static Status make_pages(Arena *a, Feedback *f, Diag *d)
{
    f->pages = ARENA_NEW_ARRAY(a, FeedbackPage, f->c->n_results + 1);
    Status s = f->pages ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the feedback");
    for (size_t i = 0; s == STATUS_OK && i < f->c->n_results; i++) {
        StrBuf page = {0};
        s = report_student_page(f->c, f->c->results[i], f->finder, &page, d);
        f->pages[f->n++] = (FeedbackPage){f->c->results[i]->student, page.text, page.length, NULL};
    }
    return s;
}

static void free_pages(const Feedback *f)
{
    for (size_t i = 0; i < f->n; i++)
        free((char *)f->pages[i].html);
}

static void say_left(const char *student, const char *why)
{
    StrBuf line = {0};
    strbuf_puts(&line, "no feedback for ");
    report_plain(&line, student, strlen(student));
    strbuf_printf(&line, ": %s\n", why);
    strbuf_print(&line, stderr);
}

static Status write_mails(Arena *a, const Feedback *f, size_t *n, Diag *d)
{
    Status s = dir_make(f->o->to, d);
    for (size_t i = 0; s == STATUS_OK && i < f->n; i++) {
        const RosterRow *row = roster_row(f->c->roster, f->pages[i].student);
        const char *address = row ? row->cells[ROSTER_EMAIL] : "";
        if (!is_address(address)) {
            say_left(f->pages[i].student,
                     address[0] ? "the roster's e-mail address is none" : "the roster has no e-mail address");
            continue;
        }
        StrBuf page = {.text = (char *)f->pages[i].html, .length = f->pages[i].length};
        s = write_mail(a, f->o->to, f->pages[i].student, address, f->c->labs[0], &page, d);
        *n += s == STATUS_OK;
    }
    return s;
}

static Status write_zip(Arena *a, const Feedback *f, bool canvas, size_t *n, Diag *d)
{
    Status s = canvas ? feedback_name_canvas(a, f->o->from, f->c->roster, f->pages, f->n, d)
                      : feedback_name_moodle(a, f->c->roster, f->pages, f->n, d);
    for (size_t i = 0; s == STATUS_OK && i < f->n; i++) {
        *n += f->pages[i].path != NULL;
        if (!f->pages[i].path)
            say_left(f->pages[i].student,
                     canvas ? "the download has no file of theirs, and Canvas takes feedback to files only"
                            : "the roster has no participant's number (moodle)");
    }
    if (s == STATUS_OK && *n == 0)
        return diag_set(d, STATUS_NOT_FOUND, "there is nobody whom the system would find");
    return s == STATUS_OK ? feedback_write_zip(f->o->to, f->pages, f->n, d) : s;
}

static Status check_feedback_options(const Options *o, Diag *d)
{
    static const char *const layouts[] = {"canvas", "moodle", "mail"};
    size_t i = 0;
    while (o->layout && i < 3 && strcmp(layouts[i], o->layout) != 0)
        i++;
    if (!o->layout || i == 3) {
        diag_set(d, STATUS_INVALID,
                 o->layout ? "--layout: there is no feedback for %s" : "--layout must be given", o->layout);
        cli_hint_nearest(d, o->layout ? o->layout : "", layouts, 3, usage);
        return STATUS_INVALID;
    }
    if (!o->to) {
        diag_set(d, STATUS_INVALID, "--to must be given");
        diag_hint(d, "%s", usage);
        return STATUS_INVALID;
    }
    if (strcmp(o->layout, "canvas") == 0 && !o->from) {
        diag_set(d, STATUS_INVALID, "--layout canvas needs --from");
        diag_hint(d, "the download of submissions (submissions.zip): Canvas finds a student by the numbers "
                     "in its names");
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

static Status give(Arena *a, const Options *o, const ReportClass *c, size_t *n, Diag *d)
{
    Sources sources = {0};
    Feedback f = {.o = o, .c = c};
    Status s = STATUS_OK;
    if (c->n_labs != 1) {
        s = diag_set(d, STATUS_INVALID, "feedback is of one lab, and %zu are chosen", c->n_labs);
        diag_hint(d, "choose one by --labs");
    }
    if (s == STATUS_OK && o->submissions)
        s = sources_open(a, o->submissions, c, &sources, d);
    f.finder = o->submissions ? &sources.finder : NULL;
    if (s == STATUS_OK)
        s = make_pages(a, &f, d);
    if (s == STATUS_OK)
        s = strcmp(o->layout, "mail") == 0 ? write_mails(a, &f, n, d)
                                           : write_zip(a, &f, strcmp(o->layout, "canvas") == 0, n, d);
    free_pages(&f);
    sources_close(&sources);
    return s;
}

int cli_feedback(Arena *a, const Options *o)
{
    Gradebook *book = NULL;
    ReportClass *c = NULL;
    Diag d;
    size_t n = 0;
    Status s = check_feedback_options(o, &d);
    if (s == STATUS_OK)
        s = cli_load_class(a, o, &book, &c, &d);
    if (s == STATUS_OK)
        s = give(a, o, c, &n, &d);
    if (s == STATUS_OK)
        printf("%s: feedback for %zu student%s\n", o->to, n, n == 1 ? "" : "s");
    report_class_free(c);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
