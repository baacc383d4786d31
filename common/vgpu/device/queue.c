/* queue: operations of streams, and the order in which they run.
 *
 * An operation gets a number when it is asked for. It depends on the operation before it in its stream, and
 * on those in other streams that an event or the legacy default stream makes it wait for; all of them have
 * lower numbers. It runs when somebody waits for it: then what it needs is marked, from the newest down, and
 * runs in ascending order.
 *
 *      asked for:  1:A  2:B  3:A  4:B(waits for 1)  5:A        wait for 4  ->  runs 1 2 4
 *                                                               wait for 5  ->  runs 3 5
 *
 * Operations inside a branch (branch.c) run when it does, and as often as it says.
 *
 * A kernel that fails leaves its device with a sticky error: what is queued there is dropped, as with
 * hardware.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/queue.h"
#include "common/vgpu/device/share.h"

#include <stdlib.h>
#include <string.h>

enum { BRANCH_DEPTH_MAX = 32 };

/* The operation with this number, which may have ended; or NULL. */
static QueueOp *find_any(const Queue *q, uint64_t seq)
{
    size_t low = 0, high = q->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (q->ops[mid]->seq < seq)
            low = mid + 1;
        else
            high = mid;
    }
    return low < q->n && q->ops[low]->seq == seq ? q->ops[low] : NULL;
}

static QueueOp *find_op(const Queue *q, uint64_t seq)
{
    QueueOp *op = find_any(q, seq);
    return op && !op->done ? op : NULL;
}

bool queue_pending(const DeviceServer *s, uint64_t seq)
{
    return seq != 0 && find_op(&s->queue, seq);
}

static void add_dep(DeviceServer *s, QueueOp *op, uint64_t seq)
{
    if (queue_pending(s, seq) && VEC_GROW(op->deps, op->n_deps, op->deps_cap))
        op->deps[op->n_deps++] = seq;
}

static void not_before(QueueOp *op, uint64_t ns)
{
    if (op->ready_ns < ns)
        op->ready_ns = ns;
}

/* The legacy default stream waits for every blocking stream, and they for it. */
static void add_legacy_deps(Device *d, QueueOp *op, const Stream *stream)
{
    DeviceServer *s = d->server;
    if (stream->flags & DEVICE_STREAM_NONBLOCKING)
        return;
    for (size_t i = 0; i < d->n_streams; i++) {
        const Stream *other = d->streams[i];
        bool waits = stream->id == DEVICE_STREAM_LEGACY ? i > 0 && !(other->flags & DEVICE_STREAM_NONBLOCKING)
                                                        : i == 0;
        if (waits) {
            add_dep(s, op, other->last_seq);
            order_join(&op->clock, &other->clock);
            not_before(op, other->end_ns);
        }
    }
}

/* What the message names: those that ended are at most as late as the stream. A graph's operations on several devices are in streams of these. */
static void add_named_deps(Device *d, QueueOp *op, const Stream *stream, const DeviceMsg *m)
{
    for (size_t i = 0; i < m->n_after; i++) {
        const QueueOp *named = find_any(&d->server->queue, m->after[i]);
        if (m->after[i] != 0)
            order_join(&op->clock, named ? &named->clock : &d->server->order.ended);
        add_dep(d->server, op, m->after[i]);
        if (m->after[i] != 0 && !queue_pending(d->server, m->after[i]))
            not_before(op, stream->end_ns);
    }
}

static void free_op(QueueOp *op)
{
    free(op->deps);
    free(op->params);
    free(op);
}

/* Room in a stream's queue is limited, as with hardware: the oldest half runs when it is full. */
static void make_room(Device *d, Stream *stream)
{
    if (stream->n_queued < DEVICE_LAUNCHES_QUEUED_MAX)
        return;
    uint64_t seq = 0;
    size_t seen = 0;
    for (size_t i = 0; i < d->server->queue.n && seen < DEVICE_LAUNCHES_QUEUED_MAX / 2; i++) {
        const QueueOp *op = d->server->queue.ops[i];
        if (op->device == d->index && op->stream == stream->id && !op->done) {
            seq = op->seq;
            seen++;
        }
    }
    queue_run(d->server, seq);
}

