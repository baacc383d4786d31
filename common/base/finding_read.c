/* Findings: the reader of the table of their fields. See finding.h. */
#include "common/base/finding.h"
#include "common/base/finding_internal.h"

#include <jansson.h>
#include <string.h>

static bool finding_read_number(const json_t *value, bool is_signed, void *member, size_t size)
{
    json_int_t n = json_integer_value(value);
    uint64_t most = size < sizeof n ? UINT32_MAX : INT64_MAX;
    if (!json_is_integer(value) || (!is_signed && n < 0) || (n > 0 && (uint64_t)n > most))
        return false;
    memcpy(member, &n, size);
    return true;
}

static bool read_triple(const json_t *list, char *member)
{
    bool ok = json_is_array(list) && json_array_size(list) == 3;
    for (size_t i = 0; i < 3 && ok; i++)
        ok = finding_read_number(json_array_get(list, i), false, member + i * sizeof(uint32_t),
                                 sizeof(uint32_t));
    return ok;
}

/* "0x1f", or "" where there is none. */
static bool read_hex(const json_t *value, void *member, bool *there)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_string_value(value);
    uint64_t n = 0;
    *there = text && *text;
    if (!*there)
        return text != NULL;
    size_t length = strlen(text);
    if (strncmp(text, "0x", 2) != 0 || length == 2 || length > 18 || strspn(text + 2, digits) != length - 2)
        return false;
    for (text += 2; *text; text++)
        n = n << 4 | (uint64_t)(strchr(digits, *text) - digits);
    memcpy(member, &n, sizeof n);
    return true;
}

/* Fills the member; NULL, or what was expected. */
static const char *read_value(const json_t *value, const FindingField *field, char *member, bool *there)
{
    const char *text = json_string_value(value);
    bool flag = json_is_true(value);
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_NAME:
        if (text && *text) /* else it is "" already, and not the JSON's */
            memcpy(member, &text, sizeof text);
        return text ? NULL : "expected text";
    case FIELD_FLAG:
        memcpy(member, &flag, sizeof flag);
        return json_is_boolean(value) ? NULL : "expected true or false";
    case FIELD_NUMBER:
    case FIELD_SIGNED:
        return finding_read_number(value, field->type == FIELD_SIGNED, member, field->size)
                   ? NULL
                   : "expected a whole number";
    case FIELD_HEX:
        return read_hex(value, member, there) ? NULL : "expected a hexadecimal number";
    case FIELD_TRIPLE:
        return read_triple(value, member) ? NULL : "expected three whole numbers";
    }
    return NULL;
}

static bool read_field(Finding *f, const json_t *json, const FindingField *field, FindingForm form, FindingWrong *wrong)
{
    char *member = (char *)f + field->at;
    if (!(field->forms & form))
        return true;
    const json_t *object = *field->object ? json_object_get(json, field->object) : json;
    if (!json_is_object(object) && object && !json_is_null(object)) {
        *wrong = (FindingWrong){field->object, "expected an object"};
        return false;
    }
    const json_t *value = json_object_get(object, field->name);
    bool there = value && !json_is_null(value);
    *wrong = (FindingWrong){field->name, !value && form == FINDING_RESULT ? "expected it"
                                         : there                       ? read_value(value, field, member, &there)
                                                                       : NULL};
    if (there && field->when_size == sizeof(bool))
        memcpy((char *)f + field->when_at, &there, sizeof there);
    return wrong->wanted == NULL;
}

bool finding_read(Finding *f, const json_t *json, FindingForm form, FindingWrong *wrong)
{
    bool ok = true;
    finding_init(f);
    for (size_t i = 0; i < finding_n_fields && ok; i++)
        ok = read_field(f, json, &finding_fields[i], form, wrong);
    return ok;
}

void finding_each_text(Finding *f, const char *(*change)(void *self, const char *text, bool one_line), void *self)
{
    for (const FindingField *field = finding_fields; field < finding_fields + finding_n_fields; field++) {
        const char *text;
        if (!finding_field_is_text(field))
            continue;
        memcpy(&text, (char *)f + field->at, sizeof text);
        if (!text || !*text)
            continue;
        text = change(self, text, field->type == FIELD_NAME);
        memcpy((char *)f + field->at, &text, sizeof text);
    }
}
