/* The device server by its messages alone, with PTX written by hand. */
#include "common/vgpu/device/device.h"
#include "common/vgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* fill(p, value): p[thread] = value.   fault(p): a write far outside.   counter: a variable. */
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 5;\n"
                          ".visible .entry fill(.param .u64 p, .param .u32 value)\n"
                          "{\n"
                          "  .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [value];\n"
                          "  cvta.to.global.u64 %rd2, %rd1; mov.u32 %r2, %tid.x;\n"
                          "  mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3;\n"
                          "  st.global.u32 [%rd4], %r1; ret;\n"
                          "}\n"
                          ".visible .entry fault(.param .u64 p)\n"
                          "{\n"
                          "  .reg .b32 %r<2>; .reg .b64 %rd<4>;\n"
                          "  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 1;\n"
                          "  add.s64 %rd3, %rd2, 1048576; st.global.u32 [%rd3], %r1; ret;\n"
                          "}\n";

typedef struct Fixture {
    DeviceServer *server;
    DeviceReply reply;
    uint32_t module, fill, fault;
} Fixture;

static DeviceError send(Fixture *f, const DeviceMsg *m)
{
    device_send(f->server, m, &f->reply);
    return f->reply.error;
}

static uint32_t find_function(Fixture *f, const char *name)
{
    DeviceMsg m = {.op = OP_FUNCTION_FIND, .in = {.data = (void *)(uintptr_t)name, .bytes = strlen(name)}};
    m.module.id = f->module;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return (uint32_t)f->reply.value;
}

static DeviceError load_for(Fixture *f, const char *text, ModuleUse use)
{
    uint64_t length = strlen(text);
    DeviceMsg m = {.op = OP_MODULE_LOAD, .in = {.data = (void *)(uintptr_t)text, .bytes = length}};
    m.module.n_images = 1;
    m.module.lengths = &length;
    m.module.use = (uint8_t)use;
    return send(f, &m);
}

static DeviceError load_text(Fixture *f, const char *text)
{
    return load_for(f, text, MODULE_OF_PROGRAM);
}

static int setup_devices(void **state, uint32_t n)
{
    Fixture *f = calloc(1, sizeof *f);
    Diag diag = {0};
    assert_non_null(f);
    DeviceOptions o = {.n_devices = n, .stream_fd = -1, .quiet = true};
    assert_int_equal(STATUS_OK, device_server_create(&o, &f->server, &diag));
    assert_int_equal(DEVICE_OK, load_text(f, ptx));
    f->module = (uint32_t)f->reply.value;
    f->fill = find_function(f, "fill");
    f->fault = find_function(f, "fault");
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return setup_devices(state, 2);
}

static int teardown(void **state)
{
    Fixture *f = *state;
    device_server_destroy(f->server);
    free(f);
    return 0;
}

static uint64_t alloc(Fixture *f, uint64_t bytes, DeviceMemoryKind kind)
{
    DeviceMsg m = {.op = OP_ALLOC};
    m.alloc.bytes = bytes;
    m.alloc.kind = (uint8_t)kind;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return f->reply.value;
}

static DeviceError release_address(Fixture *f, uint64_t addr, DeviceMemoryKind kind)
{
    DeviceMsg m = {.op = OP_FREE};
    m.free.addr = addr;
    m.free.kind = (uint8_t)kind;
    return send(f, &m);
}

