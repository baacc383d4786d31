/* Launches that do not end: finding out, and telling who waits where.
 *
 * A deadlock that no schedule can end is a state that only goes round in circles. While nobody writes to memory, what a block
 * does next depends on its own registers, splits and barriers alone. So when a block was in one state twice, between which
 * nobody stored anything that others see (ExecRun.epoch counts the turns in which something changed), it comes back to that
 * state for ever, as long as nobody else writes. When all blocks that are there do so at one time, there is nobody else:
 *
 *      turns:   A stores | B | A | C | B | A | C | B | A ...
 *                        '--- one epoch: A, B and C each are where they were before ---> deadlock
 *
 * A loop that counts, or that looks at the clock, never comes back to a state, and is none. Neither is one that reads memory
 * which the host or another process shares, or which something else may still write: before it is called a deadlock, all blocks go round once
 * more while each of their reads is looked at. States are compared by a hash of 64 bits, by Brent's method: of the states after
 * 0, 1, 3, 7... turns one is kept, so that circles of any length are found.
 */
#include "common/vgpu/exec/schedule.h"
#include "common/vgpu/exec/split.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GROUPS_MAX = 8, DETAIL_BYTES = 2048 };

/* ---- the state of a block ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const void *from, size_t n)
{
    const uint8_t *p = from;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h, word);
    }
    for (; n; n--)
        h = mix(h, *p++);
    return h;
}

static uint64_t mix_split(uint64_t h, const ExecSplit *s)
{
    h = mix(h, (uint64_t)s->mask << 32 | s->pc);
    h = mix(h, (uint64_t)s->state << 8 | s->barrier);
    for (const ExecJoin *j = s->join; j; j = j->parent) {
        h = mix(h, (uint64_t)j->expected << 32 | j->arrived);
        h = mix(h, j->pc);
    }
    for (const ExecFrame *f = s->frame; f; f = f->caller) {
        h = mix(h, (uint64_t)f->index << 32 | f->base);
        h = mix(h, f->return_pc);
        h = mix_bytes(h, f->regs, f->function->reg_bytes);
    }
    return h;
}

static uint64_t state_of(const ExecBlock *b)
{
    const ExecRun *run = b->run;
    uint64_t h = b->cursor;
    for (uint32_t i = 0; i < run->n_warps; i++) {
        const Warp *warp = &b->warps[i];
        h = mix(h, (uint64_t)warp->base.live << 32 | warp->base.carry);
        h = mix(h, (uint64_t)warp->used << 32 | warp->cursor);
        for (uint32_t left = warp->used; left; left &= left - 1)
            h = mix_split(h, &warp->splits[first_lane(left)]);
    }
    for (uint32_t id = 0; b->barriers_used && id <= EXEC_CLUSTER_BARRIER; id++) {
        const ExecBarrier *bar = &b->barriers[id];
        h = bar->used ? mix_bytes(mix(h, (uint64_t)bar->popc << 32 | bar->count), bar->arrived, sizeof bar->arrived) : h;
    }
    return b->local ? mix_bytes(h, b->local, (size_t)run->n_warps * WARP_LANES * run->local_bytes) : h;
}

/* ---- circles ---- */

/* Lanes that wait for others of their warp at a join may go on alone: that is tried before anything is called a deadlock. */
static bool let_waiting_go(ExecRun *run)
{
    bool any = false;
    for (ExecBlock *b = run->made_blocks; b; b = b->next_made)
        for (uint32_t i = 0; b->worker && b->live_threads && !wide_is_on(b) && i < run->n_warps; i++)
            any |= split_leave_ends(&b->warps[i]) || split_leave_joins(&b->warps[i], 0);
    return any;
}

static void look_away(void *self, const ExecWho *who, const ExecAccess *access)
{
    (void)self, (void)who, (void)access;
}

/* Accesses are told of only where somebody watches. All workers but this one wait. */
static void begin_to_watch(ExecRun *run)
{
    if (!run->n_watchers)
        run->watchers[run->n_watchers++] = (ExecWatcher){.access = look_away};
    atomic_store(&run->watching, true);
}

/* All blocks that are there go round in circles. */
static void all_closed(ExecRun *run)
{
    const ExecHost *host = run->launch->host;
    if (let_waiting_go(run)) {
        run->epoch++;
        return;
    }
    if (!atomic_load(&run->watching)) {
        run->epoch++;
        begin_to_watch(run);
        return;
    }
    atomic_store(&run->watching, false);
    run->hang_off = atomic_load(&run->host_seen) || (host && host->others_may_write && host->others_may_write(host->self));
    if (!run->hang_off) {
        hang_stop(run, FAULT_DEADLOCK, NULL);
        return;
    }
    atomic_store(&run->suspects, false);
    for (ExecBlock *b = run->made_blocks; b; b = b->next_made) { /* none of them runs */
        b->calm = (ExecCalm){0};
        b->probe = 0;
    }
}

