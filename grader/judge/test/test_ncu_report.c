/* What Nsight Compute writes, in pages of our own: what is read of one, and what makes it none. */
#include "grader/judge/ncu_report.h"

#include "common/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FADD    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"
#define FMUL    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"
#define FFMA    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
#define NAMES                                                                                                \
    "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"" SECTORS "\",\"" FADD "\",\"" FFMA "\",\"" FMUL "\"" \
    "\n"
#define UNITS "\"\",\"\",\"byte\",\"sector\",\"inst\",\"inst\",\"inst\"\n"
#define HEAD  "==PROF== Connected to process 7 (/prog/program)\n" NAMES UNITS
#define ROW   "\"0\",\"a(float *, int)\",\"8,001,536\",\"125,000\",\"3\",\"1,000\",\"7\"\n"

typedef struct Row {
    const char *name, *page, *why; /* why: a part of the reason; "" for a page that is read */
    double numbers[NCU_N_NUMBERS]; /* read, written, operations */
    size_t n_launches;
} Row;

static const Row rows[] = {
    {"a launch", HEAD ROW, "", {8001536, 4000000, 2010}, 1},
    {"several, and notes between them",
     HEAD ROW "==PROF== between\n\"1\",\"b()\",\"64\",\"2\",\"0\",\"0.5\",\"0\"\n==PROF== Disconnected\n",
     "",
     {8001600, 4000064, 2011},
     2},
    {"no notes, returns before newlines, no end of line",
     NAMES UNITS "\"0\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\"\r\n\r\n\"1\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\"",
     "",
     {2, 64, 8},
     2},
    {"a name of a kernel that looks like a line of its own",
     HEAD "\"0\",\"a\n\"\"1\"\",\",\"1\",\"1\",\"1\",\"1\",\"1\"\n",
     "",
     {1, 32, 4},
     1},
    {"nothing", "", "no kernel", {0}, 0},
    {"no launch", HEAD, "no kernel", {0}, 0},
    {"names alone", NAMES, "no kernel", {0}, 0},
    {"a refusal",
     "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n==PROF== x\n",
     "administrator alone (ERR_NVGPUCTRPERM)",
     {0},
     0},
    {"a failure in its own words",
     "==ERROR== The application returned\033[31m an error code (9).\n",
     "ncu said: The application returned an error code (9).",
     {0},
     0},
    {"a failure after a launch", HEAD ROW "==ERROR== killed\n", "killed", {0}, 0},
    {"what the program says", "hello\n" HEAD ROW, "none of ncu's: hello", {0}, 0},
    {"what it says after the table", HEAD ROW "hello\n", "none of ncu's", {0}, 0},
    {"a second table", HEAD ROW HEAD ROW, "missing in its report, or stand there twice", {0}, 0},
    {"a launch twice", HEAD ROW ROW, "stand there twice", {0}, 0},
    {"a launch left out", HEAD "\"1\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\"\n", "missing", {0}, 0},
    {"a cell too few", HEAD "\"0\",\"a\",\"1\",\"1\",\"1\",\"1\"\n", "missing", {0}, 0},
    {"a cell too many", HEAD "\"0\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"\n", "missing", {0}, 0},
    {"an open quote", HEAD "\"0\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\n", "no table", {0}, 0},
    {"no such metric", "\"ID\",\"dram__bytes_read.sum\"\n\"\",\"byte\"\n\"0\",\"1\"\n", "no metric", {0}, 0},
    {"another unit",
     NAMES "\"\",\"\",\"Mbyte\",\"sector\",\"inst\",\"inst\",\"inst\"\n" ROW,
     "dram__bytes_read.sum is not in the unit byte",
     {0},
     0},
    {"no number", HEAD "\"0\",\"a\",\"n/a\",\"1\",\"1\",\"1\",\"1\"\n", "is no number", {0}, 0},
    {"less than nothing", HEAD "\"0\",\"a\",\"-1\",\"1\",\"1\",\"1\",\"1\"\n", "is no number", {0}, 0},
    {"infinity", HEAD "\"0\",\"a\",\"inf\",\"1\",\"1\",\"1\",\"1\"\n", "is no number", {0}, 0},
    {"another base", HEAD "\"0\",\"a\",\"0x10\",\"1\",\"1\",\"1\",\"1\"\n", "is no number", {0}, 0},
    {"more than there can be",
     HEAD "\"0\",\"a\",\"9000000000000000000\",\"1\",\"1\",\"1\",\"1\"\n",
     "is no number",
     {0},
     0},
    {"more digits than there can be",
     HEAD "\"0\",\"a\",\"0.00000000000000000000000000000000001\",\"1\",\"1\",\"1\",\"1\"\n",
     "is no number",
     {0},
     0},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        Arena a = {0};
        NcuCounters c;
        const char *why;
        bool fine = ncu_report_read(&a, row->page, strlen(row->page), &c, &why);
        if (fine != (row->why[0] == '\0') || !strstr(why, row->why) || strchr(why, '\033'))
            fail_msg("%s: %s", row->name, fine ? "is read" : why);
        if (memcmp(c.numbers, row->numbers, sizeof c.numbers) != 0 || c.n_launches != row->n_launches)
            fail_msg("%s: %g %g %g of %zu", row->name, c.numbers[0], c.numbers[1], c.numbers[2],
                     c.n_launches);
        arena_free(&a);
    }
}

/* As many launches as may be, and one more. */
static void test_limits(void **state)
{
    (void)state;
    Arena a = {0};
    NcuCounters c;
    const char *why;
    StrBuf page = {0};
    strbuf_puts(&page, HEAD);
    for (int i = 0; i < NCU_REPORT_LAUNCHES_MAX; i++)
        strbuf_printf(&page, "\"%d\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\"\n", i);
    assert_true(ncu_report_read(&a, page.text, page.length, &c, &why));
    assert_int_equal(NCU_REPORT_LAUNCHES_MAX, c.n_launches);
    strbuf_printf(&page, "\"%d\",\"a\",\"1\",\"1\",\"1\",\"1\",\"1\"\n", NCU_REPORT_LAUNCHES_MAX);
    assert_false(ncu_report_read(&a, page.text, page.length, &c, &why));
    assert_non_null(strstr(why, "too many kernels"));
    assert_false(ncu_report_read(&a, HEAD "\0" ROW, sizeof HEAD ROW, &c, &why));
    assert_non_null(strstr(why, "no text"));
    char *long_page = malloc(NCU_REPORT_BYTES_MAX + 1);
    assert_non_null(long_page);
    memset(long_page, '\n', NCU_REPORT_BYTES_MAX + 1);
    assert_false(ncu_report_read(&a, long_page, NCU_REPORT_BYTES_MAX + 1, &c, &why));
    assert_non_null(strstr(why, "too long"));
    free(long_page);
    strbuf_free(&page);
    arena_free(&a);
}

static void test_names(void **state)
{
    (void)state;
    Arena a = {0};
    assert_string_equal("dram_write_bytes", ncu_number_name(NCU_WRITTEN));
    assert_string_equal(FADD "," FMUL "," FFMA ",dram__bytes_read.sum," SECTORS, ncu_report_metrics(&a));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("ncu_report", tests, NULL, NULL);
}
