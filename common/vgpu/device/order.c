/* order: two operations of different streams on the same memory, one of which writes, with nothing that
 * orders them.
 *
 * Which of the two comes first is then chance on hardware, and the late execution here shows only one of the
 * ways. So this does not look at what happened but at what is promised. Every operation has a clock: for each
 * stream the number of its newest operation that must have ended before this one begins.
 *
 *      clock of an operation = what the host had waited for when it asked
 *                            + the operation before it in its stream
 *                            + events that its stream waits for, and the legacy default stream's rule
 *
 * Two operations are ordered when one is in the clock of the other. What an operation touches is noted in
 * pieces when it runs, and compared with what others have noted that the host has not waited for since.
 *
 * Limits: streams beyond ORDER_STREAMS at one time are not looked at; of an operation that touches memory in
 * very many pieces only the first are; and of operations that nobody waits for only the newest. A graph's nodes on one
 * device are taken to come one after the other: in the launching stream, or in the other device's default stream.
 */
#include "common/vgpu/device/queue.h"

#include <stdlib.h>

enum { PIECES_MAX = 4096, NOTES_MAX = 1024, NO_SLOT = ORDER_STREAMS };

typedef struct Piece {
    uint64_t from, to; /* addresses differ between devices */
    uint32_t serial;   /* of the allocation: it may be freed, and the place used again */
    uint8_t access;    /* PerfTouch */
} Piece;

struct OrderNote {
    uint64_t seq, site;
    OrderClock clock;
    uint8_t slot, kind, device; /* kind: QueueKind */
    bool in_default;            /* in the legacy default stream */
    bool waited_for_nothing;    /* as in QueueOp */
    Piece *pieces;
    size_t n, cap;
};

/* ---- clocks ---- */

void order_join(OrderClock *to, const OrderClock *from)
{
    for (int i = 0; i < ORDER_STREAMS; i++)
        if (to->seq[i] < from->seq[i])
            to->seq[i] = from->seq[i];
}

uint8_t order_take_slot(DeviceServer *s)
{
    for (uint8_t i = 0; i < ORDER_STREAMS; i++)
        if (!s->order.used[i]) {
            s->order.used[i] = true;
            return i;
        }
    return NO_SLOT;
}

void order_give_slot(DeviceServer *s, uint8_t slot)
{
    if (slot < NO_SLOT)
        s->order.used[slot] = false;
}

void order_asked(Device *d, QueueOp *op, Stream *stream)
{
    order_join(&op->clock, &d->server->order.host);
    order_join(&op->clock, &stream->clock);
    op->slot = stream->slot;
    op->waited_for_nothing = stream->waited_for_nothing;
    if (stream->slot < NO_SLOT)
        op->clock.seq[stream->slot] = op->seq;
    stream->clock = op->clock;
    order_join(&d->order_all, &op->clock);
    if (op->kind != QUEUE_FREE) {
        stream->work = op->clock;
        order_join(&d->order_work, &op->clock);
    }
}

void order_event(QueueOp *op, Stream *stream, const OrderClock *event)
{
    order_join(&op->clock, event);
    order_join(&stream->clock, event);
    order_join(&stream->work, event);
}

void order_waited(DeviceServer *s, const OrderClock *clock)
{
    order_join(&s->order.host, clock);
}

bool order_has_waited(const DeviceServer *s, const OrderClock *clock, uint8_t slot)
{
    for (int i = 0; i < ORDER_STREAMS; i++)
        if (clock->seq[i] > s->order.host.seq[i])
            return false;
    return slot < NO_SLOT;
}

/* ---- notes ---- */

static void free_note(OrderNote *note)
{
    free(note->pieces);
    free(note);
}

void order_free(DeviceServer *s)
{
    for (size_t i = 0; i < s->order.n; i++)
        free_note(s->order.notes[i]);
    free(s->order.notes);
    s->order.notes = NULL;
    s->order.n = 0;
}