static DeviceError launch_and_wait(Fixture *f, uint32_t function, uint32_t stream, uint64_t p, uint32_t value,
                                   uint32_t threads)
{
    uint8_t params[16] = {0};
    memcpy(params, &p, 8);
    memcpy(params + 8, &value, 4);
    DeviceMsg m = {.op = OP_LAUNCH, .stream = stream, .in = {.data = params, .bytes = 12}};
    m.launch = (DeviceLaunchMsg){.function = function, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    return send(f, &m);
}

static DeviceError copy_out(Fixture *f, void *to, uint64_t from, uint64_t bytes, uint32_t stream)
{
    DeviceMsg m = {.op = OP_COPY, .stream = stream};
    m.copy = (DeviceCopy){
        .src = from, .width = bytes, .height = 1, .depth = 1, .host_dst = {.data = to, .bytes = bytes}};
    return send(f, &m);
}

static DeviceError copy_pinned(Fixture *f, uint64_t to, uint64_t from, uint64_t bytes, uint32_t stream)
{
    DeviceMsg m = {.op = OP_COPY, .stream = stream};
    m.copy = (DeviceCopy){.dst = to, .src = from, .width = bytes, .height = 1, .depth = 1, .async = true};
    return send(f, &m);
}

static uint32_t make_stream(Fixture *f, uint32_t flags)
{
    DeviceMsg m = {.op = OP_STREAM_CREATE};
    m.stream_flags.flags = flags;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return (uint32_t)f->reply.value;
}

static DeviceError simple(Fixture *f, DeviceOp op, uint32_t stream)
{
    return send(f, &(DeviceMsg){.op = op, .stream = stream});
}

/* ---- tests ---- */

static void test_runs_late(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 128, DEVICE_MEMORY_DEVICE);
    uint32_t *pinned = (uint32_t *)(uintptr_t)alloc(f, 128, DEVICE_MEMORY_PINNED);
    uint32_t stream = make_stream(f, DEVICE_STREAM_NONBLOCKING);
    pinned[0] = 1;
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, stream, d, 7, 32));
    assert_int_equal(DEVICE_OK, copy_pinned(f, (uint64_t)(uintptr_t)pinned, d, 128, stream));
    assert_int_equal(1, pinned[0]);
    assert_int_equal(DEVICE_OK, simple(f, OP_STREAM_SYNC, DEVICE_STREAM_LEGACY)); /* stands aside */
    assert_int_equal(1, pinned[0]);
    assert_int_equal(DEVICE_NOT_READY, simple(f, OP_STREAM_QUERY, stream));
    assert_int_equal(DEVICE_OK, simple(f, OP_STREAM_SYNC, stream));
    assert_int_equal(7, pinned[0]);
    assert_int_equal(7, pinned[31]);
    assert_int_equal(DEVICE_OK, simple(f, OP_STREAM_QUERY, stream));
}

static void test_legacy_stream_waits(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4, DEVICE_MEMORY_DEVICE);
    uint32_t blocking = make_stream(f, 0), h = 0;
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, blocking, d, 3, 1));
    assert_int_equal(DEVICE_OK, copy_out(f, &h, d, 4, DEVICE_STREAM_LEGACY));
    assert_int_equal(3, h);
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, DEVICE_STREAM_LEGACY, d, 4, 1));
    assert_int_equal(DEVICE_OK, copy_out(f, &h, d, 4, blocking));
    assert_int_equal(4, h);
}

static void test_launch_is_checked(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4096, DEVICE_MEMORY_DEVICE);
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, 0, d, 1, 1024));
    assert_int_equal(DEVICE_INVALID_VALUE, launch_and_wait(f, f->fill, 0, d, 1, 1025));
    assert_int_equal(DEVICE_INVALID_VALUE, launch_and_wait(f, f->fill, 0, d, 1, 0));
    assert_int_equal(DEVICE_INVALID_FUNCTION, launch_and_wait(f, 99, 0, d, 1, 1));
    assert_int_equal(DEVICE_INVALID_HANDLE, launch_and_wait(f, f->fill, 99, d, 1, 1));
}

static void test_sticky_error(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4, DEVICE_MEMORY_DEVICE);
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fault, 0, d, 0, 1));
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, 0, d, 0, 1)); /* nobody knows yet */
    assert_int_equal(DEVICE_ILLEGAL_ADDRESS, simple(f, OP_DEVICE_SYNC, 0));
    assert_int_equal(DEVICE_ILLEGAL_ADDRESS, simple(f, OP_STREAM_SYNC, 0));
    assert_int_equal(DEVICE_ILLEGAL_ADDRESS, launch_and_wait(f, f->fill, 0, d, 0, 2048));
    assert_int_equal(DEVICE_ILLEGAL_ADDRESS, release_address(f, d, DEVICE_MEMORY_DEVICE));
    assert_int_equal(DEVICE_OK,
                     send(f, &(DeviceMsg){.op = OP_DEVICE_SYNC, .device = 1})); /* the other one is well */
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_RESET, 0));
    assert_int_equal(DEVICE_UNAVAILABLE, simple(f, OP_DEVICE_SYNC, 0));
    assert_true(device_error_sticky(DEVICE_ILLEGAL_ADDRESS));
    assert_false(device_error_sticky(DEVICE_INVALID_VALUE));
}

