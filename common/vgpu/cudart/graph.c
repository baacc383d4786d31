/* graph: graphs as data: nodes, edges, copies. What nodes do is in graph_work.c (added: graph_add.c; changed:
 * graph_node.c), running them in graph_exec.c. */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>
#include <string.h>

#define GRAPH_TAG 0x4752000000000000u
#define NODE_TAG  0x474E000000000000u
#define EXEC_TAG  0x4758000000000000u

/* ---- handles ---- */

struct Graphs *graphs(void)
{
    Facade *f = facade();
    if (!f->graphs)
        f->graphs = calloc(1, sizeof *f->graphs);
    return f->graphs;
}

uint64_t handle_add(HandleTable *t, void *thing)
{
    if (t->n == 0 && VEC_GROW(t->items, t->n, t->cap))
        t->items[t->n++] = NULL;
    if (t->n == 0 || !VEC_GROW(t->items, t->n, t->cap))
        return 0;
    t->items[t->n] = thing;
    return t->n++;
}

void handle_drop(HandleTable *t, uint64_t id)
{
    if (id < t->n)
        t->items[id] = NULL;
}

void *handle_make(uint64_t tag, uint64_t id)
{
    return (void *)(uintptr_t)(tag | id << 4);
}

void *handle_find(const HandleTable *t, uint64_t tag, const void *handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle, id = (value & 0xFFFFFFFFFFFFu) >> 4;
    return (value & 0xFFFF00000000000Fu) == tag && id < t->n ? t->items[id] : NULL;
}

Graph *graph_of(cudaGraph_t handle)
{
    return graphs() ? handle_find(&graphs()->graphs, GRAPH_TAG, handle) : NULL;
}

GraphNode *node_of(cudaGraphNode_t handle)
{
    return graphs() ? handle_find(&graphs()->nodes, NODE_TAG, handle) : NULL;
}

GraphExec *exec_of(cudaGraphExec_t handle)
{
    return graphs() ? handle_find(&graphs()->execs, EXEC_TAG, handle) : NULL;
}

cudaGraph_t graph_handle(const Graph *g)
{
    return handle_make(GRAPH_TAG, g->id);
}

cudaGraphNode_t node_handle(const GraphNode *n)
{
    return handle_make(NODE_TAG, n->id);
}

cudaGraphExec_t exec_handle(const GraphExec *e)
{
    return handle_make(EXEC_TAG, e->id);
}

/* ---- lists of nodes ---- */

bool list_has(const NodeList *l, const GraphNode *n)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i] == n)
            return true;
    return false;
}

bool list_add(NodeList *l, GraphNode *n)
{
    if (!VEC_GROW(l->items, l->n, l->cap))
        return false;
    l->items[l->n++] = n;
    return true;
}

bool list_set(NodeList *to, const NodeList *from)
{
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        if (!list_add(to, from->items[i]))
            return false;
    return true;
}

static void list_remove(NodeList *l, const GraphNode *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i] != n)
            l->items[kept++] = l->items[i];
    l->n = kept;
}

void list_free(NodeList *l)
{
    free(l->items);
    *l = (NodeList){0};
}

/* ---- making and destroying ---- */

Graph *graph_new(void)
{
    struct Graphs *all = graphs();
    Graph *g = all ? calloc(1, sizeof *g) : NULL;
    if (!g)
        return NULL;
    g->id = handle_add(&all->graphs, g);
    if (g->id == 0) {
        free(g);
        return NULL;
    }
    return g;
}

GraphNode *node_new(Graph *g, enum cudaGraphNodeType type)
{
    GraphNode *n = calloc(1, sizeof *n);
    if (!n || !VEC_GROW(g->nodes.items, g->nodes.n, g->nodes.cap)) {
        free(n);
        return NULL;
    }
    n->graph = g;
    n->type = type;
    n->device = call_device();
    n->id = handle_add(&graphs()->nodes, n);
    if (n->id == 0) {
        free(n);
        return NULL;
    }
    g->nodes.items[g->nodes.n++] = n;
    return n;
}

static void free_work(GraphNode *n)
{
    free(n->params);
    free(n->param_pointers);
    if (n->child)
        graph_free(n->child);
    free(n->bodies);
    n->params = NULL;
    n->param_pointers = NULL;
    n->child = NULL;
    n->bodies = NULL;
}

void node_free(GraphNode *n)
{
    for (size_t i = 0; i < n->graph->nodes.n; i++)
        list_remove(&n->graph->nodes.items[i]->deps, n);
    list_remove(&n->graph->nodes, n);
    handle_drop(&graphs()->nodes, n->id);
    free_work(n);
    list_free(&n->deps);
    free(n);
}

void graph_free(Graph *g)
{
    graph_memory_release(g);
    user_objects_release(g);
    conditions_release(g);
    for (size_t i = 0; i < g->nodes.n; i++) {
        GraphNode *n = g->nodes.items[i];
        handle_drop(&graphs()->nodes, n->id);
        free_work(n);
        list_free(&n->deps);
        free(n);
    }
    list_free(&g->nodes);
    handle_drop(&graphs()->graphs, g->id);
    free(g);
}

