// What a program creates and does not destroy: each name of the table leaves one thing behind, at the line that says so; with "right" it
// is destroyed.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static bool destroys;

static void stream()
{
    cudaStream_t s;
    cudaStreamCreate(&s); // leak: stream
    if (destroys)
        cudaStreamDestroy(s);
}

static void event()
{
    cudaEvent_t e;
    cudaEventCreate(&e); // leak: event
    if (destroys)
        cudaEventDestroy(e);
}

static void texture()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 16, 16);
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &resource, &how, nullptr); // leak: texture
    if (destroys)
        cudaDestroyTextureObject(t);
    cudaFreeArray(array);
}

static void array()
{
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &format, 16, 16); // leak: array
    if (destroys)
        cudaFreeArray(a);
}

static void graph()
{
    cudaGraph_t g;
    cudaGraphCreate(&g, 0); // leak: graph
    if (destroys)
        cudaGraphDestroy(g);
}

static void captured()
{
    cudaGraph_t g;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(s, &g); // leak: captured
    cudaStreamDestroy(s);
    if (destroys)
        cudaGraphDestroy(g);
}

static void executable()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaGraphInstantiate(&e, g, 0); // leak: executable
    cudaGraphDestroy(g);
    if (destroys)
        cudaGraphExecDestroy(e);
}

// The runtime's own: the default stream of a thread, and what an event or stream is made of, is nobody's leak.
static void own()
{
    int *x;
    cudaMalloc(&x, 4);
    cudaMemsetAsync(x, 0, 4, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);
    cudaFree(x);
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } table[] = {{"stream", stream},     {"event", event},           {"texture", texture}, {"array", array}, {"graph", graph},
                 {"captured", captured}, {"executable", executable}, {"own", own}};
    destroys = strcmp(argv[2], "right") == 0;
    for (auto &row : table)
        if (strcmp(row.name, argv[1]) == 0)
            row.run();
    return 0;
}
