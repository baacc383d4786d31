/* A block's steps, and how they become fewer when there is no more room: of each instruction of each warp every second, fourth,
 * eighth... turn is kept, the first one always. What is rare so keeps all its steps, and long loops lose most. What a step that goes
 * says of registers and variables goes over to the warp's next step that stays, unless that says it anew; the next step that comes says
 * it where none is left. */
#include "common/vgpu/film/film_internal.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY_MAX = 1 << 20 };

/* Faults are what the film is for. */
bool film_is_kept(const FilmBlock *b, const FilmStep *s)
{
    return s->turn % b->every == 0 || s->event == FILM_FAULT;
}

/* What steps of a warp that went have left. */
typedef struct Carried {
    const FilmHeld **held;
    size_t n, cap;
} Carried;

static bool is_same(const FilmHeld *a, const FilmHeld *b)
{
    return a->key == b->key && a->code == b->code;
}

/* What a later step says is what counts. */
static bool carry(Carried *c, const FilmStep *s)
{
    const void *end = (const uint8_t *)s + s->bytes;
    for (const FilmHeld *h = film_held(s); (const void *)h < end; h = film_next_held(h)) {
        size_t i = 0;
        while (i < c->n && !is_same(c->held[i], h))
            i++;
        if (i == c->n && !VEC_GROW(c->held, c->n, c->cap))
            return false;
        c->n += i == c->n;
        c->held[i] = h;
    }
    return true;
}

static bool says(const FilmStep *s, const FilmHeld *what)
{
    const void *end = (const uint8_t *)s + s->bytes;
    for (const FilmHeld *h = film_held(s); (const void *)h < end; h = film_next_held(h))
        if (is_same(h, what))
            return true;
    return false;
}

/* The step at `to`, with what was carried to it: how many bytes. */
static size_t put_kept(uint8_t *to, const FilmStep *s, Carried *c)
{
    FilmStep copy = *s;
    size_t n = s->bytes;
    memcpy(to, s, n);
    for (size_t i = 0; i < c->n; i++) {
        if (says(s, c->held[i]))
            continue;
        memcpy(to + n, c->held[i], film_held_bytes(c->held[i]));
        n += film_held_bytes(c->held[i]);
    }
    copy.held_bytes += (uint32_t)(n - s->bytes);
    copy.bytes = (uint32_t)n;
    memcpy(to, &copy, sizeof copy);
    c->n = 0;
    return n;
}

static void leave(Film *f, FilmBlock *b, uint32_t warp, Carried *c, bool ok)
{
    for (size_t i = 0; ok && i < c->n; i++)
        film_mark_again(f, b, warp, c->held[i]);
    free(c->held);
}

bool film_thin(Film *f, FilmBlock *b)
{
    Carried carried[EXEC_WARPS_MAX] = {{0}};
    uint8_t *thinner = b->every < EVERY_MAX ? malloc(b->cap + 1) : NULL;
    bool ok = thinner != NULL;
    size_t to = 0;
    uint64_t kept = 0;
    b->every *= ok ? 2 : 1;
    for (size_t at = 0; ok && at < b->n_bytes; at += film_step_at(b, at)->bytes) {
        const FilmStep *s = film_step_at(b, at);
        Carried *c = &carried[s->warp % EXEC_WARPS_MAX];
        if (!film_is_kept(b, s)) {
            ok = carry(c, s);
            continue;
        }
        to += put_kept(thinner + to, s, c);
        kept++;
    }
    for (uint32_t i = 0; i < EXEC_WARPS_MAX; i++)
        leave(f, b, i, &carried[i], ok);
    if (!ok) {
        free(thinner);
        return false;
    }
    free(b->steps);
    b->steps = thinner;
    b->n_bytes = to;
    b->kept = kept;
    film_thin_waits(b);
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

void film_keep(Film *f, FilmBlock *b, const FilmStep *s, const FilmRun *runs, const uint8_t *values)
{
    if (!film_block_grow(b, b->n_bytes + s->bytes)) {
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
    if (s->held_bytes)
        memcpy(to + s->bytes - s->held_bytes, f->held, s->held_bytes);
    b->n_bytes += s->bytes;
    b->kept++;
    while (b->n_bytes > f->options.block_bytes)
        if (!film_thin(f, b)) {
            b->n_bytes -= s->bytes;
            b->kept--;
            b->cut = true;
            return;
        }
}
