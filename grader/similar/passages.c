/* The passages that two submissions share: greedy tiling. The longest common stretch that begins with a run
 * that counts is taken first, its tokens are used up, and so on; what is given to all, or common, may stand
 * inside a stretch, but adds no token to what is shared. */
#include "grader/similar/similar_internal.h"

#include <stdlib.h>
#include <string.h>

/* A run of the second submission, to be found by its hash. */
typedef struct Place {
    uint64_t hash;
    size_t at;
} Place;

typedef struct Tiling {
    const Sample *first, *second;
    Place *places; /* runs of the second that count, by hash, then place */
    size_t n_places;
    bool *used_first, *used_second; /* tokens in a passage */
    SimilarPassage *passages;       /* malloc'd */
    size_t *starts;                 /* token of the first at which each passage begins */
    size_t n, cap, cap_starts;
} Tiling;

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The first place with this hash, n_places when there is none. */
static size_t find_place(const Tiling *t, uint64_t hash)
{
    size_t low = 0, high = t->n_places;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->places[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->n_places && t->places[low].hash == hash ? low : t->n_places;
}

/* Equal tokens from i and j on that no passage has yet. */
static size_t common_length(const Tiling *t, size_t i, size_t j)
{
    const Tokens *x = &t->first->tokens, *y = &t->second->tokens;
    size_t n = 0;
    while (i + n < x->n && j + n < y->n && x->items[i + n].code == y->items[j + n].code &&
           !t->used_first[i + n] && !t->used_second[j + n] && x->items[i + n].file == x->items[i].file &&
           y->items[j + n].file == y->items[j].file)
        n++;
    return n;
}

typedef struct Stretch {
    size_t i, j, length;
} Stretch;

/* The longest stretch left; of equals the first. */
static Stretch longest(const Tiling *t)
{
    Stretch best = {0};
    for (size_t i = 0; i < t->first->runs.n; i++) {
        if (!t->first->counts[i] || t->used_first[i])
            continue;
        uint64_t hash = t->first->runs.hashes[i];
        for (size_t p = find_place(t, hash); p < t->n_places && t->places[p].hash == hash; p++) {
            size_t n = common_length(t, i, t->places[p].at);
            if (n > best.length)
                best = (Stretch){i, t->places[p].at, n};
        }
    }
    return best;
}

static bool passages_keep(Tiling *t, Stretch s)
{
    memset(t->used_first + s.i, true, s.length);
    memset(t->used_second + s.j, true, s.length);
    if (!VEC_GROW(t->passages, t->n, t->cap) || !VEC_GROW(t->starts, t->n, t->cap_starts))
        return false;
    const Token *x = &t->first->tokens.items[s.i], *y = &t->second->tokens.items[s.j];
    size_t at = t->n++;
    while (at > 0 && t->starts[at - 1] > s.i) { /* in the first one's order */
        t->starts[at] = t->starts[at - 1];
        t->passages[at] = t->passages[at - 1];
        at--;
    }
    t->starts[at] = s.i;
    t->passages[at] = (SimilarPassage){.file = {x->file, y->file},
                                       .first = {x->line, y->line},
                                       .last = {x[s.length - 1].line, y[s.length - 1].line},
                                       .tokens = (int)s.length};
    return true;
}

static int count_both(const bool *used, const bool *own, size_t n)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += used[i] && own[i];
    return sum;
}

static bool tile(Tiling *t)
{
    for (size_t i = 0; i < t->second->runs.n; i++)
        if (t->second->counts[i])
            t->places[t->n_places++] = (Place){t->second->runs.hashes[i], i};
    if (t->n_places)
        qsort(t->places, t->n_places, sizeof *t->places, compare_places);
    for (Stretch s = longest(t); s.length >= SIMILAR_RUN; s = longest(t))
        if (!passages_keep(t, s))
            return false;
    return true;
}

Status passages_find(Arena *a, const Sample *first, const Sample *second, SimilarPair *pair, Diag *d)
{
    Tiling t = {.first = first,
                .second = second,
                .places = malloc((second->runs.n + 1) * sizeof(Place)),
                .used_first = calloc(first->tokens.n + 1, 1),
                .used_second = calloc(second->tokens.n + 1, 1)};
    bool fine = t.places && t.used_first && t.used_second && tile(&t);
    pair->passages = VEC_KEEP(a, t.passages, t.n);
    if (fine && pair->passages) {
        pair->n_passages = t.n;
        pair->shared[0] = count_both(t.used_first, first->own_tokens, first->tokens.n);
        pair->shared[1] = count_both(t.used_second, second->own_tokens, second->tokens.n);
    }
    free(t.places);
    free(t.used_first);
    free(t.used_second);
    free(t.starts);
    return fine && pair->passages ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
}
