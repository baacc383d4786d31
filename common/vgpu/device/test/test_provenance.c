/* Where bytes came from: each way in which they move, by messages alone; and random kernels, of which the
 * record is the same whether observers are told of blocks or of warps. */
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/test/twice.h"
#include "common/vgpu/fuzz/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* fill(p, value): p[i] = value.  twice(p): p[i] *= 2.  byte(p): one byte of p[i] = 1.  count(p): adds 1 to
 * p[0]. */
#define BEGIN(name, more)                                                                                    \
    ".visible .entry " name "(.param .u64 p" more ")\n{ .reg .b32 %r<5>; .reg .b64 %rd<5>;\n"                \
    "ld.param.u64 %rd1, [p]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;\n"
static const char ptx[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 variable = 123456;\n" BEGIN(
        "fill",
        ", .param .u32 value") "ld.param.u32 %r1, [value];\n"
                               "st.global.u32 [%rd4], %r1; ret; }\n" BEGIN(
                                   "twice",
                                   "") "ld.global.u32 %r1, [%rd4]; mul.lo.u32 %r1, %r1, 2; st.global.u32 "
                                       "[%rd4], %r1; ret; }\n" BEGIN(
                                           "byte", "") "st.global.u8 [%rd4], 1; ret; "
                                                       "}\n" BEGIN("count", "") "red.global.add.u32 "
                                                                                "[%rd1], 1; ret; "
                                                                                "}\n";

typedef struct Fixture {
    DeviceServer *server;
    DeviceReply reply;
    uint32_t module;
    int fd;
    char *text; /* of the record */
} Fixture;

static DeviceError send(Fixture *f, const DeviceMsg *m)
{
    device_send(f->server, m, &f->reply);
    return f->reply.error;
}

static int setup(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    Diag diag = {0};
    uint64_t length = sizeof ptx - 1;
    f->fd = memfd_create("record", MFD_CLOEXEC);
    DeviceOptions o = {
        .n_devices = 2, .stream_fd = -1, .quiet = true, .provenance_fd = f->fd, .model = "h100"};
    assert_int_equal(STATUS_OK, device_server_create(&o, &f->server, &diag));
    DeviceMsg m = {.op = OP_MODULE_LOAD, .in = {.data = (void *)(uintptr_t)ptx, .bytes = length}};
    m.module.n_images = 1;
    m.module.lengths = &length;
    assert_int_equal(DEVICE_OK, send(f, &m));
    f->module = (uint32_t)f->reply.value;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;
    device_server_destroy(f->server);
    close(f->fd);
    free(f->text);
    free(f);
    return 0;
}

static uint64_t alloc_on(Fixture *f, uint32_t device, uint64_t bytes, DeviceMemoryKind kind)
{
    DeviceMsg m = {.op = OP_ALLOC, .device = device};
    m.alloc.bytes = bytes;
    m.alloc.kind = (uint8_t)kind;
    assert_int_equal(DEVICE_OK, send(f, &m));
    return f->reply.value;
}

static void launch_marked(Fixture *f, const char *name, uint64_t p, uint32_t value, uint32_t threads)
{
    DeviceMsg find = {.op = OP_FUNCTION_FIND, .in = {.data = (void *)(uintptr_t)name, .bytes = strlen(name)}};
    find.module.id = f->module;
    assert_int_equal(DEVICE_OK, send(f, &find));
    uint8_t params[16] = {0};
    memcpy(params, &p, 8);
    memcpy(params + 8, &value, 4);
    DeviceMsg m = {.op = OP_LAUNCH, .in = {.data = params, .bytes = 12}};
    m.launch =
        (DeviceLaunchMsg){.function = (uint32_t)f->reply.value, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_DEVICE_SYNC}));
}

static void launch_on(Fixture *f, uint32_t device, const char *name)
{
    uint64_t p = alloc_on(f, device, 64, DEVICE_MEMORY_DEVICE);
    DeviceMsg find = {.op = OP_FUNCTION_FIND, .in = {.data = (void *)(uintptr_t)name, .bytes = strlen(name)}};
    find.module.id = f->module;
    assert_int_equal(DEVICE_OK, send(f, &find));
    DeviceMsg m = {.op = OP_LAUNCH, .device = device, .in = {.data = &p, .bytes = 8}};
    m.launch =
        (DeviceLaunchMsg){.function = (uint32_t)f->reply.value, .grid = {1, 1, 1}, .block = {16, 1, 1}};
    assert_int_equal(DEVICE_OK, send(f, &m));
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_DEVICE_SYNC, .device = device}));
}

