/* items: see items.h. */
#include "grader/report/items.h"

#include "grader/report/report_internal.h"
#include "grader/text/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Status items_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the analysis");
}

/* Whether a result is one of somebody's work. */
static bool counts(const Result *r, const char *lab)
{
    return strcmp(r->lab, lab) == 0 && r->verdict != VERDICT_NOT_SUBMITTED && r->verdict != VERDICT_KIT_ERROR;
}

/* A case that a result lacks, because the build failed, gave no points. */
static double points_in(const Result *r, const char *name)
{
    const CaseResult *k = result_case(r, name);
    return k ? k->points : 0;
}

/* Pearson's r of the points in the case with those in the rest of the lab. */
static bool correlate(const ReportClass *c, const char *lab, const char *name, double *r)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        if (!counts(c->results[i], lab))
            continue;
        double own = points_in(c->results[i], name), rest = c->results[i]->score - own;
        n++;
        x += own;
        y += rest;
        xx += own * own;
        yy += rest * rest;
        xy += own * rest;
    }
    double vx = n * xx - x * x, vy = n * yy - y * y;
    if (n < ITEMS_LEAST || vx <= 1e-9 || vy <= 1e-9)
        return false;
    *r = (n * xy - x * y) / sqrt(vx * vy);
    return true;
}

static void judge_item(const ReportClass *c, const char *lab, const CaseResult *k, Item *item)
{
    double points = 0;
    *item = (Item){.name = k->name, .hidden = k->hidden, .max_points = k->max_points};
    for (size_t i = 0; i < c->n_results; i++) {
        if (!counts(c->results[i], lab))
            continue;
        const CaseResult *own = result_case(c->results[i], k->name);
        item->n++;
        item->n_passed += own && own->verdict == VERDICT_PASS;
        item->verdicts[own ? own->verdict : c->results[i]->verdict]++;
        points += own ? own->points : 0;
    }
    item->difficulty = item->n && k->max_points > 0 ? points / ((double)item->n * k->max_points) : 0;
    item->has_discrimination = correlate(c, lab, k->name, &item->discrimination);
}

/* Faults ------------------------------------------------------------------------------------------------ */

typedef struct Faults {
    ItemFault *items; /* malloc'd */
    size_t n, cap;
} Faults;

/* One student's fault, once. `seen` is where this student's faults begin to be counted: see add_result. */
static bool add_fault(Faults *list, bool *seen, size_t seen_max, const char *what, const char *file,
                      int64_t line, const char *text)
{
    size_t i = 0;
    while (i < list->n && !(strcmp(list->items[i].what, what) == 0 &&
                            strcmp(list->items[i].file, file) == 0 && list->items[i].line == line))
        i++;
    if (i == list->n && i < seen_max) {
        if (!VEC_GROW(list->items, list->n, list->cap))
            return false;
        list->items[list->n++] = (ItemFault){what, file, line, 0, text};
    }
    if (i < seen_max && !seen[i]) {
        seen[i] = true;
        list->items[i].n++;
    }
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum { FAULTS_MAX = 1000 };

/* Whether some finding of the result, with its line, leads to the verdict. */
static bool is_told(const Result *r, Verdict verdict)
{
    for (size_t i = 0; i < r->n_cases; i++)
        for (size_t j = 0; j < r->cases[i].n_findings; j++)
            if (!r->cases[i].findings[j].advice &&
                strcmp(r->cases[i].findings[j].verdict, verdict_word(verdict)) == 0)
                return true;
    return false;
}

static bool add_result(Arena *a, Faults *list, const Result *r)
{
    bool seen[FAULTS_MAX] = {false}, fine = true;
    Grade none = {0};
    ReportRemark *remarks;
    size_t n = 0;
    if (r->build_verdict != VERDICT_PASS) {
        fine = report_remarks(a, r, &none, false, &remarks, &n);
        const ReportRemark *first = NULL;
        for (size_t i = 0; i < n; i++)
            first = !first && remarks[i].bad ? &remarks[i] : first;
        return fine && add_fault(list, seen, FAULTS_MAX, verdict_word(r->build_verdict),
                                 first ? first->file : "", first ? first->line : 0, first ? first->text : "");
    }
    for (size_t i = 0; fine && i < r->n_cases; i++) {
        const CaseResult *k = &r->cases[i];
        bool told = is_told(r, k->verdict);
        for (size_t j = 0; fine && j < k->n_findings; j++) {
            const Finding *f = &k->findings[j];
            if (f->advice)
                continue;
            fine = add_fault(list, seen, FAULTS_MAX, f->kind, base_name(f->place.file), f->place.line, f->message);
        }
        if (fine && !told && k->verdict != VERDICT_PASS && k->verdict != VERDICT_INCONCLUSIVE)
            fine = add_fault(list, seen, FAULTS_MAX, verdict_word(k->verdict), "", 0,
                             k->lesson[0] ? k->lesson : k->message);
    }
    return fine;
}

static int compare_faults(const void *a, const void *b)
{
    const ItemFault *x = a, *y = b;
    int by_what = strcmp(x->what, y->what), by_file = strcmp(x->file, y->file);
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return by_what ? by_what : by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

static Status find_faults(Arena *a, const ReportClass *c, const char *lab, ItemAnalysis *items, Diag *d)
{
    Faults list = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < c->n_results; i++)
        fine = !counts(c->results[i], lab) || add_result(a, &list, c->results[i]);
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, compare_faults);
    items->faults = VEC_KEEP(a, list.items, list.n);
    items->n_faults = list.n;
    return fine && items->faults ? STATUS_OK : items_no_memory(d);
}