bool node_depend(GraphNode *n, GraphNode *on)
{
    return list_has(&n->deps, on) || list_add(&n->deps, on);
}

/* ---- copies ---- */

static bool copy_params(GraphNode *to, const GraphNode *from)
{
    size_t bytes = from->msg.in.bytes, n = from->kernel ? from->kernel->n_params : 0;
    if (!from->params)
        return true;
    to->params = malloc(bytes + 1);
    to->param_pointers = calloc(n + 1, sizeof *to->param_pointers);
    if (!to->params || !to->param_pointers)
        return false;
    memcpy(to->params, from->params, bytes);
    to->msg.in.data = to->params;
    for (size_t i = 0; i < n; i++)
        to->param_pointers[i] = to->params + from->kernel->params[i].offset;
    return true;
}

bool node_copy_work(GraphNode *to, const GraphNode *from)
{
    const GraphNode kept = *to;
    free_work(to);
    *to = *from;
    to->id = kept.id;
    to->graph = kept.graph;
    to->deps = kept.deps;
    to->original = kept.original;
    to->disabled = kept.disabled;
    to->params = NULL;
    to->param_pointers = NULL;
    to->child = NULL;
    to->bodies = NULL;
    if (!copy_params(to, from))
        return false;
    if (!from->child)
        return true;
    to->child = graph_copy(from->child);
    if (to->child)
        to->child->owned = true;
    return to->child != NULL;
}

static size_t index_in(const NodeList *l, const GraphNode *n)
{
    size_t i = 0;
    while (l->items[i] != n)
        i++;
    return i;
}

Graph *graph_copy(const Graph *g)
{
    Graph *copy = graph_new();
    if (!copy)
        return NULL;
    bool ok = user_objects_copy(copy, g) && conditions_copy(copy, g);
    copy->has_memory = g->has_memory;
    for (size_t i = 0; i < g->nodes.n && ok; i++) {
        GraphNode *n = node_new(copy, g->nodes.items[i]->type);
        ok = n && node_copy_work(n, g->nodes.items[i]);
        if (n)
            n->original = g->nodes.items[i]->id;
    }
    for (size_t i = 0; i < g->nodes.n && ok; i++) {
        const NodeList *deps = &g->nodes.items[i]->deps;
        for (size_t k = 0; k < deps->n && ok; k++)
            ok = node_depend(copy->nodes.items[i], copy->nodes.items[index_in(&g->nodes, deps->items[k])]);
    }
    if (ok)
        return copy;
    graph_free(copy);
    return NULL;
}

void graph_leaks(void)
{
    const struct Graphs *all = facade()->graphs;
    for (size_t i = 1; all && i < all->graphs.n; i++) {
        const Graph *g = all->graphs.items[i];
        if (g && g->site && !g->owned)
            call_tell_leak(g->site, "a graph");
    }
    for (size_t i = 1; all && i < all->execs.n; i++) {
        const GraphExec *e = all->execs.items[i];
        if (e && e->site)
            call_tell_leak(e->site, "an executable graph");
    }
}

/* ---- the calls ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    ENTER(API_cudaGraphCreate);
    if (!graph || flags != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    Graph *g = graph_new();
    if (!g)
        return call_leave(&call, cudaErrorMemoryAllocation);
    g->site = call_site(&call);
    *graph = graph_handle(g);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    ENTER(API_cudaGraphDestroy);
    Graph *g = graph_of(graph);
    if (!g || g->owned)
        return call_leave(&call, cudaErrorInvalidValue);
    graph_free(g);
    return call_leave(&call, cudaSuccess);
}

/* Measured: a graph with memory nodes cannot be copied, and its nodes stay. Nor can one with conditional nodes. */
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    ENTER(API_cudaGraphClone);
    const Graph *g = graph_of(graph);
    if (!clone || !g)
        return call_leave(&call, cudaErrorInvalidValue);
    if (graph_is_single(g))
        return call_leave(&call, cudaErrorNotSupported);
    Graph *copy = graph_copy(g);
    if (!copy)
        return call_leave(&call, cudaErrorMemoryAllocation);
    copy->site = call_site(&call);
    *clone = graph_handle(copy);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    ENTER(API_cudaGraphNodeFindInClone);
    const Graph *g = graph_of(clone);
    const GraphNode *wanted = node_of(original);
    for (size_t i = 0; node && wanted && g && i < g->nodes.n; i++)
        if (g->nodes.items[i]->original == wanted->id) {
            *node = node_handle(g->nodes.items[i]);
            return call_leave(&call, cudaSuccess);
        }
    return call_leave(&call, cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    ENTER(API_cudaGraphDestroyNode);
    GraphNode *n = node_of(node);
    if (!n)
        return call_leave(&call, cudaErrorInvalidValue);
    if (n->graph->has_memory)
        return call_leave(&call, cudaErrorNotSupported);
    node_free(n);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    ENTER(API_cudaGraphNodeGetType);
    const GraphNode *n = node_of(node);
    if (!n || !type)
        return call_leave(&call, cudaErrorInvalidValue);
    *type = n->type;
    return call_leave(&call, cudaSuccess);
}