/* Of either side: memory of ours when its address is 0. */
static void copy(Fixture *f, uint64_t to, void *to_host, uint64_t from, const void *from_host, uint64_t bytes)
{
    DeviceMsg m = {.op = OP_COPY};
    m.copy = (DeviceCopy){.dst = to, .src = from, .width = bytes, .height = 1, .depth = 1};
    if (to == 0)
        m.copy.host_dst = (DeviceSpan){to_host, bytes};
    if (from == 0)
        m.copy.host_src = (DeviceSpan){(void *)(uintptr_t)from_host, bytes};
    assert_int_equal(DEVICE_OK, send(f, &m));
}

static void put_words(Fixture *f, uint64_t to, uint32_t first, uint32_t n)
{
    uint32_t words[64];
    for (uint32_t i = 0; i < n; i++)
        words[i] = first + i * 1000;
    copy(f, to, NULL, 0, words, n * 4);
}

static void get_words(Fixture *f, uint64_t from, uint32_t n)
{
    uint32_t words[64];
    copy(f, 0, words, from, NULL, n * 4);
}

static const char *record_of(Fixture *f)
{
    uint64_t head[2];
    assert_int_equal(DEVICE_OK, send(f, &(DeviceMsg){.op = OP_FINISH}));
    assert_int_equal(sizeof head, pread(f->fd, head, sizeof head, 0));
    f->text = calloc(head[0] + 1, 1);
    assert_int_equal((ssize_t)head[0], pread(f->fd, f->text, head[0], sizeof head));
    return f->text;
}

static void expect_part(Fixture *f, const char *part)
{
    if (!strstr(f->text ? f->text : record_of(f), part))
        fail_msg("no %s in\n%s", part, f->text);
}

static void expect_none(Fixture *f, const char *part)
{
    if (strstr(f->text ? f->text : record_of(f), part))
        fail_msg("%s in\n%s", part, f->text);
}

static void test_the_hosts_bytes_come_back(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 256, DEVICE_MEMORY_DEVICE);
    put_words(f, p, 5, 64); /* 1 is the variable's */
    put_words(f, p, 5, 64);
    get_words(f, p, 64);
    expect_part(f, "\"complete\":true");
    expect_part(f, "{\"id\":1,\"how\":\"constant\",\"at\":0,\"bytes\":4,\"times\":1}");
    expect_part(f, "{\"id\":2,\"how\":\"copy\",\"at\":4,\"bytes\":256,\"times\":2}");
    expect_part(f, "\"how\":\"copy\",\"times\":1,\"origins\":[[256,2]]");
}

static void test_a_part_is_a_kernels(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 256, DEVICE_MEMORY_DEVICE);
    put_words(f, p, 5, 64);
    launch_marked(f, "fill", p + 64, 70000, 16);
    put_words(f, p + 80, 6, 2);
    get_words(f, p, 64);
    get_words(f, p + 62, 1); /* not at a granule */
    expect_part(f, "{\"id\":3,\"how\":\"parameter\",\"at\":260,\"bytes\":4,\"times\":1}");
    expect_part(f, "\"stores\":[\n{\"id\":4,\"group\":0,\"site\":5}]");
    expect_part(f, "\"origins\":[[64,2],[16,4],[8,5],[40,4],[128,2]]");
    expect_part(f, "\"bytes\":4,\"how\":\"copy\",\"times\":1,\"origins\":[[2,2],[2,4]]");
    expect_part(f, "{\"kernel\":\"fill\",\"function\":0,\"launches\":1,\"changes\":0,\"ops\":[[2,16],[3,16]],"
                   "\"reads\":[[4,[3]]]}");
    expect_part(f, "{\"name\":\"fill\",\"n\":7,\"slices\":[{\"site\":5,\"pcs\":\"3f\"}]}");
}

/* 64 runs stand in the JSON, more in the bytes: 65 of a word each, the host's and nobody's. */
static void test_many_runs_are_bytes(void **state)
{
    Fixture *f = *state;
    uint32_t words[65], pairs[65][2];
    uint64_t head[2], p = alloc_on(f, 0, sizeof words, DEVICE_MEMORY_DEVICE);
    for (uint64_t i = 0; i < 65; i += 2)
        put_words(f, p + 4 * i, 7, 1);
    copy(f, 0, words, p, NULL, 64 * 4);
    copy(f, 0, words, p, NULL, 65 * 4);
    expect_part(f, "\"bytes\":256,\"how\":\"copy\",\"times\":1,\"origins\":[[4,2],[4,0],[4,2]");
    expect_part(f, "{\"at\":264,\"bytes\":260,\"how\":\"copy\",\"times\":1,\"runs\":[524,65]}");
    assert_int_equal(sizeof head, pread(f->fd, head, sizeof head, 0));
    assert_int_equal(524 + sizeof pairs, head[1]);
    assert_int_equal(sizeof pairs, pread(f->fd, pairs, sizeof pairs, (off_t)(sizeof head + head[0] + 524)));
    for (uint32_t i = 0; i < 65; i++)
        assert_true(pairs[i][0] == 4 && pairs[i][1] == (i % 2 == 0 ? 2 : 0));
}

