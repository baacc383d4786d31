/* Each launch is a graph of its own. What failed is still noted behind it. */
// source: launches
template <class... P, class... A>
static cudaError_t style_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A &&...a)
{
    cudaStream_t apart = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaError_t err = cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    if (err == cudaSuccess)
        err = cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed);
    if (err == cudaSuccess) {
        kernel<<<grid, block, shared, apart>>>((P)a...);
        err = cudaPeekAtLastError();
        cudaError_t end = cudaStreamEndCapture(apart, &graph);
        if (err == cudaSuccess)
            err = end;
    }
    if (err == cudaSuccess)
        err = cudaGraphInstantiate(&exec, graph, 0);
    if (err == cudaSuccess)
        err = cudaGraphLaunch(exec, stream);
    if (exec)
        cudaGraphExecDestroy(exec);
    if (graph)
        cudaGraphDestroy(graph);
    if (apart)
        cudaStreamDestroy(apart);
    return err;
}