/* Whether the block is in a state in which it was before. */
static bool comes_back(ExecCalm *c, uint64_t state)
{
    if (c->turns++ > 0 && state == c->state)
        return true;
    if (c->turns == 1 || c->turns > c->length) {
        c->state = state;
        c->length = c->length ? c->length * 2 : 1;
        c->turns = 1;
    }
    return false;
}

void hang_note(ExecBlock *b, BlockOutcome outcome)
{
    ExecRun *run = b->run;
    ExecCalm *c = &b->calm;
    if (run->hang_off || outcome == BLOCK_NEEDS_TURN)
        return;
    bool changed = b->stored || outcome != BLOCK_GAVE_WAY;
    b->stored = false;
    if (changed) {
        run->epoch++;
        return;
    }
    if (c->epoch != run->epoch + 1) { /* 0: it has given up no turn yet */
        *c = (ExecCalm){.epoch = run->epoch + 1};
        return;
    }
    if (c->closed || wide_is_on(b) || !comes_back(c, state_of(b)))
        return;
    c->closed = true;
    atomic_store(&run->suspects, true);
    if (run->closed_epoch != run->epoch)
        run->n_closed = 0;
    run->closed_epoch = run->epoch;
    bool all_begun = run->next_start == run->n_blocks && run->n_turns == run->n_started;
    if (++run->n_closed == run->n_resident && (all_begun || run->n_resident >= run->resident_max))
        all_closed(run);
}

void hang_watch(ExecWarp *w, const ExecAccess *access)
{
    if (access->space != SPACE_GLOBAL)
        return;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const MemAlloc *a = access->alloc ? access->alloc : exec_find_alloc(w, access->addr[first_lane(left)], 1);
        if (a && (a->kind == MEM_MANAGED || a->kind == MEM_PINNED || a->kind == MEM_REGISTERED || a->shared))
            atomic_store(&w->block->run->host_seen, true);
        if (access->alloc)
            return;
    }
}

void hang_poll(ExecWarp *w, uint8_t space, uint64_t addr, uint32_t bytes)
{
    w->polls++;
    w->split->poll =
        (ExecPoll){.function = w->frame->function, .pc = w->pc, .bytes = bytes, .addr = addr, .space = space};
}

/* ---- telling ---- */

/* Lanes that wait at one place for one thing. */
typedef struct Group {
    Warp *warp; /* of the first one */
    const ExecSplit *split;
    const IrFunction *function;
    uint32_t pc;
    uint64_t count;
} Group;

typedef struct Groups {
    Group items[GROUPS_MAX];
    size_t n;
    uint64_t others;
} Groups;

static bool polls(const ExecSplit *s)
{
    return s->state == SPLIT_READY && s->poll.function == s->frame->function;
}

static uint32_t split_place(const ExecSplit *s)
{
    return s->state == SPLIT_BARRIER ? s->pc - 1 : polls(s) ? s->poll.pc : s->pc;
}

/* Several workers may come to the end at one time: the first one's word holds. */
enum { LOOKS_AT_CLOCK = 16 }; /* of so many looks one is at the clock */

