/* Operands and forms of instructions, by the listing of what was decoded. Registers are written as their
 * places, so each expectation also fixes how places are shared. */
#include "common/vgpu/ir/test/ir_test.h"

static void test_vector_add(void **state)
{
    (void)state;
    expect_listing(
        "",
        "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
        "mov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.s32 %p1, %r5, %r1;\n@%p1 bra L;\n"
        "mul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\n"
        "add.f32 %f2, %f1, 0f3F800000;\nst.global.f32 [%rd3+4], %f2;\nL: ret;",
        "ld.param.u64 %0, [0]\n"
        "ld.param.u32 %768, [8]\n"
        "mov.u32 %896, %ctaid.x\n"
        "mov.u32 %1024, %ntid.x\n"
        "mov.u32 %1152, %tid.x\n"
        "mad.lo.s32 %1280, %896, %1024, %1152\n"
        "setp.ge.s32 %p1408, %1280, %768\n"
        "@%p1408 bra 13 ->13\n"
        "mul.wide.s32 %256, %1280, 0x4\n"
        "add.s64 %512, %0, %256\n"
        "ld.global.f32 %1280, [%512]\n"
        "add.f32 %768, %1280, 0x3f800000\n"
        "st.global.f32 [%512+4], %768\n");
}

static void test_wider_registers(void **state)
{
    (void)state;
    expect_listing(
        "",
        "ld.param.u32 %rd1, [n];\nld.global.s8 %r1, [%rd1];\ncvt.s32.s8 %r2, %r1;\nst.global.u8 [%rd1], %r2;",
        "ld.param.u32 %0, [8]\n"
        "ld.global.s8 %256, [%0]\n"
        "cvt.s32.s8 %384, %256\n"
        "st.global.u8 [%0], %384\n");
}

static void test_special_registers_elsewhere(void **state)
{
    (void)state;
    expect_listing("", "add.s32 %r1, %tid.x, %ntid.y;\nmov.u64 %rd1, %clock64;\ncvt.u64.u32 %rd2, %laneid;",
                   "mov.u32 %256, %tid.x\n"
                   "mov.u32 %384, %ntid.y\n"
                   "add.s32 %512, %256, %384\n"
                   "mov.u64 %0, %clock64\n"
                   "mov.u32 %384, %laneid\n"
                   "cvt.u64.u32 %0, %384\n");
}

static void test_packed_moves(void **state)
{
    (void)state;
    expect_listing("",
                   "mov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd2, {%r2, 7};\nmov.b32 {%rs1, _}, %r1;\nmov.b64 "
                   "%rd3, {%rs1, %rs1, 1, 2};",
                   "mov.b64 {%256, %384}, %0\n"
                   "mov.b64 %0, {%384, 0x7}\n"
                   "mov.b32 {%512, _}, %256\n"
                   "mov.b64 %0, {%512, %512, 0x1, 0x2}\n");
}

static void test_memory_forms(void **state)
{
    (void)state;
    expect_listing(
        ".global .align 16 .b8 g[64];\n.const .u32 c;\n.shared .u32 s[4];\n",
        "ld.global.v2.f32 {%f1, %f2}, [g+8];\nld.const.u32 %r1, [c];\nst.shared.u32 [s+4], %r1;\n"
        "ld.volatile.shared.u32 %r2, [%r1];\nld.global.nc.L1::no_allocate.L2::128B.u64 %rd1, [%rd2+-8];\n"
        "st.v4.b32 [%rd1], {%r1, %r2, 3, %r1};\nld.acquire.gpu.global.b32 %r3, [%rd1];\nst.relaxed.sys.u32 "
        "[%rd1], 5;\n"
        "ld.shared.u8 %rs1, [16];\nprefetch.global.L2 [%rd1];",
        "ld.global.v2.f32 {%512, %640}, [g+8]\n"
        "ld.const.u32 %640, [c]\n"
        "st.shared.u32 [0x0+4], %640\n"
        "ld.volatile.shared.u32 %512, [%640]\n"
        "ld.nc.global.u64 %256, [%0-8]\n"
        "st.v4.b32 [%256], {%640, %512, 0x3, %640}\n"
        "ld.acquire.gpu.global.b32 %512, [%256]\n"
        "st.relaxed.sys.u32 [%256], 0x5\n"
        "ld.shared.u8 %768, [16]\n"
        "prefetch.global [%256]\n");
}

static void test_generic_access_to_a_variable(void **state)
{
    (void)state;
    expect_listing(".shared .u32 s;\n.global .u32 g;\n", "ld.u32 %r1, [s];\nst.u32 [g], %r1;",
                   "ld.shared.u32 %0, [0x0]\nst.global.u32 [g], %0\n");
}

