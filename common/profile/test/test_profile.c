/* Tests of the tables of `make profile`: what the profilers print, and the virtual GPU's report, with numbers
 * of our own. */
#include "common/profile/profile.h"
#include "common/profile/profile_internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Profile profile;
static Diag diag;

static int forget_profile(void **state)
{
    (void)state;
    profile_free(&profile);
    diag = (Diag){0};
    return 0;
}

/* ---- Numbers ---- */

static void numbers(void **state)
{
    (void)state;
    assert_true(profile_number("1,234,567.5") == 1234567.5);
    assert_true(profile_number("-3") == -3);
    assert_true(isnan(profile_number("")));
    assert_true(isnan(profile_number("PolicySpread")));
    assert_true(isnan(profile_number("12 %")));
}

/* ---- Nsight Compute ---- */

static const char page[] =
    "==PROF== Connected to process 7\nwhat the program says\n"
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\","
    "\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_fmul_pred_"
    "on.sum\","
    "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed\"\n"
    "\"\",\"\",\"\",\"\",\"ns\",\"byte\",\"inst\",\"inst\",\"inst\",\"%\",\"%\"\n"
    "\"0\",\"add(int *, int)\",\"(64, 1, 1)\",\"(2, 1, "
    "1)\",\"1,500\",\"4,096\",\"10\",\"20\",\"300\",\"12.5\",\"80.1\"\n"
    "==PROF== between\n"
    "\"1\",\"add(int *, int)\",\"(64, 1, 1)\",\"(3, 1, "
    "1)\",\"2,500\",\"8,192\",\"0\",\"0\",\"0\",\"90\",\"80.1\"\n"
    "\"2\",\"small()\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"900\",\"32\",\"1\",\"1\",\"1\",\"5\",\"59.9\"\n"
    "==PROF== Disconnected\n";

static void ncu_launches(void **state)
{
    (void)state;
    assert_int_equal(STATUS_OK, profile_read_ncu(page, &profile, &diag));
    assert_int_equal(2, profile.n_kernels);
    const ProfileKernel *add = &profile.kernels[0], *small = &profile.kernels[1];
    assert_string_equal("add(int *, int)", add->name);
    assert_int_equal(2, add->launches);
    assert_true(add->total_us == 4);
    assert_true(add->inputs[INPUT_TIME] == 2.5);
    assert_string_equal("<<<(3, 1, 1), (64, 1, 1)>>>", add->shape);
    assert_string_equal("compute", add->bound);
    assert_true(small->inputs[INPUT_FLOPS32] == 4); /* an addition, a multiplication, twice the FMA */
    assert_string_equal("latency", small->bound);
    assert_true(isnan(small->inputs[INPUT_LOAD_SECTORS]));
}

static void totals_of_all_launches(void **state)
{
    (void)state;
    StrBuf out = {0};
    assert_int_equal(STATUS_OK, profile_read_ncu(page, &profile, &diag));
    profile_put_totals(&profile, &out);
    assert_non_null(
        strstr(out.text, "flops32                                634\n")); /* 10 + 20 + 2 * 300, and 4 */
    assert_non_null(strstr(out.text, "dram_read_bytes                      12320\n"));
    assert_non_null(strstr(out.text, "dram_write_bytes                         -\n")); /* not in the page */
    assert_non_null(strstr(out.text, "add                                  2.500 us  compute\n"));
    strbuf_free(&out);
}

static void ncu_scaled_units(void **state)
{
    (void)state;
    static const char scaled[] =
        "\"ID\",\"Kernel "
        "Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\"\n"
        "\"\",\"\",\"ms\",\"Mbyte\",\"fortnight\"\n\"0\",\"k\",\"2.5\",\"1.5\",\"3\"\n";
    assert_int_equal(STATUS_OK, profile_read_ncu(scaled, &profile, &diag));
    assert_true(profile.kernels[0].inputs[INPUT_TIME] == 2500);
    assert_true(profile.kernels[0].inputs[INPUT_DRAM_READ] == 1.5e6);
    assert_true(profile.kernels[0].inputs[INPUT_DRAM_WRITE] == 3);
    assert_string_equal("", profile.kernels[0].bound);
}

