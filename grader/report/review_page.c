/* review_page: see review_page.h. */
#include "grader/report/review_page.h"

#include "grader/core/when.h"
#include "grader/report/report_internal.h"

#include <ctype.h>
#include <string.h>

const char REVIEW_JS[] = "(function () {\n"
                         "'use strict';\n"
                         "function one(id) { return document.getElementById(id); }\n"
                         "var line = one('line'), file = one('file'), text = one('text');\n"
                         "document.addEventListener('click', function (e) {\n"
                         "  var cell = e.target.closest ? e.target.closest('.source td.num') : null;\n"
                         "  if (!cell || !line || !cell.textContent) return;\n"
                         "  line.value = cell.textContent;\n"
                         "  file.value = cell.closest('table').getAttribute('data-file');\n"
                         "  text.focus();\n"
                         "});\n"
                         "var keys = {n: 'next-student', p: 'previous-student', ']': 'next-lab', '[': "
                         "'previous-lab', i: 'to-index', "
                         "u: 'undo'};\n"
                         "var fields = {c: 'text', a: 'adjust-points', r: 'item-text'};\n"
                         "document.addEventListener('keydown', function (e) {\n"
                         "  var inside = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);\n"
                         "  if (e.key === 'Escape' && inside) { e.target.blur(); return; }\n"
                         "  if (e.key === 'Enter' && e.ctrlKey && inside && e.target.form) { "
                         "e.target.form.requestSubmit(); return; }\n"
                         "  if (inside || e.ctrlKey || e.altKey || e.metaKey) return;\n"
                         "  var target = one(keys[e.key]), field = one(fields[e.key]);\n"
                         "  if (/^[1-9]$/.test(e.key)) target = one('item-' + e.key);\n"
                         "  if (target) { e.preventDefault(); target.click(); }\n"
                         "  if (field) { e.preventDefault(); field.focus(); }\n"
                         "});\n"
                         "})();\n";

static const char CSS[] = "form{margin:.6rem 0}form.inline{display:inline}label{display:block;margin:.35rem "
                          "0 0;color:var(--soft);font-size:.9rem}"
                          "label.beside{display:inline-block;margin-right:.75rem}"
                          "input,select,textarea,button{font:inherit;color:inherit;background:var(--card);"
                          "border:1px solid var(--soft);"
                          "border-radius:.4rem;padding:.25rem "
                          ".5rem;max-width:100%}textarea{display:block;width:100%;min-height:4.5rem}"
                          "button{cursor:pointer;background:var(--none-bg)}button:focus-visible,input:focus-"
                          "visible,textarea:focus-visible,"
                          "select:focus-visible{outline:2px solid var(--link);outline-offset:1px}"
                          ".columns{display:grid;grid-template-columns:minmax(0,3fr) "
                          "minmax(18rem,2fr);gap:1.25rem;align-items:start}"
                          "@media(max-width:60rem){.columns{grid-template-columns:minmax(0,1fr)}}"
                          ".source td.num{cursor:pointer}main,header,footer{max-width:96rem}nav "
                          "a{margin-right:1rem}kbd{font:inherit;border:1px solid "
                          "var(--line);border-radius:.3rem;padding:0 .3rem}.log "
                          "li{overflow-wrap:anywhere}.remark b{margin-right:.4rem}\n";

/* Pages ------------------------------------------------------------------------------------------------ */

/* script: a page of one sentence has none, and may be shown to who may not fetch it. */
static void begin_page(StrBuf *out, const char *heading, bool script)
{
    strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    html_text(out, heading);
    strbuf_puts(out, " · Review</title>\n<style>\n");
    strbuf_puts(out, REPORT_CSS);
    strbuf_puts(out, CSS);
    strbuf_puts(out, script ? "</style>\n<script src=\"/review.js\" defer></script>\n" : "</style>\n");
    strbuf_puts(out, "</head>\n<body>\n<header>\n<p class=\"over\">Review</p>\n<h1>");
    html_text(out, heading);
    strbuf_puts(out, "</h1>\n");
}

static void end_page(StrBuf *out)
{
    strbuf_puts(out, "</main>\n</body>\n</html>\n");
}

static void put_encoded(StrBuf *out, const char *text)
{
    for (; *text; text++) {
        if (isalnum((unsigned char)*text) || strchr("-_.", *text))
            strbuf_append(out, text, 1);
        else
            strbuf_printf(out, "%%%02X", (unsigned char)*text);
    }
}

void review_put_url(StrBuf *out, const char *student, const char *lab)
{
    strbuf_puts(out, "/s?student=");
    put_encoded(out, student);
    strbuf_puts(out, "&lab=");
    put_encoded(out, lab);
}