static void test_frame_addresses(void **state)
{
    (void)state;
    expect_listing("",
                   ".local .align 8 .b8 depot[16];\nmov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\n"
                   "st.local.u32 [depot+4], 1;\nadd.s64 %rd3, %rd2, depot;\nmov.u64 %rd4, a;\nld.param.u32 "
                   "%r1, [%rd4+8];",
                   "mov.u64 %0, frame+0\n"
                   "cvta.local.u64 %256, %0\n"
                   "st.frame.u32 [4], 0x1\n"
                   "mov.u64 %0, frame+0\n"
                   "add.s64 %512, %256, %0\n"
                   "mov.u64 %0, 0x0\n"
                   "ld.param.u32 %768, [%0+8]\n");
}

static void test_predicates(void **state)
{
    (void)state;
    expect_listing(
        "",
        "setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;\nmov.pred %p4, -1;\nand.pred %p5, %p1, %p4;\nnot.pred %p6, "
        "%p5;\n"
        "selp.b32 %r2, %r1, 7, %p6;\n@!%p2 st.global.u32 [%rd1], %r2;\nset.gt.u32.f32 %r3, %f1, 0f00000000;",
        "setp.lt.and.s32 %p640|%p644, %256, 0x5, !%p648\n"
        "mov.pred %p648, 0x1\n"
        "and.pred %p652, %p640, %p648\n"
        "not.pred %p648, %p652\n"
        "selp.b32 %512, %256, 0x7, %p648\n"
        "@!%p644 st.global.u32 [%0], %512\n"
        "set.gt.u32.f32 %512, %384, 0x0\n");
}

static void test_float_constants(void **state)
{
    (void)state;
    expect_listing("",
                   "add.f32 %f1, %f2, 1.5;\nadd.f64 %fd1, %fd2, 0f3FC00000;\nfma.rn.f64 %fd1, %fd2, -0.5, "
                   "0d3FF0000000000000;",
                   "add.f32 %512, %640, 0x3fc00000\n"
                   "add.f64 %256, %0, 0x3ff8000000000000\n"
                   "fma.rn.f64 %256, %0, 0xbfe0000000000000, 0x3ff0000000000000\n");
}

static void test_warp_instructions(void **state)
{
    (void)state;
    expect_listing("",
                   "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"
                   "vote.sync.any.pred %p2, !%p1, 0xff;\nmatch.any.sync.b64 %r4, %rd1, "
                   "-1;\nmatch.all.sync.b32 %r5|%p3, %r4, -1;\n"
                   "activemask.b32 %r6;\nredux.sync.add.s32 %r7, %r6, -1;",
                   "shfl.down.b32 %256|%p512, %384, 0x10, 0x1f, 0xffffffff\n"
                   "vote.ballot.b32 %384, %p512, 0xffffffff\n"
                   "vote.any.pred %p516, !%p512, 0xff\n"
                   "match.any.b64 %384, %0, 0xffffffff\n"
                   "match.all.b32 %256|%p516, %384, 0xffffffff\n"
                   "activemask.b32 %256\n"
                   "redux.add.s32 %384, %256, 0xffffffff\n");
}

static void test_barriers(void **state)
{
    (void)state;
    expect_listing("",
                   "bar.sync 0;\nbarrier.sync 1, 64;\nbarrier.cta.sync.aligned %r1, %r2;\nbar.arrive 2, "
                   "64;\nbar.warp.sync -1;\n"
                   "bar.red.popc.u32 %r3, 0, %p1;\nbar.red.and.pred %p2, 1, 64, "
                   "!%p1;\nmembar.gl;\nfence.acq_rel.cta;\nfence.sc.sys;",
                   "bar.sync 0x0\n"
                   "barrier.sync 0x1, 0x40\n"
                   "barrier.sync.aligned %0, %128\n"
                   "bar.arrive 0x2, 0x40\n"
                   "bar.warp.sync 0xffffffff\n"
                   "bar.red.popc.u32 %128, 0x0, %p256\n"
                   "bar.red.and.pred %p260, 0x1, 0x40, !%p256\n"
                   "membar.sc.gpu\n"
                   "fence.acq_rel.cta\n"
                   "fence.sc.sys\n");
}

static void test_atomics(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m =
        decode_body_diag("",
                         "atom.global.add.u32 %r1, [%rd1], 1;\natom.shared.cas.b32 %r2, [%r3], 0, 1;\n"
                         "st.global.u32 [%rd1], %r2;\nred.global.add.f32 [%rd1], 0f3F800000;\n"
                         "atom.acquire.cta.global.exch.b64 _, [%rd1+8], %rd2;",
                         &diag);
    const IrInst *in = find_function(m, "k")->insts;
    assert_true(in[0].result_unused);
    assert_int_equal(in[0].mode, ATOM_ADD);
    assert_int_equal(in[0].sem, SEM_RELAXED);
    assert_int_equal(in[0].scope, SCOPE_GPU);
    assert_false(in[1].result_unused);
    assert_int_equal(in[1].mode, ATOM_CAS);
    assert_int_equal(in[1].src[2].kind, IR_CONST);
    assert_int_equal(in[3].opcode, PTX_RED);
    assert_true(in[4].result_unused);
    assert_int_equal(in[4].sem, SEM_ACQUIRE);
    assert_int_equal(in[4].offset, 8);
    ir_module_free(m);
}

