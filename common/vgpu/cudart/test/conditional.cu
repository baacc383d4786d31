// Conditional nodes of graphs. conditional.t says what each case prints, and what must be found.
//
//   conditional CASE
#include <cstdio>
#include <cstring>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess)                                                                           \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                             \
    } while (0)

using Handle = cudaGraphConditionalHandle;

__global__ void set(Handle h, unsigned value)
{
    cudaGraphSetConditional(h, value);
}

__global__ void set_from(Handle h, const int *x)
{
    cudaGraphSetConditional(h, *x);
}

__global__ void add(int *x, int value)
{
    *x += value;
}

// One round of a loop: again as long as fewer than `most` have been.
__global__ void round_of(Handle h, int *n, int most)
{
    ++*n;
    cudaGraphSetConditional(h, *n < most);
}

__global__ void zero(int *x)
{
    *x = 0;
}

struct Bodies {
    cudaGraphNode_t node;
    cudaGraph_t graph[8];
};

static cudaGraphNodeParams conditional(Handle h, cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    return p;
}

static Bodies branch(cudaGraph_t g, Handle h, cudaGraphConditionalNodeType type, unsigned size, const cudaGraphNode_t *after = nullptr)
{
    Bodies b = {};
    cudaGraphNodeParams p = conditional(h, type, size);
    TRY(cudaGraphAddNode(&b.node, g, after, nullptr, after != nullptr, &p));
    for (unsigned i = 0; i < size && p.conditional.phGraph_out != nullptr; i++)
        b.graph[i] = p.conditional.phGraph_out[i];
    return b;
}

template <typename... P, typename... A>
static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, void (*f)(P...), A... args)
{
    cudaGraphNode_t node = nullptr;
    void *pointers[] = {(void *)&args...};
    cudaKernelNodeParams p = {};
    p.func = (void *)f;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = pointers;
    TRY(cudaGraphAddKernelNode(&node, g, after, after != nullptr, &p));
    return node;
}

static cudaGraphExec_t made(cudaGraph_t g)
{
    cudaGraphExec_t e = nullptr;
    TRY(cudaGraphInstantiate(&e, g, 0));
    return e;
}

static int *number(int value)
{
    int *x;
    TRY(cudaMalloc(&x, sizeof *x));
    TRY(cudaMemcpy(x, &value, sizeof value, cudaMemcpyHostToDevice));
    return x;
}

