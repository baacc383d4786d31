/* graph_exec: executable graphs: instantiating, changing as a whole, launching.
 *
 * An executable graph is a copy of a graph with its nodes in an order. A launch queues an operation at the
 * end of the stream, then the nodes' operations, each after those that its edges name, and one after all of
 * them:
 *
 *      stream:  ... ── begin ────────────────── end ── ...
 *                        ├── a ── c ──┬── d ──┤
 *                        └── b ───────┘
 *
 * A conditional node is an operation that decides about those that follow it and are marked as inside it.
 *
 * Nodes of other devices run there. The operations carry the places of the calls that made the nodes.
 */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>

/* ---- order ---- */

static bool all_in(const NodeList *some, const NodeList *all)
{
    for (size_t i = 0; i < some->n; i++)
        if (some->items[i]->seq == 0 || all->n == 0)
            return false;
    return true;
}

/* In rounds over the list: graphs are mostly built in order, so that one round does. seq marks what is in. */
bool graph_order(const Graph *g, NodeList *order)
{
    size_t before;
    for (size_t i = 0; i < g->nodes.n; i++)
        g->nodes.items[i]->seq = 0;
    do {
        before = order->n;
        for (size_t i = 0; i < g->nodes.n; i++) {
            GraphNode *n = g->nodes.items[i];
            if (n->seq == 0 && all_in(&n->deps, &g->nodes)) {
                if (!list_add(order, n))
                    return false;
                n->seq = 1;
            }
        }
    } while (order->n > before);
    return order->n == g->nodes.n;
}

static bool acyclic(const Graph *g)
{
    NodeList order = {0};
    bool ok = graph_order(g, &order);
    list_free(&order);
    for (size_t i = 0; i < g->nodes.n && ok; i++)
        ok = !g->nodes.items[i]->child || acyclic(g->nodes.items[i]->child);
    return ok;
}

/* ---- instantiating ---- */

static void exec_free(GraphExec *e)
{
    handle_drop(&graphs()->execs, e->id);
    Graph *original = e->original < graphs()->graphs.n ? graphs()->graphs.items[e->original] : NULL;
    if (original)
        original->n_execs--;
    list_free(&e->order);
    graph_free(e->graph);
    free(e);
}

