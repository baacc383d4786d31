/* graph_internal: what the files about graphs and stream capture share.
 *
 *      Graph ── nodes, in the order they were added ── deps: the nodes that a node waits for
 *      GraphExec ── a copy of a graph, its nodes in an order in which they can be queued
 *      Capture ── streams that are being captured, each with its tails: what its next node will wait for
 *
 * A node holds the message that its execution sends to the device (msg), made by the same code as that of the
 * plain call: capture and cudaGraphAdd...Node divert the message (capture_divert) instead of sending it.
 *
 * Handles are numbers that look like pointers, as those of streams are (stream.c), so that a stale one is
 * refused.
 */
#ifndef COMMON_VGPU_CUDART_GRAPH_INTERNAL_H
#define COMMON_VGPU_CUDART_GRAPH_INTERNAL_H

#include "common/vgpu/cudart/cudart_internal.h"

typedef struct Graph Graph;

typedef struct NodeList {
    struct GraphNode **items;
    size_t n, cap;
} NodeList;

/* What a conditional node looks at: a word of the device's (device/branch.c), which its graph and the executable one share. */
typedef struct GraphCondition {
    uint64_t handle;
    uint32_t device; /* server's index */
    uint32_t value;  /* which a launch begins with, if assign */
    bool assign;
    size_t n_refs; /* graphs */
} GraphCondition;

typedef struct GraphNode {
    uint64_t id;
    Graph *graph;
    enum cudaGraphNodeType type;
    NodeList deps;
    uint64_t original; /* id of the node that this one is a copy of, 0: none */
    bool disabled;     /* of an executable graph */
    uint32_t device;   /* server's index */
    DeviceMsg msg;     /* op 0: nothing is sent */
    uint8_t *params;   /* of a kernel: msg.in's bytes */
    Kernel *kernel;
    void **param_pointers; /* into params: what cudaGraphKernelNodeGetParams shows */
    HostFunction host;
    cudaEvent_t event;
    Graph *child;                  /* owned; of a conditional node: a child graph node for each body */
    GraphCondition *condition;
    enum cudaGraphConditionalNodeType branch;
    cudaGraph_t *bodies; /* shown to the program */
    struct cudaMemcpy3DParms copy; /* as the program gave it, or as the captured copy reads */
    struct cudaMemsetParams fill;
    struct cudaMemAllocNodeParams alloc;
    void *freed;
    int priority;
    uint64_t seq; /* of the launch under way */
} GraphNode;

typedef struct UserObject {
    uint64_t id;
    uint64_t n_refs;
    cudaHostFn_t destroy;
    void *data;
} UserObject;

typedef struct UserReference {
    UserObject *object;
    uint64_t n;
} UserReference;

struct Graph {
    uint64_t id;
    NodeList nodes;
    bool owned; /* by a node or an executable graph: cudaGraphDestroy refuses it */
    uint64_t site; /* where the program made it; 0: it did not */
    bool has_memory, has_branches;
    uint32_t n_execs; /* with memory or conditional nodes there may be one at a time */
    GraphCondition **conditions;
    size_t n_conditions, conditions_cap;
    UserReference *objects;
    size_t n_objects, objects_cap;
};

typedef struct GraphExec {
    uint64_t id;
    Graph *graph;      /* its own copy */
    uint64_t original; /* id of the graph it was made from */
    uint64_t site;     /* where the program made it */
    NodeList order;
    unsigned long long flags;
    uint64_t last_seq; /* of its last launch: the next one waits for it */
} GraphExec;

/* Things by the number in their handle: slot 0 is unused, NULL: destroyed. */
typedef struct HandleTable {
    void **items;
    size_t n, cap;
} HandleTable;

typedef struct Capture Capture;

/* A stream or an event that belongs to a capture. */
typedef struct Captured {
    Capture *capture; /* NULL: none */
    bool over;        /* an event's: its capture has ended */
    bool blocking;    /* a stream's: the legacy default stream waits for it */
    NodeList tails;
} Captured;

typedef struct CapturedTable {
    Captured *items; /* by id of the stream or event */
    size_t n, cap;
} CapturedTable;

struct Capture {
    uint64_t id;
    Graph *graph;
    bool own_graph; /* made for this capture */
    bool invalid;
    enum cudaStreamCaptureMode mode;
    uint64_t thread;
    uint32_t origin; /* the stream it began with */
};

/* Memory that a graph allocates: it is there as long as the graph or an executable one made of it, live from a launch to a
 * free. */
