/* similar: see similar.h. */
#include "grader/similar/similar.h"

#include "grader/similar/similar_internal.h"

#include <stdlib.h>
#include <string.h>

/* A hash chosen by winnowing, and whose it is. */
typedef struct Print {
    uint64_t hash;
    uint32_t work;
} Print;

typedef struct Finder {
    Sample *samples;
    size_t n;
    HashSet given;
    Print *prints; /* all works' chosen hashes */
    size_t n_prints, cap_prints;
    uint16_t *met; /* n x n: prints that two works share */
    SimilarSettings settings;
    Diag *d;
} Finder;

static Status finder_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
}

/* Samples ----------------------------------------------------------------------------------------------- */

static Status make_sample(const SimilarFile *files, size_t n_files, Sample *s, Diag *d)
{
    Status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_files; i++)
        status = tokens_read(&s->tokens, &files[i], (uint32_t)i, d);
    if (status == STATUS_OK)
        status = runs_make(&s->tokens, &s->runs, d);
    s->counts = malloc(s->runs.n + 1);
    s->own_tokens = malloc(s->tokens.n + 1);
    return status == STATUS_OK && !(s->counts && s->own_tokens) ? finder_no_memory(d) : status;
}

static void free_sample(Sample *s)
{
    free(s->tokens.items);
    free(s->runs.hashes);
    free(s->counts);
    free(s->own_tokens);
}

/* What students were given: every run of it. */
static Status read_given(Finder *f, const SimilarFile *given, size_t n_given)
{
    Sample s = {0};
    Status status = make_sample(given, n_given, &s, f->d);
    f->given = (HashSet){s.runs.hashes, s.runs.n};
    s.runs.hashes = NULL;
    free_sample(&s);
    hash_set_finish(&f->given);
    return status;
}

/* Marks which runs are the student's own. */
static void mark_own(const Finder *f, Sample *s)
{
    for (size_t i = 0; i < s->runs.n; i++)
        s->counts[i] = !hash_set_has(&f->given, s->runs.hashes[i]);
}

/* Marks and counts the tokens that stand in no run that everybody may have: where functions changed places,
 * the runs across their ends are new, and yet nothing there is the student's own. */
static void mark_tokens(Sample *s)
{
    memset(s->own_tokens, true, s->tokens.n);
    for (size_t i = 0; i < s->runs.n; i++)
        if (!s->counts[i])
            memset(s->own_tokens + i, false, SIMILAR_RUN);
    for (size_t i = 0; i < s->tokens.n; i++)
        s->own += s->own_tokens[i];
}

/* Winnowing -----------------------------------------------------------------------------------------------
 */

/* Of each window of own runs the least hash, the last of equals; each place once. */
static Status choose_prints(Finder *f, uint32_t work)
{
    const Sample *s = &f->samples[work];
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < s->runs.n; i++) {
        size_t best = SIZE_MAX, end = i + SIMILAR_WINDOW < s->runs.n ? i + SIMILAR_WINDOW : s->runs.n;
        for (size_t k = i; k < end; k++)
            if (s->counts[k] && (best == SIZE_MAX || s->runs.hashes[k] <= s->runs.hashes[best]))
                best = k;
        if (best == SIZE_MAX || best == last)
            continue;
        last = best;
        if (!VEC_GROW(f->prints, f->n_prints, f->cap_prints))
            return finder_no_memory(f->d);
        f->prints[f->n_prints++] = (Print){s->runs.hashes[best], work};
    }
    return STATUS_OK;
}

static int compare_prints(const void *a, const void *b)
{
    const Print *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->work > y->work) - (x->work < y->work);
}

/* Leaves each print once for each work. */
static void sort_prints(Finder *f)
{
    size_t kept = 0;
    if (f->n_prints)
        qsort(f->prints, f->n_prints, sizeof *f->prints, compare_prints);
    for (size_t i = 0; i < f->n_prints; i++)
        if (kept == 0 || compare_prints(&f->prints[kept - 1], &f->prints[i]) != 0)
            f->prints[kept++] = f->prints[i];
    f->n_prints = kept;
}

/* Common knowledge -----------------------------------------------------------------------------------------
 */

/* Every run of every work that more works have than may: sorted, each once. */
static Status find_common(const Finder *f, size_t allowed, HashSet *common)
{
    size_t total = 0, n = 0;
    for (size_t w = 0; w < f->n; w++)
        total += f->samples[w].runs.n;
    Print *all = malloc((total + 1) * sizeof *all);
    common->items = malloc((total + 1) * sizeof *common->items);
    common->n = 0;
    if (!all || !common->items) {
        free(all);
        return finder_no_memory(f->d);
    }
    for (size_t w = 0; w < f->n; w++)
        for (size_t i = 0; i < f->samples[w].runs.n; i++)
            all[n++] = (Print){f->samples[w].runs.hashes[i], (uint32_t)w};
    if (n)
        qsort(all, n, sizeof *all, compare_prints);
    for (size_t i = 0, end; i < n; i = end) {
        size_t n_works = 0;
        for (end = i; end < n && all[end].hash == all[i].hash; end++)
            n_works += end == i || all[end].work != all[end - 1].work;
        if (n_works > allowed)
            common->items[common->n++] = all[i].hash;
    }
    free(all);
    return STATUS_OK;
}

