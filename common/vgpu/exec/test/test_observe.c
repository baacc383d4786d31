/* What observers are told: accesses with their pattern and places, barriers, fences, blocks and launches; and
 * what a launch asks of its host: another device's memory, the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/exec/exec.h"

#include <stdio.h>
#include <string.h>

enum { EVENTS_MAX = 64 };

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n"    \
    ".reg .pred %p<4>; .reg .u16 %h<4>; .reg .u32 %r<16>; .reg .u64 %rd<16>;\n"                              \
    ".shared .align 8 .b8 s[512]; .local .align 8 .b8 l[16];\n"                                              \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x;\n"                                 \
    "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;\n"
#define TAIL "ret;\n}\n"

typedef struct Event {
    char what; /* l launch, L its end, b block, B its end, a access, s barrier, w warp sync, f fence */
    ExecAccess access;
    uint64_t addr[WARP_LANES];
    uint8_t *host[WARP_LANES];
    bool has_host;
    uint64_t first_value;
    uint32_t block, warp, slot, number, mask;
} Event;

typedef struct Scene {
    Mem *mem, *peer;
    MemAlloc *a, *b;
    Event events[EVENTS_MAX];
    int n;
    uint32_t shared_bytes;
    ExecResult result;
    uint64_t clock_start;
} Scene;

static Event *add_event(Scene *s, char what, const ExecWho *who)
{
    Event *e = &s->events[s->n < EVENTS_MAX - 1 ? s->n++ : s->n];
    *e = (Event){.what = what};
    if (who) {
        e->block = who->block_linear;
        e->warp = who->warp;
        e->slot = who->slot;
    }
    return e;
}

static void scene_on_launch(void *self, const ExecLaunch *launch)
{
    (void)launch;
    add_event(self, 'l', NULL);
}

static void scene_on_launch_end(void *self, const ExecLaunch *launch)
{
    (void)launch;
    add_event(self, 'L', NULL);
}

static void scene_on_block(void *self, const ExecWho *who, uint32_t shared_bytes)
{
    add_event(self, 'b', who);
    ((Scene *)self)->shared_bytes = shared_bytes;
}

static void scene_on_block_end(void *self, const ExecWho *who)
{
    add_event(self, 'B', who);
}

static void scene_on_access(void *self, const ExecWho *who, const ExecAccess *access)
{
    Event *e = add_event(self, 'a', who);
    e->access = *access;
    memcpy(e->addr, access->addr, sizeof e->addr);
    e->has_host = access->host != NULL;
    if (access->host)
        memcpy(e->host, access->host, sizeof e->host);
    if (access->n_values)
        memcpy(&e->first_value, access->value[0], access->value_stride);
}

static void scene_on_frame(void *self, const ExecWho *who, uint32_t mask, uint32_t base)
{
    Event *e = add_event(self, 'c', who);
    e->mask = mask;
    e->number = base;
    e->slot = who->function->locals_end - who->function->locals_begin;
}

static void scene_on_barrier(void *self, const ExecWho *who, uint32_t id)
{
    add_event(self, 's', who)->number = id;
}

static void scene_on_warp_sync(void *self, const ExecWho *who, uint32_t mask)
{
    add_event(self, 'w', who)->mask = mask;
}

static void scene_on_fence(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope)
{
    Event *e = add_event(self, 'f', who);
    e->mask = mask;
    e->number = (uint32_t)sem * 16 + scope;
}

static Mem *peer_memory(void *self, uint64_t addr)
{
    Mem *peer = ((Scene *)self)->peer;
    return peer && mem_in_window(peer, addr) ? peer : NULL;
}

static void setup_scene(Scene *s)
{
    *s = (Scene){0};
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &s->mem));
    s->a = mem_alloc(s->mem, 1024, MEM_DEVICE, 0, NULL);
    s->b = mem_alloc(s->mem, 1024, MEM_DEVICE, 0, NULL);
    memset(s->a->host, 0, 1024);
}

