/* json_fields: see json_fields.h. */
#include "grader/judge/json_fields.h"

#include "grader/core/text.h"

#include <math.h>
#include <string.h>

void json_fields_fail(JsonFields *f, Status status, const char *where, const char *what)
{
    if (f->status != STATUS_OK)
        return;
    f->status = diag_set(f->d, status, "%s: \"%s\": %s", f->file, where, what);
}

/* The value of a key, NULL when it is missing or null. */
static json_t *field(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

/* Cuts no UTF-8 sequence in two. */
static size_t cut_length(const char *text, size_t length, size_t most)
{
    if (length <= most)
        return length;
    while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80)
        most--;
    return most;
}

/* A copy, cut and cleaned. */
static char *clean(JsonFields *f, const char *text, const char *key)
{
    size_t length = cut_length(text, strlen(text), f->text_max);
    char *copy = text_clean(f->arena, text, length, SIZE_MAX);
    if (!copy)
        json_fields_fail(f, STATUS_NO_MEMORY, key, "no memory");
    return copy;
}

const char *json_field_text(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = field(object, key);
    if (!value)
        return "";
    if (!json_is_string(value)) {
        json_fields_fail(f, STATUS_PARSE, key, "expected text");
        return "";
    }
    char *copy = clean(f, json_string_value(value), key);
    return copy ? copy : "";
}

static const char *in_one_line(char *text)
{
    for (char *p = text; p && *p; p++)
        *p = *p == '\n' || *p == '\t' ? '?' : *p;
    return text ? text : "";
}

const char *json_field_name(JsonFields *f, const json_t *object, const char *key)
{
    const char *text = json_field_text(f, object, key);
    return text[0] ? in_one_line((char *)text) : ""; /* the arena's */
}

const char *json_clean_text(JsonFields *f, const char *text)
{
    char *copy = clean(f, text, "a text");
    return copy ? copy : "";
}

const char *json_clean_name(JsonFields *f, const char *name)
{
    return in_one_line(clean(f, name, "a name"));
}

int64_t json_field_integer(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = field(object, key);
    if (!value)
        return 0;
    if (json_is_integer(value))
        return json_integer_value(value);
    json_fields_fail(f, STATUS_PARSE, key, "expected a whole number");
    return 0;
}

bool json_field_bool(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = field(object, key);
    if (value && !json_is_boolean(value))
        json_fields_fail(f, STATUS_PARSE, key, "expected true or false");
    return json_is_true(value);
}

double json_field_number(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (json_is_null(value))
        return NAN;
    if (json_is_number(value) && isfinite(json_number_value(value)))
        return json_number_value(value);
    json_fields_fail(f, STATUS_PARSE, key, "expected a number");
    return 0;
}

json_t *json_field_object(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = field(object, key);
    if (!value || json_is_object(value))
        return value;
    json_fields_fail(f, STATUS_PARSE, key, "expected an object");
    return NULL;
}

json_t *json_field_array(JsonFields *f, const json_t *object, const char *key)
{
    json_t *value = field(object, key);
    if (!value || json_is_array(value))
        return value;
    json_fields_fail(f, STATUS_PARSE, key, "expected a list");
    return NULL;
}