/* Attempts ------------------------------------------------------------------------------------------------
 */

static bool is_of_class(const ReportClass *c, const char *student)
{
    for (size_t i = 0; i < c->n_students; i++)
        if (strcmp(c->ids[i], student) == 0)
            return true;
    return false;
}

/* The gradebook's attempts are in the order of students, labs, and time. */
static Status find_trend(Arena *a, const ReportClass *c, const GradebookAttempt *attempts, size_t n,
                         ItemAnalysis *items, Diag *d)
{
    size_t k = 0;
    const GradebookAttempt *before = NULL;
    items->attempts = ARENA_NEW_ARRAY(a, ItemAttempt, n + 1);
    if (!items->attempts)
        return items_no_memory(d);
    for (size_t i = 0; i < n; i++) {
        const GradebookAttempt *t = &attempts[i];
        if (strcmp(t->lab, items->lab) != 0 || t->verdict == VERDICT_NOT_SUBMITTED ||
            !is_of_class(c, t->student))
            continue;
        k = before && strcmp(before->student, t->student) == 0 ? k + 1 : 0;
        before = t;
        ItemAttempt *x = &items->attempts[k];
        x->n++;
        x->n_passed += t->verdict == VERDICT_PASS;
        x->mean += t->max_score > 0 ? t->score / t->max_score : 0;
        items->n_attempts = k + 1 > items->n_attempts ? k + 1 : items->n_attempts;
    }
    for (size_t i = 0; i < items->n_attempts; i++)
        items->attempts[i].mean /= (double)items->attempts[i].n;
    return STATUS_OK;
}

Status report_items(Arena *a, const ReportClass *c, const char *lab, const GradebookAttempt *attempts,
                    size_t n, ItemAnalysis *items, Diag *d)
{
    const Result *r = report_longest_result(c, lab);
    *items = (ItemAnalysis){.lab = lab, .n_students = c->n_students, .n_items = r ? r->n_cases : 0};
    items->items = ARENA_NEW_ARRAY(a, Item, items->n_items + 1);
    if (!items->items)
        return items_no_memory(d);
    for (size_t i = 0; i < c->n_results; i++)
        items->n_submitted += counts(c->results[i], lab);
    for (size_t i = 0; i < items->n_items; i++)
        judge_item(c, lab, &r->cases[i], &items->items[i]);
    Status s = find_faults(a, c, lab, items, d);
    return s == STATUS_OK ? find_trend(a, c, attempts, n, items, d) : s;
}

/* Monday's list -------------------------------------------------------------------------------------------
 */

static int percent(size_t n, size_t of)
{
    return of ? (int)lround(100.0 * (double)n / (double)of) : 0;
}

/* A fault that a fifth of the class shares, three at least; a case that most fail; a case that tells the
 * wrong way. */