static void test_memory(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 100, DEVICE_MEMORY_DEVICE);
    DeviceMsg m = {.op = OP_POINTER};
    m.range.addr = d + 99;
    send(f, &m);
    assert_int_equal(DEVICE_MEMORY_DEVICE, f->reply.pointer.kind);
    assert_int_equal(100, f->reply.pointer.bytes);
    assert_true(f->reply.pointer.base == d);
    m.range.addr = d + 100;
    send(f, &m);
    assert_int_equal(DEVICE_MEMORY_NOWHERE, f->reply.pointer.kind);
    m.range.addr = (uint64_t)(uintptr_t)&m;
    send(f, &m);
    assert_int_equal(DEVICE_MEMORY_NONE, f->reply.pointer.kind);
    assert_int_equal(DEVICE_INVALID_VALUE, release_address(f, d + 4, DEVICE_MEMORY_DEVICE));
    assert_int_equal(DEVICE_INVALID_VALUE, release_address(f, d, DEVICE_MEMORY_PINNED));
    assert_int_equal(DEVICE_OK, release_address(f, d, DEVICE_MEMORY_DEVICE));
    assert_int_equal(DEVICE_INVALID_VALUE, release_address(f, d, DEVICE_MEMORY_DEVICE));
    m = (DeviceMsg){.op = OP_ALLOC};
    m.alloc.bytes = UINT64_MAX;
    assert_int_equal(DEVICE_NO_MEMORY, send(f, &m));
    uint8_t h[101];
    uint64_t e = alloc(f, 100, DEVICE_MEMORY_DEVICE);
    assert_int_equal(DEVICE_INVALID_VALUE, copy_out(f, h, e, 101, 0));
    assert_int_equal(DEVICE_INVALID_VALUE, copy_out(f, h, e + 1, 100, 0));
    assert_int_equal(DEVICE_OK, copy_out(f, h, e, 100, 0));
}

static void test_stream_ordered_free(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 128, DEVICE_MEMORY_POOL);
    uint32_t stream = make_stream(f, 0);
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, stream, d, 1, 32));
    assert_int_equal(DEVICE_OK, simple(f, OP_STREAM_SYNC, stream));
    assert_int_equal(1, f->reply.value); /* for work that can fail */
    DeviceMsg m = {.op = OP_FREE, .stream = stream};
    m.free.addr = d;
    m.free.kind = DEVICE_MEMORY_POOL;
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(DEVICE_INVALID_VALUE, send(f, &m)); /* twice */
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_SYNC, 0));
    assert_int_equal(0, f->reply.value); /* for the free alone */
    assert_int_equal(DEVICE_OK, simple(f, OP_STREAM_SYNC, stream));
    assert_int_equal(0, f->reply.value);
    assert_int_equal(DEVICE_INVALID_VALUE, send(f, &m));
}

static void test_host_functions(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4, DEVICE_MEMORY_DEVICE);
    uint32_t h = 0;
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, 0, d, 1, 1));
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_HOST_FUNCTION, .token = 55}));
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, 0, d, 2, 1));
    DeviceMsg m = {.op = OP_COPY};
    m.copy =
        (DeviceCopy){.src = d, .width = 4, .height = 1, .depth = 1, .host_dst = {.data = &h, .bytes = 4}};
    assert_int_equal(DEVICE_HOST_WORK, send(f, &m));
    assert_int_equal(55, f->reply.token);
    m.resume = f->reply.resume;
    assert_int_equal(0, h);
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_HOST_DONE, .token = 55}));
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(2, h);
}

static uint32_t make_event(Fixture *f)
{
    DeviceMsg m = {.op = OP_EVENT_CREATE};
    m.event.timing = true;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return (uint32_t)f->reply.value;
}

static DeviceError event_op(Fixture *f, DeviceOp op, uint32_t event, uint32_t other, uint32_t stream)
{
    DeviceMsg m = {.op = op, .stream = stream};
    m.event.id = event;
    m.event.other = other;
    return send(f, &m);
}

