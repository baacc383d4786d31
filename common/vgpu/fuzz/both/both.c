/* See both.h. What may be compared:
 *
 * Two ways through a kernel give the same when nothing in it depends on the order of its threads. The race
 * checker says so of a run that ended well, if what it takes for ordered does not show an order by itself:
 *
 *   - words that more than one thread uses by atomics or by accesses that are not weak: only loads, or only
 *     reductions of one kind that commute (two kinds do not commute with each other);
 *   - no barrier with a count of threads, and no barrier object in shared memory.
 *
 * Of such a run the other way must agree in everything: that it ends well, memory, counts of each
 * instruction, barriers, accesses told, and that the checkers find nothing. It does not matter which of the
 * two it is. Of a block of a single warp everything must agree always, faults and races included: its lanes
 * take one order.
 *
 * A run that a fault or the budget ended has not come to all of its races, so two of those say nothing about
 * each other, and all that is left out is run both ways nevertheless: for the sanitizers.
 */
#include "common/vgpu/fuzz/both/both.h"

#include "common/vgpu/exec/exec_internal.h"
#include "common/vgpu/exec/test/ways.h"

#include <stdlib.h>
#include <string.h>

/* Four bytes that were used by atomics, or otherwise than weakly. */
typedef struct Word {
    uint64_t key;    /* 0: none */
    uint32_t thread; /* of the grid: the first to use it */
    uint32_t kind;   /* of the first use */
    bool many;       /* threads */
    bool ordered;    /* in a way that shows their order, or in two ways */
} Word;

enum { WORDS = 2048 };

typedef struct Run {
    Ways ways; /* first: what ways.h calls itself */
    ExecResult result;
    Word *words;  /* [WORDS] */
    bool ordered; /* executed what shows the order of threads */
    BothWatch watch;
    bool quiet;      /* the checkers found nothing but */
    uint64_t unset;  /* reads of bytes that nobody wrote: so many */
    uint8_t *memory; /* afterwards */
} Run;

static size_t total_bytes(BothMemory m)
{
    size_t bytes = 0;
    for (size_t i = 0; i < m.n; i++)
        bytes += m.allocs[i] ? m.allocs[i]->bytes : 0;
    return bytes;
}

static void save(BothMemory m, uint8_t *to)
{
    for (size_t i = 0; i < m.n; i++)
        if (m.allocs[i]) {
            memcpy(to, m.allocs[i]->host, m.allocs[i]->bytes);
            to += m.allocs[i]->bytes;
        }
}

static void restore(BothMemory m, const uint8_t *from)
{
    for (size_t i = 0; i < m.n; i++)
        if (m.allocs[i]) {
            memcpy(m.allocs[i]->host, from, m.allocs[i]->bytes);
            from += m.allocs[i]->bytes;
        }
}

/* ---- what shows the order of threads ---- */

static Word *find_word(Run *r, uint64_t key)
{
    for (uint32_t i = 0, at = (uint32_t)rng_mix(key); i < WORDS; i++, at++) {
        Word *w = &r->words[at % WORDS];
        if (w->key == key || !w->key)
            return w;
    }
    return NULL;
}

static void use_word(Run *r, uint64_t key, uint32_t thread, uint32_t kind, bool ordered)
{
    Word *w = find_word(r, key);
    if (!w) {
        r->ordered = true; /* who knows */
        return;
    }
    if (!w->key)
        *w = (Word){.key = key, .thread = thread, .kind = kind};
    w->many |= w->thread != thread;
    w->ordered |= ordered || w->kind != kind;
    r->ordered |= w->many && w->ordered;
}

static void see_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    const IrInst *inst = who->inst;
    const bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
    const uint32_t kind = 1u << 24 | (uint32_t)a->kind << 16 | (atomic ? inst->mode << 8 | inst->type : 0);
    const bool ordered = atomic ? inst->vec || exec_atomic_is_ordered(inst) : a->kind == ACCESS_STORE;
    ways_see_access(self, who, a);
    if ((!atomic && (a->sem == SEM_WEAK || a->sem == SEM_NC)) || a->space == SPACE_LOCAL)
        return;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t block = a->space == SPACE_SHARED ? 1 + who->block_linear : 0;
        for (uint64_t at = a->addr[lane] / 4; at <= (a->addr[lane] + a->bytes - 1) / 4; at++)
            use_word(self, rng_mix(block) ^ (at + 1), who->block_linear << 10 | (who->first_thread + lane),
                     kind, ordered);
    }
}

static bool barrier_is_ordered(const IrInst *inst)
{
    bool counts = inst->src[1].kind != IR_NONE && inst->src[1].bytes;
    return inst->mode != BAR_WARP && (inst->mode == BAR_ARRIVE || counts);
}

static bool is_ordered(const IrInst *inst)
{
    if (inst->opcode == PTX_BAR || inst->opcode == PTX_BARRIER)
        return barrier_is_ordered(inst);
    return inst->async >= ASYNC_ARRIVE_AFTER;
}