static void play(Scene *s, const char *text, uint32_t grid, uint32_t block)
{
    Diag diag = {0};
    PtxModule *ptx = NULL;
    IrModule *module = NULL;
    IrInstance *instance = NULL;
    if (ptx_parse(text, strlen(text), "observe.ptx", &ptx, &diag) || ir_decode(&ptx, 1, &module, &diag) ||
        exec_bind(module, &diag) || ir_instantiate(module, (uint64_t[8]){0}, &instance))
        fail_msg("line %d: %s", diag.line, diag.message);
    ExecObserver observer = {.self = s,
                             .launch_begin = scene_on_launch,
                             .launch_end = scene_on_launch_end,
                             .block_begin = scene_on_block,
                             .block_end = scene_on_block_end,
                             .access = scene_on_access,
                             .frame = scene_on_frame,
                             .barrier = scene_on_barrier,
                             .warp_sync = scene_on_warp_sync,
                             .fence = scene_on_fence};
    ExecHost host = {.self = s, .memory_of = peer_memory, .clock_start = s->clock_start};
    uint64_t params[2] = {s->a->addr, s->b->addr};
    ExecLaunch launch = {.instance = instance,
                         .function = (uint32_t)ir_find_function(module, "k"),
                         .grid = {grid, 1, 1},
                         .block = {block, 1, 1},
                         .params = (const uint8_t *)params,
                         .mem = s->mem,
                         .host = &host,
                         .observers = &observer,
                         .n_observers = 1};
    exec_launch(&launch, &s->result);
    ir_instance_free(instance);
    ir_module_free(module);
    ptx_module_free(ptx);
}

static void end_scene(Scene *s)
{
    mem_destroy(s->mem);
    mem_destroy(s->peer);
}

static const Event *nth_access(const Scene *s, int n)
{
    for (int i = 0; i < s->n; i++)
        if (s->events[i].what == 'a' && n-- == 0)
            return &s->events[i];
    fail_msg("no such access");
    return NULL;
}

static void test_order_of_events(void **state)
{
    (void)state;
    Scene s;
    char seen[EVENTS_MAX] = "";
    setup_scene(&s);
    play(&s, HEAD "st.shared.u32 [s], %r1; bar.sync 3; membar.gl; bar.warp.sync 0xffffffff;\n" TAIL, 2, 40);
    for (int i = 0; i < s.n; i++)
        seen[i] = s.events[i].what;
    assert_string_equal("lbaasfwfwBbaasfwfwBL", seen);
    assert_int_equal(512, s.shared_bytes);
    assert_int_equal(3, s.events[4].number);
    assert_int_equal(SEM_SC * 16 + SCOPE_GPU, s.events[5].number);
    assert_int_equal(1, s.events[5].warp); /* the warp that came last goes on */
    assert_int_equal(0xFF, s.events[5].mask);
    assert_int_equal(0xFF, s.events[6].mask);
    assert_int_equal(0xFFFFFFFF, s.events[7].mask);
    assert_int_equal(0xFFFFFFFF, s.events[8].mask);
    assert_int_equal(0, s.events[8].warp);
    assert_int_equal(1, s.events[10].block);
    end_scene(&s);
}

static void test_unit_stride(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s, HEAD "add.u32 %r2, %r1, 50; st.global.u32 [%rd4+8], %r2; ld.global.u32 %r3, [%rd4+8];\n" TAIL, 1,
         32);
    const Event *store = nth_access(&s, 0), *load = nth_access(&s, 1);
    assert_int_equal(ACCESS_STORE, store->access.kind);
    assert_int_equal(SPACE_GLOBAL, store->access.space);
    assert_int_equal(PATTERN_UNIT_STRIDE, store->access.pattern);
    assert_int_equal(4, store->access.bytes);
    assert_int_equal(0xFFFFFFFF, store->access.mask);
    assert_ptr_equal(s.a, store->access.alloc);
    assert_int_equal(s.a->addr + 8 + 4 * 31, store->addr[31]);
    assert_false(store->has_host);
    assert_ptr_equal(s.a->host + 8, store->access.host0);
    assert_int_equal(1, store->access.n_values);
    assert_int_equal(4, store->access.value_stride);
    assert_int_equal(50, store->first_value);
    assert_int_equal(ACCESS_LOAD, load->access.kind);
    end_scene(&s);
}