/* When op is all that is queued, whatever is yet to come is later than what the host has waited for. */
static void forget_notes(DeviceServer *s, const QueueOp *op)
{
    OrderBook *book = &s->order;
    size_t kept = 0, drop = book->n >= NOTES_MAX ? NOTES_MAX / 2 : 0;
    for (size_t i = 0; i < book->n; i++) {
        const OrderNote *note = book->notes[i];
        bool past = s->queue.n <= 1 && note->seq <= book->host.seq[note->slot] &&
                    note->seq <= op->clock.seq[note->slot];
        if (past || i < drop)
            free_note(book->notes[i]);
        else
            book->notes[kept++] = book->notes[i];
    }
    book->n = kept;
}

void order_begin(Device *d, const QueueOp *op)
{
    OrderBook *book = &d->server->order;
    book->now = NULL;
    bool one_stream = d->server->n_streams_made == 0 && d->server->n_devices == 1;
    if (one_stream || op->slot >= NO_SLOT)
        return; /* the default stream alone: everything is in order */
    forget_notes(d->server, op);
    for (size_t i = 0; i < book->n && op->inside != 0; i++)
        if (book->notes[i]->seq == op->seq) { /* it runs again */
            book->now = book->notes[i];
            return;
        }
    if (!VEC_GROW(book->notes, book->n, book->cap))
        return;
    OrderNote *note = calloc(1, sizeof *note);
    if (!note)
        return;
    note->seq = op->seq;
    note->site = op->site;
    note->slot = op->slot;
    note->kind = op->kind;
    note->device = (uint8_t)op->device;
    note->in_default = op->stream == DEVICE_STREAM_LEGACY && !op->in_graph;
    note->waited_for_nothing = op->waited_for_nothing;
    note->clock = op->clock;
    if (op->inside != 0) /* after later ones of its stream, too, when it runs again */
        note->clock.seq[op->slot] = UINT64_MAX;
    book->notes[book->n++] = note;
    book->now = note;
}

bool order_wanted(const Device *d)
{
    return d->server->order.now != NULL;
}

/* b has run, or runs, a runs now: so b need not wait for a, and what a waits for has it in its clock, as a is itself. */
static bool in_order(const OrderNote *a, const OrderNote *b)
{
    return b->seq <= a->clock.seq[b->slot];
}

static bool clash(const Piece *a, const Piece *b)
{
    bool harmless = a->access == b->access && a->access != PERF_TOUCH_STORE;
    return a->serial == b->serial && !harmless && a->from < b->to && b->from < a->to;
}

static CheckStreamUse use_of(const OrderNote *note, const Piece *p)
{
    static const char *const words[] = {
        [QUEUE_LAUNCH] = "kernel", [QUEUE_COPY] = "copy", [QUEUE_FILL] = "memset", [QUEUE_FREE] = "free"};
    return (CheckStreamUse){.what = words[note->kind],
                            .access = note->kind == QUEUE_FREE         ? "frees"
                                      : p->access == PERF_TOUCH_LOAD   ? "reads"
                                      : p->access == PERF_TOUCH_ATOMIC ? "changes"
                                                                       : "writes",
                            .in_default = note->in_default,
                            .waited_for_nothing = note->waited_for_nothing,
                            .device = note->device,
                            .site = note->site};
}

static void compare_with_note(Device *d, const MemAlloc *a, const OrderNote *note, const Piece *p,
                              const OrderNote *other)
{
    for (size_t i = 0; i < other->n; i++)
        if (clash(p, &other->pieces[i])) {
            const Piece *q = &other->pieces[i];
            CheckStreamUse mine = use_of(note, p), theirs = use_of(other, q);
            uint64_t at = p->from > q->from ? p->from : q->from;
            bool earlier = note->seq < other->seq;
            check_stream_race(d->check, a, at, earlier ? &theirs : &mine, earlier ? &mine : &theirs);
            return;
        }
}

void order_touch(Device *d, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch access)
{
    OrderBook *book = &d->server->order;
    OrderNote *note = book->now;
    if (!note || from >= to || note->n >= PIECES_MAX || !VEC_GROW(note->pieces, note->n, note->cap))
        return;
    note->pieces[note->n] = (Piece){.from = from, .to = to, .serial = a->serial, .access = (uint8_t)access};
    const Piece *p = &note->pieces[note->n++];
    for (size_t i = 0; i < book->n; i++)
        if (!in_order(note, book->notes[i]))
            compare_with_note(d, a, note, p, book->notes[i]);
}