static cudaError_t instantiate(Call *call, cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags,
                               cudaGraphInstantiateResult *result, const GraphNode **bad)
{
    Graph *g = graph_of(graph);
    const unsigned long long known =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;
    if (flags == cudaGraphInstantiateFlagDeviceLaunch)
        return cudaErrorNotSupported;
    if (!out || !g || (flags & ~known) != 0 || !acyclic(g))
        return cudaErrorInvalidValue;
    if (graph_is_single(g) && g->n_execs > 0)
        return cudaErrorNotSupported; /* measured */
    *result = conditions_check(g, bad);
    if (*result != cudaGraphInstantiateSuccess)
        return *bad ? cudaErrorNotSupported : cudaErrorInvalidValue;
    *result = cudaGraphInstantiateError;
    GraphExec *e = calloc(1, sizeof *e);
    if (!e)
        return cudaErrorMemoryAllocation;
    e->graph = graph_copy(g);
    e->original = g->id;
    e->flags = flags;
    e->id = e->graph ? handle_add(&graphs()->execs, e) : 0;
    if (!e->graph || e->id == 0) {
        if (e->graph)
            graph_free(e->graph);
        free(e);
        return cudaErrorMemoryAllocation;
    }
    g->n_execs++;
    e->graph->owned = true;
    if (!graph_order(e->graph, &e->order)) {
        exec_free(e);
        return cudaErrorMemoryAllocation;
    }
    e->site = call_site(call);
    *out = exec_handle(e);
    *result = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

static cudaError_t instantiate_plain(Call *call, cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphInstantiateResult result;
    const GraphNode *bad;
    return instantiate(call, out, graph, flags, &result, &bad);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    ENTER(API_cudaGraphInstantiate);
    return call_leave(&call, instantiate_plain(&call, exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    ENTER(API_cudaGraphInstantiateWithFlags);
    return call_leave(&call, instantiate_plain(&call, exec, graph, flags));
}

/* Uploading is nothing here: what is launched is there. */
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params)
{
    ENTER(API_cudaGraphInstantiateWithParams);
    if (!params)
        return call_leave(&call, cudaErrorInvalidValue);
    const GraphNode *bad = NULL;
    params->result_out = cudaGraphInstantiateError;
    cudaError_t error = instantiate(&call, exec, graph, params->flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload,
                                    &params->result_out, &bad);
    params->errNode_out = bad ? node_handle(bad) : NULL;
    return call_leave(&call, error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    ENTER(API_cudaGraphExecDestroy);
    GraphExec *e = exec_of(exec);
    if (!e)
        return call_leave(&call, cudaErrorInvalidValue);
    exec_free(e);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    ENTER(API_cudaGraphExecGetFlags);
    const GraphExec *e = exec_of(exec);
    if (!e || !flags)
        return call_leave(&call, cudaErrorInvalidValue);
    *flags = e->flags;
    return call_leave(&call, cudaSuccess);
}

/* ---- changing as a whole ---- */

static size_t node_place(const GraphNode *n)
{
    size_t i = 0;
    while (n->graph->nodes.items[i] != n)
        i++;
    return i;
}

static bool same_deps(const GraphNode *a, const GraphNode *b)
{
    if (a->deps.n != b->deps.n)
        return false;
    for (size_t i = 0; i < a->deps.n; i++)
        if (node_place(a->deps.items[i]) != node_place(b->deps.items[i]))
            return false;
    return true;
}

/* Nodes are paired in the order in which they were added. */
static enum cudaGraphExecUpdateResult compare_graphs(const Graph *exec, const Graph *g, const GraphNode **bad)
{
    *bad = NULL;
    if (exec->nodes.n != g->nodes.n)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < g->nodes.n; i++) {
        const GraphNode *a = exec->nodes.items[i], *b = g->nodes.items[i];
        *bad = b;
        if (!same_deps(a, b))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (a->type != b->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (a->msg.op == OP_LAUNCH && a->msg.launch.cooperative != b->msg.launch.cooperative)
            return cudaGraphExecUpdateErrorAttributesChanged;
        if (b->type == cudaGraphNodeTypeMemAlloc || b->type == cudaGraphNodeTypeMemFree)
            return cudaGraphExecUpdateErrorNotSupported;
        if (a->type == cudaGraphNodeTypeConditional && (a->branch != b->branch || a->child->nodes.n != b->child->nodes.n))
            return cudaGraphExecUpdateErrorParametersChanged;
        if (!a->child)
            continue;
        enum cudaGraphExecUpdateResult inner = compare_graphs(a->child, b->child, bad);
        if (inner != cudaGraphExecUpdateSuccess)
            return inner;
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

/* The conditions are the new graph's, too: that is what its kernels set. */
static bool update(Graph *exec, const Graph *g)
{
    if (!conditions_copy(exec, g))
        return false;
    for (size_t i = 0; i < g->nodes.n; i++) {
        GraphNode *to = exec->nodes.items[i];
        to->condition = g->nodes.items[i]->condition;
        if (to->child ? !update(to->child, g->nodes.items[i]->child)
                              : !node_copy_work(to, g->nodes.items[i]))
            return false;
    }
    return true;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    ENTER(API_cudaGraphExecUpdate);
    const GraphExec *e = exec_of(exec);
    const Graph *g = graph_of(graph);
    const GraphNode *bad = NULL;
    if (!e || !g)
        return call_leave(&call, cudaErrorInvalidValue);
    enum cudaGraphExecUpdateResult result = compare_graphs(e->graph, g, &bad);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = result, .errorNode = bad ? node_handle(bad) : NULL};
    if (result != cudaGraphExecUpdateSuccess)
        return call_leave(&call, cudaErrorGraphExecUpdateFailure);
    return call_leave(&call, update(e->graph, g) ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* ---- launching ---- */

/* A launch under way: where its operations go. */
typedef struct Launch {
    Call *call;
    uint32_t stream, device;
    uint64_t *after; /* numbers of what the next operation waits for */
    size_t n, cap;
    uint64_t inside; /* number of the branch that decides whether operations run, 0: none */
    uint32_t body;
    uint32_t mark_device; /* where operations without work run: the stream's device, in a body the condition's */
} Launch;

static bool wait_for(Launch *l, uint64_t seq)
{
    if (!VEC_GROW(l->after, l->n, l->cap))
        return false;
    l->after[l->n++] = seq;
    return true;
}

/* Queues one operation after l->after: its number, 0 when it cannot be. */
static cudaError_t queue_message(Launch *l, uint32_t device, DeviceMsg *msg, uint64_t *seq)
{
    DeviceReply reply;
    msg->place = msg->place == PLACE_CHECK ? PLACE_CHECK : PLACE_GRAPH;
    msg->stream = device == l->device ? l->stream : DEVICE_STREAM_LEGACY;
    msg->after = l->after;
    msg->n_after = l->n;
    msg->inside = l->inside;
    msg->body = l->body;
    l->call->site = msg->site;
    cudaError_t error = call_send_now(l->call, device, msg, &reply);
    *seq = reply.seq;
    l->n = 0;
    return error;
}

static cudaError_t queue_host(Launch *l, const GraphNode *n, DeviceMsg *msg, uint64_t *seq)
{
    Facade *f = facade();
    if (!VEC_GROW(f->host_functions, f->n_host_functions, f->host_functions_cap))
        return cudaErrorMemoryAllocation;
    HostFunction fn = n->host;
    fn.token = msg->token = ++f->last_token;
    cudaError_t error = queue_message(l, n->device, msg, seq);
    if (error == cudaSuccess)
        f->host_functions[f->n_host_functions++] = fn;
    return error;
}

static cudaError_t queue_graph(Launch *l, const NodeList *order, uint64_t begin, uint64_t *end);

/* A child graph's operations lie between what its node waits for and an operation after them all. */
static cudaError_t queue_child(Launch *l, const GraphNode *n, uint64_t *seq)
{
    NodeList order = {0};
    DeviceMsg begin = {.op = OP_STREAM_MARK, .site = n->msg.site};
    cudaError_t error = queue_message(l, l->mark_device, &begin, seq);
    if (error == cudaSuccess)
        error = graph_order(n->child, &order) ? queue_graph(l, &order, *seq, seq) : cudaErrorMemoryAllocation;
    list_free(&order);
    return error;
}

static cudaError_t queue_node(Launch *l, GraphNode *n, uint64_t begin);

/* The nodes of a body that wait for no other one wait for nothing: the branch runs them. */
static cudaError_t queue_body(Launch *l, const Graph *body)
{
    NodeList order = {0};
    cudaError_t error = graph_order(body, &order) ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < order.n && error == cudaSuccess; i++)
        error = queue_node(l, order.items[i], 0);
    list_free(&order);
    return error;
}

/* The branch, and behind it all of its bodies. */
static cudaError_t queue_branch(Launch *l, const GraphNode *n, uint64_t *seq)
{
    const Launch outer = *l;
    const NodeList *bodies = &n->child->nodes;
    DeviceMsg msg = {.op = OP_BRANCH, .site = n->msg.site};
    msg.condition.handle = n->condition->handle;
    msg.condition.kind = (uint8_t)n->branch;
    msg.condition.n_bodies = (uint32_t)bodies->n;
    cudaError_t error = queue_message(l, n->condition->device, &msg, seq);
    l->inside = *seq;
    l->mark_device = n->condition->device;
    for (size_t i = 0; i < bodies->n && error == cudaSuccess; i++) {
        l->body = (uint32_t)i;
        error = queue_body(l, bodies->items[i]->child);
    }
    l->inside = outer.inside;
    l->body = outer.body;
    l->mark_device = outer.mark_device;
    return error;
}

/* Conditions get what they begin with, one after the other; begin: what they wait for, then what others wait for. */
static cudaError_t begin_conditions(Launch *l, const Graph *g, uint64_t *begin)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < g->n_conditions && error == cudaSuccess; i++) {
        const GraphCondition *c = g->conditions[i];
        DeviceMsg msg = {.op = OP_CONDITION_BEGIN};
        msg.condition.handle = c->handle;
        msg.condition.value = c->value;
        msg.condition.assign = c->assign;
        error = wait_for(l, *begin) ? queue_message(l, c->device, &msg, begin) : cudaErrorMemoryAllocation;
    }
    for (size_t i = 0; i < g->nodes.n && error == cudaSuccess; i++)
        if (g->nodes.items[i]->child)
            error = begin_conditions(l, g->nodes.items[i]->child, begin);
    return error;
}

static cudaError_t queue_node(Launch *l, GraphNode *n, uint64_t begin)
{
    for (size_t i = 0; i < n->deps.n; i++)
        if (!wait_for(l, n->deps.items[i]->seq))
            return cudaErrorMemoryAllocation;
    if (n->deps.n == 0 && !wait_for(l, begin))
        return cudaErrorMemoryAllocation;
    DeviceMsg msg = n->msg;
    if (n->condition)
        return queue_branch(l, n, &n->seq);
    if (n->child)
        return queue_child(l, n, &n->seq);
    if (n->disabled || msg.op == 0)
        msg = (DeviceMsg){.op = OP_STREAM_MARK, .site = n->msg.site};
    if (msg.op == OP_HOST_FUNCTION)
        return queue_host(l, n, &msg, &n->seq);
    return queue_message(l, msg.op == OP_STREAM_MARK ? l->mark_device : n->device, &msg, &n->seq);
}

/* All nodes, and an operation after the whole. */
static cudaError_t queue_graph(Launch *l, const NodeList *order, uint64_t begin, uint64_t *end)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < order->n && error == cudaSuccess; i++)
        error = queue_node(l, order->items[i], begin);
    bool ok = wait_for(l, begin);
    for (size_t i = 0; i < order->n && ok; i++)
        ok = wait_for(l, order->items[i]->seq);
    if (!ok)
        return cudaErrorMemoryAllocation;
    uint64_t seq;
    DeviceMsg msg = {.op = OP_STREAM_MARK};
    cudaError_t last = queue_message(l, l->mark_device, &msg, &seq);
    *end = seq;
    return error != cudaSuccess ? error : last;
}

/* Could every node be queued now? */
static cudaError_t check_nodes(Launch *l, const NodeList *nodes)
{
    for (size_t i = 0; i < nodes->n; i++) {
        const GraphNode *n = nodes->items[i];
        DeviceMsg msg = n->msg;
        uint64_t seq;
        msg.place = PLACE_CHECK;
        cudaError_t error = n->child                     ? check_nodes(l, &n->child->nodes)
                            : n->disabled || msg.op == 0 ? cudaSuccess
                                                         : queue_message(l, n->device, &msg, &seq);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t launch_graph(Launch *l, GraphExec *e)
{
    DeviceReply reply;
    uint64_t site = call_site(l->call), inside = 0;
    cudaError_t error = check_nodes(l, &e->graph->nodes);
    if (error == cudaSuccess)
        error = graph_memory_launch(e, l->stream);
    if (error != cudaSuccess)
        return error;
    l->call->site = site;
    DeviceMsg begin = {.op = OP_STREAM_MARK, .stream = l->stream, .after = &e->last_seq, .n_after = 1};
    error = call_send_now(l->call, l->device, &begin, &reply);
    if (error != cudaSuccess)
        return error;
    uint64_t first = reply.seq;
    error = begin_conditions(l, e->graph, &first);
    if (error == cudaSuccess)
        error = queue_graph(l, &e->order, first, &inside);
    l->call->site = site;
    DeviceMsg end = {.op = OP_STREAM_MARK, .stream = l->stream, .after = &inside, .n_after = 1};
    cudaError_t last = call_send_now(l->call, l->device, &end, &reply);
    e->last_seq = reply.seq;
    return error != cudaSuccess ? error : last;
}

/* In a capture the launch becomes a child graph. */
static bool launch_captured(Call *call, const GraphExec *e, uint32_t stream, uint32_t device,
                            cudaError_t *error)
{
    DeviceReply reply;
    GraphNode *n;
    DeviceMsg msg = {.op = OP_STREAM_MARK, .stream = stream};
    if (!capture_divert(call, device, &msg, &reply, error))
        return false;
    const Captured *s = &graphs()->streams.items[stream];
    if (*error != cudaSuccess)
        return true;
    n = s->tails.items[0];
    n->type = cudaGraphNodeTypeGraph;
    n->msg = (DeviceMsg){.site = call_site(call)};
    n->child = graph_is_single(e->graph) ? NULL : graph_copy(e->graph);
    if (n->child) {
        n->child->owned = true;
        return true;
    }
    n->type = cudaGraphNodeTypeEmpty;
    *error = graph_is_single(e->graph) ? cudaErrorNotSupported : cudaErrorMemoryAllocation;
    return true;
}

cudaError_t graph_launch(Call *call, GraphExec *e, cudaStream_t handle)
{
    Launch l = {.call = call};
    cudaError_t error;
    if (!stream_of(call, handle, &l.stream, &l.device))
        return cudaErrorInvalidResourceHandle;
    l.mark_device = l.device;
    if (launch_captured(call, e, l.stream, l.device, &error))
        return error;
    error = launch_graph(&l, e);
    progress_watch();
    free(l.after);
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    ENTER(API_cudaGraphLaunch);
    GraphExec *e = exec_of(exec);
    return call_leave(&call, e ? graph_launch(&call, e, stream) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    uint32_t number, device;
    ENTER(API_cudaGraphUpload);
    if (!exec_of(exec))
        return call_leave(&call, cudaErrorInvalidValue);
    bool known = stream_of(&call, stream, &number, &device);
    return call_leave(&call, known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
