/* Publication: what strong writes say on a location, and what strong reads learn from it (order.c). */
#include "common/vgpu/check/order_internal.h"

#include <stdlib.h>

enum { LOCATIONS_MIN = 256 };

static size_t location_slot(const OrderLaunch *o, uint64_t word, uint32_t to)
{
    uint64_t hash = (word ^ (uint64_t)to * 0xBF58476D1CE4E5B9u) * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 20) & (o->cap - 1);
    while (o->locations[at].word && (o->locations[at].word != word || o->locations[at].to != to))
        at = (at + 1) & (o->cap - 1);
    return at;
}

static bool grow_locations(OrderLaunch *o)
{
    OrderLaunch bigger = {.cap = o->cap ? o->cap * 2 : LOCATIONS_MIN};
    bigger.locations = calloc(bigger.cap, sizeof *bigger.locations);
    if (!bigger.locations)
        return false;
    for (size_t i = 0; i < o->cap; i++)
        if (o->locations[i].word)
            bigger.locations[location_slot(&bigger, o->locations[i].word, o->locations[i].to)] = o->locations[i];
    free(o->locations);
    o->locations = bigger.locations;
    o->cap = bigger.cap;
    return true;
}

/* A word of global memory, or of one block's shared memory; never 0. */
static uint64_t location_word(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    uint64_t word = a->addr[lane] & ~(uint64_t)3;
    return a->space == SPACE_SHARED ? (uint64_t)1 << 63 | (uint64_t)e->block->linear << 24 | word | 1
                                    : word | 1;
}

/* A place in a word, for accesses that are narrower. */
static uint64_t location_part(uint64_t word, unsigned at)
{
    return (word & ~(uint64_t)3) | (uint64_t)1 << 62 | at;
}

static Location *find_location(OrderLaunch *o, uint64_t word, uint32_t to, bool make)
{
    Location *l = o->cap ? &o->locations[location_slot(o, word, to)] : NULL;
    if (!l || l->word || !make)
        return l && l->word ? l : NULL;
    o->n++;
    *l = (Location){.word = word, .to = to};
    return l;
}

/* For two locations more. */
static bool make_room(OrderLaunch *o)
{
    if ((o->n + 2) * 2 <= o->cap || grow_locations(o))
        return true;
    o->maker.full = true;
    return false;
}

/* One lane's strong access. */
typedef struct Strong {
    const CheckEvent *e;
    uint64_t word;
    unsigned lane;
    bool narrow, acquires, stores; /* stores: not an atomic */
    const WarpClock *released,
        *reads; /* what the lane did, which a release tells; what it read, which a store does; or NULL */
} Strong;

/* What was stored last and the access are strong to one another. */
static bool sees(const Strong *s, const Location *all)
{
    return all->last == s->e->block->linear || !(s->narrow || all->narrow);
}

/* What a lane learns from a place: mostly what the lane before it did, which knew the same. */
typedef struct Learnt {
    VectorClock clock, learnt, seen;  /* of the place, and of the lane before */
    VectorClock now_learnt, now_seen; /* and after */
} Learnt;

