/* A warp that loads or stores lines of global memory side by side, as most do, told by a compare or two a line.
 *
 * The lanes' bytes are one piece (ExecAccess.solid_bytes) in whole lines of shadow memory. There is nothing to find, and what a line
 * remembers stands in its pointers as it is (slot_is_whole), when
 *
 *      load    all is initialised, and two blocks have read the words and nobody has written them: nothing new
 *      load    all is initialised, and nobody but these threads has used the line: they are its reader from now on
 *      store   nobody but these threads has used the line: they are its writer from now on
 *
 * What is left goes the general way (init.c, race.c) from the beginning: being told twice of one access is no harm.
 */
#include "common/vgpu/check/wide_internal.h"

typedef struct Solid {
    const CheckEvent *e;
    const ExecAccess *a;
    Shadow *shadow;
    const WideLog *log; /* NULL: no whole block has been here */
    uint32_t record;    /* 0: not looked up yet */
    bool loads;
} Solid;

static bool may_be_solid(const CheckEvent *e, const ExecAccess *a)
{
    const CheckOptions *o = &e->set->options;
    bool plain = a->kind == ACCESS_LOAD ? a->sem == SEM_WEAK || a->sem == SEM_NC : a->kind == ACCESS_STORE && a->sem == SEM_WEAK;
    return plain && a->async == ACCESS_NOW && a->alloc && a->alloc->kind != MEM_INTERNAL && a->low % 4 == 0 && a->solid_bytes % 4 == 0 &&
           !e->block->order && !e->block->learnt_mark && !o->spread_lines && !o->spread_warps && check_has(e->set, CHECK_RACE);
}

/* The number of the warp's record for this instruction, made if need be. */
static uint32_t record_number(const CheckEvent *e, const ExecAccess *a)
{
    const ExecWho *who = e->who;
    SolidMemo *memo = &e->worker->solid[((uintptr_t)who->inst / sizeof(IrInst) * 11 + who->warp) % SOLID_MEMO];
    if (memo->inst == who->inst && memo->block == e->block->linear && memo->interval == e->block->interval && memo->warp == who->warp)
        return memo->record;
    RaceAccess r = {.e = e, .a = a};
    if (!race_begin_access(&r))
        return 0;
    *memo = (SolidMemo){who->inst, e->block->linear, e->block->interval, who->warp, r.record};
    return r.record;
}

/* Nobody is known to have used the line this way but the threads that do so now, each its own part. */
static inline bool is_own(const Solid *s, const Cell *slot, Run now)
{
    if (!slot || !slot_is_whole(slot))
        return !slot;
    const Run then = slot_run(slot);
    if (then.cell == now.cell)
        return then.shift == now.shift;
    const Record *r = record_of(&s->e->set->records, then.cell);
    return then.shift == now.shift && (then.cell ^ now.cell) % WARP_LANES == 0 && r->block == s->e->block->linear &&
           r->first_thread == s->e->who->first_thread;
}

static bool keep_line(const Solid *s, RaceLine *line, unsigned lane)
{
    const Run now = {0, LINE_BYTES >> WORD_SHIFT, (uint32_t)__builtin_ctz(s->a->bytes) - WORD_SHIFT, cell_of(s->record, lane)};
    Cell **slots = line->slots;
    if (line->fine || line->narrow || slots[SLOT_READ2] || slots[SLOT_ATOMIC] || slots[SLOT_ATOMIC2] ||
        !is_own(s, slots[SLOT_WRITE], now) || !is_own(s, slots[SLOT_READ], now))
        return false;
    slots[s->loads ? SLOT_READ : SLOT_WRITE] = slot_of_run(&now);
    if (!s->loads) {
        slots[SLOT_READ] = NULL;
        line->crowd = line->atoms = 0;
    }
    return true;
}

static bool keep_line_locked(const Solid *s, RaceLine *line, uint64_t number, unsigned lane)
{
    pthread_mutex_t *lock = &s->e->set->line_locks[(number + (s->shadow->base >> LINE_SHIFT)) % CHECK_LINE_LOCKS];
    pthread_mutex_lock(lock);
    bool kept = keep_line(s, line, lane);
    pthread_mutex_unlock(lock);
    return kept;
}

/* Bytes [at, at + n) of the shadow, in one line. True: all that is to be said of them has been. */
static inline bool line_is_done(Solid *s, uint64_t at, uint64_t n, unsigned lane)
{
    const uint64_t number = at >> LINE_SHIFT;
    RaceLine *line = __atomic_load_n(&s->shadow->chunks[number / CHUNK_LINES], __ATOMIC_ACQUIRE);
    if (!line)
        return false;
    line += number % CHUNK_LINES;
    if (s->loads && race_is_old_news(line, (unsigned)(at % LINE_BYTES), (unsigned)n))
        return true;
    if (n != LINE_BYTES || s->a->pattern != PATTERN_UNIT_STRIDE || s->a->bytes & (s->a->bytes - 1))
        return false;
    if (!s->record && !(s->record = record_number(s->e, s->a)))
        return false;
    raise_flag(s->e, &line->touched);
    const WideState state = s->log ? state_of(s->log) : WIDE_TOLD;
    if (state == WIDE_TELLING || (state == WIDE_KEPT && (flag(&s->log->shared) ? !s->loads : s->log->owned[at / CLAIM_BYTES] && wide_has_owner(s->log, at, n))))
        return false;
    return s->e->set->n_workers > 1 ? keep_line_locked(s, line, number, lane) : keep_line(s, line, lane);
}

bool solid_observe(const CheckEvent *e, const ExecAccess *a)
{
    if (!may_be_solid(e, a))
        return false;
    Solid s = {.e = e, .a = a, .shadow = race_shadow(e, a->alloc), .loads = a->kind == ACCESS_LOAD};
    if (!s.shadow)
        return false;
    s.log = __atomic_load_n(&s.shadow->wide, __ATOMIC_ACQUIRE);
    if (s.loads && check_has(e->set, CHECK_INIT) && a->alloc->init && !(s.log && flag(&s.log->initialised)) &&
        !init_is_set(a->alloc->init, a->low - a->alloc->addr, a->solid_bytes))
        return false;
    if (!s.loads)
        raise_flag(e, &s.shadow->written);
    unsigned lane = (unsigned)__builtin_ctz(a->mask);
    for (uint64_t at = a->low - s.shadow->base, end = at + a->solid_bytes, next; at < end; at = next) {
        next = (at | (LINE_BYTES - 1)) + 1;
        next = next < end ? next : end;
        if (!line_is_done(&s, at, next - at, lane))
            return false;
        lane += (unsigned)(next - at) / a->bytes;
    }
    return true;
}
