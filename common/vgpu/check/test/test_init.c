/* The init checker, and its bitmaps. */
#include "common/vgpu/check/test/rig.h"

#include "common/vgpu/check/check_internal.h"

/* ---- bitmaps ---- */

static void bitmaps(void **state)
{
    (void)state;
    enum { BITS = 200 };
    for (uint64_t from = 0; from < 70; from += 7) {
        for (uint64_t n = 1; from + n <= BITS; n += 5) {
            uint8_t bits[BITS / 8 + 1] = {0};
            init_mark(bits, from, n, false);
            for (uint64_t i = 0; i < BITS; i++)
                assert_int_equal(bits[i / 8] >> i % 8 & 1, i >= from && i < from + n);
            assert_int_equal(init_first_clear(bits, from, n), n);
            if (from + n < BITS)
                assert_int_equal(init_first_clear(bits, from, n + 1), n);
            if (from)
                assert_int_equal(init_first_clear(bits, from - 1, n), 0);
        }
    }
}

/* mem keeps the same bitmap. */
static void agrees_with_mem(void **state)
{
    (void)state;
    Mem *m;
    assert_int_equal(mem_create(0, 1 << 20, 1, &m), STATUS_OK);
    MemAlloc *a = mem_alloc(m, 1000, MEM_DEVICE, 0, NULL);
    init_mark(a->init, 10, 90, false);
    assert_int_equal(mem_first_uninit(a, a->addr + 10, 200), 90);
    mem_mark_init(a, a->addr + 100, 50, true);
    assert_int_equal(init_first_clear(a->init, 10, 500), 140);
    mem_destroy(m);
}

/* ---- kernels ---- */

static Rig *rig(MemAlloc **a)
{
    Rig *r = rig_new(CHECK_INIT, 1);
    *a = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
    rig_begin(r, 2, 64);
    rig_block(r, 0, 0);
    return r;
}

static void global_read(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    check_host_write(r->set, a, a->addr, 120); /* the last two of 32 floats are not copied */
    rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .base = a->addr, .stride = 4));
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_UNINITIALIZED);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->thread[0], 30);
    assert_int_equal(f->address, a->addr + 120);
    assert_int_equal(f->place.line, 101);
    assert_string_equal(f->verdict, "uninitialized");
    rig_free(r);
}

static void global_read_after_write(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    for (int stride = -8; stride <= 16; stride += 4) {
        uint64_t base = a->addr + 1024;
        rig_access(r, STORE(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .base = base, .stride = stride));
        rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 2, .base = base, .stride = stride));
    }
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* One byte of the element is there, as of a copy that was given 1 for its size. */
static void part_of_an_element(void **state)
{
    (void)state;
    static const struct {
        uint64_t written;
        uint8_t bytes;
        const char *hint;
    } rows[] = {
        {5, 4, "only 1 of the 4 bytes of this element was written"},
        {6, 4, "only 2 of the 4 bytes of this element were written"},
        {4, 4, "does not clear memory"},
        {12, 8, "does not clear memory"}, /* a pair's first float */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MemAlloc *a;
        Rig *r = rig(&a);
        check_host_write(r->set, a, a->addr, rows[i].written);
        rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .mask = 3, .bytes = rows[i].bytes, .base = a->addr, .stride = rows[i].bytes));
        rig_end(r);
        const Finding *f = rig_only(r, FINDING_UNINITIALIZED);
        if (!strstr(f->hint, rows[i].hint))
            fail_msg("row %zu: %s", i, f->hint);
        rig_free(r);
    }
}

/* An accumulator that nobody set to zero. */
static void atomic_reads_too(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    rig_access(r, ATOMIC(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .base = a->addr));
    rig_access(r, ATOMIC(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .base = a->addr));
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_UNINITIALIZED);
    assert_int_equal(f->count, 1);
    assert_string_equal(f->access, "atomic");
    rig_free(r);
}

static void part_of_a_vector(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    check_host_write(r->set, a, a->addr, 12);
    rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 1, .mask = 1, .bytes = 16, .base = a->addr,
                       .stride = 16));
    rig_end(r);
    assert_int_equal(rig_only(r, FINDING_UNINITIALIZED)->address, a->addr + 12);
    rig_free(r);
}

/* Shared memory of a block is fresh in the next one. */
static void shared_tail(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .stride = 4));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .stride = 4));
    rig_block_end(r);
    rig_block(r, 1, 0);
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .stride = 4, .mask = 0x7FFFFFFF));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .stride = 4));
    rig_block_end(r);
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_UNINITIALIZED);
    assert_int_equal(f->block[0], 1);
    assert_int_equal(f->thread[0], 31);
    assert_string_equal(f->space, "shared");
    assert_int_equal(f->count, 1);
    rig_free(r);
}

/* Module variables and the like are initialised: they have no bitmap. */
static void no_bitmap(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    MemAlloc *var = mem_alloc(r->mem, 256, MEM_GLOBAL_VAR, 0, "table");
    var->init = NULL;
    rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = var, .inst = 1, .base = var->addr, .stride = 4));
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* ---- local memory ---- */

/* Frames of 64 bytes: 16 of arguments, then 48 of local variables. */
static Rig *local_rig(void)
{
    Rig *r = rig_new(CHECK_INIT, 1);
    r->function.locals_begin = 16;
    r->function.locals_end = r->function.frame_bytes = 64;
    rig_begin(r, 2, 64);
    rig_block(r, 0, 0);
    return r;
}

static void finish_local(Rig *r, uint64_t count, uint32_t thread, uint64_t address)
{
    rig_end(r);
    const Finding *f = rig_only(r, FINDING_UNINITIALIZED);
    assert_string_equal("local", f->space);
    assert_int_equal(count, f->count);
    assert_int_equal(thread, f->thread[0]);
    assert_int_equal(address, f->address);
    rig_free(r);
}

