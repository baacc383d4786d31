/* Linking several modules, initialisers with addresses, instances; shared memory of kernels. */
#include "common/vgpu/ir/test/ir_test.h"

static IrModule *link_two(const char *a, const char *b, Diag *diag)
{
    const char *const texts[] = {a, b};
    return decode_texts(texts, 2, diag);
}

static void test_extern_names_are_found(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = link_two(".extern .func f; .extern .global .u32 g; .entry k() { .reg .b32 %r<2>; call f; "
                           "ld.global.u32 %r1, [g]; ret; }",
                           ".visible .func f() { ret; } .visible .global .u32 g = 7;", &diag);
    assert_non_null(m);
    const IrFunction *k = find_function(m, "k");
    assert_int_equal(k->insts[0].call->function, ir_find_function(m, "f"));
    assert_int_equal(k->relocs[0].symbol, ir_find_global(m, "g"));
    assert_int_equal(m->n_globals, 1);
    assert_int_equal(m->n_functions, 2);
    assert_int_equal(m->globals[0].init[0], 7);
    ir_module_free(m);
}

static void test_names_without_visible_are_apart(void **state)
{
    (void)state;
    Diag diag = {0};
    const char *text = ".func f() { ret; } .global .u32 g = %s; .visible .entry %s() { .reg .b32 %%r<2>; "
                       "call f; ld.global.u32 %%r1, [g]; ret; }";
    char a[256], b[256];
    snprintf(a, sizeof a, text, "1", "k1");
    snprintf(b, sizeof b, text, "2", "k2");
    IrModule *m = link_two(a, b, &diag);
    assert_non_null(m);
    const IrFunction *k1 = find_function(m, "k1"), *k2 = find_function(m, "k2");
    assert_int_not_equal(k1->insts[0].call->function, k2->insts[0].call->function);
    assert_int_equal(m->globals[k1->relocs[0].symbol].init[0], 1);
    assert_int_equal(m->globals[k2->relocs[0].symbol].init[0], 2);
    ir_module_free(m);
}

static void test_weak_definitions(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m =
        link_two(".weak .func f() { trap; ret; } .weak .global .u32 g = 1; .entry k() { call f; ret; }",
                 ".visible .func f() { exit; ret; } .visible .global .u32 g = 2;", &diag);
    assert_non_null(m);
    assert_int_equal(find_function(m, "f")->insts[0].opcode, PTX_EXIT);
    assert_int_equal(m->globals[0].init[0], 2);
    assert_int_equal(m->n_functions, 2);
    ir_module_free(m);
    m = link_two(".weak .func f() { trap; ret; } .common .global .u32 g;",
                 ".weak .func f() { exit; ret; } .common .global .u32 g;", &diag);
    assert_non_null(m);
    assert_int_equal(find_function(m, "f")->insts[0].opcode, PTX_TRAP);
    assert_int_equal(m->n_globals, 1);
    ir_module_free(m);
}

static void test_link_errors(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {".visible .func f() { ret; }", ".visible .func f() { ret; }", "'f' is defined in two modules"},
        {".visible .global .u32 g;", ".visible .global .u32 g;", "'g' is defined in two modules"},
        {".extern .global .u32 nowhere;", "", "'nowhere' is not defined"},
        {".global .u64 p = missing;", "", "'missing' is not defined"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Diag diag = {0};
        assert_null(link_two(cases[i][0], cases[i][1], &diag));
        assert_int_equal(diag.code, STATUS_INVALID);
        if (!strstr(diag.message, cases[i][2]))
            fail_msg("'%s' is not in '%s'", cases[i][2], diag.message);
    }
}