static bool is_time_over(ExecRun *run)
{
    struct timespec t;
    uint64_t limit = run->launch->max_cpu_ns;
    if (limit == 0 || atomic_fetch_add_explicit(&run->looks, 1, memory_order_relaxed) % LOOKS_AT_CLOCK != 0)
        return false;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0 && (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec > limit;
}

bool hang_look(ExecRun *run)
{
    bool wanted = run->launch->interrupted && *run->launch->interrupted, over = !wanted && is_time_over(run);
    if (wanted || over)
        hang_stop(run, wanted ? FAULT_INTERRUPTED : FAULT_TIMEOUT, NULL);
    return wanted || over;
}

void hang_stop(ExecRun *run, ExecFaultKind kind, Warp *warp)
{
    bool none = false;
    if (!atomic_compare_exchange_strong(&run->stop, &none, true))
        return;
    run->hang.kind = (uint8_t)kind;
    run->hang.warp = warp;
    if (!warp)
        return;
    if (kind == FAULT_DEADLOCK) { /* it waits */
        const ExecSplit *s = &warp->splits[first_lane(warp->used)];
        run->hang.function = s->frame->function;
        run->hang.inst = &s->frame->function->insts[split_place(s)];
        run->hang.mask = s->mask;
        return;
    }
    run->hang.function = warp->base.frame ? warp->base.frame->function : run->entry;
    run->hang.inst = &warp->base.insts[warp->base.pc];
    run->hang.mask = warp->base.live ? warp->base.live : warp->exists;
}

static bool is_before(const Warp *a, const Warp *b)
{
    const ExecBlock *x = a->base.block, *y = b->base.block;
    return x->linear != y->linear ? x->linear < y->linear : a->base.index < b->base.index;
}

static bool is_alike(const Group *g, const ExecSplit *s)
{
    return g->function == s->frame->function && g->pc == split_place(s) && g->split->state == s->state &&
           g->split->barrier == s->barrier && polls(g->split) == polls(s) &&
           (!polls(s) || g->split->poll.addr == s->poll.addr);
}

static void add_split(Groups *all, Warp *warp, const ExecSplit *s)
{
    size_t i = 0;
    while (i < all->n && !is_alike(&all->items[i], s))
        i++;
    if (i == GROUPS_MAX) {
        all->others++;
        return;
    }
    Group *g = &all->items[i];
    if (i == all->n) {
        all->n++;
        *g = (Group){warp, s, s->frame->function, split_place(s), 0};
    }
    g->count++;
    if (is_before(warp, g->warp)) {
        g->warp = warp;
        g->split = s;
    }
}

static Groups find_groups(ExecRun *run)
{
    Groups all = {.n = 0};
    for (ExecBlock *b = run->made_blocks; b; b = b->next_made) {
        if (!b->worker || !b->live_threads)
            continue;
        if (wide_is_on(b))
            wide_leave(b);
        for (uint32_t i = 0; i < run->n_warps; i++)
            for (uint32_t left = b->warps[i].used; left; left &= left - 1)
                add_split(&all, &b->warps[i], &b->warps[i].splits[first_lane(left)]);
    }
    for (size_t i = 1; i < all.n; i++) /* in order of their first warps */
        for (size_t k = i; k > 0 && is_before(all.items[k].warp, all.items[k - 1].warp); k--) {
            Group g = all.items[k];
            all.items[k] = all.items[k - 1];
            all.items[k - 1] = g;
        }
    return all;
}

typedef struct Text {
    char text[DETAIL_BYTES];
    size_t used;
} Text;

static void hang_put_text(Text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->text + t->used, sizeof t->text - t->used, format, args);
    va_end(args);
    t->used += n > 0 ? (size_t)n : 0;
    if (t->used >= sizeof t->text)
        t->used = sizeof t->text - 1;
}

static void put_place(Text *t, const ExecRun *run, const Group *g)
{
    const IrInst *inst = &g->function->insts[g->pc];
    const IrLoc *loc = inst->loc < g->function->n_locs ? &g->function->locs[inst->loc] : NULL;
    if (!loc || !loc->line || loc->file >= run->module->n_files)
        return;
    const char *file = run->module->files[loc->file], *slash = strrchr(file, '/');
    hang_put_text(t, " at %s:%u", slash ? slash + 1 : file, loc->line);
}

static void put_polled(Text *t, Group *g)
{
    const ExecPoll *p = &g->split->poll;
    const MemAlloc *a = p->space == SPACE_GLOBAL ? exec_find_alloc(&g->warp->base, p->addr, 1) : NULL;
    hang_put_text(t, " %u bytes", p->bytes);
    if (p->space == SPACE_SHARED)
        hang_put_text(t, " of shared memory, at byte %llu", (unsigned long long)p->addr);
    else if (a && a->name)
        hang_put_text(t, " of the variable %s, at byte %llu", a->name,
                      (unsigned long long)(p->addr - a->addr));
    else if (a && a->kind != MEM_INTERNAL)
        hang_put_text(t, ", at byte %llu of an allocation of %llu bytes",
                      (unsigned long long)(p->addr - a->addr), (unsigned long long)a->bytes);
    else if (a)
        hang_put_text(t, " of the grid's barrier");
}

static void put_barrier(Text *t, const Group *g)
{
    const ExecBlock *b = g->warp->base.block;
    const ExecBarrier *bar = &b->barriers[g->split->barrier];
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < b->run->n_warps; i++)
        arrived += bits_count(bar->arrived[i]);
    hang_put_text(t, ", which %u of %u threads have reached", arrived,
                  bar->all ? b->live_threads : bar->count);
}

