/* What gives a node its work: the functions of graph_work.c that adding a node (graph_add.c) and changing one
 * (graph_node.c) share. Each takes what the plain call takes, and gives its error. */
#ifndef COMMON_VGPU_CUDART_GRAPH_WORK_H
#define COMMON_VGPU_CUDART_GRAPH_WORK_H

#include "common/vgpu/cudart/graph_internal.h"

cudaError_t work_kernel(Call *call, GraphNode *n, const struct cudaKernelNodeParams *p);
cudaError_t work_copy(Call *call, GraphNode *n, const struct cudaMemcpy3DParms *p);
cudaError_t work_line(Call *call, GraphNode *n, void *dst, const void *src, size_t bytes,
                      enum cudaMemcpyKind kind);
cudaError_t work_symbol(Call *call, GraphNode *n, const void *symbol, void *other, size_t count,
                        size_t offset, enum cudaMemcpyKind kind, bool to_symbol);
cudaError_t work_fill(Call *call, GraphNode *n, const struct cudaMemsetParams *p);
cudaError_t work_host(Call *call, GraphNode *n, const struct cudaHostNodeParams *p);
cudaError_t work_event(Call *call, GraphNode *n, cudaEvent_t event, bool record);
cudaError_t work_child(GraphNode *n, cudaGraph_t child);
cudaError_t work_alloc(Call *call, GraphNode *n, struct cudaMemAllocNodeParams *p);
cudaError_t work_free(GraphNode *n, void *p);
cudaError_t work_any(Call *call, GraphNode *n, struct cudaGraphNodeParams *p);

/* Between parameters that are handed to a macro as one. */
#define AND ,

#endif