static void test_patterns(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s,
         HEAD "ld.global.u32 %r2, [%rd1];\n"
              "add.s64 %rd5, %rd4, %rd3; ld.global.u32 %r2, [%rd5];\n"
              "setp.gt.u32 %p1, %r1, 3; @%p1 ld.volatile.global.u32 %r2, [%rd4];\n"
              "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 1; selp.b64 %rd6, %rd2, %rd1, %p2; ld.global.u16 "
              "%h1, [%rd6];\n" TAIL,
         1, 8);
    const Event *uniform = nth_access(&s, 0), *stride = nth_access(&s, 1), *part = nth_access(&s, 2),
                *two = nth_access(&s, 3);
    assert_int_equal(PATTERN_UNIFORM, uniform->access.pattern);
    assert_int_equal(PATTERN_OTHER, stride->access.pattern);
    assert_false(stride->has_host);
    assert_ptr_equal(s.a->host, stride->access.host0);
    assert_int_equal(s.a->addr + 56, stride->addr[7]);
    assert_int_equal(0, stride->access.group_lanes);
    assert_ptr_equal(s.a, stride->access.alloc);
    assert_int_equal(PATTERN_UNIT_STRIDE, part->access.pattern);
    assert_int_equal(0xF0, part->access.mask);
    assert_int_equal(SEM_VOLATILE, part->access.sem);
    assert_ptr_equal(s.a->host + 16, part->access.host0);
    assert_null(two->access.alloc);
    assert_ptr_equal(s.a->host, two->host[0]);
    assert_ptr_equal(s.b->host, two->host[1]);
    assert_int_equal(2, two->access.bytes);
    end_scene(&s);
}

/* Rows of a block of two dimensions: 16 and 8 lanes wide, alike and side by side; and a whole warp. */
static void test_groups(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s,
         HEAD "and.b32 %r4, %r1, 15; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r2, "
              "[%rd5];\n"
              "shr.u32 %r4, %r1, 4; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r2, "
              "[%rd5];\n"
              "and.b32 %r4, %r1, 7; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r2, "
              "[%rd5];\n"
              "ld.global.u32 %r2, [%rd1];\n" TAIL,
         1, 32);
    const struct {
        ExecPattern pattern, group_pattern;
        int lanes;
    } expected[] = {{PATTERN_OTHER, PATTERN_UNIT_STRIDE, 16},
                    {PATTERN_OTHER, PATTERN_UNIFORM, 16},
                    {PATTERN_OTHER, PATTERN_UNIT_STRIDE, 8},
                    {PATTERN_UNIFORM, PATTERN_UNIFORM, 32}};
    for (int i = 0; i < 4; i++) {
        const Event *e = nth_access(&s, i);
        assert_int_equal(expected[i].pattern, e->access.pattern);
        assert_int_equal(expected[i].group_pattern, e->access.group_pattern);
        assert_int_equal(expected[i].lanes, e->access.group_lanes);
    }
    end_scene(&s);
}

static void test_spaces(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s,
         HEAD
         "mov.u64 %rd7, l; st.local.u32 [%rd7+4], %r1; st.shared.v2.u32 [s+8], {%r1, %r1}; "
         "atom.global.add.u32 %r5, [%rd1], 1;\n"
         "red.global.add.u32 [%rd1], 1; mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; ld.u32 %r2, [%rd5+16];\n"
         "add.u32 %r6, %r5, %r2; st.global.u32 [%rd4+64], %r6;\n" TAIL,
         1, 4);
    const Event *local = nth_access(&s, 0), *shared = nth_access(&s, 1), *generic = nth_access(&s, 4);
    assert_int_equal(SPACE_LOCAL, local->access.space);
    assert_true(local->access.lane_stride > 0);
    assert_true(shared->access.lane_stride == 0);
    assert_int_equal(local->addr[0], local->addr[1]);
    assert_int_equal(SPACE_SHARED, shared->access.space);
    assert_int_equal(8, shared->addr[0]);
    assert_int_equal(8, shared->access.bytes);
    assert_int_equal(2, shared->access.n_values);
    assert_int_equal(ACCESS_ATOMIC, nth_access(&s, 2)->access.kind);
    assert_int_equal(ACCESS_REDUCTION, nth_access(&s, 3)->access.kind);
    assert_int_equal(SPACE_SHARED, generic->access.space);
    assert_int_equal(16, generic->addr[0]);
    end_scene(&s);
}