static void test_copies_on_and_between_devices(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE), q = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE),
             r = alloc_on(f, 1, 64, DEVICE_MEMORY_DEVICE);
    launch_marked(f, "fill", p, 70000, 8);
    copy(f, q + 16, NULL, p + 16, NULL, 32);
    copy(f, r, NULL, q, NULL, 64);
    copy(f, r + 50, NULL, q, NULL, 4); /* over two granules, of nobody's bytes */
    get_words(f, r, 16);
    expect_part(f, "\"origins\":[[16,0],[16,3],[32,0]]");
}

static void test_fills(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    DeviceMsg m = {.op = OP_FILL};
    m.fill.dst = p;
    m.fill.width = 32;
    m.fill.height = m.fill.depth = 1;
    m.fill.value = 7;
    m.fill.element = 1;
    assert_int_equal(DEVICE_OK, send(f, &m));
    m.fill.dst = p + 32;
    m.fill.value = 0;
    assert_int_equal(DEVICE_OK, send(f, &m));
    get_words(f, p, 16);
    expect_part(f,
                "\"fills\":[{\"id\":2,\"value\":117901063,\"times\":1},{\"id\":3,\"value\":0,\"times\":1}]");
    expect_part(f, "\"origins\":[[32,2],[32,3]]");
}

static void test_a_part_of_a_granule_keeps_what_it_was(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    put_words(f, p, 5, 16);
    launch_marked(f, "byte", p, 0, 16);
    launch_marked(f, "count", p, 0, 16);
    get_words(f, p, 16);
    expect_part(f, "\"reads\":[[4,[2]]]}"); /* the store of a byte has read the host's */
    expect_part(f, "\"reads\":[[4,[3]]]}"); /* the atomic what was there */
    expect_part(f, "\"origins\":[[4,4],[60,3]]");
}

static void test_managed_memory(void **state)
{
    if (!maps_pages_twice())
        skip();
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_MANAGED);
    uint32_t *host = (uint32_t *)(uintptr_t)p;
    for (uint32_t i = 0; i < 16; i++)
        host[i] = 100 + i;
    launch_marked(f, "twice", p, 0, 16);
    assert_int_equal(200, host[0]);
    host[3] = 4711; /* without a word */
    launch_marked(f, "count", p, 0, 1);
    expect_part(f, "{\"id\":3,\"how\":\"shared\",\"at\":4,\"bytes\":64,\"times\":1}");
    expect_part(f, "\"reads\":[[4,[3]]]}"); /* twice */
    expect_part(f, "{\"id\":5,\"how\":\"shared\",\"at\":68,\"bytes\":4,\"times\":1}");
    expect_part(f, "\"how\":\"shared\",\"times\":1,\"origins\":[[4,4],[8,2],[4,5],[48,2]]");
}

static void test_copy_to_managed_memory(void **state)
{
    if (!maps_pages_twice())
        skip();
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE), q = alloc_on(f, 0, 64, DEVICE_MEMORY_MANAGED);
    for (uint32_t i = 0; i < 16; i++) /* the host holds the page, and will not be asked about it again */
        ((uint32_t *)(uintptr_t)q)[i] = i;
    launch_marked(f, "fill", p, 70000, 16);
    copy(f, q, NULL, p, NULL, 64);
    expect_part(f, "\"how\":\"shared\",\"times\":1,\"origins\":[[64,3]]");
}

static void test_pinned_memory(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE), q = alloc_on(f, 0, 64, DEVICE_MEMORY_PINNED);
    launch_marked(f, "fill", p, 70000, 16);
    copy(f, q, NULL, p, NULL, 64);
    ((uint32_t *)(uintptr_t)q)[2] = 99; /* what comes back is the kernel's but for this */
    copy(f, p, NULL, q, NULL, 64);
    get_words(f, p, 16);
    launch_marked(f, "twice", q, 0, 8); /* mapped: seen at once */
    expect_part(f, "\"how\":\"copy\",\"times\":1,\"origins\":[[64,3]]");
    expect_part(f, "{\"id\":4,\"how\":\"shared\",\"at\":72,\"bytes\":4,\"times\":1}");
    expect_part(f, "\"origins\":[[8,3],[4,4],[52,3]]");
    expect_part(f, "\"bytes\":32,\"how\":\"shared\",\"times\":1,\"origins\":[[32,5]]");
}

