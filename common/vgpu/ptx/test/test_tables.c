/* The tables of opcodes, types and special registers: columns agree, nothing is listed twice. */
#include "common/vgpu/ptx/test/ptx_test.h"

static void test_names_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < PTX_N_OPCODES; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(ptx_opcode_name((PtxOpcode)i), ptx_opcode_name((PtxOpcode)j));
    for (int i = 0; i < PTX_N_SREGS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(ptx_sreg_name((PtxSreg)i), ptx_sreg_name((PtxSreg)j));
}

static void test_sections_are_exact(void **state)
{
    (void)state;
    static const char *const sections[PTX_N_OPCODES] = {
#define X(name, text, class, section, ...) section,
#include "common/vgpu/ptx/opcodes.def"
#undef X
    };
    for (int i = 0; i < PTX_N_OPCODES; i++) {
        if (i == PTX_UNSUPPORTED)
            assert_string_equal(sections[i], "");
        else
            assert_true(strncmp(sections[i], "9.7.", 4) == 0 && strchr(sections[i] + 4, '.'));
    }
    assert_string_equal(sections[PTX_LD], "9.7.9.8, 9.7.9.9");
}

static void test_columns(void **state)
{
    (void)state;
    assert_string_equal(ptx_opcode_name(PTX_MAD), "mad");
    assert_int_equal(ptx_opcode_class(PTX_FMA), PTX_CLASS_FLOAT);
    assert_int_equal(ptx_opcode_class(PTX_UNSUPPORTED), PTX_CLASS_MISC);
    assert_string_equal(ptx_type_name(PTX_TYPE_BF16X2), "bf16x2");
    assert_int_equal(ptx_type_bits(PTX_TYPE_B128), 128);
    assert_int_equal(ptx_type_class(PTX_TYPE_S64), PTX_TYPES_SIGNED);
    assert_string_equal(ptx_sreg_name(PTX_SREG_NTID_Y), "%ntid.y");
    assert_int_equal(ptx_sreg_bits(PTX_SREG_CLOCK64), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_sections_are_exact),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests_name("ptx tables", tests, NULL, NULL);
}