/* Loads that were done before a store cannot meet a store that comes of seeing it: they are known at once. */
static void learn_from(const Strong *s, const Location *l, Reach reach, Learnt *before)
{
    OrderLaunch *o = s->e->set->order;
    OrderWarp *w = clock_is_zero(l->clock) ? NULL : order_of_warp(o, s->e->block, s->e->who->warp);
    if (!w)
        return;
    VectorClock *learnt = &w->learnt[s->lane], *seen = &w->seen[reach][s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (!clock_is_same(before->clock, l->clock) || !clock_is_same(before->learnt, *learnt) ||
        !clock_is_same(before->seen, *seen)) {
        *before = (Learnt){l->clock, *learnt, *seen, *learnt, *seen};
        if (reaches)
            clock_join_into(o, &before->now_learnt,
                            s->acquires ? l->clock : (VectorClock){.reads = l->clock.reads});
        if (l->clock.writes && !(reaches && s->acquires))
            clock_join_into(o, &before->now_seen, (VectorClock){l->clock.writes, l->clock.writes});
    }
    if (clock_is_same(before->now_learnt, *learnt) && clock_is_same(before->now_seen, *seen))
        return;
    *learnt = before->now_learnt;
    *seen = before->now_seen;
    s->e->block->learnt_mark = cell_of(__atomic_load_n(&s->e->set->records.next, __ATOMIC_RELAXED), 0);
    s->e->block->order->changed = true;
}

/* What is said on a word: to all, and to the own block; NULL: nothing. And what the lane before learnt of it. */
typedef struct Told {
    uint64_t word;
    const Location *all, *own;
    Learnt learnt[N_REACHES];
} Told;

static void learn(const Strong *s, Told *told)
{
    OrderLaunch *o = s->e->set->order;
    if (told->word != s->word) { /* lanes mostly ask for one word */
        told->word = s->word;
        told->all = find_location(o, s->word, TO_ALL, false);
        told->own = find_location(o, s->word, s->e->block->linear, false);
    }
    if (!told->all || !sees(s, told->all))
        return;
    learn_from(s, told->all, FAR, &told->learnt[FAR]);
    if (told->own && told->own->chain == told->all->chain)
        learn_from(s, told->own, NEAR, &told->learnt[NEAR]);
}

/* What the lane's strong write says to the block, or to all. w: NULL of a block that has nothing to say. */
static VectorClock said(const Strong *s, const OrderWarp *w, Reach reach)
{
    OrderLaunch *o = s->e->set->order;
    if (!w)
        return (VectorClock){0};
    const OrderFence *f = &w->fence[reach];
    const uint32_t lane = 1u << s->lane;
    VectorClock clock = f->more[s->lane];
    bool reaches = reach == NEAR || !s->narrow;
    if (f->warp_clock[s->lane])
        clock = clock_add_warp(&o->maker, clock_join(&o->maker, clock, f->learnt[s->lane]),
                               f->warp_clock[s->lane], lane);
    if (s->released && reaches)
        clock =
            clock_add_warp(&o->maker, clock_join(&o->maker, clock, w->learnt[s->lane]), s->released, lane);
    if (s->reads && reaches) {
        clock_join_into(o, &clock, (VectorClock){.reads = w->learnt[s->lane].reads});
        clock = clock_add_warp_reads(&o->maker, clock, s->reads, lane);
    }
    return clock;
}

static bool says_nothing(const Strong *s, const OrderWarp *w)
{
    if (s->released || s->reads)
        return false;
    for (Reach reach = NEAR; w && reach <= FAR; reach++)
        if (w->fence[reach].warp_clock[s->lane] || !clock_is_zero(w->fence[reach].more[s->lane]))
            return false;
    return true;
}

static void publish(const Strong *s)
{
    OrderLaunch *o = s->e->set->order;
    const OrderWarp *w = s->e->block->order ? order_of_warp(o, s->e->block, s->e->who->warp) : NULL;
    if (!make_room(o))
        return;
    bool alike = !w || (!s->narrow && order_fences_alike(w, 1u << s->lane));
    VectorClock far = said(s, w, FAR), near = alike ? far : said(s, w, NEAR);
    bool says = !clock_is_zero(near);
    const uint32_t block = s->e->block->linear, thread = s->e->who->first_thread + s->lane;
    Location *all = find_location(o, s->word, TO_ALL, says);
    if (!all)
        return;
    bool follows = s->stores ? all->block == block && all->thread == thread : sees(s, all);
    if (!follows) {
        all->clock = (VectorClock){0};
        all->chain++;
    }
    clock_join_into(o, &all->clock, far);
    all->last = block;
    all->narrow = s->narrow;
    if (s->stores) {
        all->block = block;
        all->thread = thread;
    }
    Location *own = find_location(o, s->word, block, says);
    if (own && own->chain != all->chain) {
        own->clock = (VectorClock){0};
        own->chain = all->chain;
    }
    if (own)
        clock_join_into(o, &own->clock, near);
    __atomic_store_n(&o->published, true, __ATOMIC_RELAXED);
}

static bool access_writes(const ExecAccess *a)
{
    return a->kind != ACCESS_LOAD;
}

static bool access_reads(const ExecAccess *a)
{
    return a->kind == ACCESS_LOAD || a->kind == ACCESS_ATOMIC;
}

static Strong strong_of(const CheckEvent *e, const ExecAccess *a, unsigned lane)
{
    return (Strong){.e = e,
                    .word = a->bytes < 4 ? location_part(location_word(e, a, lane), a->addr[lane] & 3) : location_word(e, a, lane),
                    .lane = lane,
                    .narrow = a->space == SPACE_SHARED || order_is_narrow((IrScope)a->scope),
                    .acquires = is_acquire((IrSem)a->sem),
                    .stores = a->kind == ACCESS_STORE};
}

/* What is said on the word of a part, and on the parts of a word. */
static void learn_parts(const Strong *s, const ExecAccess *a)
{
    Strong part = *s;
    const uint64_t word = location_word(s->e, a, s->lane);
    const unsigned first = a->addr[s->lane] & 3;
    if (a->bytes < 4) {
        part.word = word;
        learn(&part, &(Told){0});
    }
    for (unsigned at = first; at < first + a->bytes; at++) {
        part.word = location_part(word + (at & ~3u), at & 3);
        learn(&part, &(Told){0});
    }
}

void order_strong_read(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    if (!access_reads(a) || !__atomic_load_n(&o->published, __ATOMIC_RELAXED))
        return;
    Told told = {0};
    pthread_mutex_lock(&o->lock);
    order_drop_old_clocks(e->set);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        learn(&s, &told);
        if (o->has_parts || a->bytes < 4)
            learn_parts(&s, a);
    }
    pthread_mutex_unlock(&o->lock);
}