static void test_launches_share_a_group_when_there_are_many(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    for (uint32_t i = 0; i < PROVENANCE_GROUPS_MAX + 44; i++)
        launch_marked(f, "twice", p, 0, 16);
    expect_part(f, "\"complete\":true");
    expect_part(f, "\"launches\":44,\"changes\":0,\"ops\":[[2,704],[3,704],[5,704]]");
    expect_none(f, "\"launches\":45");
}

static int count_of(Fixture *f, const char *part)
{
    int n = 0;
    for (const char *at = record_of(f); (at = strstr(at, part)); at++)
        n++;
    return n;
}

/* Kernels that take turns say nothing; an order without a rule does. */
static void test_an_order_that_says_nothing(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    for (uint32_t i = 0; i < 96; i++)
        launch_marked(f, i % 3 == 2 ? "byte" : i % 3 == 1 ? "count" : "twice", p, 0, 16);
    assert_int_equal(0, count_of(f, "\"changes\":1,"));
}

static void test_an_order_that_spells(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    for (uint32_t i = 0, bits = 12345; i < 200; i++) {
        bits = bits * 1664525 + 1013904223;
        launch_marked(f, bits >> 31 ? "count" : "twice", p, 0, 16);
    }
    assert_in_range(count_of(f, "\"changes\":1,"), 200 / 4, 200);
}

/* Threads of the host, one for each device, take turns as they like. */
static void test_an_order_of_devices(void **state)
{
    Fixture *f = *state;
    for (uint32_t i = 0, bits = 12345; i < 200; i++) {
        bits = bits * 1664525 + 1013904223;
        launch_on(f, bits >> 31, bits >> 31 ? "count" : "twice");
    }
    assert_int_equal(0, count_of(f, "\"changes\":1,"));
}

static void test_many_rows_become_one(void **state)
{
    Fixture *f = *state;
    uint64_t p = alloc_on(f, 0, 64, DEVICE_MEMORY_DEVICE);
    for (uint32_t i = 0; i < PROVENANCE_HOST_IDS_MAX + 10; i++)
        put_words(f, p, i, 1);
    get_words(f, p, 1);
    expect_part(f, "\"complete\":true");
    expect_part(f, "{\"id\":57344,\"how\":\"copy\",\"at\":229372,\"bytes\":48,\"times\":12,\"merged\":true}");
    expect_part(f, "\"origins\":[[4,57344]]");
}

static void test_too_many_bytes_cut_the_record(void **state)
{
    Fixture *f = *state;
    const uint64_t bytes = PROVENANCE_BIN_MAX - 4 + (uint64_t)1; /* the variable has four */
    uint64_t p = alloc_on(f, 0, bytes, DEVICE_MEMORY_DEVICE);
    uint8_t *host = calloc(bytes, 1);
    copy(f, p, NULL, 0, host, bytes);
    free(host);
    expect_part(f, "\"complete\":false,\"cut\":\"bytes\"");
}

static void test_as_many_bytes_as_fit_are_complete(void **state)
{
    Fixture *f = *state;
    const uint64_t bytes = PROVENANCE_BIN_MAX - 4;
    uint64_t p = alloc_on(f, 0, bytes, DEVICE_MEMORY_DEVICE);
    uint8_t *host = calloc(bytes, 1);
    copy(f, p, NULL, 0, host, bytes);
    free(host);
    expect_part(f, "\"complete\":true");
}

/* ---- random kernels ---- */

enum { KERNELS = 150, BLOCKS = 5, THREADS = 64 };
typedef enum Way { WARPS, WARPS_TOLD, BLOCKS_TOLD, N_WAYS } Way;

