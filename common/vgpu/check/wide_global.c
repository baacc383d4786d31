/* Wide accesses to global memory: see wide.h.
 *
 * An allocation of a launch has a log for each worker, and goes through these states:
 *
 *      owned     each word has at most one owner: a block whose threads all have their own part of it. A bit
 *                a word says that it has one; who finds it set and is not the owner is a stranger.
 *      shared    many read it, nobody has written: loads are kept without a look at words
 *      told      a stranger wrote, or read what was written: the log was told to the race checker
 *
 *      owned --- a stranger reads, nobody has written ---> shared
 *      owned, shared --- any other stranger, a write ---> told
 *
 * Most accesses of one warp (and what does not fit here) go the general way in each state, which marks their
 * lines as touched. They are strangers where words have an owner, and a line that was touched gets none. A
 * warp that goes all over an allocation is kept as well, while there is room: 32 lines of shadow cost more.
 *
 * Several workers: each first leaves its mark (bits, touched, flags), then looks for the marks of others, so
 * that of two that meet one at least sees the other. Whoever tells the log (one worker) lets the others wait
 * until it is done.
 */
#include "common/vgpu/check/wide_internal.h"

enum {
    WORDS = 64,
    CLAIM_WORDS = CLAIM_BYTES / 4 / WORDS,
    SCATTERED_MIN = 8, /* segments of a warp's access that is better kept as it is */
    SCATTERED_BYTES = 65536,
};

/* ---- the log ---- */

