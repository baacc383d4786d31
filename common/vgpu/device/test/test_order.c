/* Operations of two streams on the same memory: what is in order stays silent, what is not is found. */
#include "common/vgpu/device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* fill(p): p[thread] = 1.   count(p): p[0] += 1 by an atomic.   odd(p), even(p): every other word. */
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 p)\n{\n"                                                           \
    "  .reg .b32 %r<4>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"          \
    "  mov.u32 %r2, %tid.x; mov.u32 %r1, 1;\n" body "  ret;\n}\n"
static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n" KERNEL(
    "fill", "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;\n")
    KERNEL("count", "red.global.add.u32 [%rd2], %r1;\n") KERNEL(
        "even", "mul.wide.u32 %rd3, %r2, 8; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;\n")
        KERNEL("odd", "mul.wide.u32 %rd3, %r2, 8; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4+4], %r1;\n");

typedef struct Fixture {
    DeviceServer *server;
    DeviceReply reply;
    uint32_t module, a, b, event;
    uint64_t d;
    bool found;
    char text[2000];
} Fixture;

static DeviceError send(Fixture *f, const DeviceMsg *m)
{
    device_send(f->server, m, &f->reply);
    if (f->reply.message_bytes > 0) {
        snprintf(f->text, sizeof f->text, "%.*s", (int)f->reply.message_bytes, f->reply.messages);
        f->found = f->found || strstr(f->text, "stream-race");
    }
    return f->reply.error;
}

static uint32_t make_object(Fixture *f, DeviceOp op)
{
    DeviceMsg m = {.op = op};
    if (op == OP_STREAM_CREATE)
        m.stream_flags.flags = DEVICE_STREAM_NONBLOCKING;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return (uint32_t)f->reply.value;
}

static uint64_t alloc(Fixture *f, DeviceMemoryKind kind)
{
    DeviceMsg m = {.op = OP_ALLOC};
    m.alloc.bytes = 4096;
    m.alloc.kind = (uint8_t)kind;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return f->reply.value;
}

static int setup(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    Diag diag = {0};
    uint64_t length = strlen(ptx);
    assert_non_null(f);
    DeviceOptions o = {.n_devices = 1, .stream_fd = -1};
    assert_int_equal(STATUS_OK, device_server_create(&o, &f->server, &diag));
    DeviceMsg m = {.op = OP_MODULE_LOAD, .in = {.data = (void *)(uintptr_t)ptx, .bytes = length}};
    m.module.n_images = 1;
    m.module.lengths = &length;
    assert_int_equal(DEVICE_OK, send(f, &m));
    f->module = (uint32_t)f->reply.value;
    f->a = make_object(f, OP_STREAM_CREATE);
    f->b = make_object(f, OP_STREAM_CREATE);
    f->event = make_object(f, OP_EVENT_CREATE);
    f->d = alloc(f, DEVICE_MEMORY_DEVICE);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    device_server_destroy(f->server);
    free(f);
    return 0;
}

static void launch_kernel_in(Fixture *f, const char *kernel, uint32_t stream, uint64_t p)
{
    DeviceMsg find = {.op = OP_FUNCTION_FIND,
                      .in = {.data = (void *)(uintptr_t)kernel, .bytes = strlen(kernel)}};
    find.module.id = f->module;
    assert_int_equal(DEVICE_OK, send(f, &find));
    DeviceMsg m = {.op = OP_LAUNCH, .stream = stream, .in = {.data = &p, .bytes = 8}};
    m.launch =
        (DeviceLaunchMsg){.function = (uint32_t)f->reply.value, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_int_equal(DEVICE_OK, send(f, &m));
}

static void copy(Fixture *f, uint32_t stream, uint64_t to, uint64_t from, uint64_t bytes)
{
    DeviceMsg m = {.op = OP_COPY, .stream = stream};
    m.copy = (DeviceCopy){.dst = to, .src = from, .width = bytes, .height = 1, .depth = 1, .async = true};
    assert_int_equal(DEVICE_OK, send(f, &m));
}

static void event(Fixture *f, DeviceOp op, uint32_t stream)
{
    DeviceMsg m = {.op = op, .stream = stream};
    m.event.id = f->event;
    assert_int_equal(DEVICE_OK, send(f, &m));
}

static void sync(Fixture *f, DeviceOp op, uint32_t stream)
{
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = op, .stream = stream}));
}

/* Two kernels write the same words: found when nothing orders them, whoever is waited for first. */
static void test_unordered(void **state)
{
    Fixture *f = *state;
    launch_kernel_in(f, "fill", f->a, f->d);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_STREAM_SYNC, f->b);
    assert_false(f->found);
    sync(f, OP_STREAM_SYNC, f->a);
    assert_true(f->found);
    assert_non_null(strstr(f->text, "a kernel writes memory that a kernel in another stream writes"));
}

/* A wait for one stream says nothing of what was asked for before it in another. */
static void test_asked_before_the_wait(void **state)
{
    Fixture *f = *state;
    launch_kernel_in(f, "fill", f->a, f->d);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_STREAM_SYNC, f->a);
    sync(f, OP_STREAM_SYNC, f->b);
    assert_true(f->found);
}