static void test_integer_forms(void **state)
{
    (void)state;
    expect_listing(
        "",
        "mul.wide.u16 %r1, %rs1, 3;\nmad.wide.s32 %rd1, %r1, 4, %rd2;\nmad.lo.cc.u32 %r2, %r1, %r1, %r1;\n"
        "madc.hi.u32 %r3, %r1, %r1, %r2;\nshf.r.wrap.b32 %r4, %r3, %r3, 8;\nprmt.b32.f4e %r5, %r4, %r4, 1;\n"
        "lop3.b32 %r6, %r5, %r4, 5, 0x96;\nbfi.b64 %rd3, %rd1, %rd1, 8, 16;\nbfe.s32 %r7, %r6, 1, 2;\n"
        "dp4a.u32.s32 %r8, %r7, %r7, %r7;\nbfind.shiftamt.s64 %r9, %rd3;\nshl.b64 %rd4, %rd3, "
        "%r9;\ndp2a.hi.s32.u32 %r10, %r9, %r8, 1;",
        "mul.wide.u16 %512, %896, 0x3\n"
        "mad.wide.s32 %256, %512, 0x4, %0\n"
        "mad.lo.cc.u32 %640, %512, %512, %512\n"
        "madc.hi.u32 %768, %512, %512, %640\n"
        "shf.r.wrap.b32 %640, %768, %768, 0x8\n"
        "prmt.f4e.b32 %768, %640, %640, 0x1\n"
        "lop3.b32 %512, %768, %640, 0x5, 0x96\n"
        "bfi.b64 %0, %256, %256, 0x8, 0x10\n"
        "bfe.s32 %768, %512, 0x1, 0x2\n"
        "dp4a.u32.s32 %512, %768, %768, %768\n"
        "bfind.shiftamt.s64 %768, %0\n"
        "shl.b64 %256, %0, %768\n"
        "dp2a.hi.s32.u32 %640, %768, %512, 0x1\n");
}

static void test_conversions(void **state)
{
    (void)state;
    expect_listing("",
                   "cvt.rn.f16.f32 %rs1, %f1;\ncvt.rzi.s32.f32 %r1, %f1;\ncvt.sat.f32.f32 %f2, "
                   "%f1;\ncvt.rn.ftz.f32.f64 %f3, %fd1;\n"
                   "cvt.rni.f32.f32 %f4, %f3;\ncvt.rn.f16x2.f32 %r2, %f3, %f4;\ncvt.u16.u32 %rs2, %r2;",
                   "cvt.rn.f16.f32 %640, %256\n"
                   "cvt.rzi.s32.f32 %384, %256\n"
                   "cvt.sat.f32.f32 %384, %256\n"
                   "cvt.rn.ftz.f32.f64 %384, %0\n"
                   "cvt.rni.f32.f32 %256, %384\n"
                   "cvt.rn.f16x2.f32 %512, %384, %256\n"
                   "cvt.u16.u32 %640, %512\n");
}

static void test_constants_are_shared(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = decode_body_diag(
        "",
        "add.s32 %r1, %r2, 5;\nadd.s32 %r3, %r1, 5;\nadd.s64 %rd1, %rd2, 5;\nadd.s32 %r4, %r3, -5;\n"
        "and.b32 %r5, %r4, 0xFFFFFFFB;",
        &diag);
    const IrFunction *f = find_function(m, "k");
    assert_int_equal(f->insts[0].src[1].off, f->insts[1].src[1].off);
    assert_int_equal(f->insts[2].src[1].bytes, 8);
    assert_int_not_equal(f->insts[0].src[1].off, f->insts[2].src[1].off);
    assert_int_equal(f->insts[3].src[1].off, f->insts[4].src[1].off);
    assert_int_equal(f->pool_bytes, 128 + 256 + 128);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint32_t value;
        memcpy(&value, f->pool + f->insts[3].src[1].off + 4 * lane, sizeof value);
        assert_int_equal((int32_t)value, -5);
    }
    ir_module_free(m);
}