/* The branch that the message names: waiting, in the same stream, and with room for one more inside; else NULL. */
static const QueueOp *branch_of(Device *d, const DeviceMsg *m, QueueKind kind)
{
    const QueueOp *branch = find_op(&d->server->queue, m->inside);
    bool fits = kind == QUEUE_LAUNCH || kind == QUEUE_COPY || kind == QUEUE_FILL || kind == QUEUE_WAIT || kind == QUEUE_BRANCH;
    bool same = branch && branch->kind == QUEUE_BRANCH && branch->device == d->index && branch->stream == m->stream;
    return fits && same && m->place == PLACE_GRAPH && branch->depth < BRANCH_DEPTH_MAX ? branch : NULL;
}

QueueOp *queue_add(Device *d, const DeviceMsg *m, QueueKind kind)
{
    DeviceServer *s = d->server;
    Stream *stream = stream_find(d, m->stream);
    const QueueOp *branch = m->inside == 0 ? NULL : branch_of(d, m, kind);
    if (!stream || stream->destroyed || (m->inside != 0 && !branch))
        return NULL;
    if (!branch)
        make_room(d, stream);
    QueueOp *op = calloc(1, sizeof *op);
    if (!op || !VEC_GROW(s->queue.ops, s->queue.n, s->queue.cap)) {
        free(op);
        return NULL;
    }
    op->seq = ++s->queue.last_seq;
    op->kind = (uint8_t)kind;
    op->device = d->index;
    op->stream = m->stream;
    op->site = m->site;
    op->ready_ns = s->host_ns;
    op->in_graph = m->place == PLACE_GRAPH;
    op->inside = m->inside;
    op->body = m->body;
    op->depth = branch ? branch->depth + 1 : 0;
    add_named_deps(d, op, stream, m);
    if (!op->in_graph) {
        op->prev_in_stream = stream->last_seq;
        add_legacy_deps(d, op, stream);
        stream->last_seq = op->seq;
    }
    order_asked(d, op, stream);
    s->queue.ops[s->queue.n++] = op;
    s->reply->seq = op->seq;
    if (!branch && stream->n_queued++ == 0)
        stream->first_asked_ns = s->host_ns;
    return op;
}

/* ---- copies between devices in the default stream ---- */

static bool one_of(const Device *const devices[3], const Device *d)
{
    return d == devices[0] || d == devices[1] || d == devices[2];
}

/* All streams of the devices, but for the one that the operation is in. */
static void each_stream(QueueOp *op, const Device *const devices[3],
                        void (*visit)(Device *, Stream *, QueueOp *))
{
    DeviceServer *s = devices[0]->server;
    for (uint32_t k = 0; k < s->n_devices; k++) {
        Device *d = s->devices[k];
        for (size_t i = 0; i < d->n_streams && one_of(devices, d); i++)
            if (d->index != op->device || d->streams[i]->id != op->stream)
                visit(d, d->streams[i], op);
    }
}

static void wait_for_stream(Device *d, Stream *other, QueueOp *op)
{
    add_dep(d->server, op, other->last_seq);
    order_join(&op->clock, &other->clock);
    not_before(op, other->end_ns);
}

static void let_stream_wait(Device *d, Stream *other, QueueOp *op)
{
    const DeviceMsg mark = {.op = OP_STREAM_MARK,
                            .device = d->index,
                            .stream = other->id,
                            .site = op->site,
                            .after = &op->seq,
                            .n_after = 1};
    QueueOp *wait = other->destroyed ? NULL : queue_add(d, &mark, QUEUE_WAIT);
    if (wait)
        order_event(wait, other, &op->clock);
}

/* Such a copy begins when everything on both devices has ended, and what is asked for later on either waits
 * for it (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy"). */
void queue_fence(QueueOp *op, const Device *a, const Device *b)
{
    DeviceServer *s = a->server;
    const Device *const devices[3] = {s->devices[op->device], a, b};
    Stream *own = stream_find(s->devices[op->device], op->stream);
    uint64_t seq = s->reply->seq;
    each_stream(op, devices, wait_for_stream);
    order_join(&own->clock, &op->clock);
    order_join(&own->work, &op->clock);
    each_stream(op, devices, let_stream_wait);
    s->reply->seq = seq;
}

/* ---- running ---- */