static void test_events_order_and_time(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4, DEVICE_MEMORY_DEVICE);
    uint32_t one = make_stream(f, DEVICE_STREAM_NONBLOCKING), two = make_stream(f, DEVICE_STREAM_NONBLOCKING),
             h = 0;
    uint32_t a = make_event(f), b = make_event(f);
    assert_int_equal(DEVICE_INVALID_HANDLE, event_op(f, OP_EVENT_ELAPSED, a, b, 0)); /* never recorded */
    assert_int_equal(DEVICE_OK, event_op(f, OP_EVENT_RECORD, a, 0, one));
    assert_int_equal(DEVICE_OK, launch_and_wait(f, f->fill, one, d, 6, 1));
    assert_int_equal(DEVICE_OK, event_op(f, OP_EVENT_RECORD, b, 0, one));
    assert_int_equal(DEVICE_OK, event_op(f, OP_STREAM_WAIT, b, 0, two));
    assert_int_equal(DEVICE_NOT_READY, event_op(f, OP_EVENT_ELAPSED, a, b, 0));
    assert_int_equal(DEVICE_OK, copy_out(f, &h, d, 4, two));
    assert_int_equal(6, h);
    assert_int_equal(DEVICE_OK, event_op(f, OP_EVENT_SYNC, b, 0, 0));
    assert_int_equal(DEVICE_OK, event_op(f, OP_EVENT_ELAPSED, a, b, 0));
    assert_true((int64_t)f->reply.value > 0);
    assert_int_equal(DEVICE_OK, event_op(f, OP_EVENT_DESTROY, a, 0, 0));
    assert_int_equal(DEVICE_INVALID_HANDLE, event_op(f, OP_EVENT_QUERY, a, 0, 0));
}

/* ---- branches: what runs, and what a program that means no good may ask for ---- */

static uint64_t make_condition(Fixture *f)
{
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_CONDITION_CREATE}));
    return f->reply.value;
}

/* An operation of a graph behind number `after`, in body `body` of branch `inside`: its number. */
static uint64_t add_in_graph(Fixture *f, DeviceMsg m, uint64_t after, uint64_t inside, uint32_t body)
{
    m.place = PLACE_GRAPH;
    m.after = &after;
    m.n_after = after != 0;
    m.inside = inside;
    m.body = body;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return f->reply.seq;
}

static DeviceMsg branch_msg(DeviceOp op, uint64_t condition, DeviceBranch kind, uint32_t n_bodies, uint32_t value)
{
    DeviceMsg m = {.op = op};
    m.condition.handle = condition;
    m.condition.kind = (uint8_t)kind;
    m.condition.n_bodies = n_bodies;
    m.condition.value = value;
    m.condition.assign = true;
    return m;
}

static DeviceMsg fill_msg(uint64_t d, uint32_t value)
{
    DeviceMsg m = {.op = OP_FILL};
    m.fill.dst = d;
    m.fill.value = value;
    m.fill.element = 4;
    m.fill.width = m.fill.pitch = m.fill.slice = 4;
    m.fill.height = m.fill.depth = 1;
    return m;
}

/* A switch with two bodies: what the word at d is afterwards. */
static uint32_t run_switch(Fixture *f, uint64_t condition, uint64_t d, uint32_t value)
{
    uint32_t h = 0;
    add_in_graph(f, fill_msg(d, 5), 0, 0, 0);
    uint64_t begin = add_in_graph(f, branch_msg(OP_CONDITION_BEGIN, condition, 0, 0, value), f->reply.seq, 0, 0);
    uint64_t branch = add_in_graph(f, branch_msg(OP_BRANCH, condition, DEVICE_BRANCH_SWITCH, 2, 0), begin, 0, 0);
    add_in_graph(f, fill_msg(d, 10), 0, branch, 0);
    uint64_t first = add_in_graph(f, fill_msg(d, 20), 0, branch, 1);
    add_in_graph(f, fill_msg(d, 30), first, branch, 1);
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_STREAM_MARK, .after = &branch, .n_after = 1}));
    assert_int_equal(DEVICE_OK, copy_out(f, &h, d, 4, 0));
    return h;
}

static void test_branches(void **state)
{
    Fixture *f = *state;
    uint64_t d = alloc(f, 4, DEVICE_MEMORY_DEVICE), condition = make_condition(f);
    assert_int_equal(10, run_switch(f, condition, d, 0));
    assert_int_equal(30, run_switch(f, condition, d, 1));
    assert_int_equal(5, run_switch(f, condition, d, 2));
}

