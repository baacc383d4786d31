/* stream: streams and events: making, destroying, waiting, asking.
 *
 * Waiting runs what is queued and moves the host's clock to its end. Asking (query) answers "not ready" the
 * first time without running anything; from then on the work has run, and each further question lets host
 * time pass until the modelled end is reached, so that a loop that polls always ends.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/queue.h"
#include "common/vgpu/device/share.h"

#include <stdlib.h>

/* Host time that passes in a query that finds work unfinished; doubles with each one in a row. */
enum { QUERY_NS = 1000, QUERY_DOUBLINGS_MAX = 20 };

void host_wait(DeviceServer *s, uint64_t end_ns)
{
    if (s->host_ns < end_ns)
        s->host_ns = end_ns;
    for (uint32_t i = 0; i < s->n_devices; i++)
        device_trim_pool(s->devices[i]);
}

/* ---- streams ---- */

Stream *stream_find(Device *d, uint32_t id)
{
    for (size_t i = 0; i < d->n_streams; i++)
        if (d->streams[i]->id == id)
            return d->streams[i];
    return NULL;
}

static Stream *make_stream(Device *d, uint32_t id, uint32_t flags, int32_t priority)
{
    Stream *stream = calloc(1, sizeof *stream);
    if (!stream || !VEC_GROW(d->streams, d->n_streams, d->streams_cap)) {
        free(stream);
        return NULL;
    }
    stream->id = id;
    stream->flags = flags;
    stream->priority = priority > 0                         ? 0
                       : priority < DEVICE_PRIORITY_HIGHEST ? DEVICE_PRIORITY_HIGHEST
                                                            : priority;
    stream->slot = order_take_slot(d->server);
    d->streams[d->n_streams++] = stream;
    return stream;
}

Status stream_make_default(Device *d)
{
    return make_stream(d, DEVICE_STREAM_LEGACY, 0, 0) ? STATUS_OK : STATUS_NO_MEMORY;
}

void stream_free_all(Device *d)
{
    for (size_t i = 0; i < d->n_streams; i++) {
        order_give_slot(d->server, d->streams[i]->slot);
        free(d->streams[i]);
    }
    free(d->streams);
    d->streams = NULL;
    d->n_streams = d->streams_cap = 0;
}

static DeviceError create_stream(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Stream *stream =
        make_stream(d, d->server->n_streams_made + 1, m->stream_flags.flags, m->stream_flags.priority);
    if (!stream)
        return DEVICE_NO_MEMORY;
    d->server->n_streams_made++;
    stream->site = m->site;
    r->value = stream->id;
    return DEVICE_OK;
}

void stream_leaks(const Device *d)
{
    const DeviceServer *s = d->server;
    for (size_t i = 0; i < d->n_streams; i++)
        if (d->streams[i]->site && !d->streams[i]->destroyed)
            check_handle_leak(d->check, d->streams[i]->site, "a stream");
    for (size_t i = 0; i < s->n_events; i++)
        if (s->events[i] && s->events[i]->device == d->index && s->events[i]->site)
            check_handle_leak(d->check, s->events[i]->site, "an event");
}

void stream_reap(Device *d, Stream *stream)
{
    if (!stream->destroyed || stream->n_queued > 0)
        return;
    order_give_slot(d->server, stream->slot);
    for (size_t i = 0; i < d->n_streams; i++)
        if (d->streams[i] == stream) {
            d->streams[i] = d->streams[--d->n_streams];
            break;
        }
    free(stream);
}

/* The handle is gone at once. Work that is still queued is not, and goes on being as late as it can. */
static DeviceError destroy_stream(Device *d, Stream *stream, const DeviceMsg *m)
{
    if (stream->id == DEVICE_STREAM_LEGACY)
        return DEVICE_INVALID_HANDLE;
    if (stream->n_queued > 0)
        check_advise(d->check, NULL, 0, m->site,
                     "a stream is destroyed while work is queued in it, which goes on without it",
                     "wait with cudaStreamSynchronize before cudaStreamDestroy: afterwards nothing can wait "
                     "for this work alone");
    stream->destroyed = true;
    stream_reap(d, stream);
    return DEVICE_OK;
}

