/* lab_schema: the table of lab.yaml's keys as data, shared by the reader and the reference page. */
#ifndef GRADER_CORE_LAB_SCHEMA_H
#define GRADER_CORE_LAB_SCHEMA_H

#include <stddef.h>

typedef enum SchemaScope {
    SCOPE_LAB,
    SCOPE_TOLERANCE,
    SCOPE_LIMITS,
    SCOPE_FORBID,
    SCOPE_WORK,
    SCOPE_SHEET,
    SCOPE_SECTION,
    SCOPE_FIELD,
    SCOPE_SIGN,
    SCOPE_HINT,
    SCOPE_CASE,
    SCOPE_SPEED,
    SCOPE_BASELINE,
    SCOPE_TIER,
    SCOPE_ANSWER,
    N_SCOPES
} SchemaScope;

typedef enum SchemaType {
    TYPE_TEXT,
    TYPE_COUNT,
    TYPE_NUMBER,
    TYPE_FLAG,
    TYPE_MAP_TOLERANCE,
    TYPE_MAP_LIMITS,
    TYPE_MAP_SHEET,
    TYPE_MAP_SPEED,
    TYPE_MAP_BASELINE,
    TYPE_TEXTS,
    TYPE_LIST_FORBID,
    TYPE_LIST_WORK,
    TYPE_LIST_SECTION,
    TYPE_LIST_FIELD,
    TYPE_LIST_SIGN,
    TYPE_LIST_HINT,
    TYPE_LIST_CASE,
    TYPE_LIST_TIER,
    TYPE_LIST_ANSWER,
    TYPE_PARAMS
} SchemaType;

typedef struct SchemaRow {
    SchemaScope scope;
    const char *key;
    SchemaType type;
    size_t offset, count_offset; /* of the field, and of its n_field for lists, in the scope's struct */
    const char *default_text;    /* one of the two below, or text as in the file */
    double min, max;
    const char *meaning;
} SchemaRow;

/* What default_text may point to; compared as pointers. */
extern const char schema_required[], schema_inherited[];

extern const SchemaRow lab_schema[];
extern const size_t lab_schema_length;

/* The scope of a map's or of a list's items; N_SCOPES for other types. */
SchemaScope schema_scope_of(SchemaType type);
size_t schema_struct_size(SchemaScope scope);

#endif
