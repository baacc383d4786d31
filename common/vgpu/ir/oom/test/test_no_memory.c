/* Every allocation of the parser and the decoder fails in turn: the result is STATUS_NO_MEMORY, nothing
 * crashes, and (with SAN=address) nothing leaks. Linked with --wrap for the allocation functions, hence in a
 * folder of its own. */
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);

static long until_failure = -1; /* allocations that still succeed; negative: all do */

static bool fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    return fails() ? 12 : __real_posix_memalign(out, align, size);
}

/* A module with a bit of everything; the large arrays make each arena use several blocks. */
static const char *const texts[] = {
    PTX_HEAD ".file 1 \"a.cu\"\n.visible .global .align 8 .u64 t[9000] = {f, generic(t)+4, 3};\n.extern "
             ".shared .b8 dyn[];\n"
             ".visible .func (.param .b32 r) f(.param .b64 x, .reg .b32 y) { .reg .b32 %r<4>; .shared .u32 "
             "s; mov.u32 %r1, s; mov.u32 %r2, dyn; ret; }\n",
    PTX_HEAD ".extern .func (.param .b32 r) f(.param .b64 x, .param .b32 y);\n.extern .global .u64 t[9000];\n"
             ".visible .entry k(.param .u64 a) { .reg .pred %p<4>; .reg .b32 %r<900>; .reg .b64 %rd<5>; "
             ".local .b8 d[16];\n"
             ".loc 1 1 1\nld.param.u64 %rd1, [a]; mov.u64 %rd2, t; L: { .param .b64 p; .param .b32 q; call "
             "(q), f, (p, %r1); }\n"
             ".loc 1 2 1, function_name $L__info_string0, inlined_at 1 1 1\n"
             "T: .branchtargets L, M; brx.idx %r1, T; M: @%p1 bra L; ld.global.v2.u32 {%r2, %r3}, [%rd1]; "
             "frob.x %r1;\n"
             "add.s32 %r4, %tid.x, 5; mov.u64 %rd3, d; atom.global.add.u32 %r5, [%rd1], 1; ret; }\n"
             ".section .debug_str { $L__info_string0: .b8 102,111,0 }\n",
};

/* The first status that is not OK. */
static Status run_without_memory(void)
{
    PtxModule *parsed[2] = {0};
    IrModule *m = NULL;
    IrInstance *in = NULL;
    Diag diag;
    uint64_t address[8] = {0};
    Status s = STATUS_OK;
    for (int i = 0; i < 2 && !s; i++)
        s = ptx_parse(texts[i], strlen(texts[i]), "m.ptx", &parsed[i], &diag);
    if (!s)
        s = ir_decode(parsed, 2, &m, &diag);
    if (!s)
        s = ir_instantiate(m, address, &in);
    ir_instance_free(in);
    ir_module_free(m);
    ptx_module_free(parsed[0]);
    ptx_module_free(parsed[1]);
    return s;
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    long n = 0;
    for (bool failed = true; failed; n++) {
        until_failure = n;
        Status s = run_without_memory();
        failed = until_failure < 0;
        until_failure = -1;
        assert_int_equal(s, failed ? STATUS_NO_MEMORY : STATUS_OK);
    }
    assert_in_range(n, 50, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation_fails)};
    return cmocka_run_group_tests_name("ir no memory", tests, NULL, NULL);
}
