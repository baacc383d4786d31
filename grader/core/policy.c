/* policy: see policy.h. libyaml's tree is read by the table of policy.def; keys that it does not have, or
 * that stand twice, are errors with their line. */
#include "grader/core/policy.h"

#include "common/base/yaml_tree.h"
#include "grader/core/when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum PolicyScope { SCOPE_TOP, SCOPE_LATE } PolicyScope;
typedef enum PolicyType { TYPE_NUMBER, TYPE_ATTEMPTS, TYPE_MAP_DUE, TYPE_MAP_LATE } PolicyType;

typedef struct PolicyRow {
    PolicyScope scope;
    const char *key;
    PolicyType type;
    size_t offset;
    double default_value, min, max;
} PolicyRow;

#define STRUCT_TOP  Policy
#define STRUCT_LATE PolicyLate

static const PolicyRow rows[] = {
#define X(SCOPE, key_, TYPE, field, default_, min_, max_, meaning)                                           \
    {.scope = SCOPE_##SCOPE,                                                                                 \
     .key = #key_,                                                                                           \
     .type = TYPE_##TYPE,                                                                                    \
     .offset = offsetof(STRUCT_##SCOPE, field),                                                              \
     .default_value = default_,                                                                              \
     .min = min_,                                                                                            \
     .max = max_},
#include "grader/core/policy.def"
#undef X
};

enum { N_ROWS = sizeof rows / sizeof *rows };

typedef struct Loader {
    Arena *arena;
    yaml_document_t doc;
    const char *file;
    Policy *policy;
    Diag *d;
} Loader;

#define FAIL(l, node, ...) YAML_TREE_FAIL((l)->d, (l)->file, node, __VA_ARGS__)

static Status read_map(Loader *l, yaml_node_t *map, PolicyScope scope, void *out);

static Status policy_read_number(Loader *l, const PolicyRow *row, yaml_node_t *node, double *out)
{
    const char *text = yaml_tree_text(node);
    char *end = NULL;
    *out = text ? strtod(text, &end) : 0;
    bool fits =
        text && end != text && *end == '\0' && *out >= row->min && *out <= row->max; /* false for NaN */
    return fits ? STATUS_OK
                : FAIL(l, node, "'%s' must be a number from %g to %g", row->key, row->min, row->max);
}

static Status read_due(Loader *l, yaml_node_t *map)
{
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(l, map, "'due' must be a map of labs and moments");
    yaml_node_pair_t *start = map->data.mapping.pairs.start, *end = map->data.mapping.pairs.top;
    Policy *p = l->policy;
    p->due = ARENA_NEW_ARRAY(l->arena, PolicyDue, end - start + 1);
    for (yaml_node_pair_t *pair = start; p->due && pair < end; pair++) {
        yaml_node_t *key = yaml_document_get_node(&l->doc, pair->key);
        yaml_node_t *value = yaml_document_get_node(&l->doc, pair->value);
        const char *lab = yaml_tree_text(key), *moment = yaml_tree_text(value);
        if (!lab || !lab[0])
            return FAIL(l, key, "a key of 'due' must be a lab's name");
        if (policy_due(p, lab))
            return FAIL(l, key, "'%s' stands twice", lab);
        PolicyDue *due = &p->due[p->n_due];
        if (!moment || !when_parse(moment, &due->at))
            return FAIL(l, value,
                        "a moment must be as 2026-10-12T23:59:00+02:00, with its distance from UTC");
        due->lab = arena_strndup(l->arena, lab, strlen(lab));
        if (!due->lab)
            return diag_set(l->d, STATUS_NO_MEMORY, "no memory for the policy");
        p->n_due++;
    }
    return p->due ? STATUS_OK : diag_set(l->d, STATUS_NO_MEMORY, "no memory for the policy");
}

static Status read_value(Loader *l, const PolicyRow *row, yaml_node_t *node, void *field)
{
    const char *text = yaml_tree_text(node);
    switch (row->type) {
    case TYPE_NUMBER:
        return policy_read_number(l, row, node, field);
    case TYPE_ATTEMPTS:
        *(bool *)field = text && strcmp(text, "best") == 0;
        return text && (*(bool *)field || strcmp(text, "last") == 0)
                   ? STATUS_OK
                   : FAIL(l, node, "'%s' must be last or best", row->key);
    case TYPE_MAP_DUE:
        return read_due(l, node);
    case TYPE_MAP_LATE:
        l->policy->has_late = true;
        return read_map(l, node, SCOPE_LATE, field);
    }
    return STATUS_OK;
}

static const PolicyRow *find_row(PolicyScope scope, const char *key)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].scope == scope && strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

static Status read_map(Loader *l, yaml_node_t *map, PolicyScope scope, void *out)
{
    bool seen[N_ROWS] = {false};
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(l, map, "a map of keys and values is expected here");
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].scope == scope && rows[i].type == TYPE_NUMBER)
            *(double *)((char *)out + rows[i].offset) = rows[i].default_value;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = yaml_document_get_node(&l->doc, pair->key);
        const char *name = yaml_tree_text(key);
        const PolicyRow *row = name ? find_row(scope, name) : NULL;
        if (!row)
            return FAIL(l, key, "'%s' is no key of a policy here", name ? name : "(no text)");
        if (seen[row - rows])
            return FAIL(l, key, "'%s' stands twice", name);
        seen[row - rows] = true;
        Status s =
            read_value(l, row, yaml_document_get_node(&l->doc, pair->value), (char *)out + row->offset);
        if (s != STATUS_OK)
            return s;
    }
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].scope == scope && !seen[i] && isnan(rows[i].default_value))
            return FAIL(l, map, "the key '%s' is missing", rows[i].key);
    return STATUS_OK;
}

static Status read_document(Loader *l, const char *text, size_t length)
{
    Status s = yaml_tree_load(&l->doc, l->file, NULL, text, length, l->d);
    if (s != STATUS_OK)
        return s;
    yaml_node_t *root = yaml_document_get_root_node(&l->doc);
    s = root ? read_map(l, root, SCOPE_TOP, l->policy)
             : diag_set_at(l->d, STATUS_PARSE, l->file, 1, 1, "the file is empty");
    yaml_document_delete(&l->doc);
    return s;
}

Status policy_read(Arena *a, const char *file, const char *text, size_t length, Policy *p, Diag *d)
{
    *p = (Policy){0};
    if (length == 0)
        return STATUS_OK;
    if (length > POLICY_BYTES_MAX)
        return diag_set_at(d, STATUS_LIMIT, file, 0, 0, "a policy has at most %d bytes", POLICY_BYTES_MAX);
    Loader l = {.arena = a, .file = file, .policy = p, .d = d};
    return read_document(&l, text, length);
}

const PolicyDue *policy_due(const Policy *p, const char *lab)
{
    for (size_t i = 0; i < p->n_due; i++)
        if (strcmp(p->due[i].lab, lab) == 0)
            return &p->due[i];
    return NULL;
}