static Status drop_common(Finder *f)
{
    HashSet common;
    size_t allowed = f->settings.common > 0      ? (size_t)f->settings.common
                     : f->n / 3 > SIMILAR_COMMON ? f->n / 3
                                                 : SIMILAR_COMMON;
    Status s = find_common(f, allowed, &common);
    for (size_t w = 0; s == STATUS_OK && w < f->n; w++) {
        for (size_t i = 0; i < f->samples[w].runs.n; i++)
            if (hash_set_has(&common, f->samples[w].runs.hashes[i]))
                f->samples[w].counts[i] = false;
        mark_tokens(&f->samples[w]);
    }
    free(common.items);
    return s;
}

/* Pairs
 * ------------------------------------------------------------------------------------------------------ */

static void meet_fingerprints(Finder *f)
{
    for (size_t i = 0, end; i < f->n_prints; i = end) {
        for (end = i; end < f->n_prints && f->prints[end].hash == f->prints[i].hash; end++) {
        }
        for (size_t x = i; x < end; x++)
            for (size_t y = x + 1; y < end; y++) {
                uint16_t *met = &f->met[f->prints[x].work * f->n + f->prints[y].work];
                *met = *met < UINT16_MAX ? (uint16_t)(*met + 1) : *met;
            }
    }
}

/* Whether two works share enough to be listed; fills the pair. */
static Status judge_pair(const Finder *f, Arena *a, size_t x, size_t y, SimilarPair *pair, bool *listed)
{
    const Sample *first = &f->samples[x], *second = &f->samples[y];
    *pair = (SimilarPair){.work = {x, y}, .own = {first->own, second->own}};
    Status s = passages_find(a, first, second, pair, f->d);
    int least = pair->shared[0] < pair->shared[1] ? pair->shared[0] : pair->shared[1],
        own = first->own + second->own;
    pair->percent = own > 0 ? 100 * (pair->shared[0] + pair->shared[1]) / own : 0;
    *listed = s == STATUS_OK && least >= SIMILAR_TOKENS &&
              pair->percent >= (f->settings.percent ? f->settings.percent : SIMILAR_PERCENT);
    return s;
}

static int compare_pairs(const void *a, const void *b)
{
    const SimilarPair *x = a, *y = b;
    if (x->percent != y->percent)
        return x->percent > y->percent ? -1 : 1;
    if (x->work[0] != y->work[0])
        return x->work[0] > y->work[0] ? 1 : -1;
    return (x->work[1] > y->work[1]) - (x->work[1] < y->work[1]);
}

static Status list_pairs(Finder *f, Arena *a, SimilarPair **pairs, size_t *n_pairs)
{
    SimilarPair *list = NULL;
    size_t cap = 0;
    Status s = STATUS_OK;
    for (size_t x = 0; s == STATUS_OK && x < f->n; x++) {
        for (size_t y = x + 1; s == STATUS_OK && y < f->n; y++) {
            bool listed = false;
            if (f->met[x * f->n + y] < 2)
                continue;
            if (!VEC_GROW(list, *n_pairs, cap))
                s = finder_no_memory(f->d);
            else
                s = judge_pair(f, a, x, y, &list[*n_pairs], &listed);
            *n_pairs += s == STATUS_OK && listed;
        }
    }
    if (*n_pairs)
        qsort(list, *n_pairs, sizeof *list, compare_pairs);
    *pairs = ARENA_NEW_ARRAY(a, SimilarPair, *n_pairs + 1);
    if (*pairs && *n_pairs)
        memcpy(*pairs, list, *n_pairs * sizeof *list);
    free(list);
    return s == STATUS_OK && !*pairs ? finder_no_memory(f->d) : s;
}

static Status find_passages(Finder *f, Arena *a, const SimilarWork *works, const SimilarFile *given,
                            size_t n_given, SimilarPair **pairs, size_t *n_pairs)
{
    Status s = read_given(f, given, n_given);
    for (size_t i = 0; s == STATUS_OK && i < f->n; i++) {
        s = make_sample(works[i].files, works[i].n_files, &f->samples[i], f->d);
        if (s == STATUS_OK)
            mark_own(f, &f->samples[i]);
    }
    if (s == STATUS_OK)
        s = drop_common(f);
    for (size_t i = 0; s == STATUS_OK && i < f->n; i++)
        s = choose_prints(f, (uint32_t)i);
    if (s != STATUS_OK)
        return s;
    sort_prints(f);
    meet_fingerprints(f);
    return list_pairs(f, a, pairs, n_pairs);
}

Status similar_find(Arena *a, const SimilarWork *works, size_t n, const SimilarFile *given, size_t n_given,
                    const SimilarSettings *settings, SimilarPair **pairs, size_t *n_pairs, Diag *d)
{
    *pairs = NULL;
    *n_pairs = 0;
    if (n > SIMILAR_WORKS_MAX)
        return diag_set(d, STATUS_LIMIT, "%zu submissions are too many to compare: %d are allowed", n,
                        SIMILAR_WORKS_MAX);
    Finder f = {.n = n, .settings = *settings, .d = d};
    f.samples = calloc(n + 1, sizeof *f.samples);
    f.met = calloc(n * n + 1, sizeof *f.met);
    Status s = f.samples && f.met ? find_passages(&f, a, works, given, n_given, pairs, n_pairs)
                                  : finder_no_memory(d);
    for (size_t i = 0; f.samples && i < n; i++)
        free_sample(&f.samples[i]);
    free(f.samples);
    free(f.met);
    free(f.given.items);
    free(f.prints);
    return s;
}