/* ---- lists for the program: *n is the room on entry, what was given on return; the rest becomes NULL ----
 */

static void give(const NodeList *l, cudaGraphNode_t *out, size_t *n)
{
    size_t room = *n;
    for (size_t i = 0; out && i < room; i++)
        out[i] = i < l->n ? node_handle(l->items[i]) : NULL;
    *n = !out || l->n < room ? l->n : room;
}

static bool roots_of(const Graph *g, NodeList *roots)
{
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.items[i]->deps.n == 0 && !list_add(roots, g->nodes.items[i]))
            return false;
    return true;
}

static bool dependents_of(const GraphNode *node, NodeList *out)
{
    const NodeList *all = &node->graph->nodes;
    for (size_t i = 0; i < all->n; i++)
        if (list_has(&all->items[i]->deps, node) && !list_add(out, all->items[i]))
            return false;
    return true;
}

static cudaError_t give_and_free(NodeList *l, bool ok, cudaGraphNode_t *out, size_t *n)
{
    if (ok)
        give(l, out, n);
    list_free(l);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    ENTER(API_cudaGraphGetNodes);
    const Graph *g = graph_of(graph);
    if (!g || !n)
        return call_leave(&call, cudaErrorInvalidValue);
    give(&g->nodes, nodes, n);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    ENTER(API_cudaGraphGetRootNodes);
    const Graph *g = graph_of(graph);
    if (!g || !n)
        return call_leave(&call, cudaErrorInvalidValue);
    NodeList roots = {0};
    bool ok = roots_of(g, &roots);
    return call_leave(&call, give_and_free(&roots, ok, nodes, n));
}

/* Every edge here is a full dependency. */
static void clear_edges(cudaGraphEdgeData *edges, size_t n)
{
    if (edges)
        memset(edges, 0, n * sizeof *edges);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                         cudaGraphEdgeData *edges, size_t *n)
{
    ENTER(API_cudaGraphNodeGetDependencies);
    const GraphNode *x = node_of(node);
    if (!x || !n)
        return call_leave(&call, cudaErrorInvalidValue);
    give(&x->deps, deps, n);
    clear_edges(deps ? edges : NULL, *n);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                           cudaGraphEdgeData *edges, size_t *n)
{
    ENTER(API_cudaGraphNodeGetDependentNodes);
    const GraphNode *x = node_of(node);
    if (!x || !n)
        return call_leave(&call, cudaErrorInvalidValue);
    NodeList list = {0};
    bool ok = dependents_of(x, &list);
    cudaError_t error = give_and_free(&list, ok, dependents, n);
    if (error == cudaSuccess)
        clear_edges(dependents ? edges : NULL, *n);
    return call_leave(&call, error);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *n)
{
    ENTER(API_cudaGraphGetEdges);
    const Graph *g = graph_of(graph);
    if (!g || !n || (from == NULL) != (to == NULL))
        return call_leave(&call, cudaErrorInvalidValue);
    size_t room = from ? *n : 0, count = 0;
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.items[i]->deps.n; k++, count++)
            if (count < room) {
                from[count] = node_handle(g->nodes.items[i]->deps.items[k]);
                to[count] = node_handle(g->nodes.items[i]);
            }
    for (size_t i = count; i < room; i++)
        from[i] = to[i] = NULL;
    *n = !from || count < room ? count : room;
    clear_edges(from ? edges : NULL, *n);
    return call_leave(&call, cudaSuccess);
}

/* ---- edges ---- */

/* Programmatic edges let a kernel start early: a full dependency does as well, later. */
static bool valid_edges(const cudaGraphEdgeData *edges, size_t n)
{
    for (size_t i = 0; edges && i < n; i++)
        if (edges[i].to_port != 0 || edges[i].type > cudaGraphDependencyTypeProgrammatic)
            return false;
    return true;
}

static cudaError_t add_edges(const Graph *g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const GraphNode *a = node_of(from[i]), *b = node_of(to[i]);
        if (!a || !b || a == b || a->graph != g || b->graph != g || list_has(&b->deps, a))
            return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < n; i++)
        if (!node_depend(node_of(to[i]), node_of(from[i])))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n)
{
    ENTER(API_cudaGraphAddDependencies);
    const Graph *g = graph_of(graph);
    if (!g || (n > 0 && (!from || !to)) || !valid_edges(edges, n))
        return call_leave(&call, cudaErrorInvalidValue);
    if (g->has_memory)
        return call_leave(&call, cudaErrorNotSupported);
    return call_leave(&call, add_edges(g, from, to, n));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n)
{
    ENTER(API_cudaGraphRemoveDependencies);
    const Graph *g = graph_of(graph);
    if (!g || (n > 0 && (!from || !to)) || !valid_edges(edges, n))
        return call_leave(&call, cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        const GraphNode *a = node_of(from[i]), *b = node_of(to[i]);
        if (!a || !b || a->graph != g || b->graph != g || !list_has(&b->deps, a))
            return call_leave(&call, cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < n; i++)
        list_remove(&node_of(to[i])->deps, node_of(from[i]));
    return call_leave(&call, cudaSuccess);
}
