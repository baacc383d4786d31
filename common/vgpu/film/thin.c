/* A block's steps, and how they become fewer when there is no more room: of each instruction of each warp every second, fourth,
 * eighth... turn is kept, the first one always. What is rare so keeps all its steps, and long loops lose most. */
#include "common/vgpu/film/film_internal.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY_MAX = 1 << 20 };

/* Faults are what the film is for. */
static bool is_kept(const FilmBlock *b, const FilmStep *s)
{
    return s->turn % b->every == 0 || s->event == FILM_FAULT;
}

bool film_thin(FilmBlock *b)
{
    if (b->every >= EVERY_MAX)
        return false;
    b->every *= 2;
    size_t to = 0;
    uint64_t kept = 0;
    for (size_t at = 0, bytes; at < b->n_bytes; at += bytes) {
        bytes = film_step_at(b, at)->bytes;
        if (!is_kept(b, film_step_at(b, at)))
            continue;
        memmove(b->steps + to, b->steps + at, bytes);
        to += bytes;
        kept++;
    }
    b->n_bytes = to;
    b->kept = kept;
    return true;
}

static bool film_block_grow(FilmBlock *b, size_t needed)
{
    if (needed <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap * 2 : 4096;
    while (cap < needed)
        cap *= 2;
    uint8_t *grown = realloc(b->steps, cap);
    if (!grown)
        return false;
    b->steps = grown;
    b->cap = cap;
    return true;
}

void film_keep(FilmBlock *b, const FilmStep *s, const FilmRun *runs, const uint8_t *values, size_t room)
{
    if (!is_kept(b, s))
        return;
    while (b->n_bytes + s->bytes > room && film_thin(b)) {
    }
    if (!is_kept(b, s))
        return;
    if (b->n_bytes + s->bytes > room || !film_block_grow(b, b->n_bytes + s->bytes)) {
        b->cut = true;
        return;
    }
    uint8_t *to = b->steps + b->n_bytes;
    memset(to, 0, s->bytes);
    memcpy(to, s, sizeof *s);
    if (s->n_runs)
        memcpy(to + sizeof *s, runs, s->n_runs * sizeof *runs);
    if (s->n_values)
        memcpy(to + sizeof *s + s->n_runs * sizeof *runs, values, (size_t)s->n_values * s->n_value_bytes);
    b->n_bytes += s->bytes;
    b->kept++;
}