/* A page names everything that is known of the card, too: 345 columns on an H100. */
static void ncu_many_columns(void **state)
{
    (void)state;
    StrBuf wide = {0};
    for (int line = 0; line < 3; line++) {
        strbuf_puts(&wide, line == 0 ? "\"ID\",\"Kernel Name\"" : line == 1 ? "\"\",\"\"" : "\"0\",\"k\"");
        for (int i = 0; i < 400; i++)
            strbuf_puts(&wide, line == 0 ? ",\"device__attribute\"" : ",\"1\"");
        strbuf_puts(&wide, line == 0   ? ",\"gpu__time_duration.sum\"\n"
                           : line == 1 ? ",\"us\"\n"
                                       : ",\"7\"\n");
    }
    assert_int_equal(STATUS_OK, profile_read_ncu(wide.text, &profile, &diag));
    assert_true(profile.kernels[0].inputs[INPUT_TIME] == 7);
    strbuf_free(&wide);
}

static void ncu_without_launches(void **state)
{
    (void)state;
    assert_int_equal(STATUS_NOT_FOUND, profile_read_ncu("==ERROR== no\n", &profile, &diag));
    assert_int_equal(STATUS_NOT_FOUND,
                     profile_read_ncu("\"ID\",\"Kernel Name\"\n\"\",\"\"\n", &profile, &diag));
    assert_int_equal(STATUS_PARSE,
                     profile_read_ncu("\"ID\",\"Something\"\n\"\",\"\"\n\"0\",\"1\"\n", &profile, &diag));
}

static void asked_for_is_what_is_read(void **state)
{
    (void)state;
    StrBuf metrics = {0};
    profile_ncu_metrics(&metrics);
    assert_non_null(
        strstr(metrics.text, "_op_fmul_pred_on.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,"));
    assert_null(strchr(metrics.text, '*'));
    assert_null(strchr(metrics.text, '+'));
    assert_null(strstr(metrics.text, ",,"));
    strbuf_free(&metrics);
}

/* ---- Nsight Systems ---- */

static void nsys_operations(void **state)
{
    (void)state;
    static const char text[] =
        "Processing [a.sqlite] with [b.py]...\n\nTime (%),Total Time (ns),Instances,Avg (ns),Name\n"
        "60.0,3000,2,1500,\"add(int *, int)\"\n40.0,2000,1,2000,other\n\n"
        "Time (%),Total Time (ns),Count,Operation\n100.0,7500,3,[CUDA memcpy HtoD]\n\n"
        "Total (MB),Count,Operation\n0.024,3,[CUDA memcpy HtoD]\n0.5,1,[CUDA something new]\n";
    assert_int_equal(STATUS_OK, profile_read_nsys(text, &profile, &diag));
    assert_int_equal(3, profile.n_operations);
    assert_string_equal("kernels", profile.operations[0].name);
    assert_int_equal(3, profile.operations[0].count);
    assert_true(profile.operations[0].total_us == 5);
    assert_string_equal("[CUDA memcpy Host-to-Device]", profile.operations[1].name);
    assert_int_equal(3, profile.operations[1].count);
    assert_true(profile.operations[1].bytes == 24000);
    assert_true(isnan(profile.operations[0].bytes));
    forget_profile(state);
    assert_int_equal(STATUS_NOT_FOUND, profile_read_nsys("SKIPPED: no data\n", &profile, &diag));
}

/* ---- The virtual GPU ---- */

static const char report[] = "{\"schema\":1,\"launches\":[{\"kernel\":\"add(int*, "
                             "int)\",\"grid\":[2,1,1],\"block\":[64,1,1],\"time_us\":1.5,"
                             "\"bound\":\"memory\",\"occupancy\":{\"achieved\":0.25},\"counters\":{\"warp_"
                             "instructions\":10,\"kernel_instructions\":"
                             "310,\"global_load_requests\":4,\"global_load_sectors\":16,\"dram_read_bytes\":"
                             "512,\"dram_write_bytes\":0}}]}";

static void report_launches(void **state)
{
    (void)state;
    StrBuf out = {0};
    assert_int_equal(STATUS_OK, profile_read_report(report, &profile, &diag));
    assert_true(profile.kernels[0].inputs[INPUT_OCCUPANCY] == 25);
    profile_put_kernels(&profile, &out);
    assert_non_null(strstr(out.text, "add(int*, int) <<<(2, 1, 1), (64, 1, 1)>>>\n"));
    assert_non_null(strstr(
        out.text, " 4.00 sector\n      l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio\n"));
    assert_non_null(strstr(out.text, " 31.00 lane\n"));
    assert_non_null(strstr(out.text, "memory\n"));
    strbuf_free(&out);
    assert_int_equal(STATUS_PARSE, profile_read_report("{}", &profile, &diag));
    assert_int_equal(STATUS_PARSE, profile_read_report("no JSON", &profile, &diag));
}

