/* Device memory: allocation, freeing, lookup, reuse, exhaustion, fresh contents, init bits. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/mem/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static Mem *make_mem(uint64_t total)
{
    Mem *m = NULL;
    assert_int_equal(STATUS_OK, mem_create(0, total, 1, &m));
    return m;
}

static void test_alloc_places(void **state)
{
    (void)state;
    Mem *m = make_mem(64 * MIB);
    MemAlloc *a = mem_alloc(m, 100, MEM_DEVICE, 7, NULL);
    MemAlloc *b = mem_alloc(m, 1000, MEM_POOL, 8, NULL);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(0, a->addr % 256);
    assert_int_equal(0, b->addr % 256);
    assert_true(b->addr >= a->addr + 100 + 256);
    assert_int_equal(1, a->serial);
    assert_int_equal(2, b->serial);
    assert_int_equal(7, a->site);
    assert_int_equal(MEM_POOL, b->kind);
    assert_true(mem_in_window(m, a->addr));
    assert_int_equal(64 * MIB - 256 - 1024, mem_free_bytes(m));
    assert_int_equal(64 * MIB, mem_total(m));
    assert_ptr_equal(a, mem_at(m, 0));
    assert_ptr_equal(b, mem_at(m, 1));
    assert_null(mem_at(m, 2));
    mem_destroy(m);
}

static void test_find(void **state)
{
    (void)state;
    Mem *m = make_mem(64 * MIB);
    MemAlloc *a = mem_alloc(m, 100, MEM_DEVICE, 0, NULL), *b = mem_alloc(m, 100, MEM_DEVICE, 0, NULL);
    assert_ptr_equal(a, mem_find(m, a->addr));
    assert_ptr_equal(a, mem_find(m, a->addr + 99));
    assert_null(mem_find(m, a->addr + 100));
    assert_null(mem_find(m, a->addr - 1));
    assert_ptr_equal(a, mem_find_nearest(m, a->addr + 100));
    assert_ptr_equal(b, mem_find_nearest(m, b->addr - 1));
    assert_ptr_equal(b, mem_find_nearest(m, b->addr + 4000));
    assert_ptr_equal(a, mem_find_nearest(m, 0));
    mem_destroy(m);
}

static void test_free_is_remembered(void **state)
{
    (void)state;
    Mem *m = make_mem(64 * MIB);
    uint64_t addr = mem_alloc(m, 4096, MEM_DEVICE, 0, NULL)->addr;
    MemAlloc *other = mem_alloc(m, 4096, MEM_DEVICE, 0, NULL);
    assert_int_equal(STATUS_NOT_FOUND, mem_free(m, addr + 1, 5));
    assert_int_equal(STATUS_OK, mem_free(m, addr, 5));
    assert_null(mem_find(m, addr));
    MemAlloc *was = mem_find_nearest(m, addr + 10);
    assert_non_null(was);
    assert_true(was->freed);
    assert_int_equal(5, was->free_site);
    assert_int_equal(STATUS_NOT_FOUND, mem_free(m, addr, 6));
    assert_ptr_equal(other, mem_at(m, 0));
    assert_int_equal(64 * MIB - 4096, mem_free_bytes(m));
    assert_true(mem_alloc(m, 4096, MEM_DEVICE, 0, NULL)->addr > other->addr);
    mem_destroy(m);
}

static void test_full_card(void **state)
{
    (void)state;
    Mem *m = make_mem(16 * MIB);
    assert_null(mem_alloc(m, 16 * MIB + 1, MEM_DEVICE, 0, NULL));
    assert_null(mem_alloc(m, 0, MEM_DEVICE, 0, NULL));
    assert_null(mem_alloc(m, UINT64_MAX, MEM_DEVICE, 0, NULL));
    MemAlloc *a = mem_alloc(m, 16 * MIB, MEM_DEVICE, 0, NULL);
    assert_non_null(a);
    assert_int_equal(0, mem_free_bytes(m));
    assert_null(mem_alloc(m, 1, MEM_DEVICE, 0, NULL));
    assert_int_equal(STATUS_OK, mem_free(m, a->addr, 0));
    assert_non_null(mem_alloc(m, 1, MEM_DEVICE, 0, NULL));
    mem_destroy(m);
}

static void fill(Mem *m, MemAlloc *a, int byte)
{
    (void)m;
    memset(a->host, byte, a->bytes);
    mem_mark_init(a, a->addr, a->bytes, true);
}

/* Addresses come again only when the window was used up; the memory is then fresh, and its old record gone.
 */
