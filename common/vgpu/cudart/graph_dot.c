/* graph_dot: a graph as text for Graphviz (cudaGraphDebugDotPrint). Nodes go by their place in the graph, so
 * that the same graph gives the same text. */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdio.h>

static const char *const type_names[] = {
    [cudaGraphNodeTypeKernel] = "KERNEL",        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
    [cudaGraphNodeTypeMemset] = "MEMSET",        [cudaGraphNodeTypeHost] = "HOST",
    [cudaGraphNodeTypeGraph] = "GRAPH",          [cudaGraphNodeTypeEmpty] = "EMPTY",
    [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT", [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
    [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",   [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    [cudaGraphNodeTypeConditional] = "CONDITIONAL"};

static void put_label(StrBuf *b, const GraphNode *n, size_t place)
{
    const DeviceMsg *m = &n->msg;
    strbuf_printf(b, "%s %zu", type_names[n->type], place);
    if (n->type == cudaGraphNodeTypeKernel)
        strbuf_printf(b, "\\n%s\\n<<<(%u,%u,%u), (%u,%u,%u), %llu>>>", n->kernel->name, m->launch.grid[0],
                      m->launch.grid[1], m->launch.grid[2], m->launch.block[0], m->launch.block[1],
                      m->launch.block[2], (unsigned long long)m->launch.dynamic_shared);
    else if (m->op == OP_COPY)
        strbuf_printf(b, "\\n%llu x %llu x %llu bytes", (unsigned long long)m->copy.width,
                      (unsigned long long)m->copy.height, (unsigned long long)m->copy.depth);
    else if (m->op == OP_FILL)
        strbuf_printf(b, "\\n%llu x %llu bytes", (unsigned long long)m->fill.width,
                      (unsigned long long)m->fill.height);
}

/* prefix names the graph: "n" for the whole, "n3_" for the child graph of node 3. */
static void put_graph(StrBuf *b, const Graph *g, const char *prefix)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const GraphNode *n = g->nodes.items[i];
        strbuf_printf(b, "    %s%zu [shape=\"%s\" label=\"", prefix, i,
                      n->type == cudaGraphNodeTypeKernel ? "octagon" : "rectangle");
        put_label(b, n, i);
        strbuf_puts(b, "\"]\n");
        for (size_t k = 0; k < n->deps.n; k++) {
            size_t from = 0;
            while (g->nodes.items[from] != n->deps.items[k])
                from++;
            strbuf_printf(b, "    %s%zu -> %s%zu\n", prefix, from, prefix, i);
        }
        if (!n->child)
            continue;
        StrBuf inner = {0};
        strbuf_printf(&inner, "%s%zu_", prefix, i);
        strbuf_printf(b, "    subgraph cluster_%s {\n", inner.text ? inner.text : "");
        if (!inner.failed)
            put_graph(b, n->child, inner.text);
        strbuf_puts(b, "    }\n");
        strbuf_free(&inner);
    }
}

/* The flags ask for more detail of some kinds of nodes: what there is is always shown. */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    (void)flags;
    ENTER(API_cudaGraphDebugDotPrint);
    const Graph *g = graph_of(graph);
    if (!g || !path)
        return call_leave(&call, cudaErrorInvalidValue);
    StrBuf b = {0};
    strbuf_puts(&b, "digraph graph_1 {\n");
    put_graph(&b, g, "n");
    strbuf_puts(&b, "}\n");
    FILE *file = b.failed ? NULL : fopen(path, "w");
    bool ok = file && fwrite(b.text, 1, b.length, file) == b.length;
    if (file)
        ok = fclose(file) == 0 && ok;
    strbuf_free(&b);
    return call_leave(&call, ok ? cudaSuccess : cudaErrorOperatingSystem);
}