/* An access that faults is not told as an access. */
/* Called functions: where their frames begin, for which lanes, and where their variables lie. */
static void test_frames(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s,
         ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".func f(.param .u32 x) { .local .align 4 .b8 l[20]; ret; }\n"
         ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .pred %p; .reg .u32 %r;\n"
         "mov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 1; @%p bra END;\n"
         "{ .param .u32 x0; st.param.u32 [x0], %r; call f, (x0); }\nEND: ret;\n}\n",
         1, 4);
    const Event *call = NULL;
    for (int i = 0; i < s.n; i++)
        if (s.events[i].what == 'c') {
            assert_null(call);
            call = &s.events[i];
        }
    assert_non_null(call);
    assert_int_equal(0x3, call->mask);
    assert_int_equal(16, call->number); /* the kernel's frame holds x0 */
    assert_int_equal(20, call->slot);
    end_scene(&s);
}

static void test_no_access_after_fault(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    play(&s, HEAD "st.global.u32 [%rd4+4096], %r1;\n" TAIL, 1, 4);
    assert_int_equal(EXEC_ILLEGAL_ADDRESS, s.result.error);
    for (int i = 0; i < s.n; i++)
        assert_int_not_equal('a', s.events[i].what);
    assert_string_equal("access outside of every allocation", s.result.diag.message);
    end_scene(&s);
}

static void test_peer_memory(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    assert_int_equal(STATUS_OK, mem_create(1, 1 << 20, 1, &s.peer));
    MemAlloc *own = s.b;
    s.b = mem_alloc(s.peer, 128, MEM_DEVICE, 0, NULL);
    play(&s, HEAD "add.s64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r1;\n" TAIL, 1, 32);
    assert_int_equal(EXEC_OK, s.result.error);
    assert_int_equal(31, ((uint32_t *)(void *)s.b->host)[31]);
    assert_ptr_equal(s.b, nth_access(&s, 0)->access.alloc);
    s.b = own;
    end_scene(&s);
}

static void test_clock(void **state)
{
    (void)state;
    Scene s;
    setup_scene(&s);
    s.clock_start = 1000000;
    play(&s,
         HEAD "mov.u64 %rd5, %clock64; mov.u64 %rd6, %clock64; st.global.v2.u64 [%rd1], {%rd5, %rd6};\n" TAIL,
         1, 1);
    uint64_t clock[2];
    memcpy(clock, s.a->host, sizeof clock);
    assert_int_equal(1000000 + 4 * 5, clock[0]); /* after five instructions */
    assert_int_equal(clock[0] + 4, clock[1]);
    end_scene(&s);
}

static void test_bind_names_what_is_missing(void **state)
{
    (void)state;
    const char *text =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .u32 %r<3>;\n"
        "wgmma.fence.sync.aligned;\nret;\n}\n";
    Diag diag = {0};
    PtxModule *ptx = NULL;
    IrModule *module = NULL;
    assert_int_equal(STATUS_OK, ptx_parse(text, strlen(text), "bind.ptx", &ptx, &diag));
    Status decoded = ir_decode(&ptx, 1, &module, &diag);
    if (decoded == STATUS_OK)
        assert_int_equal(STATUS_UNSUPPORTED, exec_bind(module, &diag));
    else
        assert_int_equal(STATUS_UNSUPPORTED, decoded);
    assert_non_null(strstr(diag.message, "wgmma"));
    ir_module_free(module);
    ptx_module_free(ptx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_events),
        cmocka_unit_test(test_unit_stride),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_no_access_after_fault),
        cmocka_unit_test(test_peer_memory),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_bind_names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
