/* labfile: libyaml's document tree -> LabFile. */
#include "common/starters/labfile.h"

#include "common/base/yaml_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    yaml_document_t document;
    const char *path;
    Arena *arena;
    Diag *diag;
} Reader;

static Status fail(Reader *r, const yaml_node_t *node, const char *expected)
{
    return YAML_TREE_FAIL(r->diag, r->path, node, "expected %s", expected);
}

static yaml_node_t *node_at(Reader *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

/* The value of a key in a map; NULL when there is none. */
static yaml_node_t *find(Reader *r, const yaml_node_t *map, const char *key)
{
    return yaml_tree_value(&r->document, map, key);
}

static const char *scalar(Reader *r, const yaml_node_t *node)
{
    return arena_strndup(r->arena, (const char *)node->data.scalar.value, node->data.scalar.length);
}

static const char *text_or(Reader *r, const yaml_node_t *map, const char *key, const char *otherwise)
{
    const yaml_node_t *node = find(r, map, key);
    return node && node->type == YAML_SCALAR_NODE ? scalar(r, node) : otherwise;
}

/* The items of the list under a key; an empty one when there is none. STATUS_PARSE when it is no list. */
static Status list_of(Reader *r, const yaml_node_t *map, const char *key, const yaml_node_item_t **items,
                      size_t *n)
{
    const yaml_node_t *list = find(r, map, key);
    *n = 0;
    *items = NULL;
    if (!list)
        return STATUS_OK;
    if (list->type != YAML_SEQUENCE_NODE)
        return fail(r, list, "a list");
    *items = list->data.sequence.items.start;
    *n = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    return STATUS_OK;
}

static Status read_texts(Reader *r, const yaml_node_t *map, const char *key, const char ***texts, size_t *n)
{
    const yaml_node_item_t *items;
    Status status = list_of(r, map, key, &items, n);
    if (status)
        return status;
    *texts = ARENA_NEW_ARRAY(r->arena, const char *, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        const yaml_node_t *node = node_at(r, items[i]);
        if (node->type != YAML_SCALAR_NODE)
            return fail(r, node, "a text");
        (*texts)[i] = scalar(r, node);
    }
    return STATUS_OK;
}

static Status read_hint(Reader *r, const yaml_node_t *map, LabFileHint *hint)
{
    const char **tiers;
    size_t n;
    hint->todo = atoi(text_or(r, map, "todo", "0"));
    Status status = read_texts(r, map, "tiers", &tiers, &n);
    if (status)
        return status;
    if (hint->todo < 1 || n > LABFILE_TIERS_MAX)
        return fail(r, map, "a hint with `todo: N` and up to 8 tiers");
    hint->n_tiers = n;
    for (size_t i = 0; i < n; i++)
        hint->tiers[i] = tiers[i];
    return STATUS_OK;
}

static Status read_params(Reader *r, const yaml_node_t *map, LabFileCase *c)
{
    const yaml_node_t *params = find(r, map, "params");
    if (!params)
        return STATUS_OK;
    if (params->type != YAML_MAPPING_NODE)
        return fail(r, params, "a map of parameters");
    yaml_node_pair_t *pairs = params->data.mapping.pairs.start;
    c->n_params = (size_t)(params->data.mapping.pairs.top - pairs);
    c->params = ARENA_NEW_ARRAY(r->arena, LabFileParam, c->n_params + 1);
    for (size_t i = 0; i < c->n_params; i++) {
        const yaml_node_t *key = node_at(r, pairs[i].key);
        const yaml_node_t *value = node_at(r, pairs[i].value);
        if (key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE)
            return fail(r, value, "a scalar");
        c->params[i] = (LabFileParam){.key = scalar(r, key), .value = scalar(r, value)};
    }
    return STATUS_OK;
}

static Status read_case(Reader *r, const yaml_node_t *lab_tolerance, const yaml_node_t *map, LabFileCase *c)
{
    const yaml_node_t *own = find(r, map, "tolerance");
    c->name = text_or(r, map, "name", NULL);
    if (!c->name)
        return fail(r, map, "a case with a name");
    c->todo = atoi(text_or(r, map, "todo", "0"));
    c->points = strtod(text_or(r, map, "points", "0"), NULL);
    c->ranked = find(r, map, "metric") || find(r, map, "answers");
    c->hint = text_or(r, map, "hint", NULL);
    c->seed = text_or(r, map, "seed", "1");
    c->rtol = text_or(r, own, "rtol", text_or(r, lab_tolerance, "rtol", "1e-05"));
    c->atol = text_or(r, own, "atol", text_or(r, lab_tolerance, "atol", "1e-08"));
    c->devices = text_or(r, map, "devices", "1");
    c->nan = text_or(r, own, "nan", text_or(r, lab_tolerance, "nan", "never"));
    c->expect_status = text_or(r, map, "expect_status", "0");
    c->check_output = strcmp(text_or(r, map, "check_output", "true"), "false") != 0;
    c->run = strcmp(text_or(r, map, "run", "true"), "false") != 0;
    Status status = read_params(r, map, c);
    return status ? status : read_texts(r, map, "vgpu", &c->vgpu, &c->n_vgpu);
}

static Status read_shape(Reader *r, const yaml_node_t *map, LabFileShape *shape)
{
    Status status = read_texts(r, map, "arrays", &shape->arrays, &shape->n_arrays);
    if (!status)
        status = read_texts(r, map, "shape", &shape->shape, &shape->n_shape);
    return status ? status : read_texts(r, map, "halo", &shape->halo, &shape->n_halo);
}

static Status read_root(Reader *r, LabFile *lab)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    const yaml_node_item_t *items;
    if (!root || root->type != YAML_MAPPING_NODE)
        return diag_set_at(r->diag, STATUS_PARSE, r->path, 1, 1, "expected a map");
    lab->starter_floor = text_or(r, root, "starter_floor", "0");
    Status status = read_texts(r, root, "files", &lab->files, &lab->n_files);
    if (!status)
        status = read_texts(r, root, "extra", &lab->extra, &lab->n_extra);
    if (!status)
        status = read_texts(r, root, "libraries", &lab->libraries, &lab->n_libraries);
    if (!status)
        status = list_of(r, root, "hints", &items, &lab->n_hints);
    lab->hints = ARENA_NEW_ARRAY(r->arena, LabFileHint, lab->n_hints + 1);
    for (size_t i = 0; i < lab->n_hints && !status; i++)
        status = read_hint(r, node_at(r, items[i]), &lab->hints[i]);
    if (!status)
        status = list_of(r, root, "signs", &items, &lab->n_signs);
    lab->signs = ARENA_NEW_ARRAY(r->arena, int, lab->n_signs + 1);
    for (size_t i = 0; i < lab->n_signs && !status; i++)
        lab->signs[i] = atoi(text_or(r, node_at(r, items[i]), "todo", "0"));
    if (!status)
        status = list_of(r, root, "shapes", &items, &lab->n_shapes);
    lab->shapes = ARENA_NEW_ARRAY(r->arena, LabFileShape, lab->n_shapes + 1);
    for (size_t i = 0; i < lab->n_shapes && !status; i++)
        status = read_shape(r, node_at(r, items[i]), &lab->shapes[i]);
    if (!status)
        status = list_of(r, root, "cases", &items, &lab->n_cases);
    lab->cases = ARENA_NEW_ARRAY(r->arena, LabFileCase, lab->n_cases + 1);
    for (size_t i = 0; i < lab->n_cases && !status; i++)
        status = read_case(r, find(r, root, "tolerance"), node_at(r, items[i]), &lab->cases[i]);
    return status;
}

Status labfile_read(const char *path, LabFile *lab, Diag *diag)
{
    *lab = (LabFile){0};
    FILE *file = fopen(path, "r");
    if (!file)
        return diag_set_at(diag, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, path, 0, 0, "%s",
                           strerror(errno));
    Reader r = {.path = path, .arena = &lab->arena, .diag = diag};
    Status status = yaml_tree_load(&r.document, path, file, NULL, 0, diag);
    fclose(file);
    if (!status) {
        status = read_root(&r, lab);
        yaml_document_delete(&r.document);
    }
    if (status)
        labfile_free(lab);
    return status;
}

Status labfile_read_texts(const char *folder, Language language, LabFile *lab, Diag *diag)
{
    char path[DIAG_FILE_MAX];
    *lab = (LabFile){0};
    int length = snprintf(path, sizeof path, "%s/lab.%s.yaml", folder, language_name(language));
    if (length >= (int)sizeof path)
        return diag_set(diag, STATUS_LIMIT, "the path of the texts in %s is too long", folder);
    Status status = labfile_read(path, lab, diag);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (!status)
        lab->language = language;
    return status;
}

void labfile_free(LabFile *lab)
{
    arena_free(&lab->arena);
    *lab = (LabFile){0};
}
