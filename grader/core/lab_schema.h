/* lab_schema: the table of lab.yaml's keys as data, shared by the reader and the reference page. */
#ifndef GRADER_CORE_LAB_SCHEMA_H
#define GRADER_CORE_LAB_SCHEMA_H

#include <stddef.h>

typedef enum SchemaScope {
#define SCOPE(NAME, ...) SCOPE_##NAME,
#include "grader/core/lab_types.def"
    N_SCOPES
} SchemaScope;

typedef enum SchemaType {
#define TYPE(NAME, ...) TYPE_##NAME,
#include "grader/core/lab_types.def"
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