static WideLog *make_log(const CheckEvent *e, Shadow *shadow, MemAlloc *a)
{
    CheckSet *set = e->set;
    pthread_mutex_lock(&set->lock);
    WideLog *log = shadow->wide;
    if (!log) {
        uint64_t n = (a->addr + a->bytes - shadow->base) / CLAIM_BYTES + 1;
        log = pool_zalloc(&e->worker->pool, sizeof *log + set->n_workers * sizeof *log->lists);
        uint64_t **owned = pool_zalloc(&e->worker->pool, n * sizeof *owned);
        if (log && owned) {
            log->owned = owned;
            log->alloc = a;
        } else {
            log = NULL;
        }
        __atomic_store_n(&shadow->wide, log, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&set->lock);
    return log;
}

static WideLog *log_of(const CheckEvent *e, Shadow *shadow, MemAlloc *a)
{
    WideLog *log = __atomic_load_n(&shadow->wide, __ATOMIC_ACQUIRE);
    return log ? log : make_log(e, shadow, a);
}

static WideEntry **recent_of(const CheckEvent *e)
{
    uintptr_t inst = (uintptr_t)e->who->inst / sizeof(IrInst);
    return &e->worker->wide.recent[inst % WIDE_RECENT];
}

static void append_item(const CheckEvent *e, WideLog *log, WideItem *x)
{
    WideList *list = &log->lists[e->who->worker];
    __atomic_store_n(list->last ? &list->last->next : &list->first, x, __ATOMIC_RELEASE);
    list->last = x;
    fence_workers(e);
}

static bool append(const CheckEvent *e, const ExecWideAccess *w, Shadow *shadow)
{
    WideEntry *x = pool_alloc(&e->worker->pool, sizeof *x);
    if (!x)
        return false;
    wide_fill_entry(x, e, w);
    x->shadow = shadow;
    append_item(e, shadow->wide, &x->item);
    WideWorker *mine = &e->worker->wide;
    *recent_of(e) = x;
    mine->last[mine->turn++ % WIDE_LAST] = x;
    return true;
}

/* e->block stands for the block of then. */
static void replay_item(const CheckEvent *e, const WideLog *log, const WideItem *item)
{
    CheckBlock *then = e->block;
    if (item->scattered) {
        const WideScatter *x = (const WideScatter *)item;
        then->linear = x->block;
        then->interval = x->interval;
        wide_replay_scatter(e, x, log->alloc);
    } else {
        const WideEntry *x = (const WideEntry *)item;
        then->interval = x->interval;
        for (uint32_t i = 0; i < x->n_blocks; i++) {
            then->linear = x->block + i;
            wide_replay(e, x, i);
        }
    }
}

/* Tells the race checker of the log, once. */
static void wide_global_tell(const CheckEvent *e, WideLog *log)
{
    CheckSet *set = e->set;
    pthread_mutex_lock(&set->wide_lock);
    if (state_of(log) == WIDE_KEPT) {
        __atomic_store_n(&log->state, WIDE_TELLING, __ATOMIC_RELEASE);
        fence_workers(e);
        const CheckEvent past = {set, e->worker, &set->wide_block, e->who, true};
        for (unsigned i = 0; i < set->n_workers; i++)
            for (WideItem *x = __atomic_load_n(&log->lists[i].first, __ATOMIC_ACQUIRE); x;
                 x = __atomic_load_n(&x->next, __ATOMIC_ACQUIRE))
                replay_item(&past, log, x);
        __atomic_store_n(&log->state, WIDE_TOLD, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&set->wide_lock);
}

/* Many read it from now on. False: somebody writes. */
static bool share(const CheckEvent *e, WideLog *log, const Shadow *shadow)
{
    raise_flag(e, &log->shared);
    return !flag(&log->stores) && !flag(&shadow->written);
}

/* ---- owners ---- */

static uint64_t *owned_words(const CheckEvent *e, WideLog *log, uint64_t chunk)
{
    uint64_t *words = __atomic_load_n(&log->owned[chunk], __ATOMIC_ACQUIRE);
    if (words)
        return words;
    pthread_mutex_lock(&e->set->lock);
    words = log->owned[chunk];
    if (!words) {
        words = pool_zalloc(&e->worker->pool, CLAIM_WORDS * sizeof *words);
        __atomic_store_n(&log->owned[chunk], words, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&e->set->lock);
    return words;
}

/* Bits from `first` on, up to `last` or the end of the 64. */
static uint64_t bits_between(uint64_t first, uint64_t last)
{
    return UINT64_MAX << first % WORDS &
           (first / WORDS == last / WORDS ? UINT64_MAX >> (WORDS - 1 - last % WORDS) : UINT64_MAX);
}

/* True when a word of the row had an owner, or nothing can be noted. */
static bool claim_row(const CheckEvent *e, WideLog *log, uint64_t at, uint64_t bytes)
{
    uint64_t met = 0, last = (at + bytes - 1) / 4;
    for (uint64_t word = at / 4; word <= last; word = (word / WORDS + 1) * WORDS) {
        uint64_t *words = owned_words(e, log, word * 4 / CLAIM_BYTES);
        if (!words)
            return true;
        uint64_t *to = &words[word / WORDS % CLAIM_WORDS], bits = bits_between(word, last);
        if (e->set->n_workers > 1) {
            met |= __atomic_fetch_or(to, bits, __ATOMIC_SEQ_CST) & bits;
        } else {
            met |= *to & bits;
            *to |= bits;
        }
    }
    return met != 0;
}

static bool claim(const CheckEvent *e, WideLog *log, const Shadow *shadow, const WideShape *s)
{
    bool met = false;
    WideWalk walk = wide_walk(s);
    do {
        met |= claim_row(e, log, walk.at - shadow->base, s->row_bytes);
    } while (wide_next_row(s, &walk));
    return met;
}

bool wide_has_owner(const WideLog *log, uint64_t at, uint64_t bytes)
{
    uint64_t last = (at + bytes - 1) / 4;
    for (uint64_t word = at / 4; word <= last; word = (word / WORDS + 1) * WORDS) {
        const uint64_t *words = __atomic_load_n(&log->owned[word * 4 / CLAIM_BYTES], __ATOMIC_ACQUIRE);
        if (words &&
            __atomic_load_n(&words[word / WORDS % CLAIM_WORDS], __ATOMIC_RELAXED) & bits_between(word, last))
            return true;
    }
    return false;
}

static bool row_is_touched(const Shadow *shadow, uint64_t at, uint64_t bytes)
{
    for (uint64_t line = at >> LINE_SHIFT, last = (at + bytes - 1) >> LINE_SHIFT; line <= last; line++) {
        const RaceLine *chunk = __atomic_load_n(&shadow->chunks[line / CHUNK_LINES], __ATOMIC_ACQUIRE);
        if (chunk && flag(&chunk[line % CHUNK_LINES].touched))
            return true;
    }
    return false;
}

static bool is_touched(const Shadow *shadow, const WideShape *s)
{
    WideWalk walk = wide_walk(s);
    do {
        if (row_is_touched(shadow, walk.at - shadow->base, s->row_bytes))
            return true;
    } while (wide_next_row(s, &walk));
    return false;
}

/* The block has had each thread's part of it for itself, and lately. */
static bool is_own(const CheckEvent *e, const ExecWideAccess *w, const Shadow *shadow)
{
    for (int i = 0; i < WIDE_LAST; i++) {
        const WideEntry *x = e->worker->wide.last[i];
        if (x && x->shadow == shadow && x->block == e->block->linear && wide_is_same(x, w))
            return true;
    }
    return false;
}

/* ---- accesses ---- */

/* No other access can be at these words without seeing this one, or being seen. */
static bool keep_owned(const CheckEvent *e, const ExecWideAccess *w, const WideShape *s, Shadow *shadow)
{
    WideLog *log = shadow->wide;
    bool stores = w->kind == ACCESS_STORE,
         whole_words = (s->low | s->row_bytes | s->step[0] | s->step[1] | s->step[2]) % 4 == 0;
    if (stores && (!whole_words || is_touched(shadow, s)))
        return false;
    if (stores)
        raise_flag(e, &log->stores);
    bool owner = whole_words && !s->overlaps && !is_touched(shadow, s) &&
                 (!claim(e, log, shadow, s) || is_own(e, w, shadow));
    if (!owner && (stores || !share(e, log, shadow))) {
        wide_global_tell(e, log);
        return false;
    }
    if (!append(e, w, shadow))
        return false;
    if (e->set->n_workers > 1 && owner && (is_touched(shadow, s) || (stores && flag(&log->shared)))) {
        wide_global_tell(e, log);
        return false;
    }
    return state_of(log) == WIDE_KEPT;
}

static bool wide_global_keep(const CheckEvent *e, const ExecWideAccess *w, const WideShape *s, Shadow *shadow)
{
    WideLog *log = shadow->wide;
    if (state_of(log) != WIDE_KEPT)
        return false;
    if (!flag(&log->shared))
        return keep_owned(e, w, s, shadow);
    if (w->kind == ACCESS_STORE) {
        wide_global_tell(e, log);
        return false;
    }
    return append(e, w, shadow) && state_of(log) == WIDE_KEPT;
}

/* The same instruction of the block again, with nothing new to look up: a loop. known: all that loads may
 * find is initialised. */
static bool repeats(const CheckEvent *e, const ExecWideAccess *w, const Shadow *shadow, bool known)
{
    WideEntry *x = *recent_of(e);
    const WideLog *log = shadow->wide;
    if (!x || x->shadow != shadow || x->inst != e->who->inst || x->block != e->block->linear ||
        x->interval != e->block->interval || x->kind != w->kind || !wide_is_alike(x, w))
        return false;
    bool free = known && w->kind == ACCESS_LOAD && flag(&log->shared);
    if (!wide_is_same(x, w) && !(free && wide_goes_on(x, w->base)))
        return false;
    fence_workers(e);
    return state_of(log) == WIDE_KEPT;
}

/* All of the allocation is looked at once an eighth as much was looked up, and then each time that twice as much was, in the hope
 * that there is nothing to look up from then on. */
static bool is_all_written(const MemAlloc *a, WideLog *log, uint64_t bytes)
{
    if (!a->init || flag(&log->initialised))
        return true;
    uint64_t loaded = __atomic_add_fetch(&log->loaded, bytes, __ATOMIC_RELAXED);
    if (loaded <= (flag(&log->searched) ? 2 * a->bytes : a->bytes / 8))
        return false;
    __atomic_store_n(&log->loaded, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&log->searched, true, __ATOMIC_RELAXED);
    if (init_is_set(a->init, 0, a->bytes))
        __atomic_store_n(&log->initialised, true, __ATOMIC_RELAXED);
    return flag(&log->initialised);
}

bool wide_is_all_written(const CheckEvent *e, MemAlloc *alloc, uint64_t bytes)
{
    if (!alloc->init)
        return true;
    if (!check_has(e->set, CHECK_RACE) || alloc->kind == MEM_INTERNAL)
        return false;
    Shadow *shadow = race_shadow(e, alloc);
    WideLog *log = shadow ? log_of(e, shadow, alloc) : NULL;
    return log && is_all_written(alloc, log, bytes);
}

static bool is_initialised(const ExecWideAccess *w, const WideShape *s, WideLog *log)
{
    const MemAlloc *a = w->alloc;
    return !a->init || (log && is_all_written(a, log, w->end - w->low)) || wide_is_set(a->init, a->addr, s);
}

bool wide_observe_global(const CheckEvent *e, const ExecWideAccess *w)
{
    bool init = check_has(e->set, CHECK_INIT), stores = w->kind == ACCESS_STORE;
    if (!w->alloc)
        return false;
    bool race = check_has(e->set, CHECK_RACE) && w->alloc->kind != MEM_INTERNAL;
    Shadow *shadow = race ? race_shadow(e, w->alloc) : NULL;
    WideLog *log = shadow ? log_of(e, shadow, w->alloc) : NULL;
    if (race && !log)
        return false;
    bool known = !init || !w->alloc->init || (log && flag(&log->initialised));
    if (race && repeats(e, w, shadow, known))
        return true;
    WideShape s = wide_shape_of(w, e->who->block_dim);
    if ((stores && s.overlaps) || (init && !stores && !is_initialised(w, &s, log)))
        return false;
    if (race && !wide_global_keep(e, w, &s, shadow))
        return false;
    if (stores && !known)
        wide_mark(w->alloc->init, w->alloc->addr, &s, e->set->n_workers > 1);
    return true;
}

/* ---- accesses of one warp ---- */

static bool may_scatter(const CheckEvent *e, const ExecAccess *a)
{
    bool plain = (a->kind == ACCESS_LOAD && (a->sem == SEM_WEAK || a->sem == SEM_NC)) ||
                 (a->kind == ACCESS_STORE && a->sem == SEM_WEAK);
    return plain && a->space == SPACE_GLOBAL && a->async == ACCESS_NOW && a->alloc &&
           a->alloc->kind != MEM_INTERNAL && a->bytes % 4 == 0 && a->alloc->addr % 4 == 0 &&
           a->alloc->bytes / 4 <= UINT32_MAX && !e->block->order && !e->replays &&
           !e->set->options.spread_warps;
}

static bool lanes_are_touched(const Shadow *shadow, const ExecAccess *a)
{
    for (uint32_t rest = a->mask; rest; rest &= rest - 1)
        if (row_is_touched(shadow, a->addr[__builtin_ctz(rest)] - shadow->base, a->bytes))
            return true;
    return false;
}

static bool claim_lanes(const CheckEvent *e, const Shadow *shadow, const ExecAccess *a)
{
    bool met = false;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1)
        met |= claim_row(e, shadow->wide, a->addr[__builtin_ctz(rest)] - shadow->base, a->bytes);
    return met;
}

/* As much of them as the allocation and a half. */
static uint64_t most_scattered(const WideLog *log)
{
    return log->alloc->bytes / 2 * 3 + SCATTERED_BYTES;
}

/* A load of a few places may be kept too where nobody has written: the general way takes longer, but there is
 * no harm in it when half the room is used. */
static bool is_worth_it(const ExecAccess *a, const SegmentList *segments, const WideLog *log)
{
    return segments->n > SCATTERED_MIN ||
           (a->kind == ACCESS_LOAD && flag(&log->shared) &&
            __atomic_load_n(&log->scattered, __ATOMIC_RELAXED) < most_scattered(log) / 2);
}

static WideScatter *take_scatter(const CheckEvent *e, WideLog *log)
{
    uint64_t most = most_scattered(log);
    if (__atomic_add_fetch(&log->scattered, sizeof(WideScatter), __ATOMIC_RELAXED) > most)
        return NULL;
    return pool_alloc(&e->worker->pool, sizeof(WideScatter));
}

static void fill_scatter(WideScatter *x, const CheckEvent *e, const ExecAccess *a)
{
    x->item = (WideItem){.scattered = true};
    x->function = e->who->function;
    x->inst = e->who->inst;
    x->block = e->block->linear;
    x->interval = e->block->interval;
    x->mask = a->mask;
    x->first_thread = (uint16_t)e->who->first_thread;
    x->kind = a->kind;
    x->sem = a->sem;
    x->bytes = (uint8_t)a->bytes;
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        x->word[lane] = (uint32_t)((a->addr[lane] - a->alloc->addr) / 4);
}

bool wide_keep_scatter(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments)
{
    bool stores = a->kind == ACCESS_STORE;
    if (!may_scatter(e, a) || (stores && segments->n <= SCATTERED_MIN))
        return false;
    Shadow *shadow = race_shadow(e, a->alloc);
    WideLog *log = shadow ? log_of(e, shadow, a->alloc) : NULL;
    if (!log || state_of(log) != WIDE_KEPT || !is_worth_it(a, segments, log))
        return false;
    if (stores ? flag(&log->shared) || lanes_are_touched(shadow, a)
               : flag(&log->stores) || flag(&shadow->written))
        return false;
    WideScatter *x = take_scatter(e, log);
    if (!x) {
        wide_global_tell(e, log);
        return false;
    }
    if (stores)
        raise_flag(e, &log->stores);
    if (stores ? claim_lanes(e, shadow, a) : !share(e, log, shadow)) {
        wide_global_tell(e, log);
        return false;
    }
    fill_scatter(x, e, a);
    append_item(e, log, &x->item);
    if (e->set->n_workers > 1 && stores && (flag(&log->shared) || lanes_are_touched(shadow, a))) {
        wide_global_tell(e, log);
        return false;
    }
    return state_of(log) == WIDE_KEPT;
}

void wide_settle_global(RaceAccess *r, unsigned from, unsigned n)
{
    const CheckEvent *e = r->e;
    bool writes = r->now.flags & RECORD_WRITES;
    raise_flag(e, &r->line->touched);
    if (writes)
        raise_flag(e, &r->shadow->written);
    WideLog *log = __atomic_load_n(&r->shadow->wide, __ATOMIC_ACQUIRE);
    if (!log || e->replays || state_of(log) == WIDE_TOLD)
        return;
    bool met = flag(&log->shared) ? writes : wide_has_owner(log, r->line_addr - r->shadow->base + from, n);
    bool reader = met && !writes && share(e, log, r->shadow);
    if ((met && !reader) || state_of(log) == WIDE_TELLING)
        wide_global_tell(e, log);
}

void wide_forget_written(const CheckEvent *e, MemAlloc *alloc)
{
    e->block->wide.known_from = e->block->wide.known_to = 0;
    for (int i = 0; i < WIDE_RECENT; i++)
        e->worker->wide.recent[i] = NULL;
    Shadow *shadow = alloc && alloc->kind != MEM_INTERNAL && check_has(e->set, CHECK_RACE) ? race_shadow(e, alloc) : NULL;
    WideLog *log = shadow ? __atomic_load_n(&shadow->wide, __ATOMIC_ACQUIRE) : NULL;
    if (log)
        __atomic_store_n(&log->initialised, false, __ATOMIC_RELAXED);
}
