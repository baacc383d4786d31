/* Asynchronous copies from global to shared memory: cp.async and cp.async.bulk (PTX ISA 9.7.9.25).
 *
 * Hardware writes shared memory at some moment between the instruction and the wait for it. Here the source
 * is read at once, and the data wait in a list of the warp until the latest moment that is allowed:
 *
 *      cp.async      the lane's wait_group or wait_all, or a test of a barrier that a cp.async.mbarrier.arrive
 *                    of the lane named after the copy
 *      bulk copies   a test of the barrier that the copy names
 *
 * so a read before the wait sees what was there before: the init checker speaks up, or the result is wrong
 * every time. The groups of a lane are numbered; an entry of the list keeps the number for each of its lanes.
 * Bulk copies to global memory are done at once.
 */
#include "common/vgpu/exec/async.h"
#include "common/vgpu/exec/split.h"

#include <string.h>

enum { PIECE_BYTES = 16 };

typedef enum EntryKind { ENTRY_COPY, ENTRY_ARRIVE, ENTRY_BULK } EntryKind;

typedef struct Entry {
    struct Entry *next;
    const IrInst *inst;
    const IrFunction *function;
    uint32_t mask; /* lanes that wait */
    uint32_t group[WARP_LANES];
    uint64_t to[WARP_LANES]; /* in shared memory: of the data; of an arrival, the barrier */
    uint64_t barrier;        /* bulk */
    uint32_t bytes;          /* of a lane */
    uint8_t kind;            /* EntryKind */
    size_t cap;
    uint8_t *data; /* [lane][bytes]; bulk: of its one lane */
} Entry;

typedef struct WarpCopies {
    Entry *first, *last;
    uint32_t group[WARP_LANES]; /* that is being filled */
} WarpCopies;

typedef struct AsyncState {
    WarpCopies warps[EXEC_WARPS_MAX];
    Entry *free;
} AsyncState;

void async_begin_block(ExecBlock *b)
{
    AsyncState *s = b->async;
    for (uint32_t i = 0; s && i < EXEC_WARPS_MAX; i++) {
        WarpCopies *c = &s->warps[i];
        if (c->last) {
            c->last->next = s->free;
            s->free = c->first;
        }
        *c = (WarpCopies){0};
    }
}

static AsyncState *state_of(ExecBlock *b)
{
    if (!b->async) {
        b->async = block_alloc(b, sizeof *b->async);
        if (b->async)
            memset(b->async, 0, sizeof *b->async);
    }
    return b->async;
}

/* An entry with room for so many bytes of data, from the free ones or new. */
static Entry *take_entry(AsyncState *s, ExecBlock *b, size_t bytes)
{
    Entry **at = &s->free;
    while (*at && (*at)->cap < bytes)
        at = &(*at)->next;
    Entry *e = *at;
    if (e) {
        *at = e->next;
        return e;
    }
    e = block_alloc(b, sizeof *e);
    uint8_t *data = e ? block_alloc(b, bytes) : NULL;
    if (!data)
        return NULL;
    e->cap = bytes;
    e->data = data;
    return e;
}

/* Appends an entry for the lanes of mask; NULL: the launch has failed. */
static Entry *add_entry(ExecWarp *w, const IrInst *inst, uint32_t mask, EntryKind kind, uint32_t bytes)
{
    ExecBlock *b = w->block;
    AsyncState *s = state_of(b);
    size_t room = (size_t)bytes * (kind == ENTRY_BULK ? 1 : WARP_LANES);
    Entry *e = s ? take_entry(s, b, room < PIECE_BYTES * WARP_LANES ? PIECE_BYTES * WARP_LANES : room) : NULL;
    if (!e) {
        exec_fail(b->run, EXEC_NO_MEMORY, "no memory for an asynchronous copy");
        warp_stop(w, ACTION_STOP);
        return NULL;
    }
    WarpCopies *c = &s->warps[w->index];
    e->next = NULL;
    e->inst = inst;
    e->function = w->frame->function;
    e->mask = mask;
    e->kind = (uint8_t)kind;
    e->bytes = bytes;
    memcpy(e->group, c->group, sizeof e->group);
    *(c->last ? &c->last->next : &c->first) = e;
    c->last = e;
    return e;
}

/* ---- landing ---- */

