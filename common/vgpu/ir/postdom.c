/* Immediate post-dominators: dominators of the reversed graph, from a virtual end that all ends lead to.
 *
 * Lengauer and Tarjan, A fast algorithm for finding dominators in a flowgraph (1979), the simple version, O(m
 * log n): number the nodes in depth-first order, find each node's semidominator, then its dominator. No
 * recursion: the graph may be as deep as the function is long.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>

/* Nodes are blocks 0..n-1 and the virtual end n. Edges of the reversed graph: from the end to each end block,
 * from each block to its predecessors. Arrays by node, unless they say [number]. */
typedef struct Postdom {
    uint32_t n;
    const uint32_t *succ, *succ_begin;
    const bool *ends;
    uint32_t *pred, *pred_begin;
    uint32_t *number;                  /* depth-first number + 1; 0: not reached */
    uint32_t *node;                    /* [number] */
    uint32_t *parent;                  /* [number] of the depth-first tree */
    uint32_t *semi;                    /* [number] */
    uint32_t *ancestor;                /* [number] + 1 in the forest; 0: a root */
    uint32_t *label;                   /* [number] */
    uint32_t *dom;                     /* [number] */
    uint32_t *bucket, *next_in_bucket; /* [number] + 1: nodes by semidominator */
    uint32_t *stack, *edge;
    uint32_t n_reached;
} Postdom;

static bool postdom_allocate(Postdom *p)
{
    size_t n = (size_t)p->n + 1;
    uint32_t **arrays[] = {&p->number, &p->node,   &p->parent, &p->semi,           &p->ancestor, &p->label,
                           &p->dom,    &p->bucket, &p->stack,  &p->next_in_bucket, &p->edge};
    bool ok = true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = calloc(n, sizeof **arrays[i]);
        ok = ok && *arrays[i];
    }
    p->pred_begin = calloc(n + 1, sizeof *p->pred_begin);
    p->pred = malloc(((size_t)p->succ_begin[p->n] + 1) * sizeof *p->pred);
    return ok && p->pred_begin && p->pred;
}

static void postdom_free(Postdom *p)
{
    uint32_t *arrays[] = {p->number, p->node,  p->parent,         p->semi, p->ancestor,   p->label, p->dom,
                          p->bucket, p->stack, p->next_in_bucket, p->edge, p->pred_begin, p->pred};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
}

static void invert(Postdom *p)
{
    uint32_t *begin = p->pred_begin;
    for (uint32_t e = 0; e < p->succ_begin[p->n]; e++)
        begin[p->succ[e] + 1]++;
    for (uint32_t b = 0; b < p->n; b++)
        begin[b + 1] += begin[b];
    uint32_t *fill = p->stack; /* not in use yet */
    for (uint32_t b = 0; b < p->n; b++)
        fill[b] = begin[b];
    for (uint32_t b = 0; b < p->n; b++)
        for (uint32_t e = p->succ_begin[b]; e < p->succ_begin[b + 1]; e++)
            p->pred[fill[p->succ[e]]++] = b;
}

static void reach(Postdom *p, uint32_t node, uint32_t parent_number)
{
    uint32_t number = p->n_reached++;
    p->number[node] = number + 1;
    p->node[number] = node;
    p->parent[number] = parent_number;
    p->semi[number] = p->label[number] = number;
}

/* Depth-first from one end block, on an explicit stack. */
static void search_from(Postdom *p, uint32_t start)
{
    uint32_t depth = 0;
    if (p->number[start])
        return;
    reach(p, start, 0);
    p->stack[depth++] = start;
    p->edge[start] = p->pred_begin[start];
    while (depth > 0) {
        uint32_t node = p->stack[depth - 1];
        if (p->edge[node] == p->pred_begin[node + 1]) {
            depth--;
            continue;
        }
        uint32_t next = p->pred[p->edge[node]++];
        if (p->number[next])
            continue;
        reach(p, next, p->number[node] - 1);
        p->stack[depth++] = next;
        p->edge[next] = p->pred_begin[next];
    }
}

/* The number with the least semidominator on the forest's path above v, with path compression. */
static uint32_t evaluate(Postdom *p, uint32_t v)
{
    uint32_t depth = 0;
    if (!p->ancestor[v])
        return p->label[v];
    for (uint32_t u = v; p->ancestor[p->ancestor[u] - 1]; u = p->ancestor[u] - 1)
        p->stack[depth++] = u;
    while (depth > 0) {
        uint32_t u = p->stack[--depth], above = p->ancestor[u] - 1;
        if (p->semi[p->label[above]] < p->semi[p->label[u]])
            p->label[u] = p->label[above];
        p->ancestor[u] = p->ancestor[above];
    }
    return p->label[v];
}

static void lower_semi(Postdom *p, uint32_t w, uint32_t from_number)
{
    uint32_t u = evaluate(p, from_number);
    if (p->semi[u] < p->semi[w])
        p->semi[w] = p->semi[u];
}

/* Semidominators from the last number down; dominators of those whose semidominator is the parent just done.
 */
static void find_dominators(Postdom *p)
{
    for (uint32_t w = p->n_reached; w-- > 1;) {
        uint32_t node = p->node[w];
        if (p->ends[node])
            lower_semi(p, w, 0);
        for (uint32_t e = p->succ_begin[node]; e < p->succ_begin[node + 1]; e++)
            if (p->number[p->succ[e]])
                lower_semi(p, w, p->number[p->succ[e]] - 1);
        p->next_in_bucket[w] = p->bucket[p->semi[w]];
        p->bucket[p->semi[w]] = w + 1;
        uint32_t parent = p->parent[w];
        p->ancestor[w] = parent + 1;
        for (uint32_t v; (v = p->bucket[parent]) != 0; p->bucket[parent] = p->next_in_bucket[v - 1]) {
            uint32_t u = evaluate(p, v - 1);
            p->dom[v - 1] = p->semi[u] < p->semi[v - 1] ? u : parent;
        }
    }
    for (uint32_t w = 1; w < p->n_reached; w++)
        if (p->dom[w] != p->semi[w])
            p->dom[w] = p->dom[p->dom[w]];
}

bool postdom_compute(uint32_t n, const uint32_t *succ, const uint32_t *succ_begin, const bool *ends,
                     uint32_t *ipdom)
{
    Postdom p = {.n = n, .succ = succ, .succ_begin = succ_begin, .ends = ends};
    bool ok = postdom_allocate(&p);
    if (ok) {
        invert(&p);
        reach(&p, n, 0);
        for (uint32_t b = 0; b < n; b++)
            if (ends[b])
                search_from(&p, b);
        find_dominators(&p);
        for (uint32_t b = 0; b < n; b++) {
            uint32_t number = p.number[b];
            bool at_end = number == 0 || p.dom[number - 1] == 0;
            ipdom[b] = at_end ? IR_NO_PC : p.node[p.dom[number - 1]];
        }
    }
    postdom_free(&p);
    return ok;
}
