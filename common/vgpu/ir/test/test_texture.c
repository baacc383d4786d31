/* Texture and surface instructions: their words and operands, and what is refused. */
#include "common/vgpu/ir/test/ir_test.h"

static const IrInst *only(IrModule *m, uint16_t opcode)
{
    for (uint32_t pc = 0; pc < m->functions[0].n_insts; pc++)
        if (m->functions[0].insts[pc].opcode == opcode)
            return &m->functions[0].insts[pc];
    return NULL;
}

static void expect_texture(const char *body, uint16_t opcode, IrTexture wanted)
{
    Diag diag = {0};
    IrModule *m = decode_body_diag("", body, &diag);
    assert_non_null(m);
    assert_int_equal(diag.code, STATUS_OK);
    const IrInst *in = only(m, opcode);
    assert_non_null(in);
    const IrTexture *t = in->texture;
    assert_non_null(t);
    assert_int_equal(t->op, wanted.op);
    assert_int_equal(t->shape, wanted.shape);
    assert_int_equal(t->n_out, wanted.n_out);
    assert_int_equal(t->n_coords, wanted.n_coords);
    assert_int_equal(t->n_values, wanted.n_values);
    assert_int_equal(t->component, wanted.component);
    assert_int_equal(t->bound, wanted.bound);
    assert_int_equal(t->query, wanted.query);
    assert_int_equal(in->n_vec, wanted.n_out + wanted.n_coords + wanted.n_values);
    assert_int_equal(in->src[0].kind, IR_REG);
    ir_module_free(m);
}

static void test_reads(void **state)
{
    (void)state;
    expect_texture("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];", PTX_TEX,
                   (IrTexture){.op = TEXTURE_SAMPLE, .shape = TEXTURE_1D, .n_out = 4, .n_coords = 1});
    expect_texture("tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6, %f7, %f7}];", PTX_TEX,
                   (IrTexture){.op = TEXTURE_SAMPLE, .shape = TEXTURE_3D, .n_out = 4, .n_coords = 3});
    expect_texture("tex.level.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %f1, %f2, %f2}], %f3;",
                   PTX_TEX,
                   (IrTexture){.op = TEXTURE_SAMPLE, .shape = TEXTURE_A2D, .n_out = 4, .n_coords = 3});
    expect_texture("tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f1, %f2}, {%f3, %f4};",
                   PTX_TEX,
                   (IrTexture){.op = TEXTURE_SAMPLE, .shape = TEXTURE_2D, .n_out = 4, .n_coords = 2});
    expect_texture("tex.acube.v4.f32.f32 {%f1, _, _, _}, [%rd1, {%r1, %f5, %f6, %f7}];", PTX_TEX,
                   (IrTexture){.op = TEXTURE_SAMPLE, .shape = TEXTURE_ACUBE, .n_out = 4, .n_coords = 4});
    expect_texture(
        "tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", PTX_TLD4,
        (IrTexture){.op = TEXTURE_GATHER, .shape = TEXTURE_2D, .n_out = 4, .n_coords = 2, .component = 2});
}

static void test_surfaces(void **state)
{
    (void)state;
    expect_texture(
        "suld.b.1d.b8.clamp {%rs1}, [%rd1, {%r1}];", PTX_SULD,
        (IrTexture){
            .op = SURFACE_LOAD, .shape = TEXTURE_1D, .n_out = 1, .n_coords = 1, .bound = TEXTURE_CLAMP});
    expect_texture(
        "suld.b.2d.v2.b64.trap {%rd2, %rd3}, [%rd1, {%r1, %r2}];", PTX_SULD,
        (IrTexture){
            .op = SURFACE_LOAD, .shape = TEXTURE_2D, .n_out = 2, .n_coords = 2, .bound = TEXTURE_TRAP});
    expect_texture(
        "sust.b.a2d.v4.b16.zero [%rd1, {%r1, %r2, %r3, %r3}], {%rs1, %rs2, %rs3, %rs4};", PTX_SUST,
        (IrTexture){
            .op = SURFACE_STORE, .shape = TEXTURE_A2D, .n_coords = 3, .n_values = 4, .bound = TEXTURE_ZERO});
}

static void test_queries(void **state)
{
    (void)state;
    expect_texture("txq.height.b32 %r1, [%rd1];", PTX_TXQ,
                   (IrTexture){.op = TEXTURE_QUERY, .query = QUERY_HEIGHT});
    expect_texture("txq.level.width.b32 %r1, [%rd1], %r2;", PTX_TXQ,
                   (IrTexture){.op = TEXTURE_QUERY, .query = QUERY_WIDTH});
    expect_texture("suq.depth.b32 %r1, [%rd1];", PTX_SUQ,
                   (IrTexture){.op = SURFACE_QUERY, .query = QUERY_DEPTH});
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];",       /* a sampler */
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%r1, %r2};", /* a texel offset */
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];",                  /* too few coordinates */
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f5, %f6}];",                  /* too few results */
        "tex.3d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];",   /* whole coordinates */
        "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];", /* samples */
        "tex.2d.v4.f32.f32 {%r1, %f2, %f3, %f4}, [%r1, {%f5, %f6}];",              /* a handle of 32 bits */
        "sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r3, %r4, %r5, %r6};",         /* a formatted store */
        "suld.b.2d.v4.b64.trap {%rd2, %rd3, %rd4, %rd5}, [%rd1, {%r1, %r2}];",     /* 32 bytes */
        "txq.b32 %r1, [%rd1];",
        "tex.2d.v4.f32.f32.sideways {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        Diag diag = {0};
        IrModule *m = decode_body_diag("", bodies[i], &diag);
        assert_non_null(m);
        if (diag.code != STATUS_UNSUPPORTED || m->n_unsupported != 1)
            fail_msg("not refused: %s", bodies[i]);
        ir_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