/* May a query answer "done"? `end_ns` is valid when nothing is pending any more. waited: a thread has waited for it. */
static bool query_done(DeviceServer *s, uint64_t end_ns, bool waited, uint32_t *n_queries)
{
    if (s->host_ns >= end_ns || waited)
        return true;
    uint32_t doublings = *n_queries < QUERY_DOUBLINGS_MAX ? *n_queries : QUERY_DOUBLINGS_MAX;
    (*n_queries)++;
    s->host_ns += (uint64_t)QUERY_NS << doublings;
    return false;
}

static DeviceError query_stream(Device *d, Stream *stream)
{
    if (queue_pending(d->server, stream->last_seq)) {
        if (stream->n_queries++ == 0)
            return DEVICE_NOT_READY;
        uint32_t n_queries = stream->n_queries;
        DeviceError error = queue_run_stream(d, stream);
        stream->n_queries = n_queries;
        if (error != DEVICE_OK)
            return error;
    }
    if (d->error == DEVICE_OK &&
        !query_done(d->server, stream->end_ns, stream->waited_ns >= stream->end_ns, &stream->n_queries))
        return DEVICE_NOT_READY;
    stream->waited_ns = stream->end_ns;
    order_waited(d->server, &stream->clock);
    return DEVICE_OK;
}

static DeviceError wait_event(Device *d, const DeviceMsg *m)
{
    Event *e = event_find(d->server, m->event.id);
    if (!e)
        return DEVICE_INVALID_HANDLE;
    if (!e->recorded && m->place == PLACE_STREAM) {
        stream_find(d, m->stream)->waited_for_nothing = true;
        return DEVICE_OK;
    }
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, QUEUE_WAIT);
    if (!op)
        return DEVICE_NO_MEMORY;
    op->event.id = e->id;
    order_event(op, stream_find(d, m->stream), &e->clock);
    if (e->recorded && !e->done && VEC_GROW(op->deps, op->n_deps, op->deps_cap))
        op->deps[op->n_deps++] = e->record_seq;
    else if (e->done && op->ready_ns < e->end_ns)
        op->ready_ns = e->end_ns;
    return DEVICE_OK;
}

static DeviceError add_mark(Device *d, const DeviceMsg *m)
{
    return m->place == PLACE_CHECK || queue_add(d, m, QUEUE_WAIT) ? DEVICE_OK : DEVICE_NO_MEMORY;
}

static DeviceError add_host_function(Device *d, const DeviceMsg *m)
{
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, QUEUE_HOST);
    if (!op)
        return DEVICE_NO_MEMORY;
    op->host.token = m->token;
    return DEVICE_OK;
}

static DeviceError sync_stream(Device *d, Stream *stream)
{
    DeviceError error = queue_run_stream(d, stream);
    if (error != DEVICE_OK)
        return error;
    host_wait(d->server, stream->end_ns);
    stream->waited_ns = stream->end_ns;
    order_waited(d->server, &stream->clock);
    return DEVICE_OK;
}

DeviceError stream_handle(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Stream *stream = stream_find(d, m->stream);
    if (m->op == OP_STREAM_CREATE)
        return create_stream(d, m, r);
    if (!stream || stream->destroyed)
        return DEVICE_INVALID_HANDLE;
    switch (m->op) {
    case OP_STREAM_DESTROY:
        return destroy_stream(d, stream, m);
    case OP_STREAM_INFO:
        r->value = stream->flags;
        r->value2 = (uint64_t)(int64_t)stream->priority;
        return DEVICE_OK;
    case OP_STREAM_SYNC:
        r->value = !order_has_waited(d->server, &stream->work, stream->slot);
        return sync_stream(d, stream);
    case OP_STREAM_QUERY:
        return query_stream(d, stream);
    case OP_STREAM_WAIT:
        return wait_event(d, m);
    case OP_STREAM_MARK:
        return add_mark(d, m);
    default:
        return add_host_function(d, m);
    }
}

/* ---- events ---- */

Event *event_find(DeviceServer *s, uint32_t id)
{
    return id > 0 && id <= s->n_events ? s->events[id - 1] : NULL;
}

