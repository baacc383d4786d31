/* stream: streams and events: making, destroying, waiting, asking.
 *
 * Waiting runs what is queued and moves the host's clock to its end. Asking (query) answers "not ready" the
 * first time without running anything; from then on the work has run, and each further question lets host
 * time pass until the modelled end is reached, so that a loop that polls always ends.
 */
#include "common/vgpu/device/device_internal.h"

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

static void create_stream(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Stream *stream =
        make_stream(d, d->server->n_streams_made + 1, m->stream_flags.flags, m->stream_flags.priority);
    if (!stream) {
        r->error = DEVICE_NO_MEMORY;
        return;
    }
    d->server->n_streams_made++;
    stream->site = m->site;
    r->value = stream->id;
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
static void destroy_stream(Device *d, Stream *stream, const DeviceMsg *m, DeviceReply *r)
{
    if (stream->id == DEVICE_STREAM_LEGACY) {
        r->error = DEVICE_INVALID_HANDLE;
        return;
    }
    if (stream->n_queued > 0)
        check_advise(d->check, NULL, 0, m->site,
                     "a stream is destroyed while work is queued in it, which goes on without it",
                     "wait with cudaStreamSynchronize before cudaStreamDestroy: afterwards nothing can wait "
                     "for this work alone");
    stream->destroyed = true;
    stream_reap(d, stream);
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

static void query_stream(Device *d, Stream *stream, DeviceReply *r)
{
    if (queue_pending(d->server, stream->last_seq)) {
        if (stream->n_queries++ == 0) {
            r->error = DEVICE_NOT_READY;
            return;
        }
        uint32_t n_queries = stream->n_queries;
        r->error = queue_run_stream(d, stream);
        stream->n_queries = n_queries;
        if (r->error != DEVICE_OK)
            return;
    }
    if (d->error == DEVICE_OK &&
        !query_done(d->server, stream->end_ns, stream->waited_ns >= stream->end_ns, &stream->n_queries)) {
        r->error = DEVICE_NOT_READY;
        return;
    }
    stream->waited_ns = stream->end_ns;
    order_waited(d->server, &stream->clock);
}

static void wait_event(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Event *e = event_find(d->server, m->event.id);
    if (!e) {
        r->error = DEVICE_INVALID_HANDLE;
        return;
    }
    if ((!e->recorded && m->place == PLACE_STREAM) || m->place == PLACE_CHECK)
        return;
    QueueOp *op = queue_add(d, m, QUEUE_WAIT);
    if (!op) {
        r->error = DEVICE_NO_MEMORY;
        return;
    }
    op->event.id = e->id;
    order_event(op, stream_find(d, m->stream), &e->clock);
    if (e->recorded && !e->done && VEC_GROW(op->deps, op->n_deps, op->deps_cap))
        op->deps[op->n_deps++] = e->record_seq;
    else if (e->done && op->ready_ns < e->end_ns)
        op->ready_ns = e->end_ns;
}

static void add_mark(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    if (m->place != PLACE_CHECK && !queue_add(d, m, QUEUE_WAIT))
        r->error = DEVICE_NO_MEMORY;
}

static void add_host_function(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    if (m->place == PLACE_CHECK)
        return;
    QueueOp *op = queue_add(d, m, QUEUE_HOST);
    if (!op)
        r->error = DEVICE_NO_MEMORY;
    else
        op->host.token = m->token;
}

void stream_handle(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Stream *stream = stream_find(d, m->stream);
    if (m->op == OP_STREAM_CREATE) {
        create_stream(d, m, r);
        return;
    }
    if (!stream || stream->destroyed) {
        r->error = DEVICE_INVALID_HANDLE;
        return;
    }
    switch (m->op) {
    case OP_STREAM_DESTROY:
        destroy_stream(d, stream, m, r);
        break;
    case OP_STREAM_INFO:
        r->value = stream->flags;
        r->value2 = (uint64_t)(int64_t)stream->priority;
        break;
    case OP_STREAM_SYNC:
        r->error = queue_run_stream(d, stream);
        if (r->error == DEVICE_OK) {
            host_wait(d->server, stream->end_ns);
            stream->waited_ns = stream->end_ns;
            order_waited(d->server, &stream->clock);
        }
        break;
    case OP_STREAM_QUERY:
        query_stream(d, stream, r);
        break;
    case OP_STREAM_WAIT:
        wait_event(d, m, r);
        break;
    case OP_STREAM_MARK:
        add_mark(d, m, r);
        break;
    default:
        add_host_function(d, m, r);
        break;
    }
}

/* ---- events ---- */

Event *event_find(DeviceServer *s, uint32_t id)
{
    return id > 0 && id <= s->n_events ? s->events[id - 1] : NULL;
}

void event_free_all(DeviceServer *s)
{
    for (size_t i = 0; i < s->n_events; i++)
        free(s->events[i]);
    free(s->events);
}

static void create_event(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    Event *e = calloc(1, sizeof *e);
    if (!e || !VEC_GROW(s->events, s->n_events, s->events_cap)) {
        free(e);
        r->error = DEVICE_NO_MEMORY;
        return;
    }
    s->events[s->n_events++] = e;
    e->id = (uint32_t)s->n_events;
    e->timing = m->event.timing;
    e->device = d->index;
    e->site = m->site;
    r->value = e->id;
}

static void record_event(Device *d, Event *e, const DeviceMsg *m, DeviceReply *r)
{
    if (e->device != d->index) {
        r->error = DEVICE_INVALID_HANDLE;
        return;
    }
    if (m->place == PLACE_CHECK)
        return;
    QueueOp *op = queue_add(d, m, QUEUE_RECORD);
    if (!op) {
        r->error = stream_find(d, m->stream) ? DEVICE_NO_MEMORY : DEVICE_INVALID_HANDLE;
        return;
    }
    op->event.id = e->id;
    e->clock = op->clock;
    e->recorded = true;
    e->done = e->waited = false;
    e->record_seq = op->seq;
    e->n_queries = 0;
}

static void query_event(DeviceServer *s, Event *e, DeviceReply *r)
{
    if (!e->recorded)
        return;
    if (!e->done) {
        if (e->n_queries++ == 0) {
            r->error = DEVICE_NOT_READY;
            return;
        }
        r->error = queue_run(s, e->record_seq);
        if (r->error != DEVICE_OK)
            return;
    }
    if (!query_done(s, e->end_ns, e->waited, &e->n_queries)) {
        r->error = DEVICE_NOT_READY;
        return;
    }
    e->waited = true;
    order_waited(s, &e->clock);
}

/* Does a thread of the host know that the event has come? */
static bool has_ended(const DeviceServer *s, const Event *e)
{
    uint64_t latest = s->host_ns > s->ended_ns ? s->host_ns : s->ended_ns;
    for (size_t i = 0; i < s->n_clocks; i++)
        latest = s->clocks[i].alive && s->clocks[i].ns > latest ? s->clocks[i].ns : latest;
    return e->done && (e->waited || latest >= e->end_ns);
}

static void elapsed(DeviceServer *s, const Event *a, const Event *b, DeviceReply *r)
{
    if (!b || !a->timing || !b->timing || !a->recorded || !b->recorded)
        r->error = DEVICE_INVALID_HANDLE;
    else if (!has_ended(s, a) || !has_ended(s, b))
        r->error = DEVICE_NOT_READY;
    else
        r->value = b->end_ns - a->end_ns; /* two's complement: the order may be the other way round */
}

void event_handle(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (m->op == OP_EVENT_CREATE) {
        create_event(d, m, r);
        return;
    }
    Event *e = event_find(s, m->event.id);
    if (!e) {
        r->error = DEVICE_INVALID_HANDLE;
        return;
    }
    switch (m->op) {
    case OP_EVENT_DESTROY:
        s->events[e->id - 1] = NULL;
        free(e);
        break;
    case OP_EVENT_RECORD:
        record_event(d, e, m, r);
        break;
    case OP_EVENT_SYNC:
        if (e->recorded)
            r->error = queue_run(s, e->record_seq);
        if (r->error == DEVICE_OK && e->done) {
            host_wait(s, e->end_ns);
            e->waited = true;
            order_waited(s, &e->clock);
        }
        break;
    case OP_EVENT_QUERY:
        query_event(s, e, r);
        break;
    default:
        elapsed(s, e, event_find(s, m->event.other), r);
        break;
    }
}