static void test_places_are_aligned(void **state)
{
    (void)state;
    Diag diag = {0};
    IrModule *m = decode_body_diag(
        "",
        "mov.b128 %q1, {%rd1, %rd2};\nmov.b128 {%rd3, %rd4}, %q1;\nadd.s64 %rd5, %rd3, %rd4;\n"
        "cvt.u16.u64 %rs1, %rd5;\nadd.s16 %rs2, %rs1, %rs1;\nsetp.eq.s16 %p1, %rs2, 0;\nst.global.u16 "
        "[%rd5], %rs2;",
        &diag);
    const IrFunction *f = find_function(m, "k");
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        const IrInst *in = &f->insts[pc];
        if (in->dst.kind == IR_REG && in->dst.bytes)
            assert_int_equal(in->dst.off % 64, 0);
        if (in->dst.kind == IR_REG)
            assert_in_range(in->dst.off + in->dst.bytes * 32u, 0, f->reg_bytes);
    }
    assert_int_equal(f->insts[0].dst.bytes, 16);
    assert_int_equal(f->reg_bytes % 64, 0);
    ir_module_free(m);
}

typedef struct RefusedCase {
    const char *inst, *reason;
} RefusedCase;

static void test_unsupported_instructions(void **state)
{
    (void)state;
    static const RefusedCase cases[] = {
        {"frob.s32 %r1, %r2", "unknown instruction"},
        {"add.x7.s32 %r1, %r2, %r3", "unknown modifier .x7"},
        {"mul.s32 %r1, %r2, %r3", "a modifier is missing"},
        {"add %r1, %r2, %r3", "a type is missing"},
        {"shl.f32 %f1, %f2, 1", "no such form for type .f32"},
        {"shfl.down.b32 %r1, %r2, 1, 31", "without .sync"},
        {"add.s32 %r1, %r2", "too few operands"},
        {"add.s32 %r1, %r2, %r3, %r4", "too many operands"},
        {"add.s64 %rd1, %r2, %rd3", "a register of type .b32 where 64 bits are needed"},
        {"add.s32 %rd1, %r2, %r3", "a register of type .b64 where 32 bits are needed"},
        {"ld.global.u64 %r1, [%rd1]", "a register of type .b32 where 64 bits are needed"},
        {"selp.b32 %r1, %r2, %r3, %r4", "where 1 bits are needed"},
        {"add.s32 %r1, %p1, %r2", "a register of type .pred"},
        {"add.f32 %f1, %f2, 1", "an integer constant where .f32 is needed"},
        {"add.s32 5, %r1, %r2", "the destination is no register"},
        {"ld.global.v2.u32 %r1, [%rd1]", "a vector must be written"},
        {"ld.global.v4.u32 {%r1, %r2}, [%rd1]", "a vector of 2 elements where 4 are needed"},
        {"ld.global.u32 %r1, %rd1", "expected an address"},
        {"ld.shared.u32 %r1, [a]", "another state space"},
        {"mov.u32 %r1, nothing", "'nothing' is not defined"},
        {"bra 5", "expected a label"},
        {"add.s32 %r1, %nonsense.x, 1", "unknown instruction"},
        {"call k, (%r1)", "'k' is a kernel"},
        {"call missing", "'missing' is no function"},
        {"mul.wide.s64 %rd1, %rd2, %rd3", "no .wide form"},
        {"mov.b64 {%r1, %r2, %r3}, %rd1", "no such form of mov"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 256", "0 to 255"},
        {"ld.global.u32 %r1, [%rs1]", "an address in a register of type .b16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char body[256];
        Diag diag = {0};
        snprintf(body, sizeof body, "mov.u32 %%r1, 1;\n@%%p1 %s;\nret;", cases[i].inst);
        IrModule *m = decode_body_diag("", body, &diag);
        assert_non_null(m);
        assert_int_equal(m->n_unsupported, 1);
        assert_int_equal(diag.code, STATUS_UNSUPPORTED);
        assert_int_equal(diag.line, 8);
        if (!strstr(diag.message, cases[i].reason) || !strstr(diag.message, cases[i].inst))
            fail_msg("'%s' or '%s' is not in '%s'", cases[i].reason, cases[i].inst, diag.message);
        const IrInst *in = &find_function(m, "k")->insts[1];
        assert_int_equal(in->opcode, PTX_UNSUPPORTED);
        assert_non_null(strstr(in->text, cases[i].reason));
        assert_int_equal(in->guard.kind, IR_REG);
        assert_int_equal(in->ptx_line, 8);
        ir_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_add),
        cmocka_unit_test(test_wider_registers),
        cmocka_unit_test(test_special_registers_elsewhere),
        cmocka_unit_test(test_packed_moves),
        cmocka_unit_test(test_memory_forms),
        cmocka_unit_test(test_generic_access_to_a_variable),
        cmocka_unit_test(test_frame_addresses),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_float_constants),
        cmocka_unit_test(test_warp_instructions),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_integer_forms),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_constants_are_shared),
        cmocka_unit_test(test_places_are_aligned),
        cmocka_unit_test(test_unsupported_instructions),
    };
    return cmocka_run_group_tests_name("ir decode", tests, NULL, NULL);
}
