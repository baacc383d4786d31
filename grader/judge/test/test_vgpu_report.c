/* The virtual GPU's report: read in full, refused when a field has the wrong type, unharmed by any damage. */
#include "grader/judge/vgpu_report.h"

#include "common/base/rng.h"
#include "common/base/strbuf.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char WHOLE[] =
    "{\"schema\":1,\"device\":{\"kind\":\"virtual\",\"name\":\"T4\"},\"program\":\"p\",\"exit\":{\"status\":"
    "1,\"signal\":0},"
    "\"findings\":[{\"kind\":\"api-order\",\"verdict\":\"\",\"advice\":true,\"message\":\"advice\"},"
    "{\"kind\":\"leak\",\"verdict\":\"leak\",\"advice\":false,\"bytes\":64,\"count\":2},"
    "{\"kind\":\"use-after-free\",\"verdict\":\"out-of-bounds\",\"advice\":false,\"kernel\":\"add\",\"file\":"
    "\"a.cu\",\"line\":9,"
    "\"column\":5,\"block\":[1,2,3],\"thread\":[4,5,6],\"address\":\"0x10\",\"bytes\":4,\"access\":\"write\","
    "\"space\":\"global\","
    "\"allocation\":{\"address\":\"0x0\",\"bytes\":256,\"serial\":3,\"name\":\"d_c\",\"freed\":true,\"file\":"
    "\"a.cu\",\"line\":3,"
    "\"distance\":-4},\"other\":null,\"site\":null,\"count\":7,\"message\":\"m\",\"hint\":\"h\",\"text\":"
    "\"t\"}],"
    "\"errors\":[{\"call\":\"cudaMalloc\",\"error\":\"cudaErrorMemoryAllocation\",\"code\":2,\"file\":\"a."
    "cu\",\"line\":3,\"sticky\":false}],"
    "\"launches\":[{\"kernel\":\"add\",\"counters\":{}}],"
    "\"totals\":{\"launches\":1,\"kernel_ops\":100,\"flops32\":2.5},\"metrics\":{\"dram_ratio\":1.25},"
    "\"memory\":{\"h2d_bytes\":512,\"leaked_bytes\":0},\"timeline_us\":12.5}";