/* Nothing makes the condition 0. */
static void test_endless_branch(void **state)
{
    (void)state;
    Fixture f = {0};
    Diag diag = {0};
    DeviceOptions o = {.n_devices = 1, .stream_fd = -1, .quiet = true, .max_instructions = 1000000};
    assert_int_equal(STATUS_OK, device_server_create(&o, &f.server, &diag));
    uint64_t condition = make_condition(&f);
    uint64_t begin = add_in_graph(&f, branch_msg(OP_CONDITION_BEGIN, condition, 0, 0, 1), 0, 0, 0);
    add_in_graph(&f, branch_msg(OP_BRANCH, condition, DEVICE_BRANCH_WHILE, 1, 0), begin, 0, 0);
    assert_int_equal(DEVICE_TIMEOUT, simple(&f, OP_DEVICE_SYNC, 0));
    device_server_destroy(f.server);
}

static void test_wrong_branches(void **state)
{
    enum { DEPTH_MAX = 33 };
    Fixture *f = *state;
    uint64_t condition = make_condition(f), d = alloc(f, 4, DEVICE_MEMORY_DEVICE);
    uint64_t begin = add_in_graph(f, branch_msg(OP_CONDITION_BEGIN, condition, 0, 0, 1), 0, 0, 0);
    uint64_t branch = add_in_graph(f, branch_msg(OP_BRANCH, condition, DEVICE_BRANCH_IF, 1, 0), begin, 0, 0);
    const uint64_t wrong[] = {begin, branch + 1, UINT64_MAX};
    DeviceMsg m = fill_msg(d, 1);
    m.place = PLACE_GRAPH;
    for (int i = 0; i < 3; i++) {
        m.inside = wrong[i];
        assert_int_not_equal(DEVICE_OK, send(f, &m));
    }
    m.inside = branch;
    m.place = PLACE_STREAM;
    assert_int_not_equal(DEVICE_OK, send(f, &m));
    m.place = PLACE_GRAPH;
    m.stream = make_stream(f, 0);
    assert_int_not_equal(DEVICE_OK, send(f, &m));
    m = (DeviceMsg){.op = OP_HOST_FUNCTION, .token = 9, .place = PLACE_GRAPH, .inside = branch};
    assert_int_not_equal(DEVICE_OK, send(f, &m));

    m = branch_msg(OP_BRANCH, condition, DEVICE_BRANCH_IF, 1, 0);
    m.place = PLACE_GRAPH;
    m.inside = branch;
    int depth = 1;
    while (depth <= DEPTH_MAX && send(f, &m) == DEVICE_OK) {
        m.inside = f->reply.seq;
        depth++;
    }
    assert_int_equal(DEPTH_MAX, depth);
    m = branch_msg(OP_BRANCH, condition + 4, DEVICE_BRANCH_IF, 1, 0);
    assert_int_equal(DEVICE_INVALID_VALUE, send(f, &m));
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_SYNC, 0));
}

/* What is queued keeps its condition; afterwards the word is used again. */
static void test_condition_destroyed(void **state)
{
    Fixture *f = *state;
    uint64_t condition = make_condition(f);
    DeviceMsg destroy = branch_msg(OP_CONDITION_DESTROY, condition, 0, 0, 0);
    send(f, &(DeviceMsg){.op = OP_STREAM_MARK});
    DeviceMsg begin = branch_msg(OP_CONDITION_BEGIN, condition, 0, 0, 1);
    assert_int_equal(DEVICE_OK, send(f, &begin));
    assert_int_equal(DEVICE_OK, send(f, &destroy));
    assert_int_not_equal(condition, make_condition(f));
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_SYNC, 0));
    assert_int_equal(condition, make_condition(f));
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_RESET, 0));
    assert_int_equal(DEVICE_INVALID_VALUE, send(f, &begin));
}

static void test_modules(void **state)
{
    Fixture *f = *state;
    DeviceMsg m = {.op = OP_VARIABLE_FIND, .in = {.data = "counter", .bytes = 7}};
    m.module.id = f->module;
    uint32_t h = 0;
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(4, f->reply.value2);
    assert_int_equal(DEVICE_OK, copy_out(f, &h, f->reply.value, 4, 0));
    assert_int_equal(5, h);
    m.in.data = "nothing";
    assert_int_equal(DEVICE_INVALID_SYMBOL, send(f, &m));
    assert_int_equal(DEVICE_INVALID_PTX, load_text(f, "this is no PTX"));
    assert_true(f->reply.diag.message[0] != 0);
    assert_int_equal(DEVICE_NO_IMAGE, load_text(f, ".version 9.0\n.target sm_120\n.address_size 64\n"));
    m = (DeviceMsg){.op = OP_MODULE_UNLOAD};
    m.module.id = f->module;
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(DEVICE_INVALID_HANDLE, send(f, &m));
    assert_int_equal(DEVICE_INVALID_FUNCTION, launch_and_wait(f, f->fill, 0, 0, 0, 1));
}