void order_strong_write(const CheckEvent *e, const ExecAccess *a)
{
    OrderLaunch *o = e->set->order;
    bool releases = access_writes(a) && is_release((IrSem)a->sem);
    bool tells_reads = a->kind == ACCESS_STORE && a->space == SPACE_GLOBAL;
    bool says = releases || tells_reads || e->block->order;
    if (!access_writes(a) || !(says || __atomic_load_n(&o->published, __ATOMIC_RELAXED)))
        return; /* nobody has fenced: nothing to pass on */
    pthread_mutex_lock(&o->lock);
    order_drop_old_clocks(e->set);
    const WarpClock *now = releases || tells_reads ? order_warp_clock_now(o, e->block, e->who->warp) : NULL;
    const OrderWarp *w = e->block->order ? order_of_warp(o, e->block, e->who->warp) : NULL;
    Told told = {0};
    uint64_t silent = 0; /* word on which the lane before said nothing */
    bool spoken = false; /* by a lane before */
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        Strong s = strong_of(e, a, (unsigned)__builtin_ctz(rest));
        if (a->kind == ACCESS_ATOMIC && spoken) /* it sees what the lanes before it have published just now */
            learn(&s, &told);
        s.released = releases ? now : NULL;
        s.reads = tells_reads ? now : NULL;
        const bool says_none = says_nothing(&s, w);
        if (says_none && silent == s.word && !s.stores && a->bytes >= 4)
            continue; /* who waits for a lock */
        silent = says_none ? s.word : 0;
        spoken |= !says_none;
        told.word = 0; /* a place may be made */
        o->has_parts |= a->bytes < 4;
        publish(&s);
        for (unsigned at = 1; at < a->bytes && a->bytes < 4; at++) {
            s.word++; /* the next part */
            publish(&s);
        }
    }
    pthread_mutex_unlock(&o->lock);
}