static void put_link(StrBuf *out, const char *id, const char *student, const char *lab, const char *text)
{
    StrBuf url = {0};
    review_put_url(&url, student, lab);
    strbuf_puts(out, "<a");
    if (id)
        strbuf_printf(out, " id=\"%s\"", id);
    strbuf_puts(out, " href=\"");
    html_text(out, url.text ? url.text : "");
    strbuf_puts(out, "\">");
    html_text(out, text);
    strbuf_puts(out, "</a>");
    strbuf_free(&url);
}

static void put_case_link(StrBuf *out, const char *lab, const char *name, const char *text)
{
    StrBuf url = {0};
    strbuf_puts(&url, "/case?lab=");
    put_encoded(&url, lab);
    if (name) {
        strbuf_puts(&url, "&case=");
        put_encoded(&url, name);
    }
    strbuf_puts(out, "<a href=\"");
    html_text(out, url.text ? url.text : "");
    strbuf_puts(out, "\">");
    html_text(out, text);
    strbuf_puts(out, "</a>");
    strbuf_free(&url);
}

void review_put_message(StrBuf *out, const char *heading, const char *text, const char *link)
{
    begin_page(out, heading, false);
    strbuf_puts(out, "</header>\n<main>\n<p class=\"notice\">");
    html_text(out, text);
    strbuf_puts(out, "</p>\n");
    if (link) {
        strbuf_puts(out, "<p><a href=\"");
        html_text(out, link);
        strbuf_puts(out, "\">Go on</a></p>\n");
    }
    end_page(out);
}

/* The class -------------------------------------------------------------------------------------------- */

void review_put_index(StrBuf *out, const ReportClass *c)
{
    begin_page(out, "The class", true);
    strbuf_puts(out,
                "</header>\n<main>\n");
    html_scroll(out, "The class", NULL);
    strbuf_puts(out,
                "<table id=\"class-table\">\n<caption>A cell leads to its submission, a lab to all "
                "of its submissions.</caption>\n<thead><tr><th scope=\"col\">Student</th>");
    for (size_t i = 0; i < c->n_labs; i++) {
        strbuf_puts(out, "<th scope=\"col\">");
        put_case_link(out, c->labs[i], NULL, c->labs[i]);
        strbuf_puts(out, "</th>");
    }
    strbuf_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t s = 0; s < c->n_students; s++) {
        strbuf_puts(out, "<tr><th scope=\"row\">");
        html_text(out, c->students[s]);
        strbuf_puts(out, " <span class=\"soft\">");
        html_text(out, report_student_name(c, c->students[s]));
        strbuf_puts(out, "</span></th>");
        for (size_t i = 0; i < c->n_labs; i++) {
            const Result *r = report_class_find(c, c->students[s], c->labs[i]);
            strbuf_puts(out, "<td>");
            if (r) {
                html_badge(out, r->verdict);
                StrBuf points = {0};
                report_counting(&points, report_class_counting(c, r->student, r->lab), r->max_score);
                strbuf_puts(out, " ");
                put_link(out, NULL, r->student, r->lab, points.text ? points.text : "");
                strbuf_free(&points);
            }
            strbuf_puts(out, "</td>");
        }
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
    end_page(out);
}

/* One case across the class ----------------------------------------------------------------------------- */

static void put_case_names(StrBuf *out, const ReportClass *c, const char *lab)
{
    const Result *longest = report_longest_result(c, lab);
    strbuf_puts(out, "<p>Cases: ");
    for (size_t i = 0; longest && i < longest->n_cases; i++) {
        strbuf_puts(out, i ? ", " : "");
        put_case_link(out, lab, longest->cases[i].name, longest->cases[i].name);
    }
    strbuf_puts(out, "</p>\n");
}

void review_put_case(StrBuf *out, const ReportClass *c, const char *lab, const char *name)
{
    begin_page(out, name ? name : lab, true);
    strbuf_puts(out, "<nav><a id=\"to-index\" href=\"/\">The class</a>");
    if (name)
        put_case_link(out, lab, NULL, lab);
    strbuf_puts(out, "</nav>\n</header>\n<main>\n");
    put_case_names(out, c, lab);
    for (size_t i = 0; i < c->n_results; i++) {
        const Result *r = c->results[i];
        if (strcmp(r->lab, lab) != 0)
            continue;
        const CaseResult *k = result_case(r, name);
        strbuf_puts(out, "<section class=\"case\"><header><h2>");
        put_link(out, NULL, r->student, lab, r->student);
        strbuf_puts(out, "</h2>");
        html_badge(out, k ? k->verdict : r->verdict);
        strbuf_puts(out, "<span class=\"pts\">");
        if (k)
            report_score(out, k->points, k->max_points);
        else
            report_counting(out, report_class_counting(c, r->student, lab), r->max_score);
        strbuf_puts(out, "</span></header>\n");
        if (k && k->message[0]) {
            strbuf_puts(out, "<pre>");
            html_text(out, k->message);
            strbuf_puts(out, "</pre>");
        }
        strbuf_puts(out, "</section>\n");
    }
    end_page(out);
}

