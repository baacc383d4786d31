/* capture: work of streams becomes a graph instead of running.
 *
 * Every message that a call sends comes by here (capture_divert). One that would queue work on a capturing
 * stream becomes a node after the stream's tails; one that a capture forbids is an error, and most such
 * errors end the capture. Which do was measured (tool/probe_graph.cuh):
 *
 *      waiting for or asking about a capturing stream             cudaErrorStreamCaptureUnsupported
 *      unsafe calls (cudaMalloc, any wait) while a capture that
 *        forbids them goes on (its mode, and the thread's)        cudaErrorStreamCaptureUnsupported
 *      the legacy default stream, a blocking stream capturing     cudaErrorStreamCaptureImplicit
 *      waiting for an event that lies outside the capture         cudaErrorStreamCaptureIsolation
 *      joining two captures by an event                           cudaErrorStreamCaptureMerge
 *      waiting for or asking about an event inside                cudaErrorCapturedEvent
 *
 * An event that is recorded in a capture stands for the stream's tails at that moment; a stream that waits
 * for it joins the capture.
 */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>

/* ---- what is captured ---- */

static Captured *entry(CapturedTable *t, uint32_t id)
{
    while (t->n <= id) {
        if (!VEC_GROW(t->items, t->n, t->cap))
            return NULL;
        t->items[t->n++] = (Captured){0};
    }
    return &t->items[id];
}

/* The capture that a stream is part of, or NULL. */
static Captured *of_stream(uint32_t stream)
{
    CapturedTable *t = &graphs()->streams;
    return stream < t->n && t->items[stream].capture ? &t->items[stream] : NULL;
}

static Captured *of_event(uint32_t event)
{
    CapturedTable *t = &graphs()->events;
    bool any = event < t->n && (t->items[event].capture || t->items[event].over);
    return any ? &t->items[event] : NULL;
}

static void clear(Captured *c)
{
    list_free(&c->tails);
    *c = (Captured){0};
}

static void invalidate(Capture *c)
{
    c->invalid = true;
}

/* Its streams run again; events that it recorded stand for nothing any more. */
static void end_capture(Capture *c)
{
    struct Graphs *all = graphs();
    for (size_t i = 0; i < all->streams.n; i++)
        if (all->streams.items[i].capture == c)
            clear(&all->streams.items[i]);
    for (size_t i = 0; i < all->events.n; i++)
        if (all->events.items[i].capture == c) {
            clear(&all->events.items[i]);
            all->events.items[i].over = true;
        }
    for (size_t i = 0; i < all->n_captures; i++)
        if (all->captures[i] == c)
            all->captures[i] = all->captures[--all->n_captures];
    free(c);
}

static void drop_capture(Capture *c)
{
    if (c->own_graph)
        graph_free(c->graph);
    end_capture(c);
}

void capture_drop_stream(uint32_t stream)
{
    if (!facade()->graphs)
        return;
    Captured *s = of_stream(stream);
    if (!s)
        return;
    if (s->capture->origin == stream)
        drop_capture(s->capture);
    else
        clear(s);
}

void capture_drop_event(uint32_t event)
{
    if (facade()->graphs && event < graphs()->events.n)
        clear(&graphs()->events.items[event]);
}

void capture_forget(uint32_t device)
{
    Facade *f = facade();
    for (size_t i = 0; f->graphs && i < f->n_streams; i++)
        if (f->stream_device[i] == device + 1)
            capture_drop_stream((uint32_t)i);
}

/* ---- threads and modes ---- */

static uint64_t this_thread(void)
{
    return (uint64_t)(uintptr_t)thread_state();
}

/* Does this capture forbid unsafe calls to this thread? */
static bool forbids(const Capture *c)
{
    enum cudaStreamCaptureMode mine = thread_state()->capture_mode;
    if (c->mode == cudaStreamCaptureModeRelaxed || mine == cudaStreamCaptureModeRelaxed)
        return false;
    if (c->thread == this_thread())
        return true;
    return c->mode == cudaStreamCaptureModeGlobal && mine == cudaStreamCaptureModeGlobal;
}

