/* Timelines as the virtual GPU writes them, and as nobody should. */
#include "grader/judge/timeline.h"

#include "common/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SPAN(more)                                                                                           \
    "{\"ph\":\"X\",\"name\":\"add\",\"cat\":\"kernel\",\"pid\":1,\"tid\":2,\"ts\":3.5,\"dur\":2" more "}"

static Status parse(Arena *a, const char *text, CaseResult *c)
{
    *c = (CaseResult){0};
    return timeline_parse(a, text, strlen(text), c, NULL);
}

static void test_operations(void **state)
{
    (void)state;
    Arena a = {0};
    CaseResult c;
    assert_int_equal(STATUS_OK,
                     parse(&a,
                           "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0}," SPAN(
                               ",\"args\":{\"bytes\":64}") "]}",
                           &c));
    assert_int_equal(1, c.n_spans);
    assert_int_equal(0, c.spans_left_out);
    assert_string_equal("add", c.spans[0].name);
    assert_string_equal("kernel", c.spans[0].what);
    assert_int_equal(1, c.spans[0].device);
    assert_int_equal(2, c.spans[0].stream);
    assert_int_equal(64, c.spans[0].bytes);
    assert_true(c.spans[0].start_us == 3.5 && c.spans[0].end_us == 5.5);
    arena_free(&a);
}

static void test_text_is_clean(void **state)
{
    (void)state;
    Arena a = {0};
    CaseResult c;
    assert_int_equal(STATUS_OK,
                     parse(&a, "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\\u001b[31mb\\u202ec\"}]}", &c));
    assert_int_equal(1, c.n_spans);
    assert_null(strchr(c.spans[0].name, '\x1b'));
    assert_null(strstr(c.spans[0].name, "\xE2\x80\xAE"));
    arena_free(&a);
}

static void test_bad(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{\"traceEvents\":7}",
        "{\"traceEvents\":[" SPAN(",\"ts\":-1") "]}",
        "{\"traceEvents\":[" SPAN(",\"dur\":1e300") "]}",
        "{\"traceEvents\":[" SPAN(",\"ts\":null") "]}",
        "{\"traceEvents\":[" SPAN(",\"tid\":-3") "]}",
        "{\"traceEvents\":[" SPAN(",\"pid\":\"x\"") "]}",
        "{\"traceEvents\":[" SPAN(",\"name\":[]") "]}",
        "{\"traceEvents\":[" SPAN("") "," SPAN(",\"args\":{\"bytes\":\"x\"}") "]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Arena a = {0};
        CaseResult c;
        assert_int_not_equal(STATUS_OK, parse(&a, texts[i], &c));
        assert_int_equal(0, c.n_spans);
        arena_free(&a);
    }
}

/* At the limit, and one past it. */
static void test_limit(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        Arena a = {0};
        StrBuf text = {0};
        CaseResult c;
        strbuf_puts(&text, "{\"traceEvents\":[" SPAN(""));
        for (size_t i = 1; i < TIMELINE_SPANS_MAX + more; i++)
            strbuf_puts(&text, "," SPAN(""));
        strbuf_puts(&text, "]}");
        assert_int_equal(STATUS_OK, parse(&a, text.text, &c));
        assert_int_equal(TIMELINE_SPANS_MAX, c.n_spans);
        assert_int_equal(more, c.spans_left_out);
        strbuf_free(&text);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_text_is_clean), cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