static void see_code(void *self, const ExecWho *who, const IrFunction *f, const ExecInstCount *counts)
{
    Run *r = self;
    ways_see_code(&r->ways, who, f, counts);
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        r->ordered |= counts[pc].warp_insts && is_ordered(&f->insts[pc]);
}

/* ---- a run ---- */

typedef struct Found {
    uint64_t unset; /* reads of bytes that nobody wrote */
    uint64_t others;
} Found;

static Found found(const CheckSet *check)
{
    Found n = {.others = check_dropped(check)};
    for (size_t i = 0; i < check_n_findings(check); i++) {
        const Finding *f = check_finding(check, i);
        *(finding_kind(f) == FINDING_UNINITIALIZED ? &n.unset : &n.others) += f->count;
    }
    return n;
}

/* All of the memory counts as written: a run takes back what it stored without a value. */
static void set_all(BothMemory m)
{
    for (size_t i = 0; i < m.n; i++)
        if (m.allocs[i])
            mem_mark_init(m.allocs[i], m.allocs[i]->addr, m.allocs[i]->bytes, true);
}

static void run_watched(ExecLaunch launch, BothWatch watch, CheckSet *check, Run *r)
{
    ExecObserver observers[2] = {ways_observer(&r->ways), *check_observer(check)};
    const Found before = found(check);
    observers[0].self = r;
    observers[0].access = see_access;
    observers[0].retired_code = see_code;
    launch.observers = observers;
    launch.n_observers = watch == BOTH_UNSEEN ? 0 : watch == BOTH_BY_WARP ? 1 : 2;
    r->watch = watch;
    r->ways.takes_wide = watch == BOTH_WIDE && !launch.narrow;
    exec_launch(&launch, &r->result);
    const Found after = found(check);
    r->quiet = after.others == before.others;
    r->unset = after.unset - before.unset;
}

/* ---- comparing ---- */

/* Nothing in it depends on the order of threads. */
static bool decides(const Run *r)
{
    return r->watch == BOTH_WIDE && r->quiet && !r->ordered && r->result.error == EXEC_OK;
}

/* Its lanes take the same order both ways. */
static bool is_one_warp(const ExecLaunch *l)
{
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    return blocks == 1 && l->block[0] * l->block[1] * l->block[2] <= WARP_LANES;
}

/* NULL: both are alike. */
static const char *difference(const Run *narrow, const Run *wide, size_t bytes)
{
    if (narrow->result.error != wide->result.error)
        return narrow->result.error ? "a fault warp by warp only" : "a fault with blocks at once only";
    if (memcmp(narrow->memory, wide->memory, bytes) != 0)
        return "memory";
    if (narrow->result.instructions != wide->result.instructions)
        return "number of instructions";
    if (wide->watch == BOTH_WIDE && narrow->quiet != wide->quiet)
        return wide->quiet ? "findings warp by warp only" : "findings with blocks at once only";
    if (wide->watch == BOTH_WIDE && narrow->unset != wide->unset)
        return "reads of bytes that nobody wrote";
    Ways told = wide->ways;
    if (wide->watch == BOTH_WIDE)
        told.accesses = narrow->ways.accesses; /* some came for a whole block, in another form */
    return wide->watch == BOTH_UNSEEN ? NULL : ways_differ(&narrow->ways, &told);
}

static void run_both(const ExecLaunch *launch, BothMemory memory, BothWatch watch, CheckSet *check,
                     const uint8_t *before, Run *narrow, Run *wide)
{
    ExecLaunch l = *launch;
    l.narrow = true;
    set_all(memory);
    run_watched(l, BOTH_WIDE, check, narrow);
    save(memory, narrow->memory);
    if (narrow->result.error == EXEC_TIMEOUT)
        return;
    restore(memory, before);
    set_all(memory);
    l.narrow = false;
    l.max_instructions += EXEC_LIMIT_NEAR; /* below which blocks would not run at once */
    run_watched(l, narrow->result.error ? BOTH_WIDE : watch, check, wide);
    save(memory, wide->memory);
}

Status both_run(const ExecLaunch *launch, BothMemory memory, BothWatch watch, CheckSet *check,
                BothVerdict *verdict, const char **what)
{
    const size_t bytes = total_bytes(memory);
    uint8_t *room = malloc(3 * bytes + 1);
    Word *words = calloc(2 * WORDS, sizeof *words);
    if (!room || !words) {
        free(room);
        free(words);
        return STATUS_NO_MEMORY;
    }
    save(memory, room);
    Run narrow = {.memory = room + bytes, .words = words},
        wide = {.memory = room + 2 * bytes, .words = words + WORDS};
    run_both(launch, memory, watch, check, room, &narrow, &wide);
    *what = NULL;
    const bool compares =
        narrow.result.error != EXEC_TIMEOUT && (is_one_warp(launch) || decides(&narrow) || decides(&wide));
    if (compares)
        *what = difference(&narrow, &wide, bytes);
    *verdict = *what ? BOTH_DIFFER : compares ? BOTH_ALIKE : BOTH_LEFT_OUT;
    free(words);
    free(room);
    return STATUS_OK;
}