static cudaError_t check_unsafe(void)
{
    struct Graphs *all = graphs();
    bool any = false;
    for (size_t i = 0; i < all->n_captures; i++)
        if (forbids(all->captures[i])) {
            invalidate(all->captures[i]);
            any = true;
        }
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* The legacy default stream would wait for blocking streams that are being captured. */
static cudaError_t check_legacy(bool ends)
{
    const CapturedTable *t = &graphs()->streams;
    bool any = false;
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].capture && t->items[i].blocking) {
            any = true;
            if (ends)
                invalidate(t->items[i].capture);
        }
    return any ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

/* ---- messages on capturing streams ---- */

static enum cudaGraphNodeType type_of(const DeviceMsg *m)
{
    switch (m->op) {
    case OP_LAUNCH:
        return cudaGraphNodeTypeKernel;
    case OP_COPY:
        return cudaGraphNodeTypeMemcpy;
    case OP_FILL:
        return cudaGraphNodeTypeMemset;
    case OP_HOST_FUNCTION:
        return cudaGraphNodeTypeHost;
    case OP_EVENT_RECORD:
        return cudaGraphNodeTypeEventRecord;
    case OP_STREAM_WAIT:
        return cudaGraphNodeTypeWaitEvent;
    case OP_ALLOC:
        return cudaGraphNodeTypeMemAlloc;
    case OP_FREE:
        return cudaGraphNodeTypeMemFree;
    default:
        return cudaGraphNodeTypeEmpty;
    }
}

static cudaError_t take_free(GraphNode *n, uint64_t addr)
{
    if (!graph_memory_find(addr))
        return cudaErrorInvalidValue;
    n->freed = (void *)(uintptr_t)addr;
    n->graph->has_memory = true;
    return cudaSuccess;
}

static cudaError_t capture_take(Call *call, GraphNode *n, uint32_t device, DeviceMsg *msg, DeviceReply *reply)
{
    void *p = NULL;
    if (msg->op == OP_FREE)
        return take_free(n, msg->free.addr);
    if (msg->op != OP_ALLOC)
        return node_take(call, n, device, msg);
    cudaError_t error = graph_memory_add(call, n, msg->alloc.bytes, device, &p);
    reply->value = (uint64_t)(uintptr_t)p;
    return error;
}