typedef struct GraphMemory {
    uint64_t addr, bytes;
    uint32_t device, stream; /* of its last launch */
    bool live;
    bool orphan; /* no graph allocates it any more: it goes when it is freed */
} GraphMemory;

/* What graphs hold of a device: as long as nobody trims, as much as a launch has ever needed. */
typedef struct GraphUse {
    uint64_t used_high, reserved, reserved_high;
} GraphUse;

struct Graphs {
    HandleTable graphs, nodes, execs, objects;
    CapturedTable streams, events;
    Capture **captures;
    size_t n_captures, captures_cap;
    uint64_t n_captures_made;
    GraphMemory *memory;
    size_t n_memory, memory_cap;
    GraphUse use[DEVICES_MAX];
    cudaGraphNode_t *shown; /* by cudaStreamGetCaptureInfo */
    size_t n_shown, shown_cap;
};

/* ---- graph.c: graphs, nodes and edges ---- */

/* NULL without memory. */
struct Graphs *graphs(void);
/* NULL: no such thing. */
Graph *graph_of(cudaGraph_t handle);
GraphNode *node_of(cudaGraphNode_t handle);
GraphExec *exec_of(cudaGraphExec_t handle);
cudaGraph_t graph_handle(const Graph *g);
cudaGraphNode_t node_handle(const GraphNode *n);
cudaGraphExec_t exec_handle(const GraphExec *e);

Graph *graph_new(void);
/* A copy with all its nodes; NULL without memory. */
Graph *graph_copy(const Graph *g);
void graph_free(Graph *g);
/* A node at the end of the graph's list, without dependencies. */
GraphNode *node_new(Graph *g, enum cudaGraphNodeType type);
void node_free(GraphNode *n);
bool node_depend(GraphNode *n, GraphNode *on);
/* What `from` does becomes what `to` does. */
bool node_copy_work(GraphNode *to, const GraphNode *from);
bool list_has(const NodeList *l, const GraphNode *n);
bool list_add(NodeList *l, GraphNode *n);
bool list_set(NodeList *to, const NodeList *from);
void list_free(NodeList *l);
/* Adds something to a table: its id, 0 without memory. */
uint64_t handle_add(HandleTable *t, void *thing);
void handle_drop(HandleTable *t, uint64_t id);
/* A tagged handle, and back: NULL where it is none of these. */
void *handle_make(uint64_t tag, uint64_t id);
void *handle_find(const HandleTable *t, uint64_t tag, const void *handle);

/* ---- graph_work.c: what nodes do ---- */

/* Takes over a message that a call made for this node; checks it with the device. */
cudaError_t node_take(Call *call, GraphNode *n, uint32_t device, const DeviceMsg *msg);

/* ---- graph_exec.c ---- */

/* Nodes in an order in which each comes after what it waits for; false for a cycle or without memory. */
bool graph_order(const Graph *g, NodeList *order);
cudaError_t graph_launch(Call *call, GraphExec *e, cudaStream_t stream);

/* ---- graph_memory.c ---- */

cudaError_t graph_memory_add(Call *call, GraphNode *n, size_t bytes, uint32_t device, void **out);
GraphMemory *graph_memory_find(uint64_t addr);
/* May the allocations of these nodes be made live? Makes them so, and those that nodes free not. */
cudaError_t graph_memory_launch(const GraphExec *e, uint32_t stream);
/* Does this address belong to a graph? Then it is freed here; cudaFree waits for the device. */
bool graph_memory_free(Call *call, uint32_t device, uint32_t stream, uint64_t addr, bool wait,
                       cudaError_t *error);
/* The graph goes: so does the memory that no other one allocates and that is not live. */
void graph_memory_release(Graph *g);

/* ---- graph_condition.c ---- */

/* Such a graph cannot be copied, and not be a part of another one. */
bool graph_is_single(const Graph *g);
/* Gives a new node its bodies. */
cudaError_t work_conditional(GraphNode *n, struct cudaConditionalNodeParams *p);
/* May the graph run? If not, why, and the node at fault. */
cudaGraphInstantiateResult conditions_check(const Graph *g, const GraphNode **bad);
void conditions_release(Graph *g);
/* `to` has those of `from`, and no others. */
bool conditions_copy(Graph *to, const Graph *from);

/* ---- user_object.c ---- */

void user_objects_release(Graph *g);
bool user_objects_copy(Graph *to, const Graph *from);

#endif