static void numbers_by_name(void **state)
{
    (void)state;
    static const char text[] =
        "{\"metrics\":{\"traffic_ratio\":1.5,\"divergence\":0},\"memory\":{\"page_faults\":0},"
        "\"totals\":{\"launches\":1234567,\"tensor_ops\":0}}";
    StrBuf out = {0};
    assert_int_equal(STATUS_OK, profile_put_numbers(text, &out, &diag));
    assert_string_equal(
        "  divergence                           0  page_faults                          0\n"
        "  launches                       1234567  traffic_ratio                      1.5\n",
        out.text);
    strbuf_free(&out);
    assert_int_equal(STATUS_PARSE, profile_put_numbers("{}", &out, &diag));
    assert_int_equal(STATUS_PARSE, profile_put_numbers("", &out, &diag));
}

static void timeline_operations(void **state)
{
    (void)state;
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\"},"
        "{\"name\":\"k()\",\"cat\":\"kernel\",\"dur\":2.5,\"args\":{\"bytes\":0}},"
        "{\"name\":\"copy to host\",\"cat\":\"copy\",\"dur\":4,\"args\":{\"bytes\":96}},"
        "{\"name\":\"copy to host\",\"cat\":\"copy\",\"dur\":4,\"args\":{\"bytes\":32}}]}";
    StrBuf out = {0};
    assert_int_equal(STATUS_OK, profile_read_timeline(text, &profile, &diag));
    profile_put_operations(&profile, &out);
    assert_non_null(
        strstr(out.text, "  kernels                               1       2.500           -\n"));
    assert_non_null(
        strstr(out.text, "  [CUDA memcpy Device-to-Host]          2       8.000         128\n"));
    strbuf_free(&out);
}

/* Two sources, one table: the same labels, units and metrics for what both tell. */
static void rows_are_the_same(void **state)
{
    (void)state;
    Profile other = {0};
    StrBuf a = {0}, b = {0};
    assert_int_equal(STATUS_OK, profile_read_report(report, &profile, &diag));
    assert_int_equal(STATUS_OK, profile_read_ncu(page, &other, &diag));
    profile_put_kernels(&profile, &a);
    profile_put_kernels(&other, &b);
    static const char *const shared[] = {"gpu__time_duration.sum\n", "dram__bytes_read.sum\n", " us ",
                                         " byte ", " GB/s"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        assert_non_null(strstr(a.text, shared[i]));
        assert_non_null(strstr(b.text, shared[i]));
    }
    strbuf_free(&a);
    strbuf_free(&b);
    profile_free(&other);
}

static void at_most_so_many_kernels(void **state)
{
    (void)state;
    char name[32];
    for (int i = 0; i <= PROFILE_KERNELS_MAX; i++) {
        snprintf(name, sizeof name, "k%d", i);
        ProfileKernel launch = {
            .name = arena_strndup(&profile.arena, name, strlen(name)), .shape = "", .bound = ""};
        Status expected = i < PROFILE_KERNELS_MAX ? STATUS_OK : STATUS_LIMIT;
        assert_int_equal(expected, profile_add_launch(&profile, &launch, &diag));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(numbers, forget_profile),
        cmocka_unit_test_teardown(ncu_launches, forget_profile),
        cmocka_unit_test_teardown(totals_of_all_launches, forget_profile),
        cmocka_unit_test_teardown(ncu_scaled_units, forget_profile),
        cmocka_unit_test_teardown(ncu_many_columns, forget_profile),
        cmocka_unit_test_teardown(ncu_without_launches, forget_profile),
        cmocka_unit_test_teardown(asked_for_is_what_is_read, forget_profile),
        cmocka_unit_test_teardown(nsys_operations, forget_profile),
        cmocka_unit_test_teardown(report_launches, forget_profile),
        cmocka_unit_test_teardown(numbers_by_name, forget_profile),
        cmocka_unit_test_teardown(timeline_operations, forget_profile),
        cmocka_unit_test_teardown(rows_are_the_same, forget_profile),
        cmocka_unit_test_teardown(at_most_so_many_kernels, forget_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
