/* Who waits at barriers. What changes of that is noted beside the steps, which say how much of it has happened: so it is told right
 * whatever steps are left out. */
#include "common/vgpu/film/film_internal.h"

#include "common/base/bits.h"

static bool is_same_place(const FilmWait *a, const FilmWait *b)
{
    return a->warp == b->warp && a->pc == b->pc && a->code == b->code;
}

/* The entry of a warp at a place from number `first` on, or NULL. */
static FilmWait *wait_at(const FilmWaits *list, size_t first, const FilmWait *place)
{
    for (size_t i = first; i < list->n; i++)
        if (is_same_place(&list->of[i], place))
            return &list->of[i];
    return NULL;
}

static FilmWait *append_wait(Film *f, FilmWaits *list, const FilmWait *w)
{
    if (!VEC_GROW(list->of, list->n, list->cap)) {
        f->no_memory = true;
        return NULL;
    }
    list->of[list->n] = *w;
    return &list->of[list->n++];
}

/* From now on the lanes `mask` of the warp wait there. Since the last step that was kept that is said once. */
static void note_wait(Film *f, FilmBlock *b, const FilmWait *w, uint32_t mask)
{
    FilmWait *noted = w->passes ? NULL : wait_at(&b->waits, b->n_told, w);
    if (!w->passes && !noted)
        noted = append_wait(f, &b->waits, w);
    if (noted)
        noted->mask = mask;
}

/* How many threads wait at a barrier; passed: or have come there. */
static uint32_t count_at(const FilmBlock *b, uint32_t id, bool passed)
{
    uint32_t lanes[EXEC_WARPS_MAX] = {0}, n = 0; /* who has passed may wait there, too */
    for (size_t i = 0; i < b->here.n; i++)
        if (b->here.of[i].id == id && (passed || !b->here.of[i].passes))
            lanes[b->here.of[i].warp % EXEC_WARPS_MAX] |= b->here.of[i].mask;
    for (uint32_t w = 0; w < EXEC_WARPS_MAX; w++)
        n += bits_count(lanes[w]);
    return n;
}

uint32_t film_have_passed(const FilmBlock *b, uint32_t warp, uint32_t id)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < b->here.n; i++)
        lanes |= b->here.of[i].warp == warp && b->here.of[i].id == id && b->here.of[i].passes ? b->here.of[i].mask : 0;
    return lanes;
}

uint32_t film_wait_arrive(Film *f, FilmBlock *b, const FilmWait *w)
{
    FilmWait *here = wait_at(&b->here, 0, w);
    if (here)
        here->mask |= w->mask;
    else
        here = append_wait(f, &b->here, w);
    if (here)
        note_wait(f, b, here, here->mask);
    return count_at(b, w->id, w->passes);
}

void film_wait_end(Film *f, FilmBlock *b, uint32_t id)
{
    size_t left = 0;
    for (size_t i = 0; i < b->here.n; i++)
        if (b->here.of[i].id == id)
            note_wait(f, b, &b->here.of[i], 0);
        else
            b->here.of[left++] = b->here.of[i];
    b->here.n = left;
}

void film_wait_end_part(Film *f, FilmBlock *b, const uint32_t *arrived, const uint32_t *waited, uint32_t n_warps)
{
    const FilmWait *found = NULL; /* who waits tells the number better than who has passed, and may have come to several */
    for (size_t i = 0; i < b->here.n; i++) {
        const FilmWait *w = &b->here.of[i];
        if (w->warp < n_warps && w->mask & (w->passes ? arrived : waited)[w->warp] && (!found || (found->passes && !w->passes)))
            found = w;
    }
    if (found)
        film_wait_end(f, b, found->id);
}

/* Those of numbers *from to end, a warp's at a place once, to number `to`: where they end. */
static size_t move_waits(FilmBlock *b, size_t *from, size_t end, size_t to)
{
    const size_t begin = to;
    for (; *from < end; ++*from) {
        const FilmWaits moved = {.of = b->waits.of, .n = to};
        FilmWait *same = wait_at(&moved, begin, &b->waits.of[*from]);
        if (same)
            same->mask = b->waits.of[*from].mask;
        else
            b->waits.of[to++] = b->waits.of[*from];
    }
    return to;
}

void film_thin_waits(FilmBlock *b)
{
    size_t from = 0, to = 0;
    for (size_t at = 0; at < b->n_bytes; at += film_step_at(b, at)->bytes) {
        FilmStep *s = (FilmStep *)(void *)(b->steps + at);
        to = move_waits(b, &from, s->n_waits, to);
        s->n_waits = (uint32_t)to;
    }
    b->n_told = to;
    b->waits.n = move_waits(b, &from, b->waits.n, to);
}
