/* Records: see record.h. */
#include "common/vgpu/check/record.h"

#include <stdlib.h>

/* Numbers that may be given out before all cells have to be cleared. */
#define NUMBERS_MAX (UINT32_MAX >> LANE_BITS)

bool record_store_init(RecordStore *s)
{
    s->chunks = calloc(RECORDS_MAX / RECORD_CHUNK, sizeof *s->chunks);
    s->base = s->next = 1;
    s->limit = RECORDS_MAX;
    return s->chunks != NULL;
}

void record_store_free(RecordStore *s)
{
    for (size_t i = 0; s->chunks && i < RECORDS_MAX / RECORD_CHUNK && s->chunks[i]; i++)
        free(s->chunks[i]);
    free(s->chunks);
    *s = (RecordStore){0};
}

void record_store_reset(RecordStore *s)
{
    s->base = s->next = 1;
}

bool record_store_forget(RecordStore *s)
{
    s->base = s->next;
    return s->base < NUMBERS_MAX - RECORDS_MAX - 1;
}

/* Makes sure that there is a chunk for number s->base + i, and for all before it: freeing stops at a hole. */
static bool record_prepare_chunk(RecordStore *s, uint32_t i, pthread_mutex_t *lock)
{
    bool ok = true;
    if (lock)
        pthread_mutex_lock(lock);
    uint32_t from = i / RECORD_CHUNK;
    while (from > 0 && !s->chunks[from - 1])
        from--;
    for (uint32_t k = from; ok && k <= i / RECORD_CHUNK; k++)
        if (!s->chunks[k])
            ok = (s->chunks[k] = malloc(RECORD_CHUNK * sizeof(Record))) != NULL;
    if (lock)
        pthread_mutex_unlock(lock);
    return ok;
}

static bool take_numbers(RecordStore *s, RecordMaker *m, uint32_t piece, pthread_mutex_t *lock)
{
    uint32_t first = lock ? __atomic_fetch_add(&s->next, piece, __ATOMIC_RELAXED) : s->next;
    if (piece > s->limit || first - s->base > s->limit - piece) {
        if (lock)
            __atomic_fetch_sub(&s->next, piece, __ATOMIC_RELAXED);
        return false;
    }
    if (!lock)
        s->next += piece;
    if (!record_prepare_chunk(s, first - s->base + piece - 1, lock))
        return false;
    m->next = first;
    m->end = first + piece;
    return true;
}

static bool is_same(const Record *a, const Record *b)
{
    return a->place == b->place && a->block == b->block && a->interval == b->interval &&
           a->epoch == b->epoch && a->first_thread == b->first_thread && a->flags == b->flags &&
           a->bytes == b->bytes && a->space == b->space;
}

uint32_t record_make(RecordStore *s, RecordMaker *m, const Record *like, uint32_t piece,
                     pthread_mutex_t *lock)
{
    uint32_t *cached = &m->cache[(like->place * 7 + like->first_thread / WARP_LANES) % RECORD_CACHE];
    if (*cached >= s->base && *cached < m->end && is_same(record_of(s, cell_of(*cached, 0)), like))
        return *cached;
    if ((m->next == m->end || m->next < s->base) && !take_numbers(s, m, piece, lock))
        return 0;
    uint32_t number = m->next++;
    uint32_t i = number - s->base;
    s->chunks[i / RECORD_CHUNK][i % RECORD_CHUNK] = *like;
    *cached = number;
    return number;
}
