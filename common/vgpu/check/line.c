/* A line of shadow memory: checking an access against the entries that are there, and keeping what later
 * accesses need.
 *
 * What is kept. A write checks all entries on its bytes, then replaces them: they are before it, or have just
 * been reported. An atomic whose result is used replaces the atomics before it: it has seen what they made,
 * so they come before it. Reads pile up beside one another, as do reductions (atomics without a result), but
 * two of different threads say as much as twenty: a third of the same block between two barriers is dropped,
 * and in global memory so are all of what two different blocks have done. This loses no race unless
 * publications order some of them and not others.
 *
 * Two threads that write one same value are advice. The checker sees the value that is about to be written,
 * and memory still holds the one before.
 */
#include "common/vgpu/check/race_internal.h"

#include <string.h>

enum {
    ENTRIES_FIRST = 2,
    ENTRIES_MAX = 1024, /* of a line; what comes after is not kept, and the launch says so */
};

/* ---- reports ---- */

/* True when the lane writes what its bytes hold already. */
static bool writes_same(const ExecAccess *a, unsigned lane)
{
    if (a->kind != ACCESS_STORE || !a->n_values)
        return false;
    const uint8_t *at =
        a->host ? a->host[lane] : a->host0 + (a->addr[lane] - a->addr[__builtin_ctz(a->mask)]);
    size_t bytes = a->bytes / a->n_values;
    for (size_t k = 0; k < a->n_values; k++)
        if (memcmp(at + k * bytes, a->value[k] + lane * a->value_stride, bytes) != 0)
            return false;
    return true;
}

/* Which of the two is named first: the one that writes, the one that is not atomic, the one whose place comes
 * first. So that a pair of places is one finding, whoever came first. */
static bool is_named_first(const Entry *a, const Entry *b)
{
    if ((a->access == ACCESS_LOAD) != (b->access == ACCESS_LOAD))
        return b->access == ACCESS_LOAD;
    if ((a->access == ACCESS_STORE) != (b->access == ACCESS_STORE))
        return a->access == ACCESS_STORE;
    return a->place <= b->place;
}

void race_note(RaceAccess *r, FindingKind kind, const Entry *old, unsigned byte, uint64_t count)
{
    bool now_first = is_named_first(&r->entry, old);
    const Entry *first = now_first ? &r->entry : old, *second = now_first ? old : &r->entry;
    NoteKey key = {.kind = (uint8_t)kind,
                   .space = r->a->space,
                   .access = first->access,
                   .other_access = second->access,
                   .place = first->place,
                   .other = second->place};
    Note *n = check_note(r->e, &key, thread_of(first, byte), count);
    if (!n)
        return;
    n->block = first->block;
    n->address = r->line_addr + byte;
    n->bytes = first->bytes;
    n->other_block = second->block;
    n->other_thread = thread_of(second, byte);
    n->has_alloc = r->alloc != NULL;
    if (r->alloc)
        n->alloc = *r->alloc;
}

/* The two entries meet on the bytes of `both`, and one of them writes. */
static void check_pair(RaceAccess *r, const Entry *old, Mask both)
{
    const Entry *now = &r->entry;
    if (old->block == now->block && old->interval < now->interval)
        return; /* a barrier lies between */
    uint64_t races = 0, same = 0;
    unsigned race_at = 0, same_at = 0;
    uint32_t last_old = UINT32_MAX, last_now = UINT32_MAX;
    for (; !mask_empty(both);) {
        unsigned byte = mask_first(both);
        both = mask_without(both, mask_range(byte, 1));
        uint32_t told = thread_of(old, byte), tnow = thread_of(now, byte);
        if ((told == last_old && tnow == last_now) || (told == tnow && old->block == now->block))
            continue;
        last_old = told;
        last_now = tnow;
        OrderPoint p = {old->block, told, old->interval, old->tick};
        if (order_is_after(r->e, tnow, &p))
            continue;
        if ((old->flags & ENTRY_WRITES) && writes_same(r->a, tnow - r->e->who->first_thread)) {
            same_at = same++ ? same_at : byte;
        } else {
            race_at = races++ ? race_at : byte;
        }
    }
    if (races)
        race_note(r, FINDING_RACE, old, race_at, races);
    if (same)
        race_note(r, FINDING_SAME_VALUE, old, same_at, same);
}

/* ---- lines ---- */

static bool push_entry(RaceAccess *r, RaceLine *line, const Entry *entry)
{
    if (line->n == line->cap) {
        unsigned cap = line->cap ? line->cap * 3u : ENTRIES_FIRST;
        cap = cap < ENTRIES_MAX ? cap : ENTRIES_MAX;
        Entry *bigger = cap > line->cap ? pool_alloc(r->pool, cap * sizeof *bigger) : NULL;
        if (!bigger) {
            r->e->worker->limited = true;
            return false;
        }
        if (line->n)
            memcpy(bigger, line->entries, line->n * sizeof *bigger);
        line->entries = bigger;
        line->cap = (uint16_t)cap;
    }
    line->entries[line->n++] = *entry;
    line->n_writers += (entry->flags & ENTRY_WRITES) != 0;
    line->n_plain += (entry->flags & ENTRY_ATOMIC) == 0;
    return true;
}