static char *record_of_kernel(const StrBuf *text, Way way)
{
    void *state;
    setup(&state);
    Fixture *f = state;
    Provenance *p = f->server->provenance;
    Device *d = f->server->devices[0];
    uint64_t length = text->length;
    DeviceMsg m = {.op = OP_MODULE_LOAD, .in = {.data = text->text, .bytes = length}};
    m.module.n_images = 1;
    m.module.lengths = &length;
    assert_int_equal(DEVICE_OK, send(f, &m));
    const IrInstance *instance = f->server->modules[f->reply.value - 1]->instance;
    struct {
        uint64_t in, out, sum;
        uint32_t n;
    } params = {alloc_on(f, 0, KERNEL_IN_BYTES, DEVICE_MEMORY_DEVICE),
                alloc_on(f, 0, BLOCKS * THREADS * KERNEL_OUT_BYTES, DEVICE_MEMORY_DEVICE),
                alloc_on(f, 0, KERNEL_SUM_BYTES, DEVICE_MEMORY_DEVICE), 50};
    uint32_t words[KERNEL_IN_BYTES / 4];
    for (uint32_t i = 0; i < KERNEL_IN_BYTES / 4; i++)
        words[i] = i % 7 ? (uint32_t)rng_mix(i) : i;
    for (uint32_t i = 0; i < KERNEL_IN_BYTES; i += KERNEL_IN_BYTES / 16) /* of several numbers */
        copy(f, params.in + i, NULL, 0, (uint8_t *)words + i, KERNEL_IN_BYTES / 16);
    copy(f, params.sum, NULL, 0, (const uint8_t[KERNEL_SUM_BYTES]){0}, KERNEL_SUM_BYTES);
    for (uint32_t i = 0; i < BLOCKS * THREADS * KERNEL_OUT_BYTES; i += 64)
        copy(f, params.out + i, NULL, 0, (const uint8_t[64]){0}, 64);
    const Grid grid = {.instance = instance,
                       .function = (uint32_t)ir_find_function(instance->module, "k"),
                       .params = (const uint8_t *)&params};
    provenance_launch_begin(p, d, &grid);
    if (way != BLOCKS_TOLD)
        p->observer.access_wide = NULL;
    ExecLaunch l = {.instance = instance,
                    .function = grid.function,
                    .grid = {BLOCKS, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = grid.params,
                    .mem = d->mem,
                    .narrow = way == WARPS,
                    .jobs = 1,
                    .observers = &p->observer,
                    .n_observers = 1};
    ExecResult result;
    exec_launch(&l, &result);
    if (result.error != EXEC_OK)
        fail_msg("error %d, way %d: %s\n%s", result.error, way, result.diag.message, text->text);
    provenance_launch_end(p);
    for (uint64_t at = 0; at < BLOCKS * THREADS * KERNEL_OUT_BYTES; at += 256)
        get_words(f, params.out + at, 64);
    get_words(f, params.sum, KERNEL_SUM_BYTES / 4);
    record_of(f);
    char *out = f->text;
    f->text = NULL;
    teardown(&state);
    return out;
}

/* Which of several atomics was the last one depends on the order of warps. */
static uint32_t count_atomics(const char *text)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, ".global.")); at++)
        n += (at - text >= 3 && memcmp(at - 3, "red", 3) == 0) ||
             (at - text >= 4 && memcmp(at - 4, "atom", 4) == 0);
    return n;
}

static void expect_same(uint32_t kernel, const char *wanted, const char *got)
{
    size_t i = 0;
    while (wanted[i] != 0 && wanted[i] == got[i])
        i++;
    if (wanted[i] != got[i])
        fail_msg("kernel %u: wanted %.200s\n got %.200s", kernel, wanted + (i < 60 ? 0 : i - 60),
                 got + (i < 60 ? 0 : i - 60));
}

static void test_blocks_and_warps_give_the_same_record(void **state)
{
    uint32_t n = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        StrBuf text = {0};
        kernel_write(&text, (KernelChoices){.rng = {k * 7919 + 5}}, true);
        char *records[N_WAYS];
        for (int way = 0; way < N_WAYS; way++)
            records[way] = record_of_kernel(&text, (Way)way);
        expect_same(k, records[WARPS_TOLD], records[BLOCKS_TOLD]);
        if (count_atomics(text.text) < 2) {
            expect_same(k, records[WARPS], records[BLOCKS_TOLD]);
            n++;
        }
        for (int way = 0; way < N_WAYS; way++)
            free(records[way]);
        strbuf_free(&text);
    }
    assert_in_range(n, KERNELS / 10, KERNELS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_hosts_bytes_come_back),
        TEST(test_a_part_is_a_kernels),
        TEST(test_many_runs_are_bytes),
        TEST(test_copies_on_and_between_devices),
        TEST(test_fills),
        TEST(test_a_part_of_a_granule_keeps_what_it_was),
        TEST(test_managed_memory),
        TEST(test_copy_to_managed_memory),
        TEST(test_pinned_memory),
        TEST(test_launches_share_a_group_when_there_are_many),
        TEST(test_an_order_that_says_nothing),
        TEST(test_an_order_that_spells),
        TEST(test_an_order_of_devices),
        TEST(test_many_rows_become_one),
        TEST(test_too_many_bytes_cut_the_record),
        TEST(test_as_many_bytes_as_fit_are_complete),
        cmocka_unit_test(test_blocks_and_warps_give_the_same_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
