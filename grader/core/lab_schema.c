/* The table of lab.yaml's keys, and its reference as Markdown; see lab_schema.h. */
#include "grader/core/lab_schema.h"

#include "grader/core/lab.h"

const char schema_required[] = "required", schema_inherited[] = "the lab's";

/* The struct of each scope. */
#define STRUCT_LAB       Lab
#define STRUCT_TOLERANCE LabTolerance
#define STRUCT_LIMITS    LabLimits
#define STRUCT_FORBID    LabForbid
#define STRUCT_WORK      LabWork
#define STRUCT_SHEET     LabSheet
#define STRUCT_SECTION   LabSection
#define STRUCT_FIELD     LabField
#define STRUCT_SIGN      LabSign
#define STRUCT_HINT      LabHint
#define STRUCT_CASE      LabCase
#define STRUCT_SPEED     LabSpeedGoal
#define STRUCT_BASELINE  LabBaseline
#define STRUCT_TIER      LabTier
#define STRUCT_ANSWER    LabAnswer
#define REQUIRED         schema_required
#define INHERITED        schema_inherited

const SchemaRow lab_schema[] = {
#define X(SCOPE, key_, TYPE, field, default_, min_, max_, meaning_)                                          \
    {.scope = SCOPE_##SCOPE,                                                                                 \
     .key = #key_,                                                                                           \
     .type = TYPE_##TYPE,                                                                                    \
     .offset = offsetof(STRUCT_##SCOPE, field),                                                              \
     .default_text = default_,                                                                               \
     .min = min_,                                                                                            \
     .max = max_,                                                                                            \
     .meaning = meaning_},
#define L(SCOPE, key_, TYPE, field, default_, meaning_)                                                      \
    {.scope = SCOPE_##SCOPE,                                                                                 \
     .key = #key_,                                                                                           \
     .type = TYPE_##TYPE,                                                                                    \
     .offset = offsetof(STRUCT_##SCOPE, field),                                                              \
     .count_offset = offsetof(STRUCT_##SCOPE, n_##field),                                                    \
     .default_text = default_,                                                                               \
     .meaning = meaning_},
#include "grader/core/lab_schema.def"
#undef X
#undef L
};

const size_t lab_schema_length = sizeof lab_schema / sizeof *lab_schema;

SchemaScope schema_scope_of(SchemaType type)
{
    switch (type) {
    case TYPE_MAP_TOLERANCE:
        return SCOPE_TOLERANCE;
    case TYPE_MAP_LIMITS:
        return SCOPE_LIMITS;
    case TYPE_LIST_FORBID:
        return SCOPE_FORBID;
    case TYPE_LIST_WORK:
        return SCOPE_WORK;
    case TYPE_MAP_SHEET:
        return SCOPE_SHEET;
    case TYPE_MAP_SPEED:
        return SCOPE_SPEED;
    case TYPE_MAP_BASELINE:
        return SCOPE_BASELINE;
    case TYPE_LIST_SECTION:
        return SCOPE_SECTION;
    case TYPE_LIST_FIELD:
        return SCOPE_FIELD;
    case TYPE_LIST_SIGN:
        return SCOPE_SIGN;
    case TYPE_LIST_HINT:
        return SCOPE_HINT;
    case TYPE_LIST_CASE:
        return SCOPE_CASE;
    case TYPE_LIST_TIER:
        return SCOPE_TIER;
    case TYPE_LIST_ANSWER:
        return SCOPE_ANSWER;
    default:
        return N_SCOPES;
    }
}

size_t schema_struct_size(SchemaScope scope)
{
    static const size_t sizes[N_SCOPES] = {
        [SCOPE_LAB] = sizeof(Lab),
        [SCOPE_TOLERANCE] = sizeof(LabTolerance),
        [SCOPE_LIMITS] = sizeof(LabLimits),
        [SCOPE_FORBID] = sizeof(LabForbid),
        [SCOPE_WORK] = sizeof(LabWork),
        [SCOPE_SIGN] = sizeof(LabSign),
        [SCOPE_HINT] = sizeof(LabHint),
        [SCOPE_CASE] = sizeof(LabCase),
        [SCOPE_SPEED] = sizeof(LabSpeedGoal),
        [SCOPE_BASELINE] = sizeof(LabBaseline),
        [SCOPE_TIER] = sizeof(LabTier),
        [SCOPE_SHEET] = sizeof(LabSheet),
        [SCOPE_SECTION] = sizeof(LabSection),
        [SCOPE_FIELD] = sizeof(LabField),
        [SCOPE_ANSWER] = sizeof(LabAnswer),
    };
    return sizes[scope];
}

static const char *const scope_titles[N_SCOPES] = {
    [SCOPE_LAB] = "The file",
    [SCOPE_TOLERANCE] = "`tolerance`",
    [SCOPE_LIMITS] = "`limits`",
    [SCOPE_FORBID] = "An item of `forbid`",
    [SCOPE_WORK] = "An item of `work`",
    [SCOPE_SHEET] = "`answers` of the file",
    [SCOPE_SECTION] = "An item of `sections` of `answers`",
    [SCOPE_FIELD] = "An item of `fields` of a section",
    [SCOPE_SIGN] = "An item of `signs`",
    [SCOPE_HINT] = "An item of `hints`",
    [SCOPE_CASE] = "A case",
    [SCOPE_SPEED] = "`speed` of a case",
    [SCOPE_BASELINE] = "`baseline` of a case",
    [SCOPE_TIER] = "An item of `tiers` of a case or of its `speed`",
    [SCOPE_ANSWER] = "An item of `answers` of a case",
};

static const char *const type_names[] = {
    [TYPE_TEXT] = "text",
    [TYPE_COUNT] = "whole number",
    [TYPE_NUMBER] = "number",
    [TYPE_FLAG] = "true or false",
    [TYPE_MAP_TOLERANCE] = "map",
    [TYPE_MAP_LIMITS] = "map",
    [TYPE_MAP_SHEET] = "map",
    [TYPE_MAP_SPEED] = "map",
    [TYPE_MAP_BASELINE] = "map",
    [TYPE_TEXTS] = "list of texts",
    [TYPE_LIST_FORBID] = "list of maps",
    [TYPE_LIST_WORK] = "list of maps",
    [TYPE_LIST_SECTION] = "list of maps",
    [TYPE_LIST_FIELD] = "list of maps",
    [TYPE_LIST_SIGN] = "list of maps",
    [TYPE_LIST_HINT] = "list of maps",
    [TYPE_LIST_CASE] = "list of maps",
    [TYPE_LIST_TIER] = "list of maps",
    [TYPE_LIST_ANSWER] = "list of maps",
    [TYPE_PARAMS] = "map of scalars",
};

static void schema_put_row(StrBuf *out, const SchemaRow *row)
{
    strbuf_printf(out, "| `%s` | %s", row->key, type_names[row->type]);
    bool number = row->type == TYPE_COUNT || row->type == TYPE_NUMBER;
    if (number && row->max < 1e15)
        strbuf_printf(out, ", %g to %g", row->min, row->max);
    bool special = row->default_text == schema_required || row->default_text == schema_inherited;
    bool none = row->default_text[0] == '\0' || (number && row->default_text[0] == 'n');
    strbuf_printf(out, " | %s%s%s | %s |\n", none || special ? "" : "`", none ? "none" : row->default_text,
                  none || special ? "" : "`", row->meaning);
}

void lab_schema_markdown(StrBuf *out)
{
    strbuf_puts(
        out,
        "# lab.yaml and hidden.yaml\n\n"
        "Made from `grader/core/lab_schema.def` by `grade schema`; do not edit.\n\n"
        "Both files have this one form; `hidden.yaml` has only `schema`, `lab` and `cases`. A key that is "
        "not\n"
        "listed is an error, and so is a key that stands twice. Errors say file, line, column and what was\n"
        "expected.\n");
    for (int scope = 0; scope < N_SCOPES; scope++) {
        strbuf_printf(out, "\n## %s\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
                      scope_titles[scope]);
        for (size_t i = 0; i < lab_schema_length; i++)
            if (lab_schema[i].scope == (SchemaScope)scope)
                schema_put_row(out, &lab_schema[i]);
    }
}