/* Operations of one engine follow one another; the two copy engines and the multiprocessors work side by
 * side. */
static void test_engines_overlap(void **state)
{
    Fixture *f = *state;
    enum { BYTES = 1 << 20 };
    uint64_t d = alloc(f, BYTES, DEVICE_MEMORY_DEVICE), e = alloc(f, BYTES, DEVICE_MEMORY_DEVICE);
    uint64_t in = alloc(f, BYTES, DEVICE_MEMORY_PINNED), out = alloc(f, BYTES, DEVICE_MEMORY_PINNED);
    memset((void *)(uintptr_t)in, 1, BYTES);
    uint32_t one = make_stream(f, DEVICE_STREAM_NONBLOCKING), two = make_stream(f, DEVICE_STREAM_NONBLOCKING);
    uint32_t start = make_event(f), end_one = make_event(f), end_two = make_event(f);
    event_op(f, OP_EVENT_RECORD, start, 0, one);
    copy_pinned(f, d, in, BYTES, one);
    event_op(f, OP_EVENT_RECORD, end_one, 0, one);
    copy_pinned(f, out, e, BYTES, two);
    event_op(f, OP_EVENT_RECORD, end_two, 0, two);
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_SYNC, 0));
    event_op(f, OP_EVENT_ELAPSED, start, end_one, 0);
    uint64_t alone = f->reply.value;
    event_op(f, OP_EVENT_ELAPSED, start, end_two, 0);
    assert_true(alone > 0 && f->reply.value < alone + alone / 2);

    event_op(f, OP_EVENT_RECORD, start, 0, one);
    copy_pinned(f, d, in, BYTES, one);
    copy_pinned(f, e, in, BYTES, two);
    event_op(f, OP_EVENT_RECORD, end_two, 0, two);
    assert_int_equal(DEVICE_OK, simple(f, OP_DEVICE_SYNC, 0));
    event_op(f, OP_EVENT_ELAPSED, start, end_two, 0);
    assert_true(f->reply.value > alone + alone / 2);
}

static void test_peers(void **state)
{
    Fixture *f = *state;
    DeviceMsg m = {.op = OP_PEER};
    m.peer.peer = 1;
    m.peer.what = PEER_QUERY;
    send(f, &m);
    assert_int_equal(1, f->reply.value);
    m.peer.what = PEER_DISABLE;
    assert_int_equal(DEVICE_PEER_NOT_ENABLED, send(f, &m));
    m.peer.what = PEER_ENABLE;
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(DEVICE_PEER_ALREADY, send(f, &m));
    m.peer.peer = 0;
    assert_int_equal(DEVICE_PEER_UNSUPPORTED, send(f, &m));
    m.peer.peer = 2;
    assert_int_equal(DEVICE_INVALID_DEVICE, send(f, &m));
    assert_int_equal(DEVICE_INVALID_DEVICE, send(f, &(DeviceMsg){.op = OP_DEVICE_SYNC, .device = 2}));
}

static void test_options(void **state)
{
    (void)state;
    DeviceServer *server;
    Diag diag = {0};
    DeviceOptions o = {.n_devices = 1, .stream_fd = -1, .model = "no such card"};
    assert_int_equal(STATUS_INVALID, device_server_create(&o, &server, &diag));
    assert_non_null(strstr(diag.message, perf_model(0)->name));
    o = (DeviceOptions){.n_devices = 1, .stream_fd = -1, .checks = "no such check"};
    assert_int_equal(STATUS_INVALID, device_server_create(&o, &server, &diag));
    for (size_t i = 0; perf_model(i); i++) {
        o = (DeviceOptions){.n_devices = 1, .stream_fd = -1, .model = perf_model(i)->name};
        assert_int_equal(STATUS_OK, device_server_create(&o, &server, &diag));
        device_server_destroy(server);
    }
}