static void test_host_orders(void **state)
{
    Fixture *f = *state;
    launch_kernel_in(f, "fill", f->a, f->d);
    sync(f, OP_STREAM_SYNC, f->a);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    launch_kernel_in(f, "fill", f->a, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
}

static void test_event_orders(void **state)
{
    Fixture *f = *state;
    launch_kernel_in(f, "fill", f->a, f->d);
    event(f, OP_EVENT_RECORD, f->a);
    event(f, OP_STREAM_WAIT, f->b);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
}

/* Recorded before the kernel, or in the stream that waits: the event says nothing of it. */
static void test_event_too_early(void **state)
{
    Fixture *f = *state;
    event(f, OP_EVENT_RECORD, f->a);
    launch_kernel_in(f, "fill", f->a, f->d);
    event(f, OP_STREAM_WAIT, f->b);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
}

/* A wait for an event before anybody has recorded it does nothing, and the hint says so. */
static void test_wait_before_the_record(void **state)
{
    Fixture *f = *state;
    event(f, OP_STREAM_WAIT, f->b);
    launch_kernel_in(f, "fill", f->a, f->d);
    event(f, OP_EVENT_RECORD, f->a);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
    assert_non_null(strstr(f->text, "an event that nobody had recorded yet"));
}

static void test_event_through_a_third(void **state)
{
    Fixture *f = *state;
    uint32_t c = make_object(f, OP_STREAM_CREATE);
    launch_kernel_in(f, "fill", f->a, f->d);
    event(f, OP_EVENT_RECORD, f->a);
    event(f, OP_STREAM_WAIT, c);
    event(f, OP_EVENT_RECORD, c);
    event(f, OP_STREAM_WAIT, f->b);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
}

static void test_copies(void **state)
{
    Fixture *f = *state;
    uint64_t pinned = alloc(f, DEVICE_MEMORY_PINNED);
    copy(f, f->a, f->d, pinned, 128);
    copy(f, f->b, f->d + 128, pinned, 128); /* another part; both read the source */
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
    copy(f, f->a, pinned, f->d, 128);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
    assert_non_null(strstr(f->text, "a kernel writes memory that a copy in another stream reads"));
}

/* Atomics on one word, and words between words, do not disturb each other. */
static void test_finer_than_ranges(void **state)
{
    Fixture *f = *state;
    launch_kernel_in(f, "count", f->a, f->d);
    launch_kernel_in(f, "count", f->b, f->d);
    launch_kernel_in(f, "even", f->a, f->d + 1024);
    launch_kernel_in(f, "odd", f->b, f->d + 1024);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
    launch_kernel_in(f, "count", f->a, f->d);
    launch_kernel_in(f, "fill", f->b, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
}

/* A free in one stream, a use in another. */
static void test_free_in_another_stream(void **state)
{
    Fixture *f = *state;
    uint64_t pool = alloc(f, DEVICE_MEMORY_POOL);
    launch_kernel_in(f, "fill", f->a, pool);
    DeviceMsg m = {.op = OP_FREE, .stream = f->b};
    m.free.addr = pool;
    m.free.kind = DEVICE_MEMORY_POOL;
    assert_int_equal(DEVICE_OK, send(f, &m));
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
    assert_non_null(strstr(f->text, "a free frees memory that a kernel in another stream writes"));
}

/* The work of a destroyed stream is as late as any other, and the device still waits for it. */
static void test_destroyed_stream(void **state)
{
    Fixture *f = *state;
    volatile uint32_t *pinned = (uint32_t *)(uintptr_t)alloc(f, DEVICE_MEMORY_PINNED);
    pinned[0] = 5;
    launch_kernel_in(f, "fill", f->a, f->d);
    copy(f, f->a, (uint64_t)(uintptr_t)pinned, f->d, 128);
    sync(f, OP_STREAM_DESTROY, f->a);
    assert_int_equal(5, pinned[0]);
    assert_int_equal(DEVICE_INVALID_HANDLE, send(f, &(DeviceMsg){.op = OP_STREAM_SYNC, .stream = f->a}));
    sync(f, OP_DEVICE_SYNC, 0);
    assert_int_equal(1, pinned[0]);
}

/* More streams than are followed: those beyond are left out, quietly; and places are used again. */
static void test_many_streams(void **state)
{
    Fixture *f = *state;
    uint32_t streams[80];
    for (int i = 0; i < 80; i++)
        streams[i] = make_object(f, OP_STREAM_CREATE);
    launch_kernel_in(f, "fill", streams[78], f->d);
    launch_kernel_in(f, "fill", streams[79], f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_false(f->found);
    for (int i = 0; i < 80; i++)
        sync(f, OP_STREAM_DESTROY, streams[i]);
    uint32_t c = make_object(f, OP_STREAM_CREATE), d = make_object(f, OP_STREAM_CREATE);
    launch_kernel_in(f, "fill", c, f->d);
    launch_kernel_in(f, "fill", d, f->d);
    sync(f, OP_DEVICE_SYNC, 0);
    assert_true(f->found);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_unordered),        TEST(test_asked_before_the_wait), TEST(test_host_orders),
        TEST(test_event_orders),     TEST(test_event_too_early),     TEST(test_wait_before_the_record),
              TEST(test_event_through_a_third),
        TEST(test_copies),           TEST(test_finer_than_ranges),     TEST(test_free_in_another_stream),
        TEST(test_destroyed_stream), TEST(test_many_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