static void test_instances(void **state)
{
    (void)state;
    IrModule *m = must_decode(
        ".visible .func f() { ret; }\n.visible .global .u32 g[4];\n"
        ".global .u64 t[4] = {f, g+4, generic(g)+8, 9};\n.global .b8 b[3] = {1, 0xFF00(g), 0xFF(g+1)};\n"
        ".entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, g+12; mov.u64 %rd1, f; }");
    uint64_t address[8] = {0};
    int32_t g = ir_find_global(m, "g"), t = ir_find_global(m, "t"), b = ir_find_global(m, "b");
    address[g] = 0x200000001200u;
    IrInstance *in = NULL;
    assert_int_equal(ir_instantiate(m, address, &in), STATUS_OK);
    uint64_t table[4] = {0}, f = IR_FUNCTION_WINDOW + IR_FUNCTION_STRIDE * (uint64_t)ir_find_function(m, "f");
    ir_global_init(in, (uint32_t)t, (uint8_t *)table);
    assert_true(table[0] == f && table[1] == address[g] + 4 && table[2] == address[g] + 8 && table[3] == 9);
    uint8_t bytes[3] = {0};
    ir_global_init(in, (uint32_t)b, bytes);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(bytes[1], 0x12);
    assert_int_equal(bytes[2], 0x01);
    int32_t k = ir_find_function(m, "k");
    uint64_t value;
    memcpy(&value, in->pools[k] + m->functions[k].insts[0].src[0].off + 8 * 31, sizeof value);
    assert_true(value == address[g] + 12);
    memcpy(&value, in->pools[k] + m->functions[k].insts[1].src[0].off, sizeof value);
    assert_true(value == f);
    ir_instance_free(in);
    ir_module_free(m);
}

/* ---- shared memory ---- */

static uint32_t shared_offset(const IrModule *m, const char *name)
{
    int32_t i = ir_find_global(m, name);
    assert_true(i >= 0);
    return m->globals[i].shared_offset;
}

static uint32_t constant32(const IrFunction *f, uint32_t pc)
{
    uint32_t value;
    memcpy(&value, f->pool + f->insts[pc].src[0].off, sizeof value);
    return value;
}

static void test_kernels_overlay_their_variables(void **state)
{
    (void)state;
    IrModule *m = must_decode(".shared .align 4 .b8 common[100];\n"
                              ".func f() { .reg .b32 %r; mov.u32 %r, common; ret; }\n"
                              ".entry k1() { .shared .align 8 .b8 a1[64]; .shared .u32 a2; .reg .b32 %r; "
                              "mov.u32 %r, a1; mov.u32 %r, a2; call f; }\n"
                              ".entry k2() { .shared .align 8 .b8 b1[32]; .reg .b32 %r; mov.u32 %r, b1+4; }\n"
                              ".entry k3() { .shared .u32 unused; }\n");
    assert_int_equal(shared_offset(m, "common"), 0);
    assert_int_equal(shared_offset(m, "a1"), 104);
    assert_int_equal(shared_offset(m, "a2"), 168);
    assert_int_equal(shared_offset(m, "b1"), 0);
    assert_int_equal(find_function(m, "k1")->static_shared_bytes, 172);
    assert_int_equal(find_function(m, "k2")->static_shared_bytes, 32);
    assert_int_equal(find_function(m, "k3")->static_shared_bytes, 0);
    assert_int_equal(constant32(find_function(m, "k1"), 1), 168);
    assert_int_equal(constant32(find_function(m, "k2"), 0), 4);
    ir_module_free(m);
}

static void test_dynamic_memory_follows(void **state)
{
    (void)state;
    IrModule *m = must_decode(".extern .shared .align 32 .b8 dyn[];\n.extern .shared .align 4 .b8 dyn2[];\n"
                              ".entry k1() { .shared .b8 a[5]; .reg .b32 %r<3>; mov.u32 %r1, a; mov.u32 %r2, "
                              "dyn; mov.u32 %r2, dyn2+4; }\n"
                              ".entry k2() { .reg .b32 %r; mov.u32 %r, dyn; }\n"
                              ".entry k3() { .shared .b8 c[5]; .reg .b32 %r; mov.u32 %r, c; }\n");
    const IrFunction *k1 = find_function(m, "k1"), *k2 = find_function(m, "k2"), *k3 = find_function(m, "k3");
    assert_true(k1->uses_dynamic_shared && k2->uses_dynamic_shared && !k3->uses_dynamic_shared);
    assert_int_equal(k1->static_shared_bytes, 32);
    assert_int_equal(k2->static_shared_bytes, 0);
    assert_int_equal(k3->static_shared_bytes, 5);
    assert_int_equal(constant32(k1, 1), 32);
    assert_int_equal(constant32(k1, 2), 36);
    assert_int_equal(constant32(k2, 0), 0);
    assert_true(m->globals[ir_find_global(m, "dyn")].is_dynamic_shared);
    ir_module_free(m);
}