bool report_items_talk(Arena *a, const ItemAnalysis *x, const char ***sentences, size_t *n)
{
    *n = 0;
    *sentences = ARENA_NEW_ARRAY(a, const char *, ITEMS_SHOWN + 2 * x->n_items + 1);
    bool fine = *sentences;
    for (size_t i = 0; fine && i < x->n_faults && i < ITEMS_SHOWN; i++) {
        const ItemFault *f = &x->faults[i];
        if (f->n < 3 || 5 * f->n < x->n_submitted)
            break;
        const char *where =
            f->line > 0 ? arena_printf(a, ", most often at %s:%lld", f->file, (long long)f->line) : "";
        (*sentences)[*n] =
            arena_printf(a, "%s: %zu of %zu%s%s%.*s", f->what, f->n, x->n_submitted, where ? where : "",
                         f->text[0] ? ": " : "", (int)strcspn(f->text, "\n"), f->text);
        fine = (*sentences)[(*n)++];
    }
    for (size_t i = 0; fine && i < x->n_items; i++) {
        const Item *k = &x->items[i];
        if (k->n && 2 * k->n_passed < k->n) {
            (*sentences)[*n] = arena_printf(a, "case %s: %d %% fail it, most often for %s", k->name,
                                            100 - percent(k->n_passed, k->n),
                                            verdict_word(report_usual_failure(k->verdicts)));
            fine = (*sentences)[(*n)++];
        }
        if (fine && k->has_discrimination && k->discrimination < 0) {
            (*sentences)[*n] =
                arena_printf(a, "case %s: those who do well elsewhere fail it (r = %.2f): look at the case",
                             k->name, k->discrimination);
            fine = (*sentences)[(*n)++];
        }
    }
    return fine;
}

/* Text ----------------------------------------------------------------------------------------------------
 */

static void put_line(StrBuf *out, const char *text)
{
    escape_terminal(out, text, strlen(text));
}

static void put_items(StrBuf *out, const ItemAnalysis *x)
{
    strbuf_puts(out, "  passed  difficulty  discrimination  case\n");
    for (size_t i = 0; i < x->n_items; i++) {
        const Item *k = &x->items[i];
        strbuf_printf(out, "  %3d %%   %10.2f  ", percent(k->n_passed, k->n), k->difficulty);
        if (k->has_discrimination)
            strbuf_printf(out, "%14.2f  ", k->discrimination);
        else
            strbuf_printf(out, "%14s  ", "-");
        put_line(out, k->name);
        strbuf_puts(out, k->hidden ? " (hidden)\n" : "\n");
    }
}

void report_items_text(StrBuf *out, const ItemAnalysis *x)
{
    Arena a = {0};
    const char **talk;
    size_t n;
    put_line(out, x->lab);
    strbuf_printf(out, ": %zu of %zu handed in\n", x->n_submitted, x->n_students);
    put_items(out, x);
    for (size_t i = 0; i < x->n_faults && i < ITEMS_SHOWN; i++) {
        const ItemFault *f = &x->faults[i];
        strbuf_printf(out, "  %zu ×  ", f->n);
        put_line(out, f->what);
        if (f->line > 0) {
            strbuf_puts(out, " ");
            put_line(out, f->file);
            strbuf_printf(out, ":%lld", (long long)f->line);
        }
        strbuf_puts(out, "\n");
    }
    for (size_t i = 0; i < x->n_attempts; i++)
        strbuf_printf(out, "  attempt %zu: %zu students, %d %% of the points, %zu passed\n", i + 1,
                      x->attempts[i].n, (int)lround(100 * x->attempts[i].mean), x->attempts[i].n_passed);
    if (!report_items_talk(&a, x, &talk, &n))
        out->failed = true;
    strbuf_puts(out, !out->failed && n ? "  talk about this:\n" : "");
    for (size_t i = 0; !out->failed && i < n; i++) {
        strbuf_puts(out, "  - ");
        put_line(out, talk[i]);
        strbuf_puts(out, "\n");
    }
    arena_free(&a);
}

