/* See watched.h. */
#include "grader/submission/watched.h"

#include "grader/core/sha256.h"

#include <string.h>

/* As random as SHA-256 is for who does not know the secret. */
static void draw_key(uint64_t secret, const char *digest, const Lab *lab, const LabCase *c,
                     unsigned char key[SHA256_BYTES])
{
    unsigned char number[8];
    for (int i = 0; i < 8; i++)
        number[i] = (unsigned char)(secret >> 8 * i);
    const char *texts[] = {"watched", digest, lab->lab, c->name};
    Sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, number, sizeof number);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sha256_add(&sum, texts[i], strlen(texts[i]) + 1);
    sha256_end(&sum, key);
}

typedef struct Draw {
    const Lab *lab;
    const bool *may;
    unsigned char (*keys)[SHA256_BYTES];
    size_t *ranks; /* of those that may be watched: most work first */
} Draw;

static bool key_is_less(const Draw *w, size_t a, size_t b)
{
    return memcmp(w->keys[a], w->keys[b], SHA256_BYTES) < 0;
}

static size_t rank_of(const Draw *w, size_t i)
{
    size_t rank = 0;
    for (size_t k = 0; k < w->lab->n_cases; k++) {
        int64_t more = w->lab->cases[k].min_ops, ops = w->lab->cases[i].min_ops;
        rank += w->may[k] && (more > ops || (more == ops && key_is_less(w, k, i)));
    }
    return rank;
}

/* Of its group the case with the least key. */
static bool is_drawn(const Draw *w, size_t i)
{
    for (size_t k = 0; k < w->lab->n_cases; k++)
        if (w->may[k] && w->ranks[k] / WATCHED_ONE_IN == w->ranks[i] / WATCHED_ONE_IN && key_is_less(w, k, i))
            return false;
    return w->may[i];
}

Status watched_draw(Arena *a, uint64_t secret, const char *digest, const Lab *lab, bool *watched, Diag *d)
{
    size_t n = lab->n_cases + 1;
    Draw w = {.lab = lab,
              .may = watched,
              .keys = arena_alloc(a, n * sizeof *w.keys),
              .ranks = ARENA_NEW_ARRAY(a, size_t, n)};
    bool *drawn = ARENA_NEW_ARRAY(a, bool, n);
    if (!w.keys || !w.ranks || !drawn)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to draw cases");
    for (size_t i = 0; i < lab->n_cases; i++)
        draw_key(secret, digest, lab, &lab->cases[i], w.keys[i]);
    for (size_t i = 0; i < lab->n_cases; i++)
        w.ranks[i] = rank_of(&w, i);
    for (size_t i = 0; i < lab->n_cases; i++)
        drawn[i] = is_drawn(&w, i);
    memcpy(watched, drawn, lab->n_cases * sizeof *drawn);
    return STATUS_OK;
}
