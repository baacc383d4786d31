/* graph_condition: conditional nodes (CUDA C++ Programming Guide, "Conditional Graph Nodes").
 *
 *      node ── condition       a word on the device, which kernels set: cudaGraphSetConditional
 *       └──── child ── a child graph node for each body ── the body's graph, which the program fills
 *
 * So a body is copied, changed and searched as child graphs are. Which bodies run the device decides when it gets there
 * (device/branch.c). What the guide forbids is refused: a copy, a second executable graph at the same time, a place in
 * a child graph, and in bodies all but kernels, copies and fills of device memory, empty nodes, child graphs and
 * conditional nodes.
 */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>

enum { BODIES_MAX = 1 << 16 };

bool graph_is_single(const Graph *g)
{
    return g->has_memory || g->has_branches;
}

/* ---- conditions ---- */

static void release_condition(GraphCondition *c)
{
    if (--c->n_refs > 0)
        return;
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_CONDITION_DESTROY, .device = c->device};
    msg.condition.handle = c->handle;
    if (facade_is_served())
        facade_send(&msg, &reply);
    free(c);
}

void conditions_release(Graph *g)
{
    for (size_t i = 0; i < g->n_conditions; i++)
        release_condition(g->conditions[i]);
    free(g->conditions);
    g->conditions = NULL;
    g->n_conditions = g->conditions_cap = 0;
}

static bool add_condition(Graph *g, GraphCondition *c)
{
    if (!VEC_GROW(g->conditions, g->n_conditions, g->conditions_cap))
        return false;
    g->conditions[g->n_conditions++] = c;
    c->n_refs++;
    return true;
}

bool conditions_copy(Graph *to, const Graph *from)
{
    Graph old = {.conditions = to->conditions, .n_conditions = to->n_conditions};
    to->conditions = NULL;
    to->n_conditions = to->conditions_cap = 0;
    bool ok = true;
    for (size_t i = 0; i < from->n_conditions && ok; i++)
        ok = add_condition(to, from->conditions[i]);
    conditions_release(&old);
    to->has_branches = from->has_branches;
    return ok;
}

static cudaError_t create_condition(Call *call, Graph *g, uint64_t *handle, unsigned value, unsigned flags)
{
    if (!g || !handle || (flags & ~(unsigned)cudaGraphCondAssignDefault) != 0)
        return cudaErrorInvalidValue;
    GraphCondition *c = calloc(1, sizeof *c);
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_CONDITION_CREATE};
    cudaError_t error = c ? call_send_now(call, call_device(), &msg, &reply) : cudaErrorMemoryAllocation;
    if (error != cudaSuccess) {
        free(c);
        return error;
    }
    *c = (GraphCondition){.handle = reply.value, .device = call_device(), .value = value, .n_refs = 1};
    c->assign = (flags & cudaGraphCondAssignDefault) != 0;
    bool ok = add_condition(g, c);
    *handle = c->handle;
    release_condition(c); /* it is the graph's now */
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags)
{
    Call call;
    uint64_t made = 0;
    if (!call_enter(&call, API_cudaGraphConditionalHandleCreate))
        return call_leave(&call, call.error);
    cudaError_t error = create_condition(&call, graph_of(graph), handle ? &made : NULL, value, flags);
    if (error == cudaSuccess)
        *handle = made;
    return call_leave(&call, error);
}

/* ---- nodes ---- */

static bool contains_graph(const Graph *g, const Graph *inner)
{
    bool found = g == inner;
    for (size_t i = 0; i < g->nodes.n && !found; i++)
        found = g->nodes.items[i]->child && contains_graph(g->nodes.items[i]->child, inner);
    return found;
}

static bool is_condition_used(const Graph *g, const GraphCondition *c)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const GraphNode *n = g->nodes.items[i];
        if (n->condition == c || (n->child && is_condition_used(n->child, c)))
            return true;
    }
    return false;
}

