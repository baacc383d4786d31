/* Reading lab.yaml and hidden.yaml; see lab.h.
 *
 * libyaml turns a file into a tree of nodes with marks. One function, read_map, fills any struct of the
 * schema from a map node: it refuses keys that the schema does not have, then goes through the scope's rows
 * in their order and calls the reader of the row's type, for the value in the file or for the default. What
 * holds between several keys is checked in lab_check.c.
 */
#include "grader/core/lab.h"

#include "common/base/yaml_tree.h"
#include "grader/core/files.h"
#include "grader/core/lab_internal.h"
#include "grader/core/lab_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LAB_FILE_BYTES_MAX = 1 << 20 };

/* What a reader needs to know: where it is, and where to complain. */
typedef struct Loader {
    Arena *arena;
    yaml_document_t doc;
    const char *file;
    bool hidden;
    const Lab *lab; /* for what cases inherit */
    Diag *diag;
} Loader;

#define FAIL(l, node, ...) YAML_TREE_FAIL((l)->diag, (l)->file, node, __VA_ARGS__)

static Status read_map(Loader *l, yaml_node_t *node, SchemaScope scope, void *out);

static yaml_node_t *node_at(Loader *l, int index)
{
    return yaml_document_get_node(&l->doc, index);
}

static const char *scalar(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* Readers of scalars ---------------------------------------------------------------------------- */

/* text is the scalar, or the row's default (then node is NULL). */
static Status lab_read_text(Loader *l, const SchemaRow *row, yaml_node_t *node, const char *text,
                            const char **out)
{
    size_t length = node ? node->data.scalar.length : strlen(text);
    if (node && (length < row->min || length > row->max))
        return FAIL(l, node, "'%s' must be a text of %g to %g characters, and has %zu", row->key, row->min,
                    row->max, length);
    *out = arena_strndup(l->arena, text, length);
    return *out ? STATUS_OK : diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
}

static Status lab_read_number(Loader *l, const SchemaRow *row, yaml_node_t *node, const char *text,
                              double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (!node)
        return STATUS_OK;
    bool fits = end != text && *end == '\0' && *out >= row->min && *out <= row->max; /* false for NaN */
    return fits ? STATUS_OK
                : FAIL(l, node, "'%s' must be a number from %g to %g, not '%s'", row->key, row->min, row->max,
                       text);
}

static Status read_count(Loader *l, const SchemaRow *row, yaml_node_t *node, const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    bool fits =
        end != text && *end == '\0' && errno == 0 && (double)*out >= row->min && (double)*out <= row->max;
    return fits || !node ? STATUS_OK
                         : FAIL(l, node, "'%s' must be a whole number from %g to %g, not '%s'", row->key,
                                row->min, row->max, text);
}

static Status read_flag(Loader *l, const SchemaRow *row, yaml_node_t *node, const char *text, bool *out)
{
    *out = strcmp(text, "true") == 0;
    if (node && !*out && strcmp(text, "false") != 0)
        return FAIL(l, node, "'%s' must be true or false, not '%s'", row->key, text);
    return STATUS_OK;
}

/* Readers of lists ------------------------------------------------------------------------------ */

static Status read_texts(Loader *l, const SchemaRow *row, yaml_node_t *list, const char ***out, size_t *n)
{
    *n = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    *out = ARENA_NEW_ARRAY(l->arena, const char *, *n + 1);
    if (!*out)
        return diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
    for (size_t i = 0; i < *n; i++) {
        yaml_node_t *item = node_at(l, list->data.sequence.items.start[i]);
        if (item->type != YAML_SCALAR_NODE || item->data.scalar.length == 0)
            return FAIL(l, item, "an item of '%s' must be a text that is not empty", row->key);
        (*out)[i] = arena_strndup(l->arena, scalar(item), item->data.scalar.length);
        if (!(*out)[i])
            return diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
    }
    return STATUS_OK;
}

static Status read_maps(Loader *l, const SchemaRow *row, yaml_node_t *list, void **out, size_t *n)
{
    SchemaScope scope = schema_scope_of(row->type);
    size_t size = schema_struct_size(scope);
    *n = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    *out = arena_alloc(l->arena, (*n + 1) * size);
    if (!*out)
        return diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
    for (size_t i = 0; i < *n; i++) {
        yaml_node_t *item = node_at(l, list->data.sequence.items.start[i]);
        if (item->type != YAML_MAPPING_NODE)
            return FAIL(l, item, "an item of '%s' must be a map of keys and values", row->key);
        Status s = read_map(l, item, scope, (char *)*out + i * size);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}

static Status read_params(Loader *l, const SchemaRow *row, yaml_node_t *map, LabParam **out, size_t *n)
{
    yaml_node_pair_t *start = map->data.mapping.pairs.start, *end = map->data.mapping.pairs.top;
    *n = (size_t)(end - start);
    *out = ARENA_NEW_ARRAY(l->arena, LabParam, *n + 1);
    if (!*out)
        return diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
    for (size_t i = 0; i < *n; i++) {
        yaml_node_t *key = node_at(l, start[i].key), *value = node_at(l, start[i].value);
        if (key->type != YAML_SCALAR_NODE || !lab_is_identifier(scalar(key)))
            return FAIL(l, key, "a key of '%s' must be letters, digits and underscores", row->key);
        if (value->type != YAML_SCALAR_NODE || !lab_is_plain_value(scalar(value)))
            return FAIL(l, value, "'%s' must be a number or a word, without tabs and line ends", scalar(key));
        (*out)[i] = (LabParam){.key = arena_strndup(l->arena, scalar(key), strlen(scalar(key))),
                               .value = arena_strndup(l->arena, scalar(value), strlen(scalar(value)))};
        if (!(*out)[i].key || !(*out)[i].value)
            return diag_set(l->diag, STATUS_NO_MEMORY, "no memory for a lab");
    }
    return STATUS_OK;
}

/* One row -------------------------------------------------------------------------------------- */

static Status expect_type(Loader *l, const SchemaRow *row, yaml_node_t *node, yaml_node_type_t type)
{
    if (node->type == type)
        return STATUS_OK;
    const char *wanted = type == YAML_SCALAR_NODE     ? "one value"
                         : type == YAML_SEQUENCE_NODE ? "a list"
                                                      : "a map of keys and values";
    return FAIL(l, node, "'%s' must be %s", row->key, wanted);
}

static const yaml_node_type_t node_types[] = {
#define TYPE(NAME, node, ...) [TYPE_##NAME] = YAML_##node##_NODE,
#include "grader/core/lab_types.def"
};

/* The value of a row, from the file's node or, where that is NULL, the default, into the struct at `base`. */
static Status read_row(Loader *l, const SchemaRow *row, yaml_node_t *node, char *base)
{
    void *field = base + row->offset;
    size_t *count = (size_t *)(base + row->count_offset);
    Status s = node ? expect_type(l, row, node, node_types[row->type]) : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    const char *text = node && node->type == YAML_SCALAR_NODE ? scalar(node) : row->default_text;
    switch (row->type) {
    case TYPE_TEXT:
        return lab_read_text(l, row, node, text, field);
    case TYPE_NUMBER:
        return lab_read_number(l, row, node, text, field);
    case TYPE_COUNT:
        return read_count(l, row, node, text, field);
    case TYPE_FLAG:
        return read_flag(l, row, node, text, field);
    case TYPE_MAP_TOLERANCE:
    case TYPE_MAP_LIMITS:
        return read_map(l, node, schema_scope_of(row->type), field);
    case TYPE_MAP_SHEET:
    case TYPE_MAP_SPEED:
    case TYPE_MAP_BASELINE:
        return node ? read_map(l, node, schema_scope_of(row->type), field) : STATUS_OK;
    case TYPE_TEXTS:
        return node ? read_texts(l, row, node, field, count) : STATUS_OK;
    case TYPE_PARAMS:
        return node ? read_params(l, row, node, field, count) : STATUS_OK;
    default:
        return node ? read_maps(l, row, node, field, count) : STATUS_OK;
    }
}

/* One map -------------------------------------------------------------------------------------- */

static const SchemaRow *schema_row(SchemaScope scope, const char *key)
{
    for (size_t i = 0; i < lab_schema_length; i++)
        if (lab_schema[i].scope == scope && strcmp(lab_schema[i].key, key) == 0)
            return &lab_schema[i];
    return NULL;
}

/* hidden.yaml says what differs from lab.yaml, and only that; a hidden case's seed is the run's secret, and
 * so are its metrics. */
static bool allowed_in_hidden(SchemaScope scope, const char *key)
{
    if (scope == SCOPE_LAB)
        return strcmp(key, "schema") == 0 || strcmp(key, "lab") == 0 || strcmp(key, "cases") == 0;
    return !(scope == SCOPE_CASE && (strcmp(key, "seed") == 0 || strcmp(key, "leaderboard") == 0));
}

static Status check_keys(Loader *l, yaml_node_t *map, SchemaScope scope)
{
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        yaml_node_t *key = node_at(l, p->key);
        if (key->type != YAML_SCALAR_NODE)
            return FAIL(l, key, "a key must be a word");
        if (!schema_row(scope, scalar(key)))
            return FAIL(l, key, "unknown key '%s'; expected one of: %s", scalar(key),
                        lab_keys_of(l->arena, scope));
        if (l->hidden && !allowed_in_hidden(scope, scalar(key)))
            return FAIL(l, key, "'%s' does not belong in hidden.yaml", scalar(key));
        if (yaml_tree_value(&l->doc, map, scalar(key)) != node_at(l, p->value))
            return FAIL(l, key, "the key '%s' stands twice", scalar(key));
    }
    return STATUS_OK;
}

/* What a struct has before its keys are read: a case's tolerance, limits and credit are the lab's. */
static void inherit(const Loader *l, SchemaScope scope, yaml_node_t *map, void *out)
{
    if (scope != SCOPE_CASE)
        return;
    LabCase *c = out;
    c->tolerance = l->lab->tolerance;
    c->limits = l->lab->limits;
    c->finding_credit = l->lab->finding_credit;
    c->hidden = l->hidden;
    c->line = (int)map->start_mark.line + 1;
}

static bool scope_of_case_part(SchemaScope scope)
{
    return scope == SCOPE_TOLERANCE || scope == SCOPE_LIMITS;
}

/* Fills the struct of a scope from a map, or from the defaults alone where map is NULL. */
static Status read_map(Loader *l, yaml_node_t *map, SchemaScope scope, void *out)
{
    Status s = map ? check_keys(l, map, scope) : STATUS_OK;
    inherit(l, scope, map, out);
    /* The lab's own tolerance and limits take the schema's defaults; a case's were inherited just now. */
    bool defaults_given = scope_of_case_part(scope) && out != &l->lab->tolerance && out != &l->lab->limits;
    for (size_t i = 0; s == STATUS_OK && i < lab_schema_length; i++) {
        const SchemaRow *row = &lab_schema[i];
        if (row->scope != scope)
            continue;
        yaml_node_t *value = yaml_tree_value(&l->doc, map, row->key);
        bool skipped = (l->hidden && scope == SCOPE_LAB && !allowed_in_hidden(scope, row->key));
        if (!value && (skipped || defaults_given || row->default_text == schema_inherited))
            continue;
        if (!value && row->default_text == schema_required)
            return FAIL(l, map, "the key '%s' is missing (%s)", row->key, row->meaning);
        s = read_row(l, row, value, out);
    }
    return s;
}

/* Files ---------------------------------------------------------------------------------------- */

/* Reads one file into lab; for hidden.yaml into a Lab of which only name and cases are used. */
static Status lab_read_file(Lab *lab, const char *path, const Lab *parent, Diag *d)
{
    char *text;
    size_t length;
    Status s = file_read(&lab->arena, path, LAB_FILE_BYTES_MAX, &text, &length, d);
    if (s != STATUS_OK)
        return s;
    Loader l = {.arena = &lab->arena,
                .file = path,
                .hidden = parent != NULL,
                .lab = parent ? parent : lab,
                .diag = d};
    s = yaml_tree_load(&l.doc, path, NULL, text, length, d);
    if (s != STATUS_OK)
        return s;
    yaml_node_t *root = yaml_document_get_root_node(&l.doc);
    if (!root || root->type != YAML_MAPPING_NODE)
        s = diag_set_at(d, STATUS_PARSE, path, 1, 1, "expected a map of keys and values");
    else
        s = read_map(&l, root, SCOPE_LAB, lab);
    yaml_document_delete(&l.doc);
    return s;
}

/* Appends the cases of hidden.yaml, moving what they own into lab's arena by reading the file with it. */
static Status add_hidden(Lab *lab, const char *path, Diag *d)
{
    Lab *hidden = ARENA_NEW(&lab->arena, Lab);
    if (!hidden)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    hidden->arena = lab->arena;
    Status s = lab_read_file(hidden, path, lab, d);
    lab->arena = hidden->arena;
    if (s == STATUS_OK && strcmp(hidden->lab, lab->lab) != 0)
        s = diag_set_at(d, STATUS_PARSE, path, 1, 1, "'lab' is %s here and %s in lab.yaml", hidden->lab,
                        lab->lab);
    LabCase *all =
        s == STATUS_OK ? ARENA_NEW_ARRAY(&lab->arena, LabCase, lab->n_cases + hidden->n_cases + 1) : NULL;
    if (!all)
        return s != STATUS_OK ? s : diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    if (lab->n_cases)
        memcpy(all, lab->cases, lab->n_cases * sizeof *all);
    if (hidden->n_cases)
        memcpy(all + lab->n_cases, hidden->cases, hidden->n_cases * sizeof *all);
    lab->cases = all;
    lab->n_cases += hidden->n_cases;
    return STATUS_OK;
}

static Status load_lab_folder(Lab *lab, const char *dir, const char *hidden_path, Diag *d)
{
    lab->dir = arena_strndup(&lab->arena, dir, strlen(dir));
    const char *path = arena_printf(&lab->arena, "%s/lab.yaml", dir);
    if (!lab->dir || !path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    Status s = lab_read_file(lab, path, NULL, d);
    if (s == STATUS_OK)
        s = lab_check_lab(lab, path, d);
    for (size_t i = 0; s == STATUS_OK && i < lab->n_cases; i++)
        lab->public_points += lab->cases[i].points;
    if (s == STATUS_OK)
        s = lab_check_shapes(lab, path, d);
    size_t n_public = lab->n_cases;
    if (s == STATUS_OK && hidden_path)
        s = add_hidden(lab, hidden_path, d);
    if (s == STATUS_OK)
        s = lab_set_work(lab, n_public, path, hidden_path, d);
    if (s == STATUS_OK)
        s = lab_check_cases(lab, n_public, path, hidden_path, d);
    return s;
}

Status lab_load(const char *dir, const char *hidden_path, Lab **out, Diag *d)
{
    *out = NULL;
    Lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    Status s = load_lab_folder(lab, dir, hidden_path, d);
    if (s == STATUS_OK)
        *out = lab;
    else
        lab_free(lab);
    return s;
}

void lab_free(Lab *lab)
{
    if (!lab)
        return;
    Arena arena = lab->arena;
    arena_free(&arena);
    free(lab);
}