static Transfer shared_store(ExecWarp *w, const Entry *e, uint32_t bytes, ExecAsync async)
{
    return (Transfer){.w = w,
                      .function = e->function,
                      .inst = e->inst,
                      .kind = ACCESS_STORE,
                      .space = SPACE_SHARED,
                      .async = (uint8_t)async,
                      .bytes = bytes,
                      .align = 1};
}

static void land_copy(ExecWarp *w, const Entry *e, uint32_t lanes)
{
    uint8_t *host[WARP_LANES];
    Transfer t = shared_store(w, e, e->bytes, ACCESS_LANDS);
    t.data = e->data;
    t.data_stride = e->bytes;
    if (!transfer_reach(&t, lanes, e->to, host))
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        memcpy(host[lane], e->data + (size_t)lane * e->bytes, e->bytes);
    }
}

/* In pieces of 16 bytes, as far as observers see it. True: all were within bounds. */
static bool tell_bulk(ExecWarp *w, const Entry *e, int lane, ExecAsync async, uint8_t *to)
{
    for (uint32_t at = 0; at < e->bytes; at += PIECE_BYTES) {
        uint64_t addr[WARP_LANES] = {0};
        uint8_t *host[WARP_LANES];
        Transfer t = shared_store(w, e, PIECE_BYTES, async);
        t.align = PIECE_BYTES;
        addr[lane] = e->to[lane] + at;
        if (!transfer_reach(&t, 1u << lane, addr, host))
            return false;
        if (to)
            memcpy(host[lane], to + at, PIECE_BYTES);
    }
    return true;
}

static void land_bulk(ExecWarp *w, const Entry *e)
{
    bool ok;
    int lane = first_lane(e->mask);
    Arrival a = {
        .w = w, .function = e->function, .inst = e->inst, .barrier = e->barrier, .bytes = -(int64_t)e->bytes};
    if (tell_bulk(w, e, lane, ACCESS_LANDS, e->data))
        mbarrier_arrive(&a, lane, &ok);
}

static void land_arrivals(ExecWarp *w, const Entry *e, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        bool ok;
        int lane = first_lane(left);
        Arrival a = {.w = w, .function = e->function, .inst = e->inst, .barrier = e->to[lane], .arrivals = 1};
        mbarrier_arrive(&a, lane, &ok);
        if (!ok)
            return;
    }
}

static void land(ExecWarp *w, Entry *e, uint32_t lanes)
{
    if (e->kind == ENTRY_COPY)
        land_copy(w, e, lanes);
    else if (e->kind == ENTRY_ARRIVE)
        land_arrivals(w, e, lanes);
    else
        land_bulk(w, e);
    e->mask &= ~lanes;
}

/* Takes the entries that no lane waits for out of the list. */
static void sweep(AsyncState *s, WarpCopies *c)
{
    Entry *last = NULL;
    for (Entry **at = &c->first; *at;) {
        Entry *e = *at;
        if (e->mask) {
            last = e;
            at = &e->next;
            continue;
        }
        *at = e->next;
        e->next = s->free;
        s->free = e;
    }
    c->last = last;
}

/* Lanes of mask: what they put into groups up to limit[lane] lands, in order. */
static void land_groups(ExecWarp *w, uint32_t mask, const int64_t *limit)
{
    AsyncState *s = w->block->async;
    if (!s)
        return;
    WarpCopies *c = &s->warps[w->index];
    for (Entry *e = c->first; e; e = e->next) {
        uint32_t lanes = 0;
        for (uint32_t left = e->kind == ENTRY_BULK ? 0 : e->mask & mask; left; left &= left - 1)
            lanes |= e->group[first_lane(left)] <= limit[first_lane(left)] ? 1u << first_lane(left) : 0;
        if (lanes)
            land(w, e, lanes);
    }
    sweep(s, c);
}

/* What a warp has under way for a barrier: its bulk copies, and each lane's copies up to its last arrival
 * there. */