/* A node after the stream's tails becomes the stream's only tail. */
static cudaError_t add_captured(Call *call, Captured *s, uint32_t device, DeviceMsg *msg, DeviceReply *reply)
{
    GraphNode *n = node_new(s->capture->graph, type_of(msg));
    if (!n)
        return cudaErrorMemoryAllocation;
    if (!list_set(&n->deps, &s->tails)) {
        node_free(n);
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = capture_take(call, n, device, msg, reply);
    if (error != cudaSuccess) {
        node_free(n);
        if (msg->op != OP_FREE) /* measured */
            invalidate(s->capture);
        return error;
    }
    if (n->type == cudaGraphNodeTypeEventRecord || n->type == cudaGraphNodeTypeWaitEvent)
        n->event = (cudaEvent_t)(uintptr_t)(0x4556000000000000u | (uint64_t)msg->event.id << 4);
    s->tails.n = 0;
    return list_add(&s->tails, n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The event stands for the stream's tails. */
static cudaError_t record_captured(Captured *s, uint32_t event)
{
    Captured *e = entry(&graphs()->events, event);
    if (!e)
        return cudaErrorMemoryAllocation;
    clear(e);
    e->capture = s->capture;
    return list_set(&e->tails, &s->tails) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A stream waits for an event that a capture recorded: it joins, or its tails grow. */
static cudaError_t wait_captured(Call *call, uint32_t device, uint32_t stream, const Captured *e)
{
    Captured *s = entry(&graphs()->streams, stream);
    if (!s)
        return cudaErrorMemoryAllocation;
    if (!e->capture)
        return cudaErrorInvalidValue; /* its capture is over */
    if (s->capture && s->capture != e->capture) {
        invalidate(s->capture);
        invalidate(e->capture);
        return cudaErrorStreamCaptureMerge;
    }
    if (stream == DEVICE_STREAM_LEGACY) {
        invalidate(e->capture);
        return cudaErrorStreamCaptureImplicit;
    }
    if (!s->capture) {
        DeviceReply reply;
        call_send_now(call, device, &(DeviceMsg){.op = OP_STREAM_INFO, .stream = stream}, &reply);
        s->blocking = !(reply.value & DEVICE_STREAM_NONBLOCKING);
    }
    s->capture = e->capture;
    for (size_t i = 0; i < e->tails.n; i++)
        if (!list_has(&s->tails, e->tails.items[i]) && !list_add(&s->tails, e->tails.items[i]))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

/* A message for a stream that is being captured. */
static cudaError_t divert_captured(Call *call, Captured *s, uint32_t device, DeviceMsg *msg,
                                   DeviceReply *reply)
{
    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    const Captured *e = of_event(msg->event.id);
    switch (msg->op) {
    case OP_STREAM_SYNC:
    case OP_STREAM_QUERY:
    case OP_MIGRATE:
        invalidate(s->capture);
        return cudaErrorStreamCaptureUnsupported;
    case OP_EVENT_RECORD:
        return call->external ? add_captured(call, s, device, msg, reply) : record_captured(s, msg->event.id);
    case OP_STREAM_WAIT:
        if (call->external)
            return add_captured(call, s, device, msg, reply);
        if (e)
            return wait_captured(call, device, msg->stream, e);
        invalidate(s->capture);
        return cudaErrorStreamCaptureIsolation;
    default:
        return add_captured(call, s, device, msg, reply);
    }
}

/* ---- all messages ---- */

/* Does the message queue work on a stream? */
static bool queues(const DeviceMsg *m)
{
    switch (m->op) {
    case OP_LAUNCH:
    case OP_COPY:
    case OP_FILL:
    case OP_HOST_FUNCTION:
    case OP_EVENT_RECORD:
    case OP_STREAM_WAIT:
    case OP_STREAM_MARK:
    case OP_MIGRATE:
        return true;
    case OP_ALLOC:
        return m->alloc.kind == DEVICE_MEMORY_POOL;
    case OP_FREE:
        return m->free.kind == DEVICE_MEMORY_POOL;
    default:
        return false;
    }
}

/* May the message wait for the device, or do what cannot be in a graph? */
static bool unsafe(const DeviceMsg *m)
{
    switch (m->op) {
    case OP_ALLOC:
    case OP_FREE:
        return !queues(m);
    case OP_COPY:
        return m->stream == DEVICE_STREAM_LEGACY && !m->copy.async;
    case OP_REGISTER:
    case OP_UNREGISTER:
    case OP_DEVICE_SYNC:
    case OP_STREAM_SYNC:
    case OP_STREAM_QUERY:
    case OP_EVENT_SYNC:
    case OP_EVENT_QUERY:
        return true;
    default:
        return false;
    }
}

static cudaError_t check_event(const Captured *e)
{
    if (!e->capture)
        return cudaErrorInvalidValue;
    invalidate(e->capture);
    return cudaErrorCapturedEvent;
}

static bool divert(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply, cudaError_t *error)
{
    bool stream_op = queues(msg) || msg->op == OP_STREAM_SYNC || msg->op == OP_STREAM_QUERY;
    Captured *s = stream_op ? of_stream(msg->stream) : NULL;
    bool asks_event = msg->op == OP_EVENT_SYNC || msg->op == OP_EVENT_QUERY;
    Captured *e = asks_event || msg->op == OP_EVENT_RECORD || msg->op == OP_STREAM_WAIT
                      ? of_event(msg->event.id)
                      : NULL;
    *error = cudaSuccess;
    if (s)
        *error = divert_captured(call, s, device, msg, reply);
    else if (asks_event && e)
        *error = check_event(e);
    else if (msg->op == OP_STREAM_WAIT && e)
        *error = wait_captured(call, device, msg->stream, e);
    else {
        if (queues(msg) && msg->stream == DEVICE_STREAM_LEGACY)
            *error = check_legacy(true);
        if (*error == cudaSuccess && unsafe(msg))
            *error = check_unsafe();
        if (*error == cudaSuccess && msg->op == OP_EVENT_RECORD && e)
            clear(e);
        if (*error == cudaSuccess && msg->op == OP_FREE)
            return graph_memory_free(call, device, msg->stream, msg->free.addr,
                                     msg->free.kind != DEVICE_MEMORY_POOL, error);
        return *error != cudaSuccess;
    }
    return true;
}

bool capture_divert(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply, cudaError_t *error)
{
    const struct Graphs *all = graphs();
    if (msg->place != PLACE_STREAM)
        return false;
    if (call->node && queues(msg)) {
        *error = node_take(call, call->node, device, msg);
        call->diverted = true;
        return true;
    }
    if (all->n_captures == 0 && all->events.n == 0 && all->n_memory == 0)
        return false;
    *reply = (DeviceReply){0};
    call->diverted = divert(call, device, msg, reply, error);
    return call->diverted;
}

/* ---- the calls ---- */

static cudaError_t begin_capture(Call *call, cudaStream_t stream, Graph *graph, const NodeList *tails,
                                 enum cudaStreamCaptureMode mode)
{
    struct Graphs *all = graphs();
    uint32_t number, device;
    DeviceReply reply;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (!stream_of(call, stream, &number, &device))
        return cudaErrorInvalidResourceHandle;
    if (number == DEVICE_STREAM_LEGACY)
        return cudaErrorStreamCaptureUnsupported;
    if (!all)
        return cudaErrorMemoryAllocation;
    if (of_stream(number))
        return cudaErrorIllegalState;
    Captured *s = entry(&all->streams, number);
    Capture *c = calloc(1, sizeof *c);
    if (!s || !c || !VEC_GROW(all->captures, all->n_captures, all->captures_cap)) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (Capture){.graph = graph ? graph : graph_new(),
                   .own_graph = graph == NULL,
                   .mode = mode,
                   .thread = this_thread(),
                   .origin = number};
    if (!c->graph || !list_set(&s->tails, tails)) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    call_send_now(call, device, &(DeviceMsg){.op = OP_STREAM_INFO, .stream = number}, &reply);
    s->blocking = !(reply.value & DEVICE_STREAM_NONBLOCKING);
    s->capture = c;
    c->id = ++all->n_captures_made;
    all->captures[all->n_captures++] = c;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    ENTER(API_cudaStreamBeginCapture);
    return call_leave(&call, begin_capture(&call, stream, NULL, &(NodeList){0}, mode));
}

/* Nodes of this graph, each once; false: one is none. */
static bool read_nodes(const Graph *g, const cudaGraphNode_t *handles, size_t n, NodeList *out)
{
    for (size_t i = 0; i < n; i++) {
        GraphNode *node = node_of(handles[i]);
        if (!node || node->graph != g || (!list_has(out, node) && !list_add(out, node)))
            return false;
    }
    return true;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    NodeList tails = {0};
    (void)edges;
    ENTER(API_cudaStreamBeginCaptureToGraph);
    Graph *g = graph_of(graph);
    cudaError_t error = cudaErrorInvalidValue;
    if (g && (deps || n == 0) && read_nodes(g, deps, n, &tails))
        error = begin_capture(&call, stream, g, &tails, mode);
    list_free(&tails);
    return call_leave(&call, error);
}

/* Is n one of the nodes, or before one of them? */
static bool leads_to(const GraphNode *n, const NodeList *nodes, size_t depth)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (nodes->items[i] == n || (depth > 0 && leads_to(n, &nodes->items[i]->deps, depth - 1)))
            return true;
    return false;
}

/* Has every stream of the capture been joined with the one that it began with? */
static bool joined(const Capture *c, const Captured *origin)
{
    const CapturedTable *t = &graphs()->streams;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; t->items[i].capture == c && k < t->items[i].tails.n; k++)
            if (!leads_to(t->items[i].tails.items[k], &origin->tails, c->graph->nodes.n))
                return false;
    return true;
}

static cudaError_t take_captured_graph(Call *call, Captured *s, uint32_t stream, cudaGraph_t *out)
{
    Capture *c = s->capture;
    if (c->origin != stream) {
        invalidate(c);
        return cudaErrorStreamCaptureUnmatched;
    }
    if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != this_thread())
        return cudaErrorStreamCaptureWrongThread;
    cudaError_t error = c->invalid      ? cudaErrorStreamCaptureInvalidated
                        : !joined(c, s) ? cudaErrorStreamCaptureUnjoined
                                        : cudaSuccess;
    *out = error == cudaSuccess ? graph_handle(c->graph) : NULL;
    if (error == cudaSuccess && !c->graph->site)
        c->graph->site = call_site(call);
    if (error == cudaSuccess)
        end_capture(c);
    else
        drop_capture(c);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    uint32_t number, device;
    ENTER(API_cudaStreamEndCapture);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    Captured *s = facade()->graphs ? of_stream(number) : NULL;
    if (!s)
        return call_leave(&call, cudaErrorIllegalState);
    return call_leave(&call, graph ? take_captured_graph(&call, s, number, graph) : cudaErrorInvalidValue);
}

/* Where a stream stands; s: its capture, or NULL. Measured: asking does not end a capture. */
static cudaError_t look(Call *call, cudaStream_t stream, Captured **s, enum cudaStreamCaptureStatus *status)
{
    uint32_t number, device;
    if (!status)
        return cudaErrorInvalidValue;
    if (!stream_of(call, stream, &number, &device))
        return cudaErrorInvalidResourceHandle;
    *s = facade()->graphs ? of_stream(number) : NULL;
    if (number == DEVICE_STREAM_LEGACY && facade()->graphs && check_legacy(false) != cudaSuccess)
        return cudaErrorStreamCaptureImplicit;
    *status = !*s                      ? cudaStreamCaptureStatusNone
              : (*s)->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    Captured *s;
    ENTER(API_cudaStreamIsCapturing);
    return call_leave(&call, look(&call, stream, &s, status));
}

/* The tails as handles, valid until the next such call. */
static bool show_tails(const Captured *s)
{
    struct Graphs *all = graphs();
    all->n_shown = 0;
    for (size_t i = 0; i < s->tails.n; i++) {
        if (!VEC_GROW(all->shown, all->n_shown, all->shown_cap))
            return false;
        all->shown[all->n_shown++] = node_handle(s->tails.items[i]);
    }
    return true;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps,
                                     const cudaGraphEdgeData **edges, size_t *n)
{
    Captured *s;
    ENTER(API_cudaStreamGetCaptureInfo);
    cudaError_t error = look(&call, stream, &s, status);
    if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive)
        return call_leave(&call, error);
    if (!show_tails(s))
        return call_leave(&call, cudaErrorMemoryAllocation);
    if (id)
        *id = s->capture->id;
    if (graph)
        *graph = graph_handle(s->capture->graph);
    if (deps)
        *deps = graphs()->shown;
    if (edges)
        *edges = NULL; /* all are full dependencies */
    if (n)
        *n = s->tails.n;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *edges, size_t n, unsigned int flags)
{
    uint32_t number, device;
    (void)edges;
    ENTER(API_cudaStreamUpdateCaptureDependencies);
    if (flags > cudaStreamSetCaptureDependencies || (!deps && n > 0))
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    Captured *s = facade()->graphs ? of_stream(number) : NULL;
    if (!s)
        return call_leave(&call, cudaErrorIllegalState);
    if (s->capture->invalid)
        return call_leave(&call, cudaErrorStreamCaptureInvalidated);
    NodeList tails = {0};
    bool ok = (flags == cudaStreamSetCaptureDependencies || list_set(&tails, &s->tails)) &&
              read_nodes(s->capture->graph, deps, n, &tails);
    if (ok)
        ok = list_set(&s->tails, &tails);
    list_free(&tails);
    return call_leave(&call, ok ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    ENTER(API_cudaThreadExchangeStreamCaptureMode);
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return call_leave(&call, cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_state()->capture_mode;
    thread_state()->capture_mode = *mode;
    *mode = before;
    return call_leave(&call, cudaSuccess);
}