static int value_of(const int *x)
{
    int value = -1;
    TRY(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void run_if()
{
    for (unsigned size = 1; size <= 2; size++)
        for (int value = 0; value < 3; value++) {
            int *in = number(value), *x = number(100);
            cudaGraph_t g;
            Handle h;
            cudaGraphCreate(&g, 0);
            TRY(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
            cudaGraphNode_t first = kernel(g, nullptr, set_from, h, (const int *)in);
            Bodies b = branch(g, h, cudaGraphCondTypeIf, size, &first);
            kernel(b.graph[0], nullptr, add, x, 1);
            if (size == 2)
                kernel(b.graph[1], nullptr, add, x, 2);
            kernel(g, &b.node, add, x, 10);
            cudaGraphExec_t e = made(g);
            TRY(cudaGraphDestroy(g));
            TRY(cudaGraphLaunch(e, 0));
            TRY(cudaGraphLaunch(e, 0));
            TRY(cudaGraphExecDestroy(e));
            printf("%d ", value_of(x));
            cudaFree(in), cudaFree(x);
        }
    printf("\n");
}

// A default is given at each launch.
static void run_default()
{
    int *x = number(0);
    cudaGraph_t g;
    Handle h;
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    Bodies b = branch(g, h, cudaGraphCondTypeIf, 1);
    cudaGraphNode_t first = kernel(b.graph[0], nullptr, add, x, 1);
    kernel(b.graph[0], &first, set, h, 0u);
    cudaGraphExec_t e = made(g);
    for (int i = 0; i < 3; i++)
        TRY(cudaGraphLaunch(e, 0));
    printf("%d\n", value_of(x));
    cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaFree(x);
}

static void run_switch()
{
    for (int value = 0; value < 5; value++) {
        int *x = number(0);
        cudaGraph_t g;
        Handle h;
        cudaGraphCreate(&g, 0);
        TRY(cudaGraphConditionalHandleCreate(&h, g, value, cudaGraphCondAssignDefault));
        Bodies b = branch(g, h, cudaGraphCondTypeSwitch, 4);
        for (int i = 0; i < 4; i++)
            kernel(b.graph[i], nullptr, add, x, i + 1);
        cudaGraphExec_t e = made(g);
        TRY(cudaGraphLaunch(e, 0));
        printf("%d ", value_of(x));
        cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaFree(x);
    }
    printf("\n");
}

// A loop in a loop, a copy and a fill in the body, other streams beside it, and work behind it.
static void run_loops()
{
    int *i = number(0), *k = number(0), *sum = number(0), *copy = number(0), *beside = number(1), *at_end;
    TRY(cudaMallocHost(&at_end, sizeof *at_end));
    cudaStream_t s, other;
    cudaStreamCreate(&s), cudaStreamCreate(&other);
    cudaGraph_t g;
    Handle outer, inner;
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&outer, g, 1, cudaGraphCondAssignDefault));
    TRY(cudaGraphConditionalHandleCreate(&inner, g));
    Bodies a = branch(g, outer, cudaGraphCondTypeWhile, 1);
    cudaMemsetParams fill = {};
    fill.dst = k, fill.elementSize = 4, fill.width = fill.height = 1, fill.pitch = 4;
    cudaGraphNode_t reset;
    TRY(cudaGraphAddMemsetNode(&reset, a.graph[0], nullptr, 0, &fill));
    cudaGraphNode_t begin = kernel(a.graph[0], &reset, set, inner, 1u);
    Bodies b = branch(a.graph[0], inner, cudaGraphCondTypeWhile, 1, &begin);
    cudaGraphNode_t one = kernel(b.graph[0], nullptr, add, sum, 1);
    kernel(b.graph[0], &one, round_of, inner, k, 3);
    cudaGraphNode_t kept;
    TRY(cudaGraphAddMemcpyNode1D(&kept, a.graph[0], &b.node, 1, copy, sum, sizeof *sum, cudaMemcpyDeviceToDevice));
    kernel(a.graph[0], &kept, round_of, outer, i, 5);
    kernel(g, &a.node, add, copy, 1000);
    cudaGraphExec_t e = made(g);
    TRY(cudaGraphLaunch(e, s));
    TRY(cudaMemcpyAsync(at_end, copy, sizeof *at_end, cudaMemcpyDeviceToHost, s));
    zero<<<1, 1, 0, other>>>(beside);
    TRY(cudaStreamSynchronize(s));
    printf("%d %d %d %d\n", *at_end, value_of(i), value_of(k), value_of(sum));
    cudaStreamDestroy(s), cudaStreamDestroy(other), cudaGraphExecDestroy(e), cudaGraphDestroy(g);
    cudaFree(i), cudaFree(k), cudaFree(sum), cudaFree(copy), cudaFree(beside), cudaFreeHost(at_end);
}

// Bodies made by capture; the executable graph changed as a whole.
static cudaGraph_t captured(int *n, int most)
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g, body;
    Handle h;
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    Bodies b = branch(g, h, cudaGraphCondTypeWhile, 1);
    TRY(cudaStreamBeginCaptureToGraph(s, b.graph[0], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    round_of<<<1, 1, 0, s>>>(h, n, most);
    TRY(cudaStreamEndCapture(s, &body));
    cudaStreamDestroy(s);
    return g;
}

static void run_captured()
{
    int *n = number(0);
    cudaGraph_t g = captured(n, 4), longer = captured(n, 9);
    cudaGraphExec_t e = made(g);
    cudaGraphExecUpdateResultInfo info;
    TRY(cudaGraphLaunch(e, 0));
    printf("%d ", value_of(n));
    TRY(cudaGraphExecUpdate(e, longer, &info));
    TRY(cudaGraphLaunch(e, 0));
    printf("%d\n", value_of(n));
    cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaGraphDestroy(longer), cudaFree(n);
}

static void say(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

static void on_host(void *)
{
}

static void run_errors()
{
    cudaGraph_t g, other, copy;
    Handle h, unused;
    cudaGraphNode_t node;
    cudaGraphExec_t e, second;
    cudaGraphCreate(&g, 0), cudaGraphCreate(&other, 0);
    say("flags", cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    say("no handle", cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
    TRY(cudaGraphConditionalHandleCreate(&h, g, 1, 1));
    static const struct {
        const char *name;
        cudaGraphConditionalNodeType type;
        unsigned size;
    } sizes[] = {{"if 0", cudaGraphCondTypeIf, 0},       {"if 3", cudaGraphCondTypeIf, 3},
                 {"while 0", cudaGraphCondTypeWhile, 0}, {"while 2", cudaGraphCondTypeWhile, 2},
                 {"switch 0", cudaGraphCondTypeSwitch, 0}, {"type 3", (cudaGraphConditionalNodeType)3, 1}};
    for (const auto &s : sizes) {
        cudaGraphNodeParams p = conditional(h, s.type, s.size);
        say(s.name, cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    }
    cudaGraphNodeParams p = conditional(h, cudaGraphCondTypeIf, 1), wrong = conditional(h + 64, cudaGraphCondTypeIf, 1);
    say("wrong handle", cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &wrong));
    say("handle of another graph", cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &p));
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    cudaGraph_t body = p.conditional.phGraph_out[0];
    cudaGraphNode_t again;
    say("used handle", cudaGraphAddNode(&again, g, nullptr, nullptr, 0, &p));
    cudaGraphNodeType type;
    TRY(cudaGraphNodeGetType(node, &type));
    printf("type %d\n", (int)type);
    say("new parameters", cudaGraphNodeSetParams(node, &p));
    say("destroy body", cudaGraphDestroy(body));
    say("clone", cudaGraphClone(&copy, g));
    say("child", cudaGraphAddChildGraphNode(&again, other, nullptr, 0, g));
    cudaHostNodeParams host = {on_host, nullptr};
    TRY(cudaGraphAddHostNode(&again, body, nullptr, 0, &host));
    cudaGraphInstantiateParams how = {};
    say("host node in a body", cudaGraphInstantiateWithParams(&e, g, &how));
    printf("result %d, %s\n", (int)how.result_out, how.errNode_out == again ? "that node" : "another node");
    TRY(cudaGraphDestroyNode(again));
    TRY(cudaGraphConditionalHandleCreate(&unused, body, 0, 0));
    say("unused handle", cudaGraphInstantiateWithParams(&e, g, &how));
    printf("result %d\n", (int)how.result_out);
    cudaGraphNodeParams inner = conditional(unused, cudaGraphCondTypeIf, 2);
    TRY(cudaGraphAddNode(&again, body, nullptr, nullptr, 0, &inner));
    say("instantiate", cudaGraphInstantiateWithParams(&e, g, &how));
    say("twice", cudaGraphInstantiate(&second, g, 0));
    TRY(cudaGraphExecDestroy(e));
    say("after the first", cudaGraphInstantiate(&second, g, 0));
    cudaGraphExecDestroy(second), cudaGraphDestroy(g), cudaGraphDestroy(other);
}

// ---- what is wrong ----

static void run_one(unsigned flags, unsigned threads, bool wrong_handle, cudaGraphConditionalNodeType type)
{
    int *x = number(0);
    cudaGraph_t g;
    Handle h;
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&h, g, 1, flags));
    cudaGraphNode_t first = nullptr;
    if (threads > 0) {
        first = kernel(g, nullptr, set, wrong_handle ? h + 4096 : h, 1u);
        cudaKernelNodeParams p;
        TRY(cudaGraphKernelNodeGetParams(first, &p));
        p.blockDim = dim3(threads);
        TRY(cudaGraphKernelNodeSetParams(first, &p));
    }
    Bodies b = branch(g, h, type, 1, first == nullptr ? nullptr : &first);
    kernel(b.graph[0], nullptr, add, x, 1);
    cudaGraphExec_t e = made(g);
    TRY(cudaGraphLaunch(e, 0));
    say("wait", cudaDeviceSynchronize());
    cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaFree(x);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"if", run_if},
                 {"default", run_default},
                 {"switch", run_switch},
                 {"loops", run_loops},
                 {"captured", run_captured},
                 {"errors", run_errors},
                 {"not_set", [] { run_one(0, 0, false, cudaGraphCondTypeIf); }},
                 {"set_by_one", [] { run_one(0, 1, false, cudaGraphCondTypeIf); }},
                 {"set_by_two", [] { run_one(0, 64, false, cudaGraphCondTypeIf); }},
                 {"wrong_handle", [] { run_one(1, 1, true, cudaGraphCondTypeIf); }},
                 {"for_ever", [] { run_one(1, 0, false, cudaGraphCondTypeWhile); }}};
    for (const auto &c : cases)
        if (strcmp(name, c.name) == 0)
            c.run();
}