static const char *const kind_names[] = {
    [QUEUE_LAUNCH] = "kernel", [QUEUE_COPY] = "copy",       [QUEUE_FILL] = "memset",
    [QUEUE_RECORD] = "event",  [QUEUE_WAIT] = "wait",       [QUEUE_HOST] = "host function",
    [QUEUE_FREE] = "free",     [QUEUE_MIGRATE] = "prefetch", [QUEUE_CONDITION] = "condition",
    [QUEUE_BRANCH] = "branch"};

static void end_op(Device *d, QueueOp *op, uint64_t end_ns)
{
    Stream *stream = stream_find(d, op->stream);
    if (stream) {
        if (stream->end_ns < end_ns)
            stream->end_ns = end_ns;
        stream->n_queued -= op->inside == 0;
        stream->n_queries = 0;
        stream_reap(d, stream);
    }
    if (d->end_ns < end_ns)
        d->end_ns = end_ns;
    op->done = true;
    op->end_ns = end_ns;
    for (size_t i = 0; i < d->server->queue.n; i++) {
        QueueOp *other = d->server->queue.ops[i];
        for (size_t k = 0; k < other->n_deps; k++)
            if (other->deps[k] == op->seq)
                not_before(other, end_ns);
    }
}

static void run_event(DeviceServer *s, const QueueOp *op, uint64_t at_ns)
{
    Event *e = event_find(s, op->event.id);
    if (!e)
        return;
    if (op->kind == QUEUE_RECORD && e->record_seq == op->seq) {
        e->done = true;
        e->end_ns = at_ns;
    }
}

/* A copy's name on the time line. */
static const char *copy_name(Engine e)
{
    return e == ENGINE_TO_DEVICE ? "copy to device" : e == ENGINE_TO_HOST ? "copy to host" : "copy on device";
}

/* A free is a write of all of it, as far as order is concerned. */
static void touch_freed(Device *d, uint64_t addr)
{
    const MemAlloc *a = mem_find(d->mem, addr);
    if (a)
        order_touch(d, a, a->addr, a->addr + a->bytes, PERF_TOUCH_STORE);
}

void queue_run_op(Device *d, QueueOp *op)
{
    Stream *stream = stream_find(d, op->stream);
    if (stream && !op->in_graph)
        not_before(op, stream->end_ns);
    Engine engine = ENGINE_COMPUTE;
    uint64_t duration = 0, bytes = 0;
    double share = 1;
    const char *name = kind_names[op->kind];
    if (d->server->n_opened > 0)
        share_look(d->server);
    order_begin(d, op);
    switch ((QueueKind)op->kind) {
    case QUEUE_LAUNCH:
        duration = launch_run(d, op, &share);
        name = d->launch_kernel;
        break;
    case QUEUE_COPY:
        duration = copy_run(d, op, &engine, &bytes);
        name = copy_name(engine);
        break;
    case QUEUE_FILL:
        duration = fill_run(d, op);
        engine = ENGINE_DEVICE_COPY;
        bytes = op->fill.width * op->fill.height * op->fill.depth;
        break;
    case QUEUE_MIGRATE:
        duration = managed_prefetch(d, op, &engine);
        bytes = op->range.bytes;
        break;
    case QUEUE_FREE:
        touch_freed(d, op->range.addr);
        device_free_now(d, op->range.addr, op->site);
        break;
    case QUEUE_RECORD:
    case QUEUE_WAIT:
        run_event(d->server, op, op->ready_ns);
        break;
    case QUEUE_CONDITION:
        condition_run(d, op);
        break;
    case QUEUE_BRANCH:
        op->ready_ns = branch_run(d, op);
        break;
    case QUEUE_HOST:
        break;
    }
    uint64_t start = duration > 0 ? clock_place(d, engine, op->ready_ns, duration, share) : op->ready_ns;
    if (duration > 0) {
        clock_count(d, start, duration);
        record_span(d, op, kind_names[op->kind], name, start,
                    start + (op->kind == QUEUE_LAUNCH ? d->launch_ns : duration), bytes);
    }
    if (op->kind == QUEUE_LAUNCH)
        family_record(d, op, start);
    end_op(d, op, start + duration);
}