void report_items_csv(StrBuf *out, const ItemAnalysis *x, bool head)
{
    if (head)
        strbuf_puts(
            out,
            "lab,case,visibility,max_points,submissions,passed,difficulty,discrimination,most_often\r\n");
    for (size_t i = 0; i < x->n_items; i++) {
        const Item *k = &x->items[i];
        escape_csv(out, x->lab, strlen(x->lab));
        strbuf_puts(out, ",");
        escape_csv(out, k->name, strlen(k->name));
        strbuf_printf(out, ",%s,", k->hidden ? "hidden" : "public");
        report_points(out, k->max_points);
        strbuf_printf(out, ",%zu,%zu,%.4f,", k->n, k->n_passed, k->difficulty);
        if (k->has_discrimination)
            strbuf_printf(out, "%.4f", k->discrimination);
        Verdict usual = report_usual_failure(k->verdicts);
        strbuf_printf(out, ",%s\r\n", usual == VERDICT_PASS ? "" : verdict_word(usual));
    }
}

/* Pages ------------------------------------------------------------------------------------------------- */

enum { PLOT_LEFT = 34, PLOT_SIDE = 150, PLOT_TOP = 12 };

static void put_axis_text(StrBuf *out, double x, double y, const char *class, const char *text)
{
    strbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>", x, y, class, text);
}

/* Each case as a dot: how hard it is from left to right, what it tells from below upwards; its number beside
 * it. */
static void put_map(StrBuf *out, const ItemAnalysis *x)
{
    strbuf_printf(
        out,
        "<figure><figcaption>Difficulty and discrimination</figcaption><svg class=\"items\" viewBox=\"0 0 "
        "%d %d\" role=\"img\" aria-label=\"Cases by difficulty and discrimination; the table below has the "
        "numbers\">",
        PLOT_LEFT + PLOT_SIDE + 12, PLOT_TOP + PLOT_SIDE + 24);
    strbuf_printf(
        out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
        PLOT_LEFT, PLOT_TOP, PLOT_LEFT, PLOT_TOP + PLOT_SIDE, PLOT_LEFT, PLOT_TOP + PLOT_SIDE / 2,
        PLOT_LEFT + PLOT_SIDE, PLOT_TOP + PLOT_SIDE / 2);
    put_axis_text(out, PLOT_LEFT - 4, PLOT_TOP + 4, " class=\"end\"", "1");
    put_axis_text(out, PLOT_LEFT - 4, PLOT_TOP + PLOT_SIDE / 2 + 4, " class=\"end\"", "0");
    put_axis_text(out, PLOT_LEFT - 4, PLOT_TOP + PLOT_SIDE, " class=\"end\"", "-1");
    put_axis_text(out, PLOT_LEFT, PLOT_TOP + PLOT_SIDE + 14, " class=\"start\"", "hard");
    put_axis_text(out, PLOT_LEFT + PLOT_SIDE, PLOT_TOP + PLOT_SIDE + 14, " class=\"end\"", "easy");
    for (size_t i = 0; i < x->n_items; i++) {
        const Item *k = &x->items[i];
        if (!k->has_discrimination)
            continue;
        double px = PLOT_LEFT + PLOT_SIDE * k->difficulty,
               py = PLOT_TOP + PLOT_SIDE * (1 - k->discrimination) / 2;
        strbuf_printf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/><text x=\"%.1f\" y=\"%.1f\" class=\"start\">%zu</text>",
            px, py, px + 4, py - 3, i + 1);
    }
    strbuf_puts(out, "</svg></figure>\n");
}

static void put_trend(StrBuf *out, const ItemAnalysis *x)
{
    enum { STEP = 34, HEIGHT = 80 };
    if (x->n_attempts < 2)
        return;
    size_t n = x->n_attempts < 10 ? x->n_attempts : 10;
    strbuf_printf(
        out,
        "<figure><figcaption>Points over attempts</figcaption><svg class=\"items\" viewBox=\"0 0 %zu %d\" "
        "role=\"img\" aria-label=\"Mean share of the points: ",
        n * STEP < 200 ? (size_t)200 : n * STEP, HEIGHT + 36);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%sattempt %zu %d %%", i ? ", " : "", i + 1,
                      (int)lround(100 * x->attempts[i].mean));
    strbuf_puts(out, "\">");
    for (size_t i = 0; i < n; i++) {
        double height = HEIGHT * x->attempts[i].mean;
        strbuf_printf(
            out,
            "<rect x=\"%zu\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/><text x=\"%zu\" y=\"%.1f\">%d %%</text>"
            "<text x=\"%zu\" y=\"%d\">%zu × %zu</text>",
            i * STEP + 4, 14 + HEIGHT - height, STEP - 8, height, i * STEP + STEP / 2, 11 + HEIGHT - height,
            (int)lround(100 * x->attempts[i].mean), i * STEP + STEP / 2, HEIGHT + 28, i + 1,
            x->attempts[i].n);
    }
    strbuf_puts(out, "</svg></figure>\n");
}

