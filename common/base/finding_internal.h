/* Shared by finding.c and finding_read.c: the table of fields. */
#ifndef COMMON_BASE_FINDING_INTERNAL_H
#define COMMON_BASE_FINDING_INTERNAL_H

#include "common/base/finding.h"

#include <stddef.h>

typedef enum FindingFieldType { FIELD_TEXT, FIELD_NAME, FIELD_FLAG, FIELD_NUMBER, FIELD_SIGNED, FIELD_HEX, FIELD_TRIPLE } FindingFieldType;

typedef struct FindingField {
    FindingFieldType type;
    const char *object, *name;
    unsigned forms;
    size_t at, size;           /* of the member */
    size_t when_at, when_size; /* the member that says whether it is there; size 0: it always is */
} FindingField;

extern const FindingField finding_fields[];
extern const size_t finding_n_fields;

static inline bool finding_field_is_text(const FindingField *field)
{
    return field->type == FIELD_TEXT || field->type == FIELD_NAME;
}

#endif
