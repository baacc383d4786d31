/* json_fields: typed reading of JSON objects that may be hostile.
 *
 * A JsonFields is asked for one field after the other; the first wrong type sticks, and the reader ends with
 * one Diag. What is missing has its zero: "" for text, 0 for numbers. Text is cut at text_max bytes and
 * cleaned (core/text.h) as it is copied into the arena: names of kernels and files are a student's to choose.
 */
#ifndef GRADER_JUDGE_JSON_FIELDS_H
#define GRADER_JUDGE_JSON_FIELDS_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct JsonFields {
    Arena *arena;
    const char *file; /* for messages */
    size_t text_max;
    Diag *d;
    Status status; /* STATUS_OK until something is wrong */
} JsonFields;

/* Marks the reader as failed with a message; keeps the first one. */
void json_fields_fail(JsonFields *f, Status status, const char *where, const char *what);

const char *json_field_text(JsonFields *f, const json_t *object, const char *key);
/* The same in one line: for names, which stand within a line of others' text. */
const char *json_field_name(JsonFields *f, const json_t *object, const char *key);
/* A text that came otherwise, cut and cleaned; a member's own name, and any other. */
const char *json_clean_text(JsonFields *f, const char *text);
const char *json_clean_name(JsonFields *f, const char *name);
int64_t json_field_integer(JsonFields *f, const json_t *object, const char *key);
bool json_field_bool(JsonFields *f, const json_t *object, const char *key);
/* NaN for null, as JSON has no other word for it. */
double json_field_number(JsonFields *f, const json_t *object, const char *key);
/* The object or array of that name; NULL when missing, null or wrong. */
json_t *json_field_object(JsonFields *f, const json_t *object, const char *key);
json_t *json_field_array(JsonFields *f, const json_t *object, const char *key);

#endif
