// What the record of calls has of variables of the device, of streams and of graphs; and what a race says of such a variable (calls.t).
#include <cstring>

__device__ int counter, handed_on[300], added_to[2];
__device__ int total;

__global__ void count() { atomicAdd(&counter, 1); }
__global__ void hand_on() { handed_on[threadIdx.x] = threadIdx.x + 1; }
__global__ void take(int *out) { out[threadIdx.x] = handed_on[threadIdx.x]; }
__global__ void add_up() { atomicAdd(&added_to[threadIdx.x & 1], 1); }
__global__ void sum_up() { atomicAdd(&total, 1); }
__global__ void take_sum(int *out) { *out = total; }

__device__ int done, of_block[8];

// The block that is the last to have stored adds up what all have. `done` is 0 before the first launch alone.
__global__ void add_blocks(int *out)
{
    of_block[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(&done, 1) == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int k = 0; k < gridDim.x; k++)
            sum += ((volatile int *)of_block)[k];
        *out = sum;
    }
}

__global__ void set(int *out, int to) { out[threadIdx.x] = to; }
void on_host(void *) {}

// A fill, a kernel, a copy and a host function, one after the other, as a graph that is launched twice.
cudaGraph_t made_of_nodes(int *out, int *taken)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, host;
    int to = 7;
    void *arguments[] = {&out, &to};
    cudaMemsetParams with = {};
    with.dst = out;
    with.elementSize = 4;
    with.width = 32;
    with.height = 1;
    cudaKernelNodeParams run = {};
    run.func = (void *)set;
    run.gridDim = dim3(1);
    run.blockDim = dim3(32);
    run.kernelParams = arguments;
    cudaHostNodeParams call = {};
    call.fn = on_host;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &with);
    cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &run);
    cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, taken, out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&host, graph, &copy, 1, &call);
    return graph;
}

cudaGraph_t captured(int *out, int *taken)
{
    cudaGraph_t graph;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(out, 0, 32 * sizeof(int), stream);
    set<<<1, 32, 0, stream>>>(out, 7);
    cudaMemcpyAsync(taken, out, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, on_host, NULL);
    cudaStreamEndCapture(stream, &graph);
    cudaStreamDestroy(stream);
    return graph;
}

void launch_twice(cudaGraph_t graph)
{
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 2; i++)
        cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}

int main(int, char **argv)
{
    int *out;
    cudaStream_t stream;
    cudaMalloc(&out, 300 * sizeof(int));
    if (strcmp(argv[1], "variables") == 0)
        for (int call = 0; call < 2; call++) {
            count<<<1, 32>>>();
            hand_on<<<1, 300>>>();
            take<<<1, 300>>>(out);
            add_up<<<1, 32>>>();
            sum_up<<<1, 32>>>();
            take_sum<<<1, 1>>>(out);
            cudaDeviceSynchronize();
        }
    if (strcmp(argv[1], "thread") == 0) {
        cudaMemsetAsync(out, 0, 4, cudaStreamPerThread);
        cudaStreamSynchronize(cudaStreamPerThread);
    }
    if (strcmp(argv[1], "stream") == 0) {
        cudaStreamCreate(&stream);
        cudaStreamDestroy(stream);
    }
    if (strcmp(argv[1], "counter") == 0) {
        add_blocks<<<4, 1>>>(out);
        cudaDeviceSynchronize();
        add_blocks<<<7, 1>>>(out);
        cudaDeviceSynchronize();
    }
    int taken[32];
    if (strcmp(argv[1], "nodes") == 0)
        launch_twice(made_of_nodes(out, taken));
    if (strcmp(argv[1], "captured") == 0)
        launch_twice(captured(out, taken));
    if (strcmp(argv[1], "refused") == 0) {
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        set<<<1, 4096, 0, stream>>>(out, 7);
        cudaGraph_t graph;
        cudaStreamEndCapture(stream, &graph);
    }
    cudaFree(out);
    return 0;
}