/* A submission ------------------------------------------------------------------------------------------ */

static void put_hidden(StrBuf *out, const char *name, const char *value)
{
    strbuf_printf(out, "<input type=\"hidden\" name=\"%s\" value=\"", name);
    html_text(out, value);
    strbuf_puts(out, "\">");
}

/* A form's beginning: what it does, and for whom. `seen` is the last change that this page shows. */
static void begin_form(StrBuf *out, const ReviewPage *p, const char *act, bool in_line)
{
    int64_t seen = 0;
    for (size_t i = 0; i < p->n_changes; i++)
        seen = p->changes[i].id > seen ? p->changes[i].id : seen;
    strbuf_printf(out, "<form method=\"post\" action=\"/act\"%s>", in_line ? " class=\"inline\"" : "");
    put_hidden(out, "act", act);
    put_hidden(out, "student", p->student);
    put_hidden(out, "lab", p->lab);
    strbuf_printf(out, "<input type=\"hidden\" name=\"seen\" value=\"%lld\">", (long long)seen);
}

static void put_comment_form(StrBuf *out, const ReviewPage *p)
{
    strbuf_puts(out, "<h2>Comment</h2>\n");
    begin_form(out, p, "comment", false);
    strbuf_puts(
        out,
        "<label for=\"text\">What the student reads <kbd>c</kbd></label><textarea id=\"text\" name=\"text\" "
        "required "
        "maxlength=\"8000\"></textarea>\n<label class=\"beside\">at line <input id=\"line\" name=\"line\" "
        "inputmode=\"numeric\" pattern=\"[0-9]*\" size=\"5\"></label><label class=\"beside\">of <select "
        "id=\"file\" name=\"file\">");
    for (size_t i = 0; i < p->files->n; i++) {
        strbuf_puts(out, "<option>");
        html_text(out, p->files->files[i].name);
        strbuf_puts(out, "</option>");
    }
    strbuf_puts(out, "</select></label>\n<label class=\"beside\"><input type=\"checkbox\" name=\"private\" "
                     "value=\"yes\"> a note, not for the "
                     "student</label>\n<p><button id=\"send-comment\">Comment</button></p></form>\n");
}

static void put_adjust_form(StrBuf *out, const ReviewPage *p)
{
    strbuf_puts(out, "<h2>Points</h2>\n");
    begin_form(out, p, "adjust", false);
    strbuf_puts(out, "<label class=\"beside\">Points <kbd>a</kbd> <input id=\"adjust-points\" "
                     "name=\"points\" required inputmode=\"decimal\" "
                     "size=\"6\"></label><label class=\"beside\"><input type=\"checkbox\" name=\"set\" "
                     "value=\"yes\"> instead of the "
                     "grader's</label>\n<label for=\"why\">Reason</label><input id=\"why\" name=\"why\" "
                     "required maxlength=\"8000\">\n"
                     "<p><button id=\"send-points\">Adjust</button></p></form>\n");
}

static void put_rubric(StrBuf *out, const ReviewPage *p)
{
    strbuf_puts(out, "<h2>Rubric</h2>\n<ol id=\"rubric\">\n");
    for (size_t i = 0; i < p->n_rubric; i++) {
        strbuf_puts(out, "<li>");
        begin_form(out, p, "item", true);
        strbuf_printf(out, "<input type=\"hidden\" name=\"change\" value=\"%lld\"><button",
                      (long long)p->rubric[i].id);
        if (i < 9)
            strbuf_printf(out, " id=\"item-%zu\"", i + 1);
        strbuf_puts(out, p->rubric[i].value > 0 ? ">+" : ">");
        report_points(out, p->rubric[i].value);
        strbuf_puts(out, " ");
        html_text(out, p->rubric[i].text);
        strbuf_puts(out, "</button></form></li>\n");
    }
    strbuf_puts(out, "</ol>\n");
    begin_form(out, p, "define", false);
    strbuf_puts(out, "<label class=\"beside\">New item <kbd>r</kbd> <input id=\"item-text\" name=\"text\" "
                     "required maxlength=\"1000\"></label>"
                     "<label class=\"beside\">points <input id=\"item-points\" name=\"points\" required "
                     "inputmode=\"decimal\" size=\"6\"></label>"
                     "<button id=\"send-item\">Define</button></form>\n");
}