static void test_reuse_after_wrap(void **state)
{
    (void)state;
    Mem *m = make_mem(8 * MIB);
    MemAlloc *kept = mem_alloc(m, 300, MEM_DEVICE, 0, NULL);
    MemAlloc *first = mem_alloc(m, 2 * MIB, MEM_DEVICE, 0, NULL);
    uint64_t addr = first->addr, turns = 0;
    fill(m, first, 0);
    assert_int_equal(STATUS_OK, mem_free(m, addr, 0));
    for (;; turns++) {
        MemAlloc *a = mem_alloc(m, 2 * MIB, MEM_DEVICE, 0, NULL);
        assert_non_null(a);
        if (a->addr <= addr)
            break;
        assert_true(turns < 100);
        fill(m, a, 0);
        assert_int_equal(STATUS_OK, mem_free(m, a->addr, 0));
    }
    assert_true(turns >= 8);
    MemAlloc *again = mem_find(m, addr + MIB);
    assert_non_null(again);
    assert_false(again->freed);
    assert_int_equal(0, mem_first_uninit(again, again->addr, 1));
    for (uint64_t i = 0; i < again->bytes; i += 997)
        assert_int_not_equal(0, again->host[i]);
    assert_true(kept->addr + kept->bytes + 256 <= again->addr);
    assert_ptr_equal(kept, mem_find(m, kept->addr));
    mem_destroy(m);
}

/* When the window has been gone through, places are taken again: a gap stays before and after each, and a hole is taken by
 * what fits into it with its gaps, and by nothing larger. */
static void test_gaps_after_wrap(void **state)
{
    (void)state;
    enum { HOLE = 4096, GAP = 256, N = 40 };
    Mem *m = make_mem(16 * MIB);
    MemAlloc *before = mem_alloc(m, 1024, MEM_DEVICE, 0, NULL), *hole = mem_alloc(m, HOLE, MEM_DEVICE, 0, NULL),
             *after = mem_alloc(m, 1000, MEM_DEVICE, 0, NULL), *live[N] = {0};
    static const uint64_t sizes[] = {MIB / 2, 8192, 256}; /* of what goes up to the window's end */
    uint64_t at = hole->addr, seed = 1;
    for (int i = 0; i < 3; i++)
        for (uint64_t last = 0, next; ; last = next) {
            next = mem_alloc(m, sizes[i], MEM_DEVICE, 0, NULL)->addr;
            assert_int_equal(STATUS_OK, mem_free(m, next, 0));
            if (next < last)
                break;
        }
    assert_int_equal(STATUS_OK, mem_free(m, at, 0));
    MemAlloc *large = mem_alloc(m, HOLE + GAP, MEM_DEVICE, 0, NULL), *fits = mem_alloc(m, HOLE, MEM_DEVICE, 0, NULL);
    assert_true(large->addr > after->addr);
    assert_int_equal(at, fits->addr);
    for (int turn = 0; turn < 4000; turn++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        MemAlloc **a = &live[(seed >> 33) % N];
        if (*a)
            assert_int_equal(STATUS_OK, mem_free(m, (*a)->addr, 0));
        *a = *a ? NULL : mem_alloc(m, 1 + (seed >> 40) % 70000, MEM_DEVICE, 0, NULL);
        for (int i = 0; *a && i < N; i++) {
            const MemAlloc *x = *a, *y = live[i];
            if (y && y != x && x->addr < y->addr + y->bytes + GAP && y->addr < x->addr + x->bytes + GAP)
                fail_msg("turn %d: %lu bytes at %lx, %lu at %lx", turn, (unsigned long)x->bytes, (unsigned long)x->addr,
                         (unsigned long)y->bytes, (unsigned long)y->addr);
        }
    }
    assert_true(before->addr + before->bytes + GAP <= fits->addr && fits->addr + HOLE + GAP <= after->addr);
    mem_destroy(m);
}

static void check_fresh(uint64_t bytes)
{
    Mem *m = make_mem(64 * MIB), *same = make_mem(64 * MIB), *other = NULL;
    assert_int_equal(STATUS_OK, mem_create(1, 64 * MIB, 2, &other));
    MemAlloc *a = mem_alloc(m, bytes, MEM_DEVICE, 0, NULL), *b = mem_alloc(same, bytes, MEM_DEVICE, 0, NULL);
    MemAlloc *c = mem_alloc(other, bytes, MEM_DEVICE, 0, NULL);
    for (uint64_t i = 0; i < bytes; i++)
        if (!a->host[i])
            fail_msg("byte %lu is zero", (unsigned long)i);
    assert_memory_equal(a->host, b->host, bytes);
    assert_memory_not_equal(a->host, c->host, bytes);
    mem_destroy(m);
    mem_destroy(same);
    mem_destroy(other);
}

static void test_fresh_contents(void **state)
{
    (void)state;
    check_fresh(4097);
    check_fresh(MIB + 12345); /* mapped, and a written tail */
    check_fresh(9 * MIB);     /* several mappings */
}