/* One piece of code for two kernels: the dynamic array starts at the same place in both. */
static void test_dynamic_memory_in_a_device_function(void **state)
{
    (void)state;
    IrModule *m = must_decode(".extern .shared .align 16 .b8 dyn[];\n"
                              ".func f() { .reg .b32 %r; mov.u32 %r, dyn; ret; }\n"
                              ".entry k1() { .shared .b8 a[40]; .reg .b32 %r; mov.u32 %r, a; call f; }\n"
                              ".entry k2() { call f; }\n.entry k3() { .reg .b32 %r; mov.u32 %r, dyn; }\n");
    assert_int_equal(find_function(m, "k1")->static_shared_bytes, 48);
    assert_int_equal(find_function(m, "k2")->static_shared_bytes, 48);
    assert_int_equal(find_function(m, "k3")->static_shared_bytes, 0);
    assert_int_equal(constant32(find_function(m, "f"), 0), 48);
    ir_module_free(m);
}

static void test_pointers_reach_functions(void **state)
{
    (void)state;
    IrModule *m = must_decode(
        ".shared .b8 s[8];\n.visible .func f() { .reg .b32 %r; mov.u32 %r, s; mov.u32 %r, %envreg1; ret; }\n"
        ".global .u64 t[1] = {f};\n"
        ".entry k1() { .reg .b64 %rd<2>; call %rd1; }\n.entry k2() { ret; }\n");
    assert_int_equal(find_function(m, "k1")->static_shared_bytes, 8);
    assert_true(find_function(m, "k1")->uses_grid_sync);
    assert_int_equal(find_function(m, "k2")->static_shared_bytes, 0);
    assert_false(find_function(m, "k2")->uses_grid_sync);
    ir_module_free(m);
}

/* ---- source lines ---- */

static void test_source_lines(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = link_two(
        ".file 1 \"x.cu\"\n",
        ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.entry k() { .reg .b32 %r<2>;\n.loc 1 10 0\nmov.b32 %r1, 0;\n"
        ".loc 2 5 1, function_name $L__info_string0, inlined_at 1 10 0\nadd.s32 %r1, %r1, %tid.x;\n"
        ".loc 1 0 3\nadd.s32 %r1, %r1, 1;\n.loc 1 12 1\nret; }\n"
        ".section .debug_str { $L__info_string0: .b8 102,0 }\n",
        &diag);
    const IrFunction *k = find_function(m, "k");
    assert_true(k->has_lines);
    const IrLoc *first = &k->locs[k->insts[0].loc];
    assert_string_equal(m->files[first->file], "a.cu");
    assert_int_equal(first->line, 10);
    const IrLoc *scratch = &k->locs[k->insts[1].loc], *inlined = &k->locs[k->insts[2].loc];
    assert_ptr_equal(scratch, inlined);
    assert_string_equal(m->files[inlined->file], "b.h");
    assert_string_equal(inlined->function, "f");
    assert_ptr_equal(&k->locs[inlined->parent], first);
    assert_ptr_equal(&k->locs[k->insts[3].loc], inlined); /* line 0 keeps the place before */
    assert_int_equal(k->locs[k->insts[4].loc].line, 12);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extern_names_are_found),
        cmocka_unit_test(test_names_without_visible_are_apart),
        cmocka_unit_test(test_weak_definitions),
        cmocka_unit_test(test_link_errors),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_kernels_overlay_their_variables),
        cmocka_unit_test(test_dynamic_memory_follows),
        cmocka_unit_test(test_dynamic_memory_in_a_device_function),
        cmocka_unit_test(test_pointers_reach_functions),
        cmocka_unit_test(test_source_lines),
    };
    return cmocka_run_group_tests_name("ir link", tests, NULL, NULL);
}
