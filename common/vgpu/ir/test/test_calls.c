/* Calls and frames: places of parameters, temporaries that share their place, registers as arguments, the
 * device's own functions. */
#include "common/vgpu/ir/test/ir_test.h"

static const char *const calls = ".func (.param .b64 r) f(.param .b32 x, .param .align 8 .b8 s[12])\n"
                                 "{ .local .align 16 .b8 buf[20]; .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
                                 "  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [s+8]; mov.u64 %rd1, buf; "
                                 "mov.u64 %rd2, s; ld.param.u32 %r3, [%rd2+4];\n"
                                 "  st.local.u32 [buf+4], %r1; st.param.b64 [r], %rd1; ret; }\n";

static void test_places_in_a_frame(void **state)
{
    (void)state;
    char listing[2048];
    IrModule *m = must_decode(calls);
    const IrFunction *f = find_function(m, "f");
    assert_int_equal(f->n_params, 2);
    assert_int_equal(f->params[0].offset, 0);
    assert_int_equal(f->params[1].offset, 8);
    assert_int_equal(f->params[1].bytes, 12);
    assert_int_equal(f->params[1].align, 8);
    assert_int_equal(f->results[0].offset, 24);
    assert_int_equal(f->frame_bytes, 64); /* 32, then 20 bytes of buf, rounded up to 16 */
    list_function(m, f, listing, sizeof listing);
    assert_string_equal(listing, "ld.frame.u32 %512, [0]\n"
                                 "ld.frame.u32 %640, [16]\n"
                                 "mov.u64 %0, frame+32\n"
                                 "mov.u64 %256, frame+8\n"
                                 "ld.local.u32 %640, [%256+4]\n"
                                 "st.frame.u32 [36], %512\n"
                                 "st.frame.b64 [24], %0\n"
                                 "ret\n");
    ir_module_free(m);
}

static void test_temporaries_share_places(void **state)
{
    (void)state;
    expect_listing(".func (.param .b32 r) g(.param .b64 x) { ret; }\n",
                   "{ .param .b64 p0; st.param.b64 [p0+0], %rd1; .param .b32 q0; call.uni (q0), g, (p0); "
                   "ld.param.b32 %r1, [q0+0]; }\n"
                   "{ .param .b64 p0; st.param.b64 [p0+0], 5; .param .b32 q0; call.uni (q0), g, (p0); "
                   "ld.param.b32 %r2, [q0+0]; }",
                   "st.frame.b64 [0], %0\n"
                   "call.uni (frame+8:4), g, (frame+0:8)\n"
                   "ld.frame.b32 %256, [8]\n"
                   "st.frame.b64 [0], 0x5\n"
                   "call.uni (frame+8:4), g, (frame+0:8)\n"
                   "ld.frame.b32 %256, [8]\n");
}

static void test_registers_as_arguments(void **state)
{
    (void)state;
    char listing[2048];
    const char *g =
        ".func (.reg .b32 r) g(.reg .b64 x, .reg .b32 y) { cvt.u32.u64 r, x; add.s32 r, r, y; ret; }\n";
    expect_listing(g, "call (%r1), g, (%rd1, 7);",
                   "st.frame.b64 [0], %0\n"
                   "st.frame.b32 [8], 0x7\n"
                   "call (frame+12:4), g, (frame+0:8, frame+8:4)\n"
                   "ld.frame.b32 %256, [12]\n");
    IrModule *m = must_decode(g);
    list_function(m, find_function(m, "g"), listing, sizeof listing);
    assert_string_equal(listing, "ld.frame.b64 %0, [0]\n"
                                 "ld.frame.b32 %256, [8]\n"
                                 "cvt.u32.u64 %384, %0\n"
                                 "add.s32 %384, %384, %256\n"
                                 "st.frame.b32 [12], %384\n"
                                 "ret\n");
    assert_int_equal(find_function(m, "g")->epilogue, 5);
    ir_module_free(m);
}

static void test_returns_go_to_the_stores_of_results(void **state)
{
    (void)state;
    char listing[2048];
    IrModule *m = must_decode(".func (.reg .b32 r) g(.reg .b32 y) { .reg .pred p; setp.eq.s32 p, y, 0; "
                              "mov.b32 r, 1; @p ret; mov.b32 r, 2; }\n");
    list_function(m, find_function(m, "g"), listing, sizeof listing);
    assert_string_equal(listing, "ld.frame.b32 %0, [0]\n"
                                 "setp.eq.s32 %p128, %0, 0x0\n"
                                 "mov.b32 %0, 0x1\n"
                                 "@%p128 bra 5 ->5\n"
                                 "mov.b32 %0, 0x2\n"
                                 "st.frame.b32 [4], %0\n"
                                 "ret\n");
    ir_module_free(m);
}

static void test_indirect_call(void **state)
{
    (void)state;
    expect_listing(
        ".visible .func f() { ret; }\n",
        "mov.u64 %rd1, f;\n{ .param .b32 p0; P : .callprototype _ (.param .b32 _); call %rd1, (p0), P; }",
        "mov.u64 %0, f\n"
        "call (), %0, (frame+0:4)\n");
}

