/* What the parser refuses: status, line, column, and the words and caret a reader gets. */
#include "common/vgpu/ptx/test/ptx_test.h"

typedef struct ErrorCase {
    const char *text; /* from line 4 of the module on */
    Status status;
    int line, column;
    const char *message; /* a part of it */
} ErrorCase;

static void check_error_case(const ErrorCase *c)
{
    Diag diag = {0};
    PtxModule *m = parse_text(c->text, &diag);
    assert_null(m);
    assert_int_equal(diag.code, c->status);
    if (!strstr(diag.message, c->message))
        fail_msg("'%s' is not in '%s'", c->message, diag.message);
    assert_int_equal(diag.line, c->line);
    assert_int_equal(diag.column, c->column);
}

static void test_errors(void **state)
{
    (void)state;
    static const ErrorCase cases[] = {
        {".entry k() { bra L; }", STATUS_PARSE, 4, 18, "label 'L' is not defined"},
        {".entry k() {\n  { L: } bra L; }", STATUS_PARSE, 5, 14, "label 'L' is not defined"},
        {".entry k() { L: L: }", STATUS_PARSE, 4, 17, "label 'L' is defined twice"},
        {".entry k() {\n mov.b32 %r1, 0; }", STATUS_PARSE, 5, 10, "register '%r1' is not declared"},
        {".entry k() { .reg .b32 %r<2>; mov.b32 %r2, 0; }", STATUS_PARSE, 4, 39,
         "register '%r2' is not declared"},
        {".entry k(.param .u64 a, .const .u32 v) { }", STATUS_PARSE, 4, 37, "a parameter is .param or .reg"},
        {".entry k() { ret }", STATUS_PARSE, 4, 18, "expected"},
        {".entry k() { ret;", STATUS_PARSE, 4, 18, "does not end"},
        {".entry k() {} .entry k() {}", STATUS_PARSE, 4, 22, "defined twice"},
        {".global .u32 a; .global .u32 a;", STATUS_PARSE, 4, 30, "defined twice"},
        {".global .u32 a[2] = {1, 2, 3};", STATUS_PARSE, 4, 28, "too many values for 'a'"},
        {".global .u8 a[2] = {{1}};", STATUS_PARSE, 4, 21, "too many braces"},
        {".global .u32 a = 1/0;", STATUS_PARSE, 4, 21, "division by zero"},
        {".global .u32 a = 0x;", STATUS_PARSE, 4, 18, "malformed integer"},
        {".global a;", STATUS_PARSE, 4, 9, "needs a type"},
        {".global .align 3 .u32 a;", STATUS_PARSE, 4, 18, "power of two"},
        {".global .b8 a[2] = {0x0FF0(a)};", STATUS_PARSE, 4, 27, "mask"},
        {".bogus x;", STATUS_PARSE, 4, 1, "expected a directive of module scope, found '.bogus'"},
        {".entry k() { .reg .texref x; }", STATUS_PARSE, 4, 27, "opaque"},
        {".entry k() { @%p bra L; }", STATUS_PARSE, 4, 15, "not declared"},
        {".entry k() { .reg .b32 r; @r ret; }", STATUS_PARSE, 4, 28, "predicate"},
        {".entry k() { .reg .b32 %r<0>; }", STATUS_PARSE, 4, 27, "a count between"},
        {".entry k() { .reg .b32 %r<1048577>; }", STATUS_PARSE, 4, 27, "a count between"},
        {".entry k() { .reg .b32 %a<1048576>; .reg .b32 %b; }", STATUS_LIMIT, 4, 49,
         "registers in a function"},
        {".global .u8 a[2][1099511627776];", STATUS_LIMIT, 4, 13, "2^40"},
        {".file 65536 \"x\"", STATUS_PARSE, 4, 13, "index below"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_error_case(&cases[i]);
}

static void test_head_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        Status status;
        const char *message;
    } cases[] = {
        {"", STATUS_PARSE, "no .version"},
        {"ELF", STATUS_PARSE, "expected a directive"},
        {".version x", STATUS_PARSE, "such as 9.0"},
        {".version 9.0\n.address_size 32", STATUS_UNSUPPORTED, ".address_size 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PtxModule *m = NULL;
        Diag diag = {0};
        assert_int_equal(ptx_parse(cases[i].text, strlen(cases[i].text), "x.ptx", &m, &diag),
                         cases[i].status);
        assert_null(m);
        assert_non_null(strstr(diag.message, cases[i].message));
    }
}

static void test_caret(void **state)
{
    (void)state;
    const char *text = PTX_HEAD ".entry k() {\n  bra L;\n}\n";
    PtxModule *m = NULL;
    Diag diag = {0};
    char buf[512];
    ptx_parse(text, strlen(text), "k.ptx", &m, &diag);
    diag_format(&diag, text, buf, sizeof buf);
    assert_string_equal(buf, "k.ptx:5:7: label 'L' is not defined\n"
                             "      bra L;\n"
                             "          ^\n");
}

static void test_nesting_limit(void **state)
{
    (void)state;
    char scopes[PTX_NESTING_MAX + 64] = ".entry k() ";
    char expression[2 * PTX_NESTING_MAX + 64] = ".global .u32 a = ";
    memset(scopes + strlen(scopes), '{', PTX_NESTING_MAX + 1);
    memset(expression + strlen(expression), '(', PTX_NESTING_MAX + 1);
    Diag diag = {0};
    assert_null(parse_text(scopes, &diag));
    assert_int_equal(diag.code, STATUS_LIMIT);
    assert_null(parse_text(expression, &diag));
    assert_int_equal(diag.code, STATUS_LIMIT);
}

/* At the limit, and one past it. */
static void test_operand_limit(void **state)
{
    (void)state;
    for (int extra = 0; extra <= 1; extra++) {
        char text[1024] = ".entry k() { .reg .b32 r; mma.x r";
        for (int i = 1; i < PTX_OPERANDS_MAX + extra; i++)
            strcat(text, ", r");
        strcat(text, "; }");
        Diag diag = {0};
        PtxModule *m = parse_text(text, &diag);
        assert_int_equal(m == NULL, extra);
        assert_int_equal(diag.code, extra ? STATUS_LIMIT : STATUS_OK);
        ptx_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_head_errors),
        cmocka_unit_test(test_caret),         cmocka_unit_test(test_nesting_limit),
        cmocka_unit_test(test_operand_limit),
    };
    return cmocka_run_group_tests_name("ptx errors", tests, NULL, NULL);
}
