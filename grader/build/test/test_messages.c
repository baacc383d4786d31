/* Messages of compilers: what goes, what is added, and what stays as it is. */
#include "grader/build/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void becomes(const char *wanted, const char *text)
{
    StrBuf out = {0};
    messages_of_compiler(text, &out);
    assert_string_equal(wanted, out.text ? out.text : "");
    strbuf_free(&out);
}

static void test_counts_go(void **state)
{
    (void)state;
    becomes("a.cu:1:2: error: expected ';'\n",
            "a.cu:1:2: error: expected ';'\n1 error generated when compiling for sm_75.\n");
    becomes("x\n", "x\n12 errors generated when compiling for host.\n");
    becomes("errors generated when compiling for\n", "errors generated when compiling for\n");
    becomes("1 error generated when\n", "1 error generated when\n");
    becomes("", "");
    becomes("no newline", "no newline");
}

static void test_slips_have_a_sentence(void **state)
{
    (void)state;
    static const char *const messages[] = {
        "a.cu:10:6: error: call to global function 'k' not configured\n",
        ("a.cu:6:36: error: too few execution configuration arguments to kernel function call, expected at "
         "least 2, have 1\n"),
        "a.cu:3:23: error: cannot use variable-length arrays in __global__ functions\n",
        "a.cu:2:7: note: candidate function not viable: call to __host__ function from __global__ function\n",
        "a.cu:2:7: note: candidate function not viable: call to __device__ function from __host__ function\n",
        "a.cu:2:7: error: reference to __device__ variable 'x' in __host__ function\n",
        "a.cu:22:9: error: no viable conversion from 'const __cuda_builtin_threadIdx_t' to 'int'\n",
        "a.cu:9:11: error: incompatible integer to pointer conversion assigning to 'int *' from 'int'; take the address with &\n",
        "a.cu:34:20: error: definition of variable with array type needs an explicit size or an initializer\n",
        "a.cu:16:5: error: builtin functions must be directly called\n",
        "a.cu:21:11: error: no matching function for call to 'cudaMalloc'\n",
        "a.cu(22): error: no suitable conversion function from \"const uint3\" to \"int\" exists\n",
        "a.cu(22): error: no suitable conversion function from \"const dim3\" to \"int\" exists\n",
        "a.cu(9): error: a value of type \"int\" cannot be assigned to an entity of type \"int *\"\n",
        "a.cu(9): error: a __global__ function call must be configured\n",
        "a.cu(9): error: a variable length array cannot have static storage duration\n",
        "a.cu(9): error: incomplete type \"int []\" is not allowed\n",
        "a.cu(9): error: no instance of overloaded function \"cudaMalloc\" matches the argument list\n",
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        StrBuf once = {0}, twice = {0}, both = {0};
        messages_of_compiler(messages[i], &once);
        assert_non_null(strstr(once.text, "\nhint: "));
        strbuf_printf(&both, "%s%s", messages[i], messages[i]);
        messages_of_compiler(both.text, &twice);
        assert_int_equal(once.length + strlen(messages[i]), twice.length); /* a sentence once */
        strbuf_free(&once);
        strbuf_free(&twice);
        strbuf_free(&both);
    }
}

/* A student's own words are no message. */
static void test_sources_are_no_messages(void **state)
{
    (void)state;
    const char *quoted =
        "a.cu:1:2: error: expected ';'\n    puts(\"call to global function 'k' not configured\")\n";
    becomes(quoted, quoted);
}

/* An examination's kit says what the compiler says. */
static void test_no_hints_in_an_examination(void **state)
{
    (void)state;
    const char *said = "a.cu(9): error: a __global__ function call must be configured\n";
    setenv("KIT_HINTS", "no", 1);
    becomes(said, said);
    unsetenv("KIT_HINTS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_go),
        cmocka_unit_test(test_slips_have_a_sentence),
        cmocka_unit_test(test_sources_are_no_messages),
        cmocka_unit_test(test_no_hints_in_an_examination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
