/* The table of lab.yaml's keys, and its reference as Markdown; see lab_schema.h. */
#include "grader/core/lab_schema.h"

#include "grader/core/lab.h"

const char schema_required[] = "required", schema_inherited[] = "the lab's";

/* The struct of each scope. */
#define SCOPE(NAME, Struct, title) typedef Struct Scope_##NAME;
#include "grader/core/lab_types.def"
#define REQUIRED  schema_required
#define INHERITED schema_inherited

const SchemaRow lab_schema[] = {
#define X(SCOPE, key_, TYPE, field, default_, min_, max_, meaning_)                                          \
    {.scope = SCOPE_##SCOPE,                                                                                 \
     .key = #key_,                                                                                           \
     .type = TYPE_##TYPE,                                                                                    \
     .offset = offsetof(Scope_##SCOPE, field),                                                               \
     .default_text = default_,                                                                               \
     .min = min_,                                                                                            \
     .max = max_,                                                                                            \
     .meaning = meaning_},
#define L(SCOPE, key_, TYPE, field, default_, meaning_)                                                      \
    {.scope = SCOPE_##SCOPE,                                                                                 \
     .key = #key_,                                                                                           \
     .type = TYPE_##TYPE,                                                                                    \
     .offset = offsetof(Scope_##SCOPE, field),                                                               \
     .count_offset = offsetof(Scope_##SCOPE, n_##field),                                                    \
     .default_text = default_,                                                                               \
     .meaning = meaning_},
#include "grader/core/lab_schema.def"
#undef X
#undef L
};

const size_t lab_schema_length = sizeof lab_schema / sizeof *lab_schema;

static const struct {
    SchemaScope scope;
    const char *name;
} types[] = {
#define TYPE(NAME, node, scope, name) [TYPE_##NAME] = {scope, name},
#include "grader/core/lab_types.def"
};

static const struct {
    size_t size;
    const char *title;
} scopes[N_SCOPES] = {
#define SCOPE(NAME, Struct, title) [SCOPE_##NAME] = {sizeof(Struct), title},
#include "grader/core/lab_types.def"
};

SchemaScope schema_scope_of(SchemaType type)
{
    return types[type].scope;
}

size_t schema_struct_size(SchemaScope scope)
{
    return scopes[scope].size;
}

static void schema_put_row(StrBuf *out, const SchemaRow *row)
{
    strbuf_printf(out, "| `%s` | %s", row->key, types[row->type].name);
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
                      scopes[scope].title);
        for (size_t i = 0; i < lab_schema_length; i++)
            if (lab_schema[i].scope == (SchemaScope)scope)
                schema_put_row(out, &lab_schema[i]);
    }
}