static void compact(DeviceServer *s)
{
    Queue *q = &s->queue;
    size_t kept = 0;
    for (size_t i = 0; i < q->n; i++) {
        if (!q->ops[i]->done) {
            q->ops[kept++] = q->ops[i];
            continue;
        }
        if (q->ops[i]->in_graph || q->ops[i]->kind == QUEUE_WAIT)
            order_join(&s->order.ended, &q->ops[i]->clock);
        free_op(q->ops[i]);
    }
    q->n = kept;
}

void queue_drop(Device *d)
{
    Queue *q = &d->server->queue;
    for (size_t i = 0; i < q->n; i++)
        if (q->ops[i]->device == d->index && !q->ops[i]->done) {
            if (q->ops[i]->kind == QUEUE_RECORD)
                run_event(d->server, q->ops[i], d->end_ns);
            end_op(d, q->ops[i], d->end_ns);
        }
}

/* Marks what the marked operations need. From the newest down, since all that an operation needs is older. */
static void mark_needed(Queue *q)
{
    for (size_t i = q->n; i-- > 0;) {
        QueueOp *op = q->ops[i];
        if (!op->needed || op->done)
            continue;
        QueueOp *prev = find_op(q, op->prev_in_stream), *branch = find_op(q, op->inside);
        if (prev)
            prev->needed = true;
        if (branch)
            branch->needed = true;
        for (size_t k = 0; k < op->n_deps; k++) {
            QueueOp *dep = find_op(q, op->deps[k]);
            if (dep)
                dep->needed = true;
        }
    }
}

/* Runs marked operations in order. Stops at a host function, which runs on the caller's side. */
static DeviceError run_needed(DeviceServer *s)
{
    DeviceError result = DEVICE_OK;
    for (size_t i = 0; i < s->queue.n && result == DEVICE_OK; i++) {
        QueueOp *op = s->queue.ops[i];
        if (!op->needed || op->done || op->inside != 0)
            continue;
        Device *d = s->devices[op->device];
        if (op->kind == QUEUE_HOST) {
            s->reply->token = op->host.token;
            result = DEVICE_HOST_WORK;
            continue;
        }
        queue_run_op(d, op);
        if (d->error != DEVICE_OK)
            queue_drop(d);
    }
    for (size_t i = 0; i < s->queue.n; i++)
        s->queue.ops[i]->needed = false;
    compact(s);
    return result;
}

DeviceError queue_run(DeviceServer *s, uint64_t seq)
{
    QueueOp *op = find_op(&s->queue, seq);
    if (!op)
        return DEVICE_OK;
    op->needed = true;
    mark_needed(&s->queue);
    return run_needed(s);
}

static bool is_behind(const Queue *q, const QueueOp *op, const QueueOp *first)
{
    const QueueOp *prev = find_op(q, op->prev_in_stream), *branch = find_op(q, op->inside);
    bool behind = (prev && (prev == first || prev->behind)) || (branch && branch->behind);
    for (size_t i = 0; i < op->n_deps && !behind; i++) {
        const QueueOp *dep = find_op(q, op->deps[i]);
        behind = dep && (dep == first || dep->behind);
    }
    return behind;
}

bool queue_has_writers_beside(DeviceServer *s, const QueueOp *first)
{
    bool any = false;
    for (size_t i = 0; i < s->queue.n; i++) { /* what an operation waits for stands before it */
        QueueOp *op = s->queue.ops[i];
        bool writes = op->kind == QUEUE_LAUNCH || op->kind == QUEUE_COPY || op->kind == QUEUE_FILL || op->kind == QUEUE_HOST;
        op->behind = is_behind(&s->queue, op, first);
        any |= writes && !op->done && op != first && !op->behind;
    }
    return any;
}

DeviceError queue_run_stream(Device *d, Stream *stream)
{
    return queue_run(d->server, stream->last_seq);
}

DeviceError queue_run_device(Device *d)
{
    Queue *q = &d->server->queue;
    for (size_t i = 0; i < q->n; i++)
        q->ops[i]->needed = q->ops[i]->device == d->index;
    mark_needed(q);
    return run_needed(d->server);
}

void queue_host_done(DeviceServer *s, uint64_t token)
{
    for (size_t i = 0; i < s->queue.n; i++) {
        QueueOp *op = s->queue.ops[i];
        if (op->kind == QUEUE_HOST && op->host.token == token && !op->done) {
            queue_run_op(s->devices[op->device], op);
            break;
        }
    }
    compact(s);
}