static void test_builtins(void **state)
{
    (void)state;
    const char *externs = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                          ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
                          ".extern .func free(.param .b64 a);\n.extern .func other(.param .b64 a);\n";
    expect_listing(
        externs,
        "{ .param .b64 a; .param .b64 b; .param .b32 r; call.uni (r), vprintf, (a, b); }\n"
        "{ .param .b64 a; .param .b64 r; call.uni (r), malloc, (a); call free, (a); call other, (a); }",
        "call.uni (frame+16:4), builtin vprintf, (frame+0:8, frame+8:8)\n"
        "call.uni (frame+8:8), builtin malloc, (frame+0:8)\n"
        "call (), builtin free, (frame+0:8)\n"
        "call (), builtin other, (frame+0:8)\n");
    Diag diag = {0};
    IrModule *m = decode_body_diag(
        externs, "{ .param .b64 a; .param .b64 r; call (r), malloc, (a); call other, (a); call free; }",
        &diag);
    const IrFunction *k = find_function(m, "k");
    assert_int_equal(k->insts[0].call->builtin, BUILTIN_MALLOC);
    assert_int_equal(k->insts[0].call->function, -1);
    assert_int_equal(k->insts[1].call->builtin, BUILTIN_UNRESOLVED);
    assert_string_equal(k->insts[1].call->name, "other");
    assert_int_equal(k->insts[2].opcode, PTX_UNSUPPORTED); /* free without its argument */
    ir_module_free(m);
}

static void test_argument_sizes_are_checked(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{ .param .b64 a; call g, (a); }",
        "{ .param .b32 a; call g, (a, a); }",
        "{ .param .b32 a; .param .b32 r; call (r), g, (a); }",
        "call g;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        Diag diag = {0};
        IrModule *m = decode_body_diag(".func g(.param .b32 x) { ret; }\n", bodies[i], &diag);
        assert_int_equal(m->n_unsupported, 1);
        assert_non_null(strstr(diag.message, "'g'"));
        ir_module_free(m);
    }
}

static void test_kernel_parameters(void **state)
{
    (void)state;
    IrModule *m = must_decode(".entry k(.param .u8 a, .param .align 8 .b8 s[20], .param .u16 b, .param .f64 "
                              "c) { .reg .b32 %r<2>; ld.param.u16 %r1, [b]; }");
    const IrFunction *k = find_function(m, "k");
    assert_int_equal(k->params[0].offset, 0);
    assert_int_equal(k->params[1].offset, 8);
    assert_int_equal(k->params[2].offset, 28);
    assert_int_equal(k->params[3].offset, 32);
    assert_int_equal(k->param_bytes, 40);
    assert_int_equal(k->insts[0].space, SPACE_PARAM);
    assert_int_equal(k->insts[0].offset, 28);
    ir_module_free(m);
}

/* At the limit, and one past it. */
static void test_frame_limit(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 1; extra++) {
        char body[128];
        Diag diag = {0};
        snprintf(body, sizeof body, ".local .b8 big[%d];", IR_FRAME_BYTES_MAX + extra);
        IrModule *m = decode_body_diag("", body, &diag);
        assert_int_equal(m == NULL, extra);
        assert_int_equal(diag.code, extra ? STATUS_LIMIT : STATUS_OK);
        ir_module_free(m);
    }
}

static void test_parameter_limit(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 1; extra++) {
        char text[128];
        const char *const texts[] = {text};
        Diag diag = {0};
        snprintf(text, sizeof text, ".entry k(.param .b8 a[%d]) { ret; }", IR_PARAM_BYTES_MAX + extra);
        IrModule *m = decode_texts(texts, 1, &diag);
        assert_int_equal(m == NULL, extra);
        assert_int_equal(diag.code, extra ? STATUS_LIMIT : STATUS_OK);
        ir_module_free(m);
    }
}

static void test_predicate_parameter(void **state)
{
    (void)state;
    IrModule *m = must_decode(".func f(.reg .pred p) { ret; }");
    assert_int_equal(find_function(m, "f")->insts[0].opcode, PTX_UNSUPPORTED);
    assert_int_equal(m->n_unsupported, 1);
    ir_module_free(m);
}

static void test_tuning(void **state)
{
    (void)state;
    IrModule *m = must_decode(".entry k() .maxntid 64, 4 .reqntid 32, 2, 1 .minnctapersm 3 { ret; }");
    const IrFunction *k = find_function(m, "k");
    assert_int_equal(k->max_threads, 256);
    assert_int_equal(k->req_ntid[0], 32);
    assert_int_equal(k->req_ntid[1], 2);
    assert_int_equal(k->min_blocks, 3);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_in_a_frame),
        cmocka_unit_test(test_temporaries_share_places),
        cmocka_unit_test(test_registers_as_arguments),
        cmocka_unit_test(test_returns_go_to_the_stores_of_results),
        cmocka_unit_test(test_indirect_call),
        cmocka_unit_test(test_builtins),
        cmocka_unit_test(test_argument_sizes_are_checked),
        cmocka_unit_test(test_kernel_parameters),
        cmocka_unit_test(test_frame_limit),
        cmocka_unit_test(test_parameter_limit),
        cmocka_unit_test(test_predicate_parameter),
        cmocka_unit_test(test_tuning),
    };
    return cmocka_run_group_tests_name("ir calls", tests, NULL, NULL);
}