static void test_gigabytes_are_cheap(void **state)
{
    (void)state;
    Mem *m = make_mem(80 * GIB);
    MemAlloc *a = mem_alloc(m, 70 * GIB, MEM_DEVICE, 0, NULL);
    assert_non_null(a);
    assert_int_not_equal(0, a->host[69 * GIB + 5]);
    a->host[69 * GIB + 5] = 0;
    mem_mark_init(a, a->addr + 69 * GIB + 5, 1, true);
    assert_int_equal(1, mem_first_uninit(a, a->addr + 69 * GIB + 5, 2));
    assert_int_equal(STATUS_OK, mem_free(m, a->addr, 0));
    mem_destroy(m);
}

static void test_init_bits(void **state)
{
    (void)state;
    Mem *m = make_mem(16 * MIB);
    MemAlloc *a = mem_alloc(m, 4096, MEM_DEVICE, 0, NULL);
    assert_int_equal(0, mem_first_uninit(a, a->addr, 4096));
    for (uint64_t from = 0; from < 20; from++) {
        for (uint64_t bytes = 0; bytes < 150; bytes += 7) {
            mem_mark_init(a, a->addr, 4096, false);
            mem_mark_init(a, a->addr + 64 + from, bytes, true);
            assert_int_equal(bytes, mem_first_uninit(a, a->addr + 64 + from, bytes + 1));
            assert_int_equal(0, mem_first_uninit(a, a->addr + 63 + from, 1));
        }
    }
    mem_mark_init(a, a->addr, 4096, true);
    assert_int_equal(4096, mem_first_uninit(a, a->addr, 4096));
    mem_mark_init(a, a->addr + 1000, 1, false);
    assert_int_equal(1000, mem_first_uninit(a, a->addr, 4096));
    mem_destroy(m);
}

static void test_registered(void **state)
{
    (void)state;
    Mem *m = make_mem(16 * MIB);
    char *host = malloc(1000);
    MemAlloc *a = mem_register(m, host, 1000, MEM_PINNED, 3);
    assert_non_null(a);
    assert_int_equal((uint64_t)(uintptr_t)host, a->addr);
    assert_ptr_equal(a, mem_find(m, a->addr + 999));
    assert_false(mem_in_window(m, a->addr));
    assert_int_equal(1000, mem_first_uninit(a, a->addr, 1000));
    assert_null(mem_register(m, host + 500, 1000, MEM_REGISTERED, 3));
    assert_int_equal(16 * MIB, mem_free_bytes(m));
    assert_int_equal(STATUS_OK, mem_free(m, a->addr, 0));
    assert_null(mem_find(m, (uint64_t)(uintptr_t)host));
    assert_non_null(mem_register(m, host, 10, MEM_REGISTERED, 3));
    uint64_t window = mem_window_base(m);
    assert_null(mem_register_at(m, window + MIB, host, 10, MEM_REGISTERED, 3));
    assert_null(mem_register_at(m, window - 5, host, 10, MEM_REGISTERED, 3));
    assert_null(mem_register_at(m, UINT64_MAX - 5, host, 10, MEM_REGISTERED, 3));
    assert_non_null(mem_register_at(m, window - 20, host, 10, MEM_REGISTERED, 3));
    mem_destroy(m);
    free(host);
}

/* Host code that follows a device pointer faults. */
static void test_host_access_faults(void **state)
{
    (void)state;
    Mem *m = make_mem(16 * MIB);
    volatile char *device = (volatile char *)(uintptr_t)mem_alloc(m, 4096, MEM_DEVICE, 0, NULL)->addr;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*device & 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    mem_destroy(m);
}

static void test_address_taken(void **state)
{
    (void)state;
    void *usual = (void *)(uintptr_t)MEM_GLOBAL_BASE;
    void *taken = mmap(usual, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(usual, taken);
    Mem *m = make_mem(16 * MIB);
    assert_int_not_equal(MEM_GLOBAL_BASE, mem_window_base(m));
    MemAlloc *a = mem_alloc(m, 100, MEM_DEVICE, 0, NULL);
    assert_ptr_equal(a, mem_find(m, a->addr));
    mem_destroy(m);
    munmap(taken, 4096);
    m = make_mem(16 * MIB);
    assert_int_equal(MEM_GLOBAL_BASE, mem_window_base(m));
    mem_destroy(m);
}

static void test_refused(void **state)
{
    (void)state;
    Mem *m = NULL;
    assert_int_equal(STATUS_INVALID, mem_create(0, 0, 1, &m));
    assert_int_equal(STATUS_INVALID, mem_create(0, UINT64_MAX, 1, &m));
    assert_int_equal(STATUS_INVALID, mem_create(-1, MIB, 1, &m));
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_places),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_free_is_remembered),
        cmocka_unit_test(test_full_card),
        cmocka_unit_test(test_reuse_after_wrap),
        cmocka_unit_test(test_gaps_after_wrap),
        cmocka_unit_test(test_fresh_contents),
        cmocka_unit_test(test_gigabytes_are_cheap),
        cmocka_unit_test(test_init_bits),
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_host_access_faults),
        cmocka_unit_test(test_address_taken),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
