// A random program of kernels, events, waits and graphs in streams of two devices, made of a number: orders.t compares what the virtual GPU finds in it with
// what this program works out from the promises of the CUDA programming guide ("Asynchronous Execution", "CUDA Graphs").
//
//      orders NUMBER      runs it, and prints "race" or "none"; "some" where nothing races if a graph's nodes on one device come one after the other,
//                         in the launching stream or in the other device's default stream, as the virtual GPU takes them to do
//
// Every operation that touches memory is a node of a graph, and an edge is a promise. Two race that touch one cell, one of them writing, when there is no way
// from the one to the other.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                \
    do {                                                                                                           \
        cudaError_t error = call;                                                                                  \
        if (error != cudaSuccess) {                                                                                \
            printf("%s in line %d\n", cudaGetErrorName(error), __LINE__);                                          \
            exit(2);                                                                                               \
        }                                                                                                          \
    } while (0)

enum { CELLS = 5, STREAMS = 8, PLAIN = 4, LEGACY = 6, EVENTS = 2, GRAPHS = 2, STEPS = 14, CAPTURED_MAX = 4, APART = 256 };

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

__global__ void touch(int *cell, bool writes)
{
    if (writes)
        *cell = 1;
    else if (*cell < 0)
        __trap();
}

// ---- The promises ----

using Set = std::vector<int>;

struct Node {
    int cell; // -1: touches none
    bool writes;
    std::vector<bool> before, taken; // by promises; and by the order in which nodes of graphs are taken, too
};

static std::vector<Node> nodes;

static void put_before(std::vector<bool> Node::*order, Node &n, int a)
{
    (n.*order)[a] = true;
    for (size_t i = 0; i < (nodes[a].*order).size(); i++)
        (n.*order)[i] = (n.*order)[i] || (nodes[a].*order)[i];
}

// `row`: the number of the last one that is taken to come before it; its own from then on, if it `joins`.
static int add(const Set &after, int cell, bool writes, int *row, bool joins = true)
{
    Node n = {cell, writes, std::vector<bool>(nodes.size() + 1), std::vector<bool>(nodes.size() + 1)};
    for (int a : after) {
        put_before(&Node::before, n, a);
        put_before(&Node::taken, n, a);
    }
    if (row && *row >= 0)
        put_before(&Node::taken, n, *row);
    nodes.push_back(n);
    if (row && joins)
        *row = (int)nodes.size() - 1;
    return (int)nodes.size() - 1;
}