void event_free_all(DeviceServer *s)
{
    for (size_t i = 0; i < s->n_events; i++) {
        if (s->events[i])
            share_forget_event(s, s->events[i]);
        free(s->events[i]);
    }
    free(s->events);
}

DeviceError event_make(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    Event *e = calloc(1, sizeof *e);
    if (!e || !VEC_GROW(s->events, s->n_events, s->events_cap)) {
        free(e);
        return DEVICE_NO_MEMORY;
    }
    s->events[s->n_events++] = e;
    e->id = (uint32_t)s->n_events;
    e->timing = m->op == OP_EVENT_CREATE && m->event.timing;
    e->device = d->index;
    e->site = m->site;
    r->value = e->id;
    return DEVICE_OK;
}

static DeviceError record_event(Device *d, Event *e, const DeviceMsg *m)
{
    if (e->device != d->index)
        return DEVICE_INVALID_HANDLE;
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, QUEUE_RECORD);
    if (!op)
        return stream_find(d, m->stream) ? DEVICE_NO_MEMORY : DEVICE_INVALID_HANDLE;
    op->event.id = e->id;
    e->clock = op->clock;
    e->recorded = true;
    e->done = e->waited = false;
    e->record_seq = op->seq;
    e->n_queries = 0;
    return DEVICE_OK;
}

static DeviceError query_event(DeviceServer *s, Event *e)
{
    if (!e->recorded)
        return DEVICE_OK;
    if (!e->done) {
        if (e->n_queries++ == 0)
            return DEVICE_NOT_READY;
        DeviceError error = queue_run(s, e->record_seq);
        if (error != DEVICE_OK)
            return error;
    }
    if (!query_done(s, e->end_ns, e->waited, &e->n_queries))
        return DEVICE_NOT_READY;
    e->waited = true;
    order_waited(s, &e->clock);
    return DEVICE_OK;
}

/* Does a thread of the host know that the event has come? */
static bool has_ended(const DeviceServer *s, const Event *e)
{
    uint64_t latest = s->host_ns > s->ended_ns ? s->host_ns : s->ended_ns;
    for (size_t i = 0; i < s->n_clocks; i++)
        latest = s->clocks[i].alive && s->clocks[i].ns > latest ? s->clocks[i].ns : latest;
    return e->done && (e->waited || latest >= e->end_ns);
}

static DeviceError elapsed(DeviceServer *s, const Event *a, const Event *b, DeviceReply *r)
{
    if (!b || !a->timing || !b->timing || !a->recorded || !b->recorded)
        return DEVICE_INVALID_HANDLE;
    if (!has_ended(s, a) || !has_ended(s, b))
        return DEVICE_NOT_READY;
    r->value = b->end_ns - a->end_ns; /* two's complement: the order may be the other way round */
    return DEVICE_OK;
}

static DeviceError sync_event(DeviceServer *s, Event *e)
{
    DeviceError error = e->recorded ? queue_run(s, e->record_seq) : DEVICE_OK;
    if (error == DEVICE_OK && e->done) {
        host_wait(s, e->end_ns);
        e->waited = true;
        order_waited(s, &e->clock);
    }
    return error;
}

DeviceError event_handle(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (m->op == OP_EVENT_CREATE)
        return event_make(d, m, r);
    Event *e = event_find(s, m->event.id);
    if (!e)
        return DEVICE_INVALID_HANDLE;
    switch (m->op) {
    case OP_EVENT_DESTROY:
        share_forget_event(s, e);
        s->events[e->id - 1] = NULL;
        free(e);
        return DEVICE_OK;
    case OP_EVENT_RECORD:
        return record_event(d, e, m);
    case OP_EVENT_SYNC:
        r->value = e->recorded && !order_has_waited(s, &e->clock, 0);
        return sync_event(s, e);
    case OP_EVENT_RUN:
        return e->recorded && !e->done ? queue_run(s, e->record_seq) : DEVICE_OK;
    case OP_EVENT_QUERY:
        return query_event(s, e);
    default:
        return elapsed(s, e, event_find(s, m->event.other), r);
    }
}
