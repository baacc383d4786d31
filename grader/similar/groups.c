/* Submissions that are the same text, and submissions that pairs join to clusters. */
#include "grader/similar/similar.h"

#include <stdlib.h>
#include <string.h>

/* The next character that counts: line ends and blanks before them do not. */
static int next_char(const char **p, const char *end)
{
    while (*p < end && strchr(" \t\r\n", **p)) {
        const char *q = *p;
        while (q < end && strchr(" \t\r", *q))
            q++;
        if (q < end && *q != '\n')
            return (unsigned char)*(*p)++; /* a blank inside a line */
        *p = q < end ? q + 1 : end;
    }
    return *p < end ? (unsigned char)*(*p)++ : -1;
}

static bool same_text(const SimilarFile *x, const SimilarFile *y)
{
    const char *p = x->text, *q = y->text, *p_end = p + x->length, *q_end = q + y->length;
    for (int c, e;;) {
        c = next_char(&p, p_end);
        e = next_char(&q, q_end);
        if (c != e || c < 0)
            return c == e;
    }
}

static bool same_work(const SimilarWork *x, const SimilarWork *y)
{
    if (x->n_files != y->n_files)
        return false;
    for (size_t i = 0; i < x->n_files; i++)
        if (strcmp(x->files[i].name, y->files[i].name) != 0 || !same_text(&x->files[i], &y->files[i]))
            return false;
    return true;
}

/* Whether every file of the work is one that was given, or empty. */
static bool is_given(const SimilarWork *w, const SimilarFile *given, size_t n_given)
{
    static const SimilarFile nothing = {"", "", 0};
    for (size_t i = 0; i < w->n_files; i++) {
        bool found = same_text(&w->files[i], &nothing);
        for (size_t k = 0; k < n_given && !found; k++)
            found = same_text(&w->files[i], &given[k]);
        if (!found)
            return false;
    }
    return true;
}

/* Groups by a label of each work, the first work's index; those of two and more, in the order of their first.
 */
static Status list_groups(Arena *a, const size_t *label, size_t n, size_t least, SimilarGroup **groups,
                          size_t *n_groups, Diag *d)
{
    *groups = ARENA_NEW_ARRAY(a, SimilarGroup, n + 1);
    *n_groups = 0;
    for (size_t i = 0; *groups && i < n; i++) {
        SimilarGroup g = {ARENA_NEW_ARRAY(a, size_t, n + 1), 0};
        for (size_t k = i; g.works && label[i] == i && k < n; k++)
            if (label[k] == i)
                g.works[g.n++] = k;
        if (!g.works)
            *groups = NULL;
        else if (g.n >= least)
            (*groups)[(*n_groups)++] = g;
    }
    return *groups ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
}

Status similar_identical(Arena *a, const SimilarWork *works, size_t n, const SimilarFile *given,
                         size_t n_given, SimilarGroup **groups, size_t *n_groups, Diag *d)
{
    size_t *label = malloc((n + 1) * sizeof *label);
    if (!label)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
    for (size_t i = 0; i < n; i++) {
        label[i] = i;
        for (size_t k = 0; k < i && label[i] == i; k++)
            if (label[k] == k && same_work(&works[k], &works[i]))
                label[i] = k;
    }
    for (size_t i = 0; i < n; i++) /* what was given is nobody's: each stays alone */
        if (label[i] != i && is_given(&works[i], given, n_given))
            label[i] = i;
    Status s = list_groups(a, label, n, 2, groups, n_groups, d);
    free(label);
    return s;
}

/* Gives the members of the group of `from` the label of the group of `to`; the least index stands for a
 * group. */
static void join(size_t *label, size_t n, size_t one, size_t other)
{
    size_t to = label[one] < label[other] ? label[one] : label[other];
    size_t from = label[one] < label[other] ? label[other] : label[one];
    for (size_t i = 0; i < n; i++)
        if (label[i] == from)
            label[i] = to;
}

Status similar_clusters(Arena *a, size_t n, const SimilarPair *pairs, size_t n_pairs,
                        const SimilarGroup *identical, size_t n_identical, SimilarGroup **clusters,
                        size_t *n_clusters, Diag *d)
{
    size_t *label = malloc((n + 1) * sizeof *label);
    if (!label)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
    for (size_t i = 0; i < n; i++)
        label[i] = i;
    for (size_t i = 0; i < n_pairs; i++)
        join(label, n, pairs[i].work[0], pairs[i].work[1]);
    for (size_t i = 0; n_pairs && i < n_identical; i++)
        for (size_t k = 1; k < identical[i].n; k++)
            join(label, n, identical[i].works[0], identical[i].works[k]);
    Status s = list_groups(a, label, n_pairs ? n : 0, 3, clusters, n_clusters, d);
    free(label);
    return s;
}