static VgpuReport *parse(const char *text)
{
    VgpuReport *r;
    Diag d = {0};
    if (vgpu_report_parse(text, strlen(text), &r, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return r;
}

static void test_whole(void **state)
{
    (void)state;
    VgpuReport *r = parse(WHOLE);
    assert_string_equal(r->device_name, "T4");
    assert_int_equal(r->exit_status, 1);
    assert_int_equal(r->n_findings, 3);
    assert_true(r->findings[0].advice);
    assert_int_equal(vgpu_finding_verdict(&r->findings[0]), VERDICT_PASS);
    const Finding *f = vgpu_report_worst(r);
    assert_ptr_equal(f, &r->findings[2]);
    assert_int_equal(vgpu_finding_verdict(f), VERDICT_OUT_OF_BOUNDS);
    assert_int_equal(f->block[2], 3);
    assert_int_equal(f->thread[0], 4);
    assert_true(f->has_thread && f->has_alloc && f->alloc_freed);
    assert_string_equal(f->alloc_name, "d_c");
    assert_int_equal(f->distance, -4);
    assert_false(r->findings[1].has_thread);
    assert_string_equal(r->errors[0].error, "cudaErrorMemoryAllocation");
    double v = 0;
    assert_true(vgpu_report_number(r, "flops32", &v) && v == 2.5);
    assert_true(vgpu_report_number(r, "dram_ratio", &v) && v == 1.25);
    assert_true(vgpu_report_number(r, "h2d_bytes", &v) && v == 512);
    assert_true(vgpu_report_number(r, "timeline_us", &v) && v == 12.5);
    assert_false(vgpu_report_number(r, "none", &v));
    vgpu_report_free(r);
    r = parse("{\"schema\":1}");
    assert_null(vgpu_report_worst(r));
    assert_string_equal(r->device_kind, "");
    vgpu_report_free(r);
}

static void test_folders_are_taken_out(void **state)
{
    (void)state;
    VgpuReport *r =
        parse("{\"schema\":1,\"findings\":[{\"kind\":\"race\",\"verdict\":\"race\",\"file\":\"/src/a.cu\",\"text\":"
              "\"/src/a.cu:3: race\\n  at /src/b.cu:4, not /srca.cu\",\"allocation\":{\"file\":\"/src/\",\"freed_file\":\"/src/d.cu\"},"
              "\"other\":{\"file\":\"/src/o.cu\",\"line\":4},\"site\":{\"file\":\"/src/s.cu\",\"line\":5}},{\"kind\":\"leak\",\"verdict\":\"leak\"}],"
              "\"errors\":[{\"file\":\"/src/sub/a.cu\"}]}");
    vgpu_report_strip_folder(r, "/src");
    assert_string_equal(r->findings[0].place.file, "a.cu");
    assert_string_equal(r->findings[0].text, "a.cu:3: race\n  at b.cu:4, not /srca.cu");
    assert_string_equal(r->findings[0].alloc_site.file, "");
    assert_string_equal(r->findings[0].free_site.file, "d.cu");
    assert_string_equal(r->findings[0].other.file, "o.cu");
    assert_string_equal(r->findings[0].site.file, "s.cu");
    assert_string_equal(r->findings[0].hint, "");
    assert_string_equal(r->errors[0].file, "sub/a.cu");
    vgpu_report_free(r);
}

static void test_wrong_types(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{}",
        "null",
        "{\"schema\":2}",
        "{\"schema\":1,\"schema\":1}",
        "{\"schema\":1,\"findings\":{}}",
        "{\"schema\":1,\"findings\":[1]}",
        "{\"schema\":1,\"findings\":[{\"verdict\":\"great\"}]}",
        "{\"schema\":1,\"findings\":[{\"line\":\"9\"}]}",
        "{\"schema\":1,\"findings\":[{\"line\":1.5}]}",
        "{\"schema\":1,\"findings\":[{\"block\":[1,2]}]}",
        "{\"schema\":1,\"findings\":[{\"block\":[1,2,3,4]}]}",
        "{\"schema\":1,\"findings\":[{\"thread\":[1,2,\"x\"]}]}",
        "{\"schema\":1,\"findings\":[{\"allocation\":7}]}",
        "{\"schema\":1,\"findings\":[{\"kind\":[]}]}",
        "{\"schema\":1,\"findings\":[{\"advice\":1}]}",
        "{\"schema\":1,\"errors\":[[]]}",
        "{\"schema\":1,\"totals\":[]}",
        "{\"schema\":1,\"totals\":{\"x\":\"1\"}}",
        "{\"schema\":1,\"exit\":{\"status\":true}}",
        "{\"schema\":1,\"device\":\"gpu\"}",
        "{\"schema\":1,\"timeline_us\":1e999}",
        "{\"schema\":99999999999999999999}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        VgpuReport *r;
        Diag d = {0};
        if (vgpu_report_parse(bad[i], strlen(bad[i]), &r, &d) == STATUS_OK)
            fail_msg("taken: %s", bad[i]);
        assert_null(r);
        assert_true(d.message[0]);
    }
}

static void test_limits(void **state)
{
    (void)state;
    StrBuf b = {0};
    strbuf_puts(&b, "{\"schema\":1,\"findings\":[");
    for (int i = 0; i < VGPU_REPORT_FINDINGS_MAX + 1; i++)
        strbuf_printf(&b, "%s{\"kind\":\"race\",\"verdict\":\"race\"}", i ? "," : "");
    strbuf_puts(&b, "],\"program\":\"");
    for (int i = 0; i < 10000; i++)
        strbuf_puts(&b, "xxxxxxxxxx");
    strbuf_puts(&b, "\",\"device\":{\"name\":\"");
    for (int i = 0; i < VGPU_REPORT_TEXT_MAX; i++)
        strbuf_puts(&b, "\xC3\xA9");
    strbuf_puts(&b, "\"}}");
    VgpuReport *r = parse(b.text);
    assert_int_equal(r->n_findings, VGPU_REPORT_FINDINGS_MAX);
    assert_true(r->cut);
    assert_int_equal(strlen(r->device_name), VGPU_REPORT_TEXT_MAX);
    vgpu_report_free(r);
    strbuf_free(&b);
    static char big[VGPU_REPORT_BYTES_MAX + 2];
    memset(big, ' ', sizeof big - 1);
    assert_int_equal(vgpu_report_parse(big, VGPU_REPORT_BYTES_MAX + 1, &r, NULL), STATUS_LIMIT);
    memset(big, '[', 1 << 20); /* depth */
    assert_int_equal(vgpu_report_parse(big, 1 << 20, &r, NULL), STATUS_PARSE);
}

/* Any single or double damage gives a report or a refusal with a message. */
static void test_fuzz(void **state)
{
    (void)state;
    Rng rng = {.state = 20};
    char text[sizeof WHOLE];
    size_t taken = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        memcpy(text, WHOLE, sizeof WHOLE);
        for (uint64_t n = 1 + rng_below(&rng, 3); n > 0; n--) {
            size_t at = rng_below(&rng, sizeof WHOLE - 1);
            static const char likely[] = "{}[]\",:0-9e.tfn\\\xFF";
            text[at] = rng_below(&rng, 2) ? likely[rng_below(&rng, sizeof likely)] : (char)rng_next(&rng);
        }
        size_t length = rng_below(&rng, 8) ? sizeof WHOLE - 1 : rng_below(&rng, sizeof WHOLE);
        VgpuReport *r;
        Diag d = {0};
        if (vgpu_report_parse(text, length, &r, &d) == STATUS_OK) {
            taken++;
            vgpu_report_worst(r);
            vgpu_report_free(r);
        } else {
            refused++;
            assert_true(d.message[0]);
        }
    }
    assert_true(taken > 100 && refused > 100); /* the fuzzer reaches both sides */
}