/* The condition of this handle, of the graph or one that it is inside of, which no node uses; NULL. */
static GraphCondition *find_unused(const Graph *g, uint64_t handle)
{
    for (size_t k = 0; k < graphs()->graphs.n; k++) {
        const Graph *owner = graphs()->graphs.items[k];
        for (size_t i = 0; owner && i < owner->n_conditions; i++)
            if (owner->conditions[i]->handle == handle && contains_graph(owner, g))
                return is_condition_used(owner, owner->conditions[i]) ? NULL : owner->conditions[i];
    }
    return NULL;
}

static bool valid_size(const struct cudaConditionalNodeParams *p)
{
    switch (p->type) {
    case cudaGraphCondTypeIf:
        return p->size == 1 || p->size == 2;
    case cudaGraphCondTypeWhile:
        return p->size == 1;
    case cudaGraphCondTypeSwitch:
        return p->size > 0;
    }
    return false;
}

static bool add_body(GraphNode *n, size_t i)
{
    GraphNode *body = node_new(n->child, cudaGraphNodeTypeGraph);
    if (!body || !(body->child = graph_new()))
        return false;
    body->child->owned = true;
    n->bodies[i] = graph_handle(body->child);
    return true;
}

/* Its parameters cannot be changed later. */
cudaError_t work_conditional(GraphNode *n, struct cudaConditionalNodeParams *p)
{
    GraphCondition *c = n->child ? NULL : find_unused(n->graph, p->handle);
    if (!c || !valid_size(p))
        return cudaErrorInvalidValue;
    if (p->size > BODIES_MAX || !(n->child = graph_new()))
        return cudaErrorMemoryAllocation;
    n->child->owned = true;
    n->bodies = calloc(p->size, sizeof *n->bodies);
    bool ok = n->bodies != NULL;
    for (size_t i = 0; i < p->size && ok; i++)
        ok = add_body(n, i);
    if (!ok)
        return cudaErrorMemoryAllocation;
    n->condition = c;
    n->branch = p->type;
    n->graph->has_branches = true;
    p->phGraph_out = n->bodies;
    return cudaSuccess;
}

/* ---- what may run ---- */

static bool fits_in_body(const GraphNode *n, const GraphCondition *c)
{
    bool empty = n->type == cudaGraphNodeTypeEmpty, inner = n->child != NULL;
    bool work = n->type == cudaGraphNodeTypeKernel || n->type == cudaGraphNodeTypeMemcpy ||
                n->type == cudaGraphNodeTypeMemset;
    bool pageable = n->msg.op == OP_COPY && (n->msg.copy.host_dst.data || n->msg.copy.host_src.data);
    return empty || inner || (work && !pageable && n->device == c->device);
}

/* c: of the conditional node that this is inside of, NULL: of none. */
static const GraphNode *find_unfit(const Graph *g, const GraphCondition *c)
{
    const GraphNode *bad = NULL;
    for (size_t i = 0; i < g->nodes.n && !bad; i++) {
        const GraphNode *n = g->nodes.items[i];
        bool other = c && n->condition && n->condition->device != c->device;
        if (other || (c && !fits_in_body(n, c)))
            bad = n;
        else if (n->child)
            bad = find_unfit(n->child, n->condition ? n->condition : c);
    }
    return bad;
}

static bool has_unused_condition(const Graph *g)
{
    for (size_t i = 0; i < g->n_conditions; i++)
        if (!is_condition_used(g, g->conditions[i]))
            return true;
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.items[i]->child && has_unused_condition(g->nodes.items[i]->child))
            return true;
    return false;
}

cudaGraphInstantiateResult conditions_check(const Graph *g, const GraphNode **bad)
{
    *bad = find_unfit(g, NULL);
    return *bad                      ? cudaGraphInstantiateNodeOperationNotSupported
           : has_unused_condition(g) ? cudaGraphInstantiateConditionalHandleUnused
                                     : cudaGraphInstantiateSuccess;
}
