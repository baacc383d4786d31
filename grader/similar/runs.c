/* Hashes of runs of tokens, and sets of them. */
#include "grader/similar/similar_internal.h"

#include <stdlib.h>

/* A polynomial over the codes, then mixed: neighbours' hashes must look unrelated, as the least of a window
 * is chosen. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94D049BB133111EB);
    return h ^ (h >> 31);
}

Status runs_make(const Tokens *tokens, Runs *runs, Diag *d)
{
    *runs = (Runs){0};
    if (tokens->n < SIMILAR_RUN)
        return STATUS_OK;
    runs->n = tokens->n - SIMILAR_RUN + 1;
    runs->hashes = malloc(runs->n * sizeof *runs->hashes);
    if (!runs->hashes)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
    for (size_t i = 0; i < runs->n; i++) {
        uint64_t h = 0;
        for (size_t k = 0; k < SIMILAR_RUN; k++)
            h = h * UINT64_C(0x100000001B3) + tokens->items[i + k].code;
        runs->hashes[i] = mix(h);
    }
    return STATUS_OK;
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void hash_set_finish(HashSet *set)
{
    size_t kept = 0;
    if (set->n)
        qsort(set->items, set->n, sizeof *set->items, compare_hashes);
    for (size_t i = 0; i < set->n; i++)
        if (kept == 0 || set->items[kept - 1] != set->items[i])
            set->items[kept++] = set->items[i];
    set->n = kept;
}

bool hash_set_has(const HashSet *set, uint64_t hash)
{
    return set->n && bsearch(&hash, set->items, set->n, sizeof hash, compare_hashes);
}