static Set both(const Set &a, const Set &b)
{
    Set all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

// ---- What the program has ----

static int *cells;
static cudaStream_t streams[STREAMS]; // even ones of device 0; PLAIN and the next one wait for the default streams, which are the last two
static cudaEvent_t events[STREAMS][EVENTS];
static Set last[STREAMS], recorded[STREAMS][EVENTS], host;
static int rows[2 + STREAMS]; // of nodes of graphs: in the default streams of other devices, and in streams

static int device_of(int stream)
{
    return stream % 2;
}

// What an operation comes after that is put into the stream now: the default stream and those that wait for it wait for one another.
static Set now(int stream)
{
    Set all = both(last[stream], host);
    if (stream >= LEGACY)
        return both(all, last[PLAIN + device_of(stream)]);
    return stream >= PLAIN ? both(all, last[LEGACY + device_of(stream)]) : all;
}

static int add_to(int stream, const Set &more = {}, int cell = -1, bool writes = false)
{
    return add(both(now(stream), more), cell, writes, stream < PLAIN ? NULL : &rows[device_of(stream)], stream >= LEGACY);
}

static void launch(int stream, int cell, bool writes)
{
    CHECK(cudaSetDevice(device_of(stream)));
    touch<<<1, 1, 0, streams[stream]>>>(cells + cell * APART, writes);
    CHECK(cudaGetLastError());
}

// ---- Graphs: captured from stream 0, which others join by events ----

struct Captured {
    int cell;
    bool writes;
    int device;
    Set after; // numbers in the graph
};

struct Graph {
    cudaGraphExec_t exec;
    std::vector<Captured> all;
    Set last; // the end of its last launch
};

static Graph graphs[GRAPHS];

static void capture(Graph &g)
{
    Set tail[PLAIN];
    bool joined[PLAIN] = {true};
    cudaEvent_t own[PLAIN];
    cudaGraph_t graph;
    for (int s = 0; s < PLAIN; s++) {
        CHECK(cudaSetDevice(device_of(s)));
        CHECK(cudaEventCreateWithFlags(&own[s], cudaEventDisableTiming));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    for (int k = 2 + below(CAPTURED_MAX); k > 0; k--) {
        int from = below(PLAIN), to = below(PLAIN);
        if (!joined[from])
            from = 0;
        if (below(2) && to != from) {
            CHECK(cudaSetDevice(device_of(from)));
            CHECK(cudaEventRecord(own[from], streams[from]));
            CHECK(cudaSetDevice(device_of(to)));
            CHECK(cudaStreamWaitEvent(streams[to], own[from], 0));
            tail[to] = both(tail[to], tail[from]);
            joined[to] = true;
        }
        int s = joined[to] ? to : from, cell = below(CELLS);
        bool writes = below(4) == 0;
        launch(s, cell, writes);
        g.all.push_back({cell, writes, device_of(s), tail[s]});
        tail[s] = {(int)g.all.size() - 1};
    }
    for (int s = 1; s < PLAIN; s++)
        if (joined[s]) {
            CHECK(cudaSetDevice(device_of(s)));
            CHECK(cudaEventRecord(own[s], streams[s]));
            CHECK(cudaSetDevice(0));
            CHECK(cudaStreamWaitEvent(streams[0], own[s], 0));
        }
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiate(&g.exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (cudaEvent_t e : own)
        CHECK(cudaEventDestroy(e));
}

static void launch_graph(Graph &g, int stream)
{
    CHECK(cudaSetDevice(device_of(stream)));
    CHECK(cudaGraphLaunch(g.exec, streams[stream]));
    int begin = add_to(stream, g.last);
    Set numbers, ends = {begin};
    for (const Captured &c : g.all) {
        Set after = {begin};
        for (int a : c.after)
            after.push_back(numbers[a]);
        numbers.push_back(add(after, c.cell, c.writes, &rows[c.device == device_of(stream) ? 2 + stream : c.device]));
        ends.push_back(numbers.back());
    }
    last[stream] = g.last = {add_to(stream, ends)};
}

// ---- The program ----

static void step()
{
    int s = below(STREAMS), e = below(EVENTS), other = below(STREAMS), cell = below(CELLS);
    CHECK(cudaSetDevice(device_of(s)));
    switch (below(9)) {
    case 0:
    case 8:
        CHECK(cudaEventRecord(events[s][e], streams[s]));
        recorded[s][e] = last[s] = {add_to(s)};
        break;
    case 1:
    case 2:
        CHECK(cudaStreamWaitEvent(streams[s], events[other][e], 0));
        last[s] = {add_to(s, recorded[other][e])};
        break;
    case 3:
        if (s < LEGACY && below(2)) {
            CHECK(cudaStreamSynchronize(streams[s]));
            host = both(host, last[s]);
        } else {
            CHECK(cudaEventSynchronize(events[other][e]));
            host = both(host, recorded[other][e]);
        }
        break;
    case 4:
        launch_graph(graphs[below(GRAPHS)], s);
        break;
    default: {
        bool writes = below(4) == 0;
        launch(s, cell, writes);
        last[s] = {add_to(s, {}, cell, writes)};
        break;
    }
    }
}

static const char *judge()
{
    bool some = false;
    for (size_t j = 0; j < nodes.size(); j++)
        for (size_t i = 0; i < j; i++) {
            const Node &a = nodes[i], &b = nodes[j];
            if (a.cell < 0 || a.cell != b.cell || !(a.writes || b.writes) || b.before[i])
                continue;
            if (!b.taken[i])
                return "race";
            some = true;
        }
    return some ? "some" : "none";
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 + 1 : 1;
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&cells, CELLS * APART * sizeof(int)));
    CHECK(cudaMemset(cells, 0, CELLS * APART * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaSetDevice(device_of(s)));
        if (s < LEGACY)
            CHECK(cudaStreamCreateWithFlags(&streams[s], s < PLAIN ? cudaStreamNonBlocking : cudaStreamDefault));
        for (cudaEvent_t &e : events[s])
            CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    for (int &row : rows)
        row = -1;
    for (Graph &g : graphs)
        capture(g);
    for (int k = 0; k < STEPS; k++)
        step();
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
    }
    puts(judge());
    for (Graph &g : graphs)
        CHECK(cudaGraphExecDestroy(g.exec));
    for (int s = 0; s < STREAMS; s++) {
        for (cudaEvent_t e : events[s])
            CHECK(cudaEventDestroy(e));
        if (streams[s])
            CHECK(cudaStreamDestroy(streams[s]));
    }
    CHECK(cudaFree(cells));
}