/* Live lanes that the operation's mask names and that do not stand there. */
static uint32_t missing_lanes(const Group *g)
{
    const ExecSplit *s = g->split;
    const IrOperand *o = sync_mask_operand(&g->function->insts[g->pc]);
    const ExecCode *code = worker_code(g->warp->base.block->worker, s->frame->index);
    uint32_t named = 0;
    if (!o || !code)
        return 0;
    const uint32_t *masks = (const uint32_t *)((o->kind == IR_CONST ? code->pool : s->frame->regs) + o->off);
    for (uint32_t left = s->mask; left; left &= left - 1)
        named |= masks[first_lane(left)];
    return named & g->warp->base.live & ~s->mask;
}

static void put_group(Text *t, const ExecRun *run, Group *g)
{
    const ExecSplit *s = g->split;
    const char *verb_end = g->count == 1 ? "s" : "";
    const uint32_t *block = g->warp->base.block->index;
    hang_put_text(t, t->used ? "; " : "");
    if (g->count > 1)
        hang_put_text(t, "%llu warps (the first is ", (unsigned long long)g->count);
    hang_put_text(t, "warp %u of block (%u,%u,%u)", g->warp->base.index, block[0], block[1], block[2]);
    if (s->mask != g->warp->exists)
        hang_put_text(t, ", lanes 0x%08x,", s->mask);
    hang_put_text(t, g->count > 1 ? ")" : "");
    if (s->state == SPLIT_BARRIER) {
        hang_put_text(t, " wait%s at barrier %u", verb_end, s->barrier);
        put_place(t, run, g);
        put_barrier(t, g);
    } else if (s->state == SPLIT_SYNC) {
        hang_put_text(t, " wait%s at a warp operation", verb_end);
        put_place(t, run, g);
        hang_put_text(t, " for lanes 0x%08x", missing_lanes(g));
    } else if (polls(s)) {
        hang_put_text(t, " read%s again and again", verb_end);
        put_polled(t, g);
        put_place(t, run, g);
    } else {
        hang_put_text(t, " run%s", verb_end);
        put_place(t, run, g);
    }
}

/* At least so many blocks have come to their end. Of those that a worker has begun ahead of their turn nothing is known. */
static uint64_t blocks_ended(const ExecRun *run)
{
    uint64_t open = (run->n_started - run->n_turns) * EXEC_ROW_MAX;
    for (const ExecBlock *b = run->made_blocks; b; b = b->next_made)
        open += b->live_threads == 0 ? 0 : b->n_planned ? b->n_planned : 1;
    return run->next_start > open ? run->next_start - open : 0;
}

void hang_tell(ExecRun *run)
{
    Text t = {.used = 0};
    if (!run->hang.kind || run->result->error != EXEC_OK)
        return;
    if (run->hang.kind == FAULT_DEADLOCK && run->next_start < run->n_blocks)
        hang_put_text(&t, "%llu of %llu blocks have not begun, for which there is no room yet", (unsigned long long)(run->n_blocks - run->next_start),
                      (unsigned long long)run->n_blocks);
    const uint64_t ended = run->hang.kind == FAULT_TIMEOUT ? blocks_ended(run) : 0;
    if (ended > 0)
        hang_put_text(&t, "%llu of %llu blocks have ended", (unsigned long long)ended, (unsigned long long)run->n_blocks);
    Groups all = find_groups(run);
    for (size_t i = 0; i < all.n; i++)
        put_group(&t, run, &all.items[i]);
    if (all.others)
        hang_put_text(&t, "; and %llu more", (unsigned long long)all.others);
    const Group *first = all.n ? &all.items[0] : NULL;
    Warp *warp = run->hang.warp ? run->hang.warp : first ? first->warp : run->made_blocks ? &run->made_blocks->warps[0] : NULL;
    if (!run->hang.warp) {
        run->hang.function = first ? first->function : run->entry;
        run->hang.inst = &run->hang.function->insts[first ? first->pc : 0];
        run->hang.mask = first ? first->split->mask : warp ? warp->exists : 1;
        if (run->hang.kind == FAULT_INTERRUPTED || run->hang.kind == FAULT_TIMEOUT) /* it happens once, not to each lane */
            run->hang.mask &= 0 - run->hang.mask;
    }
    const char *detail = t.used ? t.text : NULL;
    if (warp) {
        ExecBlock *b = warp->base.block;
        block_set_worker(b, b->worker ? b->worker : &run->workers[0]);
        exec_note(&warp->base, run->hang.function, run->hang.inst,
                  (ExecFault){.kind = run->hang.kind, .mask = run->hang.mask, .detail = detail});
    }
    exec_end(run, run->hang.kind, run->hang.function, run->hang.inst, detail);
}