static void land_of_warp(ExecWarp *w, AsyncState *s, uint64_t barrier)
{
    WarpCopies *c = &s->warps[w->index];
    uint32_t ahead[WARP_LANES] = {0}; /* arrivals at the barrier that are still to come */
    for (Entry *e = c->first; e; e = e->next)
        for (uint32_t left = e->kind == ENTRY_ARRIVE ? e->mask : 0; left; left &= left - 1)
            ahead[first_lane(left)] += e->to[first_lane(left)] == barrier;
    for (Entry *e = c->first; e; e = e->next) {
        uint32_t lanes = 0;
        for (uint32_t left = e->mask; left; left &= left - 1) {
            int lane = first_lane(left);
            bool due = e->kind == ENTRY_BULK ? e->barrier == barrier : ahead[lane] > 0;
            lanes |= due ? 1u << lane : 0;
            ahead[lane] -= due && e->kind == ENTRY_ARRIVE && e->to[lane] == barrier;
        }
        if (lanes)
            land(w, e, lanes);
    }
    sweep(s, c);
}

void async_land_for(ExecBlock *b, uint64_t barrier)
{
    for (uint32_t i = 0; b->async && i < b->run->n_warps; i++)
        if (b->async->warps[i].first)
            land_of_warp(&b->warps[i].base, b->async, barrier);
}

/* ---- cp.async ---- */

/* Bytes that a lane reads; the rest of what it writes is zero. */
static uint32_t bytes_to_read(const ExecWarp *w, const IrInst *inst, int lane)
{
    uint32_t size = (uint32_t)inst->offset;
    if (inst->src[3].kind != IR_NONE && warp_pred(w, &inst->src[3]) >> lane & 1)
        return 0;
    uint64_t n = inst->src[2].kind == IR_NONE ? size : operand_value(w, &inst->src[2], lane);
    return n < size ? (uint32_t)n : size;
}

/* Reads the sources of an entry's lanes, all of those that read `bytes`. */
static bool read_sources(ExecWarp *w, Entry *e, uint32_t lanes, const uint64_t *from, uint32_t bytes)
{
    uint8_t *host[WARP_LANES];
    Transfer t = {.w = w,
                  .function = e->function,
                  .inst = e->inst,
                  .kind = ACCESS_LOAD,
                  .space = SPACE_GLOBAL,
                  .bytes = bytes,
                  .align = e->bytes};
    if (!transfer_reach(&t, lanes, from, host))
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        memcpy(e->data + (size_t)lane * e->bytes, host[lane], bytes);
    }
    return true;
}

static void forget_copy(ExecWarp *w, Entry *e)
{
    e->mask = 0;
    sweep(w->block->async, &w->block->async->warps[w->index]);
}

void async_copy(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint32_t size = (uint32_t)inst->offset, reads[WARP_LANES];
    uint64_t from[WARP_LANES] = {0};
    uint8_t *host[WARP_LANES];
    Entry *e = add_entry(w, inst, mask, ENTRY_COPY, size);
    if (!e)
        return;
    memset(e->data, 0, (size_t)size * WARP_LANES);
    memset(e->to, 0, sizeof e->to);
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        e->to[lane] = async_shared_offset(inst, operand_value(w, &inst->src[0], lane));
        from[lane] = operand_value(w, &inst->src[1], lane);
        reads[lane] = bytes_to_read(w, inst, lane);
    }
    for (uint32_t left = mask; left;) { /* lanes that read equally much together */
        uint32_t n = reads[first_lane(left)], lanes = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            lanes |= reads[first_lane(rest)] == n ? 1u << first_lane(rest) : 0;
        if (n && !read_sources(w, e, lanes, from, n)) {
            forget_copy(w, e);
            return;
        }
        left &= ~lanes;
    }
    Transfer t = shared_store(w, e, size, ACCESS_BEGINS);
    t.align = size;
    t.data = e->data;
    t.data_stride = size;
    if (!transfer_reach(&t, mask, e->to, host))
        forget_copy(w, e);
}

void async_commit(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)inst;
    AsyncState *s = state_of(w->block);
    for (uint32_t left = s ? mask : 0; left; left &= left - 1)
        s->warps[w->index].group[first_lane(left)]++;
}

/* All but the last N groups that a lane has committed. */
void async_wait_group(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    int64_t limit[WARP_LANES];
    const AsyncState *s = w->block->async;
    for (int lane = 0; s && lane < WARP_LANES; lane++)
        limit[lane] = (int64_t)s->warps[w->index].group[lane] - 1 - inst->mode;
    if (s)
        land_groups(w, mask, limit);
}

