/* Directives, declarations, statements: what the tables hold afterwards. */
#include "common/vgpu/ptx/test/ptx_test.h"

static const PtxVariable *variable(const PtxModule *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_variables; i++)
        if (strcmp(m->variables[i]->name, name) == 0)
            return m->variables[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static const PtxFunction *function(const PtxModule *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (strcmp(m->functions[i]->name, name) == 0)
            return m->functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

static void test_module_head(void **state)
{
    (void)state;
    PtxModule *m = must_parse(".file 1 \"a b.cu\", 123, 456\n.file 3 \"c.cu\"\n.pragma \"nounroll\";\n");
    assert_int_equal(m->version, 90);
    assert_int_equal(m->target, 75);
    assert_int_equal(m->address_size, 64);
    assert_int_equal(m->n_files, 4);
    assert_string_equal(m->files[1], "a b.cu");
    assert_null(m->files[2]);
    assert_string_equal(m->files[3], "c.cu");
    ptx_module_free(m);
}

static void test_variables(void **state)
{
    (void)state;
    PtxModule *m = must_parse(".visible .global .align 16 .b8 a[2][3];\n"
                              ".const .f32 c = 0f3F800000;\n"
                              ".extern .shared .align 16 .b8 dyn[];\n"
                              ".global .attribute(.managed) .align 4 .u32 man;\n"
                              ".weak .global .v4 .f32 v, w;\n"
                              ".common .global .u64 com;\n"
                              ".global .texref tex;\n");
    const PtxVariable *a = variable(m, "a");
    assert_int_equal(a->bytes, 6);
    assert_int_equal(a->align, 16);
    assert_int_equal(a->linkage, PTX_LINK_VISIBLE);
    assert_null(a->init);
    assert_memory_equal(variable(m, "c")->init, "\0\0\x80\x3f", 4);
    assert_int_equal(variable(m, "c")->space, PTX_SPACE_CONST);
    assert_true(variable(m, "dyn")->unsized);
    assert_int_equal(variable(m, "dyn")->linkage, PTX_LINK_EXTERN);
    assert_true(variable(m, "man")->managed);
    assert_int_equal(variable(m, "w")->bytes, 16);
    assert_int_equal(variable(m, "w")->align, 16);
    assert_int_equal(variable(m, "w")->linkage, PTX_LINK_WEAK);
    assert_int_equal(variable(m, "com")->linkage, PTX_LINK_COMMON);
    assert_int_equal(variable(m, "tex")->type, PTX_TYPE_TEXREF);
    ptx_module_free(m);
}

static void test_initialisers(void **state)
{
    (void)state;
    PtxModule *m = must_parse(".global .u32 g[4] = {1, -1, 0x10 + 2*3, (1 << 4) | 3};\n"
                              ".global .u16 n[2][3] = {{1}, {2, 3}};\n"
                              ".global .f64 d[2] = {0d3FF0000000000000, -1.5};\n"
                              ".global .f32 f = 1.0;\n"
                              ".global .u8 s[] = {104, 105, 0};\n"
                              ".global .u64 p[4] = {g, g+4, generic(g)+8, n-2};\n"
                              ".global .b8 b[3] = {0xFF(g), 0xFF00(g+4), 7};\n");
    const uint32_t g[] = {1, UINT32_MAX, 22, 19};
    assert_memory_equal(variable(m, "g")->init, g, sizeof g);
    const uint16_t n[] = {1, 0, 0, 2, 3};
    assert_int_equal(variable(m, "n")->init_bytes, sizeof n);
    assert_memory_equal(variable(m, "n")->init, n, sizeof n);
    const double d[] = {1.0, -1.5};
    assert_memory_equal(variable(m, "d")->init, d, sizeof d);
    const float f = 1.0f;
    assert_memory_equal(variable(m, "f")->init, &f, sizeof f);
    assert_int_equal(variable(m, "s")->bytes, 3);
    const PtxVariable *p = variable(m, "p");
    assert_int_equal(p->n_relocs, 4);
    assert_string_equal(p->relocs[2].name, "g");
    assert_int_equal(p->relocs[2].offset, 16);
    assert_int_equal(p->relocs[2].addend, 8);
    assert_int_equal(p->relocs[3].addend, -2);
    const PtxVariable *b = variable(m, "b");
    assert_int_equal(b->n_relocs, 2);
    assert_int_equal(b->relocs[1].shift, 8);
    assert_int_equal(b->relocs[1].bytes, 1);
    assert_int_equal(b->relocs[1].addend, 4);
    assert_int_equal(b->init[2], 7);
    ptx_module_free(m);
}

static void test_functions(void **state)
{
    (void)state;
    PtxModule *m =
        must_parse(".extern .func (.param .b32 r) vprintf (.param .b64 x, .param .b64 y);\n"
                   ".func late (.param .b32 x) .noreturn;\n"
                   ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 .ptr .global .align 16 p)\n"
                   ".maxntid 128, 2 .reqntid 64, 1, 1 .explicitcluster .reqnctapercluster 2, 1 .minnctapersm 2 .maxnreg 32\n{ ret; }\n"
                   ".weak .func (.param .b32 r) late2 (.param .b32 x) { ret; }\n"
                   ".func late (.param .b32 x) { ret; }\n");
    const PtxFunction *v = function(m, "vprintf");
    assert_int_equal(v->linkage, PTX_LINK_EXTERN);
    assert_false(v->has_body);
    assert_int_equal(v->n_params, 2);
    const PtxFunction *k = function(m, "k");
    assert_true(k->is_entry && k->has_body);
    assert_int_equal(k->params[0]->bytes, 24);
    assert_int_equal(k->params[0]->align, 8);
    assert_int_equal(k->params[1]->align, 8);
    assert_int_equal(k->max_ntid[1], 2);
    assert_int_equal(k->max_ntid[2], 1);
    assert_int_equal(k->req_ntid[0], 64);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(k->cluster[2], 1);
    assert_int_equal(k->min_blocks, 2);
    assert_int_equal(k->max_regs, 32);
    assert_true(function(m, "late")->has_body && function(m, "late")->noreturn);
    assert_int_equal(function(m, "late2")->linkage, PTX_LINK_WEAK);
    assert_int_equal(m->n_functions, 4);
    ptx_module_free(m);
}

static void test_registers_of_ranges(void **state)
{
    (void)state;
    PtxModule *m = must_parse(".entry k() { .reg .b32 %r<3>, %x; .reg .b64 %r1<2>; .reg .v2 .f32 v;\n"
                              "mov.b32 %x, %r2; mov.b64 %r10, %r11; mov.f32 v.y, v.x; }");
    const PtxInst *in = m->functions[0]->insts;
    assert_int_equal(in[0].operands[0].reg, 3);
    assert_int_equal(in[0].operands[1].reg, 2);
    assert_int_equal(in[1].operands[0].type, PTX_TYPE_B64); /* %r1<2> names %r10: the longest prefix counts */
    assert_int_equal(in[1].operands[1].reg, 5);
    assert_int_equal(in[2].operands[0].reg, 7);
    assert_int_equal(in[2].operands[1].reg, 6);
    ptx_module_free(m);
}

static void test_operands(void **state)
{
    (void)state;
    PtxModule *m = must_parse_body("ld.global.v2.f32 {%f1, _}, [%rd1+-4];\n"
                                   "setp.eq.s32 %p1|%p2, %r1, -5;\n"
                                   "@!%p1 add .s32 %r1, %r2, WARP_SZ;\n"
                                   "mov.u32 %r1, %tid.x;\n"
                                   "ld.param.u64 %rd1, [a];\n"
                                   "selp.f32 %f1, -0f3F800000, 2.0, !%p1;");
    const PtxFunction *k = m->functions[0];
    assert_int_equal(k->n_insts, 6);
    const PtxOperand *o = k->insts[0].operands;
    assert_int_equal(o[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(o[0].elems[1].kind, PTX_OPERAND_SINK);
    assert_int_equal(o[1].kind, PTX_OPERAND_ADDRESS);
    assert_int_equal(o[1].offset, -4);
    o = k->insts[1].operands;
    assert_int_equal(o[0].kind, PTX_OPERAND_PAIR);
    assert_true(o[2].value == (uint64_t)-5);
    assert_string_equal(m->variants[k->insts[2].variant].text, "add.s32");
    assert_true(k->insts[2].guard.negated);
    assert_int_equal(k->insts[2].operands[2].value, 32);
    assert_int_equal(k->insts[3].operands[1].kind, PTX_OPERAND_SREG);
    assert_int_equal(k->insts[3].operands[1].reg, PTX_SREG_TID_X);
    assert_ptr_equal(k->insts[4].operands[1].elems[0].variable, k->params[0]);
    o = k->insts[5].operands;
    assert_true(o[1].value == 0xBF800000);
    assert_true(o[3].negated);
    ptx_module_free(m);
}

static void test_scoped_names(void **state)
{
    (void)state;
    PtxModule *m = must_parse_body(
        "{ .reg .f32 %r1; .param .b32 p0; mov.f32 %r1, 0f00000000; st.param.b32 [p0], %r2; L: bra L; }\n"
        "{ .param .b64 p0; st.param.b64 [p0], %rd1; L: bra L; }\n"
        "mov.b32 %r1, 0;");
    const PtxFunction *k = m->functions[0];
    assert_int_equal(k->insts[0].operands[0].type, PTX_TYPE_F32);
    assert_int_equal(k->insts[5].operands[0].type, PTX_TYPE_B32);
    assert_int_equal(k->insts[2].operands[0].value, 2);
    assert_int_equal(k->insts[4].operands[0].value, 4);
    assert_int_equal(k->n_variables, 2);
    assert_int_equal(k->variables[0]->bytes, 4);
    assert_int_equal(k->variables[1]->bytes, 8);
    assert_int_equal(k->variables[0]->scope_end, 3);
    assert_int_equal(k->variables[1]->scope_begin, 3);
    ptx_module_free(m);
}

static void test_calls(void **state)
{
    (void)state;
    PtxModule *m =
        must_parse(".func f;\n.entry k() { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                   "{ .param .b32 x; .param .b32 y;\n"
                   "call.uni f;\ncall.uni (y), f, (x);\n"
                   "proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[8]);\n"
                   "call (y), %rd1, (x, 5), proto;\ncall f, (x); } }");
    const PtxInst *in = m->functions[1]->insts;
    assert_int_equal(in[0].call->n_args, 0);
    assert_string_equal(in[0].call->target.name, "f");
    assert_int_equal(in[1].call->n_results, 1);
    assert_int_equal(in[1].call->args[0].kind, PTX_OPERAND_VARIABLE);
    assert_int_equal(in[2].call->target.kind, PTX_OPERAND_REG);
    assert_int_equal(in[2].call->n_args, 2);
    assert_int_equal(in[3].call->n_args, 1);
    ptx_module_free(m);
}

static void test_branch_targets(void **state)
{
    (void)state;
    PtxModule *m = must_parse_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: mov.b32 %r1, 0;\nB:");
    const PtxFunction *k = m->functions[0];
    assert_int_equal(k->n_target_lists, 1);
    assert_int_equal(k->target_lists[0].n, 3);
    assert_int_equal(k->target_lists[0].insts[0], 1);
    assert_int_equal(k->target_lists[0].insts[1], 2);
    assert_int_equal(k->insts[0].operands[1].kind, PTX_OPERAND_TARGETS);
    ptx_module_free(m);
}

static void test_locations(void **state)
{
    (void)state;
    PtxModule *m =
        must_parse(".entry k() { .reg .b32 %r<2>;\n"
                   ".loc 1 17 3\nmov.b32 %r1, 0;\n"
                   ".loc 1 14 4, function_name $L__info_string0, inlined_at 1 17 3\nmov.b32 %r1, 1;\n"
                   ".loc 2 5 6, function_name $L__info_string1+1, inlined_at 1 14 4\nmov.b32 %r1, 2;\n"
                   "ret; }\n"
                   ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n"
                   ".section .debug_info { .b32 1 \n .b8 2 }\n"
                   ".section .debug_str {\n$L__info_string0:\n.b8 102,111,111\n.b8 0\n"
                   "$L__info_string1:\n.b8 33,98,97,114,0\n}\n");
    const PtxFunction *k = m->functions[0];
    assert_true(k->has_lines);
    const PtxLoc *inner = &k->locs[k->insts[2].loc];
    assert_int_equal(inner->file, 2);
    assert_int_equal(inner->line, 5);
    assert_string_equal(inner->function, "bar");
    const PtxLoc *middle = &k->locs[inner->parent];
    assert_int_equal(middle->line, 14);
    assert_string_equal(middle->function, "foo");
    const PtxLoc *outer = &k->locs[middle->parent];
    assert_int_equal(outer->line, 17);
    assert_int_equal(outer->column, 3);
    assert_int_equal(outer->parent, -1);
    assert_null(outer->function);
    ptx_module_free(m);
}

static void test_unknown_opcode_is_kept(void **state)
{
    (void)state;
    PtxModule *m = must_parse_body("frobnicate.x8.s32 {%r1, [what, (ever)] ;\nret;");
    const PtxFunction *k = m->functions[0];
    assert_int_equal(k->n_insts, 2);
    assert_int_equal(m->variants[k->insts[0].variant].opcode, PTX_UNSUPPORTED);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_head),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_registers_of_ranges),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_scoped_names),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_branch_targets),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_unknown_opcode_is_kept),
    };
    return cmocka_run_group_tests_name("ptx parse", tests, NULL, NULL);
}