/* Takes bytes from the entries that `which` accepts (NULL: all), and forgets empty ones. */
static void take_bytes(RaceLine *line, Mask mask, const Entry *now,
                       bool (*which)(const Entry *old, const Entry *now))
{
    unsigned kept = 0;
    for (unsigned i = 0; i < line->n; i++) {
        Entry *e = &line->entries[i];
        if (!which || which(e, now))
            e->mask = mask_without(e->mask, mask);
        if (!mask_empty(e->mask)) {
            line->entries[kept++] = *e;
            continue;
        }
        line->n_writers -= (e->flags & ENTRY_WRITES) != 0;
        line->n_plain -= (e->flags & ENTRY_ATOMIC) == 0;
    }
    line->n = (uint16_t)kept;
}

static bool conflict(const Entry *old, const Entry *now)
{
    return ((old->flags | now->flags) & ENTRY_WRITES) && !(old->flags & now->flags & ENTRY_ATOMIC);
}

static int pile_of(const Entry *e)
{
    return e->flags == 0 ? 0 : e->flags == ENTRY_ATOMIC ? 1 : 2;
}

/* Bytes that need no more entries of this kind. In shared memory only while no warp syncs or fences: those
 * order some threads of a block and not others. */
static Mask crowd_of(const RaceAccess *r, const RaceLine *line)
{
    return r->a->space == SPACE_SHARED && r->e->block->order ? (Mask){0} : line->crowd[pile_of(&r->entry)];
}

/* An earlier entry of the same kind that comes before this one: whatever races with it races with this one.
 */
static bool is_superseded(const Entry *old, const Entry *now)
{
    return old->flags == now->flags && old->block == now->block &&
           (old->interval < now->interval || same_threads(old, now));
}

/* Adds an entry of a kind that piles up beside others of its kind, as far as it says something new. */
static void pile_up(RaceAccess *r, RaceLine *line)
{
    Entry *now = &r->entry;
    Mask once = {0}, known = crowd_of(r, line), others = {0};
    bool supersedes = false;
    for (unsigned i = 0; i < line->n; i++) {
        Entry *old = &line->entries[i];
        Mask both = mask_and(old->mask, now->mask);
        if (old->flags != now->flags || mask_empty(both))
            continue;
        if (old->block != now->block) {
            others = mask_or(others, both);
        } else if (old->interval != now->interval || (same_threads(old, now) && old->tick != now->tick)) {
            supersedes = true;
        } else if (same_threads(old, now)) {
            known = mask_or(known, both);
        } else if (old->tick == now->tick &&
                   thread_of(old, mask_first(both)) != thread_of(now, mask_first(both))) {
            known = mask_or(known, mask_and(once, both));
            once = mask_or(once, both);
        }
    }
    Entry entry = *now;
    entry.mask = mask_without(now->mask, known);
    if (mask_empty(entry.mask))
        return;
    Mask *crowd = &line->crowd[pile_of(now)];
    *crowd = mask_or(*crowd, r->a->space == SPACE_SHARED ? once : others);
    if (supersedes)
        take_bytes(line, entry.mask, now, is_superseded);
    for (unsigned i = 0; i < line->n; i++) {
        Entry *old = &line->entries[i];
        if (old->flags == now->flags && same_threads(old, now) && old->interval == now->interval &&
            old->tick == now->tick) {
            old->mask = mask_or(old->mask, entry.mask);
            return;
        }
    }
    push_entry(r, line, &entry);
}

/* True when nothing on the line can race with this access, and the line knows enough of its kind. */
static bool is_old_news(const RaceAccess *r, const RaceLine *line)
{
    const Entry *now = &r->entry;
    if (now->flags == ENTRY_WRITES || (now->flags == 0 ? line->n_writers : line->n_plain))
        return false;
    return mask_empty(mask_without(now->mask, crowd_of(r, line)));
}

static bool is_atomic_write(const Entry *old, const Entry *now)
{
    (void)now;
    return old->flags == (ENTRY_WRITES | ENTRY_ATOMIC);
}

/* Puts the entry in place of all others on its bytes that `which` accepts (NULL: all). */
static void replace(RaceAccess *r, RaceLine *line, bool (*which)(const Entry *old, const Entry *now))
{
    take_bytes(line, r->entry.mask, &r->entry, which);
    for (int i = 0; i < N_PILES; i++)
        if (!which || i == N_PILES - 1) /* after an atomic the reads stay */
            line->crowd[i] = mask_without(line->crowd[i], r->entry.mask);
    push_entry(r, line, &r->entry);
}

/* One entry of the access on one line: checks it against what the line has, and adds it. */
void race_line_access(RaceAccess *r)
{
    RaceLine *line = r->line;
    Entry *now = &r->entry;
    if (line->generation != r->generation) {
        line->generation = r->generation;
        line->n = line->n_writers = line->n_plain = 0;
        memset(line->crowd, 0, sizeof line->crowd);
    }
    if (is_old_news(r, line))
        return;
    for (unsigned i = 0; i < line->n; i++) {
        const Entry *old = &line->entries[i];
        Mask both = mask_and(old->mask, now->mask);
        if (!mask_empty(both) && conflict(old, now) && !same_threads(old, now))
            check_pair(r, old, both);
    }
    if (now->flags == ENTRY_WRITES)
        replace(r, line, NULL);
    else if (r->a->kind == ACCESS_ATOMIC && !r->e->who->inst->result_unused)
        replace(r, line, is_atomic_write);
    else
        pile_up(r, line);
}