static void put_table(StrBuf *out, const ItemAnalysis *x)
{
    html_scroll(out, "Cases of", x->lab);
    strbuf_puts(
        out,
        "<table>\n<thead><tr><th scope=\"col\" class=\"num\">#</th><th "
        "scope=\"col\">Case</th>"
        "<th scope=\"col\" class=\"num\">Points</th><th scope=\"col\" class=\"num\">Passed by</th>"
        "<th scope=\"col\" class=\"num\">Difficulty</th><th scope=\"col\" class=\"num\">Discrimination</th>"
        "<th scope=\"col\">Who fails, most often for</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < x->n_items; i++) {
        const Item *k = &x->items[i];
        strbuf_printf(out, "<tr><td class=\"num\">%zu</td><th scope=\"row\">", i + 1);
        html_text(out, k->name);
        strbuf_puts(out, k->hidden ? " <span class=\"soft\">hidden</span></th><td class=\"num\">"
                                   : "</th><td class=\"num\">");
        report_points(out, k->max_points);
        strbuf_printf(out,
                      "</td><td class=\"num\">%zu of %zu</td><td class=\"num\">%.2f</td><td class=\"num\">",
                      k->n_passed, k->n, k->difficulty);
        if (k->has_discrimination)
            strbuf_printf(out, "%.2f", k->discrimination);
        else
            strbuf_puts(out, "–");
        strbuf_puts(out, "</td><td>");
        if (report_usual_failure(k->verdicts) != VERDICT_PASS)
            html_badge(out, report_usual_failure(k->verdicts));
        strbuf_puts(out, "</td></tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
}

static void put_faults(StrBuf *out, const ItemAnalysis *x)
{
    if (x->n_faults == 0)
        return;
    strbuf_puts(out, "<h4>What went wrong most often</h4>\n<ul>\n");
    for (size_t i = 0; i < x->n_faults && i < ITEMS_SHOWN; i++) {
        const ItemFault *f = &x->faults[i];
        strbuf_printf(out, "<li>%zu × <b>", f->n);
        html_text(out, f->what);
        strbuf_puts(out, "</b> ");
        if (f->line > 0) {
            strbuf_puts(out, "<code>");
            html_text(out, f->file);
            strbuf_printf(out, ":%lld</code> ", (long long)f->line);
        }
        escape_html(out, f->text, strcspn(f->text, "\n"));
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, "</ul>\n");
}

static void put_talk(StrBuf *out, const ItemAnalysis *x)
{
    Arena a = {0};
    const char **talk;
    size_t n;
    if (!report_items_talk(&a, x, &talk, &n))
        out->failed = true;
    for (size_t i = 0; !out->failed && i < n; i++) {
        strbuf_puts(out, i ? "<li>" : "<h4>Talk about this</h4>\n<ul class=\"talk\">\n<li>");
        html_text(out, talk[i]);
        strbuf_puts(out, i + 1 < n ? "</li>\n" : "</li>\n</ul>\n");
    }
    arena_free(&a);
}

void html_items(StrBuf *out, const ItemAnalysis *x)
{
    if (x->n_items == 0 || x->n_submitted == 0)
        return;
    strbuf_puts(out, "<details class=\"analysis\"><summary>Cases of ");
    html_text(out, x->lab);
    strbuf_puts(out, "</summary>\n");
    put_talk(out, x);
    put_table(out, x);
    strbuf_puts(out, "<div class=\"plots\">\n");
    put_map(out, x);
    put_trend(out, x);
    strbuf_puts(out, "</div>\n");
    put_faults(out, x);
    strbuf_puts(out, "</details>\n");
}