/* The record of calls, message by message; what only asks has no line, and neither have a module that is tried and a thread's own default stream. */
static void test_record_of_calls(void **state)
{
    (void)state;
    static const char wanted[] = "vgpu-calls 1\n"
                                 "ALLOC OK 64 \n"
                                 "ALLOC NO_MEMORY 1152921504606846976 \n"
                                 "FILL OK 4 60\n"
                                 "NOTE OK 0 value a=1\n"
                                 "STREAM_CREATE OK 0 \n"
                                 "STREAM_QUERY OK 0 \n"
                                 "EVENT_CREATE OK 0 \n"
                                 "EVENT_DESTROY OK 0 \n"
                                 "STREAM_DESTROY OK 0 \n"
                                 "MAY_FAIL OK 2 \n"
                                 "LAUNCH OK 1 1 1024 fault\n"
                                 "COPY ILLEGAL_ADDRESS 64 to-host\n"
                                 "FREE ILLEGAL_ADDRESS 0 \n"
                                 "NOTE OK 0 after\n";
    Fixture f = {0};
    FILE *file = tmpfile();
    char text[1024] = "", bytes[64], *modules;
    DeviceOptions o = {.n_devices = 1, .stream_fd = -1, .quiet = true, .fail_at = 2, .calls_fd = fileno(file)};
    assert_int_equal(STATUS_OK, device_server_create(&o, &f.server, NULL));
    assert_int_equal(DEVICE_OK, load_text(&f, ptx));
    f.module = (uint32_t)f.reply.value;
    f.fault = find_function(&f, "fault");
    uint64_t p = alloc(&f, sizeof bytes, DEVICE_MEMORY_DEVICE);
    DeviceMsg m = {.op = OP_ALLOC, .alloc = {.bytes = (uint64_t)1 << 60, .kind = DEVICE_MEMORY_DEVICE}};
    assert_int_equal(DEVICE_NO_MEMORY, send(&f, &m));
    m = (DeviceMsg){.op = OP_FILL, .fill = {.dst = p + 60, .width = 4, .height = 1, .depth = 1, .element = 1}};
    assert_int_equal(DEVICE_OK, send(&f, &m));
    send(&f, &(DeviceMsg){.op = OP_NOTE, .in = {.data = "value a=1", .bytes = 10}});
    assert_int_equal(DEVICE_OK, load_for(&f, ".version 8.0\n.target sm_75\n.address_size 64\n", MODULE_TRIED));
    assert_int_equal(DEVICE_INVALID_PTX, load_for(&f, ".version eight", MODULE_TRIED));
    make_stream(&f, 0);
    assert_int_equal(DEVICE_OK, send(&f, &(DeviceMsg){.op = OP_STREAM_CREATE, .site = 1}));
    uint32_t stream = (uint32_t)f.reply.value;
    assert_int_equal(DEVICE_OK, simple(&f, OP_STREAM_QUERY, stream));
    uint32_t event = make_event(&f);
    assert_int_equal(DEVICE_OK, event_op(&f, OP_EVENT_DESTROY, event, 0, 0));
    assert_int_equal(DEVICE_OK, simple(&f, OP_STREAM_DESTROY, stream));
    for (int i = 0; i < 3; i++)
        send(&f, &(DeviceMsg){.op = OP_MAY_FAIL, .token = 2});
    send(&f, &(DeviceMsg){.op = OP_MEMORY_INFO});
    launch_and_wait(&f, f.fault, 0, p, 0, 1);
    assert_int_equal(DEVICE_ILLEGAL_ADDRESS, copy_out(&f, bytes, p, sizeof bytes, 0));
    release_address(&f, p, DEVICE_MEMORY_DEVICE);
    send(&f, &(DeviceMsg){.op = OP_NOTE, .in = {.data = "after", .bytes = 6}});
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    modules = strstr(text, "MODULE_LOAD OK ");
    assert_non_null(modules);
    memmove(modules, strchr(modules, '\n') + 1, strlen(strchr(modules, '\n')));
    assert_string_equal(wanted, text);
    fclose(file);
    device_server_destroy(f.server);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_runs_late),
        cmocka_unit_test(test_record_of_calls),
        TEST(test_legacy_stream_waits),
        TEST(test_launch_is_checked),
        TEST(test_sticky_error),
        TEST(test_memory),
        TEST(test_stream_ordered_free),
        TEST(test_host_functions),
        TEST(test_events_order_and_time),
        TEST(test_branches),
        TEST(test_wrong_branches),
        TEST(test_condition_destroyed),
        cmocka_unit_test(test_endless_branch),
        TEST(test_modules),
        TEST(test_engines_overlap),
        TEST(test_peers),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
