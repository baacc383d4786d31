/* Pairs of submissions that share passages: a line each for a terminal, and a page with the passages side by
 * side. */
#include "grader/report/report_internal.h"

#include "grader/core/files.h"
#include "grader/text/escape.h"

#include <string.h>

static void put_name(StrBuf *out, const char *name)
{
    escape_terminal(out, name, strlen(name));
}

static void put_groups(StrBuf *out, const ReportSimilar *lab, const char *word, const SimilarGroup *groups,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        strbuf_printf(out, "  %s:", word);
        for (size_t k = 0; k < groups[i].n; k++) {
            strbuf_puts(out, " ");
            put_name(out, lab->works[groups[i].works[k]].who);
        }
        strbuf_puts(out, "\n");
    }
}

void report_similar(StrBuf *out, const ReportSimilar *labs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_name(out, labs[i].lab);
        strbuf_printf(out, ": %zu submission%s, %zu pair%s to look at\n", labs[i].n_works,
                      labs[i].n_works == 1 ? "" : "s", labs[i].n_pairs, labs[i].n_pairs == 1 ? "" : "s");
        put_groups(out, &labs[i], "identical", labs[i].identical, labs[i].n_identical);
        put_groups(out, &labs[i], "cluster", labs[i].clusters, labs[i].n_clusters);
        for (size_t k = 0; k < labs[i].n_pairs; k++) {
            const SimilarPair *p = &labs[i].pairs[k];
            strbuf_puts(out, "  ");
            put_name(out, labs[i].works[p->work[0]].who);
            strbuf_puts(out, " ");
            put_name(out, labs[i].works[p->work[1]].who);
            strbuf_printf(out, ": %d %% (%d of %d tokens, %d of %d)\n", p->percent, p->shared[0], p->own[0],
                          p->shared[1], p->own[1]);
        }
    }
}

/* Lines first to last of a text, counted from 1. */
static void put_passage_lines(StrBuf *out, const SimilarFile *file, int first, int last)
{
    const char *p = file->text, *end = file->text + file->length;
    for (int line = 1; p < end && line <= last; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t length = stop ? (size_t)(stop - p) : (size_t)(end - p);
        if (line >= first) {
            strbuf_printf(out, "%4d  ", line);
            escape_html(out, p, length);
            strbuf_puts(out, "\n");
        }
        p += length + (stop != NULL);
    }
}

/* The file's place, "s001, vector_add.cu, lines 10 to 31", and these lines. */
static void put_side(StrBuf *out, const SimilarWork *work, const SimilarPassage *p, int side)
{
    const SimilarFile *file = &work->files[p->file[side]];
    strbuf_puts(out, "<div><p class=\"soft\">");
    html_text(out, work->who);
    strbuf_puts(out, ", ");
    html_text(out, file->name);
    strbuf_printf(out, ", lines %d to %d</p>\n<pre tabindex=\"0\">", p->first[side], p->last[side]);
    put_passage_lines(out, file, p->first[side], p->last[side]);
    strbuf_puts(out, "</pre></div>\n");
}

static void put_pair(StrBuf *out, const ReportSimilar *lab, const SimilarPair *pair)
{
    const SimilarWork *x = &lab->works[pair->work[0]], *y = &lab->works[pair->work[1]];
    strbuf_puts(out, "<details><summary>");
    html_text(out, x->who);
    strbuf_puts(out, " and ");
    html_text(out, y->who);
    strbuf_printf(out, ": %d&#160;%% (%d of %d tokens, %d of %d)</summary>\n", pair->percent, pair->shared[0],
                  pair->own[0], pair->shared[1], pair->own[1]);
    for (size_t i = 0; i < pair->n_passages; i++) {
        strbuf_printf(out, "<h3>Passage of %d tokens</h3>\n<div class=\"beside\">\n",
                      pair->passages[i].tokens);
        put_side(out, x, &pair->passages[i], 0);
        put_side(out, y, &pair->passages[i], 1);
        strbuf_puts(out, "</div>\n");
    }
    strbuf_puts(out, "</details>\n");
}

/* A list of groups, a line each. */
static void put_group_list(StrBuf *out, const ReportSimilar *lab, const char *heading,
                           const SimilarGroup *groups, size_t n)
{
    if (!n)
        return;
    strbuf_printf(out, "<h3>%s</h3>\n<ul>\n", heading);
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, "<li>");
        for (size_t k = 0; k < groups[i].n; k++) {
            strbuf_puts(out, k ? ", " : "");
            html_text(out, lab->works[groups[i].works[k]].who);
        }
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, "</ul>\n");
}

static void put_page(StrBuf *out, const ReportSimilar *labs, size_t n, const char *title)
{
    html_begin(out, title, "Submissions that share passages", "index.html");
    strbuf_printf(
        out,
        "</header>\n<main>\n<p class=\"notice\">A pointer for a person, and no verdict: two people "
        "can come to "
        "the same code. Names, comments, layout and order do not count, nor does what students "
        "were given or what "
        "many have. A pair is listed from %d shared tokens of its own on. Submissions whose text is "
        "the same, names and comments too, stand on top; in a small lab even that can be chance.</p>\n",
        SIMILAR_TOKENS);
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(out, "<h2>");
        html_text(out, labs[i].lab);
        strbuf_printf(out, "</h2>\n<p>%zu submission%s, %zu pair%s to look at.</p>\n", labs[i].n_works,
                      labs[i].n_works == 1 ? "" : "s", labs[i].n_pairs, labs[i].n_pairs == 1 ? "" : "s");
        put_group_list(out, &labs[i], "The same text", labs[i].identical, labs[i].n_identical);
        put_group_list(out, &labs[i], "Clusters", labs[i].clusters, labs[i].n_clusters);
        for (size_t k = 0; k < labs[i].n_pairs; k++)
            put_pair(out, &labs[i], &labs[i].pairs[k]);
    }
    html_end(out);
}

Status report_similar_html(const ReportSimilar *labs, size_t n, const char *title, const char *dir, Diag *d)
{
    Arena a = {0};
    StrBuf page = {0};
    const char *path = arena_printf(&a, "%s/similar.html", dir);
    Status s = path ? dir_make(dir, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for a page");
    if (s == STATUS_OK) {
        put_page(&page, labs, n, title);
        s = html_write(path, &page, d);
    }
    arena_free(&a);
    return s;
}