static void test_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/test-report-XXXXXX";
    assert_non_null(mkdtemp(dir));
    int dir_fd = open(dir, O_DIRECTORY | O_RDONLY);
    VgpuReport *r;
    Diag d = {0};
    assert_int_equal(vgpu_report_read(dir_fd, "report.json", &r, &d), STATUS_NOT_FOUND);
    assert_int_equal(symlinkat("/etc/passwd", dir_fd, "report.json"), 0);
    assert_int_equal(vgpu_report_read(dir_fd, "report.json", &r, &d), STATUS_INVALID);
    unlinkat(dir_fd, "report.json", 0);
    assert_int_equal(mkfifoat(dir_fd, "report.json", 0600), 0);
    assert_int_equal(vgpu_report_read(dir_fd, "report.json", &r, &d), STATUS_INVALID);
    unlinkat(dir_fd, "report.json", 0);
    int fd = openat(dir_fd, "report.json", O_CREAT | O_WRONLY, 0600);
    assert_int_equal(ftruncate(fd, 1ll << 40), 0); /* a sparse terabyte */
    assert_int_equal(vgpu_report_read(dir_fd, "report.json", &r, &d), STATUS_LIMIT);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(write(fd, WHOLE, sizeof WHOLE - 1), sizeof WHOLE - 1);
    close(fd);
    assert_int_equal(vgpu_report_read(dir_fd, "report.json", &r, &d), STATUS_OK);
    vgpu_report_free(r);
    unlinkat(dir_fd, "report.json", 0);
    close(dir_fd);
    rmdir(dir);
}

/* ESC, a C1 byte (as U+009B), an override of the direction, a newline and a tab. */
#define ODD "a\\u001b[31mb\\u009bc\\u202ed\\ne\\tf"
#define AS_TEXT                                                                                              \
    "ab?c\xEF\xBF\xBD"                                                                                       \
    "d\ne\tf"
#define AS_NAME                                                                                              \
    "ab?c\xEF\xBF\xBD"                                                                                       \
    "d?e?f"

/* Every text of a report is a student's to choose. */
static void test_texts_are_cleaned(void **state)
{
    (void)state;
    VgpuReport *r = parse(
        "{\"schema\":1,\"device\":{\"kind\":\"" ODD "\",\"name\":\"" ODD "\"},\"findings\":[{\"kind\":\"" ODD
        "\",\"verdict\":\"race\",\"kernel\":\"" ODD "\",\"file\":\"" ODD "\",\"access\":\"" ODD "\",\"space\":\"" ODD "\",\"allocation\":{\"name\":\"" ODD "\",\"file\":\"" ODD
        "\"},\"message\":\"" ODD "\",\"hint\":\"" ODD "\",\"text\":\"" ODD "\"}],\"errors\":[{\"call\":\"" ODD
        "\",\"error\":\"" ODD "\",\"file\":\"" ODD "\"}],\"launches\":[{\"time_us\":1,\"bound\":\"" ODD
        "\"}],\"metrics\":{\"" ODD "\":1}}");
    const Finding *f = &r->findings[0];
    const char *const names[] = {r->device_kind,    r->device_name, f->kind,           f->kernel,
                                 f->place.file,     f->access,      f->space,
                                 f->alloc_name,     f->alloc_site.file,  r->errors[0].call, r->errors[0].error,
                                 r->errors[0].file, r->bound,       r->metrics[0].name};
    const char *const texts[] = {f->message, f->hint, f->text};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(AS_NAME, names[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(AS_TEXT, texts[i]);
    vgpu_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_folders_are_taken_out),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_fuzz),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_texts_are_cleaned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