static void put_log(StrBuf *out, const ReviewPage *p)
{
    if (!p->n_changes)
        return;
    strbuf_puts(out, "<h2>Log</h2>\n<ul class=\"log\" id=\"log\">\n");
    for (size_t i = 0; i < p->n_changes; i++) {
        const GradebookChange *c = &p->changes[i];
        char at[WHEN_TEXT];
        when_format(c->at, at);
        strbuf_printf(out, "<li>%s ", change_word(c->kind));
        if (c->kind == CHANGE_ADJUST || c->kind == CHANGE_SCORE)
            report_points(out, c->value);
        strbuf_puts(out, " ");
        html_text(out, c->text[0] ? c->text : c->why);
        strbuf_puts(out, " <span class=\"soft\">");
        html_text(out, c->who);
        strbuf_printf(out, ", %s</span> ", at);
        begin_form(out, p, "withdraw", true);
        strbuf_printf(out,
                      "<input type=\"hidden\" name=\"change\" value=\"%lld\"><button%s aria-label=\"take "
                      "back change %lld\">take "
                      "back</button></form></li>\n",
                      (long long)c->id, i + 1 == p->n_changes ? " id=\"undo\"" : "", (long long)c->id);
    }
    strbuf_puts(out, "</ul>\n");
}

static size_t index_of(const char *const *list, size_t n, const char *text)
{
    size_t i = 0;
    while (i < n && strcmp(list[i], text) != 0)
        i++;
    return i;
}

static void put_nav(StrBuf *out, const ReviewPage *p)
{
    const ReportClass *c = p->c;
    size_t lab = index_of(c->labs, c->n_labs, p->lab);
    const char *next = report_class_neighbour(c, p->student, p->lab, 1),
               *before = report_class_neighbour(c, p->student, p->lab, -1);
    strbuf_puts(out, "<nav><a id=\"to-index\" href=\"/\">The class</a>");
    put_case_link(out, p->lab, NULL, p->lab);
    if (before)
        put_link(out, "previous-student", before, p->lab, "← previous student (p)");
    if (next)
        put_link(out, "next-student", next, p->lab, "next student (n) →");
    if (lab > 0)
        put_link(out, "previous-lab", p->student, c->labs[lab - 1], "previous lab ([)");
    if (lab + 1 < c->n_labs)
        put_link(out, "next-lab", p->student, c->labs[lab + 1], "next lab (])");
    strbuf_puts(out, "</nav>\n");
}

void review_put_submission(StrBuf *out, const ReviewPage *p)
{
    const Result *r = report_class_find(p->c, p->student, p->lab);
    const Grade *g = report_class_grade(p->c, p->student, p->lab);
    StrBuf heading = {0};
    const char *name = report_student_name(p->c, p->student);
    strbuf_printf(&heading, "%s%s%s: %s", p->student, name[0] ? " " : "", name, p->lab);
    begin_page(out, heading.text ? heading.text : "", true);
    strbuf_free(&heading);
    put_nav(out, p);
    strbuf_puts(out, "</header>\n<main>\n");
    if (p->said) {
        strbuf_printf(out, "<p id=\"said\" role=\"%s\" class=\"notice\">", p->bad ? "alert" : "status");
        html_text(out, p->said);
        strbuf_puts(out, "</p>\n");
    }
    strbuf_puts(out, "<p id=\"points-now\">");
    html_badge(out, r->verdict);
    strbuf_puts(out, " ");
    report_counting(out, grade_that_counts(g), r->max_score);
    strbuf_puts(out, "</p>\n<div class=\"columns\">\n<div>\n");
    html_sources(out, p->files, r, g, false);
    html_grade(out, r, g, false);
    html_outcome(out, r);
    strbuf_puts(out, "</div>\n<div>\n");
    put_comment_form(out, p);
    put_adjust_form(out, p);
    put_rubric(out, p);
    put_log(out, p);
    strbuf_puts(out, "<p class=\"soft\">Keys: <kbd>n</kbd> <kbd>p</kbd> student, <kbd>]</kbd> <kbd>[</kbd> "
                     "lab, <kbd>c</kbd> comment, "
                     "<kbd>a</kbd> points, <kbd>1</kbd>–<kbd>9</kbd> rubric, <kbd>u</kbd> undo, <kbd>i</kbd> "
                     "class, <kbd>Ctrl</kbd>+<kbd>Enter</kbd> "
                     "sends, <kbd>Esc</kbd> leaves a field.</p>\n</div>\n</div>\n");
    end_page(out);
}
