/* Findings through each of their forms: every field that a form has comes back, the others do not; a field of another type is
 * refused by name. */
#include "common/base/finding.h"
#include "common/base/finding_internal.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A finding in which no member is 0 nor "". */
static Finding full(void)
{
    Finding f;
    finding_init(&f);
    for (size_t i = 0; i < finding_n_fields; i++) {
        const FindingField *field = &finding_fields[i];
        char *member = (char *)&f + field->at;
        uint64_t n = field->type == FIELD_FLAG ? 1 : 100 + i;
        uint32_t triple[3] = {(uint32_t)i, (uint32_t)i + 1, (uint32_t)i + 2};
        if (finding_field_is_text(field))
            memcpy(member, &field->name, sizeof field->name);
        else if (field->type == FIELD_TRIPLE)
            memcpy(member, triple, sizeof triple);
        else
            memcpy(member, &n, field->size);
        if (field->when_size == sizeof(bool))
            memcpy((char *)&f + field->when_at, &(bool){true}, sizeof(bool));
    }
    f.distance = -7;
    f.address = 0xfedcba9876543210;
    return f;
}

static json_t *to_json(const Finding *f, FindingForm form)
{
    StrBuf b = {0};
    finding_write(f, form, &b);
    json_t *json = json_loadb(b.text, b.length, JSON_REJECT_DUPLICATES, NULL);
    if (!json)
        fail_msg("no JSON: %s", b.text);
    strbuf_free(&b);
    return json;
}

static bool same_member(const Finding *a, const Finding *b, const FindingField *field)
{
    const char *x = (const char *)a + field->at, *y = (const char *)b + field->at;
    if (!finding_field_is_text(field))
        return memcmp(x, y, field->size) == 0;
    const char *s, *t;
    memcpy(&s, x, sizeof s);
    memcpy(&t, y, sizeof t);
    return strcmp(s, t) == 0;
}

static const FindingForm forms[] = {FINDING_RECORD, FINDING_REPORT, FINDING_RESULT};

static void test_round_trip(void **state)
{
    (void)state;
    Finding empty, whole = full();
    finding_init(&empty);
    for (size_t k = 0; k < 3; k++) {
        json_t *json = to_json(&whole, forms[k]), *none = to_json(&empty, forms[k]);
        Finding got, nothing;
        FindingWrong wrong;
        assert_true(finding_read(&got, json, forms[k], &wrong));
        assert_true(finding_read(&nothing, none, forms[k], &wrong));
        json_decref(none); /* which had all that "nothing" holds, if it were not "" */
        for (size_t i = 0; i < finding_n_fields; i++) {
            const FindingField *field = &finding_fields[i];
            if (!same_member(&got, field->forms & forms[k] ? &whole : &empty, field))
                fail_msg("form %d: %s", forms[k], field->name);
            if (!same_member(&nothing, &empty, field))
                fail_msg("form %d, empty: %s", forms[k], field->name);
        }
        assert_true(got.has_thread && got.has_address && !nothing.has_thread && !nothing.has_address);
        assert_int_equal(got.has_alloc, forms[k] != FINDING_RESULT);
        json_decref(json);
    }
}

/* Each field in turn gets a value that its type does not have. */
static void test_wrong_fields(void **state)
{
    (void)state;
    static const char *const bad[] = {"true", "-1", "4294967296000000000000", "[1,2]", "[1,2,\"\"]", "\"0x\"", "\"0xg\"", "{}", "1.5"};
    Finding whole = full(), got;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < finding_n_fields; i++) {
            const FindingField *field = &finding_fields[i];
            size_t n_refused = 0;
            for (size_t b = 0; field->forms & forms[k] && b < sizeof bad / sizeof *bad; b++) {
                json_t *json = to_json(&whole, forms[k]), *value = json_loads(bad[b], JSON_DECODE_ANY, NULL);
                FindingWrong wrong = {"", NULL};
                if (!value) /* no number of JSON's */
                    value = json_real(4e21);
                json_object_set_new(*field->object ? json_object_get(json, field->object) : json, field->name, value);
                bool fits = finding_read(&got, json, forms[k], &wrong);
                bool may_fit = (field->type == FIELD_FLAG && json_is_true(value)) ||
                               (field->type == FIELD_SIGNED && json_is_integer(value)) ||
                               (finding_field_is_text(field) && json_is_string(value));
                if (fits != may_fit || (!fits && strcmp(wrong.name, field->name) != 0))
                    fail_msg("form %d: %s = %s: %s", forms[k], field->name, bad[b], wrong.name);
                n_refused += !fits;
                json_decref(json);
            }
            assert_true(n_refused >= 7 || !(field->forms & forms[k]));
        }
}

/* A result has every field; reports may leave any out, and have null for an object. */
static void test_missing_fields(void **state)
{
    (void)state;
    Finding whole = full(), got;
    FindingWrong wrong;
    for (size_t i = 0; i < finding_n_fields; i++) {
        if (!(finding_fields[i].forms & FINDING_RESULT))
            continue;
        json_t *json = to_json(&whole, FINDING_RESULT);
        json_object_del(json, finding_fields[i].name);
        assert_false(finding_read(&got, json, FINDING_RESULT, &wrong));
        assert_string_equal(wrong.name, finding_fields[i].name);
        json_decref(json);
    }
    json_t *report = json_pack("{s:n, s:n}", "allocation", "site");
    assert_true(finding_read(&got, report, FINDING_REPORT, &wrong));
    assert_false(got.has_alloc);
    json_object_set_new(report, "allocation", json_array());
    assert_false(finding_read(&got, report, FINDING_REPORT, &wrong));
    assert_string_equal(wrong.name, "allocation");
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_wrong_fields),
        cmocka_unit_test(test_missing_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