void async_wait_all(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    (void)inst;
    int64_t limit[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        limit[lane] = UINT32_MAX;
    land_groups(w, mask, limit);
}

void async_arrive_after(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Entry *e = add_entry(w, inst, mask, ENTRY_ARRIVE, 0);
    if (!e)
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        e->to[lane] = async_shared_offset(inst, operand_value(w, &inst->src[0], lane));
        Arrival a = {.w = w, .function = e->function, .inst = inst, .barrier = e->to[lane]};
        if (inst->async == ASYNC_ARRIVE_AFTER && !mbarrier_await_more(&a, lane)) {
            forget_copy(w, e);
            return;
        }
    }
}

/* ---- bulk copies ---- */

static bool is_bulk_size(ExecWarp *w, const IrInst *inst, int lane, uint64_t bytes)
{
    if (bytes % PIECE_BYTES == 0)
        return true;
    exec_fault(w, inst,
               (ExecFault){.kind = FAULT_TRAP,
                           .mask = 1u << lane,
                           .detail = "the size of a bulk copy must be a multiple of 16 bytes"});
    return false;
}

/* Reads or writes a stretch in pieces of 16 bytes. */
static bool move_stretch(ExecWarp *w, const IrInst *inst, int lane, uint8_t kind, uint8_t space, uint64_t at,
                         uint8_t *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += PIECE_BYTES) {
        uint64_t addr[WARP_LANES] = {0};
        uint8_t *host[WARP_LANES];
        Transfer t = {.w = w,
                      .function = w->frame->function,
                      .inst = inst,
                      .kind = kind,
                      .space = space,
                      .bytes = PIECE_BYTES,
                      .align = PIECE_BYTES};
        addr[lane] = at + i;
        if (!transfer_reach(&t, 1u << lane, addr, host))
            return false;
        memcpy(kind == ACCESS_LOAD ? data + i : host[lane], kind == ACCESS_LOAD ? host[lane] : data + i,
               PIECE_BYTES);
    }
    return true;
}

static bool bulk_load_lane(ExecWarp *w, const IrInst *inst, int lane)
{
    uint32_t bytes = (uint32_t)operand_value(w, &inst->src[2], lane);
    uint64_t from = operand_value(w, &inst->src[1], lane);
    bool shared = inst->async == ASYNC_BULK_LOAD_SHARED;
    uint64_t room = w->block->run->shared_bytes; /* an impossible size needs no buffer of that size */
    if (!is_bulk_size(w, inst, lane, bytes))
        return false;
    Entry *e =
        add_entry(w, inst, 1u << lane, ENTRY_BULK, bytes <= room ? bytes : (uint32_t)room / 16 * 16 + 16);
    if (!e)
        return false;
    memset(e->to, 0, sizeof e->to);
    e->to[lane] = async_shared_offset(inst, operand_value(w, &inst->src[0], lane));
    e->barrier = async_shared_offset(inst, operand_value(w, &inst->src[3], lane));
    bool ok = tell_bulk(w, e, lane, ACCESS_BEGINS, NULL) &&
              move_stretch(w, inst, lane, ACCESS_LOAD, shared ? SPACE_SHARED : SPACE_GLOBAL,
                           shared ? async_shared_offset(inst, from) : from, e->data, e->bytes);
    if (!ok)
        forget_copy(w, e);
    return ok;
}

void async_bulk_load(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1)
        if (!bulk_load_lane(w, inst, first_lane(left)))
            return;
}

void async_bulk_store(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint32_t bytes = (uint32_t)operand_value(w, &inst->src[2], lane);
        uint64_t to = operand_value(w, &inst->src[0], lane);
        uint64_t from = async_shared_offset(inst, operand_value(w, &inst->src[1], lane));
        if (!is_bulk_size(w, inst, lane, bytes))
            return;
        for (uint32_t i = 0; i < bytes; i += PIECE_BYTES) {
            uint8_t piece[PIECE_BYTES];
            if (!move_stretch(w, inst, lane, ACCESS_LOAD, SPACE_SHARED, from + i, piece, PIECE_BYTES) ||
                !move_stretch(w, inst, lane, ACCESS_STORE, SPACE_GLOBAL, to + i, piece, PIECE_BYTES))
                return;
        }
    }
    w->polls = 0;
}