/* Each thread has its own: what half of the lanes wrote is not there for the others. */
static void local_lanes(void **state)
{
    (void)state;
    Rig *r = local_rig();
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 20, .mask = 0x0000FFFF));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 20, .mask = 0x0000FFFF));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 20));
    finish_local(r, 16, 16, 20);
}

static void local_index_by_lane(void **state)
{
    (void)state;
    Rig *r = local_rig();
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 16, .stride = 4, .mask = 0xFF));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16, .stride = 4, .mask = 0xFF));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 20, .stride = 4, .mask = 0x7F));
    finish_local(r, 7, 0, 20);
}

static void local_second_warp(void **state)
{
    (void)state;
    Rig *r = local_rig();
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 16));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16, .warp = 1, .mask = 4));
    finish_local(r, 1, 34, 16);
}

/* A vector has elements; one of which no byte was written counts, and one byte makes an element written. */
static void local_vectors(void **state)
{
    (void)state;
    Rig *r = local_rig();
    IrOperand parts[4] = {{.kind = IR_REG}, {.kind = IR_REG}, {.kind = IR_REG}, {.kind = IR_REG}};
    r->insts[2].vec = r->insts[3].vec = parts;
    r->insts[2].n_vec = r->insts[3].n_vec = 4;
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 16, .bytes = 16));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16, .bytes = 16));
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 32, .bytes = 8));
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 42, .bytes = 1));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 1, .base = 40));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 3, .base = 32, .bytes = 16, .mask = 2));
    finish_local(r, 1, 1, 44);
}

/* A called function's variables are new, those of its caller and its own arguments are not. */
static void local_frames(void **state)
{
    (void)state;
    Rig *r = local_rig();
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 60));
    for (int call = 0; call < 2; call++) {
        rig_call(r, 0x3, 64);
        rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 64, .mask = 0x3));
        rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 60, .mask = 0x3));
        if (call == 0) {
            rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 80, .mask = 0x3));
            rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 80, .mask = 0x3));
        }
    }
    rig_call(r, 0x1, 128);
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 60));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 3, .base = 80, .mask = 0x3));
    finish_local(r, 2, 0, 80);
}

/* A warp that has written all it has is looked at again when it calls a function with variables of its own. */
static void local_all_written(void **state)
{
    (void)state;
    Rig *r = local_rig();
    for (uint64_t at = 16; at < 64; at += 16) {
        rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = at, .bytes = 16, .mask = 0x0000FFFF));
        rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = at, .bytes = 16, .mask = 0xFFFF0000));
        rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = at));
    }
    rig_call(r, 0x6, 64);
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 3, .base = 80));
    finish_local(r, 2, 1, 80);
}

/* The next block's local memory is new, though the checker uses its room again. */
static void local_next_block(void **state)
{
    (void)state;
    Rig *r = local_rig();
    rig_access(r, STORE(.space = SPACE_LOCAL, .inst = 1, .base = 16));
    rig_call(r, 0x1, 64);
    rig_block_end(r);
    rig_block(r, 1, 0);
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 0)); /* arguments of a call */
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 64));
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16));
    finish_local(r, 32, 0, 16);
}

static void local_none(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    rig_call(r, 0x1, 64);
    rig_access(r, LOAD(.space = SPACE_LOCAL, .inst = 2, .base = 16));
    rig_end(r);
    rig_none(r);
    rig_free(r);
}

/* ---- the host ---- */

static void host_reads(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    rig_end(r);
    check_host_write(r->set, a, a->addr, 100);
    check_host_read(r->set, a, a->addr, 100, "cudaMemcpy", 0);
    rig_none(r);
    check_host_read(r->set, a, a->addr + 50, 100, "cudaMemcpy", 0);
    const Finding *f = rig_only(r, FINDING_API_UNINITIALIZED);
    assert_true(f->advice);
    assert_int_equal(f->address, a->addr + 100);
    rig_free(r);
}

/* A copy on the device carries the state of each byte with it. */
static void host_copies(void **state)
{
    (void)state;
    MemAlloc *a;
    Rig *r = rig(&a);
    MemAlloc *b = mem_alloc(r->mem, 4096, MEM_DEVICE, 0, NULL);
    check_host_write(r->set, a, a->addr + 10, 5);
    check_host_write(r->set, a, a->addr + 20, 30);
    check_host_write(r->set, b, b->addr, 4096);
    check_host_copy(r->set, b, b->addr + 3, a, a->addr + 5, 100);
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t from = i + 5;
        bool written = (from >= 10 && from < 15) || (from >= 20 && from < 50);
        assert_int_equal(mem_first_uninit(b, b->addr + 3 + i, 1), written);
    }
    assert_int_equal(mem_first_uninit(b, b->addr, 3), 3);
    assert_int_equal(mem_first_uninit(b, b->addr + 103, 100), 100);
    rig_end(r);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bitmaps),           cmocka_unit_test(agrees_with_mem),
        cmocka_unit_test(global_read),       cmocka_unit_test(global_read_after_write),
        cmocka_unit_test(atomic_reads_too),  cmocka_unit_test(part_of_a_vector), cmocka_unit_test(part_of_an_element),
        cmocka_unit_test(shared_tail),       cmocka_unit_test(no_bitmap),
        cmocka_unit_test(local_lanes),       cmocka_unit_test(local_index_by_lane),
        cmocka_unit_test(local_second_warp), cmocka_unit_test(local_vectors),
        cmocka_unit_test(local_frames),      cmocka_unit_test(local_next_block),
        cmocka_unit_test(local_none),        cmocka_unit_test(local_all_written),
        cmocka_unit_test(host_reads),        cmocka_unit_test(host_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
